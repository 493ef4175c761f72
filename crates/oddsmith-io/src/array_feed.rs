//! Parquet and Arrow IPC as a feed.

use std::sync::atomic::Ordering;

use arrow_array::ArrayRef;
use oddsmith::Result;
use oddsmith::data::Levels;
use oddsmith::error::DataFault;
use oddsmith::notice::{self, Notice};

use crate::column::RawBatch;
use crate::container::Container;
use crate::dictionaries::{self, Dictionaries};
use crate::fault::Place;
use crate::feed::{Feed, Pass, Sample, Scratch, Trouble, batch_rows};
use crate::missing::Markers;
use crate::options::ReadOptions;
use crate::plan::settle_names;
use crate::record_counts::Records;
use crate::typed::{self, Native};

/// Rows that are looked at before the first pass.
const SAMPLE_ROWS: usize = 4096;

/// The columns of a batch.
pub(crate) struct Arrays {
    /// By their place in the file; `None` for those that are not used.
    pub(crate) columns: Vec<Option<ArrayRef>>,
    /// Number of rows.
    pub(crate) rows: usize,
    /// Rows before it in its partition.
    pub(crate) first: u64,
}

/// The feed; a partition is a row group of Parquet or a record batch of Arrow.
pub(crate) struct ArrayFeed {
    container: Container,
    place: Place,
    names: Vec<String>,
    /// The columns that are read, in the order of the file.
    used: Vec<usize>,
    markers: Markers,
    rows: usize,
    dictionaries: Dictionaries,
}

impl ArrayFeed {
    /// A feed over all columns of a container.
    pub(crate) fn new(container: Container, options: &ReadOptions, place: &Place) -> Result<Self> {
        let names = container.schema.fields().iter().map(|field| field.name().clone()).collect();
        let names = settle_names(names, options.dedup_names, place)?;
        if names.is_empty() {
            return Err(
                place.fault(DataFault::new("the table has no columns").accepted("a table needs a target and at least one other column"))
            );
        }
        let (used, rows) = ((0..names.len()).collect(), batch_rows(names.len()));
        let markers = Markers::for_typed(options.missing.as_deref());
        Ok(ArrayFeed { container, place: place.clone(), names, used, markers, rows, dictionaries: Dictionaries::default() })
    }

    fn native(&self, column: usize) -> Native {
        typed::native(self.container.schema.field(column).data_type())
    }

    /// Reads a part batch by batch until the sink has enough.
    fn read(&self, part: usize, rows: usize, sink: &mut dyn FnMut(Arrays) -> Result<bool>) -> Result<()> {
        let mut first = 0;
        self.container.read(part, &self.used, rows, &mut |batch| {
            let mut columns = vec![None; self.names.len()];
            for (array, column) in batch.columns().iter().zip(&self.used) {
                if self.container.keeps_dictionaries() && dictionaries::declares_order(self.container.schema.field(*column)) {
                    self.dictionaries.meet(*column, array);
                }
                columns[*column] = Some(array.clone());
            }
            let arrays = Arrays { columns, rows: batch.num_rows(), first };
            first += batch.num_rows() as u64;
            sink(arrays)
        })
    }
}

impl Feed for ArrayFeed {
    fn place(&self) -> &Place {
        &self.place
    }

    fn names(&self) -> &[String] {
        &self.names
    }

    fn markers(&self) -> &Markers {
        &self.markers
    }

    fn decimal(&self) -> u8 {
        b'.'
    }

    fn bytes(&self) -> u64 {
        self.container.bytes()
    }

    fn holds_numbers(&self, column: usize) -> Option<bool> {
        Some(self.native(column) != Native::Name)
    }

    fn holds_levels(&self, column: usize) -> bool {
        dictionaries::has_dictionary(self.container.schema.field(column))
    }

    fn level_order(&self, column: usize) -> Option<Levels> {
        dictionaries::enumerated(self.container.schema.field(column)).or_else(|| self.dictionaries.order(column))
    }

    fn use_columns(&mut self, columns: &[usize]) -> Result<Vec<Notice>> {
        self.used = columns.to_vec();
        self.used.sort_unstable();
        self.used.dedup();
        let named = |wanted: Native| -> Vec<String> {
            self.used.iter().filter(|column| self.native(**column) == wanted).map(|column| self.names[*column].clone()).collect()
        };
        if let Some(name) = named(Native::Unsupported).first() {
            let fault = DataFault::new("holds no single values").column(name).accepted("leave it out with --exclude, or flatten it");
            return Err(self.place.fault(fault));
        }
        let mut notices = Vec::new();
        for (kind, unit) in [(Native::Days, "days"), (Native::Seconds, "seconds")] {
            notices.extend(named(kind).into_iter().map(|name| {
                Notice::new(notice::ENCODING_ASSUMED, format!("dates and times read as {unit} since the start of 1970")).column(name)
            }));
        }
        Ok(notices)
    }

    fn sample(&self, look: &mut dyn FnMut(&RawBatch<'_>)) -> Result<Sample> {
        let mut rows_seen = None;
        for part in 0..self.container.parts() {
            self.read(part, SAMPLE_ROWS, &mut |arrays| {
                rows_seen = Some(arrays.rows as u64);
                look(&RawBatch::Arrays(&arrays));
                Ok(false)
            })?;
            if rows_seen.is_some() {
                break;
            }
        }
        if rows_seen.is_none() {
            look(&RawBatch::Arrays(&Arrays { columns: vec![None; self.names.len()], rows: 0, first: 0 }));
        }
        let guess = rows_seen.unwrap_or(0) * self.container.parts() as u64;
        Ok(Sample { rows: self.container.rows().unwrap_or(guess), bytes: self.container.bytes() })
    }

    fn claim(&self, pass: &Pass, scratch: &mut Scratch) -> Result<Option<usize>> {
        let partition = pass.next.fetch_add(1, Ordering::Relaxed);
        if partition >= self.container.parts() {
            return Ok(None);
        }
        self.load(partition, scratch).map(|()| Some(partition))
    }

    fn load(&self, _partition: usize, _scratch: &mut Scratch) -> Result<()> {
        Ok(())
    }

    fn batches(
        &self,
        partition: usize,
        _scratch: &mut Scratch,
        sink: &mut dyn FnMut(&RawBatch<'_>) -> Result<(), Trouble>,
    ) -> Result<Records, Trouble> {
        let mut records = Records::default();
        let mut trouble = None;
        self.read(partition, self.rows, &mut |arrays| {
            records.all += arrays.rows as u64;
            trouble = sink(&RawBatch::Arrays(&arrays)).err();
            Ok(trouble.is_none())
        })?;
        trouble.map_or(Ok(records), Err)
    }

    fn lines_before(&self, _partition: usize) -> Option<u64> {
        None
    }
}
