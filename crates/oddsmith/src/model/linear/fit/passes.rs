//! What one pass of a fit adds up, whatever its purpose.

use std::sync::Arc;

use crate::codec::{Codec, Encode};
use crate::data::{DesignSurvey, Layout, Rows};
use crate::error::{Error, Result};
use crate::model::PassInfo;
use crate::model::linear::fit::block_reader::{Block, BlockReader, Problem, Terms};
use crate::model::linear::fit::coordinates::Coordinates;
use crate::model::linear::fit::descent::SgdEpoch;
use crate::model::linear::fit::eval_point::EvalPoint;
use crate::model::linear::fit::held::HeldRows;
use crate::model::linear::fit::jeffreys::{JeffreysSums, Leverage};
use crate::model::linear::fit::sample::Sample;
use crate::model::linear::fit::stage::Stage;
use crate::model::linear::fit::sums::Sums;
use crate::model::linear::fit::survey::Survey;
use crate::model::linear::fit::target::Target;
use crate::model::linear::infer::face::Face;
use crate::model::linear::infer::row_sums::RowSums;
use crate::model::linear::infer::sandwich::ScoreCovariance;
use crate::model::linear::infer::separation::SeparationCheck;
use crate::num::kernel::fast_sum;
use crate::stats::Statistics;

/// What is known before a pass: it travels with the empty sums, frozen.
#[derive(Debug)]
pub(crate) struct PassState {
    pub(crate) layout: Arc<Layout>,
    /// `None` until the design is written down.
    pub(crate) problem: Option<Arc<Problem>>,
    pub(crate) coordinates: Arc<Coordinates>,
    /// Whether the first look found no gap.
    pub(crate) no_missing: bool,
    /// Points to look at.
    pub(crate) eval_points: Vec<EvalPoint>,
    /// Information matrices of the same points, for Firth's penalty.
    pub(crate) leverages: Vec<Leverage>,
    /// Passes before this one.
    pub(crate) passes: usize,
    /// Partitions to look at.
    pub(crate) sample: Sample,
    /// What is known of the source.
    pub(crate) source: PassInfo,
    /// The direction whose undecided rows alone count.
    pub(crate) face: Option<Arc<Face>>,
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
    SeparationCheck(SeparationCheck),
    ScoreCovariance(Box<ScoreCovariance>),
    SgdEpoch(Box<SgdEpoch>),
    Held(Box<HeldRows>),
}

/// Sums over single rows, and the point at which they are taken.
pub(crate) type RowSumsAt = Box<(Arc<EvalPoint>, RowSums)>;

/// Statistics of one pass of a linear model; the current coefficients are frozen inside.
#[derive(Debug, Clone)]
pub struct LinearStats {
    pub(crate) state: Arc<PassState>,
    pub(crate) sums: PassSums,
    /// Sums over the rows at the optimum, and the optimum, where they come along.
    pub(crate) row_sums: Option<RowSumsAt>,
    weight: f64,
    dropped: Vec<u64>,
    reader: BlockReader,
}

impl Encode for LinearStats {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.weights("weight", std::slice::from_mut(&mut self.weight))?;
        codec.counts("dropped", &mut self.dropped)?;
        if let Some(row_sums) = &mut self.row_sums {
            codec.part("rows", &mut row_sums.1)?;
        }
        match &mut self.sums {
            PassSums::Design(survey) => {
                codec.kind("design")?;
                codec.part("design", &mut **survey)
            }
            PassSums::Survey(survey) => {
                codec.kind("survey")?;
                codec.part("survey", &mut **survey)
            }
            PassSums::Points(points, survey) => {
                codec.kind("points")?;
                points.iter_mut().enumerate().try_for_each(|(at, sums)| codec.part(&format!("point{at}"), sums))?;
                survey.iter_mut().try_for_each(|survey| codec.part("survey", &mut **survey))
            }
            PassSums::Jeffreys(points) => {
                codec.kind("jeffreys")?;
                points.iter_mut().enumerate().try_for_each(|(at, sums)| codec.part(&format!("point{at}"), sums))
            }
            PassSums::SeparationCheck(separation_check) => {
                codec.kind("margins")?;
                codec.part("margins", separation_check)
            }
            PassSums::ScoreCovariance(score_covariance) => {
                codec.kind("meat")?;
                codec.part("meat", &mut **score_covariance)
            }
            PassSums::SgdEpoch(walk) => {
                codec.kind("walk")?;
                codec.part("walk", &mut **walk)
            }
            PassSums::Held(rows) => {
                codec.kind("held")?;
                codec.part("held", &mut **rows)
            }
        }
    }
}

impl LinearStats {
    pub(crate) fn new(state: PassState, sums: PassSums) -> Self {
        let dropped = vec![0; state.layout.features().len()];
        LinearStats { state: Arc::new(state), sums, row_sums: None, weight: 0.0, dropped, reader: BlockReader::default() }
    }
}

impl Statistics for LinearStats {
    type Input<'a> = Rows<'a>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        if let PassSums::Design(survey) = &mut self.sums {
            self.weight += rows.labels.len() as f64;
            return survey.observe(&rows);
        }
        let LinearStats { state, sums, row_sums, weight, dropped, reader } = self;
        let state = &**state;
        let Some(problem) = &state.problem else { return Err(Error::internal("a pass without a design")) };
        let coordinates = &*state.coordinates;
        let grouped = matches!(problem.target, Target::Grouped(_));
        let marked = matches!(sums, PassSums::Survey(_) | PassSums::Points(..) | PassSums::SeparationCheck(_));
        let counted = matches!(sums, PassSums::Survey(_) | PassSums::Points(_, Some(_)));
        let terms = Terms { no_missing: state.no_missing && !counted, marked };
        let mut weights_left = Vec::new();
        let no_missing = reader.for_blocks(problem, coordinates, &rows, terms, dropped, |block| {
            *weight += fast_sum(block.weights);
            let undecided = match &state.face {
                None => None,
                Some(face) => {
                    face.undecided(block, &mut weights_left)?;
                    Some(Block { weights: &weights_left, ..*block })
                }
            };
            let block = undecided.as_ref().unwrap_or(block);
            if let Some((at, row_sums)) = row_sums.as_deref_mut() {
                row_sums.add(at, block, &rows)?;
            }
            match &mut *sums {
                PassSums::Design(_) => Ok(()),
                PassSums::Survey(survey) => survey.add(block, grouped),
                PassSums::Points(points, survey) => {
                    survey.iter_mut().try_for_each(|survey| survey.add(block, grouped))?;
                    points.iter_mut().zip(&state.eval_points).try_for_each(|(sums, eval_point)| sums.add(eval_point, block))
                }
                PassSums::Jeffreys(points) => {
                    let known = state.eval_points.iter().zip(&state.leverages);
                    points
                        .iter_mut()
                        .zip(known)
                        .try_for_each(|(sums, (eval_point, leverage))| sums.add(eval_point, leverage, coordinates, block))
                }
                PassSums::SeparationCheck(separation_check) => separation_check.add(&state.eval_points[0], block),
                PassSums::SgdEpoch(walk) => walk.add(block),
                PassSums::Held(rows) => rows.add(block),
                PassSums::ScoreCovariance(score_covariance) => {
                    score_covariance.add(&state.eval_points[0], state.leverages.first(), coordinates, block, &rows)
                }
            }
        })?;
        if let PassSums::Survey(survey) | PassSums::Points(_, Some(survey)) = sums {
            survey.dropped.copy_from_slice(dropped);
            survey.gaps |= !no_missing;
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        self.weight += other.weight;
        self.dropped.iter_mut().zip(&other.dropped).for_each(|(a, b)| *a += b);
        if let (Some(mine), Some(theirs)) = (&mut self.row_sums, &other.row_sums) {
            mine.1.merge(&theirs.1);
        }
        match (&mut self.sums, &other.sums) {
            (PassSums::Design(mine), PassSums::Design(theirs)) => mine.merge(theirs)?,
            (PassSums::Survey(mine), PassSums::Survey(theirs)) => mine.merge(theirs),
            (PassSums::Points(mine, survey), PassSums::Points(theirs, other)) => {
                mine.iter_mut().zip(theirs).for_each(|(a, b)| a.merge(b));
                survey.iter_mut().zip(other).for_each(|(a, b)| a.merge(b));
            }
            (PassSums::Jeffreys(mine), PassSums::Jeffreys(theirs)) => mine.iter_mut().zip(theirs).for_each(|(a, b)| a.merge(b)),
            (PassSums::SeparationCheck(mine), PassSums::SeparationCheck(theirs)) => mine.merge(theirs),
            (PassSums::ScoreCovariance(mine), PassSums::ScoreCovariance(theirs)) => mine.merge(theirs),
            (PassSums::SgdEpoch(mine), PassSums::SgdEpoch(theirs)) => mine.merge(theirs),
            (PassSums::Held(mine), PassSums::Held(theirs)) => mine.merge(theirs),
            _ => return Err(Error::internal("sums of different passes were merged")),
        }
        Ok(())
    }

    fn weight(&self) -> f64 {
        self.weight
    }

    fn skips(&self, partition: usize, partitions: usize) -> bool {
        self.state.sample.skips(partition, partitions)
    }

    fn purpose(&self) -> String {
        match &self.sums {
            PassSums::Design(survey) => survey.purpose(),
            PassSums::Survey(_) => "means and products of the columns".into(),
            PassSums::Points(points, _) if points.is_empty() => "how far the rows are from the fit".into(),
            PassSums::Points(points, _) if points.len() == 1 => "the likelihood and its derivatives at a point".into(),
            PassSums::Points(points, _) => format!("the likelihood and its derivatives at {} points", points.len()),
            PassSums::Jeffreys(_) => "the slope of Firth's penalty".into(),
            PassSums::SeparationCheck(_) => "whether a direction separates the classes".into(),
            PassSums::ScoreCovariance(_) => "squares of the scores, for robust standard errors".into(),
            PassSums::SgdEpoch(_) => "a walk along the rows".into(),
            PassSums::Held(_) => "the rows themselves, few enough to be held".into(),
        }
    }

    fn discloses(&self) -> Option<String> {
        match &self.sums {
            PassSums::Design(survey) => survey.discloses(),
            PassSums::ScoreCovariance(score_covariance) => score_covariance.is_clustered().then(|| "the score of every cluster".into()),
            PassSums::Held(_) => Some("every row".into()),
            _ => None,
        }
    }

    fn bytes(&self) -> usize {
        let of_rows = self.row_sums.as_ref().map_or(0, |row_sums| row_sums.1.bytes());
        of_rows
            + match &self.sums {
                PassSums::Design(survey) => survey.bytes(),
                PassSums::Survey(survey) => survey.bytes(),
                PassSums::Points(points, _) => points.iter().map(Sums::bytes).sum(),
                PassSums::Jeffreys(points) => 64 * points.len(),
                PassSums::SeparationCheck(_) => size_of::<SeparationCheck>(),
                PassSums::ScoreCovariance(score_covariance) => score_covariance.bytes(),
                PassSums::SgdEpoch(walk) => 8 * walk.theta.len(),
                PassSums::Held(rows) => rows.bytes(),
            }
    }
}
