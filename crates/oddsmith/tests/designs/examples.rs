//! The examples run, and find what they say.

#[path = "../../examples/arrays.rs"]
mod arrays;
#[path = "../../examples/calibrating.rs"]
mod calibrating;
#[path = "../../examples/merging.rs"]
mod merging;

#[test]
fn arrays_of_ndarray_are_fitted_where_they_lie() {
    arrays::main().unwrap();
}

#[test]
fn sums_of_two_places_are_the_model_of_all_rows() {
    merging::main().unwrap();
}

#[test]
fn a_calibrated_model_is_better_and_a_model_like_any_other() {
    calibrating::main().unwrap();
}
