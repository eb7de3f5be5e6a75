//! Comparison of the output that a guide shows with that of the command.

/// Returns true if a guide shows all lines of both streams, those of each in their order: a terminal shows the streams in any
/// order. `...` matches any text, and a line of its own any number of lines. The line before or after it may share its line with
/// text of another process, as launchers mix them.
pub(crate) fn is_shown(shown: &[String], streams: [&str; 2]) -> bool {
    let shown: Vec<&str> = shown.iter().map(|line| line.trim_end()).collect();
    let [out, err] = streams.map(|text| text.lines().map(str::trim_end).collect::<Vec<_>>());
    let nowhere = vec![vec![false; err.len() + 1]; out.len() + 1];
    // For each number of lines of both streams: true if the shown lines so far match as many.
    let mut reached = nowhere.clone();
    reached[0][0] = true;
    for (at, line) in shown.iter().enumerate() {
        let gap =
            |at: Option<usize>| if at.and_then(|at| shown.get(at)) == Some(&"...") { "..." } else { "" };
        let pattern = format!("{}{line}{}", gap(at.checked_sub(1)), gap(Some(at + 1)));
        let before = std::mem::replace(&mut reached, nowhere.clone());
        for o in 0..=out.len() {
            for e in 0..=err.len() {
                reached[o][e] = if *line == "..." {
                    before[o][e] || o > 0 && reached[o - 1][e] || e > 0 && reached[o][e - 1]
                } else {
                    o > 0 && before[o - 1][e] && line_matches(&pattern, out[o - 1])
                        || e > 0 && before[o][e - 1] && line_matches(&pattern, err[e - 1])
                };
            }
        }
    }
    reached[out.len()][err.len()]
}

fn line_matches(shown: &str, printed: &str) -> bool {
    let Some((first, rest)) = shown.split_once("...") else { return shown == printed };
    let Some(mut left) = printed.strip_prefix(first) else { return false };
    let (middle, last) = rest.rsplit_once("...").unwrap_or(("", rest));
    for part in middle.split("...") {
        let Some(found) = left.find(part) else { return false };
        left = &left[found + part.len()..];
    }
    left.ends_with(last)
}

#[test]
fn only_dots_match_varying_text() {
    for (shown, out, err, expected) in [
        ("", "", "", true),
        ("", "a warning", "", false),
        ("", "", "a warning", false),
        ("a\nb", "a\nb\n", "", true),
        ("a", "a\nb\n", "", false),
        ("a\nb", "a\n", "", false),
        ("...\nb", "b\n", "", true),
        ("...\nb\n...", "a\na\nb\nc\n", "", true),
        ("...\nb", "a\nb\nc\n", "", false),
        ("took ... s", "took 1.25 s\n", "", true),
        ("took ... s", "took 1.25 ms!\n", "", false),
        ("... of ... in ...", "1 of 2 in 3\n", "", true),
        ("aba...ba", "aba\n", "", false),
        ("a\nb\nc", "a\nc\n", "b\n", true),
        ("a\nb", "b\na\n", "", false),
        ("...\nerror 3\n...", "a\n", "launcher: error 3\nended\n", true),
        ("error 3", "", "launcher: error 3\n", false),
    ] {
        let lines: Vec<_> = shown.lines().map(ToOwned::to_owned).collect();
        assert_eq!(is_shown(&lines, [out, err]), expected, "{shown} / {out} / {err}");
    }
}
