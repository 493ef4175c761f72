//! The card of effects: risks, what compares them, and what they would need to be causal.

use super::EffectAnalysis;
use super::scenario::Scenario;
use super::sums::{EffectSums, GroupSums};
use crate::card::{Card, Cell, FixedTable, Summary, Table};
use crate::error::{Error, Result};
use crate::notice::{self, Notice};
use crate::num::special::normal;

/// A linear combination of values on some scale: what is told, and its slopes in the values.
struct Measure {
    level: String,
    name: &'static str,
    value: f64,
    /// By place of the value.
    slopes: Vec<(usize, f64)>,
    /// Whether limits are those of the logarithm.
    ratio: bool,
}

/// Standard errors of a combination: covariates as they are, and sampled.
struct Errors {
    fixed: f64,
    sampled: f64,
}

/// Columns of the table for programs.
const COLUMNS: [&str; 11] =
    ["class", "term", "level", "within", "measure", "estimate", "std_error", "std_error_sampled", "conf_low", "conf_high", "p_value"];

/// The table for programs and the one for people, on their way.
struct Tables {
    tidy: FixedTable<11>,
    read: FixedTable<8>,
}

impl EffectAnalysis {
    pub(super) fn card(&self, sums: &EffectSums) -> Result<Card> {
        if sums.groups[0].weight <= 0.0 {
            return Err(Error::data("no row has all columns of the model"));
        }
        if let Some(within) = self.within.as_ref().filter(|_| sums.without_level > 0) {
            return Err(within.refusal(sums.without_level));
        }
        let model = &*self.model;
        let percent = format!("{}%", (self.level * 1e6).round() / 1e4);
        let (low, high) = (format!("{percent} low"), format!("{percent} high"));
        let mut tables = Tables {
            tidy: FixedTable::new("tidy", COLUMNS),
            read: FixedTable::new("effects", ["class", "within", "level", "measure", "estimate", &low, &high, "p"]),
        };
        let outputs = model.parameters.outputs();
        for (at, group) in sums.groups.iter().enumerate().filter(|(_, group)| group.weight > 0.0) {
            let within = match (at, &self.within) {
                (1.., Some(within)) => within.levels()[at - 1].as_str().into(),
                _ => Cell::Empty,
            };
            for k in 0..outputs {
                for measure in self.measures(sums, group, k) {
                    let errors = self.errors(sums, group, &measure.slopes);
                    self.push(&mut tables, k, &within, &measure, &errors);
                }
            }
        }
        // One unit of a number that is not 0 or 1 is no exposure that could be there or not.
        let exposed = !self.exposure.is_number() || sums.other_values == 0;
        for k in (0..outputs).filter(|_| exposed) {
            for (within, measure, fixed) in self.interactions(k)? {
                self.push(&mut tables, k, &within, &measure, &Errors { fixed, sampled: f64::NAN });
            }
        }
        let mut read = Table::from(tables.read);
        read.retain_columns(|_, name| match name {
            "class" => outputs > 1,
            "within" => self.within.is_some(),
            _ => true,
        });
        Ok(self.framed(sums, tables.tidy.into(), read))
    }

    /// A measure of class `k` (from 0) with its limits.
    fn push(&self, tables: &mut Tables, k: usize, within: &Cell, measure: &Measure, errors: &Errors) {
        let known = |value: f64| if value.is_nan() { Cell::Empty } else { value.into() };
        let [low, high, p] = limits(measure, errors.fixed, self.level);
        let class: Cell = self.model.layout.classes().label(k + 1).into();
        let level = if measure.level.is_empty() { Cell::Empty } else { measure.level.as_str().into() };
        let p = if measure.name == "risk" || p.is_nan() { Cell::Empty } else { Cell::PValue(p) };
        let [estimate, low, high] = [measure.value, low, high].map(known);
        tables.tidy.push([
            class.clone(),
            self.exposure.name.as_str().into(),
            level.clone(),
            within.clone(),
            measure.name.into(),
            estimate.clone(),
            known(errors.fixed),
            known(errors.sampled),
            low.clone(),
            high.clone(),
            p.clone(),
        ]);
        tables.read.push([class, within.clone(), level, measure.name.into(), estimate, low, high, p]);
    }

    /// Interactions of the exposure with the column that effects are told within, on the additive scale: its levels, the measure, and its standard error.
    fn interactions(&self, k: usize) -> Result<Vec<(Cell, Measure, f64)>> {
        let Some(within) = &self.within else { return Ok(Vec::new()) };
        let of_within = |at: usize| &within.levels()[at];
        let mut rows = Vec::new();
        for joint in self.joint_effects(k)? {
            let level = format!("{} vs {}", self.scenario_name(joint.scenario), self.scenario_name(0));
            let within = format!("{} vs {}", of_within(joint.code), of_within(0));
            for ((name, ratio), (value, error)) in
                [("RERI", false), ("attributable proportion", false), ("synergy index", true)].into_iter().zip(joint.told)
            {
                // A synergy index below 0 has no logarithm.
                let error = if ratio && value <= 0.0 { f64::NAN } else { error };
                rows.push((within.as_str().into(), Measure { level: level.clone(), name, value, slopes: Vec::new(), ratio }, error));
            }
        }
        Ok(rows)
    }

    /// What the exposure is set to, in words.
    fn scenario_name(&self, scenario: usize) -> String {
        match self.exposure.scenarios()[scenario] {
            Scenario::Code(code) => self.exposure.levels[code as usize].clone(),
            Scenario::Value(value) | Scenario::Moved(value) => value.to_string(),
        }
    }

    /// Title, facts and what the numbers mean.
    fn framed(&self, sums: &EffectSums, tidy: Table, read: Table) -> Card {
        let footnotes = vec![
            format!("means over the {} rows of the fit of the probabilities that the model gives with `{}` set; errors by the delta method", sums.rows, self.exposure.name),
            "an exposure that people chose or met: they are effects of it only if the model is right and its other columns are all that the exposure and the outcome have in common".into(),
            "a treatment that was dealt by chance: they are its effects in people like these, and the other columns only sharpen them".into(),
        ];
        let mut notices = Vec::new();
        if sums.gaps > 0 {
            let text = format!("{} excluded for missing values", notice::counted(sums.gaps, "row"));
            notices.push(Notice::new(notice::MISSING_VALUES, text));
        }
        Card {
            title: format!("Effects of {} in risk", self.exposure.name),
            facts: vec![("exposure".into(), self.exposure.name.as_str().into()), ("rows".into(), sums.rows.into())],
            tidy,
            summary: Some(Summary { facts: Vec::new(), table: Some(read), footnotes }),
            notices,
            ..Card::default()
        }
    }

    /// What is told of class `k` (from 0) in a group.
    fn measures(&self, sums: &EffectSums, group: &GroupSums, k: usize) -> Vec<Measure> {
        let (outputs, scenarios) = (self.model.parameters.outputs(), self.exposure.scenarios());
        let place = |scenario: usize| scenario * outputs + k;
        let risk = |scenario: usize| group.values[place(scenario)] / group.weight;
        let name = |scenario: usize| self.scenario_name(scenario);
        let mut measures = Vec::new();
        // Of a number that is not 0 or 1 the two have no meaning, and the slope has.
        if self.exposure.is_number() && sums.other_values > 0 {
            let at = place(scenarios.len());
            let value = group.values[at] / group.weight;
            return vec![Measure { level: String::new(), name: "mean effect per unit", value, slopes: vec![(at, 1.0)], ratio: false }];
        }
        for scenario in 0..scenarios.len() {
            measures.push(Measure {
                level: name(scenario),
                name: "risk",
                value: risk(scenario),
                slopes: vec![(place(scenario), 1.0)],
                ratio: false,
            });
        }
        for scenario in 1..scenarios.len() {
            let (r1, r0) = (risk(scenario), risk(0));
            let level = format!("{} vs {}", name(scenario), name(0));
            let both = |one: f64, zero: f64| vec![(place(scenario), one), (place(0), zero)];
            let odds = |r: f64| 1.0 / (r * (1.0 - r));
            measures.push(Measure { level: level.clone(), name: "risk difference", value: r1 - r0, slopes: both(1.0, -1.0), ratio: false });
            measures.push(Measure {
                level: level.clone(),
                name: "risk ratio",
                value: r1 / r0,
                slopes: both(1.0 / r1, -1.0 / r0),
                ratio: true,
            });
            let value = (r1 * (1.0 - r0)) / (r0 * (1.0 - r1));
            measures.push(Measure { level, name: "marginal odds ratio", value, slopes: both(odds(r1), -odds(r0)), ratio: true });
        }
        measures
    }

    /// Standard errors of Σ slope · value.
    fn errors(&self, sums: &EffectSums, group: &GroupSums, slopes: &[(usize, f64)]) -> Errors {
        let (values, parameters, own) = (group.values.len(), group.scores.len(), group.weight);
        let Some(precision) = &self.model.precision else { return Errors { fixed: f64::NAN, sampled: f64::NAN } };
        // J: the slope of the combination in the parameters; V J.
        let jacobian: Vec<f64> =
            (0..parameters).map(|r| slopes.iter().map(|(c, slope)| slope * group.slopes[c * parameters + r] / own).sum()).collect();
        let turned: Vec<f64> =
            precision.centred.chunks_exact(parameters).map(|row| row.iter().zip(&jacobian).map(|(v, j)| v * j).sum()).collect();
        let fixed: f64 = jacobian.iter().zip(&turned).map(|(j, v)| j * v).sum();
        if self.model.account.robust.is_some() {
            return Errors { fixed: fixed.sqrt(), sampled: f64::NAN };
        }
        // ψ = (Σ slope (v − r)) W/W_g in the group + W J'V s over all rows; Σ ψ² / W².
        let mean = |c: usize| group.values[c] / own;
        let mut spread = 0.0;
        for (c, slope) in slopes {
            for (d, other) in slopes {
                // Products are centred by the sums of the same weights.
                spread += slope * other * (group.products[c * values + d] - own * mean(*c) * mean(*d));
            }
        }
        let cross: f64 = slopes
            .iter()
            .map(|(c, slope)| {
                let with = (0..parameters).map(|r| (group.with_scores[c * parameters + r] - mean(*c) * group.scores[r]) * turned[r]);
                slope * with.sum::<f64>()
            })
            .sum();
        let scores: f64 = sums
            .score_products
            .chunks_exact(parameters)
            .zip(&turned)
            .map(|(row, own)| own * row.iter().zip(&turned).map(|(s, t)| s * t).sum::<f64>())
            .sum();
        Errors { fixed: fixed.sqrt(), sampled: (spread / (own * own) + 2.0 * cross / own + scores).max(0.0).sqrt() }
    }
}

/// Limits and p-value of a measure.
fn limits(measure: &Measure, error: f64, level: f64) -> [f64; 3] {
    let z = normal::quantile_upper(0.5 * (1.0 - level));
    match measure.ratio {
        true => [measure.value * (-z * error).exp(), measure.value * (z * error).exp(), normal::two_sided(measure.value.ln() / error)],
        false => [measure.value - z * error, measure.value + z * error, normal::two_sided(measure.value / error)],
    }
}
