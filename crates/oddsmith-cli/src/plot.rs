//! Pictures on their way out: at a terminal as characters, else as SVG, or in the format that was asked for or that a file's name tells.

use std::path::Path;

use oddsmith::Error;
use oddsmith::card::{Card, Picture};
use oddsmith::eval::pictures::Judged;
use oddsmith::eval::{Evaluation, Metric};
use oddsmith_report::{Format, Style, picture_page, render_picture};

use crate::console::Console;
use crate::exit::Failure;
use crate::files;

/// Writes a picture: on standard output in the console's way.
pub(crate) fn show(picture: &Picture, console: &Console) -> Result<(), Failure> {
    let format = console.asked().unwrap_or(if console.out_is_terminal() { Format::Table } else { Format::Svg });
    console.text(&match format {
        Format::Html => picture_page(picture),
        _ => render_picture(picture, format, console.style()),
    })
}

/// Writes a picture to a file, in the format that its name tells unless another was asked for.
pub(crate) fn save(picture: &Picture, path: &Path, console: &Console) -> Result<(), Failure> {
    let named = match path.extension().and_then(|extension| extension.to_str()) {
        Some("svg") => Some(Format::Svg),
        Some("json") => Some(Format::Json),
        Some("csv") => Some(Format::Csv),
        Some("html") => Some(Format::Html),
        _ => None,
    };
    let Some(format) = console.asked().or(named) else {
        return Err(Failure::Usage(format!("{} tells no format; name it .svg, .json, .csv or .html, or give --format", path.display())));
    };
    let text = match format {
        Format::Html => picture_page(picture),
        _ => render_picture(picture, format, &Style { color: false, width: None, ..console.style().clone() }),
    };
    let saved = files::save(path, text.as_bytes())?;
    console.note(&format!("picture → {saved}"));
    Ok(())
}

/// The picture of a name on a card; the first where the name is that of the kind of card.
pub(crate) fn of_card<'a>(card: &'a Card, name: &str) -> Result<&'a Picture, Failure> {
    card.pictures.iter().find(|picture| picture.name == name).ok_or_else(|| {
        let names: Vec<&str> = card.pictures.iter().map(|picture| picture.name.as_str()).collect();
        let has = if names.is_empty() { "it has none".to_owned() } else { format!("it has: {}", names.join(", ")) };
        Failure::Usage(format!("{} has no picture `{name}`; {has}", card.title))
    })
}

/// The picture of a name of judged rows.
pub(crate) fn of_evaluation(
    name: &str,
    evaluation: &Evaluation,
    (target, classes): (&str, &oddsmith::data::Classes),
    threshold: Option<f64>,
) -> Result<Picture, Failure> {
    match (Judged { evaluation, classes, target, threshold, no_rows: false }).picture(name) {
        Some(picture) => drawn(name, picture),
        None => Err(Failure::Usage(format!(
            "there is no picture `{name}` of judged rows; there are: {}",
            oddsmith::eval::pictures::PICTURES.join(", ")
        ))),
    }
}

fn drawn(name: &str, picture: Metric<Picture>) -> Result<Picture, Failure> {
    picture.map_err(|reason| Error::data(format!("there is no picture `{name}`: {reason}")).into())
}
