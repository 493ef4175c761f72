//! Classes of many rows by their probabilities, as one stream that tells when it is damaged.
//!
//! ```text
//! few rows             the bytes of all rows                                                          4  sum
//! many                 5 each  lengths of all streams but the last   the bytes of the streams in turn   4  sum
//! ```
//!
//! Many rows are coded in parts, as equal as can be, on as many threads as there are: parts of 240,000 rows or more have four streams, to each of which
//! goes one row in turn; rows of two classes in parts of 480,000 or more have one, of sixteen states. Lengths and sum are little-endian. The sum is one of
//! the bytes, of the number of rows and of the classes: a stream that was cut or altered is an error, and so is one that is read with other
//! probabilities. The whole is within 48 bits of −Σ log2 of the integers that code where rows are few, and within 64 bits and one a thousand rows where
//! they are many. Cost: K − 1 divisions and multiplications a row, none of them divisions by states.

use std::ops::Range;

use super::class_coder::ClassProbabilities;
use super::probability_rows::{BLOCK, ProbabilityRows, is_one};
use super::{RangeDecoder, RangeEncoder, two_class_states};
use crate::error::{DataFault, Error, ErrorKind, Result};
use crate::num::kernel::widest;
use crate::workers;

/// Coders at a time: coding is a chain of multiplications, each of which waits for the one before, and four chains do not wait for each other.
const LANES: usize = 4;
/// Rows of a part with lanes, at least.
const LANED_ROWS: usize = 240_000;
/// Rows of a part with states, at least.
const ROWS_OF_STATES: usize = 480_000;
/// Bytes of a stream's length.
const LENGTH: usize = 5;
/// Bytes of the sum.
const SUM: usize = 4;

/// How rows are coded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// One after another.
    Plain,
    /// By turns, in four streams.
    Lanes,
    /// Two classes by states.
    States,
}

impl Form {
    fn of(rows: &ProbabilityRows<'_>) -> Form {
        match (rows.classes(), rows.rows()) {
            (2, ROWS_OF_STATES..) => Form::States,
            (_, LANED_ROWS..) => Form::Lanes,
            _ => Form::Plain,
        }
    }

    /// Streams of a part.
    fn streams(self) -> usize {
        if self == Form::Lanes { LANES } else { 1 }
    }

    /// The rows of each part.
    fn parts(self, rows: usize) -> Vec<Range<usize>> {
        let parts = match self {
            Form::Plain => 1,
            Form::Lanes => rows / LANED_ROWS,
            Form::States => rows / ROWS_OF_STATES,
        };
        // The first parts take one of the rows that are left over.
        let (size, more) = (rows / parts, rows % parts);
        (0..parts).map(|part| part * size + part.min(more)..(part + 1) * size + (part + 1).min(more)).collect()
    }

    /// The streams of a part, whether all of its rows are probabilities, and a sum of its classes.
    fn encode(self, classes: &[u32], rows: &ProbabilityRows<'_>, sum: &mut ClassSum) -> (Vec<Vec<u8>>, bool) {
        if self == Form::States {
            let (stream, fine) = two_class_states::encode(classes, rows, |at, block| sum.add(at, block));
            return (vec![stream], fine);
        }
        sum.add(0, classes);
        let mut lanes = vec![RangeEncoder::default(); self.streams()];
        let count = lanes.len();
        let fine = match rows.classes() {
            2 => two_by_two(rows, |at, p| lanes[at % count].push(classes[at] == 0, p)),
            _ => each_row(rows, |at, code| code.encode(classes[at] as usize, &mut lanes[at % count])),
        };
        (lanes.into_iter().map(RangeEncoder::finish).collect(), fine)
    }

    /// Reads the classes of a part into their places; tells whether all of its rows are probabilities.
    fn decode(self, streams: &[&[u8]], rows: &ProbabilityRows<'_>, classes: &mut [u32], sum: &mut ClassSum) -> Result<bool> {
        if self == Form::States {
            return two_class_states::decode(streams.first().copied().unwrap_or_default(), rows, classes, |at, block| sum.add(at, block));
        }
        let mut lanes: Vec<RangeDecoder<'_>> = streams.iter().map(|stream| RangeDecoder::new(stream)).collect();
        let count = lanes.len();
        let fine = match rows.classes() {
            2 => two_by_two(rows, |at, p| classes[at] = u32::from(!lanes[at % count].next(p))),
            _ => each_row(rows, |at, code| classes[at] = code.decode(&mut lanes[at % count]) as u32),
        };
        lanes.into_iter().try_for_each(RangeDecoder::finish)?;
        sum.add(0, classes);
        Ok(fine)
    }
}

/// Codes the classes of all rows by their probabilities, which add up to 1 in every row; the same bytes on any number of threads.
pub fn encode_classes(classes: &[u32], rows: ProbabilityRows<'_>, threads: usize) -> Result<Vec<u8>> {
    check(Some(classes.len()), &rows)?;
    let form = Form::of(&rows);
    let parts = workers::each(threads, form.parts(classes.len()), |part| {
        let mut sum = ClassSum::from(part.start);
        let (streams, fine) = form.encode(&classes[part.clone()], &rows.part(part.start, part.end), &mut sum);
        (streams, fine && sum.is_below(rows.classes()), sum.sum)
    });
    if !parts.iter().all(|(_, fine, _)| *fine) {
        return Err(unknown_class(classes, rows.classes()).unwrap_or_else(|| rows.refusal()));
    }
    let of_classes = parts.iter().fold(0u32, |sum, (_, _, own)| sum.wrapping_add(*own));
    let streams: Vec<Vec<u8>> = parts.into_iter().flat_map(|(streams, ..)| streams).collect();
    let mut whole = Vec::with_capacity(streams.iter().map(|stream| stream.len() + 8).sum());
    for stream in &streams[..streams.len() - 1] {
        whole.extend_from_slice(&(stream.len() as u64).to_le_bytes()[..LENGTH]);
    }
    streams.iter().for_each(|stream| whole.extend_from_slice(stream));
    whole.extend(sum_of_bytes(&whole, &rows).wrapping_add(of_classes).to_le_bytes());
    Ok(whole)
}

/// Reads the classes back by the same probabilities.
pub fn decode_classes(stream: &[u8], rows: ProbabilityRows<'_>, threads: usize) -> Result<Vec<u32>> {
    check(None, &rows)?;
    let (bytes, sum) = stream.split_last_chunk::<SUM>().ok_or_else(|| broken("it is cut"))?;
    let form = Form::of(&rows);
    let parts = form.parts(rows.rows());
    let streams = streams_of(bytes, parts.len() * form.streams())?;
    // One list for all parts: none of them is copied, and its pages are asked for once.
    let mut classes = vec![0; rows.rows()];
    let (mut pieces, mut rest) = (Vec::with_capacity(parts.len()), &mut classes[..]);
    for (part, own) in parts.into_iter().zip(streams.chunks(form.streams())) {
        let (places, after) = rest.split_at_mut(part.len());
        pieces.push((part, own, places));
        rest = after;
    }
    let done = workers::each(threads, pieces, |(part, own, places)| -> Result<(bool, u32)> {
        let mut sum = ClassSum::from(part.start);
        let fine = form.decode(own, &rows.part(part.start, part.end), places, &mut sum)?;
        Ok((fine, sum.sum))
    });
    let (mut fine, mut found) = (true, sum_of_bytes(bytes, &rows));
    for part in done {
        let (of_probabilities, of_classes) = part?;
        fine &= of_probabilities;
        found = found.wrapping_add(of_classes);
    }
    match (fine, u32::from_le_bytes(*sum) == found) {
        (false, _) => Err(rows.refusal()),
        (_, false) => Err(broken("it was cut or altered, or is read with other probabilities than those that coded it")),
        _ => Ok(classes),
    }
}

/// Refuses cells that are no rows, and labels that are not those of these rows.
fn check(labels: Option<usize>, rows: &ProbabilityRows<'_>) -> Result<()> {
    let count = rows.classes();
    if let ProbabilityRows::OfAll { cells, .. } = rows
        && (count == 0 || !cells.len().is_multiple_of(count))
    {
        return Err(DataFault::new(format!("{} probabilities are no rows of {count} classes", cells.len())).into());
    }
    match labels.filter(|labels| *labels != rows.rows()) {
        Some(labels) => Err(DataFault::new(format!("{labels} labels come with {} rows of probabilities", rows.rows())).into()),
        None => Ok(()),
    }
}

/// The first label that is the code of no class, as a refusal.
fn unknown_class(classes: &[u32], count: usize) -> Option<Error> {
    let at = classes.iter().position(|class| *class as usize >= count)?;
    Some(DataFault::new("the label is the code of no class:").row(at as u64 + 1).value(classes[at].to_string()).into())
}

pub(super) fn broken(what: &str) -> Error {
    ErrorKind::Format { expected: "coded stream", what: what.into() }.into()
}

/// The streams of all parts.
fn streams_of(bytes: &[u8], count: usize) -> Result<Vec<&[u8]>> {
    let (lengths, mut rest) = bytes.split_at_checked(LENGTH * (count - 1)).ok_or_else(|| broken("it is cut"))?;
    let mut all = Vec::with_capacity(count);
    for length in lengths.chunks(LENGTH) {
        let length = length.iter().rev().fold(0u64, |length, byte| length << 8 | u64::from(*byte));
        let length = usize::try_from(length).map_err(|_| broken("it is cut"))?;
        let (own, after) = rest.split_at_checked(length).ok_or_else(|| broken("it is cut"))?;
        all.push(own);
        rest = after;
    }
    all.push(rest);
    Ok(all)
}

/// A sum of the bytes, of the number of rows and of that of classes.
fn sum_of_bytes(bytes: &[u8], rows: &ProbabilityRows<'_>) -> u32 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(rows.rows() as u64).to_le_bytes()).update(&(rows.classes() as u64).to_le_bytes()).update(bytes);
    let [a, b, c, d, ..] = *hasher.finalize().as_bytes();
    u32::from_le_bytes([a, b, c, d])
}

/// A sum of the classes of rows, in any order of blocks, and the largest of them. Of two lists of classes that differ in one place the sums differ.
struct ClassSum {
    first: usize,
    sum: u32,
    most: u32,
}

impl ClassSum {
    /// Nothing summed up of a part that begins with this row.
    fn from(first: usize) -> Self {
        ClassSum { first, sum: 0, most: 0 }
    }

    /// Adds the classes of rows, the first of which has this number within the part.
    fn add(&mut self, at: usize, classes: &[u32]) {
        let first = (self.first + at) as u32;
        (self.sum, self.most) = widest(
            #[inline(always)]
            || {
                let (mut sum, mut most) = (self.sum, self.most);
                for (place, class) in classes.iter().enumerate() {
                    let place = (place as u32).wrapping_add(first);
                    sum = sum.wrapping_add(class.wrapping_mul(place.wrapping_mul(0x9E37_79B1) | 1));
                    // The largest of all: a loop that could end early would look at one class at a time.
                    most = most.max(*class);
                }
                (sum, most)
            },
        );
    }

    /// Whether all are codes of so many classes.
    fn is_below(&self, count: usize) -> bool {
        (self.most as usize) < count
    }
}

/// The decisions of rows of two classes; tells whether all of them are probabilities.
fn two_by_two(rows: &ProbabilityRows<'_>, mut work: impl FnMut(usize, u32)) -> bool {
    let (mut decisions, mut fine) = ([0; BLOCK], true);
    for lo in (0..rows.rows()).step_by(BLOCK) {
        let hi = rows.rows().min(lo + BLOCK);
        fine &= widest(
            #[inline(always)]
            || rows.part(lo, hi).decisions(&mut decisions),
        );
        (lo..hi).zip(&decisions).for_each(|(at, p)| work(at, *p));
    }
    fine
}

/// Rows of any number of classes, one by one; tells whether all of them are probabilities.
fn each_row(rows: &ProbabilityRows<'_>, mut work: impl FnMut(usize, &ClassProbabilities)) -> bool {
    let ProbabilityRows::OfAll { cells, classes } = rows else { return false };
    let (mut code, mut fine) = (ClassProbabilities::even(*classes), true);
    for (at, row) in cells.chunks_exact(*classes).enumerate() {
        let sum: f64 = row.iter().rev().sum();
        fine &= row.iter().all(|p| *p >= 0.0) && is_one(sum);
        code.set(row);
        work(at, &code);
    }
    fine
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers without end, 31 bits each.
    struct Draws(u64);

    impl Draws {
        fn next(&mut self) -> u32 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) as u32
        }

        /// Rows of probabilities, some of them tiny, and a class for each.
        fn message(&mut self, count: usize, rows: usize) -> (Vec<f64>, Vec<u32>) {
            let mut cells = Vec::new();
            for _ in 0..rows {
                let row: Vec<f64> = (0..count).map(|_| f64::from((self.next() >> (self.next() % 30)).max(1))).collect();
                let sum: f64 = row.iter().sum();
                cells.extend(row.iter().map(|p| p / sum));
            }
            (cells, (0..rows).map(|_| self.next() % count as u32).collect())
        }
    }

    /// Bits above those of the probabilities as integers of 14 bits.
    fn excess_by_shares(stream: &[u8], cells: &[f64], classes: &[u32]) -> f64 {
        let bits = |(class, p): (&u32, &[f64])| -> f64 {
            let first = (16384.0 * p[0] + 0.5).floor().clamp(1.0, 16383.0);
            -(if *class == 0 { first } else { 16384.0 - first } / 16384.0).log2()
        };
        8.0 * stream.len() as f64 - classes.iter().zip(cells.chunks_exact(2)).map(bits).sum::<f64>()
    }

    fn excess(stream: &[u8], cells: &[f64], classes: &[u32], count: usize) -> f64 {
        let mut row = ClassProbabilities::even(count);
        let bits = |(class, p): (&u32, &[f64])| {
            row.set(p);
            row.bits(*class as usize)
        };
        8.0 * stream.len() as f64 - classes.iter().zip(cells.chunks_exact(count)).map(bits).sum::<f64>()
    }

    #[test]
    fn a_hundred_thousand_random_messages_come_back_within_the_bound() {
        let mut draws = Draws(3);
        for _ in 0..100_000 {
            let (count, rows) = (1 + draws.next() as usize % 5, draws.next() as usize % 9);
            let (cells, classes) = draws.message(count, rows);
            let all = ProbabilityRows::OfAll { cells: &cells, classes: count };
            let stream = encode_classes(&classes, all, 1).unwrap();
            assert_eq!(decode_classes(&stream, all, 1).unwrap(), classes);
            assert!((0.0..=48.01).contains(&excess(&stream, &cells, &classes, count)));
        }
    }

    #[test]
    fn many_rows_come_back_within_the_bound() {
        let sizes = [
            (2, LANED_ROWS + 261),
            (3, LANED_ROWS + 1),
            (2, LANED_ROWS - 1),
            (2, ROWS_OF_STATES - 1),
            (2, ROWS_OF_STATES),
            (2, 2 * ROWS_OF_STATES + 5),
        ];
        for (count, rows) in sizes {
            let (cells, classes) = Draws(rows as u64).message(count, rows);
            let all = ProbabilityRows::OfAll { cells: &cells, classes: count };
            let stream = encode_classes(&classes, all, 1).unwrap();
            assert_eq!(decode_classes(&stream, all, 1).unwrap(), classes);
            let above = match Form::of(&all) {
                Form::States => excess_by_shares(&stream, &cells, &classes),
                _ => excess(&stream, &cells, &classes, count),
            };
            assert!((0.0..=64.0 + rows as f64 / 1000.0).contains(&above), "{count} {rows}: {above}");
            for cut in [0, 3, 20, stream.len() / 2, stream.len() - 5, stream.len() - 1] {
                decode_classes(&stream[..cut], all, 1).unwrap_err();
            }
            for at in [0, 17, 30, 80, stream.len() / 2, stream.len() - 1] {
                let mut altered = stream.clone();
                altered[at] ^= 4;
                decode_classes(&altered, all, 1).unwrap_err();
            }
        }
    }

    /// Probabilities are not those of the integers: what the log loss says must be met as well.
    #[test]
    fn states_are_as_short_as_the_log_loss() {
        let rows = 1_000_000;
        let (mut draws, mut classes, mut second) = (Draws(4), Vec::new(), Vec::new());
        for _ in 0..rows {
            let p = (f64::from(draws.next()) / 2f64.powi(31)).powi(12).clamp(1e-7, 1.0 - 1e-7);
            classes.push(u32::from(f64::from(draws.next()) < p * 2f64.powi(31)));
            second.push(p);
        }
        let stream = encode_classes(&classes, ProbabilityRows::OfSecond(&second), 2).unwrap();
        let ideal: f64 = classes.iter().zip(&second).map(|(class, p)| -(if *class == 1 { *p } else { 1.0 - p }).log2()).sum();
        let above = 8.0 * stream.len() as f64 - ideal;
        assert!((0.0..=64.0 + rows as f64 / 1000.0).contains(&above), "{above} above {ideal}");
    }

    #[test]
    fn any_number_of_threads_writes_the_same_bytes() {
        for (count, rows) in [(2, 2 * ROWS_OF_STATES + 2), (3, 3 * LANED_ROWS + 2)] {
            let (cells, mut classes) = Draws(5).message(count, rows);
            let all = ProbabilityRows::OfAll { cells: &cells, classes: count };
            let stream = encode_classes(&classes, all, 1).unwrap();
            for threads in [2, 3, 8] {
                assert_eq!(encode_classes(&classes, all, threads).unwrap(), stream);
                assert_eq!(decode_classes(&stream, all, threads).unwrap(), classes);
            }
            classes[480_007] = count as u32;
            assert!(encode_classes(&classes, all, 2).unwrap_err().to_string().contains("row 480008"));
        }
    }

    #[test]
    fn parts_are_as_equal_as_can_be() {
        assert_eq!(Form::Plain.parts(0).len(), 1);
        assert_eq!(Form::Lanes.parts(2 * LANED_ROWS - 1), vec![0..2 * LANED_ROWS - 1; 1]);
        assert_eq!(Form::Lanes.parts(2 * LANED_ROWS + 1), [0..LANED_ROWS + 1, LANED_ROWS + 1..2 * LANED_ROWS + 1]);
    }

    #[test]
    fn one_column_of_probabilities_is_two() {
        let second = [0.25, 0.999, 1.0, 0.0, 1e-12, 0.5];
        let cells: Vec<f64> = second.iter().flat_map(|p| [1.0 - p, *p]).collect();
        let classes = [1, 0, 1, 0, 1, 1];
        let stream = encode_classes(&classes, ProbabilityRows::OfSecond(&second), 1).unwrap();
        assert_eq!(stream, encode_classes(&classes, ProbabilityRows::OfAll { cells: &cells, classes: 2 }, 1).unwrap());
        assert_eq!(decode_classes(&stream, ProbabilityRows::OfSecond(&second), 1).unwrap(), classes);
    }

    #[test]
    fn every_cut_every_flipped_bit_and_other_probabilities_are_errors() {
        let (cells, classes) = Draws(9).message(3, 40);
        let all = ProbabilityRows::OfAll { cells: &cells, classes: 3 };
        let stream = encode_classes(&classes, all, 1).unwrap();
        for length in 0..stream.len() {
            decode_classes(&stream[..length], all, 1).unwrap_err();
        }
        for bit in 0..8 * stream.len() {
            let mut altered = stream.clone();
            altered[bit / 8] ^= 1 << (bit % 8);
            decode_classes(&altered, all, 1).unwrap_err();
        }
        let longer = [&stream[..], &[0; 16]].concat();
        assert!(decode_classes(&longer, all, 1).unwrap_err().to_string().contains("goes on"));
        let (others, _) = Draws(10).message(3, 40);
        decode_classes(&stream, ProbabilityRows::OfAll { cells: &others, classes: 3 }, 1).unwrap_err();
    }

    #[test]
    fn what_is_no_probability_is_named() {
        let told = |cells: &[f64], classes: usize| {
            let labels = vec![0; cells.len() / classes];
            encode_classes(&labels, ProbabilityRows::OfAll { cells, classes }, 1).unwrap_err().to_string()
        };
        assert!(told(&[0.5, 0.5, 0.5, 0.4], 2).contains("row 2") && told(&[0.5, 0.5, 0.5, 0.4], 2).contains("0.9"));
        assert!(told(&[1.5, -0.5], 2).contains("`-0.5`"));
        assert!(told(&[0.2, 0.3, 0.5, f64::NAN, 0.5, 0.5], 3).contains("row 2"));
        let wrong = |labels: &[u32], p: &[f64]| encode_classes(labels, ProbabilityRows::OfSecond(p), 1).unwrap_err().to_string();
        assert!(wrong(&[0], &[1.5]).contains("`-0.5`") || wrong(&[0], &[1.5]).contains("`1.5`"));
        assert!(wrong(&[2], &[0.5]).contains("`2`"));
        assert!(wrong(&[0, 1], &[0.5]).contains("2 labels"));
        assert!(decode_classes(&[0; 9], ProbabilityRows::OfSecond(&[f64::NAN]), 1).is_err());
        assert!(decode_classes(&[], ProbabilityRows::OfAll { cells: &[], classes: 0 }, 1).is_err());
    }
}
