//! Everything that is asked of probabilities, from one pass over judged rows.

use super::metric::{Estimate, Metric, Undefined, metric_cells};
use super::multiclass::{hand_till, one_vs_rest};
use super::scored_batch::ScoredBatch;
use super::{
    Auc, Brier, CalibrationLine, Confusion, Kept, LogLoss, Ranking, Reliability, ScoreScale, average_precision, calibration_error,
    hosmer_lemeshow,
};
use crate::card::{Cell, FixedTable, Table};
use crate::codec::{Codec, Encode};
use crate::data::{Classes, Weighting};
use crate::error::Result;
use crate::model::Decision;
use crate::stats::Statistics;

/// How rows are judged.
#[derive(Debug, Clone, PartialEq)]
pub struct EvalSettings {
    /// How a class is called.
    pub decision: Decision,
    /// What weights mean.
    pub weighting: Weighting,
    /// Bytes for kept scores; beyond it they are binned, and the areas say by how much they may be off.
    pub memory: usize,
    /// Bins of the expected calibration error, default 10.
    pub bins: usize,
    /// Groups of Hosmer and Lemeshow's test, default 10.
    pub groups: usize,
    /// Whether scores are margins, which rank rows and call classes and are no probabilities: what needs these has no value then.
    pub margins: bool,
}

impl Default for EvalSettings {
    fn default() -> Self {
        EvalSettings {
            decision: Decision::MostProbable,
            weighting: Weighting::None,
            memory: 512 << 20,
            bins: 10,
            groups: 10,
            margins: false,
        }
    }
}

/// Sums and scores of judged rows.
#[derive(Debug, Clone)]
pub struct Evaluation {
    settings: EvalSettings,
    classes: usize,
    /// Log loss.
    pub loss: LogLoss,
    /// Brier score.
    pub brier: Brier,
    /// Confusion matrix.
    pub confusion: Confusion,
    /// Scores.
    pub kept: Kept,
}

/// A named figure.
pub type Named = (&'static str, Metric);

impl Evaluation {
    /// Nothing seen of `classes` classes; `scale` says whether rows of two classes come with log odds.
    pub fn new(classes: usize, scale: ScoreScale, settings: EvalSettings) -> Self {
        Evaluation {
            classes,
            loss: LogLoss::new(classes, settings.weighting),
            brier: Brier::new(classes, settings.weighting),
            confusion: Confusion::new(classes, settings.decision.clone(), settings.weighting),
            kept: Kept::new(classes, scale, settings.memory),
            settings,
        }
    }

    /// Makes room for so many rows, where they fit the memory budget.
    pub fn reserve(&mut self, rows: usize) {
        self.kept.reserve(rows);
    }

    /// How rows are judged.
    pub fn settings(&self) -> &EvalSettings {
        &self.settings
    }

    /// The event against the rest, with two classes.
    pub fn ranking(&self) -> Metric<Ranking> {
        match self.classes {
            2 => Ok(self.kept.ranking(1)),
            classes => Err(Undefined::not_two(classes)),
        }
    }

    /// Every figure with its stable name, in the order in which they are listed.
    pub fn figures(&self) -> Vec<Named> {
        let mut figures = self.figures_of_probabilities();
        match self.ranking() {
            Ok(ranking) => figures.extend(self.figures_of_order(&ranking)),
            Err(_) => figures.extend(self.figures_of_areas()),
        }
        figures.extend(self.figures_of_decision());
        if self.settings.margins {
            figures
                .iter_mut()
                .filter(|(name, _)| self.needs_probabilities(name))
                .for_each(|(_, figure)| *figure = Err(Undefined::margins()));
        }
        figures
    }

    /// Whether a figure is about probabilities and not about the order of rows or the classes that are called. Areas of several classes
    /// compare rows by one class after the other, which margins of different classes do not allow.
    fn needs_probabilities(&self, name: &str) -> bool {
        match name {
            "base_rate_bits" | "average_precision" => false,
            "auc" | "auc_one_vs_rest" | "auc_one_vs_rest_weighted" => self.classes > 2,
            _ => !self.figures_of_decision().iter().any(|(known, _)| *known == name),
        }
    }

    fn figures_of_probabilities(&self) -> Vec<Named> {
        let known = |figure: Metric<f64>| figure.map(Estimate::exact);
        vec![
            ("log_loss", self.loss.nats()),
            ("bits", self.loss.bits()),
            ("base_rate_bits", known(self.loss.base_rate_bits())),
            ("bits_saved", self.loss.bits_saved()),
            ("brier", self.brier.score()),
        ]
    }

    fn figures_of_order(&self, ranking: &Ranking) -> Vec<Named> {
        let weighting = self.settings.weighting;
        let reliability = Reliability::of(ranking, weighting);
        let part = |of: fn(&Reliability) -> f64| reliability.as_ref().map(|r| Estimate::exact(of(r))).map_err(Clone::clone);
        let line = CalibrationLine::of(ranking, weighting);
        let ece = calibration_error(ranking, self.settings.bins, weighting);
        let chance = ece.as_ref().map(|ece| Estimate::exact(ece.by_chance)).map_err(Clone::clone);
        let test = hosmer_lemeshow(ranking, self.settings.groups, weighting);
        vec![
            ("brier_reliability", part(|r| r.miscalibration)),
            ("brier_resolution", part(|r| r.discrimination)),
            ("brier_uncertainty", part(|r| r.uncertainty)),
            ("auc", Auc::of(ranking, weighting).map(|auc| auc.estimate())),
            ("average_precision", average_precision(ranking).map(Estimate::exact)),
            ("calibration_intercept", line.intercept),
            ("calibration_slope", line.slope),
            ("ece", ece.map(|ece| ece.error)),
            ("ece_by_chance", chance),
            ("hosmer_lemeshow_p", test.map(|test| Estimate::exact(test.p_value))),
        ]
    }

    fn figures_of_areas(&self) -> Vec<Named> {
        let areas = one_vs_rest(&self.kept, self.classes, self.settings.weighting);
        let areas = areas.into_iter().collect::<Metric<Vec<Auc>>>().map_err(|_| Undefined("a class has no rows".into()));
        let weights = &self.loss.class_weights().weight;
        let mean = |areas: &[Auc], weight: &dyn Fn(usize) -> f64| {
            let total: f64 = (0..areas.len()).map(weight).sum();
            Estimate::exact(areas.iter().enumerate().map(|(k, auc)| weight(k) * auc.area).sum::<f64>() / total)
        };
        vec![
            ("auc", hand_till(&self.kept, self.classes, self.settings.weighting).map(Estimate::exact)),
            ("auc_one_vs_rest", areas.as_ref().map(|areas| mean(areas, &|_| 1.0)).map_err(Clone::clone)),
            ("auc_one_vs_rest_weighted", areas.map(|areas| mean(&areas, &|k| weights[k]))),
        ]
    }

    fn figures_of_decision(&self) -> Vec<Named> {
        let table = &self.confusion;
        let known = |figure: Metric<f64>| figure.map(Estimate::exact);
        let mut figures = vec![
            ("accuracy", table.accuracy()),
            ("balanced_accuracy", known(table.balanced_accuracy())),
            ("mcc", known(table.matthews())),
            ("kappa", known(table.kappa())),
        ];
        if table.rejects() {
            figures.push(("undecided", table.undecided_share()));
        }
        match self.classes {
            2 => figures.extend([
                ("sensitivity", table.recall(1)),
                ("specificity", table.specificity()),
                ("precision", table.precision(1)),
                ("negative_predictive_value", table.precision(0)),
                ("f1", known(table.f1(1))),
            ]),
            _ => figures.push(("macro_f1", table.macro_f1())),
        }
        figures
    }

    /// The figures as a table: what has no value says why.
    pub fn table(&self) -> Table {
        let mut table = FixedTable::new("metrics", ["metric", "estimate", "std_error", "conf_low", "conf_high", "note"]);
        for (name, figure) in self.figures() {
            let [value, low, high, missing] = metric_cells(&figure);
            let note = if missing == Cell::Empty { self.note(name).map_or(Cell::Empty, Cell::from) } else { missing };
            let error = figure.ok().and_then(|estimate| estimate.std_error).map_or(Cell::Empty, Cell::from);
            table.push([name.into(), value, error, low, high, note]);
        }
        table.into()
    }

    fn note(&self, name: &str) -> Option<String> {
        if name != "auc" {
            return None;
        }
        if self.classes != 2 {
            return Some("Hand and Till's mean over pairs of classes".into());
        }
        let auc = Auc::of(&self.ranking().ok()?, self.settings.weighting).ok()?;
        match (self.kept.exact(), auc.variance) {
            (false, _) => Some(format!("from binned scores, exact to {:.1e}", auc.bound)),
            (true, Some(0.0)) => Some("no pair is ordered otherwise than the rest, so DeLong's interval has no width".into()),
            _ => None,
        }
    }

    /// Precision, recall and F1 of every class.
    pub fn class_table(&self, classes: &Classes) -> Table {
        let mut table = FixedTable::new("classes", ["class", "weight", "predicted", "precision", "recall", "f1"]);
        let cell = |figure: Metric<f64>| figure.map_or_else(|reason| Cell::from(reason.to_string()), Cell::from);
        for k in 0..self.classes {
            let value = |figure: Metric| cell(figure.map(|estimate| estimate.value));
            let (precision, recall) = (value(self.confusion.precision(k)), value(self.confusion.recall(k)));
            let (weight, predicted) = (self.confusion.truth(k).into(), self.confusion.called(k).into());
            table.push([classes.label(k).into(), weight, predicted, precision, recall, cell(self.confusion.f1(k))]);
        }
        table.into()
    }

    /// The confusion matrix: one row per true and predicted class.
    pub fn confusion_table(&self, classes: &Classes) -> Table {
        let mut table = FixedTable::new("confusion", ["truth", "predicted", "weight"]);
        for truth in 0..self.classes {
            for called in 0..self.classes {
                table.push([classes.label(truth).into(), classes.label(called).into(), self.confusion.cell(truth, called).into()]);
            }
        }
        table.into()
    }
}

impl Encode for Evaluation {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.part("loss", &mut self.loss)?;
        codec.part("brier", &mut self.brier)?;
        codec.part("confusion", &mut self.confusion)?;
        codec.part("kept", &mut self.kept)
    }
}

impl Statistics for Evaluation {
    type Input<'a> = ScoredBatch<'a>;

    fn observe(&mut self, rows: ScoredBatch<'_>) -> Result<()> {
        // Rows are checked once for all figures.
        let labels = rows.counted_labels(self.classes)?;
        self.loss.add(&rows, &labels)?;
        self.brier.add(&rows, &labels);
        self.confusion.add(&rows, &labels);
        self.kept.add(&rows, &labels)
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        self.loss.merge(&other.loss)?;
        self.brier.merge(&other.brier)?;
        self.confusion.merge(&other.confusion)?;
        self.kept.merge(&other.kept)
    }

    fn weight(&self) -> f64 {
        self.loss.weight()
    }

    fn purpose(&self) -> String {
        "how well probabilities fit the truth".into()
    }

    fn discloses(&self) -> Option<String> {
        self.kept.discloses()
    }

    fn bytes(&self) -> usize {
        self.loss.bytes() + self.brier.bytes() + self.confusion.bytes() + self.kept.bytes()
    }
}
