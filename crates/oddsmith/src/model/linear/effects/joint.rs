//! The log odds ratios of an exposure and of the column it is told within, alone and together.

use super::EffectAnalysis;
use super::additive::{Told, additive};
use super::scenario::Scenario;
use super::within::Within;
use crate::data::{CodesView, DesignBlock, Features};
use crate::error::Result;
use crate::num::MatrixView;

/// A change of the exposure and a change of the other column, and what is told of them.
pub(super) struct JointEffect {
    /// The level of the exposure, against its first.
    pub(super) scenario: usize,
    /// The level of the other column, against its first.
    pub(super) code: usize,
    /// RERI, AP and S.
    pub(super) told: [Told; 3],
}

/// Two values for all other numbers. What the exposure does must not depend on them.
const ELSEWHERE: [f64; 2] = [1.0, 2.0];

impl EffectAnalysis {
    /// Interactions of every level of the exposure with every level of the column it is told within, for class `k` (from 0). None where a
    /// third column changes what the two do, because then there is no one odds ratio.
    pub(super) fn joint_effects(&self, k: usize) -> Result<Vec<JointEffect>> {
        let Some(within) = &self.within else { return Ok(Vec::new()) };
        let mut joint = Vec::new();
        for scenario in 1..self.exposure.scenarios().len() {
            for code in 1..within.levels().len() {
                let [here, there] = ELSEWHERE.map(|value| self.contrasts(scenario, (within, code), value));
                let (Some(here), Some(there)) = (here?, there?) else { return Ok(Vec::new()) };
                let close = |a: &f64, b: &f64| (a - b).abs() <= 1e-9 * a.abs().max(1.0);
                if !here.iter().flatten().zip(there.iter().flatten()).all(|(a, b)| close(a, b)) {
                    return Ok(Vec::new());
                }
                joint.extend(self.interaction(k, &here).map(|told| JointEffect { scenario, code, told }));
            }
        }
        Ok(joint)
    }

    /// How the columns of the design change with the exposure alone, with the other column alone, and with both; `None` where they cannot be
    /// made.
    fn contrasts(&self, scenario: usize, (within, code): (&Within, usize), elsewhere: f64) -> Result<Option<[Vec<f64>; 3]>> {
        let layout = &self.model.layout;
        let (width, categories) = (layout.numbers().len(), layout.codes().len());
        let changes = [(0, 0), (scenario, 0), (0, code), (scenario, code)];
        let (mut numbers, mut codes) = (Vec::new(), Vec::new());
        for (exposure, other) in changes {
            let (mut own_numbers, mut own_codes) = (vec![elsewhere; width], vec![0u32; categories]);
            // Other categories at their second level, where there is one, in the second look.
            if elsewhere > ELSEWHERE[0] {
                own_codes.iter_mut().zip(layout.level_counts()).for_each(|(code, levels)| *code = u32::from(levels > 1));
            }
            match (self.exposure.plane, self.exposure.scenarios()[exposure]) {
                (crate::data::Plane::Numbers(at), Scenario::Value(value)) => own_numbers[at] = value,
                (crate::data::Plane::Codes(at), Scenario::Code(code)) => own_codes[at] = code,
                _ => return Ok(None),
            }
            within.set(other, &mut own_numbers, &mut own_codes);
            numbers.extend(own_numbers);
            codes.extend(own_codes);
        }
        let features = Features {
            numbers: MatrixView::row_major(&numbers, changes.len(), width)?,
            codes: CodesView::row_major(&codes, changes.len(), categories)?,
            words: &[],
        };
        if !layout.words().is_empty() {
            return Ok(None);
        }
        let mut block = DesignBlock::default();
        self.model.design.expand(&features, 0, changes.len(), &mut block)?;
        if block.gaps.iter().any(|gap| gap.feature().is_some()) {
            return Ok(None);
        }
        let columns = self.model.design.columns().len();
        let change = |row: usize| -> Vec<f64> { (0..columns).map(|j| block.cells[row * columns + j] - block.cells[j]).collect() };
        let contrasts = [change(1), change(2), change(3)];
        Ok(contrasts.iter().flatten().all(|x| x.is_finite()).then_some(contrasts))
    }

    /// RERI, AP and S of changes of the columns.
    fn interaction(&self, k: usize, contrasts: &[Vec<f64>; 3]) -> Option<[Told; 3]> {
        let (parameters, precision) = (&self.model.parameters, self.model.precision.as_ref()?);
        let (width, outputs) = (parameters.width(), parameters.outputs());
        let logs = [0, 1, 2].map(|at| contrasts[at].iter().zip(parameters.of(k)).map(|(x, b)| x * b).sum::<f64>());
        let total = width * outputs;
        let first = k * width + usize::from(parameters.intercept);
        let covariance = [0, 1, 2].map(|a| {
            [0, 1, 2].map(|b| {
                let mut sum = 0.0;
                for (r, &i) in parameters.kept.iter().enumerate() {
                    for (s, &j) in parameters.kept.iter().enumerate() {
                        sum += contrasts[a][i] * contrasts[b][j] * precision.centred[(first + r) * total + first + s];
                    }
                }
                sum
            })
        });
        Some(additive(logs, covariance))
    }
}
