//! `mpit run`: the arguments that it refuses before the command runs, and its messages afterwards.

use std::fs::{self, Permissions};
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use mpit_tests::{build, paths, record};

use super::{Finished, Place, mpit_in, run_command};

/// A shared object that every process can preload, and that does nothing there.
pub(crate) fn library() -> PathBuf {
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    let path =
        maps.lines().filter_map(|line| line.split_whitespace().nth(5)).find(|path| path.contains("/libc.so"));
    path.unwrap().into()
}

#[test]
fn output_is_absolute_and_in_directories() {
    let place = Place::new();
    fs::create_dir(place.path("there")).unwrap();
    for (argument, stem) in
        [("x", "x"), ("new/x", "new/x"), ("there", "there/run"), ("made/", "made/run"), (".", "run")]
    {
        let done = place.mpit(&["run", "--output", argument, "--", "sh", "-c", "cd / && env"]);
        let wanted = format!("\npml_monitoring_filename={}\n", place.path(stem).display());
        assert!(done.stdout.contains(&wanted), "{argument}: {}{}", done.stdout, done.stderr);
    }
    let hidden: Vec<_> = fs::read_dir(&place.root).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(hidden.len(), 3, "directories only: {hidden:?}");
}

/// Tests that `%%` stands for `%`, also in the name in which the library replaces parts once more.
#[test]
fn parts_of_names_are_replaced_once() {
    let place = Place::new();
    let root = place.path("100%j");
    fs::create_dir(&root).unwrap();
    let mut run = mpit_in(&root, &library());
    run.args(["run", "--output", "o%%j%j", "--summary", "s%%j%j", "--", "env"]).env("SLURM_JOB_ID", "17");
    let done = run_command(&mut run);
    let wanted = format!("\npml_monitoring_filename={}\n", root.join("o%j17").display());
    assert!(done.stdout.contains(&wanted), "{}{}", done.stdout, done.stderr);
    let stem = root.join("s%j17").display().to_string().replace('%', "%%");
    assert!(done.stdout.contains(&format!("monitoring_summary_file={stem}\n")), "{}", done.stdout);
}

/// Tests that no command runs whose signals could not be forwarded.
#[test]
fn signals_need_a_thread() {
    let place = Place::new();
    // No thread of the standard library starts, because its stack is larger than any address space.
    let mut run = place.command();
    let run = run.env("RUST_MIN_STACK", (1_u64 << 60).to_string());
    let earlier = place.path("x.prof");
    fs::write(&earlier, "# MPIT JOB\t1\t2 ranks\n").unwrap();
    let done = run_command(run.args(["run", "-o", "x", "--", "echo", "ran"]));
    assert_eq!((done.status.code(), done.stdout), (Some(2), String::new()));
    assert!(done.stderr.starts_with("mpit: cannot run echo: "), "{}", done.stderr);
    assert!(earlier.exists());
}

/// Tests that the command runs as without `mpit run` if messages cannot be written.
#[test]
fn messages_without_a_reader_are_dropped() {
    let place = Place::new();
    let mut run = place.command();
    run.args(["run", "--verbose", "--", "sh", "-c", "exit 3"]);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let status = run.stderr(writer).status().unwrap();
    assert_eq!(status.code(), Some(3));
}

#[test]
fn bad_output_is_refused_at_the_start() {
    let place = Place::new();
    place.write("file", "");
    let (long, longer) = ("x".repeat(250), "y/".repeat(1100));
    for (argument, expected) in [
        (&b"file/run"[..], "cannot create the directory"),
        (long.as_bytes(), "File name too long"),
        (longer.as_bytes(), "at most 2047 bytes"),
        (b"a\nb", "the name has a line break"),
        (b"a\xff", "UTF-8"),
        (b"", "expected the first part of file names"),
        (b"/proc/x/run", "cannot create the directory"),
    ] {
        let argument = std::ffi::OsStr::from_bytes(argument);
        let mut run = place.command();
        let done = run_command(run.args(["run", "--output"]).arg(argument).args(["--", "echo", "ran"]));
        done.refused(expected);
    }
}

#[test]
fn a_library_path_may_have_blanks() {
    let place = Place::new();
    for name in ["a blank", "a:colon", "$LIB"] {
        let inner = place.path(name);
        fs::create_dir(&inner).unwrap();
        // The path of the copy in the memory map shows that it was loaded.
        let copy = inner.join("libmpit_preload.so");
        fs::copy(library(), &copy).unwrap();
        let mut run = mpit_in(&place.root, &copy);
        run.env("HOME", &place.root).args(["run", "--quiet", "--", "cat", "/proc/self/maps"]);
        let done = run_command(&mut run);
        assert!(done.stdout.contains(&copy.display().to_string()), "{name}: {}", done.stdout);
        assert_eq!(done.stderr, "");
        // Without a place for a link, it is refused.
        let done = run_command(mpit_in(&place.root, &copy).args(["run", "--", "echo", "ran"]));
        done.refused("cannot be preloaded: blanks, colons");
        // Nor where others could replace the link, which exists by now.
        let cache = place.path(".cache");
        fs::set_permissions(&cache, Permissions::from_mode(0o777)).unwrap();
        let mut run = mpit_in(&place.root, &copy);
        let done = run_command(run.env("HOME", &place.root).args(["run", "--", "echo", "ran"]));
        fs::set_permissions(&cache, Permissions::from_mode(0o755)).unwrap();
        done.refused(".cache can be written by others");
    }
}

/// Tests the variables of a process by the library that they name, and that a tool of the user's is kept.
#[test]
fn regions_have_a_library() {
    const TOOL: &str = "/opt/tool.so";
    let place = Place::new();
    let preload = place.path("libmpit_preload.so");
    fs::copy(library(), &preload).unwrap();
    let run = |regions: &str, variables: &[(&str, &str)]| {
        let mut run = mpit_in(&place.root, &preload);
        run.envs(variables.iter().copied()).args(["run", "--quiet", "--regions", regions, "--", "env"]);
        let done = run_command(&mut run);
        let names = ["KOKKOS_TOOLS_LIBS", "NVTX_INJECTION64_PATH", "LD_PRELOAD"];
        let value = |name: &str| done.stdout.lines().find_map(|line| line.strip_prefix(&format!("{name}=")));
        (names.map(|name| value(name).map(str::to_owned)), done.stderr, done.status.code())
    };
    let (_, printed, code) = run("kokkos", &[]);
    assert!(printed.contains("libmpit_regions.so, which --regions needs, is not beside"), "{printed}");
    assert_eq!(code, Some(2));
    let regions = place.path("libmpit_regions.so");
    fs::copy(library(), &regions).unwrap();
    let (ours, preloaded) = (Some(regions.display().to_string()), Some(preload.display().to_string()));
    let (found, printed, _) = run("kokkos,nvtx", &[("KOKKOS_TOOLS_LIBS", "")]);
    assert_eq!((found, &*printed), ([ours.clone(), ours.clone(), preloaded.clone()], ""));
    let both = Some(format!("{}:{}", preload.display(), regions.display()));
    assert_eq!(run("caliper", &[]).0, [None, None, both]);
    // The variable that earlier versions of Kokkos read may name our library.
    let ours_before = [("KOKKOS_PROFILE_LIBRARY", ours.as_deref().unwrap())];
    assert_eq!(run("kokkos", &ours_before).0, [ours.clone(), None, preloaded.clone()]);
    for name in ["KOKKOS_TOOLS_LIBS", "KOKKOS_PROFILE_LIBRARY", "NVTX_INJECTION64_PATH"] {
        let (found, printed, _) = run("kokkos,nvtx", &[(name, TOOL)]);
        let kept = |own: &str| if name == own { Some(TOOL.to_owned()) } else { ours.clone() };
        let kokkos = if name == "KOKKOS_PROFILE_LIBRARY" { None } else { kept("KOKKOS_TOOLS_LIBS") };
        assert_eq!(found, [kokkos, kept("NVTX_INJECTION64_PATH"), preloaded.clone()], "{name}");
        assert!(
            printed.starts_with(&format!("mpit: {name} names a tool, which has the annotations of ")),
            "{printed}"
        );
    }
    let mut off = mpit_in(&place.root, &preload);
    let done = run_command(off.args(["run", "--time", "off", "--regions", "kokkos", "--", "true"]));
    done.says("--regions needs the times of calls");
}

/// A program that becomes that of its arguments if there are several, or else ends with status 5.
const EXECUTES: &str = "#include <stdio.h>\n#include <unistd.h>\n\
    int main(int count, char **words)\n{ return count < 3 ? puts(\"ran\") * 0 + 5 : execvp(words[1], words + 1); }\n";

/// Runs programs of musl by themselves and as interpreters of scripts; those of glibc that they start have the library.
#[test]
fn programs_of_another_c_library_run() {
    if paths::find_program("musl-gcc").is_none() {
        record::not_run("programs of musl", "no musl-gcc (Debian's musl-tools; see `cargo xtask setup`)")
            .unwrap();
        return;
    }
    let place = Place::new();
    place.write("musl.c", EXECUTES);
    build::run(Command::new("musl-gcc").args(["musl.c", "-o", "musl"]).current_dir(&place.root)).unwrap();
    let program = place.path("musl").display().to_string();
    for (file, interpreter) in [("script", &*program), ("by_env", "/usr/bin/env ./musl")] {
        place.write(file, format!("#!{interpreter}\n"));
        fs::set_permissions(place.path(file), Permissions::from_mode(0o755)).unwrap();
    }
    // The path of the copy in the memory map shows that it was loaded.
    let copy = place.path("libmpit_preload.so");
    fs::copy(library(), &copy).unwrap();
    let run = |words: &[&str]| run_command(mpit_in(&place.root, &copy).arg("run").args(words));
    for command in ["./musl", "./script", "./by_env"] {
        let done = run(&["--quiet", "--", command]);
        let line = format!(
            "mpit: {command} runs without the library, because it belongs to another C library than glibc \
             (/lib/ld-musl-{}.so.1); programs of glibc that it starts are recorded\n",
            std::env::consts::ARCH
        );
        assert_eq!((done.status.code(), &*done.stdout, done.stderr), (Some(5), "ran\n", line), "{command}");
    }
    // Also inside of another `mpit run`.
    let mut nested = mpit_in(&place.root, &copy);
    let done = run_command(nested.env("LD_PRELOAD", &copy).args(["run", "--quiet", "--", "./musl"]));
    assert_eq!(done.status.code(), Some(5), "{}", done.stderr);
    let done = run(&["--quiet", "--", "./musl", "cat", "/proc/self/maps"]);
    assert!(done.stdout.contains(&copy.display().to_string()), "{}{}", done.stdout, done.stderr);
    let done = run(&["--output", "x", "--", "./musl"]);
    done.says("./musl belongs to another C library");
}

#[test]
fn unknown_options_are_not_run() {
    let place = Place::new();
    for (arguments, expected) in [
        (&["run", "--outptu", "x", "--", "echo"][..], "'--output'"),
        (&["run", "-n", "4", "echo"], "mpit run -- mpiexec -n 4 ./app"),
        (&["run", "--", "-n", "4", "echo"], "mpit run -- mpiexec -n 4 ./app"),
        (&["vars", "--jsno", "--", "echo"], "'--json'"),
        (&["vars", "--", "-n", "4"], "`-n` is not a command"),
        (&["check", "x.so", "--", "-n", "4"], "`-n` is not a command"),
    ] {
        let done = place.mpit(arguments);
        done.refused(expected);
    }
    // Options behind the command are the command's.
    assert_eq!(place.mpit(&["run", "echo", "-n", "--set", "x"]).stdout, "--set x");
}

#[test]
fn missing_output_has_a_reason() {
    let place = Place::new();
    let static_program = place.path("static");
    static_elf(&static_program);
    place.write("broken.so", "no library");
    for (arguments, reason) in [
        (&["--", "true"][..], "the command names no program that is linked with an MPI library"),
        (&["--", "env", "-i", "true"], "`env -i` removes LD_PRELOAD and MPIT_SET"),
        (&["--", "sh", "-c", "exit 3"], "the command ended with exit status 3"),
        (&["--", "sh", "-c", "true", "./static"], "./static is linked statically"),
        (
            &["--preload", "broken.so", "--", "true"],
            "the dynamic linker does not load the library: ERROR: ld.so",
        ),
    ] {
        for form in [&[][..], &["--one-file"], &["--crash-safe"]] {
            let words = [&["run", "--output", "x"][..], form, arguments].concat();
            let done = place.mpit(&words);
            let printed = done.stderr;
            let wanted = format!("mpit: no file x.* was written: {reason}");
            assert_eq!(printed.matches(&wanted).count(), 1, "{words:?}: {printed}");
            assert!(!printed.contains("wrote x.prof"), "{printed}");
            let wanted = if arguments.contains(&"exit 3") { 3 } else { 0 };
            assert_eq!(done.status.code(), Some(wanted));
        }
    }
    let done = place.mpit(&["doctor", "--", "sh", "-c", "kill -9 $$"]);
    let problem = "PROBLEM: the command was ended by signal 9; keep the records";
    assert!(done.stdout.contains(problem), "{}{}", done.stdout, done.stderr);
    // A file of an earlier run is not one of this, and one that is written again is.
    place.write("x.0.prof", "old");
    assert!(place.mpit(&["run", "-o", "x", "--", "true"]).stderr.contains("no file x.* was written"));
    for write in ["echo new > t && mv t x.0.prof", "echo longer than before > x.0.prof", "echo > x.0.store"] {
        let done = place.mpit(&["run", "-o", "x", "--", "sh", "-c", write]);
        assert!(!done.stderr.contains("no file x.* was written"), "{write}: {}", done.stderr);
    }
    let words = ["run", "-o", "x", "--one-file", "--", "sh", "-c"];
    let job = "printf '# MPIT JOB\\t' > x.prof";
    let both = format!("{job}; cp x.prof x.w2.prof");
    let wrote = [
        (job, "mpit: wrote x.prof; read it with `mpit report x.prof`\n"),
        (&both, "mpit: wrote x.prof and 1 more; read all with `mpit report x`\n"),
        // A file of another program is not one of the run.
        ("echo > x.prof", "details\n"),
    ];
    for (script, last) in wrote {
        let done = place.mpit(&[&words[..], &[script]].concat());
        assert!(done.stderr.ends_with(last), "{}", done.stderr);
    }
    assert_eq!(place.mpit(&["run", "--one-file", "--", "true"]).status.code(), Some(2));
}

#[test]
fn summaries_are_replaced_or_missing() {
    let place = Place::new();
    let ours = "# MPIT SUMMARY\t1\n";
    let files = [("x.summary", ours), ("x.w2.summary", "of another program"), ("x.w3.summary", ours)];
    for (name, text) in files {
        place.write(name, text);
    }
    let done = place.mpit(&["run", "--summary", "x", "--", "true"]);
    assert!(done.stderr.starts_with("mpit: no file x.summary was written: "), "{}", done.stderr);
    assert!(done.stderr.ends_with("; that of an earlier run stays\n"), "{}", done.stderr);
    assert_eq!(place.names(), files.map(|(name, _)| name));
    let write = "echo '# MPIT SUMMARY\t1' > new && mv new x.summary";
    place.mpit(&["run", "--summary", "x", "--", "sh", "-c", write]);
    assert_eq!(place.names(), ["x.summary", "x.w2.summary"]);
    // The directory is made before the run.
    let done = place.mpit(&["run", "--summary", "sums/", "--", "test", "-d", "sums"]);
    assert_eq!(done.status.code(), Some(0), "{}", done.stderr);
    let done = place.mpit(&["run", "--summary", "", "--", "true"]);
    done.says("--summary : expected the first part of file names");
}

/// Tests that a command that does not start, or writes nothing, removes no files of an earlier run, and leaves none.
#[test]
fn records_stay_if_nothing_is_written() {
    let place = Place::new();
    fs::create_dir(place.path("dir")).unwrap();
    place.write("script", "#!/bin/sh\n");
    place.write("x.prof", "# MPIT JOB\t1\t2 ranks\n");
    place.write("s.summary", "# MPIT SUMMARY\t1\n");
    let before = place.names();
    for (arguments, reason) in [
        (&["--summary", "s", "--", "./typo"][..], "cannot run ./typo: No such file or directory"),
        (&["--summary", "s", "--", "no-such-command-here"], "cannot run no-such-command-here: No such file"),
        (&["--summary", "s", "--", "./script"], "cannot run ./script: Permission denied"),
        (&["--summary", "s", "--", "./dir"], "cannot run ./dir: Permission denied"),
        (&["--summary", "script/s", "--", "true"], "--summary script/s: cannot create the directory"),
        (&["--summary", "/proc/x/s", "--", "true"], "--summary /proc/x/s: cannot create the directory"),
    ] {
        let done = place.mpit(&[&["run", "-o", "x"][..], arguments].concat());
        assert_eq!(done.status.code(), Some(2), "{arguments:?}: {}", done.stderr);
        done.says(reason);
        assert_eq!(place.names(), before, "{arguments:?}");
    }
    for (command, status) in [("true", 0), ("exit 3", 3)] {
        for form in [&[][..], &["--one-file"], &["--tables"], &["--crash-safe"]] {
            let words = [&["run", "-o", "x", "--summary", "s"][..], form, &["--", "sh", "-c", command]];
            let done = place.mpit(&words.concat());
            assert_eq!((done.status.code(), place.names()), (Some(status), before.clone()), "{form:?}");
            let said = ["; those of an earlier run stay; ", "; that of an earlier run stays\n"];
            assert!(said.iter().all(|line| done.stderr.contains(line)), "{form:?}: {}", done.stderr);
            assert!(!done.stderr.contains("mpit report"), "{form:?}: {}", done.stderr);
        }
    }
    // One that writes a file removes the others.
    let write = "echo '# POINT TO POINT' > x.0.prof";
    place.mpit(&["run", "-o", "x", "--", "sh", "-c", write]);
    assert_eq!(place.names(), ["dir", "s.summary", "script", "x.0.prof"]);
    fs::rename(place.path("x.0.prof"), place.path("x.prof")).unwrap();
    // Another run has the name of the summary.
    let mut other = place.command();
    other.args(["run", "--summary", "s", "--", "sh", "-c", "echo runs; read line"]);
    let mut other = other.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    other.stdout.as_mut().unwrap().read_exact(&mut [0; 5]).unwrap();
    let during = place.names();
    let done = place.mpit(&["run", "-o", "x", "--summary", "s", "--", "echo", "ran"]);
    done.refused("another `mpit run` is writing to");
    assert_eq!(place.names(), during);
    assert!(place.path("x.prof").exists());
    drop(other.stdin.take());
    other.wait().unwrap();
    assert_eq!(place.names(), ["dir", "s.summary", "script", "x.prof"]);
}

/// Tests that a directory of tables with a file of the user keeps all records of the earlier run, in whatever order the directories are read.
#[test]
fn records_stay_with_files_of_users() {
    let place = Place::new();
    let tables = ["x.tables", "x.w2.tables", "x.w3.tables"];
    for name in tables {
        fs::create_dir(place.path(name)).unwrap();
        for file in ["job.json", "manifest.json"] {
            fs::write(place.path(name).join(file), "{}").unwrap();
        }
    }
    place.write("x.prof", "# MPIT JOB\t1\t2 ranks\n");
    place.write("x.summary", "# MPIT SUMMARY\t1\n");
    let before = place.names();
    let run = || place.mpit(&["run", "-o", "x", "--tables", "--summary", "x", "--", "echo", "ran"]);
    for name in tables {
        let notes = place.path(name).join("notes");
        fs::write(&notes, "").unwrap();
        let done = run();
        done.refused(&format!("{}, of an earlier run: {}", place.path(name).display(), notes.display()));
        assert_eq!(place.names(), before);
        assert!(tables.iter().all(|name| place.path(name).join("manifest.json").exists()));
        fs::remove_file(&notes).unwrap();
    }
    let done = run();
    assert_eq!((done.status.code(), &*done.stdout), (Some(0), "ran\n"), "{}", done.stderr);
    assert_eq!(place.names(), before);
    let write = "printf '# POINT TO POINT\\n# OSC\\n# COLLECTIVES\\n' > x.0.prof";
    let done = place.mpit(&["run", "-o", "x", "--tables", "--", "sh", "-c", write]);
    done.says("wrote x.tables");
    assert_eq!(place.names(), ["x.summary", "x.tables"]);
}

/// Tests that one lock suffices for files and a summary of one name, whose path is relative.
#[test]
fn a_summary_may_have_the_name_of_files() {
    let place = Place::new();
    let settings = ["pml_monitoring_enable=2", "pml_monitoring_enable_output=3", "pml_monitoring_filename=x"];
    let mut run = place.command();
    run.arg("run").args(settings.iter().flat_map(|setting| ["--set", *setting]));
    let done = run_command(run.args(["--summary", "x", "--", "echo", "ran"]));
    assert_eq!((done.status.code(), &*done.stdout), (Some(0), "ran\n"), "{}", done.stderr);
    assert_eq!(place.names(), [""; 0]);
}

#[test]
fn missing_records_have_a_reason() {
    let place = Place::new();
    static_elf(&place.path("static"));
    let none_here = "no process on this machine initialized MPI with the library";
    let failed = format!("the command ended with exit status 3; {none_here}");
    let killed = format!("the command was ended by signal 9; {none_here}");
    // The shell's name for itself is that of a launcher. Reasons that are known for certain have one line.
    for (arguments, reason, lines) in [
        (&["sh", "-c", "exit 3", "mpiexec"][..], &*failed, 2),
        (&["sh", "-c", "kill -9 $$", "mpiexec"], &*killed, 2),
        // These are known for certain, so the failure is their result.
        (&["sh", "-c", "exit 3", "mpiexec", "./static"], "./static is linked statically", 1),
        (&["env", "-i", "sh", "-c", "exit 3", "mpiexec"], "`env -i` removes LD_PRELOAD and MPIT_SET", 1),
        // The processes may be elsewhere, even if the command does not name MPI.
        (&["sh", "-c", "exit 3"], &*failed, 2),
        (&["sh", "-c", "true"], none_here, 2),
        (&["sh", "-c", "true", "mpiexec"], "", 2),
        (&["sh", "-c", "true", "./static"], "./static is linked statically", 1),
    ] {
        let printed = place.mpit(&[&["run", "--"], arguments].concat()).stderr;
        let found: Vec<_> = printed.lines().collect();
        let wanted = format!("mpit: nothing was recorded: {reason}");
        assert!(found[0].starts_with(&wanted) && found.len() == lines, "{arguments:?}: {printed}");
        if lines == 2 {
            let others = "mpit: processes on other machines do not count here";
            assert!(found[1].starts_with(others), "{arguments:?}: {printed}");
        }
        assert_eq!(place.mpit(&[&["run", "--quiet", "--"], arguments].concat()).stderr, "");
    }
    // Inside of a job, each process would print it.
    let mut inside = place.command();
    let done = run_command(inside.env("PMI_RANK", "0").args(["run", "--", "true"]));
    assert_eq!(done.stderr, "");
}

/// Tests that files without `--output` count as records: with stores in files, the summary is not from them.
#[test]
fn files_by_settings_are_records() {
    let place = Place::new();
    let settings = [
        "pml_monitoring_enable=2",
        "pml_monitoring_enable_output=3",
        "pml_monitoring_filename=x",
        "monitoring_store=file",
    ];
    for (script, has_records) in [("echo > x.0.prof", true), ("true", false)] {
        let mut run = place.command();
        run.arg("run").args(settings.iter().flat_map(|setting| ["--set", *setting]));
        let printed = run_command(run.args(["--", "sh", "-c", script])).stderr;
        assert_eq!(!printed.contains("nothing was recorded"), has_records, "{script}: {printed}");
    }
}

fn static_elf(path: &Path) {
    let mut header = vec![0_u8; 64];
    let order = if cfg!(target_endian = "little") { 1 } else { 2 };
    header[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, order]);
    fs::write(path, header).unwrap();
    fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn the_command_ends_as_without_mpit() {
    let place = Place::new();
    let run = |script: &str| {
        let mut run = place.command();
        run.args(["run", "-o", "x", "--", "sh", "-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = run.stderr(Stdio::null()).spawn().unwrap();
        // It may have ended without reading.
        let _ = child.stdin.take().unwrap().write_all(b"from outside\n");
        Finished::from(child.wait_with_output().unwrap())
    };
    assert_eq!(run("read line; echo $line").stdout, "from outside\n");
    assert_eq!(run("exit 7").status.code(), Some(7));
    for signal in [2, 9, 11, 15] {
        let script = format!("kill -{signal} $$");
        // Some are ignored where the tests run in the background.
        let bare = Command::new("sh").args(["-c", &script]).status().unwrap();
        assert_eq!(run(&script).status, bare);
    }
    // The terminal's process group stays one: a signal of the terminal reaches both.
    let groups = run("ps -o pgid= -p $$,$PPID | sort -u | wc -l");
    assert_eq!(groups.stdout.trim(), "1");
}
