//! Tables into sources: delimited text, fastText lines, Parquet, Arrow and Excel sheets; and files written whole or not at all.
//!
//! ```text
//! input -> bytes -> text -> records -> cells -> lanes -> blocks -> source
//! ```
//!
//! [`open`] reads a table to learn from it. What fits the memory budget is parsed once and kept; what does
//! not is read again for every pass. Both give the same batches in the same order, for any number of threads.
//! [`open_for_prediction`] streams new rows past a model, and [`write_file`] keeps results safe.

mod array_feed;
mod atomic;
mod block;
mod column;
mod column_encoder;
mod condition;
mod container;
mod cutter;
mod dialect;
mod dictionaries;
mod encoder;
mod encoding;
mod fasttext;
mod fault;
mod feed;
mod foreign;
mod grid;
mod interner;
mod ipc_guard;
mod kinds;
mod level_lane;
mod many;
mod missing;
mod mixed_cells;
mod needs;
mod number;
mod open;
mod opening;
mod options;
mod order;
mod piece;
mod plan;
mod read_ahead;
mod reading;
mod record_counts;
mod records;
mod scoring;
mod scoring_sum;
mod selection;
mod settle;
mod short_cells;
mod sniff;
mod spelled;
mod store;
mod stray_quotes;
mod streamed;
mod summary;
mod survey;
mod table;
mod text_feed;
mod tokens;
mod typed;
#[cfg(feature = "xlsx")]
mod workbook;

pub use atomic::{remove_unfinished, write_bytes, write_file};
pub use container::PARTITION_ROWS;
pub use dialect::{Dialect, Format, LineEnd};
pub use many::{flag_candidates, flag_columns, gaps, given_kinds, if_rows, joined_notices, open_piece, open_pieces, own_notices};
pub use missing::DEFAULT_MISSING;
pub use needs::open_for;
pub use open::{ArrowTable, Opened, open, open_arrow};
pub use options::{Header, Input, Quote, Ragged, ReadOptions, Roles, TextOptions};
pub use piece::{FolderColumn, Piece, pieces};
pub use scoring::{NewBatch, NewRows, open_arrow_for_prediction, open_for_prediction};
pub use scoring_sum::PartSums;
pub use summary::{ColumnSummary, Gap, GapIn, Role, Values};
pub use tokens::hashed_column;
