//! The entries that a tool sees with mpit preloaded: ours first, then all entries of the library, unchanged
//! except for two corrections of strings and flags. Entries that the library never describes are not listed,
//! so queries of every entry succeed.
//!
//! The program `dump` lists everything twice on each library, with and without mpit, and the lists are
//! compared entry by entry. The entries of the host follow ours in the host's order. If the host has an entry
//! of the same name (and class) as one of ours, only ours is listed; this applies to [`ALSO_OURS`] and to
//! nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use mpit_tests::inventory::{self, Entry, Inventory, KINDS};
use mpit_tests::{Failure, Job, Outcome, Stack, stacks};

use crate::{MONITORED, equal};

/// The prefixes of entries that both a host (Open MPI) and mpit have.
const ALSO_OURS: [&str; 3] = ["pml_monitoring_", "osc_monitoring_", "coll_monitoring_"];

/// Returns true for variables that Open MPI describes and then refuses to read. They are not listed.
fn is_refused(name: &str) -> bool {
    name.starts_with("mtl_psm2_") || name == "vprotocol"
}

/// Two lists of the same moment, with and without mpit.
struct Pair<'a> {
    bare: &'a Inventory,
    merged: &'a Inventory,
}

/// The correspondence between the indices of one kind.
struct Map {
    /// The number of our entries, which have the indices from 0 on.
    ours: usize,
    /// The index under mpit of each of the host's entries; `None` for those that were never described.
    of_host: Vec<Option<usize>>,
    /// The number of entries at each moment.
    all: Vec<usize>,
}

fn dump(stack: &Stack, test: &str, late: bool) -> Outcome<[[Inventory; 2]; 2]> {
    let dir = stack.scratch(test)?;
    let program = stack.compile("dump")?;
    let when: &[&str] = if late { &["late"] } else { &[] };
    let job = |file: &str| Job::mpi(stack, 1).arg(&program).arg(file).args(when).dir(&dir);
    job("bare").succeed()?;
    job("merged").under_mpit(&[MONITORED])?.succeed()?;
    Ok([inventory::read(&dir.join("bare"))?, inventory::read(&dir.join("merged"))?])
}

/// Returns true if both sides have an entry of this name by design.
fn is_shared(name: &str) -> bool {
    ALSO_OURS.iter().any(|prefix| name.starts_with(prefix))
}

/// Finds the end of our entries: the first one that is the host's or is not described, which never applies to
/// ours.
fn map(kind: &str, pairs: &[Pair]) -> Map {
    let last = &pairs[pairs.len() - 1];
    let (bare, merged) = (last.bare.list(kind), last.merged.list(kind));
    let of_host: BTreeSet<_> = pairs.iter().flat_map(|pair| pair.bare.list(kind)).map(Entry::key).collect();
    let is_ours = |entry: &&Entry| {
        entry.answers() && (is_shared(entry.field("name")) || !of_host.contains(&entry.key()))
    };
    let ours = merged.iter().take_while(is_ours).count();

    let own: BTreeMap<_, _> = merged[..ours].iter().map(Entry::key).zip(0..).collect();
    let (mut of_host, mut all, mut next) = (vec![None; bare.len()], Vec::new(), ours);
    for pair in pairs {
        // The host's entries are listed when they are first described, in the host's order.
        for (host, entry) in pair.bare.list(kind).iter().enumerate() {
            let name = entry.field("name");
            let is_left_out = kind != "category" && is_refused(name);
            if !entry.answers() || is_left_out || of_host[host].is_some() {
                continue;
            }
            of_host[host] = Some(own.get(&entry.key()).copied().unwrap_or_else(|| {
                next += 1;
                next - 1
            }));
        }
        all.push(next);
    }
    Map { ours, of_host, all }
}

/// Compares all entries of one kind at all moments; returns the mapping.
fn compare(kind: &str, pairs: &[Pair], problems: &mut Vec<String>) -> Map {
    let map = map(kind, pairs);
    for (number, pair) in pairs.iter().enumerate() {
        let (bare, merged) = (pair.bare.list(kind), pair.merged.list(kind));
        let silent = merged.iter().filter(|entry| !entry.answers());
        problems.extend(silent.map(|entry| format!("{kind} {}: is listed and does not answer", entry.index)));
        let (listed, wanted) = (merged.len(), map.all[number]);
        if listed != wanted {
            problems.push(format!("{kind}: {listed} entries at moment {number}, should be {wanted}"));
        }
        for (entry, index) in bare.iter().zip(&map.of_host) {
            let Some(index) = index else { continue };
            let Some(seen) = merged.get(*index) else {
                if !entry.answers() {
                    continue;
                }
                problems.push(format!("{kind} {}: is missing at {index}", entry.field("name")));
                continue;
            };
            if *index < map.ours {
                let name = entry.field("name");
                if entry.answers() && !is_shared(name) {
                    problems.push(format!("{kind} {name}: the host's entry is hidden by one of ours"));
                }
            } else if entry.answers() {
                compare_entry(kind, entry, seen, problems);
            } else if seen.answers() {
                // The host does not describe the entry any more. An earlier description may remain, but no
                // other.
                let before = pairs[..number].iter().rev().find_map(|pair| pair.merged.list(kind).get(*index));
                if before.is_none_or(|before| before.key() != seen.key()) {
                    let key = seen.key();
                    problems.push(format!("{kind} {index}: answers {key:?}, where the host has an error"));
                }
            }
        }
        check_names(kind, merged, problems);
    }
    map
}

fn compare_entry(kind: &str, bare: &Entry, merged: &Entry, problems: &mut Vec<String>) {
    let of_strings = ["_len", "_need", "_cut"];
    // Members that are not listed are not compared.
    let elsewhere = ["find", "cvars", "pvars", "categories", "num_cvars", "num_pvars", "num_categories"];
    let plain = |name: &str| !of_strings.iter().any(|end| name.ends_with(end)) && !elsewhere.contains(&name);
    let (mut left, right) = (bare.fields(plain), merged.fields(plain));
    // R132: flags are 0 or 1, also where a host has bits.
    for (name, value) in &mut left {
        if ["readonly", "continuous", "atomic"].contains(name) && *value != "0" {
            *value = "1";
        }
    }
    if left != right {
        let only = |one: &[(&str, &str)], other: &[(&str, &str)]| -> Vec<String> {
            let fields = one.iter().filter(|field| !other.contains(field));
            fields.map(|field| format!("{field:?}")).collect()
        };
        let (name, left, right) = (bare.field("name"), only(&left, &right), only(&right, &left));
        problems.push(format!("{kind} {name}:\n  bare   {}\n  merged {}", left.join(" "), right.join(" ")));
    }
}

/// Checks the standard's rules for strings, which hosts violate: the returned length is always that of the
/// whole string with its NUL, also for an empty description and a short buffer. Each name has to lead back to
/// its index, and to be unique.
fn check_names(kind: &str, merged: &[Entry], problems: &mut Vec<String>) {
    let mut seen = BTreeMap::new();
    for (position, entry) in merged.iter().enumerate().filter(|(_, entry)| entry.answers()) {
        for string in ["name", "desc"] {
            let text = entry.field(string);
            let whole = (text.chars().count() + 1).to_string();
            for length in ["_len", "_need", "_cut_len"] {
                let got = entry.field(&format!("{string}{length}"));
                if got != whole {
                    let name = entry.field("name");
                    problems.push(format!("{kind} {name}: {string}{length} is {got} instead of {whole}"));
                }
            }
            let cut: String = text.chars().take(3).collect();
            if entry.field(&format!("{string}_cut")) != cut {
                problems.push(format!("{kind} {}: {string} is not cut to {cut:?}", entry.field("name")));
            }
        }
        let (name, found) = (entry.field("name"), entry.field("find"));
        if entry.index != position || found != position.to_string() {
            problems.push(format!("{kind} {name}: has index {}, its name leads to {found}", entry.index));
        }
        if let Some(first) = seen.insert(entry.key(), position) {
            problems.push(format!("{kind} {name}: is there twice, at {first} and {position}"));
        }
    }
}

/// Checks that the members of the host's categories are the same variables and categories, under their merged
/// indices.
fn compare_members(pair: &Pair, maps: &BTreeMap<&str, Map>, problems: &mut Vec<String>) -> Outcome {
    let categories = &maps["category"];
    for (entry, index) in pair.bare.list("category").iter().zip(&categories.of_host) {
        if !entry.answers() {
            continue;
        }
        let Some(index) = *index else { continue };
        let Some(seen) = pair.merged.list("category").get(index) else { continue };
        for (field, kind) in [("cvars", "cvar"), ("pvars", "pvar"), ("categories", "category")] {
            let members = entry.indices(field)?;
            let wanted: Vec<_> =
                members.iter().filter_map(|one| maps[kind].of_host.get(*one).copied().flatten()).collect();
            let got = seen.indices(field)?;
            let number = seen.field(&format!("num_{field}"));
            if number != got.len().to_string() {
                problems.push(format!("category {}: {number} {field} are {got:?}", entry.field("name")));
            }
            if got != wanted {
                let name = entry.field("name");
                problems.push(format!("category {name}: {field} are {got:?}, should be {wanted:?}"));
            }
        }
    }
    Ok(())
}

/// Checks that no entry seen before `MPI_Init` has another index after it.
fn compare_moments(kind: &str, before: &Inventory, after: &Inventory, problems: &mut Vec<String>) {
    let (before, after) = (before.list(kind), after.list(kind));
    if after.len() < before.len() {
        problems.push(format!("{kind}: {} before MPI_Init, {} after it", before.len(), after.len()));
    }
    for (old, new) in before.iter().zip(after).filter(|(old, new)| old.answers() && new.answers()) {
        if old.key() != new.key() {
            problems.push(format!("{kind} {}: was {:?}, is {:?}", old.index, old.key(), new.key()));
        }
    }
}

/// Our entries: index, kind, name, description, type.
type Ours = Vec<(usize, &'static str, String, String, String)>;

fn ours(merged: &Inventory, maps: &BTreeMap<&'static str, Map>) -> Ours {
    let describe = |kind: &'static str, entry: &Entry| {
        let field = |name| entry.field(name).to_owned();
        (entry.index, kind, field("name"), field("desc"), field("type"))
    };
    let of_kind = |(kind, map): (&&'static str, &Map)| {
        merged.list(kind)[..map.ours].iter().map(|entry| describe(kind, entry)).collect::<Vec<_>>()
    };
    maps.iter().flat_map(of_kind).collect()
}

/// Compares all entries on one stack; returns ours.
fn check(stack: &Stack, test: &str, late: bool) -> Outcome<Ours> {
    let [bare, merged] = dump(stack, test, late)?;
    let pairs: Vec<_> = bare
        .iter()
        .zip(&merged)
        .map(|(bare, merged)| Pair { bare, merged })
        .skip(usize::from(late))
        .collect();
    let mut problems = Vec::new();
    let mut maps = BTreeMap::new();
    for kind in KINDS {
        maps.insert(kind, compare(kind, &pairs, &mut problems));
        if !late {
            compare_moments(kind, &merged[0], &merged[1], &mut problems);
        }
    }
    for pair in &pairs {
        compare_members(pair, &maps, &mut problems)?;
    }
    Failure::unless(problems.is_empty(), || {
        let shown = &problems[..problems.len().min(20)];
        format!("{} problems, of which the first are\n{}", problems.len(), shown.join("\n"))
    })?;
    Ok(ours(&merged[1], &maps))
}

/// Collects our entries on each stack and expects them to be equal.
fn check_everywhere(test: &str, late: bool) -> Outcome {
    let seen = Mutex::new(Vec::<(&str, Ours)>::new());
    stacks::on_each(test, |stack| {
        let ours = check(stack, test, late)?;
        Failure::unless(!ours.is_empty(), || "nothing of ours is there".into())?;
        let mut seen = seen.lock().map_err(|error| Failure::new(error.to_string()))?;
        if let Some((first, theirs)) = seen.first() {
            equal(format!("our entries, compared with {first}"), &ours, theirs)?;
        }
        seen.push((stack.label(), ours));
        Ok(())
    })
}

/// Proves R14, R15, R16, R216, R318.
#[test]
fn tool_before_mpi_lists_host_after_ours() -> Outcome {
    check_everywhere("inventory", false)
}

/// Proves R216, R318.
#[test]
fn tool_after_mpi_lists_host_after_ours() -> Outcome {
    check_everywhere("inventory_late", true)
}

#[test]
fn fragile_samplers_read_our_entries() -> Outcome {
    stacks::on_each("sampler", |stack| {
        let ours = check(stack, "sampler", true)?;
        // Variables of windows come last, because such a tool has no window.
        let pvars = ours.iter().filter(|(_, kind, ..)| *kind == "pvar").map(|(_, _, name, ..)| name);
        let names = pvars.filter(|name| !name.starts_with("osc_monitoring_window_"));
        let job = Job::mpi(stack, 1).arg(stack.compile("strict_tool")?).arg("pvars");
        let finished = job.under_mpit(&[MONITORED])?.succeed()?;
        let mut lines = finished.stdout.lines();
        for name in names {
            let line = lines.next().unwrap_or_default();
            Failure::unless(line.starts_with(&format!("read {name} ")), || {
                format!("{name} was not read:\n{finished}")
            })?;
        }
        Ok(())
    })
}
