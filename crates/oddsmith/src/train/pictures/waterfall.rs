//! One row's log odds, step by step: the odds before looking, what every column multiplies them by, and the odds at last.

use crate::data::{Features, MISSING, Plane, UNSEEN};
use crate::error::{Error, Result, visible};
use crate::model::{Classifier, Contributions, Predictions, Predictor};
use crate::num::logspace::sigmoid;
use crate::picture::{Axis, AxisScale, Column, Mark, Panel, Picture, Role};

/// Decibans per nat: +10 multiplies the odds by ten.
const DECIBANS: f64 = 10.0 * std::f64::consts::LOG10_E;
/// Decibans beyond which an arrow stands for the rest.
const FURTHEST: f64 = 2500.0;
/// Most columns that are drawn one by one; the weakest stand together.
const MOST: usize = 24;

/// The addends of one row's log odds.
#[derive(Debug, Clone, PartialEq)]
pub struct Waterfall {
    /// Number of the row in its table, from 1; 0 for a row that is in none.
    pub row: u64,
    /// The class that is explained.
    pub class: String,
    /// The class that it is held against.
    pub against: String,
    /// Log odds before looking at the row, in nats.
    pub prior: f64,
    /// Columns with their values, and what they add, the strongest first.
    pub steps: Vec<(String, f64)>,
    /// Whether there are only these two classes, so that odds are those of a probability.
    pub two: bool,
}

impl Waterfall {
    /// Takes the only row of `rows` apart; an error for a model whose scores are no sums. The class is the event, or of several the most probable one.
    pub fn of_row(model: &dyn Classifier, rows: &Features<'_>, row: u64) -> Result<Self> {
        let layout = model.layout();
        let mut predictions = Predictions::new();
        Predictor::new(model).predict(rows, &mut predictions)?;
        let p = predictions.row(0).to_vec();
        if p.iter().any(|p| p.is_nan()) {
            return Err(Error::data("the row lacks a value that the model needs, so there is nothing to explain"));
        }
        let best = |but: Option<usize>| {
            (0..p.len()).filter(|k| Some(*k) != but).fold(None, |best, k| match best {
                Some(other) if p[other] >= p[k] => Some(other),
                _ => Some(k),
            })
        };
        let class = if p.len() == 2 { 1 } else { best(None).unwrap_or(0) };
        let against = best(Some(class)).unwrap_or(0);
        let mut addends = Contributions::new();
        model.contributions()?.contribute(rows, &mut addends)?;
        let weight = |of: &[f64]| if of[class] == of[against] { 0.0 } else { of[class] - of[against] };
        let mut steps: Vec<(String, f64)> =
            (0..layout.features().len()).map(|j| (named(model, rows, j), weight(addends.addends(0, j)))).collect();
        steps.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        if steps.len() > MOST {
            let rest = steps.split_off(MOST - 1);
            steps.push((format!("{} weaker columns", rest.len()), rest.iter().map(|(_, weight)| weight).sum()));
        }
        let label = |k: usize| layout.classes().named(k, layout.target());
        Ok(Waterfall { row, class: label(class), against: label(against), prior: weight(addends.base()), steps, two: p.len() == 2 })
    }

    /// The log odds at last, in nats.
    pub fn total(&self) -> f64 {
        self.steps.iter().fold(self.prior, |sum, (_, weight)| sum + weight)
    }

    /// The picture, in decibans below and as a probability above.
    pub fn picture(&self) -> Picture {
        let rows = self.steps.len() + 2;
        let place = |at: usize| (rows - 1 - at) as f64;
        let mut names = vec!["Before looking".to_owned()];
        let mut cells = vec![String::new()];
        let bar = |at: usize, from: f64, to: f64, role| Mark::Bars { role, bars: vec![(place(at), DECIBANS * from, DECIBANS * to)] };
        let text = |at: usize, sum: f64| Mark::Label { at: (DECIBANS * sum, place(at)), text: self.chance(sum) };
        let mut marks = vec![
            Mark::Rule { role: Role::Reference, upright: true, at: 0.0 },
            bar(0, 0.0, self.prior, Role::Plain).moved_by("prior"),
            text(0, self.prior).moved_by("prior"),
        ];
        let mut sum = self.prior;
        for (at, (name, weight)) in self.steps.iter().enumerate() {
            let role = if *weight >= 0.0 { Role::Event } else { Role::Other };
            marks.push(bar(at + 1, sum, sum + weight, role).moved_by(&format!("step{at}")));
            sum += weight;
            names.push(name.clone());
            cells.push(factor(*weight));
        }
        marks.push(bar(rows - 1, 0.0, sum, Role::Plain).moved_by("result"));
        marks.push(text(rows - 1, sum).moved_by("result"));
        names.push("Result".into());
        cells.push(String::new());
        names.reverse();
        cells.reverse();
        let shares = [0.0001, 0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999, 0.9999];
        let also = shares.map(|p: f64| (DECIBANS * (p / (1.0 - p)).ln(), format!("{}%", 100.0 * p)));
        let x = Axis {
            label: "Log odds in decibans (+10 is odds times ten)".into(),
            range: Some(self.range()),
            also: self.two.then(|| (format!("Probability of {}", self.class), also.to_vec())),
            ..Axis::default()
        };
        let columns = vec![Column { title: "odds ×".into(), cells, optional: false }];
        let y = Axis { scale: AxisScale::Categories, categories: names, columns, ..Axis::default() };
        Picture {
            name: "waterfall".into(),
            title: if self.row > 0 { format!("Evidence of row {}", self.row) } else { "Evidence of one row".into() },
            summary: self.summary(),
            panels: vec![Panel { x, y, marks }],
        }
    }

    fn summary(&self) -> String {
        let told: Vec<String> = self.steps.iter().take(3).map(|(name, weight)| format!("{name} ({})", factor(*weight))).collect();
        format!(
            "Each bar multiplies the odds of {} against {} by the factor beside it; they go from {} to {}. The strongest: {}.",
            self.class,
            self.against,
            self.chance(self.prior),
            self.chance(self.total()),
            told.join(", ")
        )
    }

    /// Odds in words: a probability where there are two classes.
    fn chance(&self, log_odds: f64) -> String {
        let p = 100.0 * sigmoid(log_odds);
        match self.two {
            // No sum of evidence is certainty.
            true if p > 99.95 => ">99.9%".into(),
            true if p < 0.05 => "<0.1%".into(),
            true if (9.95..=90.05).contains(&p) => format!("{p:.0}%"),
            true => format!("{p:.1}%"),
            false => format!("odds {}", short(log_odds.exp())),
        }
    }

    /// Ends with room for other prevalences.
    fn range(&self) -> (f64, f64) {
        let mut sum = self.prior;
        let mut ends = (sum.min(0.0), sum.max(0.0));
        for (_, weight) in &self.steps {
            sum += weight;
            if sum.is_finite() {
                ends = (ends.0.min(sum), ends.1.max(sum));
            }
        }
        // Room for the text behind the result, too.
        let spare = 0.08 * DECIBANS * (ends.1 - ends.0);
        ((DECIBANS * ends.0 - spare.max(8.0)).clamp(-FURTHEST, -20.0), (DECIBANS * ends.1 + spare.max(4.0)).clamp(12.0, FURTHEST))
    }
}

fn short(value: f64) -> String {
    match value {
        v if v.is_infinite() => "∞".into(),
        v if v >= 1e5 => by_power(v),
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v if v >= 0.01 || v == 0.0 => format!("{v:.2}"),
        v => by_power(v),
    }
}

/// A number by its power of ten, as people write it.
fn by_power(value: f64) -> String {
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let text = format!("{value:.1e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let raised = exponent.chars().map(|c| c.to_digit(10).map_or('⁻', |digit| RAISED[digit as usize]));
    format!("{digits}·10{}", raised.collect::<String>())
}

fn factor(weight: f64) -> String {
    format!("×{}", short(weight.exp()))
}

/// A column with its value in the row.
fn named(model: &dyn Classifier, rows: &Features<'_>, j: usize) -> String {
    let layout = model.layout();
    let name = visible(&layout.features()[j].name);
    match layout.plane(j) {
        Plane::Numbers(at) => match rows.numbers.get(0, at) {
            value if value.is_nan() => format!("{name} missing"),
            value => format!("{name} {}", plain(value)),
        },
        Plane::Codes(at) => match rows.codes.get(0, at) {
            MISSING => format!("{name} missing"),
            UNSEEN => format!("{name} never seen"),
            code => format!("{name} {}", visible(&layout.level_name(j, code as usize).unwrap_or_default())),
        },
        Plane::Words(_) => format!("{name} (its words)"),
    }
}

/// A number with the digits that a person reads.
pub(super) fn plain(value: f64) -> String {
    let rounded: f64 = format!("{value:.4e}").parse().unwrap_or(value);
    let text = if rounded.abs() >= 1e7 || (rounded != 0.0 && rounded.abs() < 1e-4) { format!("{rounded:e}") } else { format!("{rounded}") };
    text.replace('-', "−")
}
