//! The examples run, and find what they say.

#[path = "../examples/data_frame.rs"]
mod data_frame;
#[path = "../examples/odds_ratios.rs"]
mod odds_ratios;

#[test]
fn odds_ratios_of_a_file_are_those_of_the_readme() {
    odds_ratios::main().unwrap();
}

#[test]
fn a_data_frame_comes_in_as_an_arrow_file_or_as_record_batches() {
    data_frame::main().unwrap();
}
