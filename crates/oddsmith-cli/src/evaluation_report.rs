//! What was found about probabilities, as cards and tables.

use oddsmith::Notice;
use oddsmith::card::{Card, Cell, FixedTable, Table};
use oddsmith::data::Classes;
use oddsmith::error::visible;
use oddsmith::eval::{
    Evaluation, Metric, Ranking, Reliability, Roc, ScoreScale, Undefined, hosmer_lemeshow, lift, net_benefit, precision_recall,
};
use oddsmith_report::Format;

use crate::console::Console;
use crate::exit::Failure;

/// Parts of the rows that a table of lift has.
const TENTHS: usize = 10;

/// A table that can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum EvaluationTable {
    /// All figures with intervals and notes.
    Metrics,
    /// Precision, recall and F1 of every class.
    Classes,
    /// The confusion matrix.
    Confusion,
    /// The ROC curve.
    Roc,
    /// Precision against recall.
    Pr,
    /// The calibration curve without bins, with its band.
    Reliability,
    /// Groups of Hosmer and Lemeshow's test.
    Groups,
    /// Net benefit over thresholds.
    Decision,
    /// Gains and lift by tenths of the rows.
    Lift,
}

/// Probabilities, judged.
pub(crate) struct EvaluationReport {
    /// What was judged.
    pub(crate) title: String,
    /// Facts about the input.
    pub(crate) facts: Vec<(String, Cell)>,
    /// The column of the truth.
    pub(crate) target: String,
    /// The classes.
    pub(crate) classes: Classes,
    /// The figures.
    pub(crate) evaluation: Evaluation,
    /// What the reader must know.
    pub(crate) notices: Vec<Notice>,
}

impl EvaluationReport {
    /// Shows one part, or those that people look at first.
    pub(crate) fn show(&self, part: Option<EvaluationTable>, console: &Console) -> Result<(), Failure> {
        match part {
            Some(part) => console.result(&self.part(part, console.format())?)?,
            None if matches!(console.format(), Format::Csv | Format::Ndjson) => console.result(&self.evaluation.table())?,
            None => {
                let cards = self.cards(console.format());
                let keyed: Vec<(&str, &Card)> = cards.iter().map(|(key, card)| (*key, card)).collect();
                console.result(&keyed[..])?;
            }
        }
        console.notices(&self.notices);
        Ok(())
    }

    fn cards(&self, format: Format) -> Vec<(&'static str, Card)> {
        let card = |title: &str, tidy: Table| Card { title: title.into(), facts: Vec::new(), tidy, ..Card::default() };
        let mut first = card(&self.title, self.evaluation.table());
        first.facts.extend(self.overview());
        first.notices = self.notices.clone();
        let mut cards = vec![("evaluation", first)];
        let confusion = match format {
            format if format.is_for_people() => self.matrix(),
            _ => self.evaluation.confusion_table(&self.classes),
        };
        if self.classes.len() > 2 || !format.is_for_people() {
            cards.push(("classes", card("Classes", self.evaluation.class_table(&self.classes))));
        }
        cards.push(("confusion", card("Confusion matrix", confusion)));
        if let (Ok(ranking), true) = (self.evaluation.ranking(), !format.is_for_people() && !self.evaluation.settings().margins)
            && let Ok(table) = self.reliability(&ranking)
        {
            cards.push(("reliability", card("Reliability", table)));
        }
        cards
    }

    fn overview(&self) -> Vec<(String, Cell)> {
        let weights = self.evaluation.loss.class_weights();
        let each = self.classes.labels().iter().zip(&weights.rows).map(|(label, rows)| format!("{} ({rows})", visible(label)));
        let event = if self.classes.len() == 2 { format!("; event {}", visible(self.classes.label(1))) } else { String::new() };
        let mut facts = vec![
            ("rows".into(), weights.total_rows().into()),
            ("classes".into(), format!("{}{event}", each.collect::<Vec<_>>().join(", ")).into()),
            ("predicted class".into(), self.evaluation.confusion.decision().describe().into()),
        ];
        if weights.total() != weights.total_rows() as f64 {
            facts.insert(1, ("weight".into(), weights.total().into()));
        }
        facts.extend(self.facts.iter().cloned());
        facts
    }

    fn part(&self, part: EvaluationTable, format: Format) -> Result<Table, Failure> {
        let ranking = || self.evaluation.ranking();
        let of_probabilities = matches!(part, EvaluationTable::Reliability | EvaluationTable::Groups | EvaluationTable::Decision);
        if of_probabilities && self.evaluation.settings().margins {
            return Err(oddsmith::Error::data(format!("there is no such table: {}", Undefined::margins())).into());
        }
        let table = match part {
            EvaluationTable::Metrics => Ok(self.evaluation.table()),
            EvaluationTable::Classes => Ok(self.evaluation.class_table(&self.classes)),
            EvaluationTable::Confusion if format.is_for_people() => Ok(self.matrix()),
            EvaluationTable::Confusion => Ok(self.evaluation.confusion_table(&self.classes)),
            EvaluationTable::Roc => ranking().and_then(|ranking| roc_table(&ranking)),
            EvaluationTable::Pr => ranking().and_then(|ranking| pr_table(&ranking)),
            EvaluationTable::Reliability => ranking().and_then(|ranking| self.reliability(&ranking)),
            EvaluationTable::Groups => ranking().and_then(|ranking| self.groups(&ranking)),
            EvaluationTable::Decision => ranking().and_then(|ranking| decision_table(&ranking)),
            EvaluationTable::Lift => ranking().and_then(|ranking| lift_table(&ranking)),
        };
        table.map_err(|reason| oddsmith::Error::data(format!("there is no such table: {reason}")).into())
    }

    /// The confusion matrix as people draw it: true classes below each other, predicted ones beside each other.
    fn matrix(&self) -> Table {
        let labels = self.classes.labels();
        let columns = std::iter::once("truth".to_owned()).chain(labels.iter().map(|label| format!("predicted {label}"))).collect();
        Table::tabulate("confusion", columns, labels.len(), |truth, column| match column {
            0 => labels[truth].as_str().into(),
            predicted => self.evaluation.confusion.cell(truth, predicted - 1).into(),
        })
    }

    fn reliability(&self, ranking: &Ranking) -> Metric<Table> {
        let mut table =
            FixedTable::new("reliability", ["predicted_low", "predicted_high", "predicted", "observed", "band_low", "band_high", "weight"]);
        for step in Reliability::of(ranking, self.evaluation.settings().weighting)?.steps {
            let cells = [step.range.0, step.range.1, step.predicted, step.observed, step.band.0, step.band.1, step.weight];
            table.push(cells.map(Cell::from));
        }
        Ok(table.into())
    }

    fn groups(&self, ranking: &Ranking) -> Metric<Table> {
        let mut table = FixedTable::new("groups", ["highest_predicted", "weight", "observed", "expected"]);
        let settings = self.evaluation.settings();
        for group in hosmer_lemeshow(ranking, settings.groups, settings.weighting)?.groups {
            table.push([group.upper, group.rows, group.observed, group.expected].map(Cell::from));
        }
        Ok(table.into())
    }
}

/// The probability of a threshold; nothing for the one that predicts no event.
fn threshold(scale: ScoreScale, score: f64) -> Cell {
    if score == f64::INFINITY { Cell::Empty } else { scale.probability(score).into() }
}

fn roc_table(ranking: &Ranking) -> Metric<Table> {
    let roc = Roc::of(ranking)?;
    let mut table = FixedTable::new("roc", ["threshold", "sensitivity", "specificity", "true_positives", "false_positives"]);
    for point in &roc.points {
        let (sensitivity, specificity) = (roc.sensitivity(point).into(), roc.specificity(point).into());
        let (hits, false_alarms) = (point.true_positives.into(), point.false_positives.into());
        table.push([threshold(roc.scale, point.threshold), sensitivity, specificity, hits, false_alarms]);
    }
    Ok(table.into())
}

fn pr_table(ranking: &Ranking) -> Metric<Table> {
    let mut table = FixedTable::new("precision_recall", ["threshold", "precision", "recall"]);
    for point in precision_recall(ranking)? {
        table.push([threshold(ranking.scale(), point.threshold), point.precision.into(), point.recall.into()]);
    }
    Ok(table.into())
}

fn decision_table(ranking: &Ranking) -> Metric<Table> {
    let thresholds: Vec<f64> = (1..100).map(|percent| f64::from(percent) / 100.0).collect();
    let mut table = FixedTable::new("decision", ["threshold", "net_benefit", "net_benefit_of_all", "net_benefit_of_none"]);
    for point in net_benefit(ranking, &thresholds)? {
        table.push([point.threshold, point.model, point.all, 0.0].map(Cell::from));
    }
    Ok(table.into())
}

fn lift_table(ranking: &Ranking) -> Metric<Table> {
    let mut table = FixedTable::new("lift", ["share_of_rows", "share_of_events", "lift", "rate"]);
    for row in lift(ranking, TENTHS)? {
        table.push([row.share, row.gain, row.lift, row.rate].map(Cell::from));
    }
    Ok(table.into())
}
