//! log p(x, y) of classes with joint densities: what LDA and QDA models have in common.
//!
//! Complete rows are scored in blocks. Rows with gaps are grouped by which columns they have; the marginal densities
//! of a group are factored once and dropped again. A row further than 2^45 deviations from the centre is pulled back
//! along its own direction to 2^40, so that no distance overflows and classes can still be told apart: log p(x) is
//! below −10²³ either way.

use std::collections::BTreeMap;
use std::sync::Arc;

use nalgebra::DMatrix;
use rand_core::Rng;
use rand_distr::{ChiSquared, Distribution, StandardNormal};

use super::elimination::Elimination;
use super::law::Law;
use super::observed::{BLOCK, Ingredients, Observed, Workspace, dot};
use super::span::{Alias, aliases};
use crate::data::{Dummies, Features, Layout};
use crate::error::{Advice, DataFault, Error, ErrorKind, Result};
use crate::model::{Contributions, SampledRow, Scores, Value};
use crate::num::MatrixView;
use crate::num::kernel::QuadraticScores;
use crate::stats::ClassWeights;

/// A squared distance above this sends a row to the careful path.
pub(super) const SUSPECT: f64 = (1u128 << 64) as f64;
/// Binary exponent of the distance from which rows are pulled back, and where to.
const FAR: i32 = 45;
const PULLED_TO: i32 = 40;

/// The parameters of all class densities.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Parameters {
    /// That of the number columns.
    pub(super) layout: Arc<Layout>,
    /// How categories become some of them.
    pub(super) dummies: Option<Arc<Dummies>>,
    /// Rows and weights that it was learned from.
    pub(super) classes: ClassWeights,
    pub(super) log_prior: Vec<f64>,
    /// Positions in the number plane of the columns that vary.
    pub(super) columns: Vec<usize>,
    /// Position and value of those that do not.
    pub(super) constants: Vec<(usize, f64)>,
    pub(super) centre: Vec<f64>,
    /// Powers of two.
    pub(super) scale: Vec<f64>,
    /// Class means in scaled coordinates.
    pub(super) offsets: Vec<Vec<f64>>,
    /// Covariances in scaled coordinates: one, or one per class.
    pub(super) covariances: Vec<DMatrix<f64>>,
    pub(super) laws: Vec<Law>,
}

/// Parameters and what follows from them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Joint {
    pub(super) parameters: Parameters,
    pooled: DMatrix<f64>,
    /// The densities of rows without gaps.
    pub(super) complete: Observed,
    pub(super) aliases: Vec<Alias>,
}

/// How a score is split over the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Split {
    /// log p(x_j | columns before it, k).
    Chain,
    /// For one shared normal covariance: the chain rule for a Gaussian at the centre, the same for all classes, plus the
    /// linear log odds against it, w_kj (x_j − (m_kj + c_j)/2).
    Linear,
}

/// Rows of one pattern of observed columns, each with its pull.
type Groups = BTreeMap<Vec<usize>, Vec<(usize, i32)>>;

/// The covariance of all classes around their means.
pub(super) fn pool(covariances: &[DMatrix<f64>], weight: &[f64]) -> DMatrix<f64> {
    if let [shared] = covariances {
        return shared.clone();
    }
    let total: f64 = weight.iter().sum();
    let zero = covariances.first().map_or_else(|| DMatrix::zeros(0, 0), |first| first * 0.0);
    covariances.iter().zip(weight).fold(zero, |sum, (matrix, w)| sum + matrix * (w / total))
}

impl Joint {
    /// Factors the covariances of complete rows.
    pub(super) fn new(parameters: Parameters) -> Result<Self> {
        let pooled = pool(&parameters.covariances, &parameters.classes.weight);
        let all: Vec<usize> = (0..parameters.columns.len()).collect();
        let elimination = Elimination::new(&pooled, &all);
        let aliases = aliases(&elimination);
        let complete = Observed::after(&parameters.ingredients(&pooled), elimination)?;
        Ok(Joint { parameters, pooled, complete, aliases })
    }

    /// The same densities with another prior.
    #[must_use]
    pub(super) fn with_log_prior(&self, log_prior: Vec<f64>) -> Self {
        let mut changed = self.clone();
        changed.parameters.log_prior = log_prior;
        changed
    }

    /// Hands rows on with their categories as number columns.
    pub(super) fn with_numbers<T>(&self, rows: &Features<'_>, then: impl FnOnce(&Features<'_>) -> Result<T>) -> Result<T> {
        rows.check(self.parameters.rows_layout())?;
        let Some(dummies) = &self.parameters.dummies else { return then(rows) };
        let mut cells = Vec::new();
        dummies.expand(rows, &mut cells);
        then(&Features::of_numbers(MatrixView::row_major(&cells, rows.rows(), self.parameters.layout.features().len())?))
    }

    /// Writes log p(x, k) for every row and class.
    pub(super) fn score(&self, rows: &Features<'_>, out: &mut Scores) -> Result<()> {
        self.with_numbers(rows, |rows| self.score_numbers(rows, out))
    }

    /// The same for rows as numbers.
    pub(super) fn score_numbers(&self, rows: &Features<'_>, out: &mut Scores) -> Result<()> {
        let count = rows.rows();
        out.reset(count, &self.parameters.log_prior);
        let suspects = match (self.complete.kernel(rows.numbers.cols()), self.complete.roots.len() > 1) {
            (Some(kernel), true) => self.score_side_by_side(kernel, rows, out),
            _ => self.score_in_blocks(rows, out),
        };
        self.score_carefully(rows, suspects, out)
    }

    /// Scores complete rows; gives those that have gaps or lie far out.
    fn score_in_blocks(&self, rows: &Features<'_>, out: &mut Scores) -> Vec<usize> {
        let count = rows.rows();
        let mut work = Workspace::default();
        let mut suspects = Vec::new();
        let mut block = [0; BLOCK];
        for lo in (0..count).step_by(BLOCK) {
            let members = &mut block[..BLOCK.min(count - lo)];
            members.iter_mut().enumerate().for_each(|(r, i)| *i = lo + r);
            self.complete.square_distances(rows.numbers, members, &[], &mut work);
            for (r, &i) in members.iter().enumerate() {
                self.put(&self.complete, i, r, &work, out);
                // A NaN is a suspect, too.
                if !work.squares.iter().skip(r).step_by(BLOCK).all(|square| *square <= SUSPECT) {
                    suspects.push(i);
                }
            }
        }
        suspects
    }

    /// The same with the vector kernel, which takes all classes of a row together.
    fn score_side_by_side(&self, kernel: &QuadraticScores, rows: &Features<'_>, out: &mut Scores) -> Vec<usize> {
        let parameters = &self.parameters;
        let (classes, width) = (parameters.log_prior.len(), self.complete.width());
        let (values, scratch) = out.parts_mut();
        scratch.block.resize(values.len(), 0.0);
        kernel.score(rows.numbers, &mut scratch.quadratic, &mut scratch.block);
        let mut suspects = Vec::new();
        let (peaks, laws) = (&self.complete.log_peak, &parameters.laws);
        // Half the distance is all that a normal density of plain width takes off.
        let plain = laws.iter().all(|law| *law == Law::NORMAL);
        for (i, (scores, halves)) in values.chunks_exact_mut(classes).zip(scratch.block.chunks_exact(classes)).enumerate() {
            for (k, (score, half)) in scores.iter_mut().zip(halves).enumerate() {
                *score += peaks[k] + if plain { *half } else { laws[k].log_fall(-2.0 * half, width) };
            }
            // A NaN is a suspect, too.
            if !halves.iter().all(|half| -2.0 * half <= SUSPECT) {
                suspects.push(i);
            }
        }
        suspects
    }

    /// Scores rows that have gaps or lie far out, grouped by the columns that they have.
    pub(super) fn score_carefully(&self, rows: &Features<'_>, suspects: Vec<usize>, out: &mut Scores) -> Result<()> {
        if suspects.is_empty() {
            return Ok(());
        }
        out.doubt();
        let mut work = Workspace::default();
        for (pattern, members) in self.group(rows.numbers, suspects.into_iter())? {
            let observed = self.observed(&pattern)?;
            for chunk in members.chunks(BLOCK) {
                let (indices, pull): (Vec<usize>, Vec<i32>) = chunk.iter().copied().unzip();
                observed.square_distances(rows.numbers, &indices, &pull, &mut work);
                indices.iter().enumerate().for_each(|(r, &i)| self.put(&observed, i, r, &work, out));
            }
        }
        Ok(())
    }

    fn put(&self, observed: &Observed, i: usize, r: usize, work: &Workspace, out: &mut Scores) {
        let parameters = &self.parameters;
        let classes = parameters.log_prior.len();
        let scores = &mut out.parts_mut().0[i * classes..(i + 1) * classes];
        for (k, score) in scores.iter_mut().enumerate() {
            let fall = parameters.laws[k].log_fall(work.squares[k * BLOCK + r], observed.width());
            *score = parameters.log_prior[k] + (observed.log_peak[k] + fall);
        }
    }

    /// Splits the scores over the columns.
    pub(super) fn contribute(&self, rows: &Features<'_>, split: Split, out: &mut Contributions) -> Result<()> {
        let parameters = &self.parameters;
        out.reset(rows.rows(), parameters.rows_layout().features().len(), &parameters.log_prior);
        self.with_numbers(rows, |rows| self.contribute_numbers(rows, split, out))
    }

    fn contribute_numbers(&self, rows: &Features<'_>, split: Split, out: &mut Contributions) -> Result<()> {
        for (pattern, members) in self.group(rows.numbers, 0..rows.rows())? {
            let observed = self.observed(&pattern)?;
            for (i, pull) in members {
                let deviations: Vec<f64> = (0..observed.width()).map(|at| observed.deviation(rows.numbers, i, at, pull)).collect();
                match split {
                    Split::Chain => self.add_chain(&observed, i, &deviations, out),
                    Split::Linear => self.add_linear(&observed, i, &deviations, out),
                }
            }
        }
        Ok(())
    }

    /// The user's feature behind a number column.
    fn feature(&self, column: usize) -> usize {
        let Parameters { layout, dummies, .. } = &self.parameters;
        dummies.as_ref().map_or_else(|| layout.numbers()[column], |dummies| dummies.feature(column))
    }

    fn add_chain(&self, observed: &Observed, i: usize, deviations: &[f64], out: &mut Contributions) {
        for (k, (law, target)) in self.parameters.laws.iter().zip(&observed.targets).enumerate() {
            let root = observed.root(k);
            let mut before = 0.0;
            for (at, row) in root.triangle().enumerate() {
                let step = (dot(row, deviations) - target[at]).powi(2);
                out.addends_mut(i, self.feature(observed.columns[at]))[k] += law.log_next(at, before, step) + root.log_diagonal[at];
                before += step;
            }
        }
    }

    fn add_linear(&self, observed: &Observed, i: usize, deviations: &[f64], out: &mut Contributions) {
        let root = observed.root(0);
        for (at, row) in root.triangle().enumerate() {
            let common = Law::NORMAL.log_next(at, 0.0, dot(row, deviations).powi(2)) + root.log_diagonal[at];
            let addends = out.addends_mut(i, self.feature(observed.columns[at]));
            for (k, addend) in addends.iter_mut().enumerate() {
                *addend += common + observed.weights[k][at] * (deviations[at] - 0.5 * observed.offsets[k][at]);
            }
        }
    }

    /// Groups rows by the columns that they have; refuses infinite values.
    fn group(&self, values: MatrixView<'_>, rows: impl Iterator<Item = usize>) -> Result<Groups> {
        let parameters = &self.parameters;
        let mut groups = Groups::new();
        for i in rows {
            let mut pattern = Vec::with_capacity(parameters.columns.len());
            let mut furthest = i32::MIN;
            for (at, &column) in parameters.columns.iter().enumerate() {
                let x = values.get(i, column);
                if x.is_infinite() {
                    return Err(self.infinite(column, i, x));
                }
                if !x.is_nan() {
                    pattern.push(at);
                    let deviation = (x - parameters.centre[at]).clamp(-f64::MAX, f64::MAX);
                    if deviation != 0.0 {
                        furthest = furthest.max(libm::ilogb(deviation) - libm::ilogb(parameters.scale[at]));
                    }
                }
            }
            let pull = if furthest >= FAR { PULLED_TO - furthest } else { 0 };
            groups.entry(pattern).or_default().push((i, pull));
        }
        Ok(groups)
    }

    fn infinite(&self, column: usize, i: usize, x: f64) -> Error {
        let name = &self.parameters.rows_layout().features()[self.feature(column)].name;
        let fault = DataFault::new("an infinite value cannot be used:").column(name).row(i as u64 + 1).value(x.to_string());
        fault.accepted("use a finite number or leave the cell empty").into()
    }

    /// The densities over some of the varying columns.
    fn observed(&self, pattern: &[usize]) -> Result<std::borrow::Cow<'_, Observed>> {
        use std::borrow::Cow;
        match pattern.len() == self.parameters.columns.len() {
            true => Ok(Cow::Borrowed(&self.complete)),
            false => Observed::new(&self.parameters.ingredients(&self.pooled), pattern).map(Cow::Owned),
        }
    }

    /// Draws a row of class `k`: independent columns by forward substitution in R y = z, the others from them.
    pub(super) fn sample(&self, k: usize, random: &mut dyn Rng) -> Result<SampledRow> {
        let Parameters { layout, centre, scale, offsets, laws, constants, columns, dummies, .. } = &self.parameters;
        if dummies.is_some() {
            let what = "draw rows with categories: its density of their 0/1 columns gives values between the levels".to_owned();
            let advice = Advice::UseModel { name: "nb", why: "which has probabilities of levels" };
            return Err(ErrorKind::Unsupported { model: "a discriminant".into(), what, advice }.into());
        }
        if k >= laws.len() {
            return Err(Error::internal("a row of a class that does not exist was asked for"));
        }
        let law = laws[k];
        let stretch = match law.freedom == f64::INFINITY {
            true => 1.0,
            false => {
                let chi = ChiSquared::new(law.freedom).map_err(|_| Error::internal("a class has no degrees of freedom"))?;
                (law.widening * law.freedom / chi.sample(random)).sqrt()
            }
        };
        let mut drawn: Vec<f64> = Vec::with_capacity(self.complete.width());
        for row in self.complete.root(k).triangle() {
            let z: f64 = StandardNormal.sample(random);
            drawn.push((stretch * z - dot(row, &drawn)) / row[row.len() - 1]);
        }
        // Deviations from the class mean, by varying column, in scaled coordinates.
        let mut deviations = vec![0.0; columns.len()];
        self.complete.members.iter().zip(&drawn).for_each(|(&j, y)| deviations[j] = *y);
        for alias in &self.aliases {
            deviations[alias.column] = alias.terms.iter().map(|(j, beta)| beta * deviations[*j]).sum();
        }
        let mut values = vec![Value::Number(f64::NAN); layout.features().len()];
        for (j, &column) in columns.iter().enumerate() {
            values[self.feature(column)] = Value::Number(centre[j] + (offsets[k][j] + deviations[j]) * scale[j]);
        }
        constants.iter().for_each(|&(column, value)| values[self.feature(column)] = Value::Number(value));
        Ok(SampledRow { class: k, values })
    }
}

impl Parameters {
    /// What the users' rows look like.
    pub(super) fn rows_layout(&self) -> &Arc<Layout> {
        self.dummies.as_ref().map_or(&self.layout, |dummies| dummies.layout())
    }

    /// Name and, for one of a category, level of a number column.
    pub(super) fn column_label(&self, position: usize) -> (&str, Option<String>) {
        match &self.dummies {
            None => (&self.layout.features()[self.layout.numbers()[position]].name, None),
            Some(dummies) => {
                let name = &dummies.layout().features()[dummies.feature(position)].name;
                (name, dummies.level(position).map(|(plane, level)| dummies.level_name(plane, level)))
            }
        }
    }

    fn ingredients<'a>(&'a self, pooled: &'a DMatrix<f64>) -> Ingredients<'a> {
        Ingredients {
            columns: &self.columns,
            centre: &self.centre,
            scale: &self.scale,
            offsets: &self.offsets,
            covariances: &self.covariances,
            pooled,
            laws: &self.laws,
        }
    }

    /// Mean of a column of the number plane in class `k`, in the user's units; `None` when there is no such column.
    pub(super) fn mean(&self, k: usize, position: usize) -> Option<f64> {
        if let Some(at) = self.columns.iter().position(|&column| column == position) {
            return self.offsets.get(k).map(|offsets| self.centre[at] + offsets[at] * self.scale[at]);
        }
        self.constants.iter().find(|(column, _)| *column == position).map(|(_, value)| *value)
    }

    /// Covariance of two columns of the number plane in class `k`, in the user's units; zero where one is constant.
    pub(super) fn covariance(&self, k: usize, left: usize, right: usize) -> f64 {
        let at = |position: usize| self.columns.iter().position(|&column| column == position);
        let matrix = &self.covariances[if self.covariances.len() == 1 { 0 } else { k }];
        match (at(left), at(right)) {
            (Some(i), Some(j)) => matrix[(i, j)] * self.scale[i] * self.scale[j],
            _ => 0.0,
        }
    }

    /// Standard deviation of a column of the number plane in class `k`, in the user's units.
    pub(super) fn deviation(&self, k: usize, position: usize) -> f64 {
        let matrix = &self.covariances[if self.covariances.len() == 1 { 0 } else { k }];
        // The root first: a variance in the user's units may be out of range where its root is not.
        self.columns.iter().position(|&column| column == position).map_or(0.0, |at| matrix[(at, at)].sqrt() * self.scale[at])
    }
}
