//! Small seeded arrays, for counting instructions without a file or a library of random numbers.

use crate::arrays::{Arrays, Features};
use crate::npy::Array;

/// Words of one row.
const ROW_WORDS: usize = 40;

/// Marsaglia's xorshift generator: the same numbers on every machine.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Nearly normal: a sum of six uniform numbers with variance 1.
    fn normal(&mut self) -> f64 {
        ((0..6).map(|_| self.unit()).sum::<f64>() - 3.0) * std::f64::consts::SQRT_2
    }

    fn below(&mut self, count: usize) -> usize {
        (self.unit() * count as f64) as usize
    }
}

fn random() -> Random {
    Random(88_172_645_463_325_252)
}

/// Numbers whose first columns move with the class, each following its left neighbour.
pub(crate) fn numbers(rows: usize, columns: usize, classes: usize) -> Arrays {
    let mut random = random();
    let (mut data, mut labels) = (Vec::with_capacity(rows * columns), Vec::with_capacity(rows));
    for _ in 0..rows {
        let class = random.below(classes);
        let mut previous = 0.0;
        for j in 0..columns {
            previous = 0.5 * previous + random.normal();
            data.push(previous + if j % classes == class { 0.4 } else { 0.0 });
        }
        labels.push(class as i64);
    }
    Arrays { features: Features::Numbers(Array { data, shape: vec![rows, columns] }), labels }
}

/// Codes of up to thirty levels.
pub(crate) fn codes(rows: usize, columns: usize, classes: usize) -> Arrays {
    let mut random = random();
    let (mut data, mut labels) = (Vec::with_capacity(rows * columns), Vec::with_capacity(rows));
    for _ in 0..rows {
        let class = random.below(classes);
        data.extend((0..columns).map(|j| {
            let levels = 2 + j % 29;
            ((random.below(levels) + class * random.below(2)) % levels) as i64
        }));
        labels.push(class as i64);
    }
    Arrays { features: Features::Codes(Array { data, shape: vec![rows, columns] }), labels }
}

/// Rows of words of which the first are frequent.
pub(crate) fn words(rows: usize, width: usize, classes: usize) -> Arrays {
    let mut random = random();
    let (mut data, mut indices, mut indptr, mut labels) = (Vec::new(), Vec::new(), vec![0], Vec::new());
    for _ in 0..rows {
        let class = random.below(classes);
        let mut row: Vec<i32> = (0..ROW_WORDS)
            .map(|_| {
                let word = ((width as f64).powf(random.unit()) - 1.0) as usize;
                ((word + 7 * class * random.below(2)) % width) as i32
            })
            .collect();
        row.sort_unstable();
        for run in row.chunk_by(|a, b| a == b) {
            indices.push(run[0]);
            data.push(run.len() as f64);
        }
        indptr.push(indices.len() as i32);
        labels.push(class as i64);
    }
    Arrays { features: Features::Words { data, indices, indptr, width }, labels }
}
