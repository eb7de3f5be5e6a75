//! Every kind of definition, in the program and through a plug-in.

use mpit_tests::{Failure, Outcome, rust_plugins::Build};

use super::{entries_seen, equal, has};

#[test]
fn plugin_entries_equal_the_programs() -> Outcome {
    let plugin = Build::PLAIN.plugin("every")?;
    let [linked, _] = entries_seen("linked", &[], &[])?;
    let [loaded, reported] = entries_seen("loaded", &[&plugin], &[])?;
    equal(&linked, &loaded)?;

    // Checked against constants as well, because both could have the same defect.
    for line in [
        "started: every_counter COUNTER x1 = [3]",
        "started: every_aggregate AGGREGATE x1 = [1.5]",
        "started: every_timer TIMER x1 = [0.75]",
        "started: every_level HIGHWATERMARK x1 = [3]",
        "started: every_highest HIGHWATERMARK x1 = [2.5]",
        "started: every_peer_counts COUNTER x3 = [9, 3, 0]",
        "started: every_ranks SIZE x6 = [2, 2, 0, 0, 7, 7]",
        "started: every_queue HIGHWATERMARK x1 = [12]",
        "started: every_weather STATE x1 = [7]",
        "started late: every_counter COUNTER x1 = [1]",
        "read and reset every_counter COUNTER: Ok(\"[0]\")",
        "after a reset: every_counter COUNTER x1 = [2]",
        "not reset: every_counter COUNTER x1 = [3]",
        "  named by every_weather [(3, \"fair\"), (-1, \"foul\"), (7, \"in_between\")]",
        "every_limit to 11: Err(Invalid) Ok([7])",
        "every_concern of 5 at NONE: received 1002, lost 0, letters of sources 20",
        "every_concern of 6 at NONE: received 1000, lost 0, letters of sources 0",
        "every_stepped of 5 at NONE: received 1000, lost 2, letters of sources 0",
    ] {
        has(&loaded, line)?;
    }

    // The differences: the plug-in's copy of mpit lists nothing, it was activated, and it has no custom
    // variables.
    has(&linked, "at first: every_own_registry SIZE x1 = [1]")?;
    has(&loaded, "at first: every_own_registry SIZE x1 = [0]")?;
    has(&linked, "at first: life_of_every SIZE x1 = [0]")?;
    has(&loaded, "at first: life_of_every SIZE x1 = [1]")?;
    let left_out: Vec<_> = reported.lines().filter(|line| line.starts_with("mpit: ")).collect();
    let right =
        matches!(left_out[..], [one] if one.contains("custom_of_every") && one.contains("values.rs:"));
    Failure::unless(right, || format!("one line about what is left out is expected:\n{reported}"))
}

#[test]
fn plugin_settings_have_the_same_sources() -> Outcome {
    let plugin = Build::PLAIN.plugin("every")?;
    for (variable, value, source) in [
        ("MPIT_EVERY_LIMIT", "5", "MPIT_EVERY_LIMIT"),
        ("MPIT_EVERY_MOST", "5", "MPIT_EVERY_MOST"),
        ("EVERY_LIMIT_OF_OLD", "5", "EVERY_LIMIT_OF_OLD"),
    ] {
        let environment = [(variable, value)];
        let [linked, _] = entries_seen("linked", &[], &environment)?;
        let [loaded, _] = entries_seen("loaded", &[&plugin], &environment)?;
        equal(&linked, &loaded)?;
        let reported = format!("= 5 by Environment {{ variable: \"{source}\" }}: A limit.");
        Failure::unless(loaded.lines().any(|line| line.ends_with(&reported)), || {
            format!("`{reported}` is expected:\n{loaded}")
        })?;
    }
    // Messages about refused values are equal, but for the range, which only the program knows.
    let environment = [("MPIT_EVERY_LIMIT", "11"), ("MPIT_EVERY_WISH", "awful"), ("MPIT_EVERY_LABEL", "a")];
    let [_, linked] = entries_seen("linked", &[], &environment)?;
    let [_, loaded] = entries_seen("loaded", &[&plugin], &environment)?;
    let about = |reported: &str| -> Vec<String> {
        let lines = reported.lines().filter(|line| line.contains("EVERY_") || line.contains("every_l"));
        lines.filter_map(|line| line.split(';').next()).map(str::to_owned).collect()
    };
    Failure::unless(about(&linked) == about(&loaded) && about(&linked).len() == 2, || {
        format!("in the program:\n{linked}\nthrough a plug-in:\n{loaded}")
    })
}
