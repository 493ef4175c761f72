//! Character encodings: what the first bytes say, and a reader that turns the rest into UTF-8.
//!
//! UTF-8 is never converted; its bytes are checked block by block while they are split.

use std::io::{self, Read};

use encoding_rs::{Decoder, DecoderResult, Encoding};
use oddsmith::{Error, Result};

use crate::fault::BadBytes;

/// Bytes decoded at a time.
const STEP: usize = 64 << 10;

/// An encoding and how it was found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found {
    /// The encoding to convert from; `None` when the bytes are UTF-8 already.
    pub(crate) convert: Option<&'static Encoding>,
    /// Length of the byte order mark to skip.
    pub(crate) mark: usize,
}

impl Found {
    /// The name for people.
    pub(crate) fn name(&self) -> &'static str {
        self.convert.map_or("UTF-8", Encoding::name)
    }
}

/// Finds the encoding from the caller's word, a byte order mark, or the zero bytes that UTF-16 puts beside
/// every ASCII letter.
pub(crate) fn detect(head: &[u8], asked: Option<&str>) -> Result<Found> {
    let marked = Encoding::for_bom(head);
    let utf8 = |mark| Found { convert: None, mark };
    if let Some(label) = asked {
        let encoding = Encoding::for_label(label.as_bytes())
            .ok_or_else(|| Error::option("encoding", label, "use utf-8, utf-16le, utf-16be, latin1, or another name of the WHATWG list"))?;
        let mark = marked.filter(|(found, _)| *found == encoding || label.eq_ignore_ascii_case("utf-16"));
        return Ok(match mark {
            Some((found, mark)) if found == encoding_rs::UTF_8 => utf8(mark),
            Some((found, mark)) => Found { convert: Some(found), mark },
            None if encoding == encoding_rs::UTF_8 => utf8(0),
            None => Found { convert: Some(encoding), mark: 0 },
        });
    }
    Ok(match marked {
        Some((found, mark)) if found == encoding_rs::UTF_8 => utf8(mark),
        Some((found, mark)) => Found { convert: Some(found), mark },
        None => Found { convert: zero_pattern(head), mark: 0 },
    })
}

/// UTF-16 without a mark: nine in ten bytes of one parity are zero, and almost none of the other.
fn zero_pattern(head: &[u8]) -> Option<&'static Encoding> {
    let pairs = head.len() / 2;
    let zeros = |parity: usize| head.iter().skip(parity).step_by(2).filter(|b| **b == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    let (many, few) = (pairs * 9 / 10, pairs / 20);
    match pairs {
        0..4 => None,
        _ if odd > many && even <= few => Some(encoding_rs::UTF_16LE),
        _ if even > many && odd <= few => Some(encoding_rs::UTF_16BE),
        _ => None,
    }
}

/// A reader of UTF-8 over a reader of another encoding.
pub(crate) struct Decoding<R> {
    inner: R,
    decoder: Decoder,
    input: Vec<u8>,
    /// The unread part of `input`.
    from: usize,
    /// Bytes of the file before `input[from]`.
    offset: u64,
    output: Vec<u8>,
    given: usize,
    ended: bool,
}

impl<R: Read> Decoding<R> {
    /// A reader that converts `inner`, whose first `mark` bytes were a byte order mark and are gone.
    pub(crate) fn new(inner: R, encoding: &'static Encoding, mark: usize) -> Self {
        Decoding {
            inner,
            decoder: encoding.new_decoder_without_bom_handling(),
            input: Vec::new(),
            from: 0,
            offset: mark as u64,
            output: Vec::new(),
            given: 0,
            ended: false,
        }
    }

    /// Decodes the next step into `output`.
    fn refill(&mut self) -> io::Result<()> {
        self.given = 0;
        self.output.clear();
        while self.output.is_empty() && !self.ended {
            if self.from == self.input.len() {
                self.input.resize(STEP, 0);
                let read = self.inner.read(&mut self.input)?;
                self.input.truncate(read);
                self.from = 0;
            }
            let last = self.input.is_empty();
            self.output.resize(STEP * 3, 0);
            let (result, read, written) = self.decoder.decode_to_utf8_without_replacement(&self.input[self.from..], &mut self.output, last);
            self.output.truncate(written);
            self.from += read;
            self.offset += read as u64;
            if let DecoderResult::Malformed(length, after) = result {
                let offset = self.offset.saturating_sub(u64::from(length) + u64::from(after));
                let encoding = self.decoder.encoding().name();
                return Err(BadBytes(format!("byte {offset} is not valid {encoding}; name the file's encoding with --encoding")).into());
            }
            self.ended = last && result == DecoderResult::InputEmpty;
        }
        Ok(())
    }
}

impl<R: Read> Read for Decoding<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.given == self.output.len() {
            self.refill()?;
        }
        let count = buffer.len().min(self.output.len() - self.given);
        buffer[..count].copy_from_slice(&self.output[self.given..self.given + count]);
        self.given += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8], asked: Option<&str>) -> io::Result<String> {
        let found = detect(bytes, asked).unwrap();
        let mut text = String::new();
        let rest = &bytes[found.mark..];
        match found.convert {
            Some(encoding) => Decoding::new(rest, encoding, found.mark).read_to_string(&mut text)?,
            None => (&mut { rest }).read_to_string(&mut text)?,
        };
        Ok(text)
    }

    fn utf16(text: &str, little: bool) -> Vec<u8> {
        text.encode_utf16().flat_map(|unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() }).collect()
    }

    #[test]
    fn marks_and_zero_bytes_tell_utf_16() {
        let text = "größe,x\n1,2\n";
        for little in [true, false] {
            assert_eq!(decoded(&utf16(text, little), None).unwrap(), text);
            assert_eq!(decoded(&utf16(&format!("\u{feff}{text}"), little), None).unwrap(), text);
        }
        assert_eq!(decoded("\u{feff}a,b\n".as_bytes(), None).unwrap(), "a,b\n");
        assert_eq!(decoded(b"a\0b,1\n2,3\n", None).unwrap(), "a\0b,1\n2,3\n");
    }

    #[test]
    fn other_encodings_are_converted_on_request() {
        assert_eq!(decoded(b"na\xefve", Some("latin1")).unwrap(), "naïve");
        assert_eq!(
            detect(b"", Some("klingon")).unwrap_err().to_string(),
            "encoding = klingon is not accepted: use utf-8, utf-16le, utf-16be, latin1, or another name of the WHATWG list"
        );
    }

    #[test]
    fn a_broken_pair_is_named_by_its_byte() {
        let mut bytes = utf16("ab", true);
        bytes.extend([0x00, 0xd8, b'x', 0]);
        let message = decoded(&bytes, Some("utf-16le")).unwrap_err().to_string();
        assert_eq!(message, "byte 4 is not valid UTF-16LE; name the file's encoding with --encoding");
    }
}
