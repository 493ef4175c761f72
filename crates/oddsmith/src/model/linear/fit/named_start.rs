//! A start that is given by the names of parameters: `age=0.1`, or `dog.age=0.1` where the class has to be said.

use crate::data::{Design, Layout};
use crate::error::{Error, Result};
use crate::model::linear::fit::block_reader::Problem;
use crate::model::linear::fit::coordinates::Coordinates;
use crate::model::linear::fit::eval_point::Shape;
use crate::model::linear::options::{Logistic, StartPoint};

/// What intercepts are called.
pub(in crate::model::linear) const INTERCEPT: &str = "(intercept)";
/// Names that a refusal lists at the most.
const MOST_LISTED: usize = 12;

/// Weights of every class, the first included.
pub(in crate::model::linear) struct NamedStart {
    /// Class after class: the intercept, then every column of the design.
    weights: Vec<f64>,
    width: usize,
    /// Whether the first class has a line of its own, too.
    pub(in crate::model::linear) every_class: bool,
}

impl NamedStart {
    fn of_class(&self, class: usize) -> &[f64] {
        &self.weights[class * self.width..(class + 1) * self.width]
    }

    /// The mean over all classes of the intercept (place 0), or of a column (its place plus one). Descents of all lines leave it as it is.
    pub(in crate::model::linear) fn mean(&self, place: usize) -> f64 {
        let classes = self.weights.len() / self.width;
        (0..classes).map(|class| self.of_class(class)[place]).sum::<f64>() / classes as f64
    }

    /// The log odds against the first class; words start at zero.
    fn against_first(&self, words: usize) -> StartPoint {
        let (first, classes) = (self.of_class(0), self.weights.len() / self.width);
        let mut start = StartPoint { intercepts: Vec::new(), coefficients: Vec::new() };
        for class in 1..classes {
            let mut odds = self.of_class(class).iter().zip(first).map(|(own, first)| own - first);
            start.intercepts.extend(odds.next());
            start.coefficients.extend(odds);
            start.coefficients.extend(std::iter::repeat_n(0.0, words));
        }
        start
    }
}

impl Logistic {
    /// The start that was given by names; what is not named is zero.
    pub(in crate::model::linear) fn named_start(&self, layout: &Layout, design: &Design) -> Result<Option<NamedStart>> {
        if self.start_at.is_empty() {
            return Ok(None);
        }
        let labels = layout.classes().labels();
        let names: Vec<&str> = std::iter::once(INTERCEPT).chain(design.columns().iter().map(|column| column.name.as_str())).collect();
        let first = usize::from(!design.intercept());
        let place = |text: &str| (first..names.len()).find(|&at| names[at] == text);
        let mut start = NamedStart { weights: vec![0.0; labels.len() * names.len()], width: names.len(), every_class: false };
        for (name, value) in &self.start_at {
            let alone = place(name).filter(|_| labels.len() == 2).map(|at| (1, at));
            let of_class = || {
                let own = |(class, label): (usize, &String)| Some((class, place(name.strip_prefix(label)?.strip_prefix('.')?)?));
                labels.iter().enumerate().find_map(own)
            };
            let Some((class, at)) = alone.or_else(of_class) else {
                let prefix = if labels.len() == 2 { String::new() } else { format!("{}.", labels[1]) };
                let mut known: Vec<String> = names[first..].iter().take(MOST_LISTED).map(|name| format!("`{prefix}{name}`")).collect();
                if names.len() - first > MOST_LISTED {
                    known.push("…".into());
                }
                return Err(Error::option("start", name, format!("parameters of this fit, such as {}", known.join(", "))));
            };
            start.weights[class * names.len() + at] = *value;
            start.every_class |= class == 0;
        }
        Ok(Some(start))
    }

    /// Where the search starts, in the solver's coordinates, if somebody has said so.
    pub(in crate::model::linear) fn given_start(
        &self,
        layout: &Layout,
        problem: &Problem,
        coordinates: &Coordinates,
        shape: Shape,
    ) -> Result<Option<Vec<f64>>> {
        let named = self.named_start(layout, &problem.design)?.map(|start| start.against_first(shape.words));
        Ok(named.as_ref().or(self.start.as_ref()).and_then(|start| coordinates.placed(start, shape)))
    }
}
