//! What is told about a fitted regression: the model, its card and its tables.

pub(super) mod build;
pub(super) mod card;
pub(super) mod linear_view;
pub(super) mod summary;
