//! Tables as Parquet.

use std::io::{self, Write};

use parquet::basic::{LogicalType, Repetition, Type as Stored};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::file::writer::SerializedRowGroupWriter;

use super::{ReportTable, Sink};
use crate::columns::{CellValue, Column, Row, ValueType};
use crate::job::Job;
use crate::parquet_file::{self, failure, write_column};

/// Writes a table of a job, with the name of the job as its first column; returns the number of rows.
///
/// Integers have 64 bits and a sign, which all programs read; larger ones are the largest of these.
///
/// # Errors
///
/// The errors of the sink.
pub fn write_parquet(out: impl Write + Send, job: &Job, table: ReportTable, name: &str) -> io::Result<u64> {
    table.put_into(job, Parquet { out, name })
}

/// The number of rows that are written as a group, so that not all of them are in memory.
const GROUP: usize = 1 << 18;

/// The name of the first column.
const NAME: &str = "job";

struct Parquet<'a, W> {
    out: W,
    name: &'a str,
}

impl<W: Write + Send> Sink for Parquet<'_, W> {
    type Done = u64;

    fn put<R: Row>(self, rows: impl IntoIterator<Item = R>) -> io::Result<u64> {
        let columns = &R::exported()[..];
        let text = Some(LogicalType::String);
        let fields = columns.iter().map(|column| match column.of {
            ValueType::Integer => (column.name, Stored::INT64, None),
            ValueType::Number => (column.name, Stored::DOUBLE, None),
            ValueType::Text => (column.name, Stored::BYTE_ARRAY, text.clone()),
        });
        let fields = std::iter::once((NAME, Stored::BYTE_ARRAY, text.clone())).chain(fields);
        let mut file = parquet_file::create(self.out, fields, Repetition::OPTIONAL)?;
        let (mut rows, mut written) = (rows.into_iter(), 0);
        loop {
            let group: Vec<R> = rows.by_ref().take(GROUP).collect();
            if group.is_empty() {
                break;
            }
            written += group.len() as u64;
            let mut writer = file.next_row_group().map_err(failure)?;
            put_group(&mut writer, columns, &group, self.name)?;
            writer.close().map_err(failure)?;
        }
        file.close().map_err(failure)?;
        Ok(written)
    }
}

fn put_group<R: 'static, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    columns: &[Column<R>],
    rows: &[R],
    name: &str,
) -> io::Result<()> {
    let name = ByteArray::from(name);
    put_column::<ByteArrayType, _, _>(group, rows, |_| Some(name.clone()))?;
    for column in columns {
        match column.of {
            ValueType::Integer => put_column::<Int64Type, _, _>(group, rows, |row| match column.value(row) {
                CellValue::Integer(value) => Some(i64::try_from(value).unwrap_or(i64::MAX)),
                _ => None,
            }),
            ValueType::Number => put_column::<DoubleType, _, _>(group, rows, |row| match column.value(row) {
                CellValue::Number(value) => Some(value),
                _ => None,
            }),
            ValueType::Text => {
                put_column::<ByteArrayType, _, _>(group, rows, |row| match column.value(row) {
                    CellValue::Text(text) => Some(text.into()),
                    CellValue::Letter(letter) => Some((&*letter.encode_utf8(&mut [0; 4])).into()),
                    _ => None,
                })
            }
        }?;
    }
    Ok(())
}

/// Writes the next column: its values, and for each row the level 1 if it has one and 0 otherwise.
fn put_column<T: DataType, R, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    rows: &[R],
    value: impl Fn(&R) -> Option<T::T>,
) -> io::Result<()> {
    let (mut values, mut levels) = (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
    for row in rows {
        let value = value(row);
        levels.push(i16::from(value.is_some()));
        values.extend(value);
    }
    write_column::<T, _>(group, &values, Some(&levels))
}
