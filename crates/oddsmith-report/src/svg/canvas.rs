//! Elements of SVG, written one after the other.

use super::ink::{Ink, Paint};
use super::number::{coordinate, pair};
use super::text::{Anchor, SMALL, Style, escaped};

/// Elements in the order in which they are drawn.
pub(super) struct Canvas {
    out: String,
    paint: Paint,
}

impl Canvas {
    pub(super) fn new(paint: Paint) -> Self {
        Canvas { out: String::new(), paint }
    }

    pub(super) fn finish(self) -> String {
        self.out
    }

    pub(super) fn line(&mut self, ink: Ink, from: (f64, f64), to: (f64, f64)) {
        let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(coordinate);
        self.out.push_str(&format!("<line {} x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>", ink.attributes(self.paint)));
    }

    /// Lines through points, each list for itself.
    pub(super) fn lines(&mut self, ink: Ink, lists: &[Vec<(f64, f64)>]) {
        let drawn: String = lists.iter().filter(|points| points.len() > 1).map(|points| through(points)).collect();
        self.path(ink, &drawn);
    }

    /// A closed shape through points.
    pub(super) fn shape(&mut self, ink: Ink, points: &[(f64, f64)]) {
        if points.len() > 2 {
            self.path(ink, &format!("{}Z", through(points)));
        }
    }

    /// What closed lines hold, holes left out.
    pub(super) fn area(&mut self, ink: Ink, rings: &[Vec<(f64, f64)>]) {
        let d: String = rings.iter().filter(|ring| ring.len() > 2).map(|ring| format!("{}Z", through(ring))).collect();
        if !d.is_empty() {
            self.out.push_str(&format!("<path {} fill-rule=\"evenodd\" d=\"{d}\"/>", ink.attributes(self.paint)));
        }
    }

    /// A path; nothing where it is empty.
    pub(super) fn path(&mut self, ink: Ink, d: &str) {
        if !d.is_empty() {
            self.out.push_str(&format!("<path {} d=\"{d}\"/>", ink.attributes(self.paint)));
        }
    }

    /// A rectangle between two corners, at least a hair wide.
    pub(super) fn rect(&mut self, ink: Ink, a: (f64, f64), b: (f64, f64)) {
        let [x, y] = [a.0.min(b.0), a.1.min(b.1)].map(coordinate);
        let [width, height] = [(a.0 - b.0).abs().max(0.5), (a.1 - b.1).abs().max(0.5)].map(coordinate);
        self.out.push_str(&format!("<rect {} x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>", ink.attributes(self.paint)));
    }

    pub(super) fn circle(&mut self, ink: Ink, at: (f64, f64), radius: f64) {
        let [x, y, r] = [at.0, at.1, radius].map(coordinate);
        self.out.push_str(&format!("<circle {} cx=\"{x}\" cy=\"{y}\" r=\"{r}\"/>", ink.attributes(self.paint)));
    }

    pub(super) fn text(&mut self, style: &Style, at: (f64, f64), text: &str) {
        self.titled(style, at, text, None);
    }

    /// A text that was cut, and the whole of it for whoever points at it.
    pub(super) fn titled(&mut self, style: &Style, at: (f64, f64), text: &str, whole: Option<&str>) {
        if text.is_empty() {
            return;
        }
        let anchor = match style.anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let [x, y] = [at.0, at.1].map(coordinate);
        let look = self.look(style);
        let title = whole.filter(|whole| *whole != text).map_or_else(String::new, |whole| format!("<title>{}</title>", escaped(whole)));
        self.out.push_str(&format!("<text{look} x=\"{x}\" y=\"{y}\"{anchor}>{title}{}</text>", escaped(text)));
    }

    fn look(&self, style: &Style) -> String {
        match self.paint {
            Paint::Variables => {
                let classes = [(style.muted, "k"), (style.small, "sm"), (style.halo, "halo"), (style.bold, "bd"), (style.reversed, "on")];
                let named: Vec<&str> = classes.iter().filter(|(on, _)| *on).map(|(_, name)| *name).collect();
                if named.is_empty() { String::new() } else { format!(" class=\"{}\"", named.join(" ")) }
            }
            Paint::Written(theme) => {
                let mut look = format!(" fill=\"{}\"", if style.reversed { theme.background() } else { theme.text(style.muted) });
                if style.small {
                    look.push_str(&format!(" font-size=\"{SMALL}\""));
                }
                if style.bold {
                    look.push_str(" font-weight=\"600\"");
                }
                if style.halo {
                    let edge = theme.background();
                    look.push_str(&format!(" paint-order=\"stroke\" stroke=\"{edge}\" stroke-width=\"3\" stroke-linejoin=\"round\""));
                }
                look
            }
        }
    }

    /// Opens a group that a script finds: what moves it, or where the panel's axes lie.
    pub(super) fn open(&mut self, attributes: &[(&str, String)]) {
        self.out.push_str("<g");
        for (name, value) in attributes {
            self.out.push_str(&format!(" {name}=\"{}\"", escaped(value)));
        }
        self.out.push('>');
    }

    pub(super) fn close(&mut self) {
        self.out.push_str("</g>");
    }
}

fn through(points: &[(f64, f64)]) -> String {
    let mut d = String::new();
    let mut before = String::new();
    for (at, point) in points.iter().enumerate() {
        let written = pair(*point);
        if written != before || points.len() < 3 {
            d.push(if at == 0 { 'M' } else { 'L' });
            d.push_str(&written);
        }
        before = written;
    }
    d
}
