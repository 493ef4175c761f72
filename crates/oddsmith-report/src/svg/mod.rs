//! Pictures as SVG: a small layer of its own, because what others drop or choke on (infinite limits, no rows, hostile names) is what tables hold.
//!
//! ```text
//! Picture -> turned (categories below each other) -> frame (scales, ticks, room for texts) -> marks -> canvas (one writer of numbers, one of texts)
//! ```
//!
//! The same picture gives the same bytes. No coordinate can be other than finite: `number::coordinate` writes them all. Colours are
//! either variables of the page or written out, so that any program can read a saved picture. Time and size are linear in the marks, of which
//! those that fall on the same place are drawn once.

mod canvas;
mod contour;
mod extent;
mod frame;
mod ink;
mod labels;
mod legend;
mod marks;
mod number;
mod place;
mod ruler;
mod surface;
mod text;
mod ticks;
mod tree;
mod turned;

use oddsmith::picture::{Mark, Panel, Picture};

use canvas::Canvas;
pub use ink::{Paint, Theme};
use text::escaped;

/// Units of a wide picture, of one that stands beside another, and of one on a narrow screen.
pub const WIDE: f64 = 860.0;
/// Units of a picture that stands beside another.
pub const HALF: f64 = 430.0;
/// Units of a wide picture on a narrow screen.
pub const NARROW: f64 = 400.0;

/// How a picture is drawn.
#[derive(Debug, Clone, Copy)]
pub struct Look<'a> {
    /// Where colours come from.
    pub paint: Paint,
    /// Its width in units; its height follows.
    pub width: f64,
    /// What its ids begin with; they must differ within a page.
    pub id: &'a str,
}

/// Whether a picture needs the whole width of a page: texts beside its categories, rulers, trees.
pub fn is_wide(picture: &Picture) -> bool {
    let wide = |mark: &Mark| matches!(mark.still(), Mark::Ruler { .. } | Mark::Tree { .. });
    picture.panels.iter().any(|panel| !panel.y.columns.is_empty() || panel.x.also.is_some() || panel.marks.iter().any(wide))
}

/// The width at which a picture is drawn when nobody says otherwise.
pub fn own_width(picture: &Picture) -> f64 {
    if is_wide(picture) { WIDE } else { HALF + 90.0 }
}

/// The picture as an SVG element.
pub fn svg(picture: &Picture, look: &Look<'_>) -> String {
    let mut canvas = Canvas::new(look.paint);
    let panels: Vec<Panel> = picture.panels.iter().map(turned::turned).collect();
    let mut top = legend::draw(&panels, look.width, &mut canvas);
    // A panel that names no axis of its own leaves it to those below, which are no more than its margin; others are of one rank.
    let shared = panels.first().is_some_and(|first| first.x.label.is_empty());
    for (at, panel) in panels.iter().enumerate() {
        top = match panel.marks.iter().map(Mark::still).find(|mark| matches!(mark, Mark::Tree { .. })) {
            Some(Mark::Tree { classes, nodes }) => tree::draw(classes, nodes, look.width, top, &mut canvas),
            _ => frame::draw(panel, (look.width, top), shared && at > 0, &mut canvas),
        };
    }
    if panels.is_empty() {
        canvas.text(&text::Style::plain(), (8.0, 20.0), "There is nothing to draw.");
        top = 32.0;
    }
    whole(picture, look, top, &canvas.finish())
}

fn whole(picture: &Picture, look: &Look<'_>, height: f64, body: &str) -> String {
    let [width, height] = [look.width, height].map(number::coordinate);
    let id = escaped(look.id);
    let name = if picture.title.is_empty() { &picture.name } else { &picture.title };
    let told = format!("<title id=\"{id}-t\">{}</title><desc id=\"{id}-d\">{}</desc>", escaped(name), escaped(&picture.summary));
    let labelled = format!("role=\"img\" aria-labelledby=\"{id}-t {id}-d\"");
    match look.paint {
        Paint::Variables => format!("<svg class=\"fig\" viewBox=\"0 0 {width} {height}\" {labelled}>{told}{body}</svg>"),
        Paint::Written(theme) => format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" {labelled} \
             font-family=\"{}\" font-size=\"12\">{told}<rect width=\"100%\" height=\"100%\" fill=\"{}\"/>{body}</svg>",
            ink::FONTS,
            theme.background(),
        ),
    }
}

/// The picture as an SVG element within a page that may be light or dark, as its reader wishes: where style sheets are not obeyed it is light.
pub fn svg_following(picture: &Picture, id: &str) -> String {
    let drawn = svg(picture, &Look { paint: Paint::Written(Theme::Light), width: own_width(picture), id });
    // Ids are letters and digits here, so that they can stand in a selector.
    let id: String = id.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    let rules = ink::rules_for_the_dark(&drawn, &format!("svg[aria-labelledby=\"{id}-t {id}-d\"]"));
    drawn.replacen("</desc>", &format!("</desc><style>{rules}</style>"), 1)
}

/// The picture as a file of its own.
pub fn svg_file(picture: &Picture, theme: Theme) -> String {
    let look = Look { paint: Paint::Written(theme), width: own_width(picture), id: "picture" };
    format!("{}\n", svg(picture, &look))
}

/// A panel with its categories below each other, for other kinds of pictures.
pub(crate) fn turned_panel(panel: &Panel) -> Panel {
    turned::turned(panel)
}

/// A value where equal differences are equal steps.
pub(crate) fn warped_value(scale: oddsmith::picture::AxisScale, value: f64) -> f64 {
    place::warped(scale, value)
}

/// The lines along which a grid of values has a level.
pub(crate) fn lines_of_level(x: &[f64], y: &[f64], values: &[f64], level: f64) -> Vec<Vec<(f64, f64)>> {
    contour::trace(x, y, values, level)
}

/// The ends of a panel's horizontal axis.
pub(crate) fn ends_of(panel: &Panel) -> (f64, f64) {
    extent::ends(panel, false)
}

/// The ends of both axes.
pub(crate) fn both_ends(panel: &Panel) -> ((f64, f64), (f64, f64)) {
    (extent::ends(panel, false), extent::ends(panel, true))
}
