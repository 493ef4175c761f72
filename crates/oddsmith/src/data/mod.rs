//! What rows are made of: column kinds, the layout they are encoded against, views of batches, and
//! where batches come from.

mod aligned_source;
mod blocks;
mod classes;
mod column_pick;
pub mod design;
mod dummies;
mod features;
pub mod formula;
mod joined_source;
mod keyed_source;
mod layout;
mod layout_map;
mod layout_record;
mod levels;
mod mapped_source;
mod order;
mod relabelled_source;
mod role;
mod row_buffer;
mod row_hashes;
mod source;
#[cfg(test)]
mod testing;
mod text_form;
mod view_source;
mod vocabulary;

pub use aligned_source::{AlignedSource, Alignment};
pub use blocks::FeatureBlocks;
pub use classes::Classes;
pub(crate) use column_pick::ColumnPick;
pub use design::{Design, DesignBlock, DesignOptions, DesignSurvey};
pub use dummies::Dummies;
pub use features::{CodesView, Csr, Features, MISSING, Rows, SKIP, UNSEEN};
pub use formula::{Condition, ConditionCells, Formula, Response};
pub use joined_source::{Extent, JoinedSource};
pub use keyed_source::KeyedSource;
pub use layout::{Feature, Kind, Layout, Plane, Space, Weighting};
pub(crate) use layout_map::LayoutMap;
pub use levels::Levels;
pub use mapped_source::MappedSource;
pub use order::Order;
pub use relabelled_source::RelabelledSource;
pub use role::{Key, KeyPlace, Role};
pub use row_buffer::RowBuffer;
pub(crate) use row_hashes::{RowHashes, hash_of, mixed, scattered};
pub use source::Source;
pub use text_form::{DocumentCounts, Terms, TextForm};
pub use view_source::ViewSource;
pub use vocabulary::{Vocabulary, WordValue};
