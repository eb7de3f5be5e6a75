//! Consistency of `mpit_plugin.h` with [`mpit::internal::plugin::abi`], and its acceptance by compilers of C and C++.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{Debug, Write as _};
use std::{fs, path::Path, process::Command};

use mpit::component::{coll, osc, pml};
use mpit::event::Safety;
use mpit::internal::plugin::abi;
use mpit::internal::vocabulary::{SourceOrder, Vocabulary};
use mpit::object::Bind;
use mpit::tool::{Class, Datatype, Scope, Verbosity};
use mpit_tests::{Context, Failure, Outcome, build, paths};

/// The layout of a struct: its size, and the offset and size of each member.
type Layout = (usize, Vec<(&'static str, usize, usize)>);

/// Returns the size of the value that an accessor returns.
fn size_led_to<T, M>(_: fn(&T) -> &M) -> usize {
    size_of::<M>()
}

/// Returns the layouts of the header's structs, as Rust has them. A member named by a keyword of Rust is
/// preceded by its name in C.
macro_rules! layouts {
    ($($name:literal $struct:ident { $($($c:literal)? $member:ident),* })*) => {
        BTreeMap::from([$((
            $name,
            (size_of::<abi::$struct>(), vec![$((
                [$($c,)? stringify!($member)][0],
                std::mem::offset_of!(abi::$struct, $member),
                size_led_to::<abi::$struct, _>(|it| &it.$member),
            )),*]),
        )),*])
    };
}

fn layouts() -> BTreeMap<&'static str, Layout> {
    layouts! {
        "mpit_sum" Sum { word, watchers, concurrent }
        "mpit_level" Level { word, running, marks, reached }
        "mpit_enum_item" EnumItem { value, name }
        "mpit_enum" Enum { size, name, items, num_items }
        "mpit_object" BoundObject { kind, id, num_ranks, ranks }
        "mpit_pvar" Pvar {
            size, file, line, name, description, categories, "pvar_class" class, datatype,
            verbosity, bind, flags, count, sum, level, level_of, storage, read, count_of, watch,
            user_data, enumeration
        }
        "mpit_cvar" Cvar {
            size, file, line, name, description, categories, datatype, verbosity, bind, scope,
            flags, count, storage, set, get, put, get_of, put_of, freed, user_data, enumeration,
            aliases, environment
        }
        "mpit_source" Source { size, file, line, name, description, order }
        "mpit_event_cell" EventCell { listeners, event, raise }
        "mpit_element" Element { datatype, displacement, name }
        "mpit_event" Event {
            size, file, line, name, description, categories, verbosity, bind, source, elements,
            num_elements, cell
        }
        "mpit_category" Category { size, file, line, name, description, parent, contains }
        "mpit_message" Message { comm, bytes, dest, to, tag, mode }
        "mpit_access" Access { window, sent, received, rank, target, kind }
        "mpit_operation" Operation { comm, kind, rank, root_is, root, in_place, size, bytes, with, volumes }
        "mpit_switch" Subscription { reasons, host, turn }
        "mpit_component" Component {
            size, file, line, framework, name, description, listening, user_data, open, close, sent,
            accessed, done, freed, pcontrol, report
        }
        "mpit_table" Table {
            size, version, component, pvars, num_pvars, cvars, num_cvars, sources, num_sources,
            events, num_events, categories, num_categories, components, num_components
        }
        "mpit_host" Host { magic, major, minor, size, name }
        "mpit_plugin" Plugin {
            magic, major, minor, size, name, table, activate, deactivate, problem, set_concurrent
        }
    }
}

/// Converts the name of a variant to the header's spelling: `ReduceScatter` to `REDUCE_SCATTER`.
fn in_capitals(word: &impl Debug) -> String {
    let mut name = String::new();
    for (at, letter) in format!("{word:?}").char_indices() {
        if at > 0 && letter.is_uppercase() {
            name.push('_');
        }
        name.push(letter.to_ascii_uppercase());
    }
    name
}

fn numbers() -> BTreeMap<String, i64> {
    fn numbered<T>(start: &str, words: &[T], name: impl Fn(&T) -> String) -> Vec<(String, i64)> {
        words.iter().zip(0..).map(|(word, number)| (format!("{start}{}", name(word)), number)).collect()
    }
    fn vocabulary<V: Vocabulary>() -> Vec<(String, i64)> {
        numbered(V::C_PREFIX, V::VALUES, |word| word.spelling().to_owned())
    }
    let mut all = Vec::new();
    all.extend(vocabulary::<Class>());
    all.extend(vocabulary::<Datatype>());
    all.extend(vocabulary::<Verbosity>());
    all.extend(vocabulary::<Bind>());
    all.extend(vocabulary::<Safety>());
    all.extend(vocabulary::<Scope>());
    all.extend(vocabulary::<SourceOrder>());
    all.extend(numbered("MPIT_", &pml::Mode::ALL, in_capitals));
    all.extend(numbered("MPIT_", &osc::Kind::ALL, in_capitals));
    all.extend(numbered("MPIT_", &coll::Kind::ALL, in_capitals));
    all.extend(numbered("MPIT_ROOT_", &["NONE", "HERE", "AT"], ToString::to_string));
    for (name, number) in [
        ("PVAR_READONLY", abi::PVAR_READONLY),
        ("PVAR_CONTINUOUS", abi::PVAR_CONTINUOUS),
        ("PVAR_ATOMIC", abi::PVAR_ATOMIC),
        ("PVAR_CUMULATIVE", abi::PVAR_CUMULATIVE),
        ("PVAR_WRITABLE", abi::PVAR_WRITABLE),
        ("CVAR_BEFORE_INIT", abi::CVAR_BEFORE_INIT),
        ("MAJOR", abi::MAJOR.into()),
        ("MINOR", abi::MINOR.into()),
        ("MAGIC", abi::MAGIC),
        ("OUTSIDE", mpit::object::OUTSIDE),
    ] {
        all.push((format!("MPIT_{name}"), number.into()));
    }
    all.into_iter().collect()
}

fn header() -> Outcome<String> {
    let path = paths::workspace().join("ffi/include/mpit_plugin.h");
    let text = fs::read_to_string(&path).context(path.display())?;
    let text = text.replace(" MPIT_OPTIONAL", "");
    // Comments are removed, because they contain text that looks like names.
    let mut code = String::new();
    for (at, part) in text.split("/*").enumerate() {
        code += if at == 0 { part } else { part.split_once("*/").map_or("", |(_, behind)| behind) };
    }
    Ok(code)
}

/// Returns the members of each struct that the header defines, by name.
fn structs_of(code: &str) -> BTreeMap<&str, Vec<&str>> {
    let mut found = BTreeMap::new();
    for definition in code.split("\nstruct ").skip(1) {
        let Some((name, behind)) = definition.split_once(" {\n") else { continue };
        let body = behind.split("\n}").next().unwrap_or_default();
        let members = body.split(';').filter(|member| !member.trim().is_empty()).map(|member| {
            // The name of a function pointer is in parentheses; that of any other member is the last word.
            let name =
                member.split_once("(*").map(|(_, behind)| behind.split(')').next().unwrap_or_default());
            name.or_else(|| member.rsplit([' ', '*']).next()).unwrap_or_default()
        });
        found.insert(name, members.collect());
    }
    found
}

/// Returns the names of the numbers that the header defines: enumerators, and macros without parameters.
fn numbers_of(code: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for list in code.split("\nenum ").skip(1) {
        let Some((_, behind)) = list.split_once('{') else { continue };
        let names = behind.split('}').next().unwrap_or_default().split(',');
        found.extend(names.map(|name| name.split('=').next().unwrap_or_default().trim()));
    }
    for line in code.lines() {
        if let Some(("MPIT", _)) = line.strip_prefix("#define ").and_then(|rest| rest.split_once('_')) {
            let mut words = line.split_whitespace().skip(1);
            if let (Some(name), Some(value), None) = (words.next(), words.next(), words.next())
                && !name.contains('(')
                && value.starts_with(|letter: char| letter.is_ascii_digit() || letter == 'U')
            {
                found.push(name);
            }
        }
    }
    found
}

fn compile(dir: &Path, name: &str, code: &str, compiler: &str, options: &[&str]) -> Outcome {
    let source = dir.join(name);
    fs::write(&source, code).context(source.display())?;
    let include = paths::workspace().join("ffi/include");
    let mut command = Command::new(compiler);
    command.args(["-Wall", "-Wextra", "-pedantic", "-Werror"]).args(options).arg("-I").arg(include);
    build::run(command.arg(&source).current_dir(dir)).map(drop)
}

#[test]
fn layouts_and_constants_equal_rust() -> Outcome {
    let (code, layouts, numbers) = (header()?, layouts(), numbers());
    let structs = structs_of(&code);
    for (name, members) in &structs {
        let ours = layouts.get(name).map(|(_, members)| members.iter().map(|member| member.0).collect());
        let ours: Vec<_> = ours.context(format!("nothing in Rust stands for struct {name}"))?;
        Failure::unless(ours == *members, || format!("{name} has {members:?}, but in Rust {ours:?}"))?;
    }
    let (named, ours): (BTreeSet<_>, BTreeSet<_>) =
        (numbers_of(&code).into_iter().collect(), numbers.keys().map(String::as_str).collect());
    let differ: Vec<_> = named.symmetric_difference(&ours).collect();
    Failure::unless(differ.is_empty(), || format!("only in the header, or only in Rust: {differ:?}"))?;

    let (mut lines, mut expected) = (String::new(), Vec::new());
    for (name, (size, members)) in &layouts {
        _ = writeln!(lines, r#"printf("{name} %zu\n", sizeof(struct {name}));"#);
        expected.push(format!("{name} {size}"));
        for (member, offset, bytes) in members {
            let place = format!("offsetof(struct {name}, {member}), sizeof ((struct {name} *)0)->{member}");
            _ = writeln!(lines, r#"printf("{name}.{member} %zu %zu\n", {place});"#);
            expected.push(format!("{name}.{member} {offset} {bytes}"));
        }
    }
    for (name, number) in &numbers {
        _ = writeln!(lines, r#"printf("{name} %lld\n", (long long){name});"#);
        expected.push(format!("{name} {number}"));
    }
    let program =
        format!("#include \"mpit_plugin.h\"\n#include <stdio.h>\nint main(void) {{\n{lines}return 0;\n}}\n");
    let dir = tempfile::tempdir().context("a directory for a program")?;
    compile(dir.path(), "layouts.c", &program, "cc", &["-std=c11", "-o", "layouts"])?;
    let [printed, _] = build::run(&mut Command::new(dir.path().join("layouts")))?;
    for (printed, expected) in printed.lines().zip(&expected) {
        Failure::unless(printed == expected, || format!("C prints {printed}, Rust prints {expected}"))?;
    }
    Failure::unless(printed.lines().count() == expected.len(), || printed.clone())
}

#[test]
fn the_header_is_valid_in_all_languages() -> Outcome {
    let dir = tempfile::tempdir().context("a directory for programs")?;
    let alone = "#include \"mpit_plugin.h\"\n";
    // Plug-ins with entries of each kind, and with components.
    let plugins = ["c/good.c", "c/bound.c", "component.c"].map(|name| {
        let path = paths::source(&format!("plugins/{name}"));
        fs::read_to_string(&path).context(path.display())
    });
    let plugins = plugins.into_iter().collect::<Outcome<Vec<_>>>()?;
    for (compiler, standard, ending) in
        [("cc", "c99", "c"), ("cc", "c11", "c"), ("c++", "c++17", "cpp"), ("c++", "c++20", "cpp")]
    {
        let options = ["-O1", "-c", "-fPIC", &format!("-std={standard}")];
        compile(dir.path(), &format!("alone.{ending}"), alone, compiler, &options)?;
        // Designated initializers: in C, and since C++20 in C++, where some compilers warn about missing
        // members.
        if standard != "c++17" {
            let options = [&options[..], &["-Wno-missing-field-initializers"]].concat();
            for text in &plugins {
                compile(dir.path(), &format!("plugin.{ending}"), text, compiler, &options)?;
            }
        }
    }
    Ok(())
}
