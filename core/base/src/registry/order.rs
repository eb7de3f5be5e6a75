//! The order of an image's entries, on which their indices depend.

use std::cmp::Ordering;

use super::Definition;

/// The number of bytes of a name that are compared as one number.
const HEAD: usize = 8;

/// The number of bytes that are compared so before whole names are.
const HEADS: usize = 2 * HEAD;

/// The parts of a definition's key that decide nearly every comparison, and its position among all: of two registers, because the sort
/// moves it often.
struct Sortable {
    /// Some bytes of the name.
    head: u64,
    /// 1 if it comes last, then the rank of its component.
    group: u32,
    at: u32,
}

/// Returns definitions sorted by (`is_last`, component, name, `class`, origin).
pub(super) fn sorted<D: Definition, C: Ord>(
    all: &[&'static D],
    is_last: impl Fn(&D) -> bool,
    class: impl Fn(&D) -> C,
) -> Vec<&'static D> {
    let (components, prefix) = components_and_prefix(all);
    let mut latest = None;
    let mut sortables: Vec<Sortable> = Vec::with_capacity(all.len());
    for (desc, at) in all.iter().zip(0..) {
        let component = desc.component();
        let rank = match latest {
            Some((same, rank)) if std::ptr::eq::<str>(same, component) => rank,
            _ => components.partition_point(|other| *other < component) as u32,
        };
        latest = Some((component, rank));
        let group = u32::from(is_last(desc)) << 31 | rank;
        sortables.push(Sortable { head: head(desc.name(), prefix), group, at });
    }
    let rest = |at: u32| {
        let desc = all[at as usize];
        (desc.name(), class(desc), desc.origin())
    };
    sort(&mut sortables, prefix, &|at| all[at as usize].name(), &|a, b| rest(a).cmp(&rest(b)));
    sortables.into_iter().map(|sortable| all[sortable.at as usize]).collect()
}

/// Returns the name of the definition at a position.
type NameAt<'a> = dyn Fn(u32) -> &'static str + 'a;

/// Compares the definitions at two positions.
type CompareAt<'a> = dyn Fn(u32, u32) -> Ordering + 'a;

/// Sorts definitions whose names are equal up to the byte `prefix`, where their heads begin: by group, then by one head after the other,
/// then by `compare`. Not generic, because each sort of the standard library takes long to compile.
fn sort(sortables: &mut [Sortable], prefix: usize, name: &NameAt<'_>, compare: &CompareAt<'_>) {
    sortables.sort_unstable_by_key(|sortable| sortable.group);
    for group in sortables.chunk_by_mut(|a, b| a.group == b.group) {
        sort_by_heads(group, prefix, prefix + HEADS, name, compare);
    }
}

/// Sorts definitions whose names are equal up to the byte `from`, where their heads begin: by one head after the other, and if these are
/// equal up to the byte `end`, by `compare`. A head is a number of one register, which the sort compares without branches.
fn sort_by_heads(
    sortables: &mut [Sortable],
    from: usize,
    end: usize,
    name: &NameAt<'_>,
    compare: &CompareAt<'_>,
) {
    sortables.sort_unstable_by_key(|sortable| sortable.head);
    let next = from + HEAD;
    for equal in sortables.chunk_by_mut(|a, b| a.head == b.head).filter(|equal| equal.len() > 1) {
        if next >= end {
            equal.sort_unstable_by(|a, b| compare(a.at, b.at));
            continue;
        }
        for sortable in &mut *equal {
            sortable.head = head(name(sortable.at), next);
        }
        sort_by_heads(equal, next, end, name, compare);
    }
}

/// Returns the components in order, and the length of the longest prefix that all names have.
fn components_and_prefix<D: Definition>(all: &[&'static D]) -> (Vec<&'static str>, usize) {
    let Some((first, others)) = all.split_first() else { return (Vec::new(), 0) };
    let mut latest = first.component();
    let mut components = vec![latest];
    let mut prefix = first.name().as_bytes();
    for desc in others {
        let component = desc.component();
        // Neighbors mostly share one string.
        if !std::ptr::eq(latest, component) {
            components.push(component);
            latest = component;
        }
        let name = desc.name().as_bytes();
        if !name.starts_with(prefix) {
            let equal = prefix.iter().zip(name).take_while(|(a, b)| a == b).count();
            prefix = &prefix[..equal];
        }
    }
    components.sort_unstable();
    components.dedup();
    (components, prefix.len())
}

/// Returns the bytes of a name behind `from` as a number, padded with zeros, that orders like them.
#[inline]
fn head(name: &str, from: usize) -> u64 {
    let bytes = name.as_bytes().get(from..).unwrap_or_default();
    match bytes.first_chunk::<HEAD>() {
        Some(first) => u64::from_be_bytes(*first),
        None => bytes.iter().rev().fold(0, |rest, byte| rest >> 8 | u64::from(*byte) << 56),
    }
}

/// Returns references in the order of a comparison; of equal ones, the earlier one comes first. Compiled once for all types.
pub(super) fn in_order<T>(all: &[&'static T], compare: impl Fn(&T, &T) -> Ordering) -> Vec<&'static T> {
    let order = order(all.len(), &|a, b| compare(all[a as usize], all[b as usize]));
    order.into_iter().map(|at| all[at as usize]).collect()
}

fn order(len: usize, compare: &CompareAt<'_>) -> Vec<u32> {
    let mut order: Vec<u32> = (0..len as u32).collect();
    order.sort_by(|a, b| compare(*a, *b));
    order
}

#[cfg(test)]
mod tests {
    use super::{head, sorted};
    use crate::desc::{CategoryDesc, EnumDesc, EnumItem, Origin};

    static ITEMS: &[EnumItem] = &[EnumItem::new(0, "zero")];

    fn of_names(names: &[&'static str]) -> Vec<&'static str> {
        let desc = |name| &*Box::leak(Box::new(EnumDesc::new(name, ITEMS, Origin::new(file!(), 1))));
        let all: Vec<&'static EnumDesc> = names.iter().map(|name| desc(*name)).collect();
        sorted(&all, |_| false, |_| ()).into_iter().map(EnumDesc::name).collect()
    }

    #[test]
    fn names_are_in_the_order_of_bytes() {
        let long = "a_prefix_that_all_have_";
        let ends = [
            "",
            "b",
            "a",
            "a0123456789abcdef",
            "a0123456789abcdeg",
            "a0123456789abcde",
            "a0123456",
            "a012345",
            "z",
            "aa",
            "ä",
        ];
        for prefix in ["", long] {
            let names: Vec<&'static str> = ends.iter().map(|end| &*format!("{prefix}{end}").leak()).collect();
            let mut expected = names.clone();
            expected.sort_unstable();
            assert_eq!(of_names(&names), expected);
        }
        assert!(of_names(&[]).is_empty());
        assert_eq!(of_names(&["one"]), ["one"]);
        assert_eq!(of_names(&["one", "one"]), ["one", "one"]);
    }

    #[test]
    fn last_component_class_and_origin_decide() {
        let desc =
            |name, line| &*Box::leak(Box::new(CategoryDesc::new(name, "", &[], &[], Origin::new("f", line))));
        let all = [desc("b", 1), desc("a", 4), desc("a", 2), desc("a", 3), desc("c", 0)];
        let order = |is_last: fn(&CategoryDesc) -> bool, class: fn(&CategoryDesc) -> bool| -> Vec<_> {
            sorted(&all, is_last, class).into_iter().map(CategoryDesc::origin).collect()
        };
        let origins = |lines: [u32; 5]| lines.map(|line| Origin::new("f", line)).to_vec();
        assert_eq!(order(|_| false, |_| false), origins([2, 3, 4, 1, 0]));
        assert_eq!(order(|_| false, |desc| desc.origin() == Origin::new("f", 2)), origins([3, 4, 2, 1, 0]));
        assert_eq!(order(|desc| desc.name() == "a", |_| false), origins([1, 0, 2, 3, 4]));
    }

    #[test]
    fn a_head_orders_like_its_bytes() {
        let texts = ["", "\0\u{1}", "a", "ab", "b", "bbbbbbbb", "bbbbbbbc"];
        assert!(texts.windows(2).all(|pair| head(pair[0], 0) < head(pair[1], 0)));
        assert_eq!(head("bbbbbbbb", 0), head("bbbbbbbbb", 0));
        assert_eq!(head("abbbbbbbbb", 2), head("bbbbbbbb", 0));
        assert_eq!(head("ab", 3), 0);
    }
}
