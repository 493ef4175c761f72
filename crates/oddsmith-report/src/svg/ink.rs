//! Colours: one table for both themes and for the page's style sheet. Text and lines on the page have a contrast of 4.5 to 1 or more against it.

use oddsmith::picture::Role;

/// Fonts, from the nearest at hand on.
pub(super) const FONTS: &str = "Segoe UI, Helvetica Neue, Roboto, Arial, Liberation Sans, Noto Sans, sans-serif";
/// Colours of things of the same rank; more of them begin again.
pub(super) const SERIES: usize = 8;
/// Colours of a surface from 0 to 1.
pub(super) const STEPS: usize = 10;

/// Where colours come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    /// Classes, for a page whose style sheet knows them.
    Variables,
    /// Written out.
    Written(Theme),
}

/// Dark on light, or light on dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    /// Dark on white.
    #[default]
    Light,
    /// Light on black.
    Dark,
}

impl Theme {
    pub(super) fn background(self) -> &'static str {
        self.pick("#ffffff", "#1a1e22")
    }

    fn pick(self, light: &'static str, dark: &'static str) -> &'static str {
        if self == Theme::Light { light } else { dark }
    }

    pub(super) fn grid(self) -> &'static str {
        self.pick("#e8ebee", "#2a3037")
    }

    fn zebra(self) -> &'static str {
        self.pick("#f6f7f9", "#1e2328")
    }

    /// How much a band hides.
    fn veil(self) -> &'static str {
        self.pick("0.2", "0.34")
    }

    pub(super) fn text(self, muted: bool) -> &'static str {
        if muted { self.pick("#57606a", "#a9b3bd") } else { self.pick("#1b1f24", "#e8ebee") }
    }

    /// The colour of a role.
    pub(super) fn role(self, role: Role) -> &'static str {
        const LIGHT: [&str; SERIES] = ["#1d5fa8", "#c2410c", "#0f766e", "#7c3aed", "#8a5a00", "#be185d", "#3f6f0a", "#475569"];
        const DARK: [&str; SERIES] = ["#7ab8ff", "#ff9a5c", "#5fd0c0", "#c4a8ff", "#e3c25f", "#ff9ac4", "#b4d36b", "#b6c2cf"];
        let series = |k: usize| self.pick(LIGHT[k % SERIES], DARK[k % SERIES]);
        match role {
            Role::Event => series(1),
            Role::Other => series(0),
            Role::Third => series(2),
            Role::Reference => self.pick("#8b949e", "#77828d"),
            Role::Plain => self.text(false),
            Role::Series(k) => series(usize::from(k)),
        }
    }

    fn step(self, step: usize) -> &'static str {
        const LIGHT: [&str; STEPS] =
            ["#a8c7e6", "#bcd4ec", "#d0e1f2", "#e3edf7", "#f3f7fb", "#fdf4ee", "#fae3d3", "#f6d0b5", "#f1bb95", "#eba474"];
        const DARK: [&str; STEPS] =
            ["#1c5b9c", "#1d4d80", "#1e4066", "#1e344f", "#1c2735", "#302722", "#4d3222", "#6d3d20", "#90491e", "#b4561d"];
        self.pick(LIGHT[step.min(STEPS - 1)], DARK[step.min(STEPS - 1)])
    }
}

/// Every colour of the light theme with the one that stands for it in the dark.
fn counterparts() -> Vec<[&'static str; 2]> {
    let both = |of: &dyn Fn(Theme) -> &'static str| [Theme::Light, Theme::Dark].map(of);
    let mut pairs = vec![both(&Theme::background), both(&|theme| theme.text(false)), both(&|theme| theme.text(true))];
    pairs.extend([both(&Theme::grid), both(&Theme::zebra), both(&|theme| theme.role(Role::Reference))]);
    pairs.extend((0..SERIES).map(|k| both(&|theme| theme.role(Role::Series(k as u8)))));
    pairs.extend((0..STEPS).map(|step| both(&|theme| theme.step(step))));
    pairs
}

/// Rules that turn a drawing of the light theme dark where its reader's page is: for the colours that it has, within what `scope` selects.
pub(super) fn rules_for_the_dark(drawn: &str, scope: &str) -> String {
    let mut rules = Vec::new();
    for [light, dark] in counterparts() {
        rules.extend(["fill", "stroke"].map(|name| (format!("[{name}=\"{light}\"]"), format!("{name}:{dark}"))));
    }
    let [light, dark] = [Theme::Light, Theme::Dark].map(Theme::veil);
    rules.push((format!("[fill-opacity=\"{light}\"]"), format!("fill-opacity:{dark}")));
    rules.retain(|(attribute, _)| drawn.contains(&format!(" {}", attribute.trim_matches(['[', ']']))));
    let within = |page: &str| rules.iter().map(|(attribute, look)| format!("{page} {scope} {attribute}{{{look}}}")).collect::<String>();
    // JupyterLab says which theme it has; elsewhere the reader's own wish is all there is to go by.
    format!(
        "@media (prefers-color-scheme:dark){{{}}}{}",
        within("body:not([data-jp-theme-light=\"true\"])"),
        within("body[data-jp-theme-light=\"false\"]")
    )
}

/// What something is drawn with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ink {
    Grid,
    Axis,
    Zebra,
    /// A line.
    Line(Role),
    /// A thin line.
    Thin(Role),
    /// A dashed line.
    Dashed(Role),
    /// A filled shape.
    Fill(Role),
    /// A filled shape with an edge of the page's colour.
    Dot(Role),
    /// A filled shape that lets through what is below.
    Band(Role),
    /// A place of a surface.
    Step(usize),
}

fn class(role: Role) -> String {
    match role {
        Role::Event => "ev".into(),
        Role::Other => "no".into(),
        Role::Third => "th".into(),
        Role::Reference => "rf".into(),
        Role::Plain => "pl".into(),
        Role::Series(k) => format!("s{}", usize::from(k) % SERIES),
    }
}

impl Ink {
    /// The attributes that give an element its look.
    pub(super) fn attributes(self, paint: Paint) -> String {
        match paint {
            Paint::Variables => match self {
                Ink::Grid => "class=\"g\"".into(),
                Ink::Axis => "class=\"a\"".into(),
                Ink::Zebra => "class=\"z\"".into(),
                Ink::Line(role) => format!("class=\"s {}\"", class(role)),
                Ink::Thin(role) => format!("class=\"s thin {}\"", class(role)),
                Ink::Dashed(role) => format!("class=\"s da {}\"", class(role)),
                Ink::Fill(role) => format!("class=\"f {}\"", class(role)),
                Ink::Dot(role) => format!("class=\"f dot {}\"", class(role)),
                Ink::Band(role) => format!("class=\"b {}\"", class(role)),
                Ink::Step(step) => format!("class=\"c{}\"", step.min(STEPS - 1)),
            },
            Paint::Written(theme) => self.written(theme),
        }
    }

    fn written(self, theme: Theme) -> String {
        let line = |role: Role, width: &str| {
            format!("fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"", theme.role(role))
        };
        match self {
            Ink::Grid => format!("stroke=\"{}\"", theme.grid()),
            Ink::Axis => format!("stroke=\"{}\"", theme.role(Role::Reference)),
            Ink::Zebra => format!("fill=\"{}\"", theme.zebra()),
            Ink::Line(role) => line(role, "2"),
            Ink::Thin(role) => line(role, "1.2"),
            Ink::Dashed(role) => format!("{} stroke-dasharray=\"5 4\"", line(role, "1.4")),
            Ink::Fill(role) => format!("fill=\"{}\"", theme.role(role)),
            Ink::Dot(role) => format!("fill=\"{}\" stroke=\"{}\" stroke-width=\"0.6\"", theme.role(role), theme.background()),
            Ink::Band(role) => format!("fill=\"{}\" fill-opacity=\"{}\"", theme.role(role), theme.veil()),
            Ink::Step(step) => format!("fill=\"{}\"", theme.step(step)),
        }
    }
}
