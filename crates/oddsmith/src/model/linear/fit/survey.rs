//! The first look at the rows: how many count, how the columns lie, and where the solver should start.
//!
//! Sums: weights and rows, weights of the classes, means and products of the columns, sums of the columns by class, the
//! largest size of every column, gaps. From these come centres and scales, the columns that depend on others, the
//! null model, and the linear discriminant of the same columns, which is where the solver starts: it estimates the same
//! line under stronger assumptions.

use nalgebra::DMatrix;

use crate::codec::{Codec, Encode};
use crate::data::design::Place;
use crate::error::Result;
use crate::model::linear::fit::block_reader::{Block, Problem};
use crate::model::linear::fit::column_sums::{ColumnSums, Products};
use crate::model::linear::fit::coordinates::Coordinates;
use crate::model::linear::fit::eval_point::Shape;
use crate::model::linear::fit::learner::MOST_FULL;
use crate::num::cholesky;
use crate::num::kernel::{CrossSums, widest};
use crate::num::special::ln_gamma;

/// Squared distance between classes, in deviations, up to which the discriminant is a good place to start.
const FURTHEST_START: f64 = 16.0;

/// Sums of the first look.
#[derive(Debug, Clone)]
pub(crate) struct Survey {
    /// Rows that count.
    pub(crate) rows: u64,
    /// Rows left out for a gap, by feature.
    pub(crate) dropped: Vec<u64>,
    /// Whether any number was missing or infinite, counted rows or not.
    pub(crate) gaps: bool,
    /// Weight of every class.
    pub(crate) class_weights: Vec<f64>,
    /// Σ w², for the effective number of rows under sampling weights.
    pub(crate) squared_weight: f64,
    /// Σ w (Σ y ln y): what a saturated model would reach with proportions instead of labels.
    pub(crate) saturated: f64,
    /// Σ ln of the binomial coefficients of grouped counts.
    pub(crate) log_coefficients: f64,
    columns: ColumnSums,
    /// Where the sums of every summed column stand.
    places: Vec<Place>,
    /// Largest |x| of every column that has cells.
    cell_reach: Vec<f64>,
    origin: Vec<f64>,
    /// Sums by class of the columns that have cells, about the origin.
    class_sums: Vec<f64>,
    /// Weights of marks by class, mark after mark.
    class_marks: Vec<f64>,
    /// Σ w times the offset of every output; empty without an offset.
    offsets: Vec<f64>,
    factors: Vec<f64>,
}

impl Encode for Survey {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        if !codec.is_reading() && !codec.is_among_workers() {
            self.move_origin();
        }
        codec.count("rows", &mut self.rows)?;
        codec.counts("dropped", &mut self.dropped)?;
        codec.flag("gaps", &mut self.gaps)?;
        codec.numbers("class_weights", &mut self.class_weights)?;
        codec.number("squared_weight", &mut self.squared_weight)?;
        codec.number("saturated", &mut self.saturated)?;
        codec.number("log_coefficients", &mut self.log_coefficients)?;
        codec.part("columns", &mut self.columns)?;
        codec.numbers("reach", &mut self.cell_reach)?;
        codec.numbers("class_sums", &mut self.class_sums)?;
        codec.numbers("class_marks", &mut self.class_marks)?;
        if !self.offsets.is_empty() {
            codec.numbers("offsets", &mut self.offsets)?;
        }
        if codec.is_among_workers() {
            let mut known = !self.origin.is_empty();
            codec.flag("origin_known", &mut known)?;
            if codec.is_reading() {
                self.origin = vec![0.0; if known { self.cell_reach.len() } else { 0 }];
            }
            return codec.numbers("origin", &mut self.origin);
        }
        if codec.is_reading() && self.rows > 0 {
            self.origin = self.columns.means().to_vec();
        }
        Ok(())
    }
}

impl Survey {
    /// Moves the origin from the first row, which is nobody else's business, to the means.
    fn move_origin(&mut self) {
        if self.origin.is_empty() {
            return;
        }
        let means = self.columns.means();
        for (sums, weight) in self.class_sums.chunks_exact_mut(means.len().max(1)).zip(&self.class_weights[1..]) {
            for ((sum, origin), mean) in sums.iter_mut().zip(&self.origin).zip(means) {
                *sum += weight * (origin - mean);
            }
        }
        self.origin = means.to_vec();
    }

    /// Nothing seen.
    pub(crate) fn new(problem: &Problem, coordinates: &Coordinates) -> Self {
        let places = coordinates.places();
        let (cells, range) = (coordinates.cell_centre().len(), coordinates.mark_range());
        // Without second derivatives nobody asks for products of two columns either.
        let wanted = if places.len() <= MOST_FULL { Products::All } else { Products::Squares };
        Survey {
            rows: 0,
            dropped: vec![0; problem.features],
            gaps: false,
            class_weights: vec![0.0; problem.classes],
            squared_weight: 0.0,
            saturated: 0.0,
            log_coefficients: 0.0,
            columns: ColumnSums::new(cells, range, wanted),
            places,
            cell_reach: vec![0.0; cells],
            origin: Vec::new(),
            class_sums: vec![0.0; problem.outputs() * cells],
            class_marks: vec![0.0; problem.outputs() * range],
            offsets: vec![0.0; if problem.design.has_offset() { problem.outputs() } else { 0 }],
            factors: Vec::new(),
        }
    }

    /// Nothing seen, and nothing to be seen of the columns.
    pub(crate) fn counts(problem: &Problem) -> Self {
        Survey::new(problem, &Coordinates::plain(0, true))
    }

    /// The counts of another survey with the columns of this one.
    pub(crate) fn with_counts(&self, counts: &Survey) -> Survey {
        Survey {
            columns: self.columns.clone(),
            places: self.places.clone(),
            cell_reach: self.cell_reach.clone(),
            origin: self.origin.clone(),
            class_sums: self.class_sums.clone(),
            class_marks: self.class_marks.clone(),
            offsets: self.offsets.clone(),
            ..counts.clone()
        }
    }

    /// Adds a block of finite rows.
    pub(crate) fn add(&mut self, block: &Block<'_>, grouped: bool) -> Result<()> {
        let outputs = self.class_weights.len() - 1;
        if grouped {
            for (share, &trials) in block.proportions.iter().zip(block.weights).filter(|(_, trials)| **trials > 0.0) {
                let successes = share * trials;
                self.log_coefficients += ln_gamma(trials + 1.0) - ln_gamma(successes + 1.0) - ln_gamma(trials - successes + 1.0);
            }
        }
        if let Some(labels) = LabelSums::of(block.proportions, block.weights).filter(|_| outputs == 1) {
            self.rows += labels.rows;
            self.squared_weight += labels.squared_weight;
            self.class_weights[0] += labels.weights[0];
            self.class_weights[1] += labels.weights[1];
        } else {
            self.add_shares(block, outputs);
        }
        for (offsets, weight) in block.offset.chunks_exact(outputs).zip(block.weights).filter(|(_, weight)| **weight > 0.0) {
            self.offsets.iter_mut().zip(offsets).for_each(|(sum, offset)| *sum += weight * offset);
        }
        let Some(first) = block.weights.iter().position(|w| *w > 0.0).filter(|_| !self.places.is_empty()) else { return Ok(()) };
        if self.origin.is_empty() {
            self.origin = (0..self.cell_reach.len()).map(|j| block.x.get(first, j)).collect();
        }
        let reach = &mut self.cell_reach;
        widest(
            #[inline(always)]
            || {
                for row in (0..block.weights.len()).filter_map(|i| block.x.row(i)) {
                    reach.iter_mut().zip(row).for_each(|(reach, x)| *reach = reach.max(x.abs()));
                }
            },
        );
        self.columns.add(block.x, block.marks, block.weights);
        self.factors.clear();
        match outputs {
            1 => self.factors.extend(block.proportions.iter().zip(block.weights).map(|(share, weight)| share * weight)),
            _ => {
                let rows = block.proportions.chunks_exact(outputs).zip(block.weights);
                self.factors.extend(rows.flat_map(|(shares, weight)| shares.iter().map(move |share| share * weight)));
            }
        }
        CrossSums::new(&self.origin).add(block.x, &self.factors, &mut self.class_sums, &mut vec![0.0; outputs]);
        block.marks.add_factors(&self.factors, outputs, &mut self.class_marks);
        Ok(())
    }

    /// Counts rows that have the proportion of every class.
    fn add_shares(&mut self, block: &Block<'_>, outputs: usize) {
        for (proportions, &weight) in block.proportions.chunks_exact(outputs).zip(block.weights) {
            if weight > 0.0 {
                self.rows += 1;
                self.squared_weight += weight * weight;
                let rest = 1.0 - proportions.iter().sum::<f64>();
                for (class, share) in self.class_weights.iter_mut().zip(std::iter::once(&rest).chain(proportions)) {
                    *class += weight * share;
                    if *share > 0.0 && *share < 1.0 {
                        self.saturated += weight * share * share.ln();
                    }
                }
            }
        }
    }

    /// Adds what another has seen.
    pub(crate) fn merge(&mut self, other: &Self) {
        if !other.origin.is_empty() {
            if self.origin.is_empty() {
                self.origin = other.origin.clone();
            }
            let columns = self.cell_reach.len();
            for (m, sums) in self.class_sums.chunks_exact_mut(columns.max(1)).enumerate() {
                let weight = other.class_weights[m + 1];
                for (j, sum) in sums.iter_mut().enumerate() {
                    *sum += other.class_sums[m * columns + j] + weight * (other.origin[j] - self.origin[j]);
                }
            }
        }
        self.rows += other.rows;
        self.gaps |= other.gaps;
        self.squared_weight += other.squared_weight;
        self.saturated += other.saturated;
        self.log_coefficients += other.log_coefficients;
        self.dropped.iter_mut().zip(&other.dropped).for_each(|(a, b)| *a += b);
        crate::stats::add(&mut self.class_weights, &other.class_weights);
        crate::stats::add(&mut self.class_marks, &other.class_marks);
        crate::stats::add(&mut self.offsets, &other.offsets);
        self.columns.merge(&other.columns);
        self.cell_reach.iter_mut().zip(&other.cell_reach).for_each(|(a, b)| *a = a.max(*b));
    }

    /// Columns that were summed.
    pub(crate) fn width(&self) -> usize {
        self.places.len()
    }

    /// Largest |x| of a column.
    pub(crate) fn max_abs_eta(&self, column: usize) -> f64 {
        match self.places[column] {
            Place::Cell(j) => self.cell_reach[j],
            mark => f64::from(u8::from(self.columns.mean(mark) > 0.0)),
        }
    }

    /// The mean of a column.
    pub(crate) fn mean(&self, column: usize) -> f64 {
        self.columns.mean(self.places[column])
    }

    /// Σ w (x_i − mean_i)(x_j − mean_j).
    pub(crate) fn product(&self, i: usize, j: usize) -> f64 {
        self.columns.product(self.places[i], self.places[j])
    }

    /// The standard deviation of a column over the rows whose columns were summed.
    pub(crate) fn spread(&self, column: usize) -> f64 {
        (self.product(column, column).max(0.0) / self.columns.weight).sqrt()
    }

    /// Σ w x_i x_j, about the means where there is an intercept.
    pub(crate) fn seen_product(&self, coordinates: &Coordinates, i: usize, j: usize) -> f64 {
        let about_means = self.product(i, j);
        if coordinates.intercept { about_means } else { about_means + self.weight() * self.mean(i) * self.mean(j) }
    }

    /// Total weight.
    pub(crate) fn weight(&self) -> f64 {
        self.class_weights.iter().sum()
    }

    /// Size in memory.
    pub(crate) fn bytes(&self) -> usize {
        self.columns.bytes() + 8 * (self.class_sums.len() + self.class_marks.len() + 4 * self.places.len())
    }

    /// The value of the objective, −log likelihood, of class proportions alone.
    pub(crate) fn null_loss(&self) -> f64 {
        let total = self.weight();
        -self.class_weights.iter().filter(|w| **w > 0.0).map(|w| w * (w / total).ln()).sum::<f64>()
    }

    /// The model without slopes: the class proportions, or with an offset about what makes up for it on average.
    pub(crate) fn null_start(&self, coordinates: &Coordinates, shape: Shape) -> Vec<f64> {
        let mut theta = vec![0.0; shape.len()];
        if coordinates.intercept && !self.offsets.is_empty() {
            for (m, offset) in self.offsets.iter().enumerate() {
                theta[m * shape.width] = (self.class_weights[m + 1] / self.class_weights[0]).ln() - offset / self.weight();
            }
        }
        theta
    }

    /// The linear discriminant of the kept columns as a starting point; the null model where it does not exist.
    /// Frames in place only: a turned coordinates starts from zero slopes.
    pub(crate) fn start(&self, coordinates: &Coordinates, shape: Shape) -> Vec<f64> {
        let mut theta = vec![0.0; shape.len()];
        let total = self.weight();
        let log_share = |k: usize| (self.class_weights[k] / total).ln();
        if coordinates.intercept {
            for m in 0..shape.outputs {
                theta[m * shape.width] = log_share(m + 1) - log_share(0);
            }
            if let Some((slopes, constants)) = self.discriminant(coordinates) {
                for m in 0..shape.outputs {
                    // Constants are those of centred columns; marked ones are not.
                    let uncentred = |(&j, slope): (&usize, &f64)| slope * coordinates.scale[j] * (self.mean(j) - coordinates.centre[j]);
                    theta[m * shape.width] += constants[m] - coordinates.kept.iter().zip(&slopes[m]).map(uncentred).sum::<f64>();
                    theta[m * shape.width + 1..][..coordinates.kept.len()].copy_from_slice(&slopes[m]);
                }
            }
        }
        theta
    }

    /// Slopes Σ⁻¹(μ_k − μ_0) and constants −½ (d_kᵀ Σ⁻¹ d_k − d_0ᵀ Σ⁻¹ d_0) with d_k = μ_k − centre, in the solver's columns.
    fn discriminant(&self, coordinates: &Coordinates) -> Option<(Vec<Vec<f64>>, Vec<f64>)> {
        let (columns, total, outputs) = (self.places.len(), self.weight(), self.class_weights.len() - 1);
        if coordinates.kept.is_empty() || !coordinates.in_place() || self.class_weights.iter().any(|w| *w <= 0.0) {
            return None;
        }
        // Class means minus the overall mean, the first class by difference.
        let mut means = vec![vec![0.0; columns]; outputs + 1];
        for (m, mean) in means[1..].iter_mut().enumerate() {
            for (j, mean) in mean.iter_mut().enumerate() {
                *mean = match self.places[j] {
                    Place::Cell(cell) => {
                        let sum = self.class_sums[m * self.cell_reach.len() + cell];
                        sum / self.class_weights[m + 1] + (self.origin[cell] - self.mean(j))
                    }
                    Place::Mark(mark) => self.class_marks[mark * outputs + m] / self.class_weights[m + 1] - self.mean(j),
                };
            }
        }
        means[0] = (0..columns)
            .map(|j| -(1..=outputs).map(|k| self.class_weights[k] * means[k][j]).sum::<f64>() / self.class_weights[0])
            .collect();
        let means: Vec<_> = means.iter().map(|mean| nalgebra::DVector::from_vec(coordinates.project(mean))).collect();
        let products = coordinates.kept_square(|i, j| self.product(i, j));
        let mut within: DMatrix<f64> = products.clone();
        for (mean, weight) in means.iter().zip(&self.class_weights) {
            within.ger(-weight, mean, mean, 1.0);
        }
        // Where a class is told apart without error the within-class products vanish; a floor keeps the start modest.
        for j in 0..within.nrows() {
            within[(j, j)] += 1e-3 * products[(j, j)];
        }
        let factor = cholesky(within / total)?;
        let solved: Vec<_> = means.iter().map(|mean| factor.solve(mean)).collect();
        // Classes far apart give probabilities that round to 0 and 1, where all second derivatives vanish.
        let distance = |k: usize| (&means[k] - &means[0]).dot(&(&solved[k] - &solved[0]));
        let furthest = (1..=outputs).map(distance).fold(0.0, f64::max);
        let modest = (FURTHEST_START / furthest).min(1.0);
        let slopes = (1..=outputs).map(|k| ((&solved[k] - &solved[0]) * modest).as_slice().to_vec()).collect();
        let constant = |k: usize| -0.5 * modest * means[k].dot(&solved[k]);
        Some((slopes, (1..=outputs).map(|k| constant(k) - constant(0)).collect()))
    }
}

/// Sums over rows of two classes whose proportions are labels, 0 or 1.
struct LabelSums {
    rows: u64,
    weights: [f64; 2],
    squared_weight: f64,
}

impl LabelSums {
    /// `None` when a share is no label. Eight sums run side by side, so that none waits for the one before.
    fn of(proportions: &[f64], weights: &[f64]) -> Option<Self> {
        let (eights, rest) = proportions.as_chunks::<8>();
        let (eight_weights, rest_weights) = weights.as_chunks::<8>();
        let mut sums = [[0.0; 8]; 4];
        let mut labels = true;
        widest(
            #[inline(always)]
            || {
                let mut add = |t: usize, share: f64, weight: f64| {
                    labels &= share == 0.0 || share == 1.0;
                    sums[0][t] += if weight > 0.0 { 1.0 } else { 0.0 };
                    sums[1][t] += weight * (1.0 - share);
                    sums[2][t] += weight * share;
                    sums[3][t] += weight * weight;
                };
                for (proportions, weights) in eights.iter().zip(eight_weights) {
                    (0..8).for_each(|t| add(t, proportions[t], weights[t]));
                }
                rest.iter().zip(rest_weights).enumerate().for_each(|(t, (share, weight))| add(t, *share, *weight));
            },
        );
        let [rows, others, events, squared_weight] = sums.map(|lanes| lanes.iter().sum::<f64>());
        labels.then_some(LabelSums { rows: rows as u64, weights: [others, events], squared_weight })
    }
}
