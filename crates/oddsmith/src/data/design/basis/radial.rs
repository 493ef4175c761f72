//! Radial functions: column c is exp(−½ Σ_d ((x_d − c_d)/w_d)²).
//!
//! Where centres are not given they are placed by k-means on a sample of the rows, in units of each coordinate's standard
//! deviation. It starts from cells that are split again and again, the widest first, at their mean: no random numbers, and
//! a row of weight 2 is the row twice. The width is then the mean distance between neighbouring centres, coordinate by
//! coordinate in the same units.

use super::super::point_sample::{PointSample, SamplePoint};
use super::poly::power_of_two_for;
use crate::num::kernel::exp_all;

/// Steps of k-means: the centres need to be where the data are, not the best ones possible.
const ROUNDS: usize = 25;

/// Centres and widths.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct Radial {
    /// Coordinates of each centre, one centre after another.
    centers: Vec<f64>,
    /// Width of each coordinate.
    widths: Vec<f64>,
}

impl Radial {
    /// Reads the parameters: the centres, then the widths.
    pub(super) fn new(coordinates: usize, count: usize, parameters: &[f64]) -> Result<Self, String> {
        // Fewer centres than asked for are placed when there are fewer different points.
        let placed = parameters.len().checked_sub(coordinates).ok_or("the centres are not known")?;
        if placed == 0 || placed % coordinates != 0 || placed / coordinates > count {
            return Err("the number of centres is wrong".into());
        }
        let (centers, widths) = parameters.split_at(placed);
        match widths.iter().all(|width| *width > 0.0) {
            true => Ok(Radial { centers: centers.to_vec(), widths: widths.to_vec() }),
            false => Err("a width is not above zero".into()),
        }
    }

    /// Number of columns.
    pub(super) fn width(&self) -> usize {
        self.centers.len() / self.widths.len()
    }

    /// Evaluates all columns one after another.
    pub(super) fn evaluate(&self, of: &[&[f64]], out: &mut [f64]) {
        let rows = of[0].len();
        out.fill(0.0);
        for (column, center) in out.chunks_exact_mut(rows).zip(self.centers.chunks_exact(self.widths.len())) {
            for ((x, c), width) in of.iter().zip(center).zip(&self.widths) {
                for (sum, x) in column.iter_mut().zip(*x) {
                    let distance = (x - c) / width;
                    *sum -= 0.5 * distance * distance;
                }
            }
            exp_all(column);
        }
    }
}

/// Given centres. Without a width it is the mean distance between neighbouring centres.
pub(super) fn given(coordinates: usize, centers: &[f64], width: Option<f64>) -> Result<Radial, String> {
    let width = match width {
        Some(width) => width,
        None => neighbour_distance(centers, coordinates).ok_or("a single centre needs a width")?,
    };
    Ok(Radial { centers: centers.to_vec(), widths: vec![width; coordinates] })
}

/// Centres where the data are, followed by the widths.
pub(super) fn placed(sample: &PointSample, count: usize, width: Option<f64>) -> Result<Vec<f64>, String> {
    let points = &sample.distinct()[..];
    let Some(first) = points.first() else { return Err("there is no row to place centres by".into()) };
    let coordinates = first.at.len();
    let all: Vec<usize> = (0..points.len()).collect();
    let mean = mean(points, &all);
    let scales = deviations(points, &mean);
    let scaled: Vec<SamplePoint> = points.iter().map(|point| point.scaled(&mean, &scales)).collect();
    let centers = k_means(&scaled, split_cells(&scaled, count));
    let unit = neighbour_distance(&centers, coordinates).unwrap_or(1.0);
    let back = centers.iter().enumerate().map(|(at, c)| mean[at % coordinates] + c * scales[at % coordinates]);
    let widths = scales.iter().map(|scale| width.unwrap_or(unit * scale));
    Ok(back.chain(widths).collect())
}

/// The standard deviation of every coordinate; 1 where there is none. Squares are taken in units of the widest value.
fn deviations(points: &[SamplePoint], mean: &[f64]) -> Vec<f64> {
    let widest = |d: usize| points.iter().map(|point| (point.at[d] - mean[d]).abs()).fold(0.0, f64::max);
    let units: Vec<f64> = (0..mean.len()).map(|d| 1.0 / power_of_two_for(widest(d))).collect();
    let in_units: Vec<SamplePoint> = points.iter().map(|point| point.scaled(mean, &units)).collect();
    let total: f64 = points.iter().map(|point| point.weight).sum();
    let all: Vec<usize> = (0..points.len()).collect();
    let squares = squares(&in_units, &all, &vec![0.0; mean.len()]);
    let deviation = |(square, unit): (&f64, &f64)| if *square > 0.0 { (square / total).sqrt() * unit } else { 1.0 };
    squares.iter().zip(&units).map(deviation).collect()
}

fn mean(points: &[SamplePoint], cell: &[usize]) -> Vec<f64> {
    let weight: f64 = cell.iter().map(|&i| points[i].weight).sum();
    let coordinate = |d: usize| cell.iter().map(|&i| points[i].at[d] * (points[i].weight / weight)).sum();
    (0..points[0].at.len()).map(coordinate).collect()
}

/// Weighted squared deviations from a point, by coordinate.
fn squares(points: &[SamplePoint], cell: &[usize], from: &[f64]) -> Vec<f64> {
    let square = |i: usize, d: usize| points[i].weight * (points[i].at[d] - from[d]).powi(2);
    (0..from.len()).map(|d| cell.iter().map(|&i| square(i, d)).sum()).collect()
}

/// Means of cells that were split at their mean along their widest coordinate, the cell with the widest one first.
fn split_cells(points: &[SamplePoint], count: usize) -> Vec<f64> {
    struct Cell {
        members: Vec<usize>,
        mean: Vec<f64>,
        widest: usize,
        square: f64,
    }
    let cell = |members: Vec<usize>| {
        let mean = mean(points, &members);
        let squares = squares(points, &members, &mean);
        let widest = (0..squares.len()).fold(0, |best, d| if squares[d] > squares[best] { d } else { best });
        Cell { members, square: squares[widest], mean, widest }
    };
    let mut cells = vec![cell((0..points.len()).collect())];
    while cells.len() < count {
        let at = (0..cells.len()).fold(0, |best, c| if cells[c].square > cells[best].square { c } else { best });
        let Cell { members, mean, widest, .. } = &cells[at];
        let (low, high): (Vec<usize>, Vec<usize>) = members.iter().partition(|&&i| points[i].at[*widest] <= mean[*widest]);
        if low.is_empty() || high.is_empty() {
            break;
        }
        cells[at] = cell(low);
        cells.push(cell(high));
    }
    cells.into_iter().flat_map(|cell| cell.mean).collect()
}

/// Moves every centre to the mean of the points that are nearest to it, again and again.
fn k_means(points: &[SamplePoint], mut centers: Vec<f64>) -> Vec<f64> {
    let coordinates = points[0].at.len();
    for _ in 0..ROUNDS {
        let mut sums = vec![0.0; centers.len()];
        let mut weights = vec![0.0; centers.len() / coordinates];
        for point in points {
            let (nearest, _) = nearest(&centers, coordinates, &point.at, usize::MAX);
            weights[nearest] += point.weight;
            let sum = &mut sums[nearest * coordinates..(nearest + 1) * coordinates];
            sum.iter_mut().zip(&point.at).for_each(|(sum, x)| *sum += point.weight * x);
        }
        let before = centers.clone();
        for (at, center) in centers.iter_mut().enumerate() {
            let weight = weights[at / coordinates];
            *center = if weight > 0.0 { sums[at] / weight } else { *center };
        }
        if before == centers {
            break;
        }
    }
    centers
}

/// The nearest centre but one, and its squared distance.
fn nearest(centers: &[f64], coordinates: usize, at: &[f64], except: usize) -> (usize, f64) {
    let square = |center: &[f64]| center.iter().zip(at).map(|(c, x)| (c - x).powi(2)).sum::<f64>();
    let candidates = centers.chunks_exact(coordinates).map(square).enumerate().filter(|(i, _)| *i != except);
    candidates.fold((0, f64::INFINITY), |best, (i, square)| if square < best.1 { (i, square) } else { best })
}

/// The mean distance from a centre to its nearest neighbour; none for a single one.
fn neighbour_distance(centers: &[f64], coordinates: usize) -> Option<f64> {
    let count = centers.len() / coordinates;
    let distance = |i: usize| nearest(centers, coordinates, &centers[i * coordinates..(i + 1) * coordinates], i).1.sqrt();
    let mean = (0..count).map(distance).sum::<f64>() / count as f64;
    (count > 1 && mean > 0.0 && mean.is_finite()).then_some(mean)
}
