//! Times of the hot kernels at the shapes of the benchmark workloads, on one and on two threads.
//!
//! `cargo run --release -p oddsmith --example kernel_times [name…]` prints the best of several runs in
//! milliseconds and the rate it means; names select kernels by their beginning. A number among the names
//! divides the rows and multiplies the runs: short runs find quiet moments on a busy machine.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use oddsmith::num::MatrixView;
use oddsmith::num::kernel::{
    Codes, GaussianScores, Gram, LevelCounts, LevelScores, LevelSums, LinearScores, MomentSums, Moments, Panel, QuadraticScores,
    QuadraticScratch, SparseRows, WordMeasure, WordScores, add_words, exp_all, softmax,
};
use std::hint::black_box;
use std::ops::Range;
use std::time::Instant;

const RUNS: usize = 7;
/// Rows per call, as the driver cuts them.
const CHUNK: usize = 8192;

fn main() {
    let (parts, wanted): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|arg| arg.parse::<usize>().is_ok());
    let part = parts.first().and_then(|part| part.parse().ok()).unwrap_or(1);
    let bench = Bench { wanted, runs: RUNS * part };
    if bench.any(&["read", "moments", "gaussian", "linear", "gram", "quadratic", "softmax"]) {
        dense(&bench, 1_000_000 / part, 50, 3);
    }
    if bench.any(&["gram 500", "gram 2000"]) {
        wide(&bench, 20_000 / part, 500);
        wide(&bench, 4_000 / part, 2000);
    }
    if bench.any(&["exp", "softmax"]) {
        exponentials(&bench, 1_000_000 / part);
    }
    if bench.any(&["levels", "level scores"]) {
        levels(&bench, 1_000_000 / part, 20, 3);
    }
    if bench.any(&["words", "word scores"]) {
        words(&bench, 200_000 / part, 100_000, 20);
    }
}

struct Bench {
    wanted: Vec<String>,
    runs: usize,
}

impl Bench {
    fn any(&self, names: &[&str]) -> bool {
        self.wanted.is_empty() || names.iter().any(|name| self.wanted.iter().any(|w| name.starts_with(&w[..]) || w.starts_with(name)))
    }

    /// Prints the best times of `work(rows)` over halves of `rows`; `amount` is in billions of `unit`.
    fn time(&self, name: &str, rows: usize, amount: f64, unit: &str, work: impl Fn(Range<usize>) + Sync) {
        if !self.wanted.is_empty() && !self.wanted.iter().any(|w| name.starts_with(&w[..])) {
            return;
        }
        let best = [1, 2].map(|threads| {
            let seconds = (0..self.runs).map(|_| {
                let start = Instant::now();
                std::thread::scope(|scope| {
                    for t in 0..threads {
                        let work = &work;
                        scope.spawn(move || work(rows * t / threads..rows * (t + 1) / threads));
                    }
                });
                start.elapsed().as_secs_f64()
            });
            seconds.fold(f64::INFINITY, f64::min)
        });
        let [one, two] = best;
        println!("{name:34} 1t {:8.2} ms {:6.1} {unit}   2t {:8.2} ms {:6.1} {unit}", one * 1e3, amount / one, two * 1e3, amount / two);
    }
}

/// Calls `work` with the chunks of `rows`.
fn chunks(rows: Range<usize>, mut work: impl FnMut(usize, usize)) {
    for lo in rows.clone().step_by(CHUNK) {
        work(lo, rows.end.min(lo + CHUNK));
    }
}

/// A fast generator (xorshift64*).
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.unit() * bound as f64) as usize
    }

    /// Centred, of about unit variance.
    fn spread(&mut self) -> f64 {
        (self.unit() + self.unit() + self.unit() - 1.5) * 2.0
    }
}

fn dense(bench: &Bench, rows: usize, cols: usize, classes: usize) {
    let mut random = Random(1);
    let data: Vec<f64> = (0..rows * cols).map(|_| 3.0 + random.spread()).collect();
    let labels: Vec<u32> = (0..rows).map(|_| random.below(classes) as u32).collect();
    let weights: Vec<f64> = (0..rows).map(|_| random.unit() + 0.5).collect();
    let shift = vec![3.0; classes * cols];
    let row_major = MatrixView::row_major(&data, rows, cols).unwrap();
    // The same numbers read as columns: another matrix, but the same traffic.
    let by_columns = MatrixView::column_major(&data, rows, cols).unwrap();
    let bytes = (rows * cols * 8) as f64 / 1e9;
    let flops = (rows * cols * cols) as f64 / 1e9;

    bench.time("read (sum of all numbers)", rows, bytes, "GB/s", |range| {
        let mut sums = [0.0; 64];
        for part in data[range.start * cols..range.end * cols].as_chunks::<64>().0 {
            for (sum, x) in sums.iter_mut().zip(part) {
                *sum += x;
            }
        }
        black_box(sums);
    });
    for (name, view, weights) in
        [("moments", row_major, None), ("moments weighted", row_major, Some(&weights[..])), ("moments by columns", by_columns, None)]
    {
        bench.time(name, rows, bytes, "GB/s", |range| {
            let mut kernel = Moments::new(classes, cols);
            let (mut counts, mut weight) = (vec![0; classes], vec![0.0; classes]);
            let (mut sum, mut square) = (vec![0.0; classes * cols], vec![0.0; classes * cols]);
            chunks(range, |lo, hi| {
                let into = MomentSums { rows: &mut counts, weight: &mut weight, sum: &mut sum, square: &mut square };
                kernel.add(view.slice(lo, hi), &labels[lo..hi], weights.map(|w| &w[lo..hi]), &shift, into);
            });
            black_box((sum, square));
        });
    }
    for (name, view, weights, pooled) in [
        ("gram pooled", row_major, None, true),
        ("gram pooled weighted", row_major, Some(&weights[..]), true),
        ("gram pooled by columns", by_columns, None, true),
        ("gram per class", row_major, None, false),
        ("gram per class weighted", row_major, Some(&weights[..]), false),
    ] {
        bench.time(name, rows, flops, "GFLOP/s", |range| {
            let mut kernel = if pooled { Gram::pooled(classes, cols) } else { Gram::per_class(classes, cols) };
            let mut sums = vec![0.0; if pooled { 1 } else { classes } * cols * cols];
            chunks(range, |lo, hi| {
                kernel.add(view.slice(lo, hi), Some(&labels[lo..hi]), weights.map(|w| &w[lo..hi]), &shift, &mut sums);
            });
            black_box(sums);
        });
    }
    let constant = vec![-1.0; classes];
    let factor: Vec<f64> = (0..classes * cols * cols).map(|_| random.spread() * 0.1).collect();
    let gaussian = GaussianScores::new(cols, &constant, &vec![0.5; classes * cols], &shift);
    let linear = LinearScores::new(&constant, &factor[..classes * cols], &shift[..cols]);
    let quadratic = QuadraticScores::new(&constant, &vec![0.0; cols], &shift, &factor);
    for (name, view, normalise) in [
        ("gaussian scores", row_major, false),
        ("gaussian probabilities", row_major, true),
        ("gaussian probabilities by columns", by_columns, true),
    ] {
        score(bench, name, rows, classes, (bytes, "GB/s"), normalise, Panel::new, |lo, hi, panel, out| {
            gaussian.score(view.slice(lo, hi), panel, out);
        });
    }
    for (name, normalise) in [("linear scores", false), ("linear probabilities", true)] {
        score(bench, name, rows, classes, (bytes, "GB/s"), normalise, Panel::new, |lo, hi, panel, out| {
            linear.score(row_major.slice(lo, hi), panel, out);
        });
    }
    for (name, normalise) in [("quadratic scores", false), ("quadratic probabilities", true)] {
        let amount = (flops * classes as f64, "GFLOP/s");
        score(bench, name, rows, classes, amount, normalise, QuadraticScratch::default, |lo, hi, scratch, out| {
            quadratic.score(row_major.slice(lo, hi), scratch, out);
        });
    }
}

/// Times a scoring kernel that writes into its part of one output, chunk after chunk.
#[allow(clippy::too_many_arguments)]
fn score<T>(
    bench: &Bench,
    name: &str,
    rows: usize,
    classes: usize,
    (amount, unit): (f64, &str),
    normalise: bool,
    scratch: impl Fn() -> T + Sync,
    work: impl Fn(usize, usize, &mut T, &mut [f64]) + Sync,
) {
    let halves = [0.0, 0.0].map(|zero| std::sync::Mutex::new(vec![zero; rows * classes]));
    bench.time(name, rows, amount, unit, |range| {
        let mut out = halves[usize::from(range.start > 0)].lock().unwrap();
        let mut scratch = scratch();
        chunks(range, |lo, hi| {
            let out = &mut out[lo * classes..hi * classes];
            work(lo, hi, &mut scratch, out);
            if normalise {
                softmax(out, classes, None);
            }
        });
    });
}

fn wide(bench: &Bench, rows: usize, cols: usize) {
    let mut random = Random(2);
    let data: Vec<f64> = (0..rows * cols).map(|_| random.spread()).collect();
    let view = MatrixView::row_major(&data, rows, cols).unwrap();
    let shift = vec![0.0; cols];
    bench.time(&format!("gram {cols} columns"), rows, (rows * cols * cols) as f64 / 1e9, "GFLOP/s", |range| {
        let mut kernel = Gram::pooled(1, cols);
        let mut sums = vec![0.0; cols * cols];
        chunks(range, |lo, hi| kernel.add(view.slice(lo, hi), None, None, &shift, &mut sums));
        black_box(sums);
    });
}

fn exponentials(bench: &Bench, rows: usize) {
    let mut random = Random(3);
    let classes = 3;
    let numbers: Vec<f64> = (0..rows * classes).map(|_| random.spread() * 20.0).collect();
    let count = numbers.len() as f64 / 1e9;
    bench.time("exp", rows, count, "G/s", |range| {
        let mut block = vec![0.0; CHUNK * classes];
        chunks(range, |lo, hi| {
            let block = &mut block[..(hi - lo) * classes];
            block.copy_from_slice(&numbers[lo * classes..hi * classes]);
            exp_all(block);
            black_box(&*block);
        });
    });
    for (name, normalisers) in [("softmax", false), ("softmax with normalisers", true)] {
        bench.time(name, rows, count, "G/s", |range| {
            let (mut block, mut norm) = (vec![0.0; CHUNK * classes], vec![0.0; CHUNK]);
            chunks(range, |lo, hi| {
                let block = &mut block[..(hi - lo) * classes];
                block.copy_from_slice(&numbers[lo * classes..hi * classes]);
                black_box(softmax(block, classes, normalisers.then_some(&mut norm[..hi - lo])));
            });
        });
    }
}

fn levels(bench: &Bench, rows: usize, cols: usize, classes: usize) {
    let mut random = Random(4);
    let mut offsets = vec![0];
    for j in 0..cols {
        offsets.push(offsets[j] + 2 + random.below(49));
    }
    let data: Vec<u32> = (0..rows * cols).map(|at| random.below(offsets[at % cols + 1] - offsets[at % cols]) as u32).collect();
    let columns: Vec<u32> = (0..rows * cols).map(|at| data[at % rows * cols + at / rows]).collect();
    let labels: Vec<u32> = (0..rows).map(|_| random.below(classes) as u32).collect();
    let weights: Vec<f64> = (0..rows).map(|_| random.unit() + 0.5).collect();
    let table: Vec<f64> = (0..offsets[cols] * classes).map(|_| random.unit()).collect();
    let scores = LevelScores::new(classes, &offsets, &table);
    let row_major = |lo: usize| Codes { data: &data[lo * cols..], row_stride: cols, col_stride: 1 };
    let by_columns = |lo: usize| Codes { data: &columns[lo..], row_stride: 1, col_stride: rows };
    let bytes = (rows * cols * 4) as f64 / 1e9;
    for (name, by_column, weights) in
        [("levels", false, None), ("levels weighted", false, Some(&weights[..])), ("levels by columns", true, None)]
    {
        bench.time(name, rows, bytes, "GB/s", |range| {
            let mut kernel = LevelCounts::new(classes, &offsets);
            let mut counts = vec![0.0; classes * offsets[cols]];
            let (mut missing, mut unseen) = (vec![0.0; classes * cols], vec![0.0; classes * cols]);
            chunks(range, |lo, hi| {
                let codes = if by_column { by_columns(lo) } else { row_major(lo) };
                let into = LevelSums { counts: &mut counts, missing: &mut missing, unseen: &mut unseen };
                kernel.add(codes, &labels[lo..hi], weights.map(|w| &w[lo..hi]), into);
            });
            black_box(counts);
        });
    }
    for (name, by_column, normalise) in
        [("level scores", false, false), ("level scores by columns", true, false), ("level scores, probabilities", false, true)]
    {
        score(bench, name, rows, classes, (bytes, "GB/s"), normalise, Vec::new, |lo, _, buffer, out| {
            out.fill(-1.0);
            scores.add(if by_column { by_columns(lo) } else { row_major(lo) }, buffer, out);
        });
    }
}

fn words(bench: &Bench, rows: usize, width: usize, classes: usize) {
    let mut random = Random(5);
    // Words by Zipf's law, numbered by rank: the cumulative weights are searched for a uniform number.
    let mut ranks: Vec<f64> = (0..width).map(|rank| 1.0 / (rank as f64 + 2.7).powf(1.05)).collect();
    for rank in 1..width {
        ranks[rank] += ranks[rank - 1];
    }
    let (mut starts, mut entries, mut values) = (vec![0usize], Vec::new(), Vec::new());
    let mut text = Vec::new();
    for _ in 0..rows {
        text.clear();
        let length = 20 + random.below(97);
        text.extend((0..length).map(|_| {
            let target = random.unit() * ranks[width - 1];
            ranks.partition_point(|&weight| weight < target) as u32
        }));
        text.sort_unstable();
        for run in text.chunk_by(|a, b| a == b) {
            entries.push(run[0]);
            values.push(run.len() as f64);
        }
        starts.push(entries.len());
    }
    let labels: Vec<u32> = (0..rows).map(|_| random.below(classes) as u32).collect();
    let weights: Vec<f64> = (0..rows).map(|_| random.unit() + 0.5).collect();
    let count = entries.len() as f64 / 1e9;
    println!("{:34} {} entries in {rows} rows", "words", entries.len());
    let view = |lo: usize, hi: usize, values| SparseRows::new(&starts[lo..=hi], &entries[..], values).unwrap();
    for (name, weights, measure) in [
        ("words", None, WordMeasure::Total),
        ("words weighted", Some(&weights[..]), WordMeasure::Total),
        ("words, presence", None, WordMeasure::Presence),
    ] {
        // The table is kept, as the statistics of a thread are kept from chunk to chunk.
        let tables = [0.0, 0.0].map(|zero| std::sync::Mutex::new(vec![zero; classes * width]));
        bench.time(name, rows, count, "G/s", |range| {
            let mut sums = tables[usize::from(range.start > 0)].lock().unwrap();
            chunks(range, |lo, hi| {
                let weights = weights.map(|w| &w[lo..hi]);
                add_words(view(lo, hi, Some(&values[..])), &labels[lo..hi], weights, measure, (classes, width), &mut sums).unwrap();
            });
        });
    }
    let table: Vec<f64> = (0..width * classes).map(|_| -10.0 * random.unit()).collect();
    let scores = WordScores::new(classes, &table);
    score(
        bench,
        "word scores",
        rows,
        classes,
        (count, "G/s"),
        false,
        || (),
        |lo, hi, (), out| {
            out.fill(-3.0);
            scores.add(view(lo, hi, Some(&values[..])), WordMeasure::Total, out).unwrap();
        },
    );
}
