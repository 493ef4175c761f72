//! A sheet of an Excel workbook (.xlsx) as delimited text, which is then read like any other.
//!
//! Numbers keep all their digits, dates and times are written as ISO 8601 has them, and cells without a value are empty. The table
//! starts at the first row and column that hold anything; a row that holds nothing is a blank line.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use calamine::{DataRef, ExcelDateTime, Reader, Xlsx, XlsxError};
use oddsmith::control::Control;
use oddsmith::error::DataFault;
use oddsmith::{ErrorKind, Result};

use crate::container::Cursor;
use crate::fault::Place;
use crate::options::{Quote, ReadOptions};
use crate::store::Store;

/// A sheet may claim more rows and columns than any memory holds; beyond so many cells it is no table.
const MOST_CELLS: u64 = 200_000_000;
/// Cells read between two looks at the control.
const STEP: usize = 1 << 16;

type Cells = BTreeMap<u32, Vec<(u32, String)>>;

/// A sheet as text, and its name.
pub(crate) struct Sheet {
    pub(crate) store: Store,
    pub(crate) name: String,
}

impl Sheet {
    /// Reads a sheet of a workbook: the one of that name, or the first.
    pub(crate) fn open(store: Store, wanted: Option<&str>, place: &Place, control: &Control) -> Result<Sheet> {
        let store = Arc::new(store);
        let mut book = fenced(place, || Xlsx::new(std::io::BufReader::new(Cursor::new(&store))))?;
        let names = book.sheet_names();
        let name = match wanted {
            Some(name) if names.iter().any(|known| known == name) => name.to_owned(),
            Some(name) => return Err(ErrorKind::Unknown { noun: "sheet", name: name.into(), known: names }.into()),
            None => names.into_iter().next().ok_or_else(|| place.fault(DataFault::new("the workbook has no sheet")))?,
        };
        let cells = fenced(place, || read_cells(&mut book, &name, control))??;
        let text = delimited(&cells, place)?;
        Ok(Sheet { store: Store::Memory(text.into_bytes().into()), name })
    }

    /// The options under which the text is read.
    pub(crate) fn options(options: &ReadOptions) -> ReadOptions {
        let marks = (Some(b','), Quote::Byte(b'"'), Some(b'.'));
        ReadOptions { delimiter: marks.0, quote: marks.1, decimal: marks.2, encoding: None, sheet: None, ..options.clone() }
    }
}

type Book = Xlsx<std::io::BufReader<Cursor>>;

fn read_cells(book: &mut Book, name: &str, control: &Control) -> std::result::Result<Result<Cells>, XlsxError> {
    let mut reader = book.worksheet_cells_reader(name)?;
    let mut cells = Cells::new();
    let mut count = 0usize;
    while let Some(cell) = reader.next_cell()? {
        count += 1;
        if count.is_multiple_of(STEP)
            && let Err(stopped) = control.check()
        {
            return Ok(Err(stopped));
        }
        let (row, column) = cell.get_position();
        let text = spelled(cell.get_value());
        if !text.is_empty() {
            cells.entry(row).or_default().push((column, text));
        }
    }
    Ok(Ok(cells))
}

/// A cell as a table of text would have it.
fn spelled(cell: &DataRef<'_>) -> String {
    match cell {
        DataRef::Int(value) => value.to_string(),
        DataRef::Float(value) => number(*value),
        DataRef::String(text) => text.clone(),
        DataRef::SharedString(text) => (*text).to_owned(),
        DataRef::Bool(value) => value.to_string(),
        DataRef::DateTime(moment) => moment_text(moment),
        DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => text.clone(),
        DataRef::Error(error) => error.to_string(),
        DataRef::Empty => String::new(),
    }
}

/// The shortest digits that give the same number back.
fn number(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-5..1e16).contains(&size) { format!("{value:e}") } else { value.to_string() }
}

fn moment_text(moment: &ExcelDateTime) -> String {
    let (year, month, day, hour, minute, second, milli) = moment.to_ymd_hms_milli();
    let fraction = if milli > 0 { format!(".{milli:03}") } else { String::new() };
    if moment.is_duration() {
        let hours = (moment.as_f64() * 24.0 + 1e-9).floor();
        return format!("{hours:02}:{minute:02}:{second:02}{fraction}");
    }
    let date = format!("{year:04}-{month:02}-{day:02}");
    let time = format!("{hour:02}:{minute:02}:{second:02}{fraction}");
    match (moment.as_f64() < 1.0, (hour, minute, second, milli) == (0, 0, 0, 0)) {
        (true, _) => time,
        (false, true) => date,
        (false, false) => format!("{date}T{time}"),
    }
}

fn delimited(cells: &Cells, place: &Place) -> Result<String> {
    let columns = || cells.values().flatten().map(|(column, _)| *column);
    let (Some(left), Some(right)) = (columns().min(), columns().max()) else { return Ok(String::new()) };
    let (top, bottom) = (cells.keys().next().copied().unwrap_or(0), cells.keys().next_back().copied().unwrap_or(0));
    let (rows, width) = (u64::from(bottom - top) + 1, (right - left) as usize + 1);
    if rows * width as u64 > MOST_CELLS {
        let what = format!("the sheet spans {rows} rows and {width} columns");
        return Err(place.fault(DataFault::new(what).accepted("delete what stands far from the table, or save it as CSV")));
    }
    let mut text = String::new();
    for row in top..=bottom {
        if let Some(filled) = cells.get(&row) {
            let mut line = vec![""; width];
            filled.iter().for_each(|(column, cell)| line[(column - left) as usize] = cell);
            for (j, cell) in line.into_iter().enumerate() {
                text.push_str(if j > 0 { "," } else { "" });
                push_cell(&mut text, cell);
            }
        }
        text.push('\n');
    }
    Ok(text)
}

fn push_cell(text: &mut String, cell: &str) {
    if !cell.contains(['"', ',', '\n', '\r']) {
        return text.push_str(cell);
    }
    text.push('"');
    text.push_str(&cell.replace('"', "\"\""));
    text.push('"');
}

/// Runs the decoder; its complaints and its panics become errors about the file.
fn fenced<T>(place: &Place, decode: impl FnOnce() -> std::result::Result<T, XlsxError>) -> Result<T> {
    let broken = |what: String| {
        let what = what.lines().next().unwrap_or_default().to_owned();
        place.fault(DataFault::new(format!("the workbook cannot be read: {what}")).accepted("save its sheet as CSV"))
    };
    match catch_unwind(AssertUnwindSafe(decode)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(XlsxError::Io(error))) if error.raw_os_error().is_some() => Err(place.io(error)),
        Ok(Err(error)) => Err(broken(error.to_string())),
        Err(_) => Err(broken("its parts do not fit together".into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use calamine::ExcelDateTimeType::{DateTime, TimeDelta};

    #[test]
    fn numbers_keep_their_digits_and_moments_are_iso_texts() {
        assert_eq!([0.1 + 0.2, 3.0, -0.5, 1e300, 2.5e-9].map(number), ["0.30000000000000004", "3", "-0.5", "1e300", "2.5e-9"]);
        let moment = |value: f64, kind| moment_text(&ExcelDateTime::new(value, kind, false));
        assert_eq!(moment(45943.0, DateTime), "2025-10-13");
        assert_eq!(moment(45943.541, DateTime), "2025-10-13T12:59:02.400");
        assert_eq!(moment(0.5, DateTime), "12:00:00");
        assert_eq!(moment(1.5, TimeDelta), "36:00:00");
    }

    #[test]
    fn the_table_is_the_box_of_filled_cells() {
        let row = |cells: &[(u32, &str)]| cells.iter().map(|(j, cell)| (*j, cell.to_string())).collect::<Vec<_>>();
        let cells = Cells::from([(2, row(&[(1, "a"), (2, "b \"c\"")])), (4, row(&[(2, "x,y")]))]);
        assert_eq!(delimited(&cells, &Place::named("t")).unwrap(), "a,\"b \"\"c\"\"\"\n\n,\"x,y\"\n");
        let far = Cells::from([(0, row(&[(0, "a")])), (1_048_575, row(&[(16_383, "b")]))]);
        assert!(delimited(&far, &Place::named("t")).unwrap_err().to_string().contains("spans 1048576 rows and 16384 columns"));
    }
}
