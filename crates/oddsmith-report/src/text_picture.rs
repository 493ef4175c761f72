//! Small pictures of characters, for a terminal: rows with bars or limits, and curves of dots.
//!
//! ```text
//!  smoke yes       │      ├────■────┤     2.79 (1.31–6.19)
//! ```

use oddsmith::picture::{AxisScale, Mark, Panel, Picture, Role, TreeNode};

use crate::escape::printable;
use crate::format::Style;
use crate::number::without_zeros;
use crate::wrap::wrapped;

/// Width where the terminal's is not known.
const WIDTH: usize = 80;
/// Rows of the first panel of curves, and of those below it.
const HEIGHT: usize = 18;
const FLAT_HEIGHT: usize = 5;
/// Columns of a panel of rows, at least.
const NARROWEST: usize = 20;

/// The picture as lines of text.
pub fn text_picture(picture: &Picture, style: &Style) -> String {
    let width = style.width.unwrap_or(WIDTH).clamp(40, 120);
    let mut text = format!("{}\n", printable(&picture.title));
    for (at, panel) in picture.panels.iter().map(crate::svg::turned_panel).enumerate() {
        let tree = panel.marks.iter().map(Mark::still).find_map(|mark| match mark {
            Mark::Tree { nodes, .. } => Some(nodes),
            _ => None,
        });
        text.push_str(&match tree {
            Some(nodes) => of_tree(nodes, width),
            None if panel.y.scale == AxisScale::Categories => of_rows(&panel, width),
            None => of_curves(&panel, width, if at == 0 { HEIGHT } else { FLAT_HEIGHT }),
        });
    }
    let told = format!("{}{}", printable(&picture.summary), left_out(picture));
    text.push_str(&wrapped(&told, Some(width), 0));
    text.push('\n');
    text
}

/// What characters cannot show of what the words are about.
fn left_out(picture: &Picture) -> &'static str {
    let area = |mark: &Mark| matches!(mark.still(), Mark::Band { .. } | Mark::Surface { .. } | Mark::Region { .. } | Mark::Contour { .. });
    let any = picture.panels.iter().any(|panel| panel.marks.iter().any(area));
    if any { " (Characters show no colours, bands or areas; the SVG does.)" } else { "" }
}

/// Places of values among so many columns or rows.
struct Ruler {
    scale: AxisScale,
    ends: (f64, f64),
    cells: usize,
}

impl Ruler {
    /// The cell of a value, and whether it lies within; `None` for a missing one.
    fn at(&self, value: f64) -> Option<(usize, bool)> {
        if value.is_nan() || self.cells == 0 {
            return None;
        }
        let [value, from, to] = [value, self.ends.0, self.ends.1].map(|v| crate::svg::warped_value(self.scale, v));
        let share = (value - from) / (to - from);
        let share = if share.is_nan() { 0.5 } else { share };
        let cell = (share.clamp(0.0, 1.0) * (self.cells - 1) as f64).round() as usize;
        Some((cell, (-1e-9..=1.0 + 1e-9).contains(&share)))
    }
}

/// The text in so many columns, cut or filled.
fn in_columns(text: &str, columns: usize) -> String {
    let text = printable(text);
    let length = text.chars().count();
    match length <= columns {
        true => format!("{text}{}", " ".repeat(columns - length)),
        false => format!("{}…", text.chars().take(columns.saturating_sub(1)).collect::<String>()),
    }
}

fn of_rows(panel: &Panel, width: usize) -> String {
    let names = panel.y.categories.iter().map(|name| name.chars().count()).max().unwrap_or(0).min(width / 3);
    let column = panel.y.columns.first();
    let beside = column
        .map_or(0, |column| column.cells.iter().chain([&column.title]).map(|cell| cell.chars().count()).max().unwrap_or(0).min(width / 3));
    let cells = width.saturating_sub(names + beside + 5).max(NARROWEST);
    let ruler = Ruler { scale: panel.x.scale, ends: crate::svg::ends_of(panel), cells };
    let mut lines: Vec<Vec<char>> = vec![vec![' '; cells]; panel.y.categories.len()];
    let signs = Signs::of(panel);
    // A character hides the one below it: estimates with limits, whose numbers stand beside them, come last.
    let (limits, others): (Vec<&Mark>, Vec<&Mark>) =
        panel.marks.iter().map(Mark::still).partition(|mark| matches!(mark, Mark::Intervals { .. }));
    others.into_iter().chain(limits).for_each(|mark| draw_row_mark(mark, &ruler, signs, &mut lines));
    let mut text = signs.legend(panel, width);
    if let Some(column) = column.filter(|_| beside > 0) {
        text.push_str(format!(" {}{}  {}\n", " ".repeat(names + 1), " ".repeat(cells), in_columns(&column.title, beside)).trim_end());
        text.push('\n');
    }
    for (at, line) in lines.iter().enumerate().rev() {
        let cell = column.and_then(|column| column.cells.get(at)).map_or("", String::as_str);
        let line =
            format!(" {} {}  {}", in_columns(&panel.y.categories[at], names), line.iter().collect::<String>(), in_columns(cell, beside));
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text.push_str(&foot(panel, &ruler, names + 2));
    text
}

/// Which characters tell marks of different roles apart.
#[derive(Clone, Copy)]
struct Signs {
    /// Whether bars of more than one role stand in the same rows.
    several_bars: bool,
    /// Whether there are limits around estimates.
    limits: bool,
}

impl Signs {
    /// What points are drawn with.
    const POINTS: [char; 3] = ['▲', '◆', '●'];

    fn of(panel: &Panel) -> Self {
        let bars = panel.marks.iter().map(Mark::still).filter(|mark| matches!(mark, Mark::Bars { .. }));
        let roles: Vec<Role> = bars.map(Mark::role).collect();
        let limits = panel.marks.iter().any(|mark| matches!(mark.still(), Mark::Intervals { .. }));
        Signs { several_bars: roles.iter().any(|role| *role != roles[0]), limits }
    }

    fn bar(self, role: Role) -> char {
        if self.several_bars && role == Role::Event { '▒' } else { '█' }
    }

    fn point(role: Role) -> char {
        match role {
            Role::Event => Signs::POINTS[0],
            Role::Third => Signs::POINTS[1],
            _ => Signs::POINTS[2],
        }
    }

    /// What the characters of a panel of rows stand for; nothing where marks have no names.
    fn legend(self, panel: &Panel, width: usize) -> String {
        let named = panel.marks.iter().map(Mark::still).filter(|mark| !mark.name().is_empty());
        let items = named.filter_map(|mark| match mark {
            Mark::Points { .. } => Some(format!("{} {}", Signs::point(mark.role()), printable(mark.name()))),
            Mark::Blocks { .. } if self.limits => Some(format!("■ {}", printable(mark.name()))),
            Mark::Blocks { .. } => Some(format!("{} {}", self.bar(mark.role()), printable(mark.name()))),
            _ => None,
        });
        let items: Vec<String> = items.collect();
        if items.is_empty() { String::new() } else { format!(" {}\n", wrapped(&items.join("; "), Some(width), 1).trim()) }
    }
}

fn draw_row_mark(mark: &Mark, ruler: &Ruler, signs: Signs, lines: &mut [Vec<char>]) {
    let row = |at: f64| (at >= 0.0 && at.fract() == 0.0).then_some(at as usize);
    match mark {
        Mark::Rule { upright: true, at, .. } => {
            if let Some((cell, true)) = ruler.at(*at) {
                lines.iter_mut().for_each(|line| line[cell] = '│');
            }
        }
        Mark::Intervals { estimates, .. } => {
            for (at, value, low, high) in estimates {
                let Some(line) = row(*at).and_then(|at| lines.get_mut(at)) else { continue };
                if let (Some((from, starts)), Some((to, ends))) = (ruler.at(*low), ruler.at(*high)) {
                    // Points on the way stay.
                    let way = line[from..=to.max(from)].iter_mut().filter(|cell| !Signs::POINTS.contains(cell));
                    way.for_each(|cell| *cell = '─');
                    line[from] = if starts { '├' } else { '←' };
                    line[to] = if ends { '┤' } else { '→' };
                }
                if let Some((cell, inside)) = ruler.at(*value) {
                    line[cell] = if inside { '■' } else { line[cell] };
                }
            }
        }
        Mark::Points { role, points, .. } => {
            for (value, at) in points {
                let Some(line) = row(*at).and_then(|at| lines.get_mut(at)) else { continue };
                match ruler.at(*value) {
                    Some((cell, true)) => line[cell] = Signs::point(*role),
                    Some((0, false)) => line[0] = '←',
                    Some((cell, false)) => line[cell] = '→',
                    None => {}
                }
            }
        }
        Mark::Bars { role, bars } => {
            for (at, from, to) in bars {
                let Some(line) = row(*at).and_then(|at| lines.get_mut(at)) else { continue };
                if let (Some((a, _)), Some((b, _))) = (ruler.at(*from), ruler.at(*to)) {
                    line[a.min(b)..=a.max(b)].iter_mut().for_each(|cell| *cell = signs.bar(*role));
                }
            }
        }
        Mark::Ruler { at, ticks } => {
            let Some(line) = row(*at).and_then(|at| lines.get_mut(at)) else { return };
            for (place, text) in ticks {
                let Some((cell, true)) = ruler.at(*place) else { continue };
                let shown: Vec<char> = printable(text).chars().collect();
                let start = cell.saturating_sub(shown.len() / 2).min(line.len().saturating_sub(shown.len()));
                let room = start.saturating_sub(1)..(start + shown.len() + 1).min(line.len());
                if line[room].iter().all(|cell| *cell == ' ') && start + shown.len() <= line.len() {
                    line[start..start + shown.len()].copy_from_slice(&shown);
                }
            }
        }
        _ => {}
    }
}

/// The ends of the axis and its name.
fn foot(panel: &Panel, ruler: &Ruler, before: usize) -> String {
    if panel.x.bare {
        return String::new();
    }
    let (from, to) = end_texts(panel.x.scale, ruler.ends);
    let label = printable(&panel.x.label);
    let room = ruler.cells.saturating_sub(from.chars().count() + to.chars().count() + 2);
    let label = if label.chars().count() <= room { label } else { String::new() };
    let space = ruler.cells.saturating_sub(from.chars().count() + to.chars().count() + label.chars().count());
    format!("{}{from}{}{label}{}{to}\n", " ".repeat(before), " ".repeat(space / 2), " ".repeat(space - space / 2))
}

/// The ends of an axis with the digits that its length gives a meaning to.
fn end_texts(scale: AxisScale, (from, to): (f64, f64)) -> (String, String) {
    // An end is where the axis stops, not a measurement: zeros behind it would promise digits.
    let plain = |value: f64| {
        let text = crate::for_people(value);
        if text.contains('e') { text } else { without_zeros(&text).to_owned() }
    };
    let two_digits = |value: f64| plain(format!("{value:.1e}").parse().unwrap_or(value));
    let decimals = (1.0 - (to - from).abs().log10().floor()).clamp(0.0, 8.0) as usize;
    let text = |value: f64| match scale {
        AxisScale::Proportion | AxisScale::Logit => format!("{}%", plain((1e5 * value).round() / 1e3)),
        AxisScale::Log => two_digits(value),
        _ if value.abs() >= 1e6 || value.fract() == 0.0 => crate::for_people(value),
        _ => format!("{value:.decimals$}"),
    };
    (text(from), text(to))
}

/// Dots of two by four to a character.
struct Dots {
    columns: usize,
    rows: usize,
    cells: Vec<u8>,
}

impl Dots {
    fn set(&mut self, x: usize, y: usize) {
        // Braille patterns number their dots down the columns, with the lowest row after them.
        const BITS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
        let (column, row) = (x / 2, y / 4);
        if column < self.columns && row < self.rows {
            self.cells[row * self.columns + column] |= BITS[x % 2][y % 4];
        }
    }

    fn line(&self, row: usize) -> String {
        let cells = &self.cells[row * self.columns..(row + 1) * self.columns];
        cells.iter().map(|dots| if *dots == 0 { ' ' } else { char::from_u32(0x2800 + u32::from(*dots)).unwrap_or(' ') }).collect()
    }
}

fn of_curves(panel: &Panel, width: usize, rows: usize) -> String {
    let columns = width.saturating_sub(9).min(64);
    let mut dots = Dots { columns, rows, cells: vec![0; columns * rows] };
    let (x_ends, y_ends) = crate::svg::both_ends(panel);
    let x = Ruler { scale: panel.x.scale, ends: x_ends, cells: 2 * columns };
    let y = Ruler { scale: panel.y.scale, ends: y_ends, cells: 4 * rows };
    let place = |(a, b): &(f64, f64)| Some((x.at(*a)?, y.at(*b)?));
    let draw_line = |points: &[(f64, f64)], sparse: bool, dots: &mut Dots| {
        for pair in points.windows(2) {
            let (Some((a, b)), Some((c, d))) = (place(&pair[0]), place(&pair[1])) else { continue };
            if a.1 && b.1 && c.1 && d.1 {
                segment((a.0, b.0), (c.0, d.0), sparse, dots);
            }
        }
    };
    for mark in panel.marks.iter().map(Mark::still) {
        match mark {
            Mark::Line { points, role, .. } => draw_line(points, *role == Role::Reference, &mut dots),
            // The boundary; lines around it would hide the points between them.
            Mark::Contour { role: Role::Plain, x, y, values, level, .. } => {
                crate::svg::lines_of_level(x, y, values, *level).iter().for_each(|line| draw_line(line, false, &mut dots));
            }
            Mark::Points { points, .. } => {
                for (a, b) in points.iter().filter_map(place).filter(|(a, b)| a.1 && b.1) {
                    dots.set(a.0, 4 * rows - 1 - b.0);
                }
            }
            Mark::Blocks { blocks, .. } => {
                for (left, right, from, to) in blocks {
                    let (Some((a, b)), Some((c, d))) = (place(&(*left, *from)), place(&(*right, *to))) else { continue };
                    for across in a.0..=c.0 {
                        (b.0.min(d.0)..=b.0.max(d.0)).for_each(|up| dots.set(across, 4 * rows - 1 - up));
                    }
                }
            }
            _ => {}
        }
    }
    let (mut bottom, top) = end_texts(panel.y.scale, y_ends);
    if panel.y.mirrored {
        bottom = bottom.replace('-', "");
    }
    let gutter = top.chars().count().max(bottom.chars().count()).min(10);
    let mut text = if panel.y.label.is_empty() { String::new() } else { format!(" {}\n", printable(&panel.y.label)) };
    for row in 0..rows {
        let tick = if row == 0 {
            &top
        } else if row + 1 == rows {
            &bottom
        } else {
            ""
        };
        text.push_str(format!(" {tick:>gutter$} {}", dots.line(row)).trim_end());
        text.push('\n');
    }
    text.push_str(&foot(panel, &Ruler { scale: panel.x.scale, ends: x_ends, cells: columns }, gutter + 2));
    text
}

/// The dots between two, one of three of a sparse line.
fn segment(from: (usize, usize), to: (usize, usize), sparse: bool, dots: &mut Dots) {
    let steps = from.0.abs_diff(to.0).max(from.1.abs_diff(to.1)).max(1);
    for step in 0..=steps {
        let between = |a: usize, b: usize| (a as f64 + (b as f64 - a as f64) * step as f64 / steps as f64).round() as usize;
        if !sparse || step % 4 == 0 {
            dots.set(between(from.0, to.0), 4 * dots.rows - 1 - between(from.1, to.1));
        }
    }
}

fn of_tree(nodes: &[TreeNode], width: usize) -> String {
    let mut depths = vec![0usize; nodes.len()];
    let mut text = String::new();
    for (at, node) in nodes.iter().enumerate() {
        depths[at] = node.parent.filter(|parent| *parent < at).map_or(0, |parent| depths[parent] + 1);
        let said = std::iter::once(&node.edge).chain(&node.lines).filter(|line| !line.is_empty()).cloned().collect::<Vec<_>>().join(": ");
        if said.is_empty() {
            continue;
        }
        let line = format!(" {}{said}", "· ".repeat(depths[at]));
        text.push_str(in_columns(&line, width).trim_end());
        text.push('\n');
    }
    text
}
