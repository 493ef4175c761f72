//! Separation is reported where no finite estimate exists, and nowhere else.
//!
//! Small designs in integers; whether a row's class can gain forever is decided by the exact simplex method of `simplex.rs` on
//! the vectors (e_y − e_k) ⊗ (1, x) of every row and every other class k (Albert and Anderson 1984). Designs have full rank
//! and all classes, so that separation is the only reason to refuse.

use oddsmith::ErrorKind;
use oddsmith::model::linear::{Intervals, Logistic};

use crate::problem::Problem;
use crate::simplex::{Answer, all_rising, rank, rising};

const WANTED: usize = 2000;

/// Numbers that look random (SplitMix64).
pub(crate) struct Draws(pub(crate) u64);

impl Draws {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// An integer of `low..=high`.
    pub(crate) fn within(&mut self, low: i64, high: i64) -> i64 {
        low + (self.next() % (high - low + 1) as u64) as i64
    }

    /// A number of `[-1, 1)`.
    pub(crate) fn number(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

struct Design {
    x: Vec<Vec<i64>>,
    labels: Vec<u32>,
    classes: usize,
}

impl Design {
    /// Covariates of few values; labels along a direction, along one with ties at random, with some labels changed, or at random.
    fn draw(draws: &mut Draws) -> Self {
        let classes = [2, 2, 3, 4][draws.within(0, 3) as usize];
        let columns = draws.within(1, if classes == 2 { 4 } else { 2 }) as usize;
        let rows = draws.within(columns as i64 + 3, 24 + 6 * classes as i64) as usize;
        let reach: Vec<i64> = (0..columns).map(|_| [1, 1, 3, 9][draws.within(0, 3) as usize]).collect();
        let x: Vec<Vec<i64>> = (0..rows).map(|_| reach.iter().map(|r| draws.within(-r, *r)).collect()).collect();
        let slopes: Vec<Vec<i64>> = (0..classes).map(|_| (0..=columns).map(|_| draws.within(-2, 2)).collect()).collect();
        let way = draws.within(0, 3);
        let labels = x.iter().map(|row| {
            let scores: Vec<i64> = slopes.iter().map(|s| s[0] + s[1..].iter().zip(row).map(|(s, x)| s * x).sum::<i64>()).collect();
            let best = scores.iter().max().unwrap();
            let tied: Vec<usize> = (0..classes).filter(|k| scores[*k] == *best).collect();
            let label = match way {
                0 => tied[0],
                1 => tied[draws.within(0, tied.len() as i64 - 1) as usize],
                2 if draws.within(0, 9) > 0 => tied[0],
                _ => draws.within(0, classes as i64 - 1) as usize,
            };
            label as u32
        });
        let labels = labels.collect();
        Design { x, labels, classes }
    }

    /// The rows (1, x) over some of the columns.
    fn rows(&self, columns: &[usize]) -> Vec<Vec<i128>> {
        self.x.iter().map(|row| std::iter::once(1).chain(columns.iter().map(|j| i128::from(row[*j]))).collect()).collect()
    }

    /// (e_y − e_k) ⊗ (1, x), the first class being the baseline.
    fn vectors(&self, columns: &[usize]) -> Vec<Vec<i128>> {
        let mut vectors = Vec::new();
        for (z, label) in self.rows(columns).iter().zip(&self.labels) {
            for other in (0..self.classes).filter(|k| *k != *label as usize) {
                let sign = |k: usize| i128::from(k == *label as usize) - i128::from(k == other);
                vectors.push((1..self.classes).flat_map(|k| z.iter().map(move |z| sign(k) * z)).collect());
            }
        }
        vectors
    }

    fn all_columns(&self) -> Vec<usize> {
        (0..self.x[0].len()).collect()
    }

    /// Whether separation is the only thing that can be wrong.
    fn is_regular(&self) -> bool {
        let rows = self.rows(&self.all_columns());
        (0..self.classes).all(|k| self.labels.contains(&(k as u32))) && rank(&rows) == rows[0].len()
    }

    fn problem(&self) -> Problem {
        let x = self.x.iter().map(|row| row.iter().map(|x| *x as f64).collect()).collect();
        Problem::new(x, self.labels.clone(), self.classes)
    }
}

/// The columns x1, x2, … that a message names.
fn named(message: &str) -> Vec<usize> {
    message.split('`').skip(1).step_by(2).filter_map(|name| name.strip_prefix('x')?.parse::<usize>().ok()).map(|j| j - 1).collect()
}

#[derive(Debug, Default)]
struct Tally {
    complete: usize,
    quasi_complete: usize,
    overlapping: usize,
    multinomial: [usize; 2],
}

#[test]
fn separation_is_found_wherever_it_is_and_nowhere_else() {
    let learner = Logistic { tests: false, precision: Intervals::Wald, ..Logistic::new() };
    let (mut draws, mut tally, mut wrong) = (Draws(2024), Tally::default(), Vec::new());
    while tally.complete + tally.quasi_complete < WANTED || tally.overlapping < WANTED {
        let design = Design::draw(&mut draws);
        if !design.is_regular() {
            continue;
        }
        let vectors = design.vectors(&design.all_columns());
        let separated = rising(&vectors) != Answer::Balanced;
        let counted = if separated { tally.complete + tally.quasi_complete } else { tally.overlapping };
        if counted >= WANTED {
            continue;
        }
        tally.multinomial[usize::from(separated)] += usize::from(design.classes > 2);
        let complete = separated && all_rising(&vectors);
        match (separated, complete) {
            (true, true) => tally.complete += 1,
            (true, false) => tally.quasi_complete += 1,
            _ => tally.overlapping += 1,
        }
        let outcome = match design.problem().fit(&learner) {
            Ok(_) => None,
            Err(error) => Some((matches!(error.kind(), ErrorKind::Separation { .. }), error.to_string())),
        };
        let fault = match (&outcome, separated) {
            (None, false) => None,
            (None, true) => Some("not found".to_owned()),
            (Some((_, message)), false) => Some(format!("refused: {message}")),
            (Some((no_estimate, message)), true) => {
                let columns = named(message);
                if !no_estimate || !message.contains("separation") {
                    Some(format!("another reason: {message}"))
                } else if message.starts_with("complete") && !complete {
                    Some(format!("not complete: {message}"))
                } else if rising(&design.vectors(&columns)) == Answer::Balanced {
                    Some(format!("the columns that are named do not separate: {message}"))
                } else {
                    let separates = |columns: &[usize]| match message.starts_with("complete") {
                        true => all_rising(&design.vectors(columns)),
                        false => rising(&design.vectors(columns)) != Answer::Balanced,
                    };
                    let without = |left_out: &usize| columns.iter().copied().filter(|j| j != left_out).collect::<Vec<_>>();
                    let spare = columns.iter().find(|j| columns.len() > 1 && separates(&without(j)));
                    spare.map(|j| format!("x{} is not needed: {message}", j + 1))
                }
            }
        };
        if let Some(fault) = fault {
            wrong.push(format!("{fault}\n  x {:?}\n  y {:?}", design.x, design.labels));
        }
    }
    println!("{tally:?}");
    let enough = tally.complete >= 400 && tally.quasi_complete >= 400 && tally.multinomial.iter().all(|count| *count >= 400);
    assert!(enough, "too few of a kind: {tally:?}");
    let shown: Vec<_> = wrong.iter().take(8).cloned().collect();
    assert!(wrong.is_empty(), "{} of {} designs\n{}", wrong.len(), 2 * WANTED, shown.join("\n"));
}
