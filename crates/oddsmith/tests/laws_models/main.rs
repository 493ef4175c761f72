//! Laws that every model of the registry keeps, with default knobs and with others, by the ordinary driver of passes: on small random
//! tables with gaps, weights and every kind of column, and on larger ones that have an estimate.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[allow(dead_code, reason = "every test file uses its own part")]
#[path = "../table/mod.rs"]
mod table;

mod account;
mod free_parameters;
mod invariance;
mod takes;

use oddsmith::registry::{self, MODELS};
use table::variants::variants;

#[test]
fn names_of_models_are_unique_and_every_model_can_be_read_back() {
    let mut names: Vec<&str> = MODELS.iter().flat_map(|entry| entry.aliases.iter().copied().chain([entry.name])).collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    for entry in MODELS {
        assert!(registry::READERS.iter().any(|reader| reader.tag == entry.name), "{}", entry.name);
        assert!(
            variants().iter().any(|variant| variant.is_plain() && variant.entry.name == entry.name),
            "{} is held to no law",
            entry.name
        );
    }
    assert_eq!(registry::find("nope").err().unwrap().to_string().split(';').next(), Some("there is no model `nope`"));
}
