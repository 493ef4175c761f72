//! Classes of many rows by their probabilities, as one stream that tells when it is damaged.
//!
//! ```text
//! fewer than 2¹⁸ rows    the bytes of all rows                                                                      4  sum
//! from there on          3 × 6  lengths of all lanes but the last   the bytes of four lanes, to each one row in turn   4  sum
//! ```
//!
//! Lengths and sum are little-endian. The sum is one of the bytes, of the number of rows and of the classes: a stream that was cut or altered is an
//! error, and so is one that is read with other probabilities. The whole is within 48 bits of −Σ log2 of the integers that code, and within 240
//! where there are lanes, which is less than a bit a thousand rows. Cost: K − 1 divisions and multiplications a row.

use super::class_coder::ClassProbabilities;
use super::probability_rows::{BLOCK, ProbabilityRows, is_one};
use super::{RangeDecoder, RangeEncoder};
use crate::error::{DataFault, Error, ErrorKind, Result};
use crate::num::kernel::widest;

/// Coders at a time: coding is a chain of multiplications, each of which waits for the one before, and four chains do not wait for each other.
const LANES: usize = 4;
/// Rows from which on there are lanes.
const LANED_ROWS: usize = 1 << 18;
/// Bytes of a lane's length.
const LENGTH: usize = 6;
/// Bytes of the sum.
const SUM: usize = 4;

/// Codes the classes of all rows by their probabilities, which add up to 1 in every row.
pub fn encode_classes(classes: &[u32], rows: ProbabilityRows<'_>) -> Result<Vec<u8>> {
    check(Some(classes), &rows)?;
    let (lanes, fine) = encode_lanes(classes, &rows);
    if !fine {
        return Err(rows.refusal());
    }
    let streams: Vec<Vec<u8>> = lanes.into_iter().map(RangeEncoder::finish).collect();
    let mut whole = Vec::with_capacity(streams.iter().map(|stream| stream.len() + 8).sum());
    for stream in &streams[..streams.len() - 1] {
        whole.extend_from_slice(&(stream.len() as u64).to_le_bytes()[..LENGTH]);
    }
    streams.iter().for_each(|stream| whole.extend_from_slice(stream));
    whole.extend(sum_of(&whole, classes, rows.classes()).to_le_bytes());
    Ok(whole)
}

/// Reads the classes back by the same probabilities.
pub fn decode_classes(stream: &[u8], rows: ProbabilityRows<'_>) -> Result<Vec<u32>> {
    check(None, &rows)?;
    let (bytes, sum) = stream.split_last_chunk::<SUM>().ok_or_else(|| broken("it is cut"))?;
    let mut classes = vec![0; rows.rows()];
    let lanes = if is_laned(classes.len()) { lanes_of(bytes)?.map(RangeDecoder::new).to_vec() } else { vec![RangeDecoder::new(bytes)] };
    let (lanes, fine) = decode_lanes(lanes, &rows, &mut classes);
    lanes.into_iter().try_for_each(RangeDecoder::finish)?;
    match (fine, u32::from_le_bytes(*sum) == sum_of(bytes, &classes, rows.classes())) {
        (false, _) => Err(rows.refusal()),
        (_, false) => Err(broken("it was cut or altered, or is read with other probabilities than those that coded it")),
        _ => Ok(classes),
    }
}

/// Refuses cells that are no rows, and classes that are not those of these rows.
fn check(classes: Option<&[u32]>, rows: &ProbabilityRows<'_>) -> Result<()> {
    let count = rows.classes();
    if let ProbabilityRows::OfAll { cells, .. } = rows
        && (count == 0 || !cells.len().is_multiple_of(count))
    {
        return Err(DataFault::new(format!("{} probabilities are no rows of {count} classes", cells.len())).into());
    }
    let Some(classes) = classes else { return Ok(()) };
    if classes.len() != rows.rows() {
        return Err(DataFault::new(format!("{} labels come with {} rows of probabilities", classes.len(), rows.rows())).into());
    }
    // The largest first: a loop that could end early would look at one class at a time.
    if classes.iter().fold(0, |most, class| most.max(*class)) as usize >= count
        && let Some(at) = classes.iter().position(|class| *class as usize >= count)
    {
        return Err(DataFault::new("the label is the code of no class:").row(at as u64 + 1).value(classes[at].to_string()).into());
    }
    Ok(())
}

fn broken(what: &str) -> Error {
    ErrorKind::Format { expected: "coded stream", what: what.into() }.into()
}

fn is_laned(rows: usize) -> bool {
    rows >= LANED_ROWS
}

/// The streams of the lanes.
fn lanes_of(bytes: &[u8]) -> Result<[&[u8]; LANES]> {
    let (lengths, mut streams) = bytes.split_at_checked(LENGTH * (LANES - 1)).ok_or_else(|| broken("it is cut"))?;
    let mut lanes = [&[][..]; LANES];
    for (lane, length) in lanes.iter_mut().zip(lengths.chunks(LENGTH)) {
        let length = length.iter().rev().fold(0u64, |length, byte| length << 8 | u64::from(*byte));
        let length = usize::try_from(length).map_err(|_| broken("it is cut"))?;
        (*lane, streams) = streams.split_at_checked(length).ok_or_else(|| broken("it is cut"))?;
    }
    lanes[LANES - 1] = streams;
    Ok(lanes)
}

/// A sum of the bytes and of the classes. Of two lists of classes that differ in one place the sums differ.
fn sum_of(bytes: &[u8], classes: &[u32], count: usize) -> u32 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(classes.len() as u64).to_le_bytes()).update(&(count as u64).to_le_bytes()).update(bytes);
    let [a, b, c, d, ..] = *hasher.finalize().as_bytes();
    let of_classes = widest(
        #[inline(always)]
        || {
            let mut sum = 0u32;
            for (place, class) in classes.iter().enumerate() {
                sum = sum.wrapping_add(class.wrapping_mul((place as u32).wrapping_mul(0x9E37_79B1) | 1));
            }
            sum
        },
    );
    u32::from_le_bytes([a, b, c, d]).wrapping_add(of_classes)
}

/// The classes in their lanes, and whether all rows are probabilities.
fn encode_lanes(classes: &[u32], rows: &ProbabilityRows<'_>) -> (Vec<RangeEncoder>, bool) {
    match (rows.classes(), is_laned(classes.len())) {
        (2, true) => widest(
            #[inline(always)]
            || encode_two(classes, rows),
        ),
        (2, false) => {
            let mut encoder = RangeEncoder::default();
            let fine = two_by_two(rows, 0, |at, p| encoder.push(classes[at] == 0, p));
            (vec![encoder], fine)
        }
        (_, laned) => {
            let mut lanes = vec![RangeEncoder::default(); if laned { LANES } else { 1 }];
            let count = lanes.len();
            let fine = each_row(rows, |at, code| code.encode(classes[at] as usize, &mut lanes[at % count]));
            (lanes, fine)
        }
    }
}

/// Two classes, a row of each lane at a time.
#[inline(always)]
fn encode_two(classes: &[u32], rows: &ProbabilityRows<'_>) -> (Vec<RangeEncoder>, bool) {
    let mut lanes: [RangeEncoder; LANES] = std::array::from_fn(|_| RangeEncoder::default());
    let (mut decisions, mut fine) = ([0; BLOCK], true);
    let (blocks, _) = classes.as_chunks::<BLOCK>();
    for (block, own) in blocks.iter().enumerate() {
        fine &= rows.part(block * BLOCK, (block + 1) * BLOCK).decisions(&mut decisions);
        // Plain loops: what a closure does would be compiled on its own, for the narrowest instruction set.
        for (classes, p) in own.as_chunks::<LANES>().0.iter().zip(decisions.as_chunks::<LANES>().0) {
            for ((lane, class), p) in lanes.iter_mut().zip(classes).zip(p) {
                lane.push(*class == 0, *p);
            }
        }
    }
    fine &= two_by_two(rows, blocks.len() * BLOCK, |at, p| lanes[at % LANES].push(classes[at] == 0, p));
    (lanes.into(), fine)
}

/// Reads the classes; tells whether all rows are probabilities.
fn decode_lanes<'a>(mut lanes: Vec<RangeDecoder<'a>>, rows: &ProbabilityRows<'_>, classes: &mut [u32]) -> (Vec<RangeDecoder<'a>>, bool) {
    let count = lanes.len();
    if rows.classes() != 2 {
        let fine = each_row(rows, |at, code| classes[at] = code.decode(&mut lanes[at % count]) as u32);
        return (lanes, fine);
    }
    match <[RangeDecoder<'_>; LANES]>::try_from(lanes) {
        Ok(lanes) => widest(
            #[inline(always)]
            || decode_two(lanes, rows, classes),
        ),
        Err(mut lanes) => {
            let fine = two_by_two(rows, 0, |at, p| classes[at] = u32::from(!lanes[0].next(p)));
            (lanes, fine)
        }
    }
}

/// Two classes, a row of each lane at a time.
#[inline(always)]
fn decode_two<'a>(mut lanes: [RangeDecoder<'a>; LANES], rows: &ProbabilityRows<'_>, classes: &mut [u32]) -> (Vec<RangeDecoder<'a>>, bool) {
    let (mut decisions, mut fine) = ([0; BLOCK], true);
    let (blocks, _) = classes.as_chunks_mut::<BLOCK>();
    let done = blocks.len() * BLOCK;
    for (block, own) in blocks.iter_mut().enumerate() {
        fine &= rows.part(block * BLOCK, (block + 1) * BLOCK).decisions(&mut decisions);
        for (classes, p) in own.as_chunks_mut::<LANES>().0.iter_mut().zip(decisions.as_chunks::<LANES>().0) {
            for ((lane, class), p) in lanes.iter_mut().zip(classes).zip(p) {
                *class = u32::from(!lane.next(*p));
            }
        }
    }
    fine &= two_by_two(rows, done, |at, p| classes[at] = u32::from(!lanes[at % LANES].next(p)));
    (lanes.into(), fine)
}

/// The decisions of rows of two classes from a row on; tells whether all of them are probabilities.
fn two_by_two(rows: &ProbabilityRows<'_>, first: usize, mut work: impl FnMut(usize, u32)) -> bool {
    let (mut decisions, mut fine) = ([0; BLOCK], true);
    for lo in (first..rows.rows()).step_by(BLOCK) {
        let hi = rows.rows().min(lo + BLOCK);
        fine &= rows.part(lo, hi).decisions(&mut decisions);
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
            let stream = encode_classes(&classes, all).unwrap();
            assert_eq!(decode_classes(&stream, all).unwrap(), classes);
            assert!((0.0..=48.01).contains(&excess(&stream, &cells, &classes, count)));
        }
    }

    #[test]
    fn lanes_come_back_within_the_bound() {
        for (count, rows) in [(2, LANED_ROWS + 261), (2, LANED_ROWS), (3, LANED_ROWS + 1), (2, LANED_ROWS - 1)] {
            let (cells, classes) = Draws(rows as u64).message(count, rows);
            let all = ProbabilityRows::OfAll { cells: &cells, classes: count };
            let stream = encode_classes(&classes, all).unwrap();
            assert_eq!(decode_classes(&stream, all).unwrap(), classes);
            assert!((0.0..=64.0 + rows as f64 / 1000.0).contains(&excess(&stream, &cells, &classes, count)));
            for cut in [0, 3, 20, stream.len() / 2, stream.len() - 5, stream.len() - 1] {
                decode_classes(&stream[..cut], all).unwrap_err();
            }
            for at in [0, 17, 30, stream.len() / 2, stream.len() - 1] {
                let mut altered = stream.clone();
                altered[at] ^= 4;
                decode_classes(&altered, all).unwrap_err();
            }
        }
    }

    #[test]
    fn one_column_of_probabilities_is_two() {
        let second = [0.25, 0.999, 1.0, 0.0, 1e-12, 0.5];
        let cells: Vec<f64> = second.iter().flat_map(|p| [1.0 - p, *p]).collect();
        let classes = [1, 0, 1, 0, 1, 1];
        let stream = encode_classes(&classes, ProbabilityRows::OfSecond(&second)).unwrap();
        assert_eq!(stream, encode_classes(&classes, ProbabilityRows::OfAll { cells: &cells, classes: 2 }).unwrap());
        assert_eq!(decode_classes(&stream, ProbabilityRows::OfSecond(&second)).unwrap(), classes);
    }

    #[test]
    fn every_cut_every_flipped_bit_and_other_probabilities_are_errors() {
        let (cells, classes) = Draws(9).message(3, 40);
        let all = ProbabilityRows::OfAll { cells: &cells, classes: 3 };
        let stream = encode_classes(&classes, all).unwrap();
        for length in 0..stream.len() {
            decode_classes(&stream[..length], all).unwrap_err();
        }
        for bit in 0..8 * stream.len() {
            let mut altered = stream.clone();
            altered[bit / 8] ^= 1 << (bit % 8);
            decode_classes(&altered, all).unwrap_err();
        }
        let longer = [&stream[..], &[0; 16]].concat();
        assert!(decode_classes(&longer, all).unwrap_err().to_string().contains("goes on"));
        let (others, _) = Draws(10).message(3, 40);
        decode_classes(&stream, ProbabilityRows::OfAll { cells: &others, classes: 3 }).unwrap_err();
    }

    #[test]
    fn what_is_no_probability_is_named() {
        let told = |cells: &[f64], classes: usize| {
            let labels = vec![0; cells.len() / classes];
            encode_classes(&labels, ProbabilityRows::OfAll { cells, classes }).unwrap_err().to_string()
        };
        assert!(told(&[0.5, 0.5, 0.5, 0.4], 2).contains("row 2") && told(&[0.5, 0.5, 0.5, 0.4], 2).contains("0.9"));
        assert!(told(&[1.5, -0.5], 2).contains("`-0.5`"));
        assert!(told(&[0.2, 0.3, 0.5, f64::NAN, 0.5, 0.5], 3).contains("row 2"));
        let wrong = |labels: &[u32], p: &[f64]| encode_classes(labels, ProbabilityRows::OfSecond(p)).unwrap_err().to_string();
        assert!(wrong(&[0], &[1.5]).contains("`-0.5`") || wrong(&[0], &[1.5]).contains("`1.5`"));
        assert!(wrong(&[2], &[0.5]).contains("`2`"));
        assert!(wrong(&[0, 1], &[0.5]).contains("2 labels"));
        assert!(decode_classes(&[0; 9], ProbabilityRows::OfSecond(&[f64::NAN])).is_err());
        assert!(decode_classes(&[], ProbabilityRows::OfAll { cells: &[], classes: 0 }).is_err());
    }
}
