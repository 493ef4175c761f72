//! The point at which a pass of a regression is asked for, as plain data: all that its empty sums know, and nothing of the solver.
//!
//! Whoever has the rows of another place rebuilds the empty sums from the options, the layout and this, and needs no earlier pass.

use std::sync::Arc;

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::data::{Design, Layout};
use crate::error::{Error, Result};
use crate::model::linear::fit::block_reader::Problem;
use crate::model::linear::fit::coordinates::Coordinates;
use crate::model::linear::fit::descent::{SgdEpoch, Solver};
use crate::model::linear::fit::eval_point::{Curvature, EvalPoint, Shape};
use crate::model::linear::fit::jeffreys::{JeffreysSums, Leverage};
use crate::model::linear::fit::passes::{LinearStats, PassState, PassSums, RowSumsAt};
use crate::model::linear::fit::sample::Sample;
use crate::model::linear::fit::stage::Stage;
use crate::model::linear::fit::sums::Sums;
use crate::model::linear::fit::survey::Survey;
use crate::model::linear::infer::row_sums::RowSums;
use crate::model::linear::infer::sandwich::{Robust, ScoreCovariance};
use crate::model::linear::infer::separation::SeparationCheck;
use crate::model::linear::options::Logistic;
use crate::model::{Learner, PassInfo};
use crate::record::{Record, fault};

/// The array with the point at which sums over the rows come along.
const OPTIMUM: &str = "optimum";

/// Which sums are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Asked {
    Design,
    Survey,
    Points,
    PointsAndCounts,
    Jeffreys,
    SeparationCheck,
    ScoreCovariance,
    SgdEpoch,
}

/// The small part of a point.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    asked: Asked,
    no_missing: bool,
    marked: bool,
    curvatures: Vec<Curvature>,
    leverages: usize,
}

impl LinearStats {
    fn asked(&self) -> Result<Asked> {
        Ok(match &self.sums {
            PassSums::Design(_) => Asked::Design,
            PassSums::Survey(_) => Asked::Survey,
            PassSums::Points(_, None) => Asked::Points,
            PassSums::Points(_, Some(_)) => Asked::PointsAndCounts,
            PassSums::Jeffreys(_) => Asked::Jeffreys,
            PassSums::SeparationCheck(_) => Asked::SeparationCheck,
            PassSums::ScoreCovariance(_) => Asked::ScoreCovariance,
            PassSums::SgdEpoch(_) => Asked::SgdEpoch,
            // No place is ever asked for its rows.
            PassSums::Held(_) => return Err(Error::internal("rows are held where they are, and nowhere else")),
        })
    }

    /// Writes down what the empty sums of a pass know.
    pub(super) fn write_point(&self, record: &mut Record) -> Result<()> {
        let state = &*self.state;
        let head = Head {
            asked: self.asked()?,
            no_missing: state.no_missing,
            marked: state.coordinates.marked.is_some(),
            curvatures: state.eval_points.iter().map(|point| point.curvature).collect(),
            leverages: state.leverages.len(),
        };
        record.put_part("point", &head)?;
        let Some(problem) = &state.problem else { return Ok(()) };
        problem.design.write(record, "design")?;
        record.put("class_weights", &problem.class_weights);
        let coordinates = &*state.coordinates;
        record.put("centre", &coordinates.centre);
        record.put("scale", &coordinates.scale);
        record.put_counts("kept", &coordinates.kept.iter().map(|&j| j as u64).collect::<Vec<_>>());
        if let Some(turn) = &coordinates.turn {
            record.put("turn", turn.as_slice());
        }
        for (at, point) in state.eval_points.iter().enumerate() {
            record.put(format!("theta{at}"), &point.theta);
        }
        for (at, leverage) in state.leverages.iter().enumerate() {
            let (constants, weights) = leverage.functions();
            record.put(format!("leverage{at}.constants"), constants);
            record.put(format!("leverage{at}.weights"), weights);
        }
        if let Some((optimum, _)) = self.row_sums.as_deref() {
            record.put(OPTIMUM, &optimum.theta);
        }
        if let PassSums::SgdEpoch(epoch) = &self.sums {
            let (theta, seen) = epoch.start();
            record.put("theta", theta);
            record.put("seen", &[seen]);
        }
        Ok(())
    }

    /// The empty sums of the pass that is asked for at a point.
    pub(super) fn at_point(learner: &Logistic, layout: &Arc<Layout>, record: &Record) -> Result<LinearStats> {
        let head: Head = record.part("point")?;
        if head.asked == Asked::Design {
            let first = learner.begin(layout, &PassInfo::default())?;
            return match first.asked()? {
                Asked::Design => Ok(first),
                _ => Err(fault("it asks for values that the formula does not depend on")),
            };
        }
        let problem = Arc::new(read_problem(learner, layout, record)?);
        let coordinates = Arc::new(read_coordinates(&problem.design, head.marked, record)?);
        let words = layout.word_widths();
        let shape = Shape { outputs: problem.outputs(), width: coordinates.width(), words: words.iter().sum() };
        // Passes that look at no loss look at no words either.
        let widths = match head.asked {
            Asked::SeparationCheck | Asked::ScoreCovariance => &[][..],
            _ => &words[..],
        };
        let eval_points = head.curvatures.iter().enumerate().map(|(at, curvature)| {
            let theta = record.numbers(&format!("theta{at}"), shape.len())?;
            Ok(EvalPoint::new(theta, *curvature, &coordinates, shape, widths))
        });
        let eval_points = eval_points.collect::<Result<Vec<_>>>()?;
        let lengths = Leverage::lengths(&coordinates, shape);
        let leverages = (0..head.leverages).map(|at| {
            let constants = record.numbers(&format!("leverage{at}.constants"), lengths.0)?;
            let weights = record.numbers(&format!("leverage{at}.weights"), lengths.1)?;
            Ok(Leverage::of_functions(constants, weights, &coordinates, shape))
        });
        let leverages = leverages.collect::<Result<Vec<_>>>()?;
        let rebuilt = Rebuilt { learner, layout, problem: &problem, coordinates: &coordinates, shape, eval_points: &eval_points };
        let sums = rebuilt.sums(head.asked, leverages.len(), record)?;
        let row_sums = rebuilt.row_sums(head.asked, record)?;
        let state = PassState {
            layout: Arc::clone(layout),
            problem: Some(problem),
            coordinates,
            no_missing: head.no_missing,
            eval_points,
            leverages,
            passes: 0,
            sample: Sample::All,
            source: PassInfo::default(),
            face: None,
            stage: Stage::Elsewhere,
        };
        let mut stats = LinearStats::new(state, sums);
        stats.row_sums = row_sums;
        Ok(stats)
    }
}

/// What a point says, as far as the sums depend on it.
struct Rebuilt<'a> {
    learner: &'a Logistic,
    layout: &'a Layout,
    problem: &'a Problem,
    coordinates: &'a Arc<Coordinates>,
    shape: Shape,
    eval_points: &'a [EvalPoint],
}

impl Rebuilt<'_> {
    /// Sums over the rows at the optimum, where they come along.
    fn row_sums(&self, asked: Asked, record: &Record) -> Result<Option<RowSumsAt>> {
        if asked != Asked::Points || !record.arrays.contains_key(OPTIMUM) {
            return Ok(None);
        }
        let theta = record.numbers(OPTIMUM, self.shape.len())?;
        let at = EvalPoint::new(theta, Curvature::None, self.coordinates, self.shape, &self.layout.word_widths());
        Ok(Some(Box::new((Arc::new(at), RowSums::new(self.layout, &self.problem.design)))))
    }

    fn sums(&self, asked: Asked, leverages: usize, record: &Record) -> Result<PassSums> {
        let Rebuilt { learner, layout, problem, coordinates, shape, eval_points } = *self;
        let points = eval_points.len();
        let fits = match asked {
            Asked::Design | Asked::Survey | Asked::SgdEpoch => points == 0 && leverages == 0,
            Asked::Points => (points > 0 || record.arrays.contains_key(OPTIMUM)) && leverages == 0,
            Asked::PointsAndCounts => points > 0 && leverages == 0,
            Asked::Jeffreys => points > 0 && leverages == points,
            Asked::SeparationCheck => points == 1 && leverages == 0,
            Asked::ScoreCovariance => points == 1 && leverages <= 1,
        };
        if !fits {
            return Err(fault(format!("it asks for other sums than those of {points} points and {leverages} information matrices")));
        }
        let sums_of_points = || eval_points.iter().map(Sums::new).collect();
        Ok(match asked {
            Asked::Design => return Err(Error::internal("a survey of the design has no point")),
            Asked::Survey => PassSums::Survey(Box::new(Survey::new(problem, coordinates))),
            Asked::Points => PassSums::Points(sums_of_points(), None),
            Asked::PointsAndCounts => PassSums::Points(sums_of_points(), Some(Box::new(Survey::counts(problem)))),
            Asked::Jeffreys => PassSums::Jeffreys(eval_points.iter().map(|point| JeffreysSums::new(point, coordinates)).collect()),
            Asked::SeparationCheck => PassSums::SeparationCheck(SeparationCheck::default()),
            Asked::ScoreCovariance => {
                let cluster = learner.cluster_place(layout)?;
                let kind = learner.robust.unwrap_or(Robust::Hc1);
                PassSums::ScoreCovariance(Box::new(ScoreCovariance::new(kind, cluster, shape, layout.weighting())))
            }
            Asked::SgdEpoch => {
                let Solver::Sgd { rate, half_after, .. } = learner.solver else {
                    return Err(fault("it asks for a walk that the study does not take"));
                };
                let theta = record.numbers("theta", shape.len())?;
                let seen = record.weights("seen", 1)?[0];
                PassSums::SgdEpoch(Box::new(SgdEpoch::new(theta, seen, (rate, half_after), shape, coordinates)))
            }
        })
    }
}

fn read_problem(learner: &Logistic, layout: &Layout, record: &Record) -> Result<Problem> {
    let design = Arc::new(Design::read(record, "design", layout)?);
    let classes = layout.classes().len();
    let class_weights = match record.arrays.get("class_weights") {
        Some(_) if record.numbers("class_weights", 0).is_ok() => Vec::new(),
        _ => record.weights("class_weights", classes)?,
    };
    let target = learner.target(&learner.formula_for(layout)?, layout)?;
    Ok(Problem { design, target, classes, class_weights, features: layout.features().len(), coarse_knots: false })
}

fn read_coordinates(design: &Design, marked: bool, record: &Record) -> Result<Coordinates> {
    let columns = design.columns().len();
    let kept = record.counts("kept")?;
    if kept.last().is_some_and(|last| *last >= columns as u64) || kept.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err(fault(format!("`kept` lists columns that do not rise or are not among the {columns}")));
    }
    let kept: Vec<usize> = kept.iter().map(|&j| j as usize).collect();
    let scale = record.weights("scale", columns)?;
    if scale.contains(&0.0) {
        return Err(fault("`scale` holds a zero"));
    }
    let turn = match record.arrays.contains_key("turn") {
        true => Some(DMatrix::from_vec(kept.len(), kept.len(), record.numbers("turn", kept.len() * kept.len())?)),
        false => None,
    };
    let marked = match (marked, design.marked_columns()) {
        (false, _) => None,
        (true, Some(marked)) => Some(Arc::clone(marked)),
        (true, None) => return Err(fault("it marks columns of a design that has none to mark")),
    };
    Ok(Coordinates { intercept: design.intercept(), centre: record.numbers("centre", columns)?, scale, kept, turn, marked })
}
