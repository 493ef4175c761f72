//! Separation is reported where no finite estimate exists, and nowhere else.
//!
//! Small designs in integers; whether a row's class can gain forever is decided by the exact simplex method of `simplex.rs` on
//! the vectors (e_y − e_k) ⊗ (1, x) of every row and every other class k (Albert and Anderson 1984). Designs have full rank
//! and all classes, so that separation is the only reason to refuse.

use oddsmith::ErrorKind;
use oddsmith::model::linear::{Intervals, Logistic};

use crate::problem::Problem;
use crate::simplex::{Answer, all_rising, rank, rising};

/// Designs of either kind, unless `ODDSMITH_DESIGNS` asks for another number.
const WANTED: usize = 2000;

fn wanted() -> usize {
    std::env::var("ODDSMITH_DESIGNS").map_or(WANTED, |number| number.parse().unwrap())
}

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
    /// How many rows every row stands for, which changes no separation.
    weights: Option<Vec<f64>>,
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
        Design { x, labels, classes, weights: None }
    }

    /// The same with every row standing for some.
    fn weighted(self, draws: &mut Draws) -> Self {
        let weights = self.x.iter().map(|_| [1.0, 1.0, 2.0, 5.0, 27.0, 100.0, 1000.0][draws.within(0, 6) as usize]).collect();
        Design { weights: Some(weights), ..self }
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
        Problem { weights: self.weights.clone(), ..Problem::new(x, self.labels.clone(), self.classes) }
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
    find_separation(Draws(2024), None);
}

/// The rows that keep two classes apart here have 1e-10 of the information of others, so second derivatives cannot tell the direction along
/// which they move from the one along which they do not.
#[test]
fn a_separation_hidden_by_heavy_rows_is_found() {
    let x = [
        [1, 8],
        [-1, -6],
        [1, 1],
        [1, -3],
        [0, 8],
        [1, -6],
        [0, -8],
        [0, -5],
        [1, -5],
        [1, 3],
        [1, 3],
        [1, -6],
        [1, -4],
        [-1, -9],
        [0, -9],
        [0, 4],
        [1, -5],
        [-1, -4],
        [0, -9],
        [0, 6],
        [0, -2],
        [1, -9],
        [0, 5],
        [-1, -4],
    ];
    let labels = vec![2, 1, 0, 1, 2, 1, 1, 1, 1, 2, 2, 1, 2, 1, 1, 2, 1, 1, 1, 2, 1, 1, 2, 1];
    let weights = [2, 1, 1, 1, 27, 1000, 27, 1, 5, 2, 5, 5, 1000, 1000, 1, 2, 2, 100, 5, 5, 2, 5, 1, 27].map(f64::from);
    let design = Design { x: x.iter().map(|row| row.to_vec()).collect(), labels, classes: 3, weights: Some(weights.to_vec()) };
    assert!(rising(&design.vectors(&design.all_columns())) != Answer::Balanced);
    let error = design.problem().fit(&Logistic::new()).map(|_| ()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Separation { .. }), "{error}");
}

#[test]
fn separation_is_found_whatever_rows_stand_for() {
    find_separation(Draws(2025), Some(Draws(7)));
}

fn find_separation(mut draws: Draws, mut weights: Option<Draws>) {
    let learner = Logistic { tests: false, precision: Intervals::Wald, ..Logistic::new() };
    let (mut tally, mut wrong, wanted) = (Tally::default(), Vec::new(), wanted());
    while tally.complete + tally.quasi_complete < wanted || tally.overlapping < wanted {
        let design = Design::draw(&mut draws);
        let design = match &mut weights {
            Some(weights) => design.weighted(weights),
            None => design,
        };
        if !design.is_regular() {
            continue;
        }
        let vectors = design.vectors(&design.all_columns());
        let separated = rising(&vectors) != Answer::Balanced;
        let counted = if separated { tally.complete + tally.quasi_complete } else { tally.overlapping };
        if counted >= wanted {
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
            wrong.push(format!("{fault}\n  x {:?}\n  y {:?}\n  w {:?}", design.x, design.labels, design.weights));
        }
    }
    println!("{tally:?}");
    let enough = tally.complete >= 400 && tally.quasi_complete >= 400 && tally.multinomial.iter().all(|count| *count >= 400);
    assert!(enough, "too few of a kind: {tally:?}");
    let shown: Vec<_> = wrong.iter().take(8).cloned().collect();
    assert!(wrong.is_empty(), "{} of {} designs\n{}", wrong.len(), 2 * wanted, shown.join("\n"));
}
