//! Finds the rules that a C program checks: comments that begin with their numbers, such as `/* R142 */` or
//! `// R38, R39: cut short`.

use super::id::RuleId;

/// The rules of each comment that names some, with the number of its line.
pub(crate) fn tags(text: &str) -> Vec<(usize, Vec<RuleId>)> {
    let text = without_dead_code(text);
    let tags = comments(&text).into_iter().map(|(line, comment)| (line, rules(comment)));
    tags.filter(|(_, rules)| !rules.is_empty()).collect()
}

/// The headers that a file includes by names in quotes.
pub(crate) fn includes(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let directive = line.trim().strip_prefix('#')?.trim_start().strip_prefix("include")?;
        directive.trim_start().strip_prefix('"')?.split_once('"').map(|(name, _)| name)
    })
}

/// The rules that a comment begins with, separated by commas or spaces.
fn rules(comment: &str) -> Vec<RuleId> {
    let words = comment.split([',', ' ', ':', '\n']).filter(|word| !word.is_empty());
    words.map_while(|word| RuleId::parse(word).filter(|_| word.starts_with(char::is_uppercase))).collect()
}

/// The comments, without the marks around them, and the lines on which they begin.
fn comments(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let (mut rest, mut line) = (text, 1);
    while let Some(start) = rest.find(['"', '\'', '/']) {
        line += newlines(&rest[..start]);
        rest = &rest[start..];
        let length = match *rest.as_bytes() {
            [b'/', b'*', ..] => {
                let end = rest[2..].find("*/").map_or(rest.len(), |end| end + 2);
                found.push((line, &rest[2..end]));
                end + 2
            }
            [b'/', b'/', ..] => {
                let end = rest.find('\n').unwrap_or(rest.len());
                found.push((line, &rest[2..end]));
                end
            }
            [b'/', ..] => 1,
            _ => quoted(rest),
        };
        let length = length.min(rest.len());
        line += newlines(&rest[..length]);
        rest = &rest[length..];
    }
    found
}

/// The length of the string or character that the text begins with.
fn quoted(text: &str) -> usize {
    let mut bytes = text.bytes().enumerate();
    let quote = bytes.next().map(|(_, quote)| quote);
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            _ if Some(byte) == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The text with the lines between `#if 0` and its end emptied.
fn without_dead_code(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    // How many conditions are open since, and with, the `#if 0`.
    let mut depth = 0_usize;
    for line in text.lines() {
        let directive = line.trim().strip_prefix('#').map(str::trim_start).unwrap_or_default();
        let opens = directive.starts_with("if");
        if depth == 0 && !(opens && directive.split_whitespace().eq(["if", "0"])) {
            kept.push_str(line);
        } else if opens {
            depth += 1;
        } else if directive.starts_with("endif") || (depth == 1 && directive.starts_with("el")) {
            depth -= 1;
        }
        kept.push('\n');
    }
    kept
}

fn newlines(text: &str) -> usize {
    text.bytes().filter(|&byte| byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(usize, String)> {
        let joined = |rules: Vec<RuleId>| rules.iter().map(RuleId::to_string).collect::<Vec<_>>().join(" ");
        tags(text).into_iter().map(|(line, rules)| (line, joined(rules))).collect()
    }

    #[test]
    fn comments_that_begin_with_numbers_are_tags() {
        let text = "check(a); /* R142 */\n/* R38, R39: cut\n short R40 */\n\n//R7 F7 and R8\n";
        let wanted =
            [(1, "R142"), (2, "R38 R39"), (5, "R7 F7")].map(|(line, rules)| (line, rules.to_owned()));
        assert_eq!(found(text), wanted);
    }

    #[test]
    fn nothing_else_is_a_tag() {
        let text = r#"
            puts("/* R1 */ \" /* R2 */"); c = '"'; /* see R3 */ d = '\''; e = 1 / 2;
            // check(b); /* R4 */
            /* check(b); // R5 */
            int r6; /* r7 */ /* R8a */
            #if 0
            check(c); /* R9 */
            #if 1
            #endif
            check(c); /* R10 */
            #else
            #endif
            /* without an end"#;
        assert_eq!(found(text), []);
    }

    #[test]
    fn code_after_dead_code_counts() {
        let text = "#if 0\n/* R1 */\n#else\n/* R2 */\n#endif\n# if  0\n# ifdef A\n# endif\n# endif\n/* R3 */";
        assert_eq!(found(text), [(4, "R2".to_owned()), (10, "R3".to_owned())]);
    }
}
