//! Codes: texts of bits that can be read back, and how long they are.

mod bits;
mod class_coder;
mod class_stream;
mod flips;
mod huffman;
mod length_limit;
mod picture;
mod prefix;
mod probability_rows;
mod range_coder;
mod symbol_coder;
mod tree;
mod two_class_states;

pub use bits::{BitReader, BitWriter};
pub use class_coder::ClassProbabilities;
pub use class_stream::{decode_classes, encode_classes};
pub use flips::{Flips, ResetFlips};
pub use huffman::huffman_lengths;
pub use length_limit::limited_lengths;
pub use picture::code_picture;
pub use prefix::{PrefixCode, shannon_lengths};
pub use probability_rows::ProbabilityRows;
pub use range_coder::{RangeDecoder, RangeEncoder};
pub use symbol_coder::SymbolCounts;
