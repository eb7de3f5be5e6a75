//! A bar for each rank, or for several ranks that follow each other: the parts of its time, or its bytes.

use std::fmt::{self, Write};

use mpit_format::summary::Area;

use crate::job::Job;
use crate::ranks::traffic;
use crate::units::{bytes, duration};

/// The maximum number of bars.
const MOST: u32 = 256;

/// The height of the picture, and the width of a bar with its gap.
const HEIGHT: f64 = 160.0;
const WIDTH: f64 = 10.0;

/// The names of the areas for users, in their order.
pub(super) const AREAS: [&str; Area::ALL.len()] =
    ["messages", "collective operations", "one-sided", "waits", "files", "other calls"];

/// The parts of a bar: numbers that add up to at most the height of the picture.
type Bar<const N: usize> = [f64; N];

/// Writes the bars of a job.
pub(super) fn section(out: &mut String, job: &Job) -> fmt::Result {
    if job.size == 0 {
        return Ok(());
    }
    let group = job.size.div_ceil(MOST);
    let (first, last) = ("rank 0", format!("rank {}", job.size - 1));
    let of_group = if group > 1 { format!("; a bar is the mean of {group} ranks") } else { String::new() };
    let longest = job.summary.elapsed.max().map_or(0, |(longest, _)| longest);
    if longest > 0 {
        let parts = job.times.iter().map(|(rank, time)| (*rank, time.areas.map(|ns| ns as f64)));
        let text = format!("Time in MPI by rank: full height is {}{of_group}", duration(longest as f64));
        let bars_of_ranks = groups(job.size, group, parts);
        return bars(out, &text, &AREAS, (&bars_of_ranks, longest as f64), [first, &last]);
    }
    let traffic = traffic(job);
    let parts = traffic.iter().map(|(rank, own)| (*rank, [own.bytes_out as f64, own.bytes_in as f64]));
    let all = groups(job.size, group, parts);
    let most = all.iter().map(|bar| bar.iter().sum()).fold(0.0, f64::max);
    if most == 0.0 {
        return Ok(());
    }
    let text = format!("Bytes by rank: full height is {}{of_group}", bytes(most as u128));
    bars(out, &text, &["bytes out", "bytes in"], (&all, most), [first, &last])
}

/// Returns the means of groups of ranks. Ranks without parts have 0.
fn groups<const N: usize>(size: u32, group: u32, parts: impl Iterator<Item = (u32, Bar<N>)>) -> Vec<Bar<N>> {
    let mut groups = vec![[0.0; N]; size.div_ceil(group) as usize];
    for (rank, parts) in parts.filter(|(rank, _)| *rank < size) {
        let first = rank - rank % group;
        let ranks = group.min(size - first);
        for (sum, part) in groups[(rank / group) as usize].iter_mut().zip(parts) {
            *sum += part / f64::from(ranks);
        }
    }
    groups
}

/// Writes bars of which `most` is the full height, with a text at both ends of their axis.
pub(super) fn bars<const N: usize>(
    out: &mut String,
    text: &str,
    names: &[&str; N],
    (bars, most): (&[Bar<N>], f64),
    [first, last]: [&str; 2],
) -> fmt::Result {
    let width = WIDTH * bars.len() as f64;
    writeln!(out, "<h2>{text}</h2>\n<p class=\"legend\">")?;
    for (at, name) in names.iter().enumerate() {
        if bars.iter().any(|bar| bar[at] > 0.0) {
            writeln!(out, "<span><i class=\"part{at}\"></i>{name}</span>")?;
        }
    }
    writeln!(
        out,
        "</p>\n<svg class=\"bars\" viewBox=\"0 0 {width} {HEIGHT}\" preserveAspectRatio=\"none\" role=\"img\" \
         aria-label=\"{text}\">"
    )?;
    for at in 0..N {
        let mut path = String::new();
        for (place, bar) in bars.iter().enumerate() {
            let scaled = |part: f64| part / most * HEIGHT;
            let (below, own): (f64, f64) = (bar[..at].iter().sum(), bar[at]);
            // Threads that are in MPI at once have more time than the process.
            let top = scaled(below + own).min(HEIGHT);
            let height = top - scaled(below).min(HEIGHT);
            if height > 0.0 {
                let (x, y) = (WIDTH * place as f64 + WIDTH * 0.1, HEIGHT - top);
                let bar = WIDTH * 0.8;
                write!(path, "M{x:.1} {y:.2}h{bar:.1}v{height:.2}h-{bar:.1}z")?;
            }
        }
        if !path.is_empty() {
            writeln!(out, "<path class=\"part{at}\" d=\"{path}\"/>")?;
        }
    }
    writeln!(out, "</svg>\n<p class=\"axis\"><span>{first}</span><span>{last}</span></p>")
}
