//! Simpson's reversal: an association that points the other way within strata.

use super::estimate::Estimate;
use crate::notice::{self, Notice};

/// Whether two ratios lie on opposite sides of 1.
pub(super) fn is_reversed(crude: &Estimate, within: &Estimate) -> bool {
    (crude.value > 1.0 && within.value < 1.0) || (crude.value < 1.0 && within.value > 1.0)
}

/// The notice of a reversal of an exposure's odds ratio within strata; `None` where there is none.
pub(super) fn reversal(exposure: &str, strata: &str, crude: &Estimate, within: &Estimate) -> Option<Notice> {
    if !is_reversed(crude, within) {
        return None;
    }
    let which = match (crude.excludes(1.0), within.excludes(1.0)) {
        (true, true) => "both intervals exclude 1",
        (true, false) => "only the crude interval excludes 1",
        (false, true) => "only the interval within strata excludes 1",
        (false, false) => "both intervals include 1",
    };
    let text = format!(
        "Simpson reversal: the crude odds ratio is {:.3}, within strata of {strata} it is {:.3}; {which}",
        crude.value, within.value
    );
    Some(Notice::new(notice::REVERSAL, text).column(exposure))
}
