//! How often every class occurs, and what it takes to say which.
//!
//! p_k = W_k / W, surprisal −log2 p_k, entropy H = −Σ p_k log2 p_k bits per row. One pass over the labels; memory O(classes).

use std::sync::Arc;

use super::AnalysisEntry;
use crate::card::{Card, Cell, FixedTable};
use crate::codec::{Codec, Encode};
use crate::data::{Layout, Rows};
use crate::error::{Error, Result};
use crate::info::entropy;
use crate::model::{PassInfo, Procedure, Step};
use crate::stats::{ClassWeights, Statistics};

/// What the registry knows of it.
pub(super) const ENTRY: AnalysisEntry = AnalysisEntry {
    name: "classes",
    aliases: &[],
    summary: "rows, weight, proportion and surprisal of every class, and the entropy of the target",
    fitted: false,
    params: &[],
    build: |_| Ok(Box::new(ClassCounts)),
};

/// The analysis; it has no options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClassCounts;

/// Rows and weight by class.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassCountsStats {
    layout: Arc<Layout>,
    classes: ClassWeights,
}

impl Encode for ClassCountsStats {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.part("classes", &mut self.classes)
    }
}

impl Statistics for ClassCountsStats {
    type Input<'a> = Rows<'a>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        self.classes.observe(&rows.counted_labels()?, rows.weights)
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        self.classes.merge(&other.classes);
        Ok(())
    }

    fn weight(&self) -> f64 {
        self.classes.total()
    }

    fn purpose(&self) -> String {
        "rows and weight by class".into()
    }

    fn bytes(&self) -> usize {
        24 * self.classes.rows.len()
    }
}

impl Procedure for ClassCounts {
    type Stats = ClassCountsStats;
    type Output = Card;

    fn begin(&self, layout: &Arc<Layout>, _pass: &PassInfo) -> Result<ClassCountsStats> {
        Ok(ClassCountsStats { layout: Arc::clone(layout), classes: ClassWeights::new(layout.classes().len()) })
    }

    fn finish(&self, stats: &ClassCountsStats) -> Result<Step<ClassCountsStats, Card>> {
        let (classes, total) = (&stats.classes, stats.classes.total());
        if total <= 0.0 {
            return Err(Error::data("there are no rows of any class to count"));
        }
        let proportions: Vec<f64> = classes.weight.iter().map(|weight| weight / total).collect();
        let mut tidy = FixedTable::new("classes", ["class", "rows", "weight", "proportion", "surprisal_bits"]);
        for (k, label) in stats.layout.classes().labels().iter().enumerate() {
            // A class that never occurs has no surprise to tell.
            let surprisal = if proportions[k] > 0.0 { Cell::Number(-proportions[k].log2()) } else { Cell::Empty };
            tidy.push([label.as_str().into(), classes.rows[k].into(), classes.weight[k].into(), proportions[k].into(), surprisal]);
        }
        let facts = vec![
            ("target".into(), stats.layout.target().into()),
            ("rows".into(), classes.total_rows().into()),
            ("entropy (bits)".into(), (entropy(&classes.weight) / std::f64::consts::LN_2).into()),
        ];
        Ok(Step::Done(Card { title: "Classes of the target".into(), facts, tidy: tidy.into(), ..Card::default() }))
    }
}
