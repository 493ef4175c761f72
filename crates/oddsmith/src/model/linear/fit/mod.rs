//! From rows to an optimum: what each pass adds up, and the machine that decides which pass comes next.

pub(super) mod block_reader;
pub(super) mod column_sums;
pub(super) mod coordinates;
pub(super) mod descent;
pub(super) mod descent_steps;
pub(super) mod eval_point;
pub(super) mod first_looks;
pub(super) mod fit_steps;
pub(super) mod held;
pub(super) mod intake;
pub(super) mod jeffreys;
pub(super) mod lasso;
pub(super) mod learner;
pub(super) mod pass_point;
pub(super) mod passes;
pub(super) mod penalty;
pub(super) mod rank;
pub(super) mod sample;
pub(super) mod solver;
pub(super) mod sparse;
pub(super) mod stage;
pub(super) mod sums;
pub(super) mod survey;
pub(super) mod symmetric;
pub(super) mod target;
