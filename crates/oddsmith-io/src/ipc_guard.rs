//! A look at the lengths in Arrow IPC bytes before they are decoded.
//!
//! A footer tells how long every batch is, a message how long its body is and how many rows it has, and a compressed buffer starts with the
//! length it will have. The decoder asks for that much memory at once. A flipped bit can make it more than any machine has, which ends the
//! process; so every such length is checked here first.

use std::io;

use arrow_ipc::{Message, RecordBatch, root_as_footer, root_as_message};
use arrow_schema::ArrowError;

use crate::store::Store;

/// Buffers up to this size are believed; larger ones only with a thousandth of it behind them.
const BELIEVED: u64 = 1 << 30;
const RATIO: u64 = 1000;
/// Bits that a row of a batch takes in some buffer, compressed a thousandfold: rows beyond that are claimed and not there.
const ROWS_PER_BYTE: u64 = 8 * RATIO;
/// Rows that a batch without any buffer, of columns that hold nothing, may have.
const EMPTY_ROWS: u64 = 1 << 32;
/// A message starts with this, then its length.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// Checks every message of a stream.
pub(crate) fn check_stream(store: &Store) -> Result<(), ArrowError> {
    let mut at = 0;
    while let Some(after) = check_message(store, at)? {
        at = after;
    }
    Ok(())
}

/// Checks every message that the footer of a file points to.
pub(crate) fn check_file(store: &Store) -> Result<(), ArrowError> {
    let tail = store.len().checked_sub(10).ok_or_else(|| broken("a footer is missing"))?;
    let length = u64::from(u32::from_le_bytes(read(store, tail, 4)?.try_into().unwrap_or_default()));
    let footer = read(store, tail.checked_sub(length).ok_or_else(|| broken("the footer is too long"))?, length)?;
    let footer = root_as_footer(&footer).map_err(|error| broken(&error.to_string()))?;
    for block in footer.recordBatches().iter().flatten().chain(footer.dictionaries().iter().flatten()) {
        let negative = |_| broken("a batch lies before the start");
        let (offset, length) = (u64::try_from(block.offset()).map_err(negative)?, u64::try_from(block.metaDataLength()).map_err(negative)?);
        let mark = if read(store, offset, 4)? == CONTINUATION { 8 } else { 4 };
        let head = read(store, offset.saturating_add(mark), length.saturating_sub(mark))?;
        let body = offset.saturating_add(length);
        check_head(store, &head, body)?;
        check_end(store, body, u64::try_from(block.bodyLength()).map_err(negative)?)?;
    }
    Ok(())
}

/// Checks the message at a place and gives the place after it; `None` at the end.
fn check_message(store: &Store, at: u64) -> Result<Option<u64>, ArrowError> {
    if at + 4 > store.len() {
        return Ok(None);
    }
    let start = read(store, at, 4)?;
    // Streams of old writers have no such mark.
    let at = if start == CONTINUATION { at + 4 } else { at };
    let length = u64::from(u32::from_le_bytes(read(store, at, 4)?.try_into().unwrap_or_default()));
    if length == 0 {
        return Ok(None);
    }
    let body = at + 4 + length;
    let size = check_head(store, &read(store, at + 4, length)?, body)?;
    Ok(body.checked_add(size))
}

/// Checks the buffers that the head of a message describes, whose body starts at `body`, and gives the length of the body.
fn check_head(store: &Store, head: &[u8], body: u64) -> Result<u64, ArrowError> {
    let message = root_as_message(head).map_err(|error| broken(&error.to_string()))?;
    let length = u64::try_from(message.bodyLength()).map_err(|_| broken("a part ends before its start"))?;
    check_end(store, body, length)?;
    if record_batch(&message).is_some_and(|batch| batch.length().unsigned_abs() > length.saturating_mul(ROWS_PER_BYTE).max(EMPTY_ROWS)) {
        return Err(broken("a batch claims an absurd number of rows"));
    }
    if let Some(batch) = record_batch(&message)
        && batch.compression().is_some()
    {
        for buffer in batch.buffers().iter().flatten() {
            let (offset, size) = (buffer.offset().unsigned_abs(), buffer.length().unsigned_abs());
            if size >= 8 {
                check_length(store, body.saturating_add(offset), size)?;
            }
        }
    }
    Ok(length)
}

/// Refuses a part that ends behind the end.
fn check_end(store: &Store, start: u64, length: u64) -> Result<(), ArrowError> {
    match start.checked_add(length).is_some_and(|end| end <= store.len()) {
        true => Ok(()),
        false => Err(broken("a part lies beyond the end")),
    }
}

fn record_batch<'a>(message: &Message<'a>) -> Option<RecordBatch<'a>> {
    message.header_as_record_batch().or_else(|| message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data()))
}

/// The length that a compressed buffer of `size` bytes claims to have; -1 says that it is not compressed.
fn check_length(store: &Store, at: u64, size: u64) -> Result<(), ArrowError> {
    let claimed = i64::from_le_bytes(read(store, at, 8)?.try_into().unwrap_or_default());
    match u64::try_from(claimed) {
        Ok(claimed) if claimed > BELIEVED.max(size.saturating_mul(RATIO)) => Err(broken("a compressed part claims an absurd length")),
        _ => Ok(()),
    }
}

/// Bytes that must be there; nothing is allocated for those that are not.
fn read(store: &Store, at: u64, length: u64) -> Result<Vec<u8>, ArrowError> {
    check_end(store, at, length)?;
    let mut bytes = vec![0; length as usize];
    let count = store.read_at(at, &mut bytes).map_err(|error: io::Error| ArrowError::IoError(error.to_string(), error))?;
    if count < bytes.len() { Err(broken("a part lies beyond the end")) } else { Ok(bytes) }
}

fn broken(what: &str) -> ArrowError {
    ArrowError::IpcError(what.to_owned())
}
