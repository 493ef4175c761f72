//! A picture on the page: title, what is seen in words, the drawing, and its data.

use oddsmith::picture::{Mark, Picture};

use super::Told;
use crate::escape::html;
use crate::rows::text_for_people;
use crate::svg::{HALF, Look, NARROW, Paint, WIDE, is_wide, svg};

impl Told<'_> {
    /// The picture as a figure.
    pub(super) fn drawn(&self, picture: &Picture) -> String {
        figure(picture, self.table_rows)
    }

    /// Two pictures side by side, or one alone.
    pub(super) fn pair(&self, pictures: &[&Picture]) -> String {
        match pictures {
            [only] => self.drawn(only),
            _ => {
                let drawn: String = pictures.iter().map(|picture| self.half(picture)).collect();
                format!("<div class=\"pair\">\n{drawn}</div>\n")
            }
        }
    }

    /// A picture with words beside it.
    pub(super) fn beside(&self, picture: &Picture, words: &str) -> String {
        format!("<div class=\"pair\">\n{}<div>\n{words}</div>\n</div>\n", self.half(picture))
    }

    /// A picture that shares its width with something else.
    fn half(&self, picture: &Picture) -> String {
        self.drawn(picture).replacen(" class=\"half\"", "", 1)
    }
}

/// The figure: a wide one is drawn for wide and for narrow screens.
pub(super) fn figure(picture: &Picture, table_rows: usize) -> String {
    let id = slug(&picture.name);
    let drawn = |width: f64, suffix: &str| svg(picture, &Look { paint: Paint::Variables, width, id: &format!("{id}{suffix}") });
    let (class, drawing) = match is_wide(picture) {
        true => ("", format!("<div class=\"wide\">{}</div><div class=\"narrow\">{}</div>", drawn(WIDE, "-w"), drawn(NARROW, "-n"))),
        false => (" class=\"half\"", drawn(HALF, "-h")),
    };
    format!(
        "<figure id=\"fig-{id}\"{class}>\n<figcaption><b>{}</b>{}</figcaption>\n{drawing}\n{}</figure>\n",
        html(&picture.title),
        html(&picture.summary),
        table(picture, table_rows)
    )
}

/// Letters and digits of a name, so that it can be an id.
pub(super) fn slug(name: &str) -> String {
    let kept: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    if kept.is_empty() { "picture".into() } else { kept }
}

/// The data of a picture, folded; a grid of values is no table that people read.
fn table(picture: &Picture, most: usize) -> String {
    let grid = |mark: &Mark| matches!(mark.still(), Mark::Surface { .. } | Mark::Region { .. } | Mark::Contour { .. } | Mark::Ruler { .. });
    if picture.panels.iter().any(|panel| panel.marks.iter().any(grid)) {
        return String::new();
    }
    let table = picture.short_table();
    if table.rows().is_empty() || most == 0 {
        return String::new();
    }
    let cells = |names: &mut dyn Iterator<Item = String>, tag: &str| names.map(|name| format!("<{tag}>{name}</{tag}>")).collect::<String>();
    let head = cells(&mut table.columns().iter().map(|name| html(name)), "th");
    let rows: String = table
        .rows()
        .iter()
        .take(most)
        .map(|row| format!("<tr>{}</tr>", cells(&mut row.iter().map(|cell| html(&text_for_people(cell))), "td")))
        .collect();
    let more = if table.rows().len() > most { format!("<p>The first {most} of {} rows.</p>", table.rows().len()) } else { String::new() };
    let name = html(&picture.title);
    format!(
        "<details><summary>Data</summary><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Data of {name}\">{more}<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div></details>\n"
    )
}
