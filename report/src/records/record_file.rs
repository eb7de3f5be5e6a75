//! A table as a Parquet file.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use crc32fast::Hasher;
use hashbrown::HashMap;
use mpit_format::files;
use parquet::basic::{LogicalType, Repetition, Type as Stored};
use parquet::column::reader::get_typed_column_reader;
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int64Type};
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use serde::{Deserialize, Serialize};

use super::record_tables::RecordTable;
use crate::parquet_file::{self, failure, write_column};

/// The number of rows that are written as a group, so that not all of them are in memory.
const GROUP: usize = 1 << 17;

/// The number of texts that are kept to be used again: names of calls and communicators come with each process.
const KEPT_TEXTS: usize = 1 << 12;

/// The length of a file, and the checksum (CRC-32) of its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Checksum {
    bytes: u64,
    crc32: u32,
}

impl Checksum {
    pub(crate) fn of(file: &mut impl Read) -> io::Result<Self> {
        let mut counted = Counted::new(io::sink());
        io::copy(file, &mut counted)?;
        Ok(counted.checksum())
    }
}

/// A file whose content is summed up while it is written.
struct Counted<W> {
    to: W,
    crc32: Hasher,
    bytes: u64,
}

impl<W> Counted<W> {
    fn new(to: W) -> Self {
        Self { to, crc32: Hasher::new(), bytes: 0 }
    }

    fn checksum(self) -> Checksum {
        Checksum { bytes: self.bytes, crc32: self.crc32.finalize() }
    }
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let written = self.to.write(data)?;
        self.crc32.update(&data[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// A table that is being written.
pub(super) struct RecordWriter {
    file: SerializedFileWriter<Counted<File>>,
    numbers: Vec<Vec<i64>>,
    texts: Vec<Vec<ByteArray>>,
    kept: HashMap<Box<[u8]>, ByteArray>,
    /// The number of rows that are not in the file yet.
    pending: usize,
}

impl RecordWriter {
    pub(super) fn create(path: &Path, table: RecordTable) -> io::Result<Self> {
        let numbers =
            table.numbers().iter().map(|name| (*name, Stored::INT64, LogicalType::integer(64, false)));
        let texts = table.texts().iter().map(|name| (*name, Stored::BYTE_ARRAY, LogicalType::String));
        let columns = numbers.chain(texts).map(|(name, stored, meaning)| (name, stored, Some(meaning)));
        let out = Counted::new(File::create_new(path)?);
        Ok(Self {
            file: parquet_file::create(out, columns, Repetition::REQUIRED)?,
            numbers: vec![Vec::new(); table.numbers().len()],
            texts: vec![Vec::new(); table.texts().len()],
            kept: HashMap::new(),
            pending: 0,
        })
    }

    /// Adds a row, with a value for each column.
    pub(super) fn add(&mut self, numbers: &[u64], texts: &[&[u8]]) -> io::Result<()> {
        debug_assert_eq!((numbers.len(), texts.len()), (self.numbers.len(), self.texts.len()));
        for (column, number) in self.numbers.iter_mut().zip(numbers) {
            column.push(number.cast_signed());
        }
        for (column, text) in self.texts.iter_mut().zip(texts) {
            column.push(keep(&mut self.kept, text));
        }
        self.pending += 1;
        if self.pending < GROUP { Ok(()) } else { self.write_group() }
    }

    fn write_group(&mut self) -> io::Result<()> {
        let mut group = self.file.next_row_group().map_err(failure)?;
        for column in &mut self.numbers {
            write_column::<Int64Type, _>(&mut group, column, None)?;
            column.clear();
        }
        for column in &mut self.texts {
            write_column::<ByteArrayType, _>(&mut group, column, None)?;
            column.clear();
        }
        group.close().map_err(failure)?;
        self.pending = 0;
        Ok(())
    }

    /// Writes the rest.
    pub(super) fn close(mut self) -> io::Result<Checksum> {
        if self.pending > 0 {
            self.write_group()?;
        }
        let counted = self.file.into_inner().map_err(failure)?;
        // A file system on other machines may report a full disk only here.
        counted.to.sync_all()?;
        Ok(counted.checksum())
    }
}

fn keep(kept: &mut HashMap<Box<[u8]>, ByteArray>, text: &[u8]) -> ByteArray {
    if let Some(same) = kept.get(text) {
        return same.clone();
    }
    if kept.len() >= KEPT_TEXTS {
        kept.clear();
    }
    let new = ByteArray::from(text.to_vec());
    kept.insert(text.into(), new.clone());
    new
}

/// A table that is read group by group.
pub(super) struct RecordReader {
    file: SerializedFileReader<File>,
    table: RecordTable,
}

impl RecordReader {
    /// Opens a table.
    pub(super) fn open(path: &Path, table: RecordTable) -> io::Result<Self> {
        let file = files::open_regular(path)?;
        let file = guarded(|| SerializedFileReader::new(file).map_err(failure))?;
        let schema = file.metadata().file_metadata().schema_descr();
        let names = table.numbers().iter().map(|name| (*name, Stored::INT64));
        let names = names.chain(table.texts().iter().map(|name| (*name, Stored::BYTE_ARRAY)));
        let is_same = schema.num_columns() == table.numbers().len() + table.texts().len()
            && names.zip(schema.columns()).all(|((name, stored), column)| {
                column.name() == name
                    && column.physical_type() == stored
                    && column.max_def_level() == 0
                    && column.max_rep_level() == 0
            });
        if is_same { Ok(Self { file, table }) } else { Err(malformed("its columns are not those of mpit")) }
    }

    pub(super) fn groups(&self) -> usize {
        self.file.num_row_groups()
    }

    /// Reads a group of rows.
    pub(super) fn group(&self, at: usize) -> io::Result<Group> {
        guarded(|| self.read_group(at))
    }

    fn read_group(&self, at: usize) -> io::Result<Group> {
        let group = self.file.get_row_group(at).map_err(failure)?;
        let len = usize::try_from(group.metadata().num_rows()).ok().filter(|rows| *rows <= GROUP);
        let len = len.ok_or_else(|| malformed("a group has more rows than mpit writes"))?;
        let (first_text, columns) = (self.table.numbers().len(), self.table.texts().len());
        let numbers = (0..first_text).map(|at| read_column::<Int64Type>(&*group, at, len));
        let texts =
            (first_text..first_text + columns).map(|at| read_column::<ByteArrayType>(&*group, at, len));
        Ok(Group {
            numbers: numbers.collect::<io::Result<_>>()?,
            texts: texts.collect::<io::Result<_>>()?,
            len,
        })
    }
}

/// Fails if a file has not the length and the content that were written.
pub(super) fn check(path: &Path, expected: Checksum) -> io::Result<()> {
    let is_same = Checksum::of(&mut files::open_regular(path)?)? == expected;
    if is_same { Ok(()) } else { Err(malformed("it was changed after it was written")) }
}

/// Turns a panic into an error: the library expects files that a writer of Parquet made.
fn guarded<T>(read: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| Err(malformed("it is malformed")))
}

/// Reads a column of a known type.
fn read_column<T: DataType>(group: &dyn RowGroupReader, at: usize, len: usize) -> io::Result<Vec<T::T>> {
    let mut reader = get_typed_column_reader::<T>(group.get_column_reader(at).map_err(failure)?);
    let mut values = Vec::with_capacity(len);
    while values.len() < len {
        let before = values.len();
        reader.read_records(len - before, None, None, &mut values).map_err(failure)?;
        if values.len() == before {
            return Err(malformed("a column is shorter than others"));
        }
    }
    Ok(values)
}

fn malformed(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what)
}

/// Rows that are in memory.
#[derive(Default)]
pub(super) struct Group {
    numbers: Vec<Vec<i64>>,
    texts: Vec<Vec<ByteArray>>,
    len: usize,
}

impl Group {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        (0..self.len).map(|at| Row { group: self, at })
    }

    pub(super) fn row(&self, at: usize) -> Option<Row<'_>> {
        (at < self.len).then_some(Row { group: self, at })
    }
}

/// A row of a group. Columns are counted from 0, those of texts apart.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    group: &'a Group,
    at: usize,
}

impl<'a> Row<'a> {
    #[inline]
    pub(super) fn number(self, column: usize) -> u64 {
        self.group.numbers[column][self.at].cast_unsigned()
    }

    /// Returns a rank, or another number of 32 bits.
    #[inline]
    pub(super) fn small(self, column: usize) -> Option<u32> {
        u32::try_from(self.number(column)).ok()
    }

    #[inline]
    pub(super) fn text(self, column: usize) -> &'a [u8] {
        self.group.texts[column][self.at].data()
    }
}
