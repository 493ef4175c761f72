//! From an input to bytes: paths, standard input, and compression seen by its first bytes.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use oddsmith::Result;
use oddsmith::control::Control;
use oddsmith::error::DataFault;

use crate::fault::{BadBytes, Place};
use crate::options::Input;
use crate::read_ahead::{Arrival, Patience, ReadAhead};
use crate::store::{Store, StoreReader};

const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
/// Enough to see the name of the first file in a ZIP archive, and what kind of document it says it is.
const LONGEST_MAGIC: usize = 96;
/// Bytes that are waited for; whoever types into a pipe has written no more than a line.
const SHORTEST_MAGIC: usize = 8;

/// A stream of bytes that is read once.
pub(crate) type Flow = Box<dyn Read + Send>;

/// An opened input before anything is known about its content but its compression, which is undone.
pub(crate) struct Raw {
    bytes: RawBytes,
    /// The first bytes of the content, by which binary formats are told.
    pub(crate) magic: Vec<u8>,
    /// `gzip` or `zstd`.
    pub(crate) compression: Option<&'static str>,
    /// Whether nobody waits for the bytes: a file, not a pipe.
    pub(crate) at_rest: bool,
}

enum RawBytes {
    Rest(Store),
    Flow(Flow),
}

impl Raw {
    /// Opens an input; compressed bytes become a stream of what they hold.
    pub(crate) fn open(input: &Input, place: &Place) -> Result<Raw> {
        let (head, bytes) = match input {
            Input::Bytes { bytes, .. } => at_rest(Store::Memory(bytes.clone())),
            Input::Stdin => flowing(Box::new(io::stdin())),
            Input::Path(path) => open_path(path),
            Input::Piece(piece) => open_path(&piece.path),
            Input::Many(_) => {
                let fault = DataFault::new("there are many files, and one table is needed here");
                return Err(place.fault(fault.accepted("one file at a time, or `oddsmith.engine` from Python, which takes all of them")));
            }
        }
        .map_err(|error| place.io(error))?;
        let compression = match &head {
            head if head.starts_with(GZIP) => "gzip",
            head if head.starts_with(ZSTD) => "zstd",
            _ => {
                let at_rest = matches!(bytes, RawBytes::Rest(_));
                return Ok(Raw { bytes, magic: head, compression: None, at_rest });
            }
        };
        let at_rest = matches!(bytes, RawBytes::Rest(_));
        let packed = Raw { bytes, magic: head, compression: None, at_rest }.into_flow();
        let inner: Flow = match compression {
            "gzip" => Box::new(flate2::read::MultiGzDecoder::new(io::BufReader::with_capacity(1 << 16, packed))),
            _ => Box::new(zstd::Decoder::new(packed).map_err(|error| place.io(error))?),
        };
        let (magic, bytes) = flowing(Box::new(Unpacking { inner, compression })).map_err(|error| place.io(error))?;
        Ok(Raw { bytes, magic, compression: Some(compression), at_rest })
    }

    /// The bytes as something that can be read again, copied first where necessary.
    pub(crate) fn into_store(self, in_memory: usize, place: &Place, control: &Control) -> Result<Store> {
        match self.bytes {
            RawBytes::Rest(store) => Ok(store),
            RawBytes::Flow(flow) => Store::spool(flow, in_memory, place, control),
        }
    }

    /// The bytes as a stream.
    pub(crate) fn into_flow(self) -> Flow {
        match self.bytes {
            RawBytes::Rest(store) => Box::new(StoreReader::new(Arc::new(store), 0)),
            RawBytes::Flow(flow) => flow,
        }
    }
}

fn open_path(path: &Path) -> io::Result<(Vec<u8>, RawBytes)> {
    let file = File::open(path)?;
    let facts = file.metadata()?;
    if facts.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a directory, not a table"));
    }
    if facts.is_file() { at_rest(Store::File(file, facts.len())) } else { flowing(Box::new(file)) }
}

fn at_rest(store: Store) -> io::Result<(Vec<u8>, RawBytes)> {
    let mut head = vec![0; LONGEST_MAGIC];
    let count = store.read_at(0, &mut head)?;
    head.truncate(count);
    Ok((head, RawBytes::Rest(store)))
}

fn flowing(mut flow: Flow) -> io::Result<(Vec<u8>, RawBytes)> {
    let mut head = vec![0; LONGEST_MAGIC];
    let mut filled = 0;
    while filled < SHORTEST_MAGIC {
        match flow.read(&mut head[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    head.truncate(filled);
    let whole = Box::new(io::Cursor::new(head.clone()).chain(flow));
    Ok((head, RawBytes::Flow(whole)))
}

/// A decompressor whose complaints are told apart from those of the system.
struct Unpacking {
    inner: Flow,
    compression: &'static str,
}

impl Read for Unpacking {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.inner.read(buffer).map_err(|error| match error.raw_os_error() {
            Some(_) => error,
            None if error.kind() == io::ErrorKind::Interrupted => error,
            None => BadBytes(format!("the {} bytes are broken or cut off; get a fresh copy of the file", self.compression)).into(),
        })
    }
}

/// Reads the first bytes of a stream and gives them back with the whole stream; the flag says that there is no more.
///
/// Of a file that is at rest there are `window` bytes. Of a pipe there are as many where whoever writes it does not pause: the same guesses
/// are made as from a file, and a person who types lines still has an answer to each.
pub(crate) fn peek(mut flow: Flow, window: usize, at_rest: bool, place: &Place) -> Result<(Vec<u8>, bool, Flow)> {
    let mut head = Vec::new();
    if at_rest {
        flow.by_ref().take(window as u64).read_to_end(&mut head).map_err(|error| place.io(error))?;
        let ended = head.len() < window;
        return Ok((head.clone(), ended, Box::new(io::Cursor::new(head).chain(flow))));
    }
    let ends = |head: &[u8], byte: u8| memchr::memchr_iter(byte, head).take(2).count();
    let two_lines = |head: &[u8]| ends(head, b'\n') >= 2 || (ends(head, b'\n') == 0 && ends(head, b'\r') >= 2);
    let (mut ahead, mut ended) = (ReadAhead::new(flow), false);
    let mut patience: Option<Patience> = None;
    while !ended && head.len() < window {
        if patience.is_none() && two_lines(&head) {
            patience = Some(Patience::begin());
        }
        match ahead.arrival(patience.as_ref().map(Patience::until)).map_err(|error| place.io(error))? {
            Arrival::Bytes(bytes) => head.extend_from_slice(&bytes),
            Arrival::End => ended = true,
            Arrival::Pause => break,
        }
    }
    Ok((head.clone(), ended, Box::new(io::Cursor::new(head).chain(ahead))))
}
