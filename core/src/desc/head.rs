//! What variables say of themselves, in little room.
//!
//! A program may have thousands of variables. In one that is position-independent each pointer of a descriptor takes four words
//! of the file, one of its own and three that say where it is. So a descriptor has few, and what variables that are defined side by side
//! have in common is behind one of them.

use super::{CategoryDesc, EnumDesc, Origin};
use crate::plugin::Life;

/// The longest description of a variable, in bytes.
pub const LONGEST_DESCRIPTION: usize = u16::MAX as usize;

/// What variables have in common with those beside them, or what few of them have: where they are defined, the groups that they are
/// in, and further names. Of equal ones an optimizing compiler keeps one.
#[derive(Clone, Copy, Debug)]
pub struct Common {
    component: &'static str,
    file: &'static str,
    enumeration: Option<&'static EnumDesc>,
    categories: &'static [&'static CategoryDesc],
    aliases: &'static [&'static str],
    environment: &'static [&'static str],
    life: Option<&'static Life>,
}

impl Common {
    /// Of a component, the first key of the index order and by custom the name of the crate; in a file, as `file!()` says.
    #[must_use]
    pub const fn new(component: &'static str, file: &'static str) -> Self {
        Self {
            component,
            file,
            enumeration: None,
            categories: &[],
            aliases: &[],
            environment: &[],
            life: None,
        }
    }

    /// Puts the variables into categories.
    #[must_use]
    pub const fn categories(mut self, categories: &'static [&'static CategoryDesc]) -> Self {
        self.categories = categories;
        self
    }

    /// Names the values of `INT` variables, whatever their cells say.
    #[must_use]
    pub const fn values_named(mut self, enumeration: &'static EnumDesc) -> Self {
        self.enumeration = Some(enumeration);
        self
    }

    /// Further names of a control variable, under which `--set` and parameter files know it, and under which
    /// `MPIT_<NAME>` sets it.
    #[must_use]
    pub const fn aliases(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    /// Further environment variables that set a control variable, each weaker than the one before; `MPIT_<NAME>` is the
    /// strongest.
    #[must_use]
    pub const fn environment(mut self, names: &'static [&'static str]) -> Self {
        self.environment = names;
        self
    }

    /// Says that the variables have values only while a plug-in is active.
    #[must_use]
    pub const fn living(mut self, life: &'static Life) -> Self {
        self.life = Some(life);
        self
    }
}

/// What a variable says of itself, whatever kind it is of.
#[derive(Clone, Copy)]
pub struct Head {
    /// The name, and behind it the description.
    texts: *const u8,
    common: &'static Common,
    line: u32,
    name_bytes: u16,
    description_bytes: u16,
}

// SAFETY: `texts` came from a `&'static str`, which may be shared between threads; the rest may be, too.
unsafe impl Sync for Head {}
// SAFETY: as above.
unsafe impl Send for Head {}

impl Head {
    /// From a text that begins with the name, of so many bytes, and goes on with the description, if there is one; and from
    /// the `line!()` of the definition.
    ///
    /// # Panics
    ///
    /// When the text is no such text, or one of its parts is longer than [`LONGEST_DESCRIPTION`]; in a static it does not
    /// compile.
    #[must_use]
    pub const fn new(texts: &'static str, name_bytes: usize, common: &'static Common, line: u32) -> Self {
        assert!(texts.is_char_boundary(name_bytes), "the text does not begin with a name of that length");
        let description_bytes = texts.len() - name_bytes;
        assert!(name_bytes <= LONGEST_DESCRIPTION, "the name is longer than 65535 bytes");
        assert!(description_bytes <= LONGEST_DESCRIPTION, "the description is longer than 65535 bytes");
        Self {
            texts: texts.as_ptr(),
            common,
            line,
            name_bytes: name_bytes as u16,
            description_bytes: description_bytes as u16,
        }
    }

    /// The same for a variable that is made while the program runs, and stays as long as that: puts the texts together.
    ///
    /// # Panics
    ///
    /// When a text is longer than [`LONGEST_DESCRIPTION`].
    #[must_use]
    pub fn of(name: &'static str, description: &str, common: &'static Common, line: u32) -> Self {
        let texts = if description.is_empty() { name } else { [name, description].concat().leak() };
        Self::new(texts, name.len(), common, line)
    }

    pub(super) const fn name(&self) -> &'static str {
        self.text(0, self.name_bytes)
    }

    pub(super) const fn description(&self) -> &'static str {
        self.text(self.name_bytes, self.description_bytes)
    }

    const fn text(&self, from: u16, bytes: u16) -> &'static str {
        // SAFETY: within the text that `new` was given.
        let start = unsafe { self.texts.add(from as usize) };
        // SAFETY: as above, and nothing changes it.
        let bytes = unsafe { std::slice::from_raw_parts(start, bytes as usize) };
        // SAFETY: `new` was given UTF-8, whose parts both begin with a character.
        unsafe { std::str::from_utf8_unchecked(bytes) }
    }

    pub(super) const fn component(&self) -> &'static str {
        self.common.component
    }

    pub(super) const fn origin(&self) -> Origin {
        Origin::new(self.common.file, self.line)
    }

    /// The enumeration of its values, if it has one; `own` is that of its cell.
    pub(super) const fn enumeration(&self, own: Option<&'static EnumDesc>) -> Option<&'static EnumDesc> {
        match self.common.enumeration {
            None => own,
            given => given,
        }
    }

    pub(super) const fn categories(&self) -> &'static [&'static CategoryDesc] {
        self.common.categories
    }

    pub(super) const fn aliases(&self) -> &'static [&'static str] {
        self.common.aliases
    }

    pub(super) const fn environment(&self) -> &'static [&'static str] {
        self.common.environment
    }

    pub(super) const fn life(&self) -> Option<&'static Life> {
        self.common.life
    }
}

#[cfg(test)]
mod tests {
    use super::{Common, Head, LONGEST_DESCRIPTION};

    static COMMON: Common = Common::new("acme", "there.rs");

    #[test]
    fn a_head_has_both_texts() {
        let heads = [
            (Head::new("sentHow many.", 4, &COMMON, 7), "How many."),
            (Head::new("sent", 4, &COMMON, 7), ""),
            (Head::of("sent", "How many.", &COMMON, 7), "How many."),
            (Head::of("sent", "", &COMMON, 7), ""),
        ];
        for (head, description) in heads {
            assert_eq!((head.name(), head.description()), ("sent", description));
            assert_eq!((head.component(), head.origin().to_string().as_str()), ("acme", "there.rs:7"));
        }
    }

    #[test]
    fn the_longest_texts_are_whole() {
        let longest: &'static str = "x".repeat(LONGEST_DESCRIPTION).leak();
        let head = Head::of(longest, longest, &COMMON, 7);
        assert_eq!((head.name(), head.description()), (longest, longest));
    }

    #[test]
    #[should_panic(expected = "the description is longer than 65535 bytes")]
    fn a_longer_description_is_refused() {
        _ = Head::of("sent", &"x".repeat(LONGEST_DESCRIPTION + 1), &COMMON, 7);
    }

    #[test]
    #[should_panic(expected = "does not begin with a name of that length")]
    fn a_name_ends_with_a_character() {
        _ = Head::new("größe", 3, &COMMON, 7);
    }

    #[test]
    fn descriptors_are_small() {
        use crate::desc::{CvarDesc, PvarDesc};
        // Four pointers, and less than two words of all else.
        let most = 6 * size_of::<u64>();
        assert!(size_of::<PvarDesc>() <= most && size_of::<CvarDesc>() <= most);
    }
}
