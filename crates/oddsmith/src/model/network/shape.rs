//! Layers of a network, its parameters end to end, and what they make of a block of rows.
//!
//! a_1 = c_1 + W_1 z with z = (x − m)/s, h = f(a_1), …, and at the end one output per class: p = softmax. Parameters lie layer after layer,
//! the weights of a unit side by side, then the constants of the layer. First weights are uniform in ±√(6/(in + out)) (Glorot), drawn by a key
//! of the seed, the layer, the unit and the name of the column, or the place of the class by weight, so that the order of columns and classes
//! does not matter.

use crate::model::on_design::DesignFrame;
use crate::num::MatrixView;
use crate::num::kernel::{Panel, UnitSums, exp_all, widest};

/// What a hidden unit makes of its sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Activation {
    /// The hyperbolic tangent.
    #[default]
    Tanh,
    /// The sum, or zero where it is below.
    Relu,
    /// 1/(1 + e^−sum).
    Logistic,
    /// The sum itself, which leaves the network a line.
    Identity,
}

impl Activation {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Activation::Tanh => "tanh",
            Activation::Relu => "relu",
            Activation::Logistic => "logistic",
            Activation::Identity => "identity",
        }
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        [Activation::Tanh, Activation::Relu, Activation::Logistic, Activation::Identity]
            .into_iter()
            .find(|activation| activation.name() == name)
    }

    /// Turns sums into outputs.
    fn apply(self, sums: &mut [f64]) {
        let scale = match self {
            Activation::Relu => {
                return widest(
                    #[inline(always)]
                    || sums.iter_mut().for_each(|sum| *sum = sum.max(0.0)),
                );
            }
            Activation::Identity => return,
            Activation::Logistic => -1.0,
            Activation::Tanh => -2.0,
        };
        let mut powers: Vec<f64> = sums.iter().map(|sum| scale * sum.abs()).collect();
        exp_all(&mut powers);
        let pairs = sums.iter_mut().zip(&powers);
        widest(
            #[inline(always)]
            || match self {
                Activation::Logistic => pairs.for_each(|(sum, e)| *sum = if *sum < 0.0 { *e } else { 1.0 } / (1.0 + e)),
                // tanh a = sign(a) (1 − e)/(1 + e) with e = exp(−2|a|): never overflows, and odd to the bit. Near zero the difference
                // would lose digits, where three terms of the series have them all.
                _ => pairs.for_each(|(sum, e)| {
                    let a = *sum;
                    let near = a * (1.0 - a * a * (1.0 / 3.0 - a * a * (2.0 / 15.0)));
                    let far = ((1.0 - e) / (1.0 + e)).copysign(a);
                    *sum = if a.abs() < 1e-3 { near } else { far };
                }),
            },
        );
    }

    /// Multiplies slopes by the derivative, given the outputs.
    fn back(self, outputs: &[f64], slopes: &mut [f64]) {
        let pairs = slopes.iter_mut().zip(outputs);
        widest(
            #[inline(always)]
            || match self {
                Activation::Tanh => pairs.for_each(|(slope, h)| *slope *= (1.0 - h) * (1.0 + h)),
                Activation::Relu => pairs.for_each(|(slope, h)| *slope = if *h > 0.0 { *slope } else { 0.0 }),
                Activation::Logistic => pairs.for_each(|(slope, h)| *slope *= h * (1.0 - h)),
                Activation::Identity => {}
            },
        );
    }
}

/// Sizes of all layers, the columns first and the classes last.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Shape {
    pub(super) sizes: Vec<usize>,
    pub(super) activation: Activation,
    /// Mean and standard deviation of every column; a deviation of 0 takes the column out.
    pub(super) centre: Vec<f64>,
    pub(super) spread: Vec<f64>,
}

impl Shape {
    /// Layers of weights.
    pub(super) fn layers(&self) -> usize {
        self.sizes.len() - 1
    }

    /// Where the parameters of a layer start.
    pub(super) fn start(&self, layer: usize) -> usize {
        (0..layer).map(|l| self.sizes[l + 1] * (self.sizes[l] + 1)).sum()
    }

    /// Number of parameters.
    pub(super) fn parameters(&self) -> usize {
        self.start(self.layers())
    }

    /// Weights and constants of a layer.
    pub(super) fn of<'a>(&self, theta: &'a [f64], layer: usize) -> (&'a [f64], &'a [f64]) {
        let (start, end) = (self.start(layer), self.start(layer + 1));
        theta[start..end].split_at(self.sizes[layer + 1] * self.sizes[layer])
    }

    /// Every parameter: its place, its layer and unit, and the input that it weighs; none for the unit's constant, which comes first.
    pub(super) fn each_parameter(&self, mut see: impl FnMut(usize, usize, usize, Option<usize>)) {
        for layer in 0..self.layers() {
            let (start, inputs, units) = (self.start(layer), self.sizes[layer], self.sizes[layer + 1]);
            for unit in 0..units {
                see(start + units * inputs + unit, layer, unit, None);
                (0..inputs).for_each(|input| see(start + unit * inputs + input, layer, unit, Some(input)));
            }
        }
    }

    /// What the unit and the input of a parameter are called; the units of the last layer are the classes.
    pub(super) fn names(&self, frame: &DesignFrame, (layer, unit, input): (usize, usize, Option<usize>)) -> (String, String) {
        let of = if layer + 1 == self.layers() { frame.layout().classes().label(unit).to_owned() } else { format!("hidden {}", unit + 1) };
        let input = match (layer, input) {
            (_, None) => "(constant)".into(),
            (0, Some(input)) => frame.name(input).to_owned(),
            (_, Some(input)) => format!("hidden {}", input + 1),
        };
        (of, input)
    }

    /// Whether a parameter is a weight, which the penalty draws to zero, and not a constant.
    pub(super) fn is_weight(&self, at: usize) -> bool {
        (0..self.layers()).any(|layer| (self.start(layer)..self.start(layer) + self.sizes[layer + 1] * self.sizes[layer]).contains(&at))
    }

    /// One over the unit of every column.
    pub(super) fn inverses(&self) -> Vec<f64> {
        self.spread.iter().map(|spread| if *spread > 0.0 { spread.recip() } else { 0.0 }).collect()
    }

    /// The same network for rows that are centred already.
    pub(super) fn of_centred_rows(&self) -> Self {
        Shape { centre: vec![0.0; self.centre.len()], ..self.clone() }
    }

    /// First parameters; `inputs` and `outputs` are keys of the columns and classes.
    pub(super) fn first(&self, seed: u64, inputs: &[u64], outputs: &[u64]) -> Vec<f64> {
        let mut theta = vec![0.0; self.parameters()];
        for layer in 0..self.layers() {
            let (ins, outs, start) = (self.sizes[layer], self.sizes[layer + 1], self.start(layer));
            let reach = (6.0 / (ins + outs) as f64).sqrt();
            for unit in 0..outs {
                for input in 0..ins {
                    let of_input = if layer == 0 { inputs[input] } else { input as u64 };
                    let of_unit = if layer + 1 == self.layers() { outputs[unit] } else { unit as u64 };
                    // Without a hidden layer there is one best fit, and zero is as good a start as any.
                    let drawn = if self.layers() == 1 { 0.0 } else { reach * uniform([seed, layer as u64, of_unit, of_input]) };
                    theta[start + unit * ins + input] = if layer == 0 && self.spread[input] == 0.0 { 0.0 } else { drawn };
                }
            }
        }
        theta
    }
}

/// A number in (−1, 1) that depends on a key alone.
fn uniform(key: [u64; 4]) -> f64 {
    let mixed = key.iter().fold(0x243F_6A88_85A3_08D3, |state, part| mix(state ^ *part));
    (mixed >> 11) as f64 * (1.0 / (1u64 << 52) as f64) - 1.0
}

/// Spreads every bit over all others.
pub(super) fn mix(value: u64) -> u64 {
    let mut x = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// The layers as kernels, for one set of parameters.
#[derive(Debug, Clone)]
pub(super) struct Forward {
    shape: Shape,
    layers: Vec<UnitSums>,
    /// Weights of the layers after the first, with units and inputs swapped.
    back: Vec<UnitSums>,
}

impl Forward {
    pub(super) fn new(shape: &Shape, theta: &[f64]) -> Self {
        let layer = |layer: usize| {
            let (weights, constants) = shape.of(theta, layer);
            match layer {
                // Units and centres of columns are folded into the weights, so that rows are read as they lie.
                0 => {
                    let (inverses, mut scaled) = (shape.inverses(), weights.to_vec());
                    for unit in scaled.chunks_exact_mut(inverses.len().max(1)) {
                        unit.iter_mut().zip(&inverses).for_each(|(w, inverse)| *w *= inverse);
                    }
                    UnitSums::new(constants, &scaled, &shape.centre)
                }
                layer => UnitSums::new(constants, weights, &vec![0.0; shape.sizes[layer]]),
            }
        };
        let back = |layer: usize| {
            let (weights, _) = shape.of(theta, layer);
            let (ins, outs) = (shape.sizes[layer], shape.sizes[layer + 1]);
            UnitSums::transposed(&vec![0.0; ins], weights, &vec![0.0; outs])
        };
        let layers = (0..shape.layers()).map(layer).collect();
        Forward { shape: shape.clone(), layers, back: (1..shape.layers()).map(back).collect() }
    }

    /// Outputs of every layer for a block of rows, the classes' last.
    pub(super) fn run(&self, rows: MatrixView<'_>, work: &mut Vec<Vec<f64>>, panel: &mut Panel) -> crate::error::Result<()> {
        let count = rows.rows();
        work.resize(self.layers.len(), Vec::new());
        for layer in 0..self.layers.len() {
            let (before, rest) = work.split_at_mut(layer);
            let out = &mut rest[0];
            out.resize(count * self.shape.sizes[layer + 1], 0.0);
            match before.last() {
                None => self.layers[layer].score(rows, panel, out),
                Some(input) => self.layers[layer].score(MatrixView::row_major(input, count, self.shape.sizes[layer])?, panel, out),
            }
            if layer + 1 < self.layers.len() {
                self.shape.activation.apply(out);
            }
        }
        Ok(())
    }

    /// Slopes of the outputs of layer `layer` − 1 from those of layer `layer`, into `before`.
    pub(super) fn back(
        &self,
        layer: usize,
        slopes: &[f64],
        outputs: &[f64],
        panel: &mut Panel,
        before: &mut Vec<f64>,
    ) -> crate::error::Result<()> {
        let (ins, outs) = (self.shape.sizes[layer], self.shape.sizes[layer + 1]);
        let count = slopes.len() / outs.max(1);
        before.resize(count * ins, 0.0);
        self.back[layer - 1].score(MatrixView::row_major(slopes, count, outs)?, panel, before);
        self.shape.activation.back(outputs, before);
        Ok(())
    }
}
