//! A table that already holds probabilities, from any program: found columns become judged rows.

use oddsmith::card::Cell;
use oddsmith::codec::{Codec, Encode};
use oddsmith::data::{Classes, Layout, Plane, Rows};
use oddsmith::error::{DataFault, visible};
use oddsmith::eval::{EvalSettings, Evaluation, ScoreScale, ScoredBatch};
use oddsmith::stats::Statistics;
use oddsmith::{Error, ErrorKind, Result};

/// Which number columns hold the probabilities of which classes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ProbabilityColumns {
    /// Columns of the number plane: one per class, or the event's alone.
    places: Vec<usize>,
    names: Vec<String>,
}

impl ProbabilityColumns {
    /// The columns that were named, or those called `p_` and a class.
    pub(crate) fn find(layout: &Layout, named: &[String]) -> Result<Self> {
        let classes = layout.classes();
        let names = match named {
            [] => expected(layout, classes)?,
            _ if named.len() == classes.len() || (named.len() == 1 && classes.len() == 2) => named.to_vec(),
            _ => {
                let one = if classes.len() == 2 { "one column for the event, or one per class" } else { "one column per class" };
                let accepted = format!("{one}, in the order {}", listed(classes));
                return Err(Error::option("probabilities", named.join(","), accepted));
            }
        };
        let place = |name: &String| match layout.plane(layout.index(name)?) {
            Plane::Numbers(at) => Ok(at),
            _ => Err(Error::from(DataFault::new("does not hold numbers").column(name))),
        };
        Ok(ProbabilityColumns { places: names.iter().map(place).collect::<Result<_>>()?, names })
    }

    /// Which column is the probability of which class.
    pub(crate) fn fact(&self, classes: &Classes) -> (String, Cell) {
        let labels = &classes.labels()[classes.len() - self.names.len()..];
        let pairs: Vec<String> =
            labels.iter().zip(&self.names).map(|(label, name)| format!("{} = {}", visible(name), visible(label))).collect();
        ("probabilities".into(), pairs.join(", ").into())
    }
}

fn expected(layout: &Layout, classes: &Classes) -> Result<Vec<String>> {
    let names: Vec<String> = classes.labels().iter().map(|label| format!("p_{label}")).collect();
    let missing = names.iter().find(|name| layout.index(name).is_err());
    match missing {
        None => Ok(names),
        Some(_) if classes.len() == 2 && layout.index(&names[1]).is_ok() => Ok(vec![names[1].clone()]),
        Some(name) => Err(ErrorKind::Unknown { noun: "column", name: name.clone(), known: layout.names() }.into()),
    }
}

fn listed(classes: &Classes) -> String {
    classes.labels().iter().map(|label| visible(label)).collect::<Vec<_>>().join(", ")
}

/// Judges the probabilities that rows hold.
#[derive(Clone)]
pub(crate) struct ScoredRows {
    columns: ProbabilityColumns,
    classes: usize,
    evaluation: Evaluation,
    probabilities: Vec<f64>,
}

impl ScoredRows {
    /// Nothing seen.
    pub(crate) fn new(columns: ProbabilityColumns, classes: usize, settings: EvalSettings) -> Self {
        let evaluation = Evaluation::new(classes, ScoreScale::Probability, settings);
        ScoredRows { columns, classes, evaluation, probabilities: Vec::new() }
    }

    /// What was found.
    pub(crate) fn into_evaluation(self) -> Evaluation {
        self.evaluation
    }
}

impl Encode for ScoredRows {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        self.evaluation.encode(codec)
    }
}

impl Statistics for ScoredRows {
    type Input<'a> = Rows<'a>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        self.probabilities.clear();
        for i in 0..rows.labels.len() {
            let row = self.columns.places.iter().map(|&at| rows.features.numbers.get(i, at));
            if let Some((at, p)) = row.clone().enumerate().find(|(_, p)| !(0.0..=1.0).contains(p)) {
                let fault = DataFault::new("a probability cannot be").column(&self.columns.names[at]).row(rows.first_row + i as u64 + 1);
                return Err(fault.value(p.to_string()).accepted("probabilities are numbers from 0 to 1").into());
            }
            match self.columns.places.len() < self.classes {
                true => self.probabilities.extend(row.flat_map(|p| [1.0 - p, p])),
                false => self.probabilities.extend(row),
            }
        }
        let probabilities = &self.probabilities[..];
        let (labels, weights, first_row) = (rows.labels, rows.weights, rows.first_row);
        self.evaluation.observe(ScoredBatch { probabilities, log_odds: None, log_true: None, labels, weights, first_row })
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        self.evaluation.merge(&other.evaluation)
    }

    fn weight(&self) -> f64 {
        self.evaluation.weight()
    }

    fn bytes(&self) -> usize {
        self.evaluation.bytes()
    }
}
