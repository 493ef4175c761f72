//! What one pass of a fit adds up, whatever its purpose.

use std::sync::{Arc, OnceLock};

use super::descent::Walk;
use super::frame::Frame;
use super::jeffreys::{JeffreysSums, Leverage};
use super::lens::{Lens, Terms, View};
use super::probe::Probe;
use super::sample::Sample;
use super::sandwich::Meat;
use super::separation::Margins;
use super::stage::Stage;
use super::sums::Sums;
use super::survey::Survey;
use super::target::Target;
use crate::data::{DesignSurvey, Layout, Rows};
use crate::error::{Error, Result};
use crate::ledger::{Entered, Ledger};
use crate::num::kernel::fast_sum;
use crate::stats::Statistics;

/// What is known before a pass: it travels with the empty sums, frozen.
#[derive(Debug)]
pub(crate) struct Knowledge {
    pub(crate) layout: Arc<Layout>,
    /// `None` until the design is written down.
    pub(crate) view: Option<Arc<View>>,
    pub(crate) frame: Arc<Frame>,
    /// Whether the first look found no gap.
    pub(crate) whole: bool,
    /// Points to look at.
    pub(crate) probes: Vec<Probe>,
    /// Information matrices of the same points, for Firth's penalty.
    pub(crate) leverages: Vec<Leverage>,
    /// Passes before this one.
    pub(crate) passes: usize,
    /// Partitions to look at.
    pub(crate) sample: Sample,
    /// Partitions of the source, as the pass has met them.
    pub(crate) partitions: OnceLock<usize>,
    pub(crate) stage: Stage,
}

/// The sums of a pass.
#[derive(Debug, Clone)]
pub(crate) enum PassSums {
    Design(Box<DesignSurvey>),
    Survey(Box<Survey>),
    /// Points, and what a survey counts where only a sample was surveyed before.
    Points(Vec<Sums>, Option<Box<Survey>>),
    Jeffreys(Vec<JeffreysSums>),
    Margins(Margins),
    Meat(Box<Meat>),
    Walk(Box<Walk>),
}

/// Statistics of one pass of a linear model; the current coefficients are frozen inside.
#[derive(Debug, Clone)]
pub struct LinearStats {
    pub(crate) knowledge: Arc<Knowledge>,
    pub(crate) sums: PassSums,
    weight: f64,
    dropped: Vec<u64>,
    lens: Lens,
}

impl Entered for LinearStats {
    fn enter(&mut self, ledger: &mut Ledger<'_>) -> Result<()> {
        ledger.number("weight", &mut self.weight)?;
        ledger.counts("dropped", &mut self.dropped)?;
        match &mut self.sums {
            PassSums::Design(survey) => {
                ledger.kind("design")?;
                ledger.part("design", &mut **survey)
            }
            PassSums::Survey(survey) => {
                ledger.kind("survey")?;
                ledger.part("survey", &mut **survey)
            }
            PassSums::Points(points, survey) => {
                ledger.kind("points")?;
                points.iter_mut().enumerate().try_for_each(|(at, sums)| ledger.part(&format!("point{at}"), sums))?;
                survey.iter_mut().try_for_each(|survey| ledger.part("survey", &mut **survey))
            }
            PassSums::Jeffreys(points) => {
                ledger.kind("jeffreys")?;
                points.iter_mut().enumerate().try_for_each(|(at, sums)| ledger.part(&format!("point{at}"), sums))
            }
            PassSums::Margins(margins) => {
                ledger.kind("margins")?;
                ledger.part("margins", margins)
            }
            PassSums::Meat(meat) => {
                ledger.kind("meat")?;
                ledger.part("meat", &mut **meat)
            }
            PassSums::Walk(walk) => {
                ledger.kind("walk")?;
                ledger.part("walk", &mut **walk)
            }
        }
    }
}

/// Sums of a pass that others may carry out, and what they should know of it.
pub(crate) trait PassSummary: Entered {
    /// What the pass is for, in words.
    fn purpose(&self) -> String;

    /// What the sums tell of single rows and not only of all together, in words; `None` when they are sums alone.
    fn discloses(&self) -> Option<String>;
}

impl PassSummary for LinearStats {
    fn purpose(&self) -> String {
        match &self.sums {
            PassSums::Design(_) => "values that the formula depends on".into(),
            PassSums::Survey(_) => "means and products of the columns".into(),
            PassSums::Points(points, _) if points.len() == 1 => "the likelihood and its derivatives at a point".into(),
            PassSums::Points(points, _) => format!("the likelihood and its derivatives at {} points", points.len()),
            PassSums::Jeffreys(_) => "the slope of Firth's penalty".into(),
            PassSums::Margins(_) => "whether a direction separates the classes".into(),
            PassSums::Meat(_) => "squares of the scores, for robust standard errors".into(),
            PassSums::Walk(_) => "a walk along the rows".into(),
        }
    }

    fn discloses(&self) -> Option<String> {
        match &self.sums {
            PassSums::Design(survey) => {
                let bases = survey.kept_values();
                (!bases.is_empty()).then(|| format!("the values of the rows that {} is made of", bases.join(", ")))
            }
            PassSums::Meat(meat) => meat.is_clustered().then(|| "the score of every cluster".into()),
            _ => None,
        }
    }
}

impl LinearStats {
    pub(crate) fn new(knowledge: Knowledge, sums: PassSums) -> Self {
        let dropped = vec![0; knowledge.layout.features().len()];
        LinearStats { knowledge: Arc::new(knowledge), sums, weight: 0.0, dropped, lens: Lens::default() }
    }
}

impl Statistics for LinearStats {
    type Input<'a> = Rows<'a>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        if let PassSums::Design(survey) = &mut self.sums {
            self.weight += rows.labels.len() as f64;
            return survey.observe(&rows);
        }
        let LinearStats { knowledge, sums, weight, dropped, lens } = self;
        let knowledge = &**knowledge;
        let Some(view) = &knowledge.view else { return Err(Error::internal("a pass without a design")) };
        let frame = &*knowledge.frame;
        let grouped = matches!(view.target, Target::Grouped(_));
        let marked = matches!(sums, PassSums::Survey(_) | PassSums::Points(..) | PassSums::Margins(_));
        let counted = matches!(sums, PassSums::Survey(_) | PassSums::Points(_, Some(_)));
        let terms = Terms { whole: knowledge.whole && !counted, marked };
        let whole = lens.for_blocks(view, frame, &rows, terms, dropped, |block| {
            *weight += fast_sum(block.weights);
            match &mut *sums {
                PassSums::Design(_) => Ok(()),
                PassSums::Survey(survey) => survey.add(block, grouped),
                PassSums::Points(points, survey) => {
                    survey.iter_mut().try_for_each(|survey| survey.add(block, grouped))?;
                    points.iter_mut().zip(&knowledge.probes).try_for_each(|(sums, probe)| sums.add(probe, block))
                }
                PassSums::Jeffreys(points) => {
                    let known = knowledge.probes.iter().zip(&knowledge.leverages);
                    points.iter_mut().zip(known).try_for_each(|(sums, (probe, leverage))| sums.add(probe, leverage, frame, block))
                }
                PassSums::Margins(margins) => margins.add(&knowledge.probes[0], block),
                PassSums::Walk(walk) => walk.add(block),
                PassSums::Meat(meat) => meat.add(&knowledge.probes[0], knowledge.leverages.first(), frame, block, &rows),
            }
        })?;
        if let PassSums::Survey(survey) | PassSums::Points(_, Some(survey)) = sums {
            survey.dropped.copy_from_slice(dropped);
            survey.gaps |= !whole;
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        self.weight += other.weight;
        self.dropped.iter_mut().zip(&other.dropped).for_each(|(a, b)| *a += b);
        match (&mut self.sums, &other.sums) {
            (PassSums::Design(mine), PassSums::Design(theirs)) => mine.merge(theirs)?,
            (PassSums::Survey(mine), PassSums::Survey(theirs)) => mine.merge(theirs),
            (PassSums::Points(mine, survey), PassSums::Points(theirs, other)) => {
                mine.iter_mut().zip(theirs).for_each(|(a, b)| a.merge(b));
                survey.iter_mut().zip(other).for_each(|(a, b)| a.merge(b));
            }
            (PassSums::Jeffreys(mine), PassSums::Jeffreys(theirs)) => mine.iter_mut().zip(theirs).for_each(|(a, b)| a.merge(b)),
            (PassSums::Margins(mine), PassSums::Margins(theirs)) => mine.merge(theirs),
            (PassSums::Meat(mine), PassSums::Meat(theirs)) => mine.merge(theirs),
            (PassSums::Walk(mine), PassSums::Walk(theirs)) => mine.merge(theirs),
            _ => return Err(Error::internal("sums of different passes were merged")),
        }
        Ok(())
    }

    fn weight(&self) -> f64 {
        self.weight
    }

    fn skips(&self, partition: usize, partitions: usize) -> bool {
        let _ = self.knowledge.partitions.set(partitions);
        self.knowledge.sample.skips(partition, partitions)
    }

    fn bytes(&self) -> usize {
        match &self.sums {
            PassSums::Design(survey) => survey.bytes(),
            PassSums::Survey(survey) => survey.bytes(),
            PassSums::Points(points, _) => points.iter().map(Sums::bytes).sum(),
            PassSums::Jeffreys(points) => 64 * points.len(),
            PassSums::Margins(_) => size_of::<Margins>(),
            PassSums::Meat(meat) => meat.bytes(),
            PassSums::Walk(walk) => 8 * walk.theta.len(),
        }
    }
}
