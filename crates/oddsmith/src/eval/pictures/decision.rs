//! The decision curve: what acting on the probabilities is worth.

use super::Judged;
use crate::eval::{Metric, net_benefit};
use crate::picture::{Axis, AxisScale, Mark, Panel, Picture, Role};

/// How far the axis reaches below zero at most, as a share of the base rate, which is the most that can be gained.
const LOWEST: f64 = -0.3;

impl Judged<'_> {
    /// Net benefit of acting on the model, on everyone and on no one.
    pub fn decision(&self) -> Metric<Picture> {
        self.needs_probabilities()?;
        let ranking = self.shown(self.ranking()?);
        let thresholds: Vec<f64> = (1..100).map(|percent| f64::from(percent) / 100.0).collect();
        let curve = net_benefit(&ranking, &thresholds)?;
        let rate = ranking.events_weight / ranking.weight();
        // Beyond some threshold nothing is left to gain, and the worst of acting on everyone would hide the rest.
        let last = curve.iter().rfind(|point| point.model.abs() > 0.002 * rate).map_or(0.5, |point| point.threshold);
        let end = (last + 0.05).clamp((2.0 * rate).min(0.9), 0.99).max(0.2);
        let lowest = curve.iter().filter(|point| point.threshold <= end).min_by(|a, b| a.model.total_cmp(&b.model));
        let least = lowest.map_or(0.0, |point| point.model.min(0.0));
        // How far below zero a model that is too sure falls says little: acting on it there is worse than acting on no one.
        let floor = (least * 1.1).clamp(LOWEST * rate, -0.12 * rate);
        let cut = match lowest.filter(|_| least < floor) {
            Some(point) => format!(
                " The line of the model leaves the picture below, where acting on it is worse than acting on no one: it falls to {:.2} below zero at {}.",
                -point.model,
                super::percent(point.threshold)
            ),
            None => String::new(),
        };
        let line = |role, name: &str, of: &dyn Fn(&crate::eval::NetBenefit) -> f64| Mark::Line {
            role,
            name: name.into(),
            points: curve.iter().map(|point| (point.threshold, of(point))).collect(),
        };
        let marks = vec![
            Mark::Line { role: Role::Reference, name: "act on no one".into(), points: vec![(0.0, 0.0), (1.0, 0.0)] },
            line(Role::Event, "on everyone", &|point| point.all).moved_by("all"),
            line(Role::Other, "on the model", &|point| point.model).moved_by("model"),
            Mark::Rule { role: Role::Plain, upright: true, at: self.cut() }.moved_by("threshold"),
        ];
        let best: Vec<f64> = curve.iter().filter(|point| point.model > point.all.max(0.0) + 1e-9).map(|point| point.threshold).collect();
        let where_best = match (best.first(), best.last()) {
            (Some(first), Some(last)) => {
                format!(
                    "It is above both others at {} of the thresholds, from {} to {}.",
                    super::percent(best.len() as f64 / 99.0),
                    super::percent(*first),
                    super::percent(*last)
                )
            }
            _ => "It is nowhere above both others.".into(),
        };
        let summary = format!(
            "Net benefit in events found per row, after false alarms are charged at the odds of the threshold. {where_best}{cut}{}",
            self.joined()
        );
        let x = Axis { label: "Threshold probability".into(), scale: AxisScale::Proportion, range: Some((0.0, end)), ..Axis::default() };
        let y = Axis { label: "Net benefit".into(), range: Some((floor, rate * 1.06)), ..Axis::default() };
        Ok(Picture { name: "decision".into(), title: "Decision curve".into(), summary, panels: vec![Panel { x, y, marks }] })
    }
}
