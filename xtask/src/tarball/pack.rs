//! Tarballs that depend on the contents of their files only.

use std::fs;
use std::path::Path;
use std::process::Command;

use mpit_tests::{Context, Outcome, build};

use crate::names_in;

/// Writes a tarball of files in the directory `name`, with sorted names, without users, and of one time.
pub(super) fn pack(
    staging: &Path,
    name: &str,
    files: &[String],
    tarball: &Path,
    epoch: &str,
    effort: &str,
) -> Outcome {
    let mut paths: Vec<String> = files.iter().map(|file| format!("{name}/{file}")).collect();
    paths.sort_unstable();
    // Those of all crates are more than a command line may have.
    let list = staging.join("list");
    fs::write(&list, paths.join("\0")).context(list.display())?;
    let mut tar = Command::new("tar");
    tar.args([
        "--create",
        "--format=gnu",
        "--owner=0",
        "--group=0",
        "--numeric-owner",
        "--mode=u+rw,go+r,go-w,a+X",
        "--null",
        "--verbatim-files-from",
    ]);
    tar.arg(format!("--mtime=@{epoch}")).arg(format!("--use-compress-program=xz {effort} -T1"));
    tar.arg("--file").arg(tarball).arg("--files-from").arg(&list);
    build::run(tar.current_dir(staging)).map(drop)
}

/// Returns the paths of all files below a directory, in it.
pub(super) fn files_below(directory: &Path) -> Outcome<Vec<String>> {
    let mut all = Vec::new();
    for name in names_in(directory)? {
        let path = directory.join(&name);
        if path.is_dir() && !path.is_symlink() {
            all.extend(files_below(&path)?.into_iter().map(|file| format!("{name}/{file}")));
        } else {
            all.push(name);
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_files_make_equal_tarballs() -> Outcome {
        let directory = tempfile::tempdir().context("a directory")?;
        let mut tarballs = Vec::new();
        for (place, order) in [("one", ["a", "b/c"]), ("two", ["b/c", "a"])] {
            let place = directory.path().join(place);
            for file in order {
                crate::write(&place.join("mpit").join(file), file)?;
            }
            assert_eq!(files_below(&place.join("mpit"))?, ["a", "b/c"]);
            let tarball = place.join("mpit.tar.xz");
            pack(&place, "mpit", &order.map(str::to_owned), &tarball, "1796047027", "-1")?;
            tarballs.push(fs::read(&tarball).context("a tarball")?);
        }
        assert_eq!(tarballs[0], tarballs[1]);
        let [list, _] =
            build::run(Command::new("tar").arg("-tf").arg(directory.path().join("one/mpit.tar.xz")))?;
        assert_eq!(list, "mpit/a\nmpit/b/c\n");
        Ok(())
    }
}
