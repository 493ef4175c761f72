//! The examples run, and find what they say.

#[path = "../examples/odds_ratios.rs"]
mod odds_ratios;

#[test]
fn odds_ratios_of_a_file_are_those_of_the_readme() {
    odds_ratios::main().unwrap();
}
