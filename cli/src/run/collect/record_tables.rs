//! `--tables`: the records become tables once the processes have ended.
//!
//! The processes write their files as without the option. In front of a launcher, the one `mpit run` packs them at the end. Behind it, where
//! each rank has one, the last to end of each [node](mpit_job::members) packs the files of the node's processes, and the one that finds all
//! ranks in the parts writes the manifest. Files are removed only when their part is on the disk, so whatever ends a process, the records
//! are in files, in tables, or in both.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

use mpit_job::launcher::is_inside_a_job;
use mpit_job::node::this_node;
use mpit_report::input::{self, NodeProcesses, Run};
use mpit_report::pack::{self, NodePacked, Packed};
use mpit_report::records;

use super::finished::FinishedRun;
use crate::pack::{print_result, remove_files};
use crate::print;
use crate::rank_lists;
use crate::run::execute::one_of_node::OneOfNode;
use crate::run::plan::files::{cannot_remove, table_directories};
use crate::run::plan::output::shown;

/// Packs the files of a job, in front of its launcher.
pub(super) fn pack_all(run: &FinishedRun<'_>) {
    let Some((target, _)) = run.output() else { return };
    if !run.plan.args.tables || is_inside_a_job() || !run.has_new_files() {
        return;
    }
    if let Err(why) = remove_earlier(Path::new(&target.stem)) {
        print(&format!("{why}; the records stay in files"));
        return;
    }
    for world in worlds(Path::new(&target.stem), run.name()) {
        if world.has_stores() {
            print(&format!(
                "{}: the records stay in files, because some processes still run or left damaged files",
                world.path().display()
            ));
            continue;
        }
        let directory = records::tables_of(&world.path());
        let shown = shown(&directory, &target.shown);
        match pack::pack_all(&world, &directory) {
            Ok(packed) => {
                complete(&packed);
                print(&format!("wrote {shown}; read it with `mpit report {shown}`"));
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => print(&format!(
                "{shown} is there and not finished; the records stay in files. Remove it, and pack them with `mpit pack`"
            )),
            Err(error) => print(&format!("cannot write {shown}: {error}; the records stay in files")),
        }
    }
}

/// Returns the worlds of a run of this name.
fn worlds(stem: &Path, name: Option<&str>) -> Vec<Run> {
    let mut runs = match input::find(&[stem.to_owned()], false) {
        Ok(runs) => runs,
        // The reason was printed before.
        Err(input::Error::NotThere(_) | input::Error::NotProf(_) | input::Error::Nothing(_)) => Vec::new(),
        Err(error) => {
            print(&format!("--tables: the records stay in files: {error}"));
            Vec::new()
        }
    };
    runs.retain(|run| {
        let is_own = run.identity().is_none_or(|identity| identity.belongs_to_run(name));
        is_own && run.newer() == 0 && run.has_texts() && !run.has_tables()
    });
    runs
}

/// Ends the packing of files whose tables are on the disk.
fn complete(packed: &Packed) {
    print_result(packed);
    if packed.problems.is_empty() {
        remove_files(packed);
    } else {
        print("the files stay, because the tables do not have all that is in them");
    }
}

/// Leaves the others. The last one packs the files of all.
pub(super) fn end(one: OneOfNode) {
    let OneOfNode { membership, stem, shown: target, world, step_nodes } = one;
    let packed = membership.leave().and_then(|texts| {
        let Some(texts) = texts else { return Ok(None) };
        let since: BTreeMap<_, _> = texts.iter().filter_map(|text| process(text)).collect();
        pack::pack_node(&stem, &NodeProcesses { world, host: this_node(), since, step_nodes }).map(Some)
    });
    match packed {
        Ok(packed) => remove_packed_and_report(&packed.unwrap_or_default(), &target),
        Err(error) => {
            let shown = shown(&records::tables_of(&stem), &target);
            print(&format!("cannot write {shown}: {error}; the records of this node stay in files"));
        }
    }
}

/// Parses the text of a member: the rank of its process, and a time before that began.
fn process(text: &str) -> Option<(u32, String)> {
    let (rank, since) = text.split_once(' ')?;
    Some((rank.parse().ok()?, since.to_owned()))
}

/// Removes the files of this node that are in tables, and prints which stay. Each node does so for its own.
fn remove_packed_and_report(node: &NodePacked, target: &str) {
    for part in &node.parts {
        complete(&part.packed);
        if part.is_last {
            let shown = shown(&part.directory, target);
            print(&format!("wrote {shown}; read it with `mpit report {shown}`"));
        }
    }
    for directory in &node.taken {
        print(&format!(
            "{} is not of this job; the records of this node stay in files. Choose a name for each job, for example with %j",
            shown(directory, target)
        ));
    }
    for directory in &node.finished {
        print(&format!(
            "{} was finished by `mpit pack`: the records of this node stay in files; run it again once the job has ended",
            shown(directory, target)
        ));
    }
    for path in &node.left {
        print(&format!(
            "{} stays a file: it is a store or has one, or it is an older one",
            shown(path, target)
        ));
    }
    let has_tables = !(node.parts.is_empty() && node.taken.is_empty() && node.finished.is_empty());
    if !has_tables
        && node.left.is_empty()
        && let Some(path) = node.others.first()
    {
        print(&format!("{} and others stay files: they do not name this job", shown(path, target)));
    }
    if !node.parts.is_empty() && !node.missing.is_empty() {
        print(&format!("{} of this node left no records", rank_lists::ranks(&node.missing)));
    }
}

/// Removes the finished tables of earlier runs with these names. Removes none if some have to stay.
fn remove_earlier(stem: &Path) -> Result<(), String> {
    pack::remove_finished(&table_directories(stem)).map_err(cannot_remove)
}
