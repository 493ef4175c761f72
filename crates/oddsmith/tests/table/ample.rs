//! Tables with rows enough that every model has an estimate more often than not: classes overlap, gaps are few, and numbers lie on a grid,
//! so that moving them and changing their unit costs no digit.

use oddsmith::data::Weighting;
use proptest::prelude::*;

use super::{COLUMNS, Cell, Row};

/// A table and what its weights mean.
#[derive(Debug, Clone)]
pub(crate) struct Ample {
    pub(crate) rows: Vec<Row>,
    pub(crate) weighting: Weighting,
}

/// A small generator of random numbers.
struct Draws(u64);

impl Draws {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % limit
    }

    fn one_in(&mut self, limit: u64) -> bool {
        self.below(limit) == 0
    }

    fn words(&mut self, names: &[&str]) -> Cell {
        let mut words = Vec::new();
        for name in names {
            if self.one_in(2) {
                words.push((name.to_string(), 1.0 + self.below(3) as f64));
            }
        }
        Cell::Words(words)
    }

    fn cell(&mut self, name: &str) -> Cell {
        let level = |names: &[&str], at: u64| Cell::Level(names[at as usize].into());
        match name {
            "age" => Cell::Number(self.below(90) as f64),
            "dose" => Cell::Number(self.below(9 * 1024) as f64 / 1024.0 - 2.0),
            "height" => Cell::Number(1e8 + self.below(1024) as f64 / 1024.0),
            "town" => level(&["Bern", "Chur", "Köln", "Oslo"], self.below(4)),
            "smoker" => level(&["false", "true"], self.below(2)),
            "tags" => self.words(&["0", "2", "3", "4"]),
            _ => self.words(&["fever", "cough", "äpfel"]),
        }
    }

    /// A class that leans on age and dose, and more on chance.
    fn class(&mut self, classes: usize, cells: &[Cell]) -> String {
        let number = |j: usize| if let Cell::Number(x) = cells[j] { x } else { 0.0 };
        let lean = 0.3 * (number(0) / 90.0 + (number(2) + 2.0) / 9.0) / 2.0 + 0.7 * self.below(1000) as f64 / 1000.0;
        let names: &[&str] = if classes == 2 { &["no", "yes"] } else { &["no", "perhaps", "yes"] };
        names[((lean * classes as f64) as usize).min(classes - 1)].into()
    }
}

fn table(seed: u64, count: usize, classes: usize, weighting: Weighting) -> Ample {
    let mut draws = Draws(seed);
    let mut row = |_| {
        let mut cells: Vec<Cell> = COLUMNS.iter().map(|(name, _)| draws.cell(name)).collect();
        let class = Some(draws.class(classes, &cells)).filter(|_| !draws.one_in(25));
        let weight = match weighting {
            Weighting::None => 1.0,
            Weighting::Frequency => draws.below(4) as f64,
            Weighting::Sampling => (1 + draws.below(31)) as f64 / 8.0,
        };
        cells.iter_mut().filter(|_| draws.one_in(20)).for_each(|cell| *cell = Cell::Missing);
        Row { class, weight, cells }
    };
    Ample { rows: (0..count).map(&mut row).collect(), weighting }
}

/// Tables of 200 to 300 rows and two or three classes.
pub(crate) fn ample() -> impl Strategy<Value = Ample> {
    let weighting = prop_oneof![Just(Weighting::None), Just(Weighting::Frequency), Just(Weighting::Sampling)];
    (any::<u64>(), 200..=300usize, 2..=3usize, weighting)
        .prop_map(|(seed, count, classes, weighting)| table(seed, count, classes, weighting))
}
