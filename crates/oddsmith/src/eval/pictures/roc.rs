//! The ROC curve with its band, and precision against recall.

use super::{Judged, thinned};
use crate::eval::{Auc, Estimate, Metric, Ranking, Roc, RocBand, average_precision, precision_recall};
use crate::picture::{Axis, AxisScale, Mark, Panel, Picture, Role, drawn_role};

/// Classes whose areas are told with intervals.
const FEW_CLASSES: usize = 3;

fn share(label: &str) -> Axis {
    Axis { label: label.into(), scale: AxisScale::Proportion, ..Axis::default() }
}

fn square(x: &str, y: &str, marks: Vec<Mark>) -> Vec<Panel> {
    vec![Panel { x: share(x), y: share(y), marks }]
}

/// An area in words.
fn area(estimate: &Estimate) -> String {
    let between = estimate.interval.map_or_else(String::new, |(low, high)| format!(" (95% interval {low:.3} to {high:.3})"));
    format!("{:.3}{between}", estimate.value)
}

impl Judged<'_> {
    /// Sensitivity against the rate of false alarms; of more than two classes each against the rest.
    pub fn roc(&self) -> Metric<Picture> {
        let chance = Mark::Line { role: Role::Reference, name: "chance".into(), points: vec![(0.0, 0.0), (1.0, 1.0)] };
        let mut marks = vec![chance];
        let summary = match self.ranking() {
            Ok(ranking) => self.one_curve(ranking, &mut marks)?,
            Err(_) => {
                self.needs_probabilities()?;
                self.curve_per_class(&mut marks)?
            }
        };
        let panels = square("False-positive rate (1 − specificity)", "Sensitivity", marks);
        let summary = format!("{summary}{}", self.joined());
        Ok(Picture { name: "roc".into(), title: "ROC curve".into(), summary, panels })
    }

    fn one_curve(&self, ranking: Ranking, marks: &mut Vec<Mark>) -> Metric<String> {
        let weighting = self.evaluation.settings().weighting;
        let auc = Auc::of(&ranking, weighting)?;
        let ranking = self.shown(ranking);
        let roc = Roc::of(&ranking)?;
        marks.push(Mark::Band { role: Role::Other, name: "95% band".into(), points: RocBand::of(&ranking, weighting)?.points });
        marks.push(Mark::Line { role: Role::Other, name: "model".into(), points: curve(&roc) });
        if !self.evaluation.settings().margins {
            let cut = self.cut();
            let at = roc.called_from(cut);
            let place = (1.0 - roc.specificity(at), roc.sensitivity(at));
            let name = format!("called from {}", super::percent(cut));
            marks.push(Mark::Points { role: Role::Plain, name, points: vec![place] }.moved_by("threshold"));
        }
        let sure = "The band holds 95% of the time at each rate of false alarms by itself";
        Ok(format!("Area under the curve {}. {sure}.", area(&auc.estimate())))
    }

    fn curve_per_class(&self, marks: &mut Vec<Mark>) -> Metric<String> {
        let mut told = Vec::new();
        let (drawn, rest) = self.drawn();
        for &k in &drawn {
            let ranking = self.evaluation.kept.ranking(k);
            let Ok(auc) = Auc::of(&ranking, self.evaluation.settings().weighting) else { continue };
            let Ok(roc) = Roc::of(&self.shown(ranking)) else { continue };
            let name = self.class(k);
            // Intervals of many classes would be a table.
            let estimate = auc.estimate();
            told.push(if drawn.len() > FEW_CLASSES {
                format!("{name} {:.3}", estimate.value)
            } else {
                format!("{name} {}", area(&estimate))
            });
            marks.push(Mark::Line { role: drawn_role(k, &drawn, self.classes.len()), name, points: curve(&roc) });
        }
        match told.is_empty() {
            true => Err(crate::eval::Undefined::one_class()),
            false => Ok(format!("Each class against the rest; areas under the curves: {}.{rest}", told.join("; "))),
        }
    }

    /// Precision against recall; of more than two classes each against the rest.
    pub fn precision_recall(&self) -> Metric<Picture> {
        let mut marks = Vec::new();
        let mut told = Vec::new();
        let two = self.classes.len() == 2;
        if !two {
            self.needs_probabilities()?;
        }
        let (drawn, rest) = self.drawn();
        let drawn = if two { vec![1] } else { drawn };
        for &k in &drawn {
            let ranking = self.evaluation.kept.ranking(k);
            let Ok(mean) = average_precision(&ranking) else { continue };
            let ranking = self.shown(ranking);
            let Ok(points) = precision_recall(&ranking) else { continue };
            let name = if two { "model".into() } else { self.class(k) };
            told.push(if two { format!("{mean:.3}") } else { format!("{name} {mean:.3}") });
            if two {
                marks.push(Mark::Rule { role: Role::Reference, upright: false, at: ranking.events_weight / ranking.weight() });
            }
            // Steps whose area is the average precision: straight lines between points would promise calls that no threshold makes.
            let mut steps: Vec<(f64, f64)> = Vec::new();
            for point in &points {
                let from = steps.last().map_or(0.0, |(recall, _)| *recall);
                steps.extend([(from, point.precision), (point.recall, point.precision)]);
            }
            let role = if two { Role::Other } else { drawn_role(k, &drawn, self.classes.len()) };
            marks.push(Mark::Line { role, name, points: thinned(steps) });
        }
        if told.is_empty() {
            return Err("no row has the event".into());
        }
        let base = if two { "; the line is the rate of events, which calling rows at random reaches" } else { "" };
        let summary = format!("Average precision {}{base}.{rest}{}", told.join("; "), self.joined());
        let panels = square("Recall (sensitivity)", "Precision (positive predictive value)", marks);
        Ok(Picture { name: "precision-recall".into(), title: "Precision and recall".into(), summary, panels })
    }
}

fn curve(roc: &Roc) -> Vec<(f64, f64)> {
    thinned(roc.points.iter().map(|point| (1.0 - roc.specificity(point), roc.sensitivity(point))))
}
