//! What a threshold does: rates over all thresholds, probabilities of both classes on its sides, and predictive values over prevalences.

use super::{Judged, percent};
use crate::eval::{Metric, Ranking, Roc, Tie};
use crate::picture::{Axis, AxisScale, Mark, Panel, Picture, Role};

/// Bars of a histogram of probabilities.
const BARS: usize = 25;

/// Rates at a threshold, from the rows.
struct Rates {
    sensitivity: f64,
    specificity: f64,
}

impl Rates {
    fn at(roc: &Roc, threshold: f64) -> Self {
        let point = roc.called_from(threshold);
        Rates { sensitivity: roc.sensitivity(point), specificity: roc.specificity(point) }
    }

    /// Predictive values of both calls where the event has a prevalence; NaN where no one is called so.
    fn predictive(&self, prevalence: f64) -> (f64, f64) {
        let [found, alarm] = [prevalence * self.sensitivity, (1.0 - prevalence) * (1.0 - self.specificity)];
        let [missed, spared] = [prevalence * (1.0 - self.sensitivity), (1.0 - prevalence) * self.specificity];
        (found / (found + alarm), spared / (spared + missed))
    }

    /// Of 1000 like these: with the event, called, called with it, missed.
    fn told(&self, prevalence: f64, predicate: &str, threshold: f64) -> String {
        let [found, alarm] =
            [prevalence * self.sensitivity, (1.0 - prevalence) * (1.0 - self.specificity)].map(|share| (1000.0 * share).round());
        let missed = (1000.0 * prevalence).round() - found;
        format!(
            "Of 1000 rows like these {:.0} {predicate}. Called from {} up: {:.0}, of which {found:.0} {predicate}; missed: {missed:.0}.",
            (1000.0 * prevalence).round(),
            percent(threshold),
            found + alarm
        )
    }
}

impl Judged<'_> {
    /// Sensitivity, specificity and predictive values over all thresholds.
    pub fn by_threshold(&self) -> Metric<Picture> {
        self.needs_probabilities()?;
        let roc = Roc::of(&self.shown(self.ranking()?))?;
        let prevalence = roc.events / (roc.events + roc.others);
        let cut = self.cut();
        let grid: Vec<(f64, Rates)> = (0..=200).map(|at| f64::from(at) / 200.0).map(|t| (t, Rates::at(&roc, t))).collect();
        let line = |role, name: &str, of: &dyn Fn(&Rates) -> f64| Mark::Line {
            role,
            name: name.into(),
            points: grid.iter().map(|(t, rates)| (*t, of(rates))).collect(),
        };
        let marks = vec![
            Mark::Rule { role: Role::Plain, upright: true, at: cut },
            line(Role::Event, "sensitivity", &|rates| rates.sensitivity),
            line(Role::Other, "specificity", &|rates| rates.specificity),
            line(Role::Third, "positive predictive value", &|rates| rates.predictive(prevalence).0),
            line(Role::Series(3), "negative predictive value", &|rates| rates.predictive(prevalence).1),
        ];
        let summary = Rates::at(&roc, cut).told(prevalence, &self.classes.predicate(1, self.target), cut) + &self.joined();
        let share = |label: &str| Axis { label: label.into(), scale: AxisScale::Proportion, ..Axis::default() };
        let panels = vec![Panel { x: share("Called from this probability up"), y: share("Share of rows"), marks }];
        Ok(Picture { name: "threshold".into(), title: "What a threshold does".into(), summary, panels })
    }

    /// Probabilities of events above the line and of others below it.
    pub fn spread(&self) -> Metric<Picture> {
        self.needs_probabilities()?;
        let ranking = self.shown(self.ranking()?);
        let labels = [0, 1].map(|k| self.class(k));
        let marks = vec![
            Mark::Blocks { role: Role::Event, name: labels[1].clone(), blocks: histogram(&ranking, |tie| tie.events, 1.0) },
            Mark::Blocks { role: Role::Other, name: labels[0].clone(), blocks: histogram(&ranking, |tie| tie.others, -1.0) },
            Mark::Rule { role: Role::Plain, upright: true, at: self.cut() }.moved_by("threshold"),
        ];
        let x = Axis { label: format!("Predicted probability of {}", labels[1]), scale: AxisScale::Proportion, ..Axis::default() };
        let y = Axis { label: "Rows".into(), mirrored: true, ..Axis::default() };
        let panels = vec![Panel { x, y, marks }];
        let summary =
            format!("Above the axis {}, below it {}; what lies right of the line is called.{}", labels[1], labels[0], self.joined());
        Ok(Picture { name: "spread".into(), title: "Probabilities by class".into(), summary, panels })
    }

    /// What a call means where the event is rarer or more common: predictive values over prevalences.
    pub fn prevalence(&self) -> Metric<Picture> {
        self.needs_probabilities()?;
        let roc = Roc::of(&self.shown(self.ranking()?))?;
        let (cut, own) = (self.cut(), roc.events / (roc.events + roc.others));
        let rates = Rates::at(&roc, cut);
        let grid: Vec<f64> = (-70..=70).map(|at| f64::from(at) / 10.0).map(|z: f64| 1.0 / (1.0 + (-z).exp())).collect();
        let line = |role, name: &str, of: &dyn Fn((f64, f64)) -> f64| Mark::Line {
            role,
            name: name.into(),
            points: grid.iter().map(|q| (*q, of(rates.predictive(*q)))).collect(),
        };
        let marks = vec![
            Mark::Rule { role: Role::Reference, upright: true, at: own },
            line(Role::Event, &format!("{} if called", self.event()), &|values| values.0),
            line(Role::Other, &format!("{} if not called", self.class(0)), &|values| values.1),
        ];
        let (positive, negative) = rates.predictive(own);
        let value = |share: f64| if share.is_nan() { "no one".to_owned() } else { percent(share) };
        let summary = format!(
            "Calls from {} up with sensitivity {} and specificity {}. Where {} of rows {}, as here, that holds for {} of those called, and not for {} of the others.{}",
            percent(cut),
            percent(rates.sensitivity),
            percent(rates.specificity),
            percent(own),
            self.classes.predicate(1, self.target),
            value(positive),
            value(negative),
            self.joined()
        );
        let x = Axis {
            label: format!("Share of {} in the population", self.event()),
            scale: AxisScale::Logit,
            range: Some((0.001, 0.999)),
            ..Axis::default()
        };
        let y = Axis { label: "Predictive value".into(), scale: AxisScale::Proportion, ..Axis::default() };
        Ok(Picture { name: "prevalence".into(), title: "What a call means elsewhere".into(), summary, panels: vec![Panel { x, y, marks }] })
    }
}

/// Blocks of a histogram over probabilities, up or down from 0.
pub(super) fn histogram(ranking: &Ranking, of: impl Fn(&Tie) -> f64, sign: f64) -> Vec<(f64, f64, f64, f64)> {
    let mut sums = [0.0; BARS];
    for tie in ranking.ties() {
        let p = ranking.scale().probability(tie.score);
        sums[((p * BARS as f64) as usize).min(BARS - 1)] += of(&tie);
    }
    let edge = |at: usize| at as f64 / BARS as f64;
    sums.iter().enumerate().filter(|(_, sum)| **sum > 0.0).map(|(at, sum)| (edge(at), edge(at + 1), 0.0, sign * sum)).collect()
}
