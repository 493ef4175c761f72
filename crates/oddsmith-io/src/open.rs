//! Opening a table to learn from it.

use std::io::{self, Read};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use oddsmith::control::Control;
use oddsmith::data::{Kind, Layout, Source};
use oddsmith::error::DataFault;
use oddsmith::notice::{self, Notice};
use oddsmith::{Error, Result};

use crate::array_feed::ArrayFeed;
use crate::container::{self, Container};
use crate::cutter::Cutter;
use crate::dialect::Format;
use crate::encoding::{self, Decoding};
use crate::fasttext;
use crate::fault::Place;
use crate::feed::batch_rows;
use crate::foreign;
use crate::grid::Shape;
use crate::many;
use crate::missing::Markers;
use crate::opening::Raw;
use crate::options::{Input, Quote, ReadOptions, Roles};
use crate::piece::pieces;
use crate::plan::settle_names;
use crate::reading::{self, Reading};
use crate::records::Marks;
use crate::sniff::{Sniffed, Window, sniff};
use crate::store::{Store, StoreReader};
use crate::summary::ColumnSummary;
use crate::text_feed::{Splitting, TextFacts, TextFeed, not_utf8};
#[cfg(feature = "xlsx")]
use crate::workbook::Sheet;

/// Bytes from which the dialect and the first guesses are taken.
pub(crate) const WINDOW: usize = 1 << 20;
/// Most bytes that are looked at for the first lines.
const LONGEST_LINE: usize = 64 * WINDOW;

/// A table that is ready to be learned from.
pub struct Opened {
    /// The rows: kept in memory when they fit half of the budget, read again for every pass otherwise. Rows
    /// without a target or with weight zero do not occur in it; `first_row` counts the rows that do.
    pub source: Box<dyn Source + Send>,
    /// The format as it was given or found.
    pub format: Format,
    /// `gzip` or `zstd`, when the file was compressed.
    pub compression: Option<&'static str>,
    /// Every column of the file, in its order.
    pub columns: Vec<ColumnSummary>,
    /// Number of rows that count.
    pub rows: u64,
    /// The sum of row weights of every class; without weights, its rows.
    pub class_weights: Vec<f64>,
    /// Columns of numbers that are only 0 and 1 and whose kind was not given; booleans where [`ReadOptions::flags`] asks for it.
    pub flags: Vec<String>,
    /// Whether the rows are kept in memory.
    pub in_memory: bool,
    /// What the reader of the result should know.
    pub notices: Vec<Notice>,
}

impl Opened {
    fn new(reading: Reading, format: Format, compression: Option<&'static str>) -> Self {
        let Reading { source, columns, rows, in_memory, class_weights, flags, notices } = reading;
        Opened { source, format, compression, columns, rows, class_weights, flags, in_memory, notices }
    }

    /// What the rows are encoded against.
    pub fn layout(&self) -> &Layout {
        self.source.layout()
    }
}

/// A table of Arrow arrays in memory, such as a data frame.
#[derive(Debug, Clone)]
pub struct ArrowTable {
    /// What messages call it.
    pub name: String,
    /// Names and types of the columns.
    pub schema: SchemaRef,
    /// The rows.
    pub batches: Vec<RecordBatch>,
}

impl ArrowTable {
    /// The table as a feed.
    pub(crate) fn feed(&self, options: &ReadOptions) -> Result<Box<ArrayFeed>> {
        options.check()?;
        let place = Place::named(self.name.clone());
        let container = Container::of_batches(Arc::clone(&self.schema), &self.batches, &place);
        Ok(Box::new(ArrayFeed::new(container, options, &place)?))
    }
}

/// Opens a table in memory to learn from it, as [`open`] does a file.
pub fn open_arrow(table: &ArrowTable, options: &ReadOptions, roles: &Roles, control: &Control) -> Result<Opened> {
    let reading = reading::read(table.feed(options)?, roles, options, &[], control)?;
    Ok(Opened::new(reading, Format::Arrow, None))
}

/// What the first bytes say about a file.
pub(crate) enum Content {
    /// Delimited text or lines.
    Text,
    /// An Excel workbook.
    #[cfg(feature = "xlsx")]
    Workbook,
    /// Typed columns.
    Container(Format),
}

impl Content {
    /// Tells what a file is, or why it is no table that can be read.
    pub(crate) fn of(magic: &[u8], options: &ReadOptions, place: &Place) -> Result<Content> {
        #[cfg(feature = "xlsx")]
        if foreign::is_office(magic) {
            return Ok(Content::Workbook);
        }
        if let Some(fault) = foreign::by_magic(magic) {
            return Err(place.fault(fault));
        }
        if let Some(sheet) = &options.sheet {
            return Err(Error::option("sheet", sheet, "only Excel workbooks (.xlsx) have sheets"));
        }
        Ok(container::announced(magic).map_or(Content::Text, Content::Container))
    }
}

/// Opens a table, finds the kinds, levels and vocabularies of its columns over all rows, and makes it a source.
///
/// Costs one pass over the file, and one more when a late cell contradicts what the first rows suggested.
pub fn open(input: &Input, options: &ReadOptions, roles: &Roles, control: &Control) -> Result<Opened> {
    options.check()?;
    if let Input::Many(argument) = input {
        return many::open_pieces(&pieces(std::slice::from_ref(argument))?, options, roles, control);
    }
    let place = Place::named(input.name());
    let raw = Raw::open(input, &place)?;
    let compression = raw.compression;
    let in_memory = usize::try_from(options.memory / 4).unwrap_or(usize::MAX);
    let magic = raw.magic.clone();
    let content = Content::of(&magic, options, &place)?;
    let store = raw.into_store(in_memory, &place, control)?;
    if !matches!(content, Content::Container(_)) {
        refuse_folders(input, &place)?;
    }
    match content {
        Content::Text => open_text(store, compression, options, roles, control, &place),
        #[cfg(feature = "xlsx")]
        Content::Workbook => {
            let sheet = Sheet::open(store, options.sheet.as_deref(), &place, control)?;
            let opened = open_text(sheet.store, compression, &Sheet::options(options), roles, control, &place)?;
            Ok(Opened { format: Format::Workbook { sheet: sheet.name }, ..opened })
        }
        Content::Container(format) => {
            let container = open_container(store, &magic, input, in_memory, &place, control)?;
            let feed = Box::new(ArrayFeed::new(container, options, &place)?);
            let reading = reading::read(feed, roles, options, &[], control)?;
            Ok(Opened::new(reading, format, compression))
        }
    }
}

/// A container with what its piece has of it.
pub(crate) fn open_container(
    store: Store,
    magic: &[u8],
    input: &Input,
    in_memory: usize,
    place: &Place,
    control: &Control,
) -> Result<Container> {
    let container = Container::open(store, magic, in_memory, place, control)?;
    match input.piece() {
        Some(piece) => container.of_piece(piece),
        None => Ok(container),
    }
}

/// Cells of a text have no room for the columns that names of folders are.
pub(crate) fn refuse_folders(input: &Input, place: &Place) -> Result<()> {
    match input.piece().and_then(|piece| piece.folders.first()) {
        None => Ok(()),
        Some(folder) => {
            let fault = DataFault::new("names of folders are columns of Parquet and Arrow files only").column(&folder.name);
            Err(place.fault(fault.accepted("write the column into the file, or give its files by a pattern that names the folder")))
        }
    }
}

fn open_text(
    store: Store,
    compression: Option<&'static str>,
    options: &ReadOptions,
    roles: &Roles,
    control: &Control,
    place: &Place,
) -> Result<Opened> {
    let (store, found) = into_utf8(store, options, place, control)?;
    let mark = if found.convert.is_none() { found.mark } else { 0 };
    let known: Vec<String> = roles.target.iter().cloned().chain(roles.features.iter().flatten().cloned()).collect();
    let head = read_window(&store, mark as u64, place)?;
    let prepared = prepare(&head, found.name(), options, &known, place, Purpose::Learn)?;
    let start = mark as u64 + prepared.start as u64;
    let flow = Box::new(StoreReader::new(store.clone(), start));
    let cutter = Cutter::new(flow, prepared.facts.shape.marks, start, options.partition_bytes, place.clone());
    let mut roles = roles.clone();
    let mut defaults = Vec::new();
    if let Splitting::FastText { .. } = prepared.facts.splitting {
        roles.target.get_or_insert_with(|| fasttext::NAMES[0].into());
        defaults.push((fasttext::NAMES[1].to_owned(), Kind::Text));
    }
    let feed = Box::new(TextFeed::new(prepared.facts, cutter, Some(store)));
    let reading = reading::read(feed, &roles, options, &defaults, control)?;
    let mut opened = Opened::new(reading, prepared.format, compression);
    opened.notices.splice(0..0, prepared.notices);
    Ok(opened)
}

/// The bytes as UTF-8, converted into a copy where necessary.
fn into_utf8(store: Store, options: &ReadOptions, place: &Place, control: &Control) -> Result<(Arc<Store>, encoding::Found)> {
    let mut head = vec![0; 4096];
    let count = store.read_at(0, &mut head).map_err(|error| place.io(error))?;
    let found = encoding::detect(&head[..count], options.encoding.as_deref())?;
    let store = Arc::new(store);
    let Some(encoding) = found.convert else { return Ok((store, found)) };
    let in_memory = usize::try_from(options.memory / 4).unwrap_or(usize::MAX);
    let decoding = Decoding::new(StoreReader::new(store, found.mark as u64), encoding, found.mark);
    Ok((Arc::new(Store::spool(decoding, in_memory, place, control)?), found))
}

/// The first bytes of a text.
pub(crate) struct Head {
    pub(crate) bytes: Vec<u8>,
    pub(crate) whole: bool,
    /// Bytes of the file before them.
    pub(crate) offset: u64,
}

/// Reads the window, and more where not even one line fits it.
fn read_window(store: &Arc<Store>, offset: u64, place: &Place) -> Result<Head> {
    let mut reader = StoreReader::new(store.clone(), offset);
    let mut bytes = Vec::new();
    let mut wanted = WINDOW;
    loop {
        let missing = (wanted - bytes.len()) as u64;
        let count = reader.by_ref().take(missing).read_to_end(&mut bytes).map_err(|error: io::Error| place.io(error))?;
        let whole = (count as u64) < missing || offset + bytes.len() as u64 == store.len();
        let lines = memchr::memchr2_iter(b'\n', b'\r', &bytes).take(3).count();
        // Names and cells of that length would be copied many times before anybody says so.
        if !whole && lines == 0 && wanted >= LONGEST_LINE {
            let fault = DataFault::new(format!("the first {LONGEST_LINE} bytes have no line end"))
                .accepted("a table, or a file that is packed as its name says");
            return Err(place.fault(fault));
        }
        if whole || lines >= 3 || wanted >= LONGEST_LINE {
            return Ok(Head { bytes, whole, offset });
        }
        wanted *= 2;
    }
}

/// What a text is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To learn from it.
    Learn,
    /// To score its rows; `lines` when the model was learned from `__label__` lines.
    Predict {
        /// Whether lines without labels are expected.
        lines: bool,
    },
}

impl Purpose {
    /// Whether a text consists of `__label__` lines. Where they are expected, anything without a column called `text` is
    /// taken for lines without labels.
    fn finds_lines(self, head: &[u8]) -> bool {
        let first = head.split(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
        let mut names = first.split(|byte| matches!(byte, b',' | b'\t' | b';' | b'|')).map(|name| name.trim_ascii());
        fasttext::detect(head) || (self == Purpose::Predict { lines: true } && !names.any(|name| name == b"text" || name == b"\"text\""))
    }
}

/// A text whose format is known.
pub(crate) struct Prepared {
    pub(crate) facts: TextFacts,
    pub(crate) format: Format,
    /// Where the rows start in the head.
    pub(crate) start: usize,
    /// Lines before them.
    pub(crate) lines: u64,
    pub(crate) notices: Vec<Notice>,
}

/// Finds the format of a text from its first bytes.
pub(crate) fn prepare(
    head: &Head,
    encoding: &'static str,
    options: &ReadOptions,
    known: &[String],
    place: &Place,
    purpose: Purpose,
) -> Result<Prepared> {
    if let Err(error) = std::str::from_utf8(&head.bytes)
        && (error.error_len().is_some() || head.whole)
    {
        return Err(not_utf8(place, head.offset + error.valid_up_to() as u64));
    }
    if head.bytes.iter().all(u8::is_ascii_whitespace) && head.whole {
        return Err(place.fault(DataFault::new("the file is empty").accepted("a table has a header and at least one row")));
    }
    let markers = Markers::new(options.missing.as_deref());
    if purpose.finds_lines(&head.bytes) && options.delimiter.is_none() {
        let marks = Marks { delimiter: b'\n', quote: None, line_end: b'\n' };
        let shape = Shape {
            marks,
            width: 2,
            trailing: false,
            ragged: options.ragged,
            rows: batch_rows(2),
            guessed_quotes: false,
            blank_rows: false,
        };
        let names = fasttext::NAMES.map(String::from).to_vec();
        let window = whole_lines(head, 0, &marks);
        let splitting = Splitting::FastText { every_label: purpose == Purpose::Learn };
        let facts = TextFacts { place: place.clone(), names, shape, splitting, decimal: b'.', markers, window };
        return Ok(Prepared { facts, format: Format::FastText { encoding }, start: 0, lines: 0, notices: Vec::new() });
    }
    let Sniffed { dialect, marks, names, start, lines } =
        sniff(&Window { bytes: &head.bytes, whole: head.whole, encoding }, options, known, place)?;
    let mut notices = Vec::new();
    let assumed = dialect.assumed(options);
    if !assumed.is_empty() {
        notices.push(Notice::new(notice::ENCODING_ASSUMED, format!("assumed {}", assumed.join(", "))));
    }
    let names = settle_names(names, options.dedup_names, place)?;
    let (width, trailing, ragged) = (names.len(), dialect.trailing_delimiter, options.ragged);
    let (guessed_quotes, blank_rows) = (options.quote == Quote::Auto, options.blank_rows);
    let shape = Shape { marks, width, trailing, ragged, rows: batch_rows(width), guessed_quotes, blank_rows };
    let window = whole_lines(head, start, &marks);
    let facts =
        TextFacts { place: place.clone(), names, shape, splitting: Splitting::Delimited, decimal: dialect.decimal, markers, window };
    Ok(Prepared { facts, format: Format::Delimited(dialect), start, lines, notices })
}

/// The whole records of the head from `start` on.
fn whole_lines(head: &Head, start: usize, marks: &Marks) -> Vec<u8> {
    let mut rows = head.bytes[start..].to_vec();
    if head.whole && rows.last().is_some_and(|last| *last != marks.line_end) {
        rows.push(marks.line_end);
    }
    let end = marks.last_end(&rows).0.unwrap_or(0);
    rows.truncate(end);
    rows
}
