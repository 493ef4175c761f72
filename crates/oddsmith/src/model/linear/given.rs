//! A regression that was put together field by field, as the options that give the same one.

use super::one_vs_rest::OneVsRest;
use super::options::{ClassWeighting, Intervals, Logistic};
use super::params;
use crate::error::{ErrorKind, Result};
use crate::model::linear::fit::descent::Solver;
use crate::model::linear::infer::sandwich::Robust;
use crate::model::params::{Params, quoted};

/// The names of the two entries; the first is that of all classes at once.
pub(super) const NAMES: [&str; 2] = ["logistic", "one-vs-rest"];

impl Logistic {
    /// The options and the formula that give this regression. A start point, an unfinished search and sampling belong to one
    /// program and its rows: they are no options, and a regression that has a start point or ends unfinished is refused.
    pub fn params(&self) -> Result<Params> {
        written(self, Params::new(NAMES[0], params::LOGISTIC))
    }
}

impl OneVsRest {
    /// The options and the formula that give these regressions.
    pub fn params(&self) -> Result<Params> {
        // They are never tested term by term, and have no option that says so.
        written(&Logistic { tests: true, ..self.each.clone() }, Params::new(NAMES[1], params::ONE_VS_REST))
    }
}

fn written(regression: &Logistic, mut params: Params) -> Result<Params> {
    if regression.start.is_some() || regression.unfinished.is_some() {
        let (model, what) = (params.model().to_owned(), "be written as options with a start point or an unfinished search".to_owned());
        return Err(ErrorKind::Unsupported { model, what, advice: "leave them out".into() }.into());
    }
    let default = Logistic::default();
    let mut options: Vec<(&str, String)> = Vec::new();
    let mut add = |name: &'static str, differs: bool, text: String| options.extend(differs.then_some((name, text)));
    add("l2", regression.l2 != default.l2, regression.l2.to_string());
    add("l1", regression.l1 != default.l1, regression.l1.to_string());
    add("prior-sd", regression.prior_sd.is_some(), regression.prior_sd.unwrap_or_default().to_string());
    add("intercept-sd", regression.intercept_sd.is_some(), regression.intercept_sd.unwrap_or_default().to_string());
    add("firth", regression.firth, "true".into());
    add("on-separation", regression.on_separation != default.on_separation, regression.on_separation.name().into());
    // What suits the rest of the options may be another kind: it is always said.
    add("ci", true, intervals(regression.precision).into());
    add("level", regression.level != default.level, regression.level.to_string());
    add("robust", regression.robust.is_some(), regression.robust.map_or("", robust).into());
    add("cluster", regression.cluster.is_some(), regression.cluster.clone().unwrap_or_default());
    add("offset", regression.offset.is_some(), regression.offset.clone().unwrap_or_default());
    add("missing", regression.options.missing != default.options.missing, regression.options.missing.to_string());
    add("contrast", regression.options.contrast != default.options.contrast, regression.options.contrast.name().into());
    add("class-weight", regression.class_weights != ClassWeighting::None, class_weights(&regression.class_weights));
    add("keep-class-weights", regression.keep_class_weights, "true".into());
    let proportions = regression.class_proportions.iter().flatten().map(|column| quoted(column)).collect::<Vec<_>>();
    add("class-proportions", regression.class_proportions.is_some(), proportions.join(","));
    add("no-tests", !regression.tests, "true".into());
    add("tolerance", regression.tolerance.is_some(), regression.tolerance.unwrap_or_default().to_string());
    add("max-steps", regression.most_steps.is_some(), regression.most_steps.unwrap_or_default().to_string());
    options.extend(regression.units.iter().map(|(column, size)| ("unit", quoted(&format!("{column}={size}")))));
    options.extend(regression.options.references.iter().map(|(column, level)| ("ref", quoted(&format!("{column}={level}")))));
    options.extend(solver(regression.solver));
    for (name, text) in options {
        params.set(name, &text)?;
    }
    params.with_formula(regression.formula.clone())
}

fn intervals(kind: Intervals) -> &'static str {
    match kind {
        Intervals::None => "none",
        Intervals::Wald => "wald",
        Intervals::Profile => "profile",
    }
}

fn robust(kind: Robust) -> &'static str {
    match kind {
        Robust::Hc0 => "HC0",
        Robust::Hc1 => "HC1",
        Robust::Hc2 => "HC2",
        Robust::Hc3 => "HC3",
    }
}

fn class_weights(weights: &ClassWeighting) -> String {
    match weights {
        ClassWeighting::None => String::new(),
        ClassWeighting::Balanced => "balanced".into(),
        ClassWeighting::Given(factors) => {
            factors.iter().map(|(class, factor)| quoted(&format!("{class}={factor}"))).collect::<Vec<_>>().join(",")
        }
    }
}

fn solver(chosen: Solver) -> Vec<(&'static str, String)> {
    match chosen {
        Solver::Newton => Vec::new(),
        Solver::Gradient { rate, stop } => vec![("solver", "gradient".into()), ("rate", rate.to_string()), ("stop", stop.to_string())],
        Solver::Sgd { rate, half_after, stop } => {
            vec![("solver", "sgd".into()), ("rate", rate.to_string()), ("half-after", half_after.to_string()), ("stop", stop.to_string())]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::design::MissingPolicy;
    use crate::data::{DesignOptions, Formula};

    #[test]
    fn a_regression_comes_back_from_its_options() {
        let everything = Logistic {
            formula: Some(Formula::parse("low ~ age + C(race)").unwrap()),
            options: DesignOptions {
                missing: MissingPolicy::Mean,
                references: vec![("race".into(), "a, \"b\"".into())],
                ..DesignOptions::default()
            },
            l2: 0.1,
            class_weights: ClassWeighting::Given(vec![("yes, sir".into(), 2.5), ("no".into(), 1.0)]),
            keep_class_weights: true,
            on_separation: crate::model::linear::OnSeparation::Firth,
            precision: Intervals::None,
            level: 0.9,
            tests: false,
            robust: Some(Robust::Hc1),
            cluster: Some("ward".into()),
            units: vec![("age".into(), 10.0), ("lwt=a".into(), 0.3)],
            tolerance: Some(1e-7),
            solver: Solver::Gradient { rate: 0.5, stop: 1e-6 },
            most_steps: Some(77),
            ..Logistic::default()
        };
        for regression in
            [Logistic::default(), everything, Logistic { prior_sd: Some(0.7), intercept_sd: Some(2.5), ..Logistic::default() }]
        {
            assert_eq!(Logistic::from_params(&regression.params().unwrap()).unwrap(), regression);
        }
        let each = Logistic { sampling: false, tests: false, firth: true, ..Logistic::default() };
        let all = OneVsRest { each: each.clone() };
        assert_eq!(OneVsRest::from_params(&all.params().unwrap()).unwrap().each, each);
        assert!(Logistic { unfinished: Some(1.0), ..Logistic::default() }.params().is_err());
    }
}
