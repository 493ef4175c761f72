//! One row taken apart, and the shape of the model.

use super::threshold_section::fine;
use super::{Section, Told, left_out};
use crate::escape::html;
use crate::svg::is_wide;
use oddsmith::picture::Picture;

impl Told<'_> {
    pub(super) fn one_row(&self) -> Section {
        let heading = "One row".to_owned();
        let row = match &self.findings.row {
            Ok(row) => row,
            Err(reason) => {
                let body = left_out(&format!("No row is taken apart: {}.", html(reason)));
                return Section { id: "row", name: "One row", heading, body };
            }
        };
        let p = self.findings.row_probability;
        let told = html(&fine(p));
        let mut body = format!(
            "<p>Row {} of {}, the surest of those that were looked at. The model gives {} a probability of <b data-out=\"result\">{told}</b>.</p>\n",
            row.row,
            html(&self.about.data),
            html(&row.class)
        );
        if row.two && self.has_console() {
            let prevalence = self.cuts().map_or(0.5, |cuts| cuts.events / (cuts.events + cuts.others));
            body.push_str(&format!(
                "<div class=\"live\" data-script hidden>\n<div class=\"sliders\">\n{}<div><button type=\"button\" data-reset>Back to the start</button></div></div>\n</div>\n",
                self.prevalence_slider("one row", prevalence)
            ));
        }
        body.push_str(&self.drawn(&row.picture()));
        Section { id: "row", name: "One row", heading, body }
    }

    /// Maps, densities, trees and words; `None` where there is nothing to see.
    pub(super) fn shape(&self) -> Option<Section> {
        let shape = &self.findings.shape;
        if shape.is_empty() {
            return None;
        }
        let narrow: Vec<&Picture> = shape.iter().filter(|picture| !is_wide(picture)).collect();
        let mut body: String = narrow.chunks(2).map(|two| self.pair(two)).collect();
        shape.iter().filter(|picture| is_wide(picture)).for_each(|picture| body.push_str(&self.drawn(picture)));
        Some(Section { id: "shape", name: "Shape", heading: "Shape".into(), body })
    }
}
