//! The log odds of one class against another, taken apart: the prior odds and one weight of evidence per column.
//!
//! log p(k|x)/p(l|x) = log p(k)/p(l) + Σ_j [a_jk − a_jl], where a_jk is what column j adds to the score of class k. The
//! total is the sum of exactly the weights that are shown.

use oddsmith::card::{Card, Cell, FixedTable};
use oddsmith::data::{Features, Layout, MISSING, Plane, UNSEEN};
use oddsmith::error::{DataFault, visible};
use oddsmith::model::{Classifier, Contributions, Neighbours, Predictions, Predictor, Scale, word_contributions};
use oddsmith::notice::{self, Notice};
use oddsmith::{Error, Result};

/// A unit of log odds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Unit {
    /// Natural logarithms.
    Nats,
    /// Powers of two.
    Bits,
    /// Tenths of powers of ten.
    Decibans,
}

impl Unit {
    fn per_nat(self) -> f64 {
        match self {
            Unit::Nats => 1.0,
            Unit::Bits => std::f64::consts::LOG2_E,
            Unit::Decibans => 10.0 * std::f64::consts::LOG10_E,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Unit::Nats => "nats",
            Unit::Bits => "bits",
            Unit::Decibans => "decibans",
        }
    }
}

/// How far a sum in another order may be from the model's own log odds, relative to the largest weight.
const ROUNDING: f64 = 1e-9;
/// Most words of a text that are listed one by one.
const MOST_WORDS: usize = 20;
/// Half the width of the bars.
const BAR: usize = 12;

/// Why a model says what it says about one row.
pub(crate) struct Explanation<'a> {
    layout: &'a Layout,
    class: usize,
    against: usize,
    probabilities: Vec<f64>,
    prior: f64,
    weights: Vec<f64>,
    values: Vec<Cell>,
    /// What words of text columns add, the strongest first: column, word, weight.
    words: Vec<(usize, String, f64)>,
    impossible: bool,
    /// The scores of the two classes, where they are margins and no log odds.
    margins: Option<(f64, f64)>,
    /// The row's way through the one tree of the model: condition, rows of the fit, and what the node adds.
    path: Vec<(String, f64, f64)>,
}

impl<'a> Explanation<'a> {
    /// Takes the only row of `rows` apart, whose cells are spelled `cells` in the table. `class` and `against` are chosen by
    /// probability where they are not given.
    pub(crate) fn new(
        model: &'a dyn Classifier,
        rows: &Features<'_>,
        cells: Vec<String>,
        class: Option<usize>,
        against: Option<usize>,
    ) -> Result<Self> {
        let layout = model.layout();
        let mut predictions = Predictions::new();
        Predictor::new(model).ordered(rows, &mut predictions)?;
        let probabilities = predictions.row(0).to_vec();
        if probabilities[0].is_nan() {
            return Err(unexplained(layout, rows));
        }
        let most_probable = |but: Option<usize>| {
            let others = (0..probabilities.len()).filter(|k| Some(*k) != but);
            others.max_by(|a, b| predictions.scores().row(0)[*a].total_cmp(&predictions.scores().row(0)[*b]).then(b.cmp(a))).unwrap_or(0)
        };
        let class = class.unwrap_or_else(|| match probabilities.len() {
            2 => against.map_or(1, |k| 1 - k.min(1)),
            _ => most_probable(against),
        });
        let against = against.unwrap_or_else(|| most_probable(Some(class)));
        if class == against {
            return Err(Error::option("against", layout.classes().label(against), "another class than the one that is explained"));
        }
        let mut evidence = Contributions::new();
        model.contributions()?.contribute(rows, &mut evidence)?;
        let weight = |addends: &[f64]| difference(addends[class], addends[against]);
        let weights: Vec<f64> = (0..layout.features().len()).map(|j| weight(evidence.addends(0, j))).collect();
        let explanation = Explanation {
            path: path(model, rows, &weight),
            layout,
            class,
            against,
            probabilities,
            prior: weight(evidence.base()),
            weights,
            words: words(model, rows, &weight)?,
            values: cells.into_iter().enumerate().map(|(j, cell)| value(layout, rows, j, cell)).collect(),
            impossible: !predictions.scores().impossible().is_empty(),
            margins: (model.scale() == Scale::Margin).then(|| (predictions.scores().row(0)[class], predictions.scores().row(0)[against])),
        };
        explanation.check(difference(predictions.scores().row(0)[class], predictions.scores().row(0)[against]))?;
        Ok(explanation)
    }

    /// The log odds. A row that every class calls impossible has those of the prior.
    fn total(&self) -> f64 {
        if self.impossible {
            return self.prior;
        }
        self.weights.iter().fold(self.prior, |sum, weight| sum + weight)
    }

    /// The sum of the weights must be the log odds by which the model predicts.
    fn check(&self, log_odds: f64) -> Result<()> {
        let total = self.total();
        let largest = self.weights.iter().fold(self.prior.abs(), |largest, weight| largest.max(weight.abs())).max(1.0);
        match self.impossible || total == log_odds || (total - log_odds).abs() <= ROUNDING * largest {
            true => Ok(()),
            false => Err(Error::internal(format!("weights of evidence add up to {total}, the log odds are {log_odds}"))),
        }
    }

    /// What there is to say of margins, which have no unit and are no odds.
    fn margin_card(&self, row: u64, (own, other): (f64, f64)) -> Card {
        let classes = self.layout.classes();
        let (class, against) = (visible(classes.label(self.class)), visible(classes.label(self.against)));
        let mut tidy = FixedTable::new("evidence", ["column", "value", "margin", "bar"]);
        let largest = self.weights.iter().chain([&self.prior]).fold(0.0, |most: f64, weight| most.max(weight.abs()));
        tidy.push(["(base)".into(), Cell::Empty, self.prior.into(), bar(self.prior, largest).into()]);
        for ((feature, value), weight) in self.layout.features().iter().zip(&self.values).zip(&self.weights) {
            tidy.push([feature.name.as_str().into(), value.clone(), (*weight).into(), bar(*weight, largest).into()]);
        }
        tidy.push(["(total)".into(), Cell::Empty, self.total().into(), Cell::Empty]);
        let facts = vec![
            (format!("score_{}", classes.label(self.class)), own.into()),
            (format!("score_{}", classes.label(self.against)), other.into()),
            ("scores".into(), "margins: calibrate the model to have probabilities and odds".into()),
        ];
        Card { title: format!("Row {row}: margin of {class} against {against}"), facts, tidy: tidy.into(), ..Card::default() }
    }

    /// What there is to say, in a unit.
    pub(crate) fn card(&self, row: u64, unit: Unit) -> Card {
        if let Some(margins) = self.margins {
            return self.margin_card(row, margins);
        }
        let classes = self.layout.classes();
        let (class, against) = (visible(classes.label(self.class)), visible(classes.label(self.against)));
        let scale = unit.per_nat();
        let mut tidy = FixedTable::new("evidence", ["column", "value", unit.name(), "odds_factor", "bar"]);
        let largest = self
            .weights
            .iter()
            .copied()
            .chain(self.words.iter().map(|(.., weight)| *weight))
            .chain([self.prior])
            .filter(|w| w.is_finite())
            .fold(0.0, |m: f64, w| m.max(w.abs()));
        let mut push = |name: &str, value: Cell, weight: f64, bar: String| {
            tidy.push([name.into(), value, (weight * scale).into(), weight.exp().into(), bar.into()]);
        };
        push("(prior)", Cell::Empty, self.prior, bar(self.prior, largest));
        for ((j, feature), weight) in self.layout.features().iter().enumerate().zip(&self.weights) {
            let spoken: Vec<&(usize, String, f64)> = self.words.iter().filter(|(column, ..)| *column == j).collect();
            match spoken.is_empty() {
                true => push(&feature.name, self.values[j].clone(), *weight, bar(*weight, largest)),
                false => {
                    spoken.iter().for_each(|(_, word, weight)| push(&feature.name, word.as_str().into(), *weight, bar(*weight, largest)));
                }
            }
        }
        push("(total)", Cell::Empty, self.total(), String::new());
        let mut facts: Vec<(String, Cell)> =
            classes.labels().iter().zip(&self.probabilities).map(|(label, p)| (format!("p_{label}"), (*p).into())).collect();
        facts.push((format!("log odds in {}", unit.name()), (self.total() * scale).into()));
        let mut notices = Vec::new();
        if self.impossible {
            let text = "this row is impossible in every class, so the prior is returned and the weights do not add up to the total";
            notices.push(Notice::new(notice::ZERO_PROBABILITY, text));
        }
        let title = format!("Row {row}: evidence for {class} against {against}");
        if self.path.is_empty() {
            return Card { title, facts, tidy: tidy.into(), notices, ..Card::default() };
        }
        // A tree is read along the row's way; what a column adds in all is there for programs.
        Card { title, facts, tidy: self.path_table(unit).into(), tables: vec![tidy.into()], notices, ..Card::default() }
    }

    /// The row's way through a tree: what every answer adds to the log odds.
    fn path_table(&self, unit: Unit) -> FixedTable<5> {
        let mut table = FixedTable::new("path", ["condition", "rows", unit.name(), "odds_factor", "bar"]);
        let finite = self.path.iter().map(|(_, _, weight)| weight.abs()).filter(|weight| weight.is_finite());
        let largest = finite.fold(0.0, f64::max);
        for (depth, (condition, rows, weight)) in self.path.iter().enumerate() {
            let count = if rows.fract() == 0.0 { Cell::Count(*rows as u64) } else { (*rows).into() };
            let told = format!("{}{condition}", "· ".repeat(depth));
            table.push([told.into(), count, (weight * unit.per_nat()).into(), weight.exp().into(), bar(*weight, largest).into()]);
        }
        let total = self.path.iter().fold(0.0, |sum, (_, _, weight)| sum + weight);
        table.push(["(total)".into(), Cell::Empty, (total * unit.per_nat()).into(), total.exp().into(), Cell::Empty]);
        table
    }
}

/// The rows that answer for the only row of `rows`, where the model keeps rows.
pub(crate) fn neighbour_card(model: &dyn Classifier, neighbours: &dyn Neighbours, rows: &Features<'_>, row: u64) -> Result<Card> {
    let classes = model.layout().classes();
    let mut predictions = Predictions::new();
    Predictor::new(model).predict(rows, &mut predictions)?;
    let mut tidy = FixedTable::new("neighbours", ["row", "class", "distance", "vote"]);
    for neighbour in neighbours.nearest(rows, None)?.into_iter().flatten() {
        tidy.push([neighbour.row.into(), classes.label(neighbour.class).into(), neighbour.distance.into(), neighbour.vote.into()]);
    }
    let mut facts: Vec<(String, Cell)> =
        classes.labels().iter().zip(predictions.row(0)).map(|(label, p)| (format!("p_{label}"), (*p).into())).collect();
    facts.push(("neighbours".into(), neighbours.count().into()));
    Ok(Card { title: format!("Row {row}: the rows of the fit that answer for it"), facts, tidy: tidy.into(), ..Card::default() })
}

/// The way of the only row of `rows` through a model that is one tree; empty for others.
fn path(model: &dyn Classifier, rows: &Features<'_>, weight: &dyn Fn(&[f64]) -> f64) -> Vec<(String, f64, f64)> {
    let (mut nodes, mut path) = (Vec::new(), Vec::<(String, f64, f64)>::new());
    let Some(paths) = model.paths().filter(|paths| paths.trees() == 1) else { return path };
    paths.follow(0, rows, 0, &mut nodes);
    let mut before = 0.0;
    for node in nodes.into_iter().map_while(|at| paths.node(at)) {
        let here = weight(&node.log_p);
        path.push((node.condition, node.weight, difference(here, before)));
        before = here;
    }
    path
}

/// What the words of a row add, column by column, the strongest first; the many weak ones and what the empty text says come last.
fn words(model: &dyn Classifier, rows: &Features<'_>, weight: &dyn Fn(&[f64]) -> f64) -> Result<Vec<(usize, String, f64)>> {
    let layout = model.layout();
    let mut listed = Vec::new();
    if layout.words().is_empty() {
        return Ok(listed);
    }
    let found = word_contributions(model, rows)?;
    for &column in layout.words() {
        let of_column = found.iter().filter(|addend| addend.feature == column);
        let mut spoken: Vec<(String, f64)> = Vec::new();
        let mut silent = None;
        for addend in of_column {
            match addend.word {
                Some(word) => {
                    let name = layout.level_name(column, word).unwrap_or_default();
                    let times = if addend.value == 1.0 { String::new() } else { format!(" ×{}", addend.value) };
                    spoken.push((format!("{}{times}", visible(&name)), weight(&addend.addends)));
                }
                None => silent = Some(weight(&addend.addends)).filter(|weight| *weight != 0.0),
            }
        }
        spoken.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        let weak = spoken.split_off(spoken.len().min(MOST_WORDS));
        listed.extend(spoken.into_iter().map(|(word, weight)| (column, word, weight)));
        if !weak.is_empty() {
            listed.push((column, format!("(… {})", notice::counted(weak.len() as u64, "weaker word")), weak.iter().map(|(_, w)| w).sum()));
        }
        listed.extend(silent.map(|weight| (column, "(words that are absent)".to_owned(), weight)));
    }
    Ok(listed)
}

/// Log ratio of two addends; two impossible ones do not tell the classes apart.
fn difference(for_class: f64, against: f64) -> f64 {
    if for_class == against { 0.0 } else { for_class - against }
}

/// `     ▒▒▒▒│` for evidence against, `│████` for evidence in favour.
fn bar(weight: f64, largest: f64) -> String {
    let share = if weight.is_infinite() { 1.0 } else { weight.abs() / largest.max(f64::MIN_POSITIVE) };
    let length = (share * BAR as f64).round() as usize;
    match weight < 0.0 {
        true => format!("{}{}|", " ".repeat(BAR - length), "-".repeat(length)),
        false => format!("{}|{}", " ".repeat(BAR), "+".repeat(length)),
    }
}

/// Why a row without probabilities has nothing to explain: the columns whose values are missing or unknown.
fn unexplained(layout: &Layout, rows: &Features<'_>) -> Error {
    let names = (0..layout.features().len()).filter(|&j| gap(layout, rows, j) != (false, false));
    let names: Vec<String> = names.map(|j| format!("`{}`", visible(&layout.features()[j].name))).collect();
    let what = match names.is_empty() {
        true => "the row lacks a value that the model needs, so there is nothing to explain".into(),
        false => format!("the row lacks a known value of {}, which the model needs, so there is nothing to explain", names.join(", ")),
    };
    DataFault::new(what)
        .accepted("fill the gap, or fit a model that takes one; regressions do with --missing indicator or --missing mean")
        .into()
}

/// Whether feature `j` has no value, and whether it has one that the model never met.
fn gap(layout: &Layout, rows: &Features<'_>, j: usize) -> (bool, bool) {
    match layout.plane(j) {
        Plane::Numbers(at) => (rows.numbers.get(0, at).is_nan(), false),
        Plane::Codes(at) => (rows.codes.get(0, at) == MISSING, rows.codes.get(0, at) == UNSEEN),
        Plane::Words(at) => (!rows.words[at].is_present(0), false),
    }
}

/// The value of feature `j` as it is written, with a remark where it does not count.
fn value(layout: &Layout, rows: &Features<'_>, j: usize, cell: String) -> Cell {
    match gap(layout, rows, j) {
        (true, _) => "(missing)".into(),
        (_, true) => format!("{cell} (never seen)").into(),
        _ => cell.into(),
    }
}
