//! Laws that every model of the registry keeps, with default options and with others, by the ordinary driver of passes: on small random
//! tables with gaps, weights and every kind of column, and on larger ones that have an estimate.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[allow(dead_code, reason = "every test file uses its own part")]
#[path = "../table/mod.rs"]
mod table;

mod account;
mod free_parameters;
mod invariance;
mod scalars;
mod takes;
mod wire;

use oddsmith::registry::{self, MODELS};
use table::variants::variants;

#[test]
fn names_of_models_are_unique_and_every_model_is_held_to_the_laws() {
    let mut names: Vec<&str> = MODELS.iter().flat_map(|entry| entry.aliases.iter().copied().chain([entry.name])).collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    for entry in MODELS {
        let plain = variants().into_iter().filter(|variant| variant.is_plain() && variant.entry.name == entry.name).count();
        assert_eq!(plain, 1, "{} is held to no law", entry.name);
    }
    assert_eq!(registry::find("nope").err().unwrap().to_string().split(';').next(), Some("there is no model `nope`"));
}
