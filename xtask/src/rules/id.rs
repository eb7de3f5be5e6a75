//! The numbers of rules.

use std::fmt;

/// The number of a rule, such as R141, F7 or C12.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct RuleId {
    /// `R` for the behaviour of the interface, `F` for a function, `C` for what is refused before the program runs.
    pub(crate) list: char,
    /// From 1 on, in each list.
    pub(crate) number: u16,
}

impl RuleId {
    /// Reads a number; the letter may be small, and there may be zeros before the digits.
    pub(crate) fn parse(word: &str) -> Option<Self> {
        let list = word.chars().next()?.to_ascii_uppercase();
        let digits = &word[list.len_utf8()..];
        let number = digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
        matches!(list, 'R' | 'F' | 'C').then_some(Self { list, number })
    }

    /// The rules that a name begins with: R38 and R39 for `r38_r39_truncated`.
    pub(crate) fn of_name(name: &str) -> Vec<Self> {
        name.split('_').map_while(Self::parse).collect()
    }
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}{}", self.list, self.number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_either_case() {
        let id = |list, number| Some(RuleId { list, number });
        assert_eq!(RuleId::parse("R141"), id('R', 141));
        assert_eq!(RuleId::parse("c06"), id('C', 6));
        for other in ["", "R", "R+1", "R1a", "X1", "141", "é1", "r99999"] {
            assert_eq!(RuleId::parse(other), None, "{other}");
        }
    }

    #[test]
    fn names_begin_with_their_rules() {
        let read = |name| RuleId::of_name(name).iter().map(RuleId::to_string).collect::<Vec<_>>().join(" ");
        assert_eq!(read("r38_r39_truncated"), "R38 R39");
        assert_eq!(read("f7_r84_by_name"), "F7 R84");
        assert_eq!(read("c45_same_name_twice"), "C45");
        assert_eq!(read("truncated_r38"), "");
    }
}
