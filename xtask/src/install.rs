//! Installation of the libraries, their headers, the command and the files for `pkg-config` under one directory.

use std::fs;
use std::path::{Path, PathBuf};

use mpit_tests::{Context, Outcome, paths};

use crate::{cargo, succeed};

/// Options of `cargo xtask install`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The directory to install into: `bin`, `lib` and `include` are made in it
    #[arg(long, value_name = "DIR")]
    prefix: PathBuf,
    /// Install what a plain `cargo build` makes, which is quicker to build
    #[arg(long)]
    debug: bool,
}

/// The built files with their target directories. `mpit run` looks for the preload library beside itself and in `../lib`.
const BUILT: [(&str, &str); 3] = [("libmpit.so", "lib"), ("libmpit_preload.so", "lib"), ("mpit", "bin")];
const HEADERS: [&str; 4] = ["mpit.h", "mpit_plugin.h", "mpit_region.f90", "mpit_region.h"];

/// Files for `pkg-config`: for MPI implementations, and for all other users.
const PC_FILES: [&str; 2] = ["ffi/embed/mpit.pc.in", "ffi/preload/mpit-plugin.pc.in"];

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let prefix = std::path::absolute(&arguments.prefix).context("the prefix")?;
    let profile = if arguments.debug { "dev" } else { "dist" };
    let packages = ["-p", "mpit-preload", "-p", "mpit-embed", "-p", "mpit-cli"];
    succeed(cargo(&["build", "--profile", profile]).args(packages))?;
    let built = paths::target().join(if arguments.debug { "debug" } else { "dist" });
    for (file, folder) in BUILT {
        copy(&built.join(file), &prefix.join(folder).join(file))?;
    }
    for header in HEADERS {
        let from = paths::workspace().join("ffi/include").join(header);
        copy(&from, &prefix.join("include").join(header))?;
    }
    PC_FILES.iter().try_for_each(|template| write_pc(&prefix, template))
}

/// Copies a file. Removes an existing one first, so that running programs keep the old library.
fn copy(from: &Path, to: &Path) -> Outcome {
    prepare_target(to)?;
    fs::copy(from, to).context(format!("{} to {}", from.display(), to.display()))?;
    println!("{}", to.display());
    Ok(())
}

fn prepare_target(file: &Path) -> Outcome {
    if let Some(dir) = file.parent() {
        fs::create_dir_all(dir).context(dir.display())?;
    }
    match fs::remove_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error).context(file.display()),
        _ => Ok(()),
    }
}

fn write_pc(prefix: &Path, template: &str) -> Outcome {
    let template = paths::workspace().join(template);
    let name = template.file_stem().context(template.display())?;
    let text = fs::read_to_string(&template).context(template.display())?;
    let text = text
        .replace("@prefix@", &prefix.display().to_string())
        .replace("@version@", env!("CARGO_PKG_VERSION"));
    let file = prefix.join("lib/pkgconfig").join(name);
    prepare_target(&file)?;
    fs::write(&file, text).context(file.display())?;
    println!("{}", file.display());
    Ok(())
}
