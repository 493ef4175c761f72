//! A picture as JSON: what is drawn, with numbers that JSON has no word for as the strings that tables use.

use oddsmith::card::Cell;
use oddsmith::picture::{Axis, Mark, Panel, Picture};

use crate::json::{string, value};

/// The picture as an object.
pub(crate) fn picture(picture: &Picture) -> String {
    let panels: Vec<String> = picture.panels.iter().map(panel).collect();
    object(&[
        ("name", string(&picture.name)),
        ("title", string(&picture.title)),
        ("summary", string(&picture.summary)),
        ("panels", list(panels)),
    ])
}

fn object(members: &[(&str, String)]) -> String {
    let members: Vec<String> = members.iter().map(|(name, value)| format!("{}: {value}", string(name))).collect();
    format!("{{{}}}", members.join(", "))
}

fn list(items: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", items.into_iter().collect::<Vec<_>>().join(", "))
}

fn number(of: f64) -> String {
    value(&Cell::Number(of))
}

fn numbers(of: &[f64]) -> String {
    list(of.iter().map(|value| number(*value)))
}

fn panel(panel: &Panel) -> String {
    object(&[("x", axis(&panel.x)), ("y", axis(&panel.y)), ("marks", list(panel.marks.iter().map(mark)))])
}

fn axis(axis: &Axis) -> String {
    let mut members = vec![("label", string(&axis.label)), ("scale", string(&format!("{:?}", axis.scale).to_lowercase()))];
    members.extend(axis.range.map(|(from, to)| ("range", numbers(&[from, to]))));
    if !axis.categories.is_empty() {
        members.push(("categories", list(axis.categories.iter().map(|name| string(name)))));
    }
    if !axis.columns.is_empty() {
        let column = |column: &oddsmith::picture::Column| {
            object(&[("title", string(&column.title)), ("cells", list(column.cells.iter().map(|cell| string(cell))))])
        };
        members.push(("columns", list(axis.columns.iter().map(column))));
    }
    object(&members)
}

fn mark(of: &Mark) -> String {
    let mut members = vec![("mark", string(of.kind())), ("role", string(&format!("{:?}", of.role()).to_lowercase()))];
    if !of.name().is_empty() {
        members.push(("name", string(of.name())));
    }
    members.extend(data(of.still()));
    object(&members)
}

fn data(mark: &Mark) -> Vec<(&'static str, String)> {
    match mark {
        Mark::Line { points, .. } | Mark::Points { points, .. } => vec![("points", list(points.iter().map(|(x, y)| numbers(&[*x, *y]))))],
        Mark::Band { points, .. } => vec![("points", list(points.iter().map(|(x, low, high)| numbers(&[*x, *low, *high]))))],
        Mark::Intervals { estimates, .. } => {
            vec![("estimates", list(estimates.iter().map(|(at, value, low, high)| numbers(&[*at, *value, *low, *high]))))]
        }
        Mark::Bars { bars, .. } => vec![("bars", list(bars.iter().map(|(at, from, to)| numbers(&[*at, *from, *to]))))],
        Mark::Blocks { blocks, .. } => vec![("blocks", list(blocks.iter().map(|(l, r, from, to)| numbers(&[*l, *r, *from, *to]))))],
        Mark::Rule { upright, at, .. } => vec![("upright", upright.to_string()), ("at", number(*at))],
        Mark::Surface { x, y, values } => vec![("x", numbers(x)), ("y", numbers(y)), ("values", numbers(values))],
        Mark::Region { x, y, values, level, .. } | Mark::Contour { x, y, values, level, .. } => {
            vec![("level", number(*level)), ("x", numbers(x)), ("y", numbers(y)), ("values", numbers(values))]
        }
        Mark::Ruler { at, ticks } => {
            let tick = |(place, text): &(f64, String)| format!("[{}, {}]", number(*place), string(text));
            vec![("at", number(*at)), ("ticks", list(ticks.iter().map(tick)))]
        }
        Mark::Label { at, text } => vec![("at", numbers(&[at.0, at.1])), ("text", string(text))],
        Mark::Tree { classes, nodes } => {
            let node = |node: &oddsmith::picture::TreeNode| {
                object(&[
                    ("parent", node.parent.map_or_else(|| "null".into(), |parent| parent.to_string())),
                    ("edge", string(&node.edge)),
                    ("lines", list(node.lines.iter().map(|line| string(line)))),
                    ("proportions", numbers(&node.proportions)),
                ])
            };
            vec![("classes", list(classes.iter().map(|name| string(name)))), ("nodes", list(nodes.iter().map(node)))]
        }
        Mark::Live { .. } => Vec::new(),
    }
}
