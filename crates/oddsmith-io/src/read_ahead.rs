//! A stream that another thread reads ahead, so that one can tell whether whoever writes it has paused.

use std::io::{self, Cursor, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use crate::opening::Flow;

/// Bytes that are read at once.
const STEP: usize = 64 << 10;
/// Steps that may wait to be taken.
const WAITING: usize = 4;

/// The stream.
pub(crate) struct ReadAhead {
    steps: Receiver<io::Result<Vec<u8>>>,
    current: Cursor<Vec<u8>>,
}

/// What came within some time.
pub(crate) enum Arrival {
    /// These bytes.
    Bytes(Vec<u8>),
    /// The end.
    End,
    /// Nothing.
    Pause,
}

impl ReadAhead {
    /// Begins to read a stream. The thread ends with the stream, or when nobody takes its bytes any more.
    pub(crate) fn new(mut flow: Flow) -> Self {
        let (send, steps) = sync_channel(WAITING);
        std::thread::spawn(move || {
            loop {
                let mut step = vec![0; STEP];
                let read = match flow.read(&mut step) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    read => read,
                };
                let ends = !matches!(read, Ok(count) if count > 0);
                let sent = send.send(read.map(|count| {
                    step.truncate(count);
                    step
                }));
                if ends || sent.is_err() {
                    break;
                }
            }
        });
        ReadAhead { steps, current: Cursor::default() }
    }

    /// What comes before a point in time, or, without one, at any time.
    pub(crate) fn arrival(&mut self, until: Option<Instant>) -> io::Result<Arrival> {
        let received = match until {
            None => self.steps.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(until) => self.steps.recv_timeout(until.saturating_duration_since(Instant::now())),
        };
        match received {
            Ok(Ok(bytes)) if bytes.is_empty() => Ok(Arrival::End),
            Ok(bytes) => bytes.map(Arrival::Bytes),
            Err(RecvTimeoutError::Timeout) => Ok(Arrival::Pause),
            Err(RecvTimeoutError::Disconnected) => Ok(Arrival::End),
        }
    }
}

impl Read for ReadAhead {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.current.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            match self.arrival(None)? {
                Arrival::Bytes(bytes) => self.current = Cursor::new(bytes),
                Arrival::End | Arrival::Pause => return Ok(0),
            }
        }
    }
}

/// Until when more is waited for, from a moment on at which there is enough to begin: a short silence ends the waiting, and so does a
/// stream that trickles.
pub(crate) struct Patience {
    end: Instant,
}

impl Patience {
    const SILENCE: Duration = Duration::from_millis(50);
    const WHOLE: Duration = Duration::from_millis(500);

    /// From now on.
    pub(crate) fn begin() -> Self {
        Patience { end: Instant::now() + Self::WHOLE }
    }

    /// Until when the next bytes are waited for.
    pub(crate) fn until(&self) -> Instant {
        self.end.min(Instant::now() + Self::SILENCE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_bytes_come_in_their_order() {
        let bytes: Vec<u8> = (0..300_000u32).map(|at| at as u8).collect();
        let mut read = Vec::new();
        ReadAhead::new(Box::new(Cursor::new(bytes.clone()))).read_to_end(&mut read).unwrap();
        assert_eq!(read, bytes);
    }

    /// A stream that never says more.
    struct Silent;

    impl Read for Silent {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            std::thread::sleep(Duration::from_secs(3600));
            Ok(0)
        }
    }

    #[test]
    fn a_pause_is_noticed() {
        let first: Flow = Box::new(Cursor::new(b"a\n".to_vec()).chain(Silent));
        let mut ahead = ReadAhead::new(first);
        assert!(matches!(ahead.arrival(None).unwrap(), Arrival::Bytes(bytes) if bytes == b"a\n"));
        assert!(matches!(ahead.arrival(Some(Instant::now() + Duration::from_millis(20))).unwrap(), Arrival::Pause));
    }
}
