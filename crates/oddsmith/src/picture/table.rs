//! Everything that is drawn, as a table.

use super::{Mark, Panel, Picture};
use crate::card::{Cell, FixedTable, Table};

/// One element of a mark: its text, its place and its limits, NaN where it has none.
struct Element {
    label: String,
    x: f64,
    x_to: f64,
    y: f64,
    low: f64,
    high: f64,
}

impl Element {
    fn at(x: f64, y: f64) -> Self {
        Element { label: String::new(), x, x_to: f64::NAN, y, low: f64::NAN, high: f64::NAN }
    }

    fn named(self, label: impl Into<String>) -> Self {
        Element { label: label.into(), ..self }
    }

    fn between(self, low: f64, high: f64) -> Self {
        Element { low, high, ..self }
    }
}

impl Picture {
    /// Everything that is drawn: panel, kind of mark, its number, its name, the text of the element, its place and its limits. Missing values are
    /// empty cells, infinite ones are kept.
    pub fn table(&self) -> Table {
        let mut table = FixedTable::new(&self.name, ["panel", "mark", "layer", "name", "label", "x", "x_to", "y", "low", "high"]);
        let text = |text: &str| if text.is_empty() { Cell::Empty } else { text.into() };
        let number = |value: f64| if value.is_nan() { Cell::Empty } else { value.into() };
        for (at, panel) in self.panels.iter().enumerate() {
            for (layer, mark) in panel.marks.iter().enumerate() {
                for element in elements(panel, mark) {
                    let [x, x_to, y, low, high] = [element.x, element.x_to, element.y, element.low, element.high].map(number);
                    let kind = mark.kind().into();
                    table.push([(at + 1).into(), kind, (layer + 1).into(), text(mark.name()), text(&element.label), x, x_to, y, low, high]);
                }
            }
        }
        table.into()
    }

    /// Columns of [`Picture::table`] that hold something.
    pub fn short_table(&self) -> Table {
        let mut table = self.table();
        let used: Vec<bool> = (0..table.columns().len()).map(|j| table.rows().iter().any(|row| row[j] != Cell::Empty)).collect();
        let panels = self.panels.len() > 1;
        table.retain_columns(|j, name| used[j] && name != "layer" && (panels || name != "panel"));
        table
    }
}

/// The name of the category at a place, where an axis has one there.
fn category(panel: &Panel, place: f64) -> String {
    let names = if panel.y.categories.is_empty() { &panel.x.categories } else { &panel.y.categories };
    let at = (place >= 0.0 && place.fract() == 0.0).then_some(place as usize);
    at.and_then(|at| names.get(at)).map_or_else(String::new, |name| name.trim().to_owned())
}

fn elements(panel: &Panel, mark: &Mark) -> Vec<Element> {
    let upright = panel.y.categories.is_empty() && !panel.x.categories.is_empty();
    // Along an axis of categories the place is on that axis.
    let placed = |at: f64, value: f64| if upright { Element::at(at, value) } else { Element::at(value, at) };
    match mark.still() {
        Mark::Line { points, .. } | Mark::Points { points, .. } => points.iter().map(|(x, y)| Element::at(*x, *y)).collect(),
        Mark::Band { points, .. } => points.iter().map(|(x, low, high)| Element::at(*x, f64::NAN).between(*low, *high)).collect(),
        Mark::Intervals { estimates, .. } => {
            estimates.iter().map(|(at, value, low, high)| placed(*at, *value).between(*low, *high).named(category(panel, *at))).collect()
        }
        Mark::Bars { bars, .. } => {
            bars.iter().map(|(at, from, to)| placed(*at, *to).between(*from, *to).named(category(panel, *at))).collect()
        }
        Mark::Blocks { blocks, .. } => {
            let block = |(left, right, from, to): &(f64, f64, f64, f64)| {
                Element { x_to: *right, ..Element::at(*left, f64::NAN) }.between(*from, *to)
            };
            blocks.iter().map(block).collect()
        }
        Mark::Rule { upright: true, at, .. } => vec![Element::at(*at, f64::NAN)],
        Mark::Rule { at, .. } => vec![Element::at(f64::NAN, *at)],
        Mark::Surface { x, y, values } | Mark::Region { x, y, values, .. } | Mark::Contour { x, y, values, .. } => {
            let places = y.iter().flat_map(|y| x.iter().map(move |x| (*x, *y)));
            places.zip(values).map(|((x, y), value)| Element::at(x, y).between(*value, f64::NAN)).collect()
        }
        Mark::Ruler { at, ticks } => {
            let of = category(panel, *at);
            ticks.iter().map(|(x, text)| Element::at(*x, *at).named(format!("{of}: {text}"))).collect()
        }
        Mark::Label { at, text } => vec![Element::at(at.0, at.1).named(text)],
        Mark::Tree { nodes, .. } => {
            let node = |(at, node): (usize, &super::TreeNode)| {
                let text = std::iter::once(&node.edge).chain(&node.lines).filter(|line| !line.is_empty()).cloned().collect::<Vec<_>>();
                Element::at(at as f64, node.parent.map_or(f64::NAN, |parent| parent as f64)).named(text.join("; "))
            };
            nodes.iter().enumerate().map(node).collect()
        }
        Mark::Live { .. } => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::{Axis, AxisScale, Role};

    #[test]
    fn the_table_lists_every_element_of_every_mark() {
        let marks = vec![
            Mark::Line { role: Role::Event, name: "ROC".into(), points: vec![(0.0, 0.0), (1.0, 1.0)] }.moved_by("prevalence"),
            Mark::Intervals { role: Role::Plain, estimates: vec![(1.0, 2.0, 0.5, f64::INFINITY)] },
            Mark::Surface { x: vec![0.0, 1.0], y: vec![5.0], values: vec![0.1, 0.9] },
        ];
        let y = Axis { scale: AxisScale::Categories, categories: vec!["age".into(), "  smoker".into()], ..Axis::default() };
        let picture = Picture { name: "all".into(), panels: vec![Panel { y, marks, ..Panel::default() }], ..Picture::default() };
        let table = picture.table();
        assert_eq!(table.rows().len(), 5);
        assert_eq!(table.rows()[0][1], Cell::from("line"));
        assert_eq!(table.rows()[2][4], Cell::from("smoker"));
        assert_eq!(table.rows()[2][9], Cell::Number(f64::INFINITY));
        assert_eq!(table.rows()[4][5..9], [Cell::Number(1.0), Cell::Empty, Cell::Number(5.0), Cell::Number(0.9)]);
        assert!(table.rows()[0][9] == Cell::Empty);
        assert!(picture.short_table().position("panel").is_none());
    }
}
