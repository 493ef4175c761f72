//! Parquet files and Arrow IPC files and streams as numbered sets of record batches.
//!
//! The decoders are fenced: whatever they do with bytes that are not what they seem, the caller gets an error.

use std::io::{self, Read, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch, RecordBatchOptions, StringArray};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use oddsmith::Result;
use oddsmith::control::Control;
use oddsmith::error::DataFault;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::file::reader::{ChunkReader, Length};

use crate::dialect::Format;
use crate::fault::Place;
use crate::ipc_guard;
use crate::piece::{FolderColumn, Piece};
use crate::store::{Store, StoreReader};

/// How the writer of pandas' and R's Parquet files calls itself; it writes the levels of categories and factors in their order.
const KEEPS_DICTIONARIES: &str = "parquet-cpp-arrow";

const PARQUET: &[u8] = b"PAR1";
const ARROW_FILE: &[u8] = b"ARROW1";
const ARROW_STREAM: &[u8] = &[0xff; 4];

/// The format that the first bytes announce.
pub(crate) fn announced(magic: &[u8]) -> Option<Format> {
    match magic {
        _ if magic.starts_with(PARQUET) => Some(Format::Parquet),
        _ if magic.starts_with(ARROW_FILE) || magic.starts_with(ARROW_STREAM) => Some(Format::Arrow),
        _ => None,
    }
}

/// Batches of one part, read one after the other.
type Batches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>>>;

/// A set of parts, each of which holds record batches.
pub(crate) struct Container {
    store: Arc<Store>,
    kind: Kind,
    /// The columns.
    pub(crate) schema: SchemaRef,
    place: Place,
    /// The row groups of a piece, where it does not take all.
    groups: Option<(usize, usize)>,
    /// Columns behind those of the file, with one value each.
    folders: Vec<FolderColumn>,
}

/// How much there is in a row group.
pub(crate) struct RowGroup {
    pub(crate) rows: i64,
    /// Bytes of its columns as they are decoded.
    pub(crate) decoded: i64,
    /// Bytes that it takes in the file.
    pub(crate) stored: u64,
}

/// Most rows in a partition of a table of Arrow arrays in memory.
pub const PARTITION_ROWS: usize = 1 << 16;

/// The row groups of a Parquet file; `None` for any other.
pub(crate) fn row_groups(file: std::fs::File, bytes: u64, magic: &[u8], place: &Place) -> Result<Option<Vec<RowGroup>>> {
    if !magic.starts_with(PARQUET) {
        return Ok(None);
    }
    let store = Arc::new(Store::File(file, bytes));
    let metadata = fenced(place, || ArrowReaderMetadata::load(&Chunks(store), ArrowReaderOptions::new()).map_err(ArrowError::from))?;
    let group = |group: &parquet::file::metadata::RowGroupMetaData| RowGroup {
        rows: group.num_rows(),
        decoded: group.total_byte_size(),
        stored: u64::try_from(group.compressed_size()).unwrap_or(0),
    };
    Ok(Some(metadata.metadata().row_groups().iter().map(group).collect()))
}

enum Kind {
    /// A part is a row group.
    Parquet(ArrowReaderMetadata),
    /// A part is a record batch.
    ArrowFile(usize),
    /// A part is a record batch in a small stream of its own, at this place of the store.
    ArrowStreams(Vec<u64>),
    /// A part is a record batch in memory; with the bytes of all of them.
    Batches(Vec<RecordBatch>, u64),
}

impl Container {
    /// Opens a container that was announced.
    pub(crate) fn open(store: Store, magic: &[u8], in_memory: usize, place: &Place, control: &Control) -> Result<Container> {
        let store = Arc::new(store);
        let place = place.clone();
        if magic.starts_with(PARQUET) {
            let metadata =
                fenced(&place, || ArrowReaderMetadata::load(&Chunks(store.clone()), ArrowReaderOptions::new()).map_err(ArrowError::from))?;
            let schema = metadata.schema().clone();
            return Ok(Container { store, kind: Kind::Parquet(metadata), schema, place, groups: None, folders: Vec::new() });
        }
        if magic.starts_with(ARROW_FILE) {
            let (schema, batches) = fenced(&place, || {
                ipc_guard::check_file(&store)?;
                let reader = FileReader::try_new(io::BufReader::new(Cursor::new(&store)), None)?;
                Ok((reader.schema(), reader.num_batches()))
            })?;
            return Ok(Container { store, kind: Kind::ArrowFile(batches), schema, place, groups: None, folders: Vec::new() });
        }
        let (store, schema, offsets) = restack(&store, in_memory, &place, control)?;
        Ok(Container { store: Arc::new(store), kind: Kind::ArrowStreams(offsets), schema, place, groups: None, folders: Vec::new() })
    }

    /// Record batches in memory, cut into parts of a size that can be shared out.
    pub(crate) fn of_batches(schema: SchemaRef, batches: &[RecordBatch], place: &Place) -> Container {
        let cut = |batch: &RecordBatch| {
            let starts = (0..batch.num_rows()).step_by(PARTITION_ROWS);
            starts.map(|start| batch.slice(start, PARTITION_ROWS.min(batch.num_rows() - start))).collect::<Vec<_>>()
        };
        let bytes = batches.iter().map(|batch| batch.get_array_memory_size() as u64).sum();
        let kind = Kind::Batches(batches.iter().flat_map(cut).collect(), bytes);
        let store = Arc::new(Store::Memory(Arc::new([])));
        Container { store, kind, schema, place: place.clone(), groups: None, folders: Vec::new() }
    }

    /// The same with only what belongs to a piece, and with the columns that its folders give it.
    pub(crate) fn of_piece(self, piece: &Piece) -> Result<Container> {
        let mut fields: Vec<Arc<Field>> = self.schema.fields().iter().cloned().collect();
        for folder in &piece.folders {
            let kind = if folder.number { DataType::Float64 } else { DataType::Utf8 };
            fields.push(Arc::new(Field::new(&folder.name, kind, true)));
        }
        let groups = piece.groups.filter(|_| matches!(self.kind, Kind::Parquet(_)));
        if groups.is_some_and(|(_, end)| end > self.parts()) {
            return Err(self.place.changed());
        }
        Ok(Container {
            schema: Arc::new(Schema::new_with_metadata(fields, self.schema.metadata().clone())),
            groups,
            folders: piece.folders.clone(),
            ..self
        })
    }

    /// Number of parts.
    pub(crate) fn parts(&self) -> usize {
        match &self.kind {
            Kind::Parquet(metadata) => self.groups.map_or_else(|| metadata.metadata().num_row_groups(), |(first, end)| end - first),
            Kind::ArrowFile(batches) => *batches,
            Kind::ArrowStreams(offsets) => offsets.len(),
            Kind::Batches(batches, _) => batches.len(),
        }
    }

    /// Size in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        match &self.kind {
            Kind::Batches(_, bytes) => *bytes,
            Kind::Parquet(_) if self.groups.is_some() => {
                self.own_groups().map(|group| u64::try_from(group.compressed_size()).unwrap_or(0)).sum()
            }
            _ => self.store.len(),
        }
    }

    /// Number of rows, where the file says so.
    pub(crate) fn rows(&self) -> Option<u64> {
        match &self.kind {
            Kind::Parquet(_) => Some(self.own_groups().map(|group| u64::try_from(group.num_rows()).unwrap_or(0)).sum()),
            Kind::Batches(batches, _) => Some(batches.iter().map(|batch| batch.num_rows() as u64).sum()),
            _ => None,
        }
    }

    /// The row groups that are read.
    fn own_groups(&self) -> impl Iterator<Item = &parquet::file::metadata::RowGroupMetaData> {
        let all = match &self.kind {
            Kind::Parquet(metadata) => metadata.metadata().row_groups(),
            _ => &[],
        };
        let (first, end) = self.groups.unwrap_or((0, all.len()));
        all.iter().take(end).skip(first)
    }

    /// Whether dictionaries stand in the order in which they were written: most writers of Parquet make their own.
    pub(crate) fn keeps_dictionaries(&self) -> bool {
        match &self.kind {
            Kind::Parquet(metadata) => {
                let writer = metadata.metadata().file_metadata().created_by();
                writer.is_some_and(|writer| writer.starts_with(KEEPS_DICTIONARIES))
            }
            _ => true,
        }
    }

    /// Gives the record batches of a part with only the chosen columns, in the order of the file.
    pub(crate) fn read(
        &self,
        part: usize,
        columns: &[usize],
        rows: usize,
        sink: &mut dyn FnMut(RecordBatch) -> Result<bool>,
    ) -> Result<()> {
        let width = self.schema.fields().len() - self.folders.len();
        let (own, given): (Vec<usize>, Vec<usize>) = columns.iter().partition(|column| **column < width);
        let schema = fenced(&self.place, || self.schema.project(columns).map(Arc::new))?;
        let mut batches = fenced(&self.place, || self.batches(part, &own, rows))?;
        while let Some(batch) = fenced(&self.place, || batches.next().transpose())? {
            let batch = if given.is_empty() { batch } else { self.with_folders(batch, &schema, &given, width)? };
            for start in (0..batch.num_rows()).step_by(rows) {
                if !sink(batch.slice(start, rows.min(batch.num_rows() - start)))? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// A batch with the columns that its folders give it behind its own.
    fn with_folders(&self, batch: RecordBatch, schema: &SchemaRef, given: &[usize], width: usize) -> Result<RecordBatch> {
        let rows = batch.num_rows();
        let column = |at: &usize| -> ArrayRef {
            let folder = &self.folders[at - width];
            match folder.number {
                true => Arc::new(Float64Array::from(vec![folder.known().and_then(|value| value.parse::<f64>().ok()); rows])),
                false => Arc::new(StringArray::from(vec![folder.known(); rows])),
            }
        };
        let columns = batch.columns().iter().cloned().chain(given.iter().map(column)).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        fenced(&self.place, || RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options))
    }

    fn batches(&self, part: usize, columns: &[usize], rows: usize) -> Result<Batches, ArrowError> {
        Ok(match &self.kind {
            Kind::Parquet(metadata) => {
                let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(Chunks(self.store.clone()), metadata.clone());
                let mask = ProjectionMask::roots(builder.parquet_schema(), columns.iter().copied());
                let part = part + self.groups.map_or(0, |(first, _)| first);
                Box::new(builder.with_row_groups(vec![part]).with_projection(mask).with_batch_size(rows).build()?)
            }
            Kind::ArrowFile(_) => {
                let mut reader = FileReader::try_new(io::BufReader::new(Cursor::new(&self.store)), Some(columns.to_vec()))?;
                reader.set_index(part)?;
                Box::new(reader.take(1))
            }
            Kind::ArrowStreams(offsets) => {
                let reader = io::BufReader::new(StoreReader::new(self.store.clone(), offsets[part]));
                Box::new(StreamReader::try_new(reader, Some(columns.to_vec()))?)
            }
            Kind::Batches(batches, _) => Box::new(std::iter::once(batches[part].project(columns))),
        })
    }
}

/// Copies a stream so that each of its batches can be read alone: one small stream per batch.
fn restack(store: &Arc<Store>, in_memory: usize, place: &Place, control: &Control) -> Result<(Store, SchemaRef, Vec<u64>)> {
    fenced(place, || ipc_guard::check_stream(store))?;
    let mut reader = fenced(place, || StreamReader::try_new(io::BufReader::new(StoreReader::new(store.clone(), 0)), None))?;
    let schema = reader.schema();
    let mut copy = tempfile::SpooledTempFile::new(in_memory);
    let mut offsets = Vec::new();
    while let Some(batch) = fenced(place, || reader.next().transpose())? {
        control.check()?;
        offsets.push(copy.stream_position().map_err(|error| place.spool(error))?);
        fenced(place, || {
            let mut writer = StreamWriter::try_new(&mut copy, &schema)?;
            writer.write(&batch)?;
            writer.finish()
        })?;
    }
    let length = copy.stream_position().map_err(|error| place.spool(error))?;
    let copy = match copy.into_inner() {
        tempfile::SpooledData::InMemory(memory) => Store::Memory(memory.into_inner().into()),
        tempfile::SpooledData::OnDisk(file) => Store::File(file, length),
    };
    Ok((copy, schema, offsets))
}

/// Runs a decoder; its complaints and its panics become errors about the file.
fn fenced<T>(place: &Place, decode: impl FnOnce() -> Result<T, ArrowError>) -> Result<T> {
    let broken = |what: String| {
        let what = what.lines().next().unwrap_or_default().to_owned();
        place.fault(DataFault::new(format!("the file is broken: {what}")).accepted("get a fresh copy of the file"))
    };
    match catch_unwind(AssertUnwindSafe(decode)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(ArrowError::IoError(_, error))) if error.raw_os_error().is_some() => Err(place.io(error)),
        Ok(Err(error)) => Err(broken(error.to_string())),
        Err(_) => Err(broken("its parts do not fit together".into())),
    }
}

/// A store as Parquet reads it.
struct Chunks(Arc<Store>);

impl Length for Chunks {
    fn len(&self) -> u64 {
        self.0.len()
    }
}

impl ChunkReader for Chunks {
    type T = io::BufReader<StoreReader>;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
        Ok(io::BufReader::new(StoreReader::new(self.0.clone(), start)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<bytes::Bytes> {
        // Checked before anything is allocated: a broken file may claim any length.
        if start.checked_add(length as u64).is_none_or(|end| end > self.0.len()) {
            return Err(parquet::errors::ParquetError::EOF(format!("{length} bytes at {start} lie beyond the end")));
        }
        let mut buffer = vec![0; length];
        let count = self.0.read_at(start, &mut buffer)?;
        buffer.truncate(count);
        Ok(buffer.into())
    }
}

/// A cursor with seeking over a shared store.
pub(crate) struct Cursor {
    store: Arc<Store>,
    at: u64,
}

impl Cursor {
    /// A cursor at the start.
    pub(crate) fn new(store: &Arc<Store>) -> Self {
        Cursor { store: store.clone(), at: 0 }
    }
}

impl Read for Cursor {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.store.read_at(self.at, buffer)?;
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for Cursor {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let target = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.store.len().checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = target.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "a place before the start"))?;
        Ok(self.at)
    }
}
