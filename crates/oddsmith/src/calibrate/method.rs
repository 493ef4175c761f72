//! How a calibration map is learned from held-out rows.
//!
//! Platt: a line on the log odds, with Platt's smoothed targets (E + 1)/(E + 2) and 1/(O + 2), which always has an estimate.
//! Beta: a line on log p and log(1 − p) with slopes that are not negative, on the same targets. Isotonic: the rising curve
//! nearest to the outcomes; its ends stay off 0 and 1 by half a row. Temperature: all scores divided by one T, by maximum
//! likelihood. With more than two classes the first three map each class against the rest, and the results are normalised.

use std::fmt;
use std::str::FromStr;

use super::curve::Curve;
use super::held_out::HeldOut;
use super::logit_line::{LogitLine, NoLine, Outcomes};
use super::map::CalibrationMap;
use super::newton::{Row, minimise};
use super::pav::pool;
use super::temperature;
use crate::error::{Advice, Error, ErrorKind, Result};
use crate::num::logspace::ln_1p_exp;

/// A kind of calibration map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// A line on the log odds.
    Platt,
    /// A rising curve without a form.
    Isotonic,
    /// One factor for all scores.
    Temperature,
    /// Two slopes and an intercept.
    Beta,
}

impl Method {
    /// All methods, in the order in which they are listed.
    pub const ALL: [Method; 4] = [Method::Platt, Method::Isotonic, Method::Temperature, Method::Beta];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Method::Platt => "platt",
            Method::Isotonic => "isotonic",
            Method::Temperature => "temperature",
            Method::Beta => "beta",
        }
    }

    /// Learns the map.
    pub fn fit(self, rows: &HeldOut<'_>) -> Result<CalibrationMap> {
        let classes = rows.classes;
        if rows.rows().next().is_none() {
            return Err(Error::data("there are no rows to calibrate with"));
        }
        if self == Method::Temperature {
            let slope = temperature::fit(rows).map_err(|why| no_estimate(&why))?;
            return Ok(CalibrationMap::Affine { slope, offsets: vec![0.0; classes] });
        }
        let curve = |k: usize| {
            let points = rows.outcomes(k);
            // Smoothed targets would hide it.
            if points.iter().all(|point| point.events == 0.0) || points.iter().all(|point| point.others == 0.0) {
                return Err(NoLine::OneClass);
            }
            match self {
                Method::Isotonic => isotonic(&points),
                Method::Beta => beta(&smoothed(&points)),
                _ => platt(&smoothed(&points)),
            }
        };
        match (classes, self) {
            (2, Method::Platt) => match curve(1).map_err(|why| no_estimate(&why))? {
                Curve::Line { intercept, slope } => Ok(CalibrationMap::Affine { slope, offsets: vec![0.0, intercept] }),
                other => Ok(CalibrationMap::Curves(vec![other])),
            },
            (2, _) => Ok(CalibrationMap::Curves(vec![curve(1).map_err(|why| no_estimate(&why))?])),
            _ => (0..classes).map(|k| curve(k).map_err(|why| no_estimate(&why))).collect::<Result<_>>().map(CalibrationMap::Curves),
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Method {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let found = Method::ALL.into_iter().find(|method| method.name() == text);
        found.ok_or_else(|| Error::option("method", text, "one of: platt isotonic temperature beta"))
    }
}

/// Why a map has no estimate, with advice.
fn no_estimate(why: &NoLine) -> Error {
    let advice = match why {
        NoLine::NotFinite => Advice::Set { option: "smoothing", value: "", to: "fit the model with a pseudo-count above 0" },
        NoLine::OneClass => "rows of every class are needed".into(),
        _ => "there is nothing to calibrate, or the rows are too few".into(),
    };
    ErrorKind::NoEstimate { what: format!("the calibration map has no estimate: {why}"), advice }.into()
}

/// Platt's targets: each class as if one more row of each kind had been seen, so that no slope is infinite.
fn smoothed(points: &[Outcomes]) -> Vec<Outcomes> {
    let (events, others) = points.iter().fold((0.0, 0.0), |(e, o), point| (e + point.events, o + point.others));
    let (high, low) = ((events + 1.0) / (events + 2.0), 1.0 / (others + 2.0));
    let soft = |point: &Outcomes| Outcomes {
        score: point.score,
        events: point.events * high + point.others * low,
        others: point.events * (1.0 - high) + point.others * (1.0 - low),
    };
    points.iter().map(soft).collect()
}

fn platt(points: &[Outcomes]) -> Result<Curve, NoLine> {
    let line = LogitLine::fit(points)?;
    match line.slope > 0.0 {
        true => Ok(Curve::Line { intercept: line.intercept, slope: line.slope }),
        false => Err(NoLine::Falling),
    }
}

fn beta(points: &[Outcomes]) -> Result<Curve, NoLine> {
    // The same checks as for a line: finite scores that differ.
    let line = LogitLine::fit(points)?;
    if line.slope <= 0.0 {
        return Err(NoLine::Falling);
    }
    let sides = |point: &Outcomes| (-ln_1p_exp(-point.score), ln_1p_exp(point.score));
    let row = |point: &Outcomes| {
        let (log_p, minus_log_q) = sides(point);
        Row { x: [1.0, log_p, minus_log_q], offset: 0.0, events: point.events, others: point.others }
    };
    let parameters = match minimise(points.iter().map(row), [line.intercept, line.slope, line.slope]) {
        Some(([c, a, b], _)) if a >= 0.0 && b >= 0.0 => [a, b, c],
        // A slope below zero would make the curve fall: the other one alone carries it.
        _ => {
            let one = |upper: bool| {
                let row = move |point: &Outcomes| {
                    let (log_p, minus_log_q) = sides(point);
                    Row { x: [1.0, if upper { minus_log_q } else { log_p }], offset: 0.0, events: point.events, others: point.others }
                };
                let loss = |[c, slope]: [f64; 2]| {
                    let each = points.iter().map(row).map(|r| {
                        let h = c + slope * r.x[1];
                        r.others * ln_1p_exp(h) + r.events * ln_1p_exp(-h)
                    });
                    each.sum::<f64>()
                };
                let ([c, slope], _) = minimise(points.iter().map(row), [line.intercept, line.slope])?;
                let parameters = if upper { [0.0, slope, c] } else { [slope, 0.0, c] };
                (slope > 0.0).then(|| (loss([c, slope]), parameters))
            };
            let better = [one(false), one(true)].into_iter().flatten().min_by(|a, b| a.0.total_cmp(&b.0));
            better.ok_or(NoLine::NoConvergence)?.1
        }
    };
    Ok(Curve::Beta { parameters })
}

fn isotonic(points: &[Outcomes]) -> Result<Curve, NoLine> {
    if points.iter().any(|point| !point.score.is_finite()) {
        return Err(NoLine::NotFinite);
    }
    let runs = pool(points.iter().map(|point| (point.events / (point.events + point.others), point.events + point.others)));
    let (mut at, mut probabilities) = (Vec::new(), Vec::new());
    for (place, run) in runs.iter().enumerate() {
        // Half a row keeps the ends from promising certainty, without overtaking their neighbours; it is at most one half.
        let edge = 0.5 / (run.weight + 1.0);
        let (below, above) = (place.checked_sub(1).map(|before| runs[before].mean), runs.get(place + 1).map(|after| after.mean));
        let p = match run.mean {
            0.0 => above.map_or(edge, |above| edge.min(above)),
            1.0 => below.map_or(1.0 - edge, |below| below.max(1.0 - edge)),
            mean => mean,
        };
        let last = run.first + run.len - 1;
        at.push(points[run.first].score);
        probabilities.push(p);
        if last > run.first {
            at.push(points[last].score);
            probabilities.push(p);
        }
    }
    Ok(Curve::Steps { at, probabilities })
}
