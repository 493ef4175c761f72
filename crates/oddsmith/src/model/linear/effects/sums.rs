//! What one pass adds up: risks under every scenario, their slopes in the parameters, and how both go with the scores of the rows.

use std::sync::Arc;

use super::EffectAnalysis;
use super::scenario::{Exposure, Replaced, Scenario};
use super::within::LevelOfRow;
use crate::codec::{Codec, Encode};
use crate::data::{DesignBlock, Features, Rows, SKIP, Weighting};
use crate::error::Result;
use crate::model::linear::model::LogisticModel;
use crate::num::logspace::log_sum_exp;
use crate::stats::{Statistics, add};

/// Rows that are expanded at a time.
const BLOCK: usize = 512;

/// Sums over the rows of one group: all of them, or those of a level.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct GroupSums {
    pub(super) weight: f64,
    /// Risks by scenario and class, mean effects last.
    pub(super) values: Vec<f64>,
    /// Their slopes in the parameters.
    pub(super) slopes: Vec<f64>,
    /// Products of the values with each other.
    pub(super) products: Vec<f64>,
    /// Products of the values with the scores of the rows.
    pub(super) with_scores: Vec<f64>,
    /// Scores.
    pub(super) scores: Vec<f64>,
}

/// Sums of the analysis of an exposure.
#[derive(Debug, Clone)]
pub struct EffectSums {
    pub(super) analysis: Arc<EffectAnalysis>,
    /// All rows first, then the levels within which effects are told.
    pub(super) groups: Vec<GroupSums>,
    /// Products of scores with each other, over all rows.
    pub(super) score_products: Vec<f64>,
    /// Rows, and rows whose exposure is neither 0 nor 1.
    pub(super) rows: u64,
    pub(super) other_values: u64,
    /// Rows without a level of the column that effects are told within.
    pub(super) without_level: u64,
    pub(super) gaps: u64,
    work: Work,
}

#[derive(Debug, Clone, Default)]
struct Work {
    blocks: Vec<DesignBlock>,
    replaced: Replaced,
    values: Vec<f64>,
    slopes: Vec<f64>,
    scores: Vec<f64>,
}

/// A row under a scenario: factors of the parameters, and the probabilities of all classes.
#[derive(Debug, Clone, Default)]
struct Seen {
    z: Vec<f64>,
    p: Vec<f64>,
}

impl GroupSums {
    fn new(values: usize, parameters: usize) -> Self {
        GroupSums {
            weight: 0.0,
            values: vec![0.0; values],
            slopes: vec![0.0; values * parameters],
            products: vec![0.0; values * values],
            with_scores: vec![0.0; values * parameters],
            scores: vec![0.0; parameters],
        }
    }

    fn observe(&mut self, (weight, squared): (f64, f64), work: &Work) {
        let (values, parameters) = (work.values.len(), work.scores.len());
        self.weight += weight;
        for (c, value) in work.values.iter().enumerate() {
            self.values[c] += weight * value;
            for (d, other) in work.values.iter().enumerate() {
                self.products[c * values + d] += squared * value * other;
            }
            for (k, score) in work.scores.iter().enumerate() {
                self.with_scores[c * parameters + k] += squared * value * score;
            }
        }
        self.slopes.iter_mut().zip(&work.slopes).for_each(|(sum, slope)| *sum += weight * slope);
        self.scores.iter_mut().zip(&work.scores).for_each(|(sum, score)| *sum += squared * score);
    }
}

impl EffectSums {
    pub(super) fn new(analysis: Arc<EffectAnalysis>) -> Self {
        let (outputs, width) = (analysis.model.parameters.outputs(), analysis.model.parameters.width());
        let values = outputs * (analysis.exposure.scenarios().len() + usize::from(analysis.exposure.is_number()));
        let parameters = outputs * width;
        let groups = 1 + analysis.within.as_ref().map_or(0, |within| within.levels().len());
        EffectSums {
            groups: vec![GroupSums::new(values, parameters); groups],
            score_products: vec![0.0; parameters * parameters],
            rows: 0,
            other_values: 0,
            without_level: 0,
            gaps: 0,
            work: Work::default(),
            analysis,
        }
    }

    /// The block with the exposure as it is, as each scenario sets it, and moved up and down.
    fn expand(&mut self, features: &Features<'_>, first_row: u64, uncounted: &[bool]) -> Result<()> {
        let analysis = Arc::clone(&self.analysis);
        let mut scenarios = vec![None];
        scenarios.extend(analysis.exposure.scenarios().into_iter().map(Some));
        if analysis.exposure.is_number() {
            scenarios.extend([Some(Scenario::Moved(1.0)), Some(Scenario::Moved(-1.0))]);
        }
        self.work.blocks.resize_with(scenarios.len(), DesignBlock::default);
        for (block, scenario) in self.work.blocks.iter_mut().zip(scenarios) {
            block.first_row = first_row;
            block.uncounted.clear();
            block.uncounted.extend_from_slice(uncounted);
            let rows = match scenario {
                None => *features,
                Some(scenario) => self.work.replaced.rows(features, &analysis.exposure, scenario)?,
            };
            analysis.model.design.expand(&rows, 0, features.rows(), block)?;
        }
        Ok(())
    }

    /// Values, slopes and scores of row `i` of the block.
    fn look(&mut self, i: usize, label: u32, step: f64) {
        let analysis = Arc::clone(&self.analysis);
        let (model, Work { blocks, values, slopes, scores, .. }) = (&*analysis.model, &mut self.work);
        let (outputs, scenarios) = (model.parameters.outputs(), analysis.exposure.scenarios().len());
        let own = seen(model, &blocks[0], i);
        scores.clear();
        for m in 1..=outputs {
            let apart = f64::from(label as usize == m) - own.p[m];
            scores.extend(own.z.iter().map(|z| apart * z));
        }
        values.clear();
        slopes.clear();
        for block in &blocks[1..=scenarios] {
            let there = seen(model, block, i);
            for k in 1..=outputs {
                values.push(there.p[k]);
                for l in 1..=outputs {
                    let slope = there.p[k] * (f64::from(k == l) - there.p[l]);
                    slopes.extend(there.z.iter().map(|z| slope * z));
                }
            }
        }
        if analysis.exposure.is_number() {
            push_mean_effects(
                model,
                &own,
                &seen(model, &blocks[scenarios + 1], i),
                &seen(model, &blocks[scenarios + 2], i),
                step,
                values,
                slopes,
            );
        }
    }
}

/// p_k (e_k − ē) for every class, e_m = ∂η_m/∂x and ē = Σ p_m e_m, and its slopes.
fn push_mean_effects(model: &LogisticModel, own: &Seen, up: &Seen, down: &Seen, step: f64, values: &mut Vec<f64>, slopes: &mut Vec<f64>) {
    let (outputs, width) = (model.parameters.outputs(), own.z.len());
    let moved: Vec<f64> = up.z.iter().zip(&down.z).map(|(up, down)| (up - down) / (2.0 * step)).collect();
    let coefficient = |m: usize, r: usize| match (model.parameters.intercept, r) {
        (true, 0) => 0.0,
        (intercept, r) => model.parameters.of(m - 1)[model.parameters.kept[r - usize::from(intercept)]],
    };
    let e: Vec<f64> = (0..=outputs).map(|m| if m == 0 { 0.0 } else { (0..width).map(|r| coefficient(m, r) * moved[r]).sum() }).collect();
    let mean: f64 = e.iter().zip(&own.p).map(|(e, p)| e * p).sum();
    for k in 1..=outputs {
        values.push(own.p[k] * (e[k] - mean));
        for l in 1..=outputs {
            let own_part = f64::from(k == l) - own.p[l];
            let of_row = own.p[k] * (own_part * (e[k] - mean) - own.p[l] * (e[l] - mean));
            slopes.extend((0..width).map(|r| of_row * own.z[r] + own.p[k] * own_part * moved[r]));
        }
    }
}

/// A row of a block under the model.
fn seen(model: &LogisticModel, block: &DesignBlock, i: usize) -> Seen {
    let (parameters, mut seen) = (&model.parameters, Seen::default());
    model.centred_row(block, i, &mut seen.z);
    let (columns, outputs) = (parameters.centre.len(), parameters.outputs());
    let cells = &block.cells[i * columns..(i + 1) * columns];
    let mut eta = vec![0.0];
    for m in 0..outputs {
        let sum: f64 = cells.iter().zip(&parameters.centre).zip(parameters.of(m)).map(|((x, c), b)| (x - c) * b).sum();
        eta.push(parameters.base[m] + sum + block.offset.get(i * outputs + m).copied().unwrap_or(0.0));
    }
    let total = log_sum_exp(&eta);
    seen.p.extend(eta.iter().map(|eta| libm::exp(eta - total)));
    seen
}

impl Encode for GroupSums {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.weights("weight", std::slice::from_mut(&mut self.weight))?;
        codec.finite("values", &mut self.values)?;
        codec.finite("slopes", &mut self.slopes)?;
        codec.finite("products", &mut self.products)?;
        codec.finite("with_scores", &mut self.with_scores)?;
        codec.finite("scores", &mut self.scores)
    }
}

impl Encode for EffectSums {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        for (at, group) in self.groups.iter_mut().enumerate() {
            codec.part(&format!("group{at}"), group)?;
        }
        codec.finite("score_products", &mut self.score_products)?;
        codec.count("rows", &mut self.rows)?;
        codec.count("other_values", &mut self.other_values)?;
        codec.count("without_level", &mut self.without_level)?;
        codec.count("gaps", &mut self.gaps)
    }
}

impl Statistics for EffectSums {
    type Input<'a> = Rows<'a>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        let labels = rows.counted_labels()?;
        let analysis = Arc::clone(&self.analysis);
        let sampling = analysis.model.layout.weighting() == Weighting::Sampling;
        let (mut words, mut uncounted) = (Vec::new(), Vec::new());
        for lo in (0..labels.len()).step_by(BLOCK) {
            let hi = labels.len().min(lo + BLOCK);
            let features = rows.features.slice(lo, hi, &mut words);
            uncounted.clear();
            uncounted.extend(labels[lo..hi].iter().map(|label| *label == SKIP));
            self.expand(&features, rows.first_row + lo as u64, &uncounted)?;
            for i in 0..hi - lo {
                let label = labels[lo + i];
                if label == SKIP {
                    continue;
                }
                if self.work.blocks.iter().any(|block| block.gaps[i].feature().is_some()) {
                    self.gaps += 1;
                    continue;
                }
                let x = analysis.exposure.value(&features, i);
                self.rows += 1;
                self.other_values += u64::from(x != 0.0 && x != 1.0);
                self.look(i, label, Exposure::step(x));
                let weight = rows.weights.map_or(1.0, |weights| weights[lo + i]);
                let weights = (weight, if sampling { weight * weight } else { weight });
                self.groups[0].observe(weights, &self.work);
                let parameters = self.work.scores.len();
                for (a, score) in self.work.scores.iter().enumerate() {
                    for (b, other) in self.work.scores.iter().enumerate() {
                        self.score_products[a * parameters + b] += weights.1 * score * other;
                    }
                }
                match analysis.within.as_ref().map(|within| within.level_of(&features, i)) {
                    Some(LevelOfRow::Known(level)) => {
                        if let Some(group) = self.groups.get_mut(1 + level) {
                            group.observe(weights, &self.work);
                        }
                    }
                    Some(LevelOfRow::Other) => self.without_level += 1,
                    Some(LevelOfRow::Missing) | None => {}
                }
            }
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        for (mine, theirs) in self.groups.iter_mut().zip(&other.groups) {
            mine.weight += theirs.weight;
            add(&mut mine.values, &theirs.values);
            add(&mut mine.slopes, &theirs.slopes);
            add(&mut mine.products, &theirs.products);
            add(&mut mine.with_scores, &theirs.with_scores);
            add(&mut mine.scores, &theirs.scores);
        }
        add(&mut self.score_products, &other.score_products);
        self.rows += other.rows;
        self.other_values += other.other_values;
        self.without_level += other.without_level;
        self.gaps += other.gaps;
        Ok(())
    }

    fn weight(&self) -> f64 {
        self.groups[0].weight
    }

    fn purpose(&self) -> String {
        format!("risks of all rows with `{}` set to one value or another", self.analysis.exposure.name)
    }

    fn bytes(&self) -> usize {
        let group = &self.groups[0];
        8 * (self.groups.len() * (2 * group.slopes.len() + group.products.len() + 64) + self.score_products.len())
    }
}
