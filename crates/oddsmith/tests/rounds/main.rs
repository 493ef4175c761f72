//! Models of rows that stay where they are: every model of the registry, asked at points, answered in pieces, merged in any tree.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[allow(dead_code, reason = "every test file uses its own part")]
#[path = "../table/mod.rs"]
mod table;

mod faults;
mod passes;
mod pooled;
mod studies;
