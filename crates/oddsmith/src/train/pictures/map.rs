//! Two columns and what a model says of every pair of their values: probabilities, the boundary, the rows, and for models of rows and classes together
//! the smallest region that holds half of each class.
//!
//! Other columns are unknown where the model can leave them open (their values are integrated out exactly), else typical. One score per point of a grid.

use super::probe::{ProbeRows, number_place};
use super::row_digest::RowDigest;
use crate::error::{DataFault, Error, Result, visible};
use crate::model::{Classifier, Predictions, Predictor, Scale};
use crate::picture::{Axis, Mark, Panel, Picture, Role, drawn_classes, drawn_role};

/// Points of the grid along a column.
const GRID: usize = 56;
/// Logarithms beyond this are those of numbers that vanish.
const MOST_LOG: f64 = 745.0;
/// Most rows that are drawn.
const MOST_ROWS: usize = 264;
/// How far below its largest value a log density may lie and still count towards its mass: what is left out is less than a hundred thousandth.
const FAINT: f64 = 12.0;

/// The two number columns that a map is drawn over: those asked for, or the first two.
pub fn map_columns(model: &dyn Classifier, asked: &[String]) -> Result<[usize; 2]> {
    let layout = model.layout();
    let names = || layout.numbers().iter().map(|j| visible(&layout.features()[*j].name)).collect::<Vec<_>>().join(", ");
    let chosen: Vec<usize> = match asked {
        [] => layout.numbers().iter().copied().take(2).collect(),
        asked => asked.iter().map(|name| layout.index(name)).collect::<Result<_>>()?,
    };
    if let Some(j) = chosen.iter().find(|j| number_place(layout, **j).is_none()) {
        let fault = DataFault::new("is no number column").column(&layout.features()[*j].name);
        return Err(fault.accepted(format!("a map is drawn over two number columns of: {}", names())).into());
    }
    match chosen[..] {
        [a, b] if a != b => Ok([a, b]),
        _ => Err(Error::data(format!(
            "a map is drawn over two number columns, and the model has: {}",
            if names().is_empty() { "none".into() } else { names() }
        ))),
    }
}

/// The grid and what a model says on it.
struct Grid {
    x: Vec<f64>,
    y: Vec<f64>,
    predictions: Predictions,
    margins: bool,
}

impl Grid {
    /// The class of the largest score, point by point.
    fn tops(&self) -> Vec<usize> {
        let first = |row: &[f64]| (0..row.len()).fold(0, |best, k| if row[k] > row[best] { k } else { best });
        (0..self.x.len() * self.y.len()).map(|i| first(self.predictions.scores().row(i))).collect()
    }

    /// How far class `k` is ahead of its rivals, point by point, given the [tops](Self::tops). Where it leads, its rivals are the classes that lead at
    /// the points beside: both sides of a boundary then look at the same two classes, and find it in the same place.
    fn lead(&self, k: usize, tops: &[usize]) -> Vec<f64> {
        let (scores, width) = (self.predictions.scores(), self.x.len());
        let ahead = |i: usize| {
            let (row, column) = (scores.row(i), i % width);
            let best =
                |rivals: &mut dyn Iterator<Item = usize>| rivals.filter(|rival| *rival != k).map(|rival| row[rival]).reduce(f64::max);
            let beside = [(column > 0).then(|| i - 1), (column + 1 < width).then_some(i + 1), i.checked_sub(width), Some(i + width)];
            let nearby = match tops[i] == k {
                true => best(&mut beside.into_iter().flatten().filter_map(|at| tops.get(at).copied())),
                false => Some(row[tops[i]]),
            };
            let ahead = row[k] - nearby.or_else(|| best(&mut (0..row.len()))).unwrap_or(f64::NEG_INFINITY);
            if ahead.is_nan() { f64::NAN } else { ahead.clamp(-1e9, 1e9) }
        };
        (0..tops.len()).map(ahead).collect()
    }

    fn probability(&self, k: usize) -> Vec<f64> {
        (0..self.x.len() * self.y.len()).map(|i| self.predictions.row(i)[k]).collect()
    }

    /// Log odds of the second of two classes. Between the points of a grid they are as straight as the model, and probabilities are not: a steep
    /// boundary would zigzag from point to point.
    fn log_odds(&self) -> Vec<f64> {
        let of = |i: usize| {
            let row = self.predictions.row(i);
            let odds = row[1].ln() - row[0].ln();
            if odds.is_nan() { f64::NAN } else { odds.clamp(-MOST_LOG, MOST_LOG) }
        };
        (0..self.x.len() * self.y.len()).map(of).collect()
    }

    /// log p(x, k).
    fn log_density(&self, k: usize) -> Vec<f64> {
        (0..self.x.len() * self.y.len()).map(|i| self.predictions.scores().row(i)[k]).collect()
    }

    /// The ends of a grid around the points whose values are above a level, a point further on every side.
    fn around(&self, values: &[f64], level: f64) -> [(f64, f64); 2] {
        let inside: Vec<usize> = (0..values.len()).filter(|i| values[*i] > level).collect();
        let ends = |grid: &[f64], place: fn(usize, usize) -> usize| {
            let places = || inside.iter().map(|i| place(*i, self.x.len()));
            let (first, last) = (places().min().unwrap_or(0), places().max().unwrap_or(grid.len()));
            (grid[first.saturating_sub(1)], grid[(last + 1).min(grid.len() - 1)])
        };
        [ends(&self.x, |i, width| i % width), ends(&self.y, |i, width| i / width)]
    }
}

/// A model seen along two number columns, given by their places.
struct View<'a> {
    model: &'a dyn Classifier,
    digest: &'a RowDigest,
    places: [usize; 2],
}

impl View<'_> {
    /// What the model says on a grid between ends of both columns.
    fn grid(&self, ends: [(f64, f64); 2]) -> Result<Grid> {
        let [x, y] = ends.map(|(from, to)| (0..GRID).map(|i| from + (to - from) * i as f64 / (GRID - 1) as f64).collect::<Vec<f64>>());
        let mut rows = ProbeRows::new(self.model, self.digest);
        y.iter().for_each(|v| x.iter().for_each(|u| rows.push(&[(self.places[0], *u), (self.places[1], *v)], &[])));
        let mut predictions = Predictions::new();
        rows.with(|features| Predictor::new(self.model).ordered(features, &mut predictions))?;
        Ok(Grid { x, y, predictions, margins: self.model.scale() == Scale::Margin })
    }

    /// The ring that holds half of a class within a grid. It has a finer one of its own, because it is small beside the whole of it.
    fn ring(&self, whole: &Grid, k: usize, role: Role) -> Result<Mark> {
        let density = whole.log_density(k);
        let most = density.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let class = self.grid(whole.around(&density, most - FAINT))?;
        let density = class.log_density(k);
        let level = half_level(&density);
        let near = self.grid(class.around(&density, level))?;
        let above = near.log_density(k).into_iter().map(|score| (score - level).clamp(-MOST_LOG, MOST_LOG)).collect();
        Ok(contour(&near, role, String::new(), String::new(), above, 0.0))
    }
}

/// Probabilities over two number columns of a model, given as features.
pub fn map(model: &dyn Classifier, digest: &RowDigest, [a, b]: [usize; 2]) -> Result<Picture> {
    let layout = model.layout();
    let (Some(at), Some(bt)) = (number_place(layout, a), number_place(layout, b)) else {
        return Err(Error::internal("a map is drawn over number columns"));
    };
    let ends = |at: usize| {
        let (low, high) = digest.range(at).unwrap_or((0.0, 1.0));
        let spare = 0.04 * (high - low);
        (low - spare, high + spare)
    };
    let view = View { model, digest, places: [at, bt] };
    let grid = view.grid([ends(at), ends(bt)])?;
    let classes = layout.classes();
    let drawn = drawn_classes(&digest.class_weights);
    let role = |k: usize| drawn_role(k, &drawn, classes.len());
    let mut marks = ground(&grid, classes.len(), &role);
    if model.scale() == Scale::LogJoint {
        for &k in &drawn {
            marks.push(view.ring(&grid, k, role(k))?);
        }
    }
    for &k in &drawn {
        let seen = digest.rows().into_iter().filter(|row| row.label as usize == k).take(MOST_ROWS / classes.len());
        let points: Vec<(f64, f64)> = seen.map(|row| (row.numbers[at], row.numbers[bt])).collect();
        marks.push(Mark::Points { role: role(k), name: classes.named(k, layout.target()), points });
    }
    let names = [a, b].map(|j| visible(&layout.features()[j].name));
    let ends = |grid: &[f64]| Some((grid[0], grid[grid.len() - 1]));
    let x = Axis { label: names[0].clone(), range: ends(&grid.x), ..Axis::default() };
    let y = Axis { label: names[1].clone(), range: ends(&grid.y), ..Axis::default() };
    let summary = told(model, &grid, &names);
    let what = if classes.len() == 2 && !grid.margins { "Probability" } else { "Class" };
    let title = format!("{what} by {} and {}", names[0], names[1]);
    Ok(Picture { name: "boundary".into(), title, summary, panels: vec![Panel { x, y, marks }] })
}

fn contour(grid: &Grid, role: Role, name: String, text: String, values: Vec<f64>, level: f64) -> Mark {
    Mark::Contour { role, name, text, x: grid.x.clone(), y: grid.y.clone(), values, level }
}

/// Colours of probabilities with two classes; of several, and of margins, the class that is called and the boundaries.
fn ground(grid: &Grid, classes: usize, role: &dyn Fn(usize) -> Role) -> Vec<Mark> {
    if classes == 2 && !grid.margins {
        let log_odds = grid.log_odds();
        let lines = [0.1, 0.25, 0.5, 0.75, 0.9].map(|p: f64| {
            let role = if p == 0.5 { Role::Plain } else { Role::Reference };
            contour(grid, role, String::new(), format!("{:.0}%", 100.0 * p), log_odds.clone(), (p / (1.0 - p)).ln())
        });
        return std::iter::once(Mark::Surface { x: grid.x.clone(), y: grid.y.clone(), values: grid.probability(1) }).chain(lines).collect();
    }
    let tops = grid.tops();
    let leads: Vec<Vec<f64>> = (0..classes).map(|k| grid.lead(k, &tops)).collect();
    let region = |(k, values): (usize, &Vec<f64>)| Mark::Region {
        role: role(k),
        name: String::new(),
        x: grid.x.clone(),
        y: grid.y.clone(),
        values: values.clone(),
        level: 0.0,
    };
    let mut marks: Vec<Mark> = leads.iter().enumerate().map(region).collect();
    marks.extend(leads.into_iter().map(|lead| contour(grid, Role::Plain, String::new(), String::new(), lead, 0.0)));
    marks
}

/// The level of log densities above which half of the mass on the grid lies.
fn half_level(values: &[f64]) -> f64 {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let mass = |value: &f64| (value - sorted[0]).exp();
    let half = 0.5 * sorted.iter().map(mass).sum::<f64>();
    let mut sum = 0.0;
    for value in &sorted {
        sum += mass(value);
        if sum >= half {
            return *value;
        }
    }
    f64::NAN
}

fn told(model: &dyn Classifier, grid: &Grid, names: &[String; 2]) -> String {
    let classes = model.layout().classes();
    let others = model.layout().features().len() - 2;
    let rest = match (others, model.scale()) {
        (0, _) => "",
        (_, Scale::LogJoint) => " Other columns are left open.",
        _ => " Other columns are at their mean or their most frequent level.",
    };
    let shown = match (classes.len(), grid.margins) {
        (2, false) => {
            let sides = grid.probability(1).into_iter().filter(|p| !p.is_nan());
            let ends = sides.fold((1.0, 0.0), |(low, high): (f64, f64), p| (low.min(p), high.max(p)));
            let never = match ends {
                (_, high) if high < 0.5 => " No place reaches 50%.",
                (low, _) if low > 0.5 => " No place is below 50%.",
                _ => "",
            };
            format!(
                "Colours and lines are the probability of {} by {} and {}.{never}",
                classes.named(1, model.layout().target()),
                names[0],
                names[1]
            )
        }
        (_, true) => {
            format!("Colours are the class that is called by {} and {}; scores are margins and no probabilities.", names[0], names[1])
        }
        _ => format!("Colours are the most probable class by {} and {}.", names[0], names[1]),
    };
    let half = if model.scale() == Scale::LogJoint { " Rings hold half of each class under the model, of what is seen here." } else { "" };
    format!("{shown}{half}{rest}")
}
