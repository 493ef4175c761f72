//! Guesses the dialect of a delimited text from its first bytes.
//!
//! - delimiter: the one of comma, tab, semicolon and bar under which most records have the same number of cells and the
//!   fewest cells still contain another candidate; a dialect under which a column that the caller named exists wins;
//! - quotes: `"`, or `'` where the file clearly uses it, or none where they swallow rows ([`crate::stray_quotes`]);
//! - a first line `sep=;`, as spreadsheets write it, says the delimiter and is no row;
//! - lines before the table: those at the top with at most half as many cells as most records have;
//! - header: the first record names columns that exist, or stands over numbers without being one; without any number,
//!   it is a header unless one of its cells occurs again below;
//! - decimal comma: cells like `1,5` occur and cells like `1.5` do not (never when the comma is the delimiter).

use oddsmith::Result;
use oddsmith::error::DataFault;

use crate::dialect::{Dialect, LineEnd};
use crate::fault::Place;
use crate::missing::Markers;
use crate::number;
use crate::options::{Header, Quote, ReadOptions};
use crate::record_counts::counted;
use crate::records::{Marks, PADDING, Record};
use crate::stray_quotes;

const CANDIDATES: [u8; 4] = [b',', b'\t', b';', b'|'];
/// Records that are looked at.
const MOST_RECORDS: usize = 1000;
/// Columns of a table at the most; every one of them costs memory before the first row is read.
const MOST_COLUMNS: usize = 1 << 20;
/// Lines before the table that are passed over at most.
const LONGEST_PREAMBLE: usize = 50;

/// What was found.
#[derive(Debug)]
pub(crate) struct Sniffed {
    /// For people.
    pub(crate) dialect: Dialect,
    /// For the splitter.
    pub(crate) marks: Marks,
    /// Column names, from the header or made up.
    pub(crate) names: Vec<String>,
    /// Where the first data record starts in the window.
    pub(crate) start: usize,
    /// Line ends before that place.
    pub(crate) lines: u64,
}

/// The first bytes of a table.
pub(crate) struct Window<'a> {
    /// UTF-8 bytes.
    pub(crate) bytes: &'a [u8],
    /// Whether they are the whole table.
    pub(crate) whole: bool,
    /// The encoding they had.
    pub(crate) encoding: &'static str,
}

struct Row {
    start: usize,
    /// Where the next line starts.
    end: usize,
    cells: Vec<Vec<u8>>,
}

/// Guesses what the options leave open; `known` are column names that should exist.
pub(crate) fn sniff(window: &Window<'_>, options: &ReadOptions, known: &[String], place: &Place) -> Result<Sniffed> {
    let line_end = line_end(window.bytes);
    let quote = match options.quote {
        Quote::None => None,
        Quote::Byte(byte) => Some(byte),
        Quote::Auto => Some(b'"'),
    };
    let declared = declared_delimiter(window.bytes);
    let candidates: Vec<u8> = options.delimiter.or(declared).map_or(CANDIDATES.to_vec(), |delimiter| vec![delimiter]);
    let mut best: Option<(f64, usize, Marks, Vec<Row>)> = None;
    let mut widest = 0;
    for delimiter in candidates {
        let cells = most_cells(window.bytes, delimiter, line_end);
        widest = widest.max(cells);
        if cells > MOST_COLUMNS {
            continue;
        }
        let mut marks = Marks { delimiter, quote, line_end };
        if options.quote == Quote::Auto && uses_single_quotes(window.bytes, marks) {
            marks.quote = Some(b'\'');
        }
        if options.quote == Quote::Auto && stray_quotes::are_text(window, marks) {
            marks.quote = None;
        }
        let mut records = split(window, marks);
        records.drain(..usize::from(declared.is_some()).min(records.len()));
        let (score, modal) = score(&records, delimiter, known);
        if best.as_ref().is_none_or(|(top, width, ..)| score > *top + 1e-9 || (score > *top - 1e-9 && modal > *width)) {
            best = Some((score, modal, marks, records));
        }
    }
    if widest > MOST_COLUMNS && best.as_ref().is_none_or(|(_, modal, ..)| *modal < 2) {
        let fault = DataFault::new(format!("a line has {widest} cells")).accepted(format!("tables of up to {MOST_COLUMNS} columns"));
        return Err(place.fault(fault));
    }
    let Some((_, modal, marks, records)) = best.filter(|(.., records)| !records.is_empty()) else {
        return Err(place.fault(DataFault::new("the file is empty").accepted("a table has a header and at least one row")));
    };
    let first = preamble(&records, modal, options.header);
    let records = &records[first..];
    let header = match options.header {
        Header::Yes => true,
        Header::No => false,
        Header::Auto if options.names.is_some() => false,
        Header::Auto => is_header(records, known),
    };
    let rows = &records[usize::from(header)..];
    let (width, trailing_delimiter) = width(records, rows, header);
    let names = match header {
        true => records[0].cells[..width].iter().map(|cell| String::from_utf8_lossy(cell).trim().to_owned()).collect(),
        false => given_names(options, width, place)?,
    };
    let decimal = options.decimal.unwrap_or_else(|| if marks.delimiter != b',' && has_decimal_comma(rows) { b',' } else { b'.' });
    // In a table of one column a blank line is a row, the first line too.
    let start = match header {
        true => records[0].end,
        false if width == 1 && first == 0 => 0,
        false => records[0].start,
    };
    let preamble =
        if header { line_ends(&window.bytes[..records[0].start], line_end) } else { line_ends(&window.bytes[..start], line_end) };
    let crlf = line_end == b'\n' && window.bytes.windows(2).any(|pair| pair == b"\r\n");
    let line_end = if crlf {
        LineEnd::CrLf
    } else if line_end == b'\n' {
        LineEnd::Lf
    } else {
        LineEnd::Cr
    };
    let Marks { delimiter, quote, .. } = marks;
    let dialect = Dialect { encoding: window.encoding, delimiter, quote, header, decimal, line_end, preamble, trailing_delimiter };
    Ok(Sniffed { dialect, marks, names, start, lines: line_ends(&window.bytes[..start], marks.line_end) })
}

/// Cells of the line that has the most of them, whatever quotes enclose.
fn most_cells(bytes: &[u8], delimiter: u8, line_end: u8) -> usize {
    let (mut most, mut from) = (0, 0);
    for end in memchr::memchr_iter(line_end, bytes).chain([bytes.len()]) {
        // A short line has no need to be counted.
        if end.saturating_sub(from) >= most {
            most = most.max(1 + memchr::memchr_iter(delimiter, &bytes[from.min(end)..end]).count());
        }
        from = end + 1;
    }
    most
}

/// The delimiter that the first line declares, `sep=;` for one.
fn declared_delimiter(bytes: &[u8]) -> Option<u8> {
    let line = bytes.split(|byte| matches!(byte, b'\r' | b'\n')).next()?;
    let line = line.strip_prefix(b"\"").and_then(|inner| inner.strip_suffix(b"\"")).unwrap_or(line);
    match line {
        [b's' | b'S', b'e' | b'E', b'p' | b'P', b'=', delimiter] if !delimiter.is_ascii_alphanumeric() => Some(*delimiter),
        _ => None,
    }
}

/// The names of a table without a header: those that the caller gives, or numbers.
fn given_names(options: &ReadOptions, width: usize, place: &Place) -> Result<Vec<String>> {
    match &options.names {
        None => Ok((1..=width).map(numbered_name).collect()),
        Some(names) if names.len() == width => Ok(names.clone()),
        Some(names) => {
            let fault = DataFault::new(format!("{} for {}", counted(names.len() as u64, "name"), counted(width as u64, "column")));
            Err(place.fault(fault.accepted("give one name per column, in the order of the file")))
        }
    }
}

/// What a column is called that has no name, counted from 1.
pub(crate) fn numbered_name(column: usize) -> String {
    format!("column_{column}")
}

/// Whether a name is one that a table without a header gets.
fn is_numbered(name: &str) -> bool {
    name.strip_prefix("column_").is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// `\r` when it ends more lines than `\n` does, with or without `\r` before it; what stands between double quotes is left out.
fn line_end(bytes: &[u8]) -> u8 {
    let (mut returns, mut feeds, mut quoted) = (0u64, 0u64, false);
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' if !quoted => feeds += 1,
            b'\r' if !quoted && bytes.get(at + 1) != Some(&b'\n') => returns += 1,
            _ => {}
        }
    }
    if returns > feeds { b'\r' } else { b'\n' }
}

fn line_ends(bytes: &[u8], line_end: u8) -> u64 {
    memchr::memchr_iter(line_end, bytes).count() as u64
}

/// The first records, without empty lines; the last one is dropped when the window may have cut it.
fn split(window: &Window<'_>, marks: Marks) -> Vec<Row> {
    let mut text = window.bytes.to_vec();
    let cut = text.last().is_some_and(|last| *last != marks.line_end);
    if cut {
        text.push(marks.line_end);
    }
    let body = text.len();
    text.resize(body + PADDING, 0);
    let (mut records, mut record, mut at) = (Vec::new(), Record::default(), 0);
    while at < body && records.len() < MOST_RECORDS {
        let start = at;
        at = marks.split(&mut text, body, start, &mut record);
        let cells: Vec<Vec<u8>> = record.cells.iter().map(|cell| text[cell[0] as usize..cell[1] as usize].to_vec()).collect();
        if cells.len() > 1 || cells.iter().any(|cell| !cell.is_empty()) {
            records.push(Row { start, end: at.min(window.bytes.len()), cells });
        }
        text.truncate(body + PADDING);
    }
    if at >= body && cut && !window.whole && records.len() > 1 {
        records.pop();
    }
    records
}

/// How well a delimiter fits, and how many cells most records have under it.
fn score(records: &[Row], delimiter: u8, known: &[String]) -> (f64, usize) {
    let mut widths: Vec<usize> = records.iter().map(|record| record.cells.len()).collect();
    widths.sort_unstable();
    let (count, modal) = widths.chunk_by(|a, b| a == b).map(|same| (same.len(), same[0])).max().unwrap_or((0, 1));
    if modal < 2 {
        return (0.0, 1);
    }
    let consistent = count as f64 / records.len() as f64;
    let (mut clean, mut cells) = (0usize, 0usize);
    for cell in records.iter().flat_map(|record| &record.cells) {
        cells += 1;
        clean += usize::from(!cell.iter().any(|byte| *byte != delimiter && CANDIDATES[1..].contains(byte)));
    }
    let named = !known.is_empty() && records.iter().take(LONGEST_PREAMBLE).any(|record| names_known(record, known));
    (consistent * clean as f64 / cells as f64 + f64::from(u8::from(named)), modal)
}

fn names_known(record: &Row, known: &[String]) -> bool {
    record.cells.iter().any(|cell| known.iter().any(|name| name.as_bytes() == cell.trim_ascii()))
}

/// Whether cells are enclosed in single quotes: as many open as close, and there are no double ones.
fn uses_single_quotes(bytes: &[u8], marks: Marks) -> bool {
    if bytes.contains(&b'"') {
        return false;
    }
    let edge = |byte: Option<&u8>| byte.is_none_or(|b| *b == marks.delimiter || *b == marks.line_end || *b == b'\r');
    let (mut opening, mut closing) = (0, 0);
    for at in memchr::memchr_iter(b'\'', bytes) {
        opening += u64::from(edge(at.checked_sub(1).and_then(|before| bytes.get(before))));
        closing += u64::from(edge(bytes.get(at + 1)));
    }
    opening > 0 && opening == closing && opening * 2 >= line_ends(bytes, marks.line_end)
}

/// The number of records before the table.
fn preamble(records: &[Row], modal: usize, header: Header) -> usize {
    let narrow = |record: &Row| record.cells.len() * 2 <= modal;
    let lines = records.iter().take(LONGEST_PREAMBLE).take_while(|record| narrow(record)).count();
    if header == Header::No || lines == records.len().min(LONGEST_PREAMBLE) { 0 } else { lines }
}

fn is_header(records: &[Row], known: &[String]) -> bool {
    let (first, rows) = (&records[0], &records[1..]);
    if names_known(first, known) {
        return true;
    }
    let markers = Markers::new(None);
    let number = |cell: &[u8]| number::parse(cell, b'.').or_else(|| number::parse(cell, b',')).is_some();
    let mut numbers_below_number = false;
    for (j, cell) in first.cells.iter().enumerate() {
        let mut below = rows.iter().filter_map(|row| row.cells.get(j)).filter(|below| !markers.has(below)).peekable();
        let numeric_below = below.peek().is_some() && below.all(|below| number(below));
        if numeric_below && !markers.has(cell) && !number(cell) {
            return true;
        }
        numbers_below_number |= number(cell) && (numeric_below || rows.is_empty());
    }
    // Whoever speaks of columns by the names that they get without a header has seen none.
    if !known.is_empty() && known.iter().all(|name| is_numbered(name)) {
        return false;
    }
    let recurs = |(j, cell): (usize, &Vec<u8>)| !cell.is_empty() && rows.iter().any(|row| row.cells.get(j) == Some(cell));
    !numbers_below_number && !first.cells.iter().enumerate().any(recurs)
}

/// The number of columns, and whether records end with a delimiter that starts no cell.
fn width(records: &[Row], rows: &[Row], header: bool) -> (usize, bool) {
    let first = records[0].cells.len();
    let empty_at = |record: &Row, j: usize| record.cells.get(j).is_none_or(|cell| cell.trim_ascii().is_empty());
    let unnamed = if header { empty_at(&records[0], first - 1) } else { true };
    if first > 1 && unnamed && records.iter().all(|record| record.cells.len() <= first && empty_at(record, first - 1)) {
        return (first - 1, true);
    }
    let extra = |record: &Row| record.cells.len() == first + 1 && empty_at(record, first);
    (first, !rows.is_empty() && rows.iter().all(extra))
}

/// Cells like `1,5` and no cells like `1.5`.
fn has_decimal_comma(rows: &[Row]) -> bool {
    let fraction = |cell: &[u8], mark: u8| cell.contains(&mark) && number::parse(cell, mark).is_some_and(f64::is_finite);
    let cells = || rows.iter().flat_map(|row| &row.cells);
    cells().any(|cell| fraction(cell, b',')) && !cells().any(|cell| fraction(cell, b'.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sniffed(text: &str, known: &[&str]) -> Sniffed {
        let known: Vec<String> = known.iter().map(|name| name.to_string()).collect();
        let window = Window { bytes: text.as_bytes(), whole: true, encoding: "UTF-8" };
        sniff(&window, &ReadOptions::default(), &known, &Place::named("t")).unwrap()
    }

    fn delimiter(text: &str) -> char {
        char::from(sniffed(text, &[]).marks.delimiter)
    }

    #[test]
    fn a_first_line_may_declare_the_delimiter() {
        for text in ["sep=;\na,b;y\n1,5;p\n2,5;q\n", "\"sep=;\"\r\na,b;y\r\n1,5;p\r\n2,5;q\r\n"] {
            let found = sniffed(text, &[]);
            assert_eq!((found.marks.delimiter, found.dialect.preamble, found.names), (b';', 1, vec!["a,b".to_owned(), "y".to_owned()]));
        }
        // A column of that name is one, and a delimiter that the caller gives stays.
        assert_eq!(sniffed("sep,y\n1,p\n", &[]).names, ["sep", "y"]);
        let window = Window { bytes: b"sep=;\na,y\n1,p\n", whole: true, encoding: "UTF-8" };
        let given = ReadOptions { delimiter: Some(b','), ..ReadOptions::default() };
        assert_eq!(sniff(&window, &given, &[], &Place::named("t")).unwrap().names, ["a", "y"]);
    }

    #[test]
    fn delimiters_are_told_by_even_rows_and_clean_cells() {
        assert_eq!(delimiter("a,b\n1,2\n"), ',');
        assert_eq!(delimiter("a;b\n1,5;2,5\n3,5;4,5\n"), ';');
        assert_eq!(delimiter("name;n\nSmith, John;1\nLee, Ann;2\n"), ';');
        assert_eq!(delimiter("a\tb\nx, y and z\t1\nw, v\t2\n"), '\t');
        assert_eq!(delimiter("a|b|c\n1|2|3\n"), '|');
        assert_eq!(delimiter("a,b\n\"x;y;z\",1\n\"u;v;w\",2\n"), ',');
        assert_eq!(delimiter("alone\n1\n2\n"), ',');
    }

    #[test]
    fn headers_stand_over_numbers_or_name_columns() {
        let header = |text: &str, known: &[&str]| sniffed(text, known).dialect.header;
        assert!(header("x,y\n1,a\n2,b\n", &[]));
        assert!(header("name,2019,2020\na,1,2\nb,3,4\n", &["name"]));
        assert!(!header("1,2\n3,4\n", &[]));
        assert!(header("1,2\n3,4\n", &["2"]));
        assert!(header("color,size\nred,big\nblue,small\n", &[]));
        assert!(!header("red,big\nblue,small\nred,small\n", &[]));
        assert!(!header("5.1,setosa\n4.9,setosa\n", &[]));
    }

    #[test]
    fn what_stands_above_the_table_is_passed_over() {
        let found = sniffed("Report of 2024\nby hand, mostly\n\nid,a,b,c,y\n1,2,3,4,p\n5,6,7,8,q\n", &[]);
        assert_eq!((found.dialect.preamble, found.names.join(" "), found.lines), (3, "id a b c y".into(), 4));
        let found = sniffed("id,a,b\n1,2,3,4\n5,6,7,8\n", &[]);
        assert_eq!((found.dialect.preamble, found.names.len()), (0, 3));
    }

    #[test]
    fn columns_without_names_are_numbered_or_given_names() {
        assert_eq!(sniffed("red,big\nblue,small\n", &["column_2"]).names, ["column_1", "column_2"]);
        let window = Window { bytes: b"red,big\nblue,small\n", whole: true, encoding: "UTF-8" };
        let named = |names: &[&str]| {
            let names = Some(names.iter().map(|name| name.to_string()).collect());
            sniff(&window, &ReadOptions { names, ..ReadOptions::default() }, &[], &Place::named("t"))
        };
        let found = named(&["colour", "size"]).unwrap();
        assert_eq!((found.names.join(" "), found.start, found.dialect.header), ("colour size".into(), 0, false));
        let fault = named(&["colour"]).unwrap_err().to_string();
        assert_eq!(fault, "t: 1 name for 2 columns; give one name per column, in the order of the file");
    }

    #[test]
    fn blank_lines_of_one_column_belong_to_the_rows() {
        let found = sniffed("\nx\n\n1\n", &["x"]);
        assert_eq!((found.start, found.dialect.preamble, found.names.join(" ")), (3, 1, "x".into()));
        let found = sniffed("\n5\n\n1\n", &[]);
        assert_eq!((found.start, found.dialect.preamble, found.dialect.header), (0, 0, false));
        assert_eq!(sniffed("x,y\n\n1,a\n", &[]).start, 4);
    }

    #[test]
    fn decimal_commas_need_another_delimiter() {
        assert_eq!(sniffed("a;y\n1,5;p\n2;q\n", &[]).dialect.decimal, b',');
        assert_eq!(sniffed("a;y\n1.5;p\n2,5;q\n", &[]).dialect.decimal, b'.');
        assert_eq!(sniffed("a,y\n\"1,5\",p\n2,q\n", &[]).dialect.decimal, b'.');
    }

    #[test]
    fn line_ends_inside_quotes_do_not_count() {
        assert_eq!(line_end(b"a,b\r1,\"x\ny\nz\"\r"), b'\r');
        assert_eq!(line_end(b"a,b\r\n1,\"x\ry\"\r\n"), b'\n');
    }
}
