//! Tables that take the command a while.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use crate::failure::Failure;
use crate::trust::random::Random;

/// Rows of four numbers, a category of five levels and a target of two classes that depends on them.
pub(crate) fn write(path: &Path, rows: usize, seed: u64) -> Result<(), Failure> {
    let mut random = Random::new(seed);
    let mut file = BufWriter::new(File::create(path)?);
    writeln!(file, "a,b,c,d,town,y")?;
    for _ in 0..rows {
        let [a, b, c, d] = [(); 4].map(|()| (random.uniform() * 1000.0).round() / 100.0);
        let town = random.below(5);
        let risk = 1.0 / (1.0 + (3.0 - 0.4 * a - 0.2 * b + 0.1 * town as f64).exp());
        let event = ["no", "yes"][usize::from(random.uniform() < risk)];
        writeln!(file, "{a},{b},{c},{d},town{town},{event}")?;
    }
    Ok(file.flush()?)
}
