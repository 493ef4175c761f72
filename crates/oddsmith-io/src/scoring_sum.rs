//! New rows summed up on several threads.
//!
//! Every part of the file gets a summary of its own, and parts are merged in the order of the file: the parts depend on the file alone, so
//! the number of threads changes no bit. About as many summaries are alive as there are threads.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};

use oddsmith::Result;
use oddsmith::control::Control;
use oddsmith::error::{Error, ErrorKind};
use oddsmith::notice::Notice;

use crate::block::Block;
use crate::encoder::Tally;
use crate::feed::{Pass, Scratch, Trouble};
use crate::options::workers;
use crate::record_counts::Records;
use crate::scoring::{NewBatch, NewRows};

/// What sums rows up, part by part.
pub trait PartSums: Clone + Send + Sync {
    /// Adds a batch. Its first row counts from the beginning of its part.
    fn add(&mut self, batch: &NewBatch<'_>) -> Result<()>;

    /// Adds what a later part has seen, whose first row has so many before it in the file.
    fn join(&mut self, later: &Self, before: u64) -> Result<()>;
}

/// A part that was claimed: its number in the order of the file, the feed's name for it, and the lines before it where they are counted.
struct Claim {
    number: usize,
    partition: usize,
    lines: Option<u64>,
}

/// What came of a part.
struct Part<S> {
    claim: Claim,
    sums: S,
    tally: Tally,
    rows: u64,
    read: Result<Records, Trouble>,
}

/// The sum of all parts before `next`, and parts that finished too early.
struct Joined<S> {
    total: S,
    tally: Tally,
    records: Records,
    rows: u64,
    next: usize,
    waiting: BTreeMap<usize, Part<S>>,
    failed: Option<Error>,
}

impl NewRows {
    /// Sums all rows up; what comes back beside the sums are notices about odd rows and unseen levels. `threads` defaults to what
    /// the machine offers.
    pub fn sum<S: PartSums>(self, empty: &S, threads: Option<NonZeroUsize>, control: &Control) -> Result<(S, Vec<Notice>)> {
        let threads = workers(threads);
        let work = Work {
            rows: &self,
            empty,
            control,
            pass: Mutex::new((Pass::default(), 0)),
            joined: Mutex::new(Joined {
                total: empty.clone(),
                tally: Tally::default(),
                records: Records::default(),
                rows: 0,
                next: 0,
                waiting: BTreeMap::new(),
                failed: None,
            }),
        };
        match threads {
            1 => work.run(),
            _ => std::thread::scope(|scope| {
                (0..threads).for_each(|_| {
                    scope.spawn(|| work.run());
                });
            }),
        }
        let Joined { total, tally, records, failed, .. } = work.joined.into_inner().unwrap_or_else(PoisonError::into_inner);
        match failed {
            Some(error) => Err(error),
            None => Ok((total, self.told(records, &tally))),
        }
    }
}

struct Work<'a, S> {
    rows: &'a NewRows,
    empty: &'a S,
    control: &'a Control,
    /// Where the pass stands, and how many parts were claimed.
    pass: Mutex<(Pass, usize)>,
    joined: Mutex<Joined<S>>,
}

impl<S: PartSums> Work<'_, S> {
    fn run(&self) {
        let (mut scratch, mut block) = (Scratch::default(), Block::default());
        while self.lock().failed.is_none() {
            match self.claim(&mut scratch) {
                Ok(Some(claim)) => {
                    let part = self.sum_part(claim, &mut scratch, &mut block);
                    self.lock().take(part, self.rows);
                }
                Ok(None) => return,
                // All parts before the place where reading stopped are claimed; what is wrong with them comes first.
                Err((number, error)) => {
                    let claim = Claim { number, partition: 0, lines: None };
                    let read = Err(Trouble::Other(error));
                    let part = Part { claim, sums: self.empty.clone(), tally: Tally::default(), rows: 0, read };
                    return self.lock().take(part, self.rows);
                }
            }
        }
    }

    fn claim(&self, scratch: &mut Scratch) -> Result<Option<Claim>, (usize, Error)> {
        let mut place = self.pass.lock().unwrap_or_else(PoisonError::into_inner);
        let (pass, number) = &mut *place;
        let claimed = self.rows.feed.claim(pass, scratch);
        let claim = |partition| Claim { number: *number, partition, lines: self.rows.feed.lines_claimed() };
        let claimed = claimed.map(|partition| partition.map(claim)).map_err(|error| (*number, error));
        *number += 1;
        claimed
    }

    fn sum_part(&self, claim: Claim, scratch: &mut Scratch, block: &mut Block) -> Part<S> {
        let rows = self.rows;
        let (mut sums, mut tally, mut first_row) = (self.empty.clone(), Tally::default(), 0);
        let reading = (rows.feed.decimal(), rows.feed.markers());
        let read = rows.feed.batches(claim.partition, scratch, &mut |raw| {
            self.control.advance(raw.rows() as u64)?;
            rows.encoder.encode((claim.partition, raw), reading, &mut tally, block)?;
            if block.rows > 0 {
                block.with_features(&rows.layout, |features| {
                    sums.add(&rows.batch(features, &block.labels, first_row, (raw, &tally.keep)))
                })?;
                first_row += block.rows as u64;
            }
            Ok(())
        });
        Part { claim, sums, tally, rows: first_row, read }
    }

    fn lock(&self) -> MutexGuard<'_, Joined<S>> {
        self.joined.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: PartSums> Joined<S> {
    fn take(&mut self, part: Part<S>, rows: &NewRows) {
        self.waiting.insert(part.claim.number, part);
        while self.failed.is_none()
            && let Some(part) = self.waiting.remove(&self.next)
        {
            self.next += 1;
            match part.read {
                Ok(records) => self.records = self.records.then(records),
                Err(trouble) => {
                    let error = rows.feed.report_at(trouble, self.records.all, part.claim.lines);
                    self.failed = Some(after_rows(error, self.rows));
                    return;
                }
            }
            if let Err(error) = self.total.join(&part.sums, self.rows) {
                self.failed = Some(error);
            }
            self.rows += part.rows;
            self.tally.join(&part.tally);
        }
    }
}

/// A fault of a batch counts its row from the beginning of its part; that of the reader, which names its table, from that of the file.
fn after_rows(error: Error, rows: u64) -> Error {
    match error.into_kind() {
        ErrorKind::Data(mut fault) if fault.table.is_none() => {
            fault.row = fault.row.map(|row| row + rows);
            ErrorKind::Data(fault).into()
        }
        other => other.into(),
    }
}
