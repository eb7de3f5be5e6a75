//! Comparison of the output that a guide shows with that of the command.

/// Returns true if `printed` matches `shown` line by line; `...` matches any text, and a line of its own any
/// number of lines.
pub(crate) fn is_shown(shown: &[String], printed: &str) -> bool {
    let printed: Vec<_> = printed.lines().map(str::trim_end).collect();
    let shown: Vec<_> = shown.iter().map(|line| line.trim_end()).collect();
    lines_match(&shown, &printed)
}

fn lines_match(shown: &[&str], printed: &[&str]) -> bool {
    match shown {
        [] => printed.is_empty(),
        ["...", rest @ ..] => (0..=printed.len()).any(|skipped| lines_match(rest, &printed[skipped..])),
        [line, rest @ ..] => printed
            .split_first()
            .is_some_and(|(first, others)| line_matches(line, first) && lines_match(rest, others)),
    }
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
    let is = |shown: &str, printed: &str| {
        is_shown(&shown.lines().map(ToOwned::to_owned).collect::<Vec<_>>(), printed)
    };
    assert!(is("", ""));
    assert!(!is("", "a warning"));
    assert!(is("a\nb", "a\nb\n"));
    assert!(!is("a", "a\nb\n"));
    assert!(!is("a\nb", "a\n"));
    assert!(is("...\nb", "b\n"));
    assert!(is("...\nb\n...", "a\na\nb\nc\n"));
    assert!(!is("...\nb", "a\nb\nc\n"));
    assert!(is("took ... s", "took 1.25 s\n"));
    assert!(!is("took ... s", "took 1.25 ms!\n"));
    assert!(is("... of ... in ...", "1 of 2 in 3\n"));
    assert!(!is("aba...ba", "aba\n"));
}
