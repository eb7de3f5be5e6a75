//! Reader of the output of the C program `dump`: all variables and categories of an MPI library.

use std::{collections::BTreeMap, fs, path::Path};

use crate::{Context, Outcome};

/// The kinds of entries, as spelled in the file.
pub const KINDS: [&str; 3] = ["pvar", "cvar", "category"];

/// A variable or category with its description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The index.
    pub index: usize,
    /// The return code of the query; if it is not 0, there are no other fields.
    pub code: i32,
    /// All other fields, in the order of the file, since items of enumerations repeat their names.
    fields: Vec<(String, String)>,
}

impl Entry {
    /// Returns true if the query succeeded.
    pub fn answers(&self) -> bool {
        self.code == 0
    }

    /// Returns the first field of that name; empty if there is none.
    pub fn field(&self, name: &str) -> &str {
        self.fields.iter().find(|(field, _)| field == name).map_or("", |(_, value)| value)
    }

    /// Returns all fields whose names `wanted` accepts.
    pub fn fields(&self, wanted: impl Fn(&str) -> bool) -> Vec<(&str, &str)> {
        self.fields
            .iter()
            .filter(|(name, _)| wanted(name))
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect()
    }

    /// Returns the unique key: the name, and the class if the kind has classes.
    pub fn key(&self) -> (String, String) {
        (self.field("name").to_owned(), self.field("class").to_owned())
    }

    /// Returns a field that is a list of indices.
    pub fn indices(&self, name: &str) -> Outcome<Vec<usize>> {
        let list = self.field(name);
        list.split(',').filter(|one| !one.is_empty()).map(|one| one.parse().context(list)).collect()
    }
}

/// A snapshot: the entries of each kind, in the order of their indices.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    lists: BTreeMap<String, Vec<Entry>>,
}

impl Inventory {
    /// Returns the entries of one of [`KINDS`].
    pub fn list(&self, kind: &str) -> &[Entry] {
        self.lists.get(kind).map_or(&[], Vec::as_slice)
    }
}

/// Reads a file of `dump`: the entries before `MPI_Init` and after it. A failure names the line.
pub fn read(path: &Path) -> Outcome<[Inventory; 2]> {
    let bytes = fs::read(path).context(path.display())?;
    // Libraries' descriptions are not all UTF-8, and their lengths are compared: one byte becomes one character here.
    let text: String = bytes.into_iter().map(char::from).collect();
    let mut moments = <[Inventory; 2]>::default();
    for line in text.lines() {
        let mut fields = line.split('\t');
        let kind = fields.next().unwrap_or_default().to_owned();
        let mut fields = fields.map(|field| field.split_once('=').context(format!("no value in {field}")));
        let mut expect = |wanted: &str| {
            let (name, value) = fields.next().context(format!("no {wanted} in {line}"))??;
            if name == wanted { Ok(value) } else { None.context(format!("{wanted} expected in {line}")) }
        };
        let moment = usize::from(expect("moment")? == "after");
        let index = expect("index")?.parse().context(line)?;
        let code = expect("rc")?.parse().context(line)?;
        let fields = fields
            .map(|field| field.map(|(name, value)| (name.to_owned(), unescape(value))))
            .collect::<Outcome<_>>()?;
        moments[moment].lists.entry(kind).or_default().push(Entry { index, code, fields });
    }
    Ok(moments)
}

fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        plain.push(match char {
            '\\' => match chars.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                other => other.unwrap_or('\\'),
            },
            char => char,
        });
    }
    plain
}
