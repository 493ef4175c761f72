//! Statistics and files: laws of every sum, what is written is read, what is altered is refused.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[allow(dead_code, reason = "every test file uses its own part")]
#[path = "../table/mod.rs"]
mod table;

mod files;
mod laws_scales;
mod laws_stats;
mod model_files;
