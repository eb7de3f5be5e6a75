//! The head of the page: the job, and its most important numbers.

use std::fmt::{self, Write};

use mpit_format::rows::Kind;
use mpit_format::summary::{Efficiency, Rating};

use crate::job::Job;
use crate::picture::escaped;
use crate::screen;
use crate::units::{bytes, duration, grouped, ratio};

/// The maximum number of machines that are named.
const NODES: usize = 16;

/// Writes the facts about the job.
pub(super) fn facts(out: &mut String, job: &Job) -> fmt::Result {
    let mut facts: Vec<(&str, String)> = job.facts().map(|(name, value)| (name, value.to_owned())).collect();
    if let Some(identity) = &job.identity {
        facts.push(("began", identity.began.clone()));
    }
    facts.push(("processes", format!("{} of {}", job.present, job.size)));
    if !job.nodes.names().is_empty() {
        facts.push(("nodes", nodes(job)));
    }
    out.push_str("<dl>\n");
    for (name, value) in facts {
        writeln!(out, "<dt>{name}</dt><dd>{}</dd>", escaped(&value))?;
    }
    out.push_str("</dl>\n");
    Ok(())
}

fn nodes(job: &Job) -> String {
    let names = job.nodes.names();
    let all = names.iter().zip(job.nodes.ranks());
    let node = |(name, ranks): (&String, u32)| {
        format!("{name} ({ranks} {})", if ranks == 1 { "rank" } else { "ranks" })
    };
    let mut text = all.take(NODES).map(node).collect::<Vec<_>>().join(", ");
    if names.len() > NODES {
        _ = write!(text, " and {} more", names.len() - NODES);
    }
    text
}

/// Writes the most important numbers, each in a box.
pub(super) fn numbers(out: &mut String, job: &Job) -> fmt::Result {
    let summary = &job.summary;
    out.push_str("<div class=\"boxes\">\n");
    if let (Some((elapsed, _)), Some(efficiency)) = (summary.elapsed.max(), summary.efficiency()) {
        number(out, "elapsed", &duration(elapsed as f64), "between MPI_Init and MPI_Finalize")?;
        let on_rank = |(ns, rank): (u64, u32)| format!("{} on rank {rank}", duration(ns as f64));
        let (min, max) = (summary.in_mpi.min().map(on_rank), summary.in_mpi.max().map(on_rank));
        number(
            out,
            "time in MPI",
            &ratio(summary.in_mpi.sum() as f64 / summary.elapsed.sum().max(1) as f64),
            &format!(
                "mean {}, from {} to {}",
                duration(summary.in_mpi.mean()),
                min.unwrap_or_default(),
                max.unwrap_or_default()
            ),
        )?;
        let Efficiency { parallel, load_balance, communication } = efficiency;
        rated(out, "parallel efficiency", parallel, "load balance x communication efficiency")?;
        rated(out, "load balance", load_balance, "mean of useful time, divided by its maximum")?;
        rated(
            out,
            "communication efficiency",
            communication,
            "maximum of useful time, divided by elapsed time",
        )?;
    }
    let messages = summary.total(&[Kind::External]);
    number(out, "messages", &grouped(messages.count), &bytes(messages.bytes))?;
    let collective = summary.total(&[Kind::Collective]);
    if collective.bytes > 0 {
        number(
            out,
            "collective operations",
            &bytes(collective.bytes),
            "as if each pair of ranks exchanged them",
        )?;
    }
    let one_sided = summary.total(&[Kind::Sent, Kind::Received]);
    if one_sided.count > 0 {
        number(
            out,
            "one-sided",
            &bytes(one_sided.bytes),
            &format!("{} operations", grouped(one_sided.count)),
        )?;
    }
    if let Some(share) = summary.share_between_nodes(&crate::picture::SHOWN)
        && summary.hosts.len() > 1
    {
        number(out, "between nodes", &ratio(share), "of the bytes")?;
    }
    if let Some(late) = summary.latest().first() {
        let value = format!("rank {}", late.rank);
        let mut note = format!(
            "in {} of {} sampled collective operations; others wait for it for {} of the time in them",
            ratio(late.last_in as f64 / late.operations.max(1) as f64),
            grouped(late.operations.into()),
            ratio(late.share())
        );
        if late.error > 0 {
            _ = write!(note, "; clocks of machines compared to {}", duration(late.error as f64));
        }
        number(out, "arrives last", &value, &note)?;
    }
    out.push_str("</div>\n");
    if let Some(line) = screen::incomplete(summary) {
        writeln!(out, "<p>{}</p>", escaped(&line))?;
    }
    Ok(())
}

fn number(out: &mut String, name: &str, value: &str, note: &str) -> fmt::Result {
    writeln!(out, "<div><h3>{name}</h3><strong>{value}</strong><small>{}</small></div>", escaped(note))
}

fn rated(out: &mut String, name: &str, value: f64, note: &str) -> fmt::Result {
    let rating = Rating::of(value).as_str();
    writeln!(
        out,
        "<div class=\"{rating}\"><h3>{name}</h3><strong>{value:.2}</strong> <em>{rating}</em><small>{note}</small></div>"
    )
}
