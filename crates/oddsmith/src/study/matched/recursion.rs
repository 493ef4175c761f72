//! The recursion over the members of a set: what picking r of them amounts to, for all r up to the number of cases.
//!
//! ```text
//! walk the members; for r picked so far: l_r = ln Σ e^{…}, M_r and C_r the mean and covariance of Σ_S x under those weights
//! q = 1/(1 + e^{l_r − l_{r−1} − η_i}),  D = M_{r−1} + x_i − M_r,  M_r += q D
//! C_r = (1 − q) C_r + q C_{r−1} + q (1 − q) D D',   l_r = ln(e^{l_r} + e^{l_{r−1} + η_i})
//! ```
//!
//! This is the recursion of Howard (1972) and Gail, Lubin and Rubinstein (1981) as a mixture: nothing overflows, and the information is positive
//! semidefinite by construction. Cost O(m (k − m) d²).

use crate::num::logspace::{log_add_exp, sigmoid};

/// Members relative to the first one, and what is known by number of members picked.
#[derive(Debug, Clone, Default)]
pub(super) struct Recursion {
    /// Scores of the members, and their columns.
    pub(super) eta: Vec<f64>,
    pub(super) cells: Vec<f64>,
    /// By number of members picked: logs of the sums, means, covariances, third cumulants.
    pub(super) logs: Vec<f64>,
    pub(super) means: Vec<f64>,
    pub(super) covariances: Vec<f64>,
    pub(super) thirds: Vec<f64>,
    apart: Vec<f64>,
}

impl Recursion {
    /// The recursion: logs, means and covariances by number of members picked.
    pub(super) fn walk(&mut self, members: usize, picked: usize, columns: usize, third: bool) {
        let packed = columns * (columns + 1) / 2;
        let thirds = if third { packed * (columns + 2) / 3 } else { 0 };
        self.thirds.clear();
        self.thirds.resize((picked + 1) * thirds, 0.0);
        self.logs.clear();
        self.logs.resize(picked + 1, f64::NEG_INFINITY);
        self.logs[0] = 0.0;
        self.means.clear();
        self.means.resize((picked + 1) * columns, 0.0);
        self.covariances.clear();
        self.covariances.resize((picked + 1) * packed, 0.0);
        self.apart.clear();
        self.apart.resize(columns, 0.0);
        for i in 0..members {
            let x = &self.cells[i * columns..(i + 1) * columns];
            // States from which the end can still be reached, the largest first: each reads the one below as it was before this member.
            let last = picked.min(i + 1);
            let first = 1.max((picked + i + 1).saturating_sub(members));
            for r in (first..=last).rev() {
                let entered = self.logs[r - 1] + self.eta[i];
                let q = sigmoid(entered - self.logs[r]);
                let (below, here) = self.means.split_at_mut(r * columns);
                let (below, here) = (&below[(r - 1) * columns..], &mut here[..columns]);
                for (((apart, lower), mean), x) in self.apart.iter_mut().zip(below).zip(here.iter_mut()).zip(x) {
                    *apart = lower + x - *mean;
                    *mean += q * *apart;
                }
                if third {
                    let [below, here] = pair(&mut self.thirds, r, thirds);
                    let [lower, own] = [r - 1, r].map(|r| &self.covariances[r * packed..(r + 1) * packed]);
                    mix_thirds(here, below, q, &self.apart, |at| lower[at] - own[at]);
                }
                let (below, here) = self.covariances.split_at_mut(r * packed);
                let (below, here) = (&below[(r - 1) * packed..], &mut here[..packed]);
                let (stay, both) = (1.0 - q, q * (1.0 - q));
                let mut at = 0;
                for a in 0..columns {
                    let scaled = both * self.apart[a];
                    for b in 0..=a {
                        here[at] = stay * here[at] + q * below[at] + scaled * self.apart[b];
                        at += 1;
                    }
                }
                self.logs[r] = log_add_exp(self.logs[r], entered);
            }
        }
    }
}

/// The states r − 1 and r of a list.
fn pair(states: &mut [f64], r: usize, size: usize) -> [&mut [f64]; 2] {
    let (below, here) = states.split_at_mut(r * size);
    [&mut below[(r - 1) * size..], &mut here[..size]]
}

/// Third central moments of a mixture, before its covariances are mixed: with weights s = 1 − q and q and distance D of the means,
/// T = s T_r + q T_{r−1} + q s ((C_{r−1} − C_r) D, in its three orders) + q s (s − q) D D D.
fn mix_thirds(here: &mut [f64], below: &[f64], q: f64, d: &[f64], wider: impl Fn(usize) -> f64) {
    let stay = 1.0 - q;
    let (both, skew) = (q * stay, q * stay * (stay - q));
    let cell = |a: usize, b: usize| wider(a * (a + 1) / 2 + b);
    let mut at = 0;
    for a in 0..d.len() {
        for b in 0..=a {
            for c in 0..=b {
                let spread = cell(a, b) * d[c] + cell(a, c) * d[b] + cell(b, c) * d[a];
                here[at] = stay * here[at] + q * below[at] + both * spread + skew * d[a] * d[b] * d[c];
                at += 1;
            }
        }
    }
}
