//! Lists of nodes as Slurm writes them.

/// The maximum number of names of a list: a damaged one may stand for any number.
const MOST: usize = 1 << 20;

/// Returns the names of a list such as `login,n[01-03,7]`. `None` if it is malformed, or too long.
pub(crate) fn expand(list: &str) -> Option<Vec<String>> {
    let mut all = Vec::new();
    for entry in entries(list)? {
        all.extend(names(entry)?);
        if all.len() > MOST {
            return None;
        }
    }
    Some(all)
}

/// Splits a list at the commas outside of brackets.
fn entries(list: &str) -> Option<Vec<&str>> {
    let (mut all, mut begin, mut is_inside) = (Vec::new(), 0, false);
    for (at, character) in list.char_indices() {
        match (character, is_inside) {
            ('[', false) => is_inside = true,
            (']', true) => is_inside = false,
            ('[' | ']', _) => return None,
            (',', false) => {
                all.push(&list[begin..at]);
                begin = at + 1;
            }
            _ => (),
        }
    }
    all.push(&list[begin..]);
    if is_inside { None } else { Some(all) }
}

/// Returns the names of an entry, in which each bracket stands for one of its numbers.
fn names(entry: &str) -> Option<Vec<String>> {
    let (mut all, mut rest) = (vec![String::new()], entry);
    while let Some((text, behind)) = rest.split_once('[') {
        let (ranges, behind) = behind.split_once(']')?;
        let numbers = numbers(ranges)?;
        if all.len() * numbers.len() > MOST {
            return None;
        }
        let mut longer = Vec::with_capacity(all.len() * numbers.len());
        for begin in &all {
            longer.extend(numbers.iter().map(|number| format!("{begin}{text}{number}")));
        }
        (all, rest) = (longer, behind);
    }
    for name in &mut all {
        name.push_str(rest);
    }
    if all.iter().any(String::is_empty) { None } else { Some(all) }
}

/// Returns the numbers of ranges, with as many digits as the first one of each range has.
fn numbers(ranges: &str) -> Option<Vec<String>> {
    let mut all = Vec::new();
    for range in ranges.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let width = first.len();
        let (first, last) = (number(first)?, number(last)?);
        if last < first || last - first >= MOST - all.len() {
            return None;
        }
        all.extend((first..=last).map(|number| format!("{number:0width$}")));
    }
    Some(all)
}

fn number(digits: &str) -> Option<usize> {
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { digits.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::expand;

    #[test]
    fn lists_have_ranges_in_brackets() {
        let lists: [(&str, &[&str]); 4] = [
            ("n1", &["n1"]),
            ("login,n[1-3]", &["login", "n1", "n2", "n3"]),
            ("n[08-10,2]x,m1", &["n08x", "n09x", "n10x", "n2x", "m1"]),
            ("r[1-2]n[0-1]", &["r1n0", "r1n1", "r2n0", "r2n1"]),
        ];
        for (list, names) in lists {
            assert_eq!(expand(list).unwrap(), names, "{list}");
        }
    }

    #[test]
    fn malformed_lists_are_refused() {
        for list in ["", "n[1-2", "n1]", "n[[1]]", "n[2-1]", "n[a]", "n[]", "n[+1]", "n1,", "n[0-99999999]"] {
            assert_eq!(expand(list), None, "{list}");
        }
        assert_eq!(expand(&"n[0-9999]".repeat(2)), None);
    }
}
