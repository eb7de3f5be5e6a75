//! `--tables`: the records become tables once the processes have ended.
//!
//! The processes write their files as without the option. In front of a launcher, the one `mpit run` packs them at the end. Behind it, where
//! each rank has one, the last to end of each [node](super::members) packs the files of the node's processes, and the one that finds all
//! ranks in the parts writes the manifest. Files are removed only when their part is on the disk, so whatever ends a process, the records
//! are in files, in tables, or in both.

use std::ffi::OsStr;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::process::parent_id;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use mpit_components::run::{self, names, stem_of};
use mpit_report::input::{self, Run};
use mpit_report::pack::{self, Member, NodePacked, Packed};
use mpit_report::records;

use super::at_end::Ended;
use super::files::is_inside_a_job;
use super::members::Membership;
use super::output::Target;
use super::template;
use crate::pack::{print_result, remove_files};
use crate::print;

/// Packs the files of a job, in front of its launcher.
pub(super) fn pack_all(run: &Ended<'_>) {
    let Some((target, _)) = run.output.filter(|_| run.args.tables && !is_inside_a_job()) else { return };
    for world in worlds(Path::new(&target.stem), run.name) {
        if world.has_stores() {
            print(&format!(
                "{}: the records stay in files, because some processes still run or left damaged files",
                world.path().display()
            ));
            continue;
        }
        let shown = records::tables_of(&stem_of(Path::new(&target.shown), world.world()));
        match pack::pack_all(&world, &records::tables_of(&world.path())) {
            Ok(packed) => {
                finish(&packed);
                print(&format!("wrote {0}; read it with `mpit report {0}`", shown.display()));
            }
            Err(error) => stay_in_files(&shown, &error),
        }
    }
}

/// Returns the worlds of a run of this name.
fn worlds(stem: &Path, name: Option<&str>) -> Vec<Run> {
    let mut runs = input::find(&[stem.to_owned()], false).unwrap_or_default();
    let is_own =
        |identity: &input::Identity| !identity.is_named() || name.is_none_or(|name| identity.run == name);
    runs.retain(|run| {
        run.newer() == 0 && run.has_texts() && !run.has_tables() && run.identity().is_none_or(is_own)
    });
    runs
}

fn finish(packed: &Packed) {
    print_result(packed);
    if packed.problems.is_empty() {
        remove_files(packed);
    } else {
        print("the files stay, because the tables do not have all of them");
    }
}

fn stay_in_files(tables: &Path, why: &dyn std::fmt::Display) {
    print(&format!("cannot write {}: {why}; the records stay in files", tables.display()));
}

/// The processes of a job on this node, of which this `mpit run` has one.
#[derive(Debug)]
pub(super) struct OfNode {
    membership: Membership,
    stem: PathBuf,
    shown: PathBuf,
}

impl OfNode {
    /// Joins the others, before the process starts. If that fails, the records stay in files.
    pub(super) fn join(target: &Target) -> Option<Self> {
        let Some(rank) = template::rank() else {
            print("--tables: the records stay in files, because this launcher does not number its processes");
            return None;
        };
        if rank == 0
            && let Err(why) = clear(Path::new(&target.stem))
        {
            print(&why);
        }
        let about = format!("{rank} {}", run::time_text(SystemTime::now()));
        match Membership::join(job(&target.stem), &about) {
            Ok(membership) => {
                Some(Self { membership, stem: (&target.stem).into(), shown: (&target.shown).into() })
            }
            Err(error) => {
                print(&format!("--tables: the records stay in files: {error}"));
                None
            }
        }
    }

    /// Leaves the others. The last one packs the files of all.
    pub(super) fn end(self) {
        let Self { membership, stem, shown } = self;
        let node = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let packed = membership.leave().and_then(|members| match members {
            Some(members) => {
                let members: Vec<_> = members.iter().filter_map(|about| member(about)).collect();
                let packed = pack::pack_node(&stem, node.trim(), &members)?;
                Ok(Some((packed, members)))
            }
            None => Ok(None),
        });
        match packed {
            // Another one packs them.
            Ok(None) => (),
            Ok(Some((NodePacked::Nothing, members))) => {
                let file = |member: &Member| names::text_of(&stem, member.rank);
                if let Some(file) = members.iter().map(file).find(|file| file.exists()) {
                    print(&format!("{} stays a file, because it does not name this job", file.display()));
                }
            }
            // Each node finds this.
            Ok(Some((NodePacked::Taken(directory), members))) => {
                if members.iter().any(|member| member.rank == 0) {
                    print(&format!(
                        "{} is not of this job; the records stay in files. Choose a name for each job, for example with %j",
                        directory.display()
                    ));
                }
            }
            Ok(Some((NodePacked::Done { directory, is_whole, packed }, _))) => {
                finish(&packed);
                if is_whole {
                    let shown =
                        directory.file_name().map_or(shown.clone(), |name| shown.with_file_name(name));
                    print(&format!("wrote {0}; read it with `mpit report {0}`", shown.display()));
                }
            }
            Err(error) => stay_in_files(&records::tables_of(&shown), &error),
        }
    }
}

fn member(about: &str) -> Option<Member> {
    let (rank, since) = about.split_once(' ')?;
    Some(Member { rank: rank.parse().ok()?, since: since.to_owned() })
}

/// Returns a number for the job that its `mpit run`s on one node share.
fn job(stem: &str) -> u64 {
    let variable = |name: &&str| std::env::var_os(name).filter(|value| !value.is_empty());
    let by_launcher: Vec<_> =
        ["PMIX_NAMESPACE", "I_MPI_HYDRA_UUID", "SLURM_STEP_ID"].iter().filter_map(variable).collect();
    let mut hasher = DefaultHasher::new();
    (stem, &by_launcher, variable(&"SLURM_JOB_ID"), variable(&"SLURM_RESTART_COUNT")).hash(&mut hasher);
    if by_launcher.is_empty() {
        // The launcher's process on this node.
        parent_id().hash(&mut hasher);
    }
    hasher.finish()
}

/// Removes the tables of earlier runs with these names, as the files are that have them.
pub(super) fn clear(stem: &Path) -> Result<(), String> {
    let begin = stem.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let is_of_run = |name: &str| {
        let world = name.strip_suffix(records::ENDING).and_then(|name| name.strip_prefix(begin));
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        world.is_some_and(|world| world.is_empty() || world.strip_prefix(".w").is_some_and(is_number))
    };
    for entry in fs::read_dir(names::directory_of(stem)).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(is_of_run) {
            let path = entry.path();
            pack::remove_tables(&path)
                .map_err(|error| format!("cannot remove {}, of an earlier run: {error}", path.display()))?;
        }
    }
    Ok(())
}
