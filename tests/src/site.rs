//! A machine whose site has settings for all programs, in `/etc/mpit/mpit.conf`.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::{Context, Outcome, build, record};

/// Runs a command with a copy of `/etc` that has the file of the site. Only the namespace of the command sees it.
const SCRIPT: &str = r#"
mount -t tmpfs -o mode=755 tmpfs "$1"
cp -a /etc/. "$1"
mkdir -p "$1/mpit"
cp "$0" "$1/mpit/mpit.conf"
mount --bind "$1" /etc
shift
exec "$@"
"#;

/// Returns the beginning of a command line that runs the rest on a machine whose site has these settings. Its files are in `dir`. Returns `None`,
/// and records the reason, if this process cannot create mount namespaces, as root can.
pub fn with_settings(dir: &Path, settings: &str) -> Outcome<Option<Vec<String>>> {
    if let Err(reason) = build::run(Command::new("unshare").args(["--mount", "true"])) {
        let reason = reason.to_string();
        record::not_run("/etc/mpit/mpit.conf", reason.lines().last().unwrap_or_default())?;
        return Ok(None);
    }
    let (file, etc) = (dir.join("site.conf"), dir.join("etc"));
    fs::write(&file, settings).context(file.display())?;
    fs::create_dir_all(&etc).context(etc.display())?;
    let words = ["unshare", "--mount", "sh", "-e", "-c", SCRIPT].map(ToOwned::to_owned);
    Ok(Some(words.into_iter().chain([file, etc].map(|path| path.display().to_string())).collect()))
}
