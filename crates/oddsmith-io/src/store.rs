//! Bytes that many threads can read at once, from any place: a file, a temporary file, or memory.
//!
//! What cannot be read twice (standard input, a FIFO) or from the middle (a compressed file, another
//! encoding) is copied once into a store: into memory while it is small, into an unnamed temporary file
//! beyond that.

use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::Arc;

use oddsmith::Result;
use oddsmith::control::Control;

use crate::fault::Place;

/// Bytes copied between two looks at the control.
const STEP: usize = 1 << 20;

/// Bytes at rest.
pub(crate) enum Store {
    /// A file and its length when it was opened.
    File(File, u64),
    /// Memory.
    Memory(Arc<[u8]>),
}

impl Store {
    /// Number of bytes.
    pub(crate) fn len(&self) -> u64 {
        match self {
            Store::File(_, length) => *length,
            Store::Memory(bytes) => bytes.len() as u64,
        }
    }

    /// Reads at a position without moving any cursor; fewer bytes than asked for mean the end.
    pub(crate) fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Store::Memory(bytes) => {
                let from = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
                let count = buffer.len().min(bytes.len() - from);
                buffer[..count].copy_from_slice(&bytes[from..from + count]);
                Ok(count)
            }
            Store::File(file, _) => {
                let mut filled = 0;
                while filled < buffer.len() {
                    match read_file_at(file, offset + filled as u64, &mut buffer[filled..]) {
                        Ok(0) => break,
                        Ok(count) => filled += count,
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                        Err(error) => return Err(error),
                    }
                }
                Ok(filled)
            }
        }
    }

    /// Copies a stream into a store: memory up to `in_memory` bytes, a temporary file beyond.
    pub(crate) fn spool(mut stream: impl Read, in_memory: usize, place: &Place, control: &Control) -> Result<Store> {
        let mut memory = Vec::new();
        let mut file: Option<File> = None;
        let mut step = vec![0; STEP];
        let mut length = 0;
        loop {
            control.check()?;
            let count = match stream.read(&mut step) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(place.io(error)),
            };
            length += count as u64;
            if file.is_none() && memory.len() + count > in_memory {
                let mut spilled = tempfile::tempfile().map_err(|error| place.spool(error))?;
                spilled.write_all(&memory).map_err(|error| place.spool(error))?;
                memory = Vec::new();
                file = Some(spilled);
            }
            match &mut file {
                Some(file) => file.write_all(&step[..count]).map_err(|error| place.spool(error))?,
                None => memory.extend_from_slice(&step[..count]),
            }
        }
        Ok(match file {
            Some(file) => Store::File(file, length),
            None => Store::Memory(memory.into()),
        })
    }
}

#[cfg(unix)]
fn read_file_at(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_file_at(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}

/// A cursor of its own over a shared store.
pub(crate) struct StoreReader {
    store: Arc<Store>,
    at: u64,
}

impl StoreReader {
    /// A reader that starts at `offset`.
    pub(crate) fn new(store: Arc<Store>, offset: u64) -> Self {
        StoreReader { store, at: offset }
    }
}

impl Read for StoreReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.store.read_at(self.at, buffer)?;
        self.at += count as u64;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_streams_stay_in_memory_and_large_ones_go_to_disk() {
        let bytes: Vec<u8> = (0..3_000_000u32).map(|i| (i % 251) as u8).collect();
        for (limit, on_disk) in [(10_000_000, false), (100, true)] {
            let store = Store::spool(&bytes[..], limit, &Place::named("a.csv"), &Control::new()).unwrap();
            assert_eq!(matches!(store, Store::File(..)), on_disk);
            assert_eq!(store.len(), 3_000_000);
            let mut part = [0; 5];
            assert_eq!(store.read_at(2_999_998, &mut part).unwrap(), 2);
            assert_eq!(part[..2], bytes[2_999_998..]);
            let mut all = Vec::new();
            StoreReader::new(Arc::new(store), 7).read_to_end(&mut all).unwrap();
            assert_eq!(all, bytes[7..]);
        }
    }

    #[test]
    fn a_stop_is_noticed_while_copying() {
        let control = Control::new();
        control.cancel();
        let error = Store::spool(io::repeat(0), 100, &Place::named("-"), &control).err().unwrap();
        assert_eq!(error.to_string(), "interrupted; nothing was written");
    }
}
