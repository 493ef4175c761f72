//! Which threshold: the console of two sliders with natural frequencies, the ROC curve and the probabilities of both classes; of several classes the
//! confusion matrix.

use oddsmith::card::{Cell, Table};
use oddsmith::eval::pictures::ROWS_TOGETHER;
use oddsmith::picture::Picture;

use super::model_section::grid;
use super::{Section, Told, left_out, paragraph};
use crate::escape::html;

/// Ends of the slider of prevalences, in decibans: 0.5 % and 95 %.
const LOWEST: f64 = -23.0;
const HIGHEST: f64 = 12.8;

/// Whole numbers that add up to a thousand: the largest remainders are rounded up.
fn thousand(parts: [f64; 4]) -> [i64; 4] {
    let mut whole = parts.map(|part| (1000.0 * part + 1e-9).floor() as i64);
    let mut order: Vec<usize> = (0..4).collect();
    order.sort_by(|a, b| (1000.0 * parts[*b] - whole[*b] as f64).total_cmp(&(1000.0 * parts[*a] - whole[*a] as f64)).then(a.cmp(b)));
    let short = 1000 - whole.iter().sum::<i64>();
    for at in 0..usize::try_from(short).unwrap_or(0) {
        whole[order[at % 4]] += 1;
    }
    whole
}

/// A share in whole per cents.
fn share(value: f64) -> String {
    format!("{:.0}%", 100.0 * value)
}

/// A share with a further digit near 0 and 1, which it never rounds to.
pub(super) fn fine(value: f64) -> String {
    match value {
        value if value > 0.9995 => ">99.9%".into(),
        value if value < 0.0005 => "<0.1%".into(),
        value if (0.0995..=0.9005).contains(&value) => share(value),
        value => format!("{:.1}%", 100.0 * value),
    }
}

/// Wilson's interval of a share of so many rows.
fn wilson(p: f64, rows: f64) -> String {
    let z = 1.959_963_984_540_054_f64;
    let middle = (p + z * z / (2.0 * rows)) / (1.0 + z * z / rows);
    let half = z / (1.0 + z * z / rows) * (p * (1.0 - p) / rows + z * z / (4.0 * rows * rows)).sqrt();
    format!("{}–{}", share((middle - half).max(0.0)), share((middle + half).min(1.0)))
}

impl Told<'_> {
    pub(super) fn threshold(&self) -> Section {
        let heading = if self.two() { "Which threshold?" } else { "Which class?" };
        let mut body = String::new();
        match (self.has_console(), self.findings.evaluation()) {
            (_, None) => body.push_str(&left_out("Thresholds are weighed on rows with known classes, and none were given.")),
            (true, Some(_)) => {
                let words = "A threshold turns probabilities into calls. Lowering it finds more of them and calls more rows in vain.";
                body.push_str(&paragraph(&format!(
                    "{words} Where {} is rarer or more common than in these rows, move the second slider: probabilities and calls follow.",
                    self.event()
                )));
                body.push_str(&self.console());
            }
            (false, Some(evaluation)) => {
                if self.findings.margins {
                    body.push_str(&left_out("Scores of this model are margins and no probabilities, so there is no threshold on probabilities to move; calibrating the model gives it some."));
                } else if self.two() {
                    body.push_str(&left_out("All judged rows have the same class, so no threshold can be weighed."));
                } else {
                    body.push_str(&paragraph(&format!(
                        "Rows are called by {}. Down are the true classes, across the called ones.",
                        html(&evaluation.confusion.decision().describe())
                    )));
                }
                body.push_str(&self.confusion(evaluation));
            }
        }
        let names = ["roc", "spread", "precision-recall", "threshold"];
        let pictures: Vec<Picture> = names.iter().filter_map(|name| self.picture(name).ok()).collect();
        for two in pictures.chunks(2) {
            body.push_str(&self.pair(&two.iter().collect::<Vec<_>>()));
        }
        Section { id: "threshold", name: "Threshold", heading: heading.into(), body }
    }

    fn confusion(&self, evaluation: &oddsmith::eval::Evaluation) -> String {
        let labels = self.findings.classes.labels();
        let columns = std::iter::once("true class".to_owned()).chain(labels.iter().map(|label| format!("called {label}"))).collect();
        let table = Table::tabulate("confusion", columns, labels.len(), |truth, column| match column {
            0 => labels[truth].as_str().into(),
            called => {
                let weight = evaluation.confusion.cell(truth, called - 1);
                if self.is_hidden(weight) {
                    return format!("under {ROWS_TOGETHER}").into();
                }
                if weight.fract() == 0.0 && weight < 1e15 { Cell::Count(weight as u64) } else { weight.into() }
            }
        });
        grid(&table, "Confusion matrix")
    }

    /// The console, with the numbers at which it starts.
    fn console(&self) -> String {
        let Some(cuts) = self.cuts() else { return String::new() };
        let (threshold, prevalence) = (self.first_threshold(), cuts.events / (cuts.events + cuts.others));
        let (hits, alarms) = cuts.called(threshold);
        let (hit, alarm) = (hits / cuts.events, alarms / cuts.others);
        let parts = [prevalence * hit, (1.0 - prevalence) * alarm, prevalence * (1.0 - hit), (1.0 - prevalence) * (1.0 - alarm)];
        let [tp, fp, missed, tn] = thousand(parts);
        let (event, other) = (self.event(), self.class_in_words(0));
        let has = html(&self.event_predicate());
        let said = match tp + fp {
            0 => "At this threshold no row is called.".to_owned(),
            called => format!("Of 1000 rows, {} {has}. Called: {called}, of which {tp} {has}. Missed: {missed}.", tp + missed),
        };
        let (event_rows, other_rows) = self.effective_rows();
        let value = |part: f64, whole: f64, none: &str| if whole < 5e-4 { none.to_owned() } else { share(part / whole) };
        let mut left = 0.0;
        let crowd: String = parts
            .iter()
            .enumerate()
            .map(|(at, part)| {
                let bar = format!("<rect class=\"q{at}\" x=\"{left:.1}\" y=\"0\" width=\"{:.1}\" height=\"22\"/>", 1000.0 * part);
                left += 1000.0 * part;
                bar
            })
            .collect();
        let names = [format!("called, {event}"), format!("called, {other}"), format!("missed, {event}"), format!("not called, {other}")];
        let key: String = names.iter().enumerate().map(|(at, name)| format!("<li><svg viewBox=\"0 0 12 12\" aria-hidden=\"true\"><rect class=\"q{at}\" width=\"12\" height=\"12\"/></svg>{name}</li>")).collect();
        let sliders = format!(
            "<div class=\"sliders\" data-script hidden>\n<label>Call from a probability of <output data-out=\"threshold\">{}</output>\
             <input type=\"range\" data-for=\"threshold\" min=\"1\" max=\"99\" step=\"1\" value=\"{:.0}\" aria-label=\"Threshold probability\"></label>\n{}</div>\n",
            share(threshold),
            100.0 * threshold,
            self.prevalence_slider("console", prevalence)
        );
        format!(
            "<div class=\"live\">\n{sliders}<p class=\"said\" data-out=\"said\">{said}</p>\n<p class=\"spoken\" role=\"status\" data-out=\"spoken\"></p>\n\
             <svg class=\"crowd\" viewBox=\"0 0 1000 22\" preserveAspectRatio=\"none\" aria-hidden=\"true\">{crowd}</svg>\n<ul class=\"key\">{key}</ul>\n\
             <div class=\"outcome\">\n<table class=\"cells\"><caption>Of 1000 rows</caption><thead><tr><td></td><th scope=\"col\">called</th><th scope=\"col\">not called</th></tr></thead>\
             <tbody><tr><th scope=\"row\">{event}</th><td data-out=\"tp\">{tp}</td><td data-out=\"fn\">{missed}</td></tr>\
             <tr><th scope=\"row\">{other}</th><td data-out=\"fp\">{fp}</td><td data-out=\"tn\">{tn}</td></tr></tbody></table>\n\
             <dl class=\"facts\"><dt>Sensitivity</dt><dd><span data-out=\"sensitivity\">{}</span> <small data-out=\"sensitivity-ci\">{}</small></dd>\
             <dt>{event} if called</dt><dd data-out=\"ppv\">{}</dd>\
             <dt>Specificity</dt><dd><span data-out=\"specificity\">{}</span> <small data-out=\"specificity-ci\">{}</small></dd>\
             <dt>{other} if not called</dt><dd data-out=\"npv\">{}</dd></dl>\n</div>\n\
             <button type=\"button\" data-reset data-script hidden>Back to the start</button>\n</div>\n",
            share(hit),
            wilson(hit, event_rows),
            value(parts[0], parts[0] + parts[1], "none called"),
            share(1.0 - alarm),
            wilson(1.0 - alarm, other_rows),
            value(parts[3], parts[2] + parts[3], "all called")
        )
    }

    /// The slider of prevalences; every one on the page moves all.
    pub(super) fn prevalence_slider(&self, place: &str, prevalence: f64) -> String {
        let decibans = 10.0 * (prevalence / (1.0 - prevalence)).log10();
        let (low, high) = (LOWEST.min(decibans.floor()), HIGHEST.max(decibans.ceil()));
        let told = html(&fine(prevalence));
        format!(
            "<label>Share of {} in the population <output data-out=\"prevalence\">{told}</output>\
             <input type=\"range\" data-for=\"prevalence\" min=\"{low}\" max=\"{high}\" step=\"any\" value=\"{decibans:.3}\" aria-label=\"Prevalence ({place})\"></label>\n",
            self.event()
        )
    }
}
