//! What is drawn of judged probabilities. Each picture is a function of a ranking, and says why there is none where it has no value.

mod calibration;
mod decision;
mod roc;
mod threshold;

use super::{Evaluation, Metric, Ranking, Undefined};
use crate::data::Classes;
use crate::picture::{Picture, drawn_classes};

/// Points of a curve nearer than this to the one before are left out: no picture shows them.
const NEAR: f64 = 1.0 / 600.0;

/// Evaluated rows with what a picture needs to name them.
#[derive(Debug, Clone, Copy)]
pub struct Judged<'a> {
    /// The figures.
    pub evaluation: &'a Evaluation,
    /// The classes.
    pub classes: &'a Classes,
    /// The column they are the labels of; empty where it has no name.
    pub target: &'a str,
    /// The probability from which the event is called, where a picture marks one.
    pub threshold: Option<f64>,
    /// Whether nothing may be drawn that tells of a single row.
    pub no_rows: bool,
}

/// Rows that every point of a curve stands for at least, where single rows are not shown.
pub const ROWS_TOGETHER: usize = 10;

/// A picture of judged rows, by its name.
pub const PICTURES: [&str; 7] = ["roc", "precision-recall", "calibration", "decision", "threshold", "spread", "prevalence"];

impl Judged<'_> {
    /// The picture of a name; `None` where no picture of judged rows is called so.
    pub fn picture(&self, name: &str) -> Option<Metric<Picture>> {
        Some(match name {
            "roc" => self.roc(),
            "precision-recall" | "pr" => self.precision_recall(),
            "calibration" => self.calibration(),
            "decision" => self.decision(),
            "threshold" => self.by_threshold(),
            "spread" => self.spread(),
            "prevalence" => self.prevalence(),
            _ => return None,
        })
    }

    /// The classes that have a curve of their own, and what is said of the others.
    fn drawn(&self) -> (Vec<usize>, String) {
        let drawn = drawn_classes(&self.evaluation.loss.class_weights().weight);
        let rest = self.classes.len() - drawn.len();
        (drawn, if rest > 0 { format!(" Drawn are the most frequent classes; {rest} more are not.") } else { String::new() })
    }

    /// The event in words.
    fn event(&self) -> String {
        self.class(self.classes.len().saturating_sub(1))
    }

    /// Class `k` in words.
    fn class(&self, k: usize) -> String {
        self.classes.named(k, self.target)
    }

    /// The event against the rest, where there are two classes.
    fn ranking(&self) -> Metric<Ranking> {
        self.evaluation.ranking()
    }

    /// The ranking that is drawn: as it is, or with rows joined where none may show by itself.
    pub fn shown(&self, ranking: Ranking) -> Ranking {
        if self.no_rows { ranking.coarsened(ROWS_TOGETHER as f64) } else { ranking }
    }

    /// What is said of rows that are joined, as a further sentence.
    fn joined(&self) -> String {
        if self.no_rows { format!(" {ROWS_TOGETHER} rows or more with neighbouring scores are drawn as one.") } else { String::new() }
    }

    /// Refuses what needs probabilities where scores are margins.
    fn needs_probabilities(&self) -> Metric<()> {
        if self.evaluation.settings().margins { Err(Undefined::margins()) } else { Ok(()) }
    }

    /// The probability from which the event is called: the one that was asked for, the model's own, or one half.
    fn cut(&self) -> f64 {
        let own = match self.evaluation.confusion.decision() {
            crate::model::Decision::Threshold(threshold) => *threshold,
            _ => 0.5,
        };
        self.threshold.unwrap_or(own)
    }
}

/// The points of a curve that can be told apart, with its ends.
fn thinned(points: impl IntoIterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    let mut kept: Vec<(f64, f64)> = Vec::new();
    let mut last = None;
    for point in points {
        let near = kept.last().is_some_and(|(x, y)| (x - point.0).abs() < NEAR && (y - point.1).abs() < NEAR);
        if !near {
            kept.extend(last.take().filter(|before: &(f64, f64)| kept.last().is_some_and(|kept| corner(*kept, *before, point))));
            kept.push(point);
        } else {
            last = Some(point);
        }
    }
    kept.extend(last);
    kept
}

/// Whether the way over a point is another than the straight one.
fn corner(a: (f64, f64), b: (f64, f64), c: (f64, f64)) -> bool {
    ((b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0)).abs() > 1e-9
}

/// A share in per cent, as people say it.
fn percent(share: f64) -> String {
    let value = 100.0 * share;
    if value > 0.0 && value < 1.0 || value > 99.0 && value < 100.0 { format!("{value:.1}%") } else { format!("{value:.0}%") }
}
