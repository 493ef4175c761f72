//! k nearest neighbours as a learner: one pass keeps the rows, and nothing is estimated but units of columns and k.

use std::sync::Arc;

use super::kept_rows::KeptRows;
use super::leave_one_out;
use super::model::{Account, KnnModel};
use super::points::Points;
use super::votes::{Rule, Ties, Votes};
use crate::data::Layout;
use crate::error::{Error, Result};
use crate::model::params::Params;
use crate::model::{Learner, PassInfo, Step, Takes, Text, check_classes};
use crate::notice::{self, Notice};
use crate::stats::{ClassWeights, check_size, power_near};

pub(super) const NAME: &str = "knn";
pub(super) const TAKES: Takes = Takes { text: Text::No, ..Takes::ALL };
/// Largest k that is tried unless told otherwise.
const MOST_K: usize = 50;
/// Variation of a column below this share of its size is rounding.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Units of number columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Standard {
    /// Their standard deviation.
    #[default]
    Deviation,
    /// As they are.
    None,
}

impl Standard {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Standard::Deviation => "deviation",
            Standard::None => "none",
        }
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        [Standard::Deviation, Standard::None].into_iter().find(|standard| standard.name() == name)
    }
}

/// Its options.
#[derive(Debug, Clone, PartialEq)]
pub struct Knn {
    /// Number of neighbours; chosen by leaving rows out one by one unless it is given.
    pub k: Option<u64>,
    /// Largest number that is tried; default 50.
    pub most_k: usize,
    /// What a vote counts.
    pub votes: Votes,
    /// Votes that every class has beforehand; default 1.
    pub alpha: f64,
    /// Who gets the last votes.
    pub ties: Ties,
    /// Units of number columns.
    pub standard: Standard,
}

impl Default for Knn {
    fn default() -> Self {
        Knn { k: None, most_k: MOST_K, votes: Votes::default(), alpha: 1.0, ties: Ties::default(), standard: Standard::default() }
    }
}

impl Knn {
    /// The learner with the options that were given.
    pub fn from_params(params: &Params) -> Result<Self> {
        Ok(Knn {
            k: params.whole("k"),
            most_k: params.whole("most-k").and_then(|k| usize::try_from(k).ok()).unwrap_or(MOST_K),
            votes: params.text("vote").and_then(Votes::named).unwrap_or_default(),
            alpha: params.number("alpha").unwrap_or(1.0),
            ties: params.text("ties").and_then(Ties::named).unwrap_or_default(),
            standard: params.text("standardize").and_then(Standard::named).unwrap_or_default(),
        })
    }
}

impl Learner for Knn {
    type Stats = KeptRows;
    type Model = KnnModel;

    fn begin(&self, layout: &Arc<Layout>, _pass: &PassInfo) -> Result<KeptRows> {
        TAKES.check(NAME, layout)?;
        Ok(KeptRows::new(layout))
    }

    fn finish(&self, rows: &KeptRows) -> Result<Step<KeptRows, KnnModel>> {
        let mut classes = ClassWeights::new(rows.layout().classes().len());
        classes.observe(&rows.labels, Some(&rows.weights))?;
        check_classes(rows.layout(), &classes)?;
        if rows.rows() > u32::MAX as usize {
            return Err(Error::data("there are more rows than neighbours can be looked for among"));
        }
        let rows = &rows.in_order_of_cells();
        let mut notices = Vec::new();
        let units = self.units(rows, &mut notices)?;
        let points = Points::new(rows.clone(), units);
        let rule = Rule { votes: self.votes, ties: self.ties, alpha: self.alpha };
        let total = points.total();
        if let Some(k) = self.k.filter(|k| *k as f64 > total) {
            return Err(Error::option("k", k, format!("a whole number from 1 to {total}, the rows with a class")));
        }
        let (k, losses) = match self.k {
            Some(k) => (k, Vec::new()),
            None => {
                let most = self.most_k.min((total - 1.0) as usize).max(1);
                let losses = leave_one_out::losses(&points, &rule, most);
                (leave_one_out::best(&losses) as u64, losses)
            }
        };
        notices.push(held_rows(rows));
        let account = Account {
            k,
            votes: self.votes.name().into(),
            alpha: self.alpha,
            ties: self.ties.name().into(),
            standard: self.standard.name().into(),
            notices,
        };
        Ok(Step::Done(KnnModel::new(points, classes, rule, losses, account)))
    }
}

fn held_rows(rows: &KeptRows) -> Notice {
    let text = format!(
        "the model holds all {} that it was fitted to, cell by cell, and so does its file",
        notice::counted(rows.rows() as u64, "row")
    );
    Notice::new(notice::HOLDS_ROWS, text)
}

impl Knn {
    /// One over the unit of every number column; 0 where it does not vary.
    fn units(&self, rows: &KeptRows, notices: &mut Vec<Notice>) -> Result<Vec<f64>> {
        let (layout, width) = (rows.layout(), rows.layout().numbers().len());
        let mut units = Vec::with_capacity(width);
        for j in 0..width {
            let cells = || rows.numbers.iter().skip(j).step_by(width).zip(&rows.weights).filter(|(x, _)| !x.is_nan());
            let first = cells().next().map_or(0.0, |(x, _)| *x);
            // About the first value, so that a large offset costs no digits.
            let weight: f64 = cells().map(|(_, w)| w).sum();
            let size = cells().map(|(x, _)| x.abs()).fold(0.0, f64::max);
            check_size(&layout.features()[layout.numbers()[j]].name, size)?;
            // In units in which no square leaves the range of numbers; a power of two changes no digit.
            let unit = power_near(size);
            let from_first = |x: &f64| (x - first) * unit;
            let mean = cells().map(|(x, w)| w * from_first(x)).sum::<f64>() / weight;
            let deviation = (cells().map(|(x, w)| w * (from_first(x) - mean).powi(2)).sum::<f64>() / weight).sqrt() / unit;
            let varies = deviation > ROUNDING * size;
            if !varies {
                let text = match cells().next() {
                    Some(_) => format!("is {first} in every row; it says nothing about the class and was left out"),
                    None => "has no value in any row and was left out".into(),
                };
                notices.push(Notice::new(notice::CONSTANT_COLUMN, text).column(&layout.features()[layout.numbers()[j]].name));
            }
            units.push(match (varies, self.standard) {
                (false, _) => 0.0,
                (true, Standard::Deviation) => deviation.recip(),
                (true, Standard::None) => 1.0,
            });
        }
        Ok(units)
    }
}
