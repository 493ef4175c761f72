//! Options of models, declared once: flags and help of the command, refusals, Python's signatures and lists of models are made from them.

mod declared;
mod kind;
mod list;
pub mod shared;
mod values;

pub use declared::Param;
pub use kind::ParamKind;
pub use list::{join_list, quoted, split_list, split_pair};
pub use values::Params;
