//! What must be known of the data before a design can be written down: quantiles for knots, sums for orthonormal polynomials,
//! a sample of points for centres, means and gaps for the policies that fill them.
//!
//! Values of a basis are those of all rows that count in which its own columns are present, as in R. Rows of weight w count
//! w times. Time O(rows · columns) and a sort; memory up to 32 MB per basis with as many different values.

use std::sync::Arc;

use super::basis::{self, Wanted};
use super::block::{DesignBlock, Gap};
use super::facts::Facts;
use super::intake::Intake;
use super::intake_plan::IntakePlan;
use super::lookup::Lookup;
use super::mean_sum::MeanSum;
use super::point_sample::PointSample;
use super::value_table::ValueTable;
use super::variables;
use super::{DesignOptions, MissingPolicy};
use crate::codec::{Codec, Encode};
use crate::data::formula::{Fault, Formula};
use crate::data::{Layout, MISSING, Plane, Rows, SKIP, Weighting};
use crate::error::{DataFault, Error, Result};

/// Rows looked at at a time.
const BLOCK: usize = 1024;

/// A summary of the columns whose values decide what a design looks like. Spend a pass on it only when
/// [`DesignSurvey::is_needed`].
#[derive(Debug, Clone)]
pub struct DesignSurvey {
    plan: Arc<SurveyPlan>,
    observed: Vec<Observed>,
    means: Vec<MeanSum>,
    /// Whether a gap was seen, by code column of the plan.
    code_gaps: Vec<bool>,
    weight: f64,
    block: DesignBlock,
}

/// What to collect.
#[derive(Debug)]
struct SurveyPlan {
    formula: Formula,
    options: DesignOptions,
    bases: Vec<SurveyedBasis>,
    /// Number columns to take means of.
    numbers: Vec<Surveyed>,
    /// Code columns to look for gaps in.
    codes: Vec<Surveyed>,
    weighting: Weighting,
}

#[derive(Debug)]
struct Surveyed {
    plane: usize,
    name: String,
}

#[derive(Debug)]
struct SurveyedBasis {
    variable: usize,
    wanted: Wanted,
    intake: Intake,
    registers: Vec<usize>,
}

/// What was collected for a basis.
#[derive(Debug, Clone)]
pub(super) enum Observed {
    /// Every value.
    Values(ValueTable),
    /// The extremes.
    Range(Option<(f64, f64)>),
    /// A sample of points.
    Points(PointSample),
    /// Every value, by class.
    Classes(Vec<ValueTable>),
}

impl Encode for DesignSurvey {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.number("weight", &mut self.weight)?;
        for (at, observed) in self.observed.iter_mut().enumerate() {
            codec.part(&format!("basis{at}"), observed)?;
        }
        for (at, mean) in self.means.iter_mut().enumerate() {
            codec.part(&format!("mean{at}"), mean)?;
        }
        for (at, gap) in self.code_gaps.iter_mut().enumerate() {
            codec.flag(&format!("gap{at}"), gap)?;
        }
        Ok(())
    }
}

impl Encode for Observed {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        match self {
            Observed::Values(values) => values.encode(codec),
            Observed::Points(points) => points.encode(codec),
            Observed::Classes(classes) => {
                classes.iter_mut().enumerate().try_for_each(|(k, values)| codec.part(&format!("class{k}"), values))
            }
            Observed::Range(range) => {
                let mut ends: Vec<f64> = range.iter().flat_map(|(low, high)| [*low, *high]).collect();
                codec.list("range", 2, &mut ends)?;
                *range = ends.first_chunk().map(|[low, high]| (*low, *high));
                Ok(())
            }
        }
    }
}

impl DesignSurvey {
    /// An empty survey for a formula. A `.` stands for all columns of the layout.
    pub fn new(formula: &Formula, layout: &Layout, options: &DesignOptions) -> Result<Self> {
        let formula = formula.expand_dot(&layout.names())?;
        let plan = SurveyPlan::new(&formula, layout, options).map_err(|fault| formula.error(fault))?;
        let observed = plan.bases.iter().map(|basis| Observed::new(basis.wanted, basis.registers.len(), layout.classes().len())).collect();
        Ok(DesignSurvey {
            observed,
            means: vec![MeanSum::default(); plan.numbers.len()],
            code_gaps: vec![false; plan.codes.len()],
            weight: 0.0,
            block: DesignBlock::new(),
            plan: Arc::new(plan),
        })
    }

    /// Whether the design depends on the data at all.
    pub fn is_needed(&self) -> bool {
        !(self.plan.bases.is_empty() && self.plan.numbers.is_empty() && self.plan.codes.is_empty())
    }

    /// Whether knots and polynomials are exactly those of all values: there were not too many different ones to keep.
    pub fn is_exact(&self) -> bool {
        self.observed.iter().all(Observed::is_exact)
    }

    /// Adds a batch.
    pub(crate) fn observe(&mut self, rows: &Rows<'_>) -> Result<()> {
        let plan = Arc::clone(&self.plan);
        let labels = rows.counted_labels()?;
        let counts = |i: usize| labels[i] != SKIP;
        let weights = rows.weights.filter(|_| plan.weighting != Weighting::None);
        let weight = |i: usize| weights.map_or(1.0, |weights| weights[i]);
        self.weight += (0..labels.len()).filter(|&i| counts(i)).map(weight).sum::<f64>();
        self.block.first_row = rows.first_row;
        for lo in (0..labels.len()).step_by(BLOCK) {
            let hi = (lo + BLOCK).min(labels.len());
            self.block.uncounted.clear();
            self.block.uncounted.extend((lo..hi).map(|i| !counts(i)));
            for (basis, observed) in plan.bases.iter().zip(&mut self.observed) {
                basis.intake.read(&rows.features, lo, hi, 0, &mut self.block)?;
                for i in (0..hi - lo).filter(|&i| counts(lo + i) && self.block.gaps[i] == Gap::None) {
                    let value = |register: usize| self.block.scratch.registers[register * (hi - lo) + i];
                    match observed {
                        Observed::Values(values) => values.push(value(basis.registers[0]), weight(lo + i)),
                        Observed::Range(range) => *range = Some(widened(*range, value(basis.registers[0]))),
                        Observed::Classes(classes) => {
                            if let Some(values) = classes.get_mut(labels[lo + i] as usize) {
                                values.push(value(basis.registers[0]), weight(lo + i));
                            }
                        }
                        Observed::Points(points) => {
                            let at: Vec<f64> = basis.registers.iter().map(|&register| value(register)).collect();
                            points.push(rows.first_row + (lo + i) as u64, weight(lo + i), &at);
                        }
                    }
                }
            }
        }
        for (source, sum) in plan.numbers.iter().zip(&mut self.means) {
            for i in (0..labels.len()).filter(|&i| counts(i)) {
                let x = rows.features.numbers.get(i, source.plane);
                if x.is_infinite() {
                    let fault = DataFault::new("the value is not finite:").column(&source.name).row(rows.first_row + i as u64 + 1);
                    return Err(fault.value(x.to_string()).accepted("leave the cell empty if it is not known").into());
                }
                sum.push(x, weight(i));
            }
        }
        for (source, gap) in plan.codes.iter().zip(&mut self.code_gaps) {
            *gap |= (0..labels.len()).any(|i| counts(i) && rows.features.codes.get(i, source.plane) == MISSING);
        }
        Ok(())
    }

    /// Adds what another survey of the same design has seen.
    pub(crate) fn merge(&mut self, other: &Self) -> Result<()> {
        if !(Arc::ptr_eq(&self.plan, &other.plan) || self.is_of(&other.plan.formula, &other.plan.options)) {
            return Err(Error::internal("surveys of different designs cannot be merged"));
        }
        for (mine, theirs) in self.observed.iter_mut().zip(&other.observed) {
            mine.merge(theirs);
        }
        self.means.iter_mut().zip(&other.means).for_each(|(mine, theirs)| mine.merge(theirs));
        self.code_gaps.iter_mut().zip(&other.code_gaps).for_each(|(mine, theirs)| *mine |= theirs);
        self.weight += other.weight;
        Ok(())
    }

    /// Columns of which single values are kept, not only sums, as the formula writes them.
    pub(crate) fn kept_values(&self) -> Vec<String> {
        let kept = self.plan.bases.iter().filter(|basis| basis.wanted != Wanted::Range);
        kept.map(|basis| self.plan.formula.variables()[basis.variable].to_string()).collect()
    }

    /// Total weight seen.
    pub(crate) fn weight(&self) -> f64 {
        self.weight
    }

    /// Size in memory.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>() + self.observed.iter().map(Observed::bytes).sum::<usize>() + self.means.len() * size_of::<MeanSum>()
    }

    /// Whether this is the survey that a formula and options ask for.
    pub(super) fn is_of(&self, formula: &Formula, options: &DesignOptions) -> bool {
        self.plan.formula == *formula && self.plan.options == *options
    }

    /// What the design keeps of it.
    pub(super) fn facts(&self) -> Result<Facts> {
        let plan = &self.plan;
        let mut facts = Facts::default();
        for (source, sum) in plan.numbers.iter().zip(&self.means) {
            if let Some(mean) = sum.mean() {
                facts.means.insert(source.name.clone(), mean);
            }
            if sum.has_gaps() {
                facts.gaps.insert(source.name.clone());
            }
        }
        facts.gaps.extend(plan.codes.iter().zip(&self.code_gaps).filter(|(_, gap)| **gap).map(|(source, _)| source.name.clone()));
        for (basis, observed) in plan.bases.iter().zip(&self.observed) {
            let variable = &plan.formula.variables()[basis.variable];
            let mut observed = observed.clone();
            observed.settle();
            let parameters = basis::parameters(variable, &observed, plan.weighting);
            let parameters = parameters.map_err(|what| plan.formula.error(variables::basis_fault(variable, &what)))?;
            facts.bases.insert(basis.variable, parameters);
        }
        Ok(facts)
    }
}

impl SurveyPlan {
    fn new(formula: &Formula, layout: &Layout, options: &DesignOptions) -> Result<Self, Fault> {
        let lookup = Lookup::new(layout);
        let mut bases = Vec::new();
        let fills = matches!(options.missing, MissingPolicy::Mean | MissingPolicy::Indicator);
        let mut features = std::collections::BTreeSet::new();
        for (at, variable) in formula.variables().iter().enumerate() {
            if let Some(wanted) = basis::wanted(variable) {
                let mut plan = IntakePlan::new(&lookup, false);
                let arguments = basis::arguments(variable);
                let registers = arguments.iter().map(|of| plan.checked_value(of)).collect::<Result<_, _>>()?;
                bases.push(SurveyedBasis { variable: at, wanted, intake: plan.finish(), registers });
            }
            let mut columns = Vec::new();
            variable.visit_columns(&mut |column| columns.push(column));
            for column in columns {
                features.insert(lookup.feature(column)?);
            }
        }
        for part in formula.offsets().iter().flatten() {
            let mut columns = Vec::new();
            part.visit_columns(&mut |column| columns.push(column));
            for column in columns {
                features.insert(lookup.feature(column)?);
            }
        }
        let surveyed = |feature: usize, plane: usize| Surveyed { plane, name: layout.features()[feature].name.clone() };
        let (mut numbers, mut codes) = (Vec::new(), Vec::new());
        for feature in features.into_iter().filter(|_| fills) {
            match layout.plane(feature) {
                Plane::Numbers(plane) => numbers.push(surveyed(feature, plane)),
                Plane::Codes(plane) if options.missing == MissingPolicy::Indicator => codes.push(surveyed(feature, plane)),
                Plane::Codes(_) | Plane::Words(_) => {}
            }
        }
        Ok(SurveyPlan { formula: formula.clone(), options: options.clone(), bases, numbers, codes, weighting: layout.weighting() })
    }
}

impl Observed {
    fn new(wanted: Wanted, dimensions: usize, classes: usize) -> Self {
        match wanted {
            Wanted::Values => Observed::Values(ValueTable::default()),
            Wanted::Range => Observed::Range(None),
            Wanted::Points => Observed::Points(PointSample::new(dimensions)),
            Wanted::Classes => Observed::Classes(vec![ValueTable::default(); classes]),
        }
    }

    fn merge(&mut self, other: &Self) {
        match (self, other) {
            (Observed::Values(mine), Observed::Values(theirs)) => mine.merge(theirs),
            (Observed::Range(mine), Observed::Range(Some((lo, hi)))) => *mine = Some(widened(Some(widened(*mine, *lo)), *hi)),
            (Observed::Points(mine), Observed::Points(theirs)) => mine.merge(theirs),
            (Observed::Classes(mine), Observed::Classes(theirs)) => {
                mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| mine.merge(theirs));
            }
            _ => {}
        }
    }

    fn settle(&mut self) {
        match self {
            Observed::Values(values) => values.settle(),
            Observed::Range(_) => {}
            Observed::Points(points) => points.settle(),
            Observed::Classes(classes) => classes.iter_mut().for_each(ValueTable::settle),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Observed::Values(values) => values.bytes(),
            Observed::Range(_) => size_of::<Self>(),
            Observed::Points(points) => points.bytes(),
            Observed::Classes(classes) => classes.iter().map(ValueTable::bytes).sum(),
        }
    }

    /// Whether all values were kept apart.
    fn is_exact(&self) -> bool {
        match self {
            Observed::Values(values) => values.is_exact(),
            Observed::Classes(classes) => classes.iter().all(ValueTable::is_exact),
            Observed::Range(_) | Observed::Points(_) => true,
        }
    }
}

fn widened(range: Option<(f64, f64)>, value: f64) -> (f64, f64) {
    range.map_or((value, value), |(lo, hi)| (lo.min(value), hi.max(value)))
}
