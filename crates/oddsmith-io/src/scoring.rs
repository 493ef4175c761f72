//! Opening new rows for a model: columns are found by name, and rows stream by in the order of the file.

use std::collections::BTreeSet;
use std::io::{self, Read};
#[cfg(feature = "xlsx")]
use std::sync::Arc;

use oddsmith::Result;
use oddsmith::control::Control;
use oddsmith::data::{Features, Layout, Space};
use oddsmith::error::{DataFault, visible};
use oddsmith::notice::{self, Notice};

use crate::array_feed::ArrayFeed;
use crate::block::Block;
use crate::column::RawBatch;
use crate::condition::RowFilter;
use crate::cutter::Cutter;
use crate::dialect::Format;
use crate::encoder::{Encoder, Tally, Wiring};
use crate::encoding::{self, Decoding};
use crate::fasttext;
use crate::fault::Place;
use crate::feed::{Feed, Pass, Scratch};
use crate::open::{ArrowTable, Content, Head, Purpose, WINDOW, open_container, prepare, refuse_folders};
use crate::opening::{Flow, Raw, peek};
use crate::options::{Input, Ragged, ReadOptions};
use crate::plan::{index, unknown};
use crate::record_counts::Records;
use crate::text_feed::TextFeed;
#[cfg(feature = "xlsx")]
use crate::{store::StoreReader, workbook::Sheet};

/// Rows to be scored.
pub struct NewRows {
    pub(crate) feed: Box<dyn Feed>,
    pub(crate) layout: Layout,
    pub(crate) encoder: Encoder,
    echo: Vec<usize>,
    labelled: bool,
    ragged: Ragged,
    /// The format as it was given or found.
    pub format: Format,
    /// What was assumed or ignored before the first row was read.
    pub notices: Vec<Notice>,
}

/// A batch of new rows.
pub struct NewBatch<'a> {
    /// The features, encoded for the model.
    pub features: Features<'a>,
    /// The class of each row where the file has the target column; `SKIP` where the cell is missing and `UNSEEN`
    /// where the model does not know the class.
    pub labels: Option<&'a [u32]>,
    /// Rows before this batch.
    pub first_row: u64,
    raw: &'a RawBatch<'a>,
    keep: &'a [u32],
    echo: &'a [usize],
}

impl NewBatch<'_> {
    /// Gives the cells of an echoed column, in the order in which they were asked for, as they stand in the file.
    pub fn echo(&self, column: usize, mut cell: impl FnMut(usize, &str)) {
        self.cells(column, |i, text| cell(i, text.unwrap_or_default()));
    }

    /// The same where a gap of a file that has gaps (Parquet, Arrow) is told apart from an empty text.
    pub fn cells(&self, column: usize, mut cell: impl FnMut(usize, Option<&str>)) {
        self.raw.column(self.echo[column]).each_text(self.keep, |i, text| {
            cell(i, text.map(String::from_utf8_lossy).as_deref());
        });
    }
}

/// Opens new rows for a model with this layout. Columns are matched by name: one that is missing is an error, others
/// are ignored with a notice. `echo` names columns whose cells are wanted as they are.
///
/// `options.text` matters only for hashed words: it must be what the model was learned with.
pub fn open_for_prediction(input: &Input, options: &ReadOptions, layout: &Layout, echo: &[String]) -> Result<NewRows> {
    options.check()?;
    let place = Place::named(input.name());
    let raw = Raw::open(input, &place)?;
    let in_memory = usize::try_from(options.memory / 4).unwrap_or(usize::MAX);
    let control = &Control::new();
    let magic = raw.magic.clone();
    let format = match Content::of(&magic, options, &place)? {
        Content::Text => {
            refuse_folders(input, &place)?;
            let at_rest = raw.at_rest;
            return open_text(raw.into_flow(), at_rest, options, layout, echo, &place);
        }
        #[cfg(feature = "xlsx")]
        Content::Workbook => {
            let sheet = Sheet::open(raw.into_store(in_memory, &place, control)?, options.sheet.as_deref(), &place, control)?;
            let flow = Box::new(StoreReader::new(Arc::new(sheet.store), 0));
            let rows = open_text(flow, true, &Sheet::options(options), layout, echo, &place)?;
            return Ok(NewRows { format: Format::Workbook { sheet: sheet.name }, ..rows });
        }
        Content::Container(format) => format,
    };
    let store = raw.into_store(in_memory, &place, control)?;
    let feed = ArrayFeed::new(open_container(store, &magic, input, in_memory, &place, control)?, options, &place)?;
    NewRows::new(Box::new(feed), format, Vec::new(), options, layout, echo)
}

/// Opens new rows in memory for a model, as [`open_for_prediction`] does those of a file.
pub fn open_arrow_for_prediction(table: &ArrowTable, options: &ReadOptions, layout: &Layout) -> Result<NewRows> {
    NewRows::new(table.feed(options)?, Format::Arrow, Vec::new(), options, layout, &[])
}

fn open_text(flow: Flow, at_rest: bool, options: &ReadOptions, layout: &Layout, echo: &[String], place: &Place) -> Result<NewRows> {
    let io = |error: io::Error| place.io(error);
    // As much is looked at as for learning, so that the same guesses are made.
    let (head, _, mut flow) = peek(flow, WINDOW, at_rest, place)?;
    let found = encoding::detect(&head, options.encoding.as_deref())?;
    io::copy(&mut flow.by_ref().take(found.mark as u64), &mut io::sink()).map_err(io)?;
    let mut offset = found.mark as u64;
    if let Some(encoding) = found.convert {
        flow = Box::new(Decoding::new(flow, encoding, found.mark));
        offset = 0;
    }
    let (bytes, whole, mut flow) = peek(flow, WINDOW, at_rest, place)?;
    let prepared = prepare(&Head { bytes, whole, offset }, found.name(), options, &layout.names(), place, purpose(layout))?;
    io::copy(&mut flow.by_ref().take(prepared.start as u64), &mut io::sink()).map_err(io)?;
    let cutter = Cutter::new(flow, prepared.facts.shape.marks, offset + prepared.start as u64, options.partition_bytes, place.clone());
    let feed = Box::new(TextFeed::new(prepared.facts, cutter.eager(prepared.lines), None));
    NewRows::new(feed, prepared.format, prepared.notices, options, layout, echo)
}

/// Prediction, for a model that may have been learned from `__label__` lines.
fn purpose(layout: &Layout) -> Purpose {
    let [label, text] = fasttext::NAMES;
    let lines =
        layout.target() == label && matches!(layout.features(), [only] if only.name == text && matches!(only.space, Space::Words { .. }));
    Purpose::Predict { lines }
}

impl NewRows {
    fn new(
        mut feed: Box<dyn Feed>,
        format: Format,
        mut notices: Vec<Notice>,
        options: &ReadOptions,
        layout: &Layout,
        echo: &[String],
    ) -> Result<NewRows> {
        let names = feed.names();
        let places = index(names);
        let find = |name: &str| places.get(name).copied();
        let mut features = Vec::new();
        for name in layout.names() {
            features.push(find(&name).ok_or_else(|| {
                let unnamed = matches!(&format, Format::Delimited(dialect) if !dialect.header) && options.names.is_none();
                let advice = if unnamed { "; name the columns with --names, or with a header" } else { "" };
                let fault = DataFault::new("is missing").column(&name).accepted(format!("the table has: {}{advice}", listed(names)));
                feed.place().fault(fault)
            })?);
        }
        let target = find(layout.target());
        let echo = echo.iter().map(|name| find(name).ok_or_else(|| unknown(name, names).into())).collect::<Result<Vec<usize>>>()?;
        let filter = options.condition.as_ref().map(|condition| RowFilter::new(condition, names)).transpose()?;
        let judged = filter.iter().flat_map(RowFilter::columns);
        let used: BTreeSet<usize> = features.iter().chain(&target).chain(&echo).copied().chain(judged).collect();
        let extra: Vec<String> = (0..names.len()).filter(|j| !used.contains(j)).map(|j| names[j].clone()).collect();
        if !extra.is_empty() {
            notices.push(Notice::new(notice::EXTRA_COLUMN, format!("not used by the model: {}", listed(&extra))));
        }
        notices.extend(feed.use_columns(&used.into_iter().collect::<Vec<usize>>())?);
        let encoder = Encoder::new(layout, Wiring { features, target, weight: None, filter }, "", false, &options.text);
        let (labelled, ragged) = (target.is_some(), options.ragged);
        Ok(NewRows { layout: layout.clone(), encoder, echo, labelled, ragged, format, notices, feed })
    }

    /// Column names of the file.
    pub fn names(&self) -> &[String] {
        self.feed.names()
    }

    /// Whether the file has the target column.
    pub fn labelled(&self) -> bool {
        self.labelled
    }

    /// Gives every batch in the order of the file; what comes back are notices about odd rows and unseen levels. The memory is
    /// that of one partition, however long the stream.
    pub fn scan(self, control: &Control, sink: &mut dyn FnMut(NewBatch<'_>) -> Result<()>) -> Result<Vec<Notice>> {
        let (pass, mut scratch, mut tally, mut block) = (Pass::default(), Scratch::default(), Tally::default(), Block::default());
        let reading = (self.feed.decimal(), self.feed.markers());
        let (mut first_row, mut records) = (0, Records::default());
        while let Some(partition) = self.feed.claim(&pass, &mut scratch)? {
            let read = self.feed.batches(partition, &mut scratch, &mut |raw| {
                control.advance(raw.rows() as u64)?;
                self.encoder.encode((partition, raw), reading, &mut tally, &mut block)?;
                if block.rows == 0 {
                    return Ok(());
                }
                block.with_features(&self.layout, |features| sink(self.batch(features, &block.labels, first_row, (raw, &tally.keep))))?;
                first_row += block.rows as u64;
                Ok(())
            });
            match read {
                Ok(read) => records = records.then(read),
                Err(trouble) => return Err(self.feed.report(trouble, records.all)),
            }
        }
        Ok(self.told(records, &tally))
    }

    /// A batch with what was asked for beside its features.
    pub(crate) fn batch<'a>(
        &'a self,
        features: Features<'a>,
        labels: &'a [u32],
        first_row: u64,
        (raw, keep): (&'a RawBatch<'a>, &'a [u32]),
    ) -> NewBatch<'a> {
        NewBatch { features, labels: self.labelled.then_some(labels), first_row, raw, keep, echo: &self.echo }
    }

    /// What there is to say of all rows after the last one.
    pub(crate) fn told(&self, records: Records, tally: &Tally) -> Vec<Notice> {
        // A line with several labels is one row here.
        let mut notices = Records { several_labels: 0, left_out: tally.left_out, ..records }.notices(self.ragged);
        notices.extend(self.unseen(tally));
        notices
    }

    fn unseen(&self, tally: &Tally) -> Vec<Notice> {
        let names = self.layout.names();
        let unseen = tally.unseen.iter().zip(&names).filter(|((count, _), _)| *count > 0);
        unseen
            .map(|((count, first), name)| {
                let rows = if *count == 1 { "1 row has".to_owned() } else { format!("{count} rows have") };
                let text = format!("{rows} a level that the model never saw, first `{}`; it counts as missing", visible(first));
                Notice::new(notice::UNSEEN_LEVEL, text).column(name).level(first)
            })
            .collect()
    }
}

fn listed(names: &[String]) -> String {
    const MOST: usize = 12;
    let shown: Vec<String> = names.iter().take(MOST).map(|name| visible(name)).collect();
    let more = if names.len() > MOST { format!(" and {} more", names.len() - MOST) } else { String::new() };
    format!("{}{more}", shown.join(", "))
}
