//! `oddsmith._core`: what the Python package cannot do in Python. It takes arrays where they lie, releases the
//! interpreter while it works, and knows nothing of scikit-learn: names, attributes and checks live in `python/oddsmith`.

mod account;
mod arguments;
mod arrow;
mod calibration;
mod columns;
mod compare;
mod covariances;
mod dense;
mod edge;
mod files;
mod forms;
mod frame;
mod info;
mod info_pictures;
mod judgement;
mod labels;
mod model;
mod models;
mod neighbours;
mod options;
mod parts;
mod pictures;
mod quick;
mod ranking;
mod reading;
mod regression;
mod relay;
mod rounds;
mod shown;
mod sparse;
mod sums;
mod table;
mod ways;
mod work;

use pyo3::prelude::*;

/// The extension module.
#[pymodule(gil_used = false)]
mod _core {
    #[pymodule_export]
    use super::account::{Account, analyse, analyse_counts, analyses, effects};
    #[pymodule_export]
    use super::calibration::CalibrationMap;
    #[pymodule_export]
    use super::columns::Columns;
    #[pymodule_export]
    use super::compare::{Results, compare_frame, compare_rows, deal};
    #[pymodule_export]
    use super::covariances::shrunk_covariances;
    #[pymodule_export]
    use super::edge::notice_page;
    #[pymodule_export]
    use super::files::write_file;
    #[pymodule_export]
    use super::frame::Frame;
    #[pymodule_export]
    use super::info::{
        info_capacity, info_count_screen, info_decode, info_decode_cells, info_divergence, info_encode, info_encode_cells, info_entropy,
        info_gaussian, info_label_bits, info_mdl_cuts, info_neighbour_screen, info_neighbours, info_number_pair, info_posterior,
        info_table, info_words,
    };
    #[pymodule_export]
    use super::info_pictures::{info_code_picture, info_degrees, info_posterior_picture};
    #[pymodule_export]
    use super::judgement::{Evaluation, judge};
    #[pymodule_export]
    use super::labels::{factorize, level_counts};
    #[pymodule_export]
    use super::model::Model;
    #[pymodule_export]
    use super::models::{compared_models, fit_frame, fit_rows, model_of_formulas, models};
    #[pymodule_export]
    use super::parts::{Merger, Part, judge_part, list_pieces, merge_judged, open_part, predict_part, sum_lanes};
    #[pymodule_export]
    use super::pictures::{Picture, picture_of_frame, picture_of_model, picture_of_rows, report_of_frame, report_of_rows};
    #[pymodule_export]
    use super::ranking::{Ranking, delong};
    #[pymodule_export]
    use super::regression::fit_logistic;
    #[pymodule_export]
    use super::relay::{Relay, Spread, fit_files, gather_files};
    #[pymodule_export]
    use super::rounds::{Round, answer_question, merge_answers, question_columns};
    #[pymodule_export]
    use super::sums::{Sums, gather};
    #[pymodule_export]
    use super::work::panic_in_work;

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        // A panic is told by an exception; the default hook would also write to the standard error of a library.
        std::panic::set_hook(Box::new(|_| ()));
        module.add("PARTITION_ROWS", oddsmith_io::PARTITION_ROWS)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
