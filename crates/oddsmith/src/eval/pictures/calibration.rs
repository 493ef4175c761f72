//! Observed against predicted, without bins, over a histogram of the predicted probabilities.

use super::Judged;
use super::threshold::histogram;
use crate::eval::{CalibrationLine, Metric, Reliability};
use crate::picture::{Axis, AxisScale, Mark, Panel, Picture, Role, drawn_role};

/// Most steps of a curve that are drawn one by one.
const MOST_STEPS: usize = 300;

impl Judged<'_> {
    /// The reliability curve with its band; of more than two classes one curve each, without bands.
    pub fn calibration(&self) -> Metric<Picture> {
        self.needs_probabilities()?;
        let weighting = self.evaluation.settings().weighting;
        let mut marks = vec![Mark::Line { role: Role::Reference, name: "perfect".into(), points: vec![(0.0, 0.0), (1.0, 1.0)] }];
        let share = |label: String| Axis { label, scale: AxisScale::Proportion, ..Axis::default() };
        if self.classes.len() != 2 {
            let (drawn, rest) = self.drawn();
            for &k in &drawn {
                let Ok(curve) = Reliability::of(&self.shown(self.evaluation.kept.ranking(k)), weighting) else { continue };
                let name = self.class(k);
                marks.push(Mark::Line { role: drawn_role(k, &drawn, self.classes.len()), name, points: steps(&curve) });
            }
            let panels = vec![Panel { x: share("Predicted probability of a class".into()), y: share("Observed share".into()), marks }];
            let summary = "Observed share against predicted probability, without bins, of each class; above the line more rows have the class than predicted.";
            return Ok(Picture {
                name: "calibration".into(),
                title: "Calibration curve".into(),
                summary: format!("{summary}{rest}{}", self.joined()),
                panels,
            });
        }
        let ranking = self.ranking()?;
        let shown = self.shown(ranking.clone());
        let curve = Reliability::of(&shown, weighting)?;
        let band = drawn(&curve).flat_map(|step| [(step.range.0, step.band.0, step.band.1), (step.range.1, step.band.0, step.band.1)]);
        marks.push(Mark::Band { role: Role::Other, name: "95% band".into(), points: band.collect() });
        marks.push(Mark::Line { role: Role::Other, name: "model".into(), points: steps(&curve) });
        let line = CalibrationLine::of(&ranking, weighting);
        let slope = line.slope.map_or_else(
            |_| String::new(),
            |slope| {
                let between = slope.interval.map_or_else(String::new, |(low, high)| format!(", 95% interval {low:.2} to {high:.2}"));
                let told = format!(" Calibration slope {:.2}{between}: 1 is right, below 1 probabilities are too extreme.", slope.value);
                told.replace('-', "−")
            },
        );
        let summary = format!(
            "Observed share of {} against predicted probability, without bins; above the line more than predicted.{slope}{}",
            self.event(),
            self.joined()
        );
        let curve = Panel { x: share(String::new()), y: share("Observed share".into()), marks };
        let below = Panel {
            x: share(format!("Predicted probability of {}", self.event())),
            y: Axis { label: "Rows".into(), ..Axis::default() },
            marks: vec![Mark::Blocks { role: Role::Reference, name: String::new(), blocks: histogram(&shown, |tie| tie.weight(), 1.0) }],
        };
        Ok(Picture { name: "calibration".into(), title: "Calibration curve".into(), summary, panels: vec![curve, below] })
    }
}

/// Steps that can be told apart.
fn drawn(curve: &Reliability) -> impl Iterator<Item = &crate::eval::ReliabilityStep> {
    let every = curve.steps.len().div_ceil(MOST_STEPS).max(1);
    let last = curve.steps.len().saturating_sub(1);
    curve.steps.iter().enumerate().filter(move |(at, _)| at % every == 0 || *at == last).map(|(_, step)| step)
}

fn steps(curve: &Reliability) -> Vec<(f64, f64)> {
    drawn(curve).flat_map(|step| [(step.range.0, step.observed), (step.range.1, step.observed)]).collect()
}
