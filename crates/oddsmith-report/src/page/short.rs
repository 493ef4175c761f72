//! The first section: what must be known, then what the model says, then how good it is, in words that need no statistics.

use oddsmith::card::Cell;
use oddsmith::error::visible;
use oddsmith::train::findings::JudgedOn;

use super::{Section, Told, fixed, paragraph, with_code};
use crate::escape::html;

/// Most terms that are named of each kind.
const MOST: usize = 6;
/// Most kinds of warnings.
const MOST_WARNINGS: usize = 12;

/// A term of a regression with its odds ratio and limits.
struct Effect {
    name: String,
    value: f64,
    low: f64,
    high: f64,
}

/// A kind of effect: what it is called, which effects it holds, and what is said after them.
type EffectGroup = (&'static str, fn(&Effect) -> bool, &'static str);
/// A figure in a tile: its name among the metrics, its title, and what it means, given its interval in words.
type Tile = (&'static str, &'static str, fn(&str) -> String);

impl Told<'_> {
    pub(super) fn in_short(&self) -> Section {
        let mut body = String::new();
        for (name, text) in self.warnings() {
            body.push_str(&format!("<div class=\"warn\"><p><b>{}.</b> {}</p></div>\n", html(&name), with_code(&html(&text))));
        }
        body.push_str(&self.effects_in_words());
        body.push_str(&self.quality_in_words());
        body.push_str(&self.tiles());
        Section { id: "short", name: "In short", heading: "In short".into(), body }
    }

    /// Notices of the fit and of the table, and what the figures say, each once.
    fn warnings(&self) -> Vec<(String, String)> {
        let mut warnings: Vec<(String, String)> = Vec::new();
        // What is said of several columns stands together.
        let mut told: Vec<(&str, String, Vec<String>)> = Vec::new();
        for notice in self.findings.card.notices.iter().chain(&self.about.notices).filter(|notice| notice.is_warning()) {
            let name = oddsmith::notice::page(notice.id).map_or(notice.id, |page| page.name);
            let mut title = name.to_owned();
            if let Some(first) = title.get_mut(0..1) {
                first.make_ascii_uppercase();
            }
            let text = match &notice.column {
                Some(column) => format!("{}: {}", visible(column), notice.text),
                None => upper_first(&notice.text),
            };
            match told.iter().position(|(id, ..)| *id == notice.id) {
                Some(at) if told[at].2.contains(&text) => {}
                Some(at) => told[at].2.push(text),
                None if told.len() < MOST_WARNINGS => told.push((notice.id, title, vec![text])),
                None => {}
            }
        }
        for (id, title, texts) in told {
            let more = texts.len().saturating_sub(MOST);
            let rest = if more > 0 { format!("; and {more} more") } else { String::new() };
            let first: Vec<String> = texts.into_iter().take(MOST).collect();
            warnings.push((title, format!("{}{rest} ({id}).", first.join("; "))));
        }
        if self.findings.judged.as_ref().is_some_and(|judged| judged.on == JudgedOn::OwnRows) {
            warnings.push((
                "Judged on its own rows".into(),
                "The figures below come from the rows that the model learned from. They are better than what new rows will show.".into(),
            ));
        }
        if let Some(saved) = self.figure("bits_saved")
            && saved.interval.is_some_and(|(_, high)| high < 0.0)
        {
            warnings.push((
                "Worse than no model".into(),
                format!(
                    "Naming a class takes {} bits per row more with its probabilities than with the class proportions alone.",
                    fixed(-saved.value, 3)
                ),
            ));
        }
        if let Some(slope) = self.figure("calibration_slope")
            && let Some((low, high)) = slope.interval.filter(|(low, high)| *high < 1.0 || *low > 1.0)
        {
            let (name, what) = match high < 1.0 {
                true => ("Probabilities are too extreme", "High ones are too high and low ones too low"),
                false => ("Probabilities are too timid", "High ones are too low and low ones too high"),
            };
            warnings.push((
                name.into(),
                format!(
                    "{what} (calibration slope {}, 95% interval {} to {}; 1 is right).",
                    fixed(slope.value, 2),
                    fixed(low, 2),
                    fixed(high, 2)
                ),
            ));
        }
        warnings
    }

    /// A figure that has a value.
    pub(super) fn figure(&self, name: &str) -> Option<oddsmith::eval::Estimate> {
        let (_, found) = self.judged.figures.iter().find(|(known, _)| *known == name)?;
        found.as_ref().ok().copied()
    }

    fn effects(&self) -> Vec<Effect> {
        let tidy = &self.findings.card.tidy;
        let place = |name: &str| tidy.position(name);
        let (Some(term), Some(level), Some(value), Some(low), Some(high)) =
            (place("term"), place("level"), place("odds_ratio"), place("odds_low"), place("odds_high"))
        else {
            return Vec::new();
        };
        let number = |cell: &Cell| match cell {
            Cell::Number(value) => *value,
            _ => f64::NAN,
        };
        let text = |cell: &Cell| match cell {
            Cell::Text(text) => visible(text),
            _ => String::new(),
        };
        let effect = |row: &Vec<Cell>| {
            let level = text(&row[level]);
            let unit = place("unit").map_or(1.0, |at| number(&row[at]));
            let per = if unit.is_finite() && unit != 1.0 { format!(" per {unit}") } else { String::new() };
            let name = if level.is_empty() { format!("{}{per}", text(&row[term])) } else { format!("{}: {level}", text(&row[term])) };
            Effect { name, value: number(&row[value]), low: number(&row[low]), high: number(&row[high]) }
        };
        let known =
            |effect: &Effect| !effect.low.is_nan() && !effect.high.is_nan() && effect.low != effect.high && effect.name != "(intercept)";
        tidy.rows().iter().map(effect).filter(known).collect()
    }

    /// Which way the columns of a regression point.
    fn effects_in_words(&self) -> String {
        let effects = if self.two() { self.effects() } else { Vec::new() };
        if effects.is_empty() {
            return paragraph(&self.model_in_words());
        }
        let told =
            |effect: &Effect| format!("{} ({}, {} to {})", html(&effect.name), ratio(effect.value), ratio(effect.low), ratio(effect.high));
        let list = |kept: Vec<&Effect>| -> String {
            let named: Vec<String> = kept.iter().take(MOST).map(|effect| told(effect)).collect();
            let more = if kept.len() > MOST { format!(" and {} more", kept.len() - MOST) } else { String::new() };
            format!("{}{more}", named.join(", "))
        };
        let mut items = String::new();
        let groups: [EffectGroup; 3] = [
            ("Higher with", |effect| effect.low > 1.0, ""),
            ("Lower with", |effect| effect.high < 1.0, ""),
            ("Open for", |effect| effect.low <= 1.0 && effect.high >= 1.0, ": the data allow either direction"),
        ];
        for (name, test, after) in groups {
            let kept: Vec<&Effect> = effects.iter().filter(|effect| test(effect)).collect();
            if !kept.is_empty() {
                items.push_str(&format!("<li><b>{name}</b> {}{after}.</li>\n", list(kept)));
            }
        }
        format!(
            "<p>Odds of {}, with the other columns held equal (odds ratio, 95% interval):</p>\n<ul class=\"words\">\n{items}</ul>\n<p>These are associations in one sample, not effects.</p>\n",
            self.event()
        )
    }

    /// What the model does, where no odds ratios say it.
    fn model_in_words(&self) -> String {
        let findings = self.findings;
        let title = html(&super::methods::lower_first(&findings.card.title));
        let columns = oddsmith::notice::counted(findings.digest.layout().features().len() as u64, "column");
        let listed: Vec<String> = (0..findings.classes.len().min(8)).map(|k| self.class_in_words(k)).collect();
        let more = match findings.classes.len() - listed.len() {
            0 => String::new(),
            rest => format!(" and {rest} more"),
        };
        match (findings.margins, self.two()) {
            (true, _) => format!("The model, {title}, calls rows by {columns} one of: {}{more}.", listed.join(", ")),
            (false, true) => format!("The model, {title}, gives every row a probability of {} from {columns}.", self.event()),
            (false, false) => {
                format!("The model, {title}, gives every row a probability of each class from {columns}: {}{more}.", listed.join(", "))
            }
        }
    }

    fn quality_in_words(&self) -> String {
        if self.findings.judged.is_none() {
            return paragraph("How good the model is, is not told here: no rows with known classes were given to judge it on.");
        }
        let mut text = format!("The figures below come from {}.", self.judged_on());
        if let Some(auc) = self.figure("auc").filter(|_| self.two()) {
            text.push_str(&format!(
                " Of a pair of one {} and one {}, the first gets the higher score in {:.0} of 100 cases; 50 would be chance.",
                self.event(),
                self.class_in_words(0),
                100.0 * auc.value
            ));
        }
        if let Some(saved) = self.figure("bits_saved") {
            text.push_str(match saved.interval {
                Some((low, _)) if low > 0.0 => " Its probabilities tell clearly more than the class proportions alone.",
                Some((_, high)) if high < 0.0 => " Its probabilities tell less than the class proportions alone.",
                _ => " It is not clear that its probabilities tell more than the class proportions alone.",
            });
        }
        paragraph(&text)
    }

    fn tiles(&self) -> String {
        let plain = |value: f64| fixed(value, 3);
        let wanted: [Tile; 5] = [
            ("auc", "Order", |between| format!("area under the ROC curve{between}; 0.5 is chance, 1 perfect")),
            ("calibration_slope", "Probabilities", |between| format!("calibration slope{between}; 1 is right, below 1 too extreme")),
            ("bits_saved", "Information", |between| format!("bits saved per row against the class proportions{between}")),
            ("brier", "Error", |between| format!("Brier score{between}; 0 is perfect")),
            ("accuracy", "Calls", |between| format!("share of rows called right{between}")),
        ];
        let tiles: Vec<String> = wanted
            .iter()
            .filter_map(|(name, title, words)| {
                let figure = self.figure(name)?;
                let between = figure.interval.map_or_else(String::new, |(low, high)| format!(", {} to {}", plain(low), plain(high)));
                Some(format!(
                    "<div class=\"tile\"><span class=\"name\">{title}</span><b>{}</b><span>{}</span></div>\n",
                    plain(figure.value),
                    words(&between)
                ))
            })
            .take(4)
            .collect();
        if tiles.is_empty() { String::new() } else { format!("<div class=\"tiles\">\n{}</div>\n", tiles.concat()) }
    }
}

fn upper_first(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// An odds ratio as people write it.
pub(super) fn ratio(value: f64) -> String {
    match value {
        v if v.is_nan() => "–".into(),
        v if v.is_infinite() => "∞".into(),
        v if v >= 1e4 => format!("{v:.2e}"),
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v if v >= 0.1 => near_one(v),
        v if v >= 0.01 => format!("{v:.3}"),
        v if v >= 0.001 => format!("{v:.4}"),
        v if v > 0.0 => format!("{v:.2e}"),
        _ => "0".into(),
    }
}

/// A ratio with two decimals, or with as many as show on which side of 1 it lies.
fn near_one(value: f64) -> String {
    let told = |decimals: usize| format!("{value:.decimals$}");
    (2..=6).map(told).find(|text| text.parse() != Ok(1.0)).unwrap_or_else(|| told(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_beside_one_shows_its_side() {
        let told = [0.997, 1.004, 1.0, 0.98, 2.789, 0.99996, 1.0 + 1e-9, 27.04, 0.0972].map(ratio);
        assert_eq!(told, ["0.997", "1.004", "1.00", "0.98", "2.79", "0.99996", "1.00", "27.0", "0.097"]);
    }
}
