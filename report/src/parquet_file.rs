//! The parts of Parquet files that the tables of a report and those of records share.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Stored};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;

/// A column: name, type, and the meaning of values.
pub(crate) type Field<'a> = (&'a str, Stored, Option<LogicalType>);

/// Begins a file, in which all columns may be null or none.
pub(crate) fn create<'a, W: Write + Send>(
    out: W,
    columns: impl Iterator<Item = Field<'a>>,
    repetition: Repetition,
) -> io::Result<SerializedFileWriter<W>> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        // Integers that hardly repeat are stored as differences of neighbors, others by a dictionary.
        .set_writer_version(WriterVersion::PARQUET_2_0)
        .set_created_by(concat!("mpit ", env!("CARGO_PKG_VERSION")).to_owned());
    let field = |(name, stored, meaning): Field<'_>| {
        let field = Type::primitive_type_builder(name, stored).with_repetition(repetition);
        field.with_logical_type(meaning).build().map(Arc::new)
    };
    let fields = columns.map(field).collect::<Result<_, _>>().map_err(failure)?;
    let schema = Type::group_type_builder("mpit").with_fields(fields).build().map_err(failure)?;
    SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties.build())).map_err(failure)
}

/// Writes the next column. If values may be null, `levels` has 1 for each row with one and 0 for others.
pub(crate) fn write_column<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[T::T],
    levels: Option<&[i16]>,
) -> io::Result<()> {
    let missing = || io::Error::other("a column more than the schema has");
    let mut column = group.next_column().map_err(failure)?.ok_or_else(missing)?;
    column.typed::<T>().write_batch(values, levels, None).map_err(failure)?;
    column.close().map_err(failure)
}

pub(crate) fn failure(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}
