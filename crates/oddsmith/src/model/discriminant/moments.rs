//! What discriminants learn from: class weights, means and products of the complete rows, in exact scaled coordinates.
//!
//! Column j is moved by c_j, the mean of the class means, and divided by s_j, the power of two below its standard
//! deviation within classes: offsets d_kj = (m_kj − c_j)/s_j and products P_k,ij/(s_i s_j). A column that has the same
//! value in every row leaves at once, so that it changes no bit of anything else.

use std::collections::BTreeSet;
use std::sync::Arc;

use nalgebra::DMatrix;

use super::settings::Given;
use crate::data::{Dummies, Layout, Weighting};
use crate::error::{Advice, DataFault, Error, ErrorKind, Result};
use crate::model::Divisor;
use crate::model::check_classes;
use crate::notice::{self, Notice};
use crate::stats::{ClassWeights, ScatterGroup, ScatterPart, TableStats, check_size};

/// Variation of a column below this share of its size is rounding, not variation.
const ROUNDING: f64 = 8.0 * f64::EPSILON;
/// A share of rows below this is the rounding of a sum of shares.
const NO_SHARE: f64 = 1e-12;

/// Sums of the complete rows over the columns that vary.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Moments {
    /// That of the number columns.
    pub(super) layout: Arc<Layout>,
    /// How categories became some of them.
    pub(super) dummies: Option<Arc<Dummies>>,
    /// Complete rows and their weights.
    pub(super) classes: ClassWeights,
    /// Rows left out because a number is missing.
    pub(super) left_out: u64,
    /// Positions in the number plane of the columns that vary.
    pub(super) columns: Vec<usize>,
    /// Position and value of those that do not.
    pub(super) constants: Vec<(usize, f64)>,
    /// What is subtracted from each varying column.
    pub(super) centre: Vec<f64>,
    /// What it is divided by then: a power of two.
    pub(super) scale: Vec<f64>,
    /// The same for sums, which may be in units of their own.
    pub(super) summed_scale: Vec<f64>,
    /// Class means in scaled coordinates, class by class.
    pub(super) offsets: Vec<Vec<f64>>,
    /// Products around the class means in scaled coordinates: one matrix, or one per class.
    pub(super) products: Vec<DMatrix<f64>>,
    pub(super) notices: Vec<Notice>,
}

impl Moments {
    /// The sums of a table that keeps at least the products `wanted`. Where covariances are `given` from elsewhere, a column
    /// varies as much as they say.
    pub(super) fn new(stats: &TableStats, dummies: Option<&Arc<Dummies>>, wanted: ScatterPart, given: Option<&Given>) -> Result<Self> {
        let layout = Arc::clone(stats.layout());
        let scatter = stats.scatter().filter(|scatter| wanted == ScatterPart::Pooled || scatter.part() == wanted);
        let scatter = scatter.ok_or_else(|| Error::data("the statistics lack sums that this model needs; gather them again"))?;
        let (group, left_out) = scatter.complete();
        check_classes(stats.layout(), stats.classes())?;
        check_complete(&layout, stats.classes(), &group)?;
        let mut moments = Moments {
            dummies: dummies.map(|dummies| Arc::new(Dummies::clone(dummies).without(levels_without_rows(dummies, &group)))),
            classes: ClassWeights { rows: group.rows.clone(), weight: group.weight.clone(), squared: group.squared.clone() },
            left_out,
            columns: Vec::new(),
            constants: Vec::new(),
            centre: Vec::new(),
            scale: Vec::new(),
            summed_scale: Vec::new(),
            offsets: vec![Vec::new(); layout.classes().len()],
            products: Vec::new(),
            notices: Vec::new(),
            layout,
        };
        moments.notices.extend(incomplete_rows(left_out, moments.classes.total_rows()));
        moments.notices.extend(moments.dummies.iter().flat_map(|dummies| told(dummies)));
        moments.place_columns(&group, stats, given.map(|given| &given.covariances[..]))?;
        if let Some(means) = given.and_then(|given| given.means.as_ref()) {
            moments.place_means(means)?;
        }
        moments.scale_products(&group, wanted);
        Ok(moments)
    }

    fn place_columns(&mut self, group: &ScatterGroup, stats: &TableStats, given: Option<&[Vec<f64>]>) -> Result<()> {
        let (classes, width) = (group.rows.len(), group.columns());
        for j in 0..width {
            let squares: f64 = group.products.iter().map(|products| products[j * width + j]).sum();
            let means = (0..classes).map(|k| group.mean.get(k, j));
            let centre = means.clone().sum::<f64>() / classes as f64;
            if !(squares.is_finite() && centre.is_finite()) {
                let fault = DataFault::new("the values are too large to be squared").column(self.plane_name(j));
                return Err(fault.accepted("measure the column in a larger unit").into());
            }
            let noise = ROUNDING * means.clone().fold(0.0, |size: f64, m| size.max(m.abs()));
            // Sums of extreme columns are in units of their own.
            let unit = stats.scale(j);
            let variance = |matrix: &Vec<f64>| matrix.get(j * width + j).copied().unwrap_or(f64::NAN);
            let deviation = match given {
                None => (squares / group.total()).sqrt(),
                Some(matrices) => matrices.iter().map(variance).fold(0.0, f64::max).sqrt(),
            };
            if deviation <= noise {
                self.set_aside(j, group, noise, unit)?;
                continue;
            }
            check_size(self.plane_name(j), deviation / unit)?;
            // The exponent alone: a power of two, so that dividing by it is exact.
            let scale = f64::from_bits(deviation.to_bits() & 0x7ff0_0000_0000_0000);
            self.columns.push(j);
            self.centre.push(centre / unit);
            self.scale.push(scale / unit);
            self.summed_scale.push(scale);
            for (k, offsets) in self.offsets.iter_mut().enumerate() {
                // What rounding dropped of a mean far from zero counts when the centre is near.
                offsets.push(((group.mean.get(k, j) - centre) + group.mean_low.get(k, j)) / scale);
            }
        }
        Ok(())
    }

    /// Takes class means from elsewhere.
    fn place_means(&mut self, means: &[Vec<f64>]) -> Result<()> {
        let width = self.layout.numbers().len();
        if means.len() != self.offsets.len() || means.iter().any(|mean| mean.len() != width || !mean.iter().all(|m| m.is_finite())) {
            return Err(Error::option("means", "…", format!("one for each class, of {width} finite numbers")));
        }
        for (offsets, mean) in self.offsets.iter_mut().zip(means) {
            let place = |(at, &j): (usize, &usize)| (mean[j] - self.centre[at]) / self.scale[at];
            *offsets = self.columns.iter().enumerate().map(place).collect();
        }
        Ok(())
    }

    /// A column that does not vary within any class: it says nothing, or everything.
    fn set_aside(&mut self, j: usize, group: &ScatterGroup, noise: f64, unit: f64) -> Result<()> {
        let value = group.mean.get(0, j) / unit;
        let name = self.plane_name(j).to_owned();
        if let Some(k) = (1..group.rows.len()).find(|&k| (group.mean.get(k, j) - group.mean.get(0, j)).abs() > noise) {
            let (first, other) = (self.layout.classes().label(0), self.layout.classes().label(k));
            let what = format!(
                "column `{name}` is constant within every class and differs between them ({value} for `{first}`, {} for `{other}`), \
                 so it tells the classes apart without error and its density has no width",
                group.mean.get(k, j) / unit
            );
            return Err(ErrorKind::NoEstimate { what, advice: Advice::LeaveOut(vec![name]) }.into());
        }
        self.constants.push((j, value));
        if self.dummies.as_ref().and_then(|dummies| dummies.level(j)).is_some() && value == 0.0 {
            // The level has no rows, which was told before.
            return Ok(());
        }
        let text = format!("is {value} in every row; it says nothing about the class and was left out");
        self.notices.push(Notice::new(notice::CONSTANT_COLUMN, text).column(name));
        Ok(())
    }

    fn scale_products(&mut self, group: &ScatterGroup, wanted: ScatterPart) {
        self.products = match wanted {
            ScatterPart::PerClass => group.products.iter().map(|products| self.scaled(products)).collect(),
            _ => vec![self.scaled(&group.pooled_products())],
        };
    }

    /// A matrix over all number columns, in the units of the sums and with its upper triangle only, in scaled coordinates.
    pub(super) fn scaled(&self, matrix: &[f64]) -> DMatrix<f64> {
        let width = self.layout.numbers().len();
        let cell = |a: usize, b: usize| {
            let (i, j) = (self.columns[a.min(b)], self.columns[a.max(b)]);
            matrix[i * width + j] / self.summed_scale[a] / self.summed_scale[b]
        };
        DMatrix::from_fn(self.columns.len(), self.columns.len(), cell)
    }

    /// Number of varying columns, p.
    pub(super) fn width(&self) -> usize {
        self.columns.len()
    }

    /// The name of a column of the number plane.
    pub(super) fn plane_name(&self, position: usize) -> &str {
        &self.layout.features()[self.layout.numbers()[position]].name
    }

    /// The name of varying column `at`.
    pub(super) fn name(&self, at: usize) -> &str {
        self.plane_name(self.columns[at])
    }

    /// A level of a category that no row of class `k` has, with the name of the category.
    pub(super) fn level_absent_from(&self, k: usize) -> Option<(String, String)> {
        let dummies = self.dummies.as_ref()?;
        for (plane, &feature) in dummies.layout().codes().iter().enumerate() {
            let mut shares = vec![(0, 1.0)];
            for at in dummies.of_code(plane) {
                let share = self.columns.iter().position(|&j| j == at).map_or(0.0, |j| self.centre[j] + self.offsets[k][j] * self.scale[j]);
                shares[0].1 -= share;
                shares.extend(dummies.level(at).map(|(_, level)| (level, share)));
            }
            let seen = |level: u32| !dummies.unseen().contains(&(plane, level));
            if let Some((level, _)) = shares.iter().find(|(level, share)| *share < NO_SHARE && seen(*level)) {
                return Some((dummies.layout().features()[feature].name.clone(), dummies.level_name(plane, *level)));
            }
        }
        None
    }

    /// Products of all classes.
    pub(super) fn pooled_products(&self) -> DMatrix<f64> {
        self.products.iter().fold(DMatrix::zeros(self.width(), self.width()), |sum, products| sum + products)
    }

    /// Rows that a unit of weight stands for as evidence: under sampling weights W/V with V = Σ w², so that the rows
    /// count as many as equal weights of the same precision would.
    pub(super) fn rows_per_weight(&self) -> f64 {
        match self.layout.weighting() {
            Weighting::Sampling => self.classes.total() / self.classes.squared.iter().sum::<f64>(),
            Weighting::None | Weighting::Frequency => 1.0,
        }
    }

    /// What the products of class `k` are divided by.
    pub(super) fn class_divisor(&self, k: usize, divisor: Divisor) -> f64 {
        let (weight, squared) = (self.classes.weight[k], self.classes.squared[k]);
        match (divisor, self.layout.weighting()) {
            (Divisor::Ml, _) => weight,
            (Divisor::Unbiased, Weighting::Sampling) => weight - squared / weight,
            (Divisor::Unbiased, _) => weight - 1.0,
        }
    }

    /// What the pooled products are divided by.
    pub(super) fn pooled_divisor(&self, divisor: Divisor) -> f64 {
        (0..self.classes.weight.len()).map(|k| self.class_divisor(k, divisor)).sum()
    }
}

/// Levels that no complete row has: their columns are all zeros, and the columns of the others add up to one.
fn levels_without_rows(dummies: &Dummies, group: &ScatterGroup) -> BTreeSet<(usize, u32)> {
    let classes = group.rows.len();
    let mut unseen = BTreeSet::new();
    for plane in 0..dummies.layout().codes().len() {
        let mut reference = vec![1.0; classes];
        for at in dummies.of_code(plane) {
            (0..classes).for_each(|k| reference[k] -= group.mean.get(k, at));
            if let (Some(level), true) = (dummies.level(at), (0..classes).all(|k| group.mean.get(k, at) == 0.0)) {
                unseen.insert(level);
            }
        }
        if reference.iter().all(|share| *share < NO_SHARE) {
            unseen.insert((plane, 0));
        }
    }
    unseen
}

/// What is said of categories: how they take part, and which levels do not.
fn told(dummies: &Dummies) -> Vec<Notice> {
    let references = dummies.references();
    let enter = if references.len() == 1 { "enters" } else { "enter" };
    let text = format!("{} {enter} as 0/1 columns; the level in parentheses has none", references.join(", "));
    let mut notices: Vec<Notice> = (!references.is_empty()).then(|| Notice::new(notice::DUMMY_COLUMNS, text)).into_iter().collect();
    for &(plane, level) in dummies.unseen() {
        let column = &dummies.layout().features()[dummies.layout().codes()[plane]].name;
        let name = dummies.level_name(plane, level);
        let text = format!("the level `{name}` occurs in no complete row and is left out");
        notices.push(Notice::new(notice::UNUSED_LEVEL, text).column(column).level(name));
    }
    notices
}

fn incomplete_rows(left_out: u64, used: u64) -> Option<Notice> {
    let total = left_out + used;
    let text = format!("{left_out} of {total} rows excluded from the fit for missing values; when predicting, gaps are integrated out");
    (left_out > 0).then(|| Notice::new(notice::MISSING_VALUES, text))
}

/// Refuses classes without any row to learn from.
fn check_complete(layout: &Layout, all: &ClassWeights, complete: &ScatterGroup) -> Result<()> {
    let Some(k) = (0..all.weight.len()).find(|&k| complete.weight[k] <= 0.0) else {
        return Ok(());
    };
    let label = layout.classes().label(k);
    let (what, advice) = match all.weight[k] > 0.0 {
        true => (format!("class `{label}` has no row without a missing number"), "leave out the columns with gaps, or use naive Bayes"),
        false => (format!("class `{label}` has no rows"), "leave it out of the classes"),
    };
    Err(DataFault::new(what).column(layout.target()).accepted(advice).into())
}
