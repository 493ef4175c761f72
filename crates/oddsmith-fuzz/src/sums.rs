//! Probabilities of rows that are drawn: in every row numbers from 0 to 1 that add up to 1, whatever the finite values of its cells.

use oddsmith::data::{CodesView, Csr, Features, Layout};
use oddsmith::model::{Classifier, Predictions, Predictor, Scale};
use oddsmith::num::MatrixView;
use oddsmith::persist::load_model;
use oddsmith_fuzz::seeds;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

/// Rows of a batch.
const ROWS: usize = 512;
/// Words of a text.
const WORDS: usize = 6;

/// Cells of a batch for one layout.
struct Cells {
    numbers: Vec<f64>,
    codes: Vec<u32>,
    /// Starts, columns and values of every block of words.
    words: Vec<(Vec<usize>, Vec<u32>, Vec<f64>)>,
}

/// Draws numbers.
struct Draws(ChaCha8Rng);

impl Draws {
    fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.0.next_u64()) * n as u128) >> 64) as usize
    }

    /// A finite number of any size: plain ones, whole ones, those near the ends of the range, zeros and denormal ones. No sign where the model
    /// counts.
    fn number(&mut self, signed: bool) -> f64 {
        let size = match self.below(8) {
            0 => 0.0,
            1 => 10f64.powf(600.0 * self.uniform() - 300.0),
            2 => f64::MIN_POSITIVE * self.uniform(),
            3 => f64::MAX * self.uniform(),
            4 | 5 => (100.0 * self.uniform()).round(),
            _ => 10.0 * self.uniform(),
        };
        if signed && self.below(2) == 0 { -size } else { size }
    }

    fn cells(&mut self, layout: &Layout, signed: bool) -> Cells {
        // One batch in four has plain numbers only, so that probabilities are not all 0 and 1.
        let plain = self.below(4) == 0;
        let low = if signed { -4.0 } else { 0.0 };
        let numbers =
            (0..ROWS * layout.numbers().len()).map(|_| if plain { low + 8.0 * self.uniform() } else { self.number(signed) }).collect();
        let counts = layout.level_counts();
        let codes = (0..ROWS * counts.len()).map(|cell| self.below(counts[cell % counts.len()].max(1)) as u32).collect();
        let words = layout.word_widths().into_iter().map(|width| self.words(width)).collect();
        Cells { numbers, codes, words }
    }

    fn words(&mut self, width: usize) -> (Vec<usize>, Vec<u32>, Vec<f64>) {
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for _ in 0..ROWS {
            let mut own: Vec<u32> = (0..self.below(WORDS)).map(|_| self.below(width.max(1)) as u32).collect();
            own.sort_unstable();
            own.dedup();
            values.extend(own.iter().map(|_| (10.0 * self.uniform()).ceil()));
            columns.extend(own);
            starts.push(columns.len());
        }
        (starts, columns, values)
    }
}

/// What came of the rows of one model.
enum Told {
    /// Every row had probabilities, or this one had not.
    Rows(Option<String>),
    /// The model takes no such numbers.
    Refused,
}

/// Asks a model for a batch.
fn ask(model: &dyn Classifier, cells: &Cells) -> Told {
    let layout = model.layout();
    let widths = layout.word_widths();
    let blocks = cells.words.iter().zip(&widths);
    let words: Vec<Csr<'_>> =
        blocks.map(|((starts, columns, values), width)| Csr { starts, columns, values, width: *width, present: None }).collect();
    let numbers = match layout.numbers().len() {
        0 => Ok(MatrixView::none(ROWS)),
        count => MatrixView::row_major(&cells.numbers, ROWS, count),
    };
    let codes = match layout.codes().len() {
        0 => Ok(CodesView::none(ROWS)),
        count => CodesView::row_major(&cells.codes, ROWS, count),
    };
    let (Ok(numbers), Ok(codes)) = (numbers, codes) else { return Told::Refused };
    let mut out = Predictions::new();
    if Predictor::new(model).predict(&Features { numbers, codes, words: &words }, &mut out).is_err() {
        return Told::Refused;
    }
    let fault = (0..ROWS).find_map(|row| {
        let shares = out.row(row);
        let sum: f64 = shares.iter().sum();
        // One unit in the last place for every class.
        let right = (sum - 1.0).abs() <= f64::EPSILON * shares.len() as f64 && shares.iter().all(|share| (0.0..=1.0).contains(share));
        let width = layout.numbers().len();
        (!right).then(|| format!("{shares:?} add up to {sum:e} for the numbers {:?}", &cells.numbers[row * width..(row + 1) * width]))
    });
    Told::Rows(fault)
}

/// Asks all kept models in turn for so many rows.
pub(crate) fn sums([rows, seed]: [&str; 2]) -> Option<()> {
    let (wanted, seed): (u64, u64) = (rows.parse().ok()?, seed.parse().ok()?);
    let mut draws = Draws(ChaCha8Rng::seed_from_u64(seed));
    let models: Vec<(String, Box<dyn Classifier>)> =
        seeds::files(".odds").into_iter().filter_map(|(name, bytes)| Some((name, load_model(&bytes).ok()?))).collect();
    let mut models: Vec<(String, Box<dyn Classifier>, bool)> =
        models.into_iter().filter(|(_, model)| model.scale() != Scale::Margin).map(|(name, model)| (name, model, true)).collect();
    let (mut told, mut findings, mut refused) = (0u64, 0u64, Vec::new());
    while told < wanted && !models.is_empty() {
        models.retain_mut(|(name, model, signed)| {
            let cells = draws.cells(model.layout(), *signed);
            match ask(&**model, &cells) {
                Told::Rows(fault) => {
                    told += ROWS as u64;
                    if let Some(fault) = fault {
                        findings += 1;
                        if findings <= 10 {
                            println!("finding {name}: {fault}");
                        }
                    }
                    true
                }
                // Models of counts take no negative number.
                Told::Refused if *signed => {
                    *signed = false;
                    true
                }
                Told::Refused => {
                    refused.push(name.clone());
                    false
                }
            }
        });
    }
    println!("rows {told}");
    println!("models {}", models.len());
    println!("wrong {findings}");
    println!("refusing {}", refused.len());
    refused.iter().for_each(|name| println!("finding {name} refuses finite numbers"));
    Some(())
}
