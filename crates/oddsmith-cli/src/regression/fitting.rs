//! A regression from a table: reading, fitting, and judging on the rows of the fit.

use std::num::NonZeroUsize;
use std::sync::Arc;

use oddsmith::card::Card;
use oddsmith::control::Control;
use oddsmith::data::{Design, Layout, Source};
use oddsmith::eval::{Auc, Estimate, EvalSettings, Evaluation};
use oddsmith::model::Classifier;
use oddsmith::model::linear::{ClassWeighting, Intervals, Logistic};
use oddsmith::notice::{self, Notice};
use oddsmith::{Error, train};
use oddsmith_io::{Input, Opened, ReadOptions, Roles};

use super::reading;
use crate::console::Console;
use crate::data_card::data_card;
use crate::exit::Failure;
use crate::files;
use crate::options::Regression;
use crate::progress::Progress;

/// Operations of a pass over rows and pairs of coefficients up to which further passes are not noticed: profile intervals
/// and tests take some ten of them per coefficient.
const CHEAP: f64 = 1e8;

/// What is asked of a table.
pub(crate) struct Request<'a> {
    pub(crate) input: &'a Input,
    pub(crate) options: ReadOptions,
    pub(crate) roles: Roles,
    pub(crate) regression: Regression,
    pub(crate) threads: Option<NonZeroUsize>,
}

/// A regression with the rows it was fitted to.
pub(crate) struct FittedRegression {
    pub(crate) model: Box<dyn Classifier>,
    pub(crate) learner: Logistic,
    pub(crate) data: Card,
    pub(crate) card: Card,
    pub(crate) opened: Opened,
}

/// Fits and judges.
pub(crate) fn fit(request: Request<'_>, console: &Console, control: &Arc<Control>) -> Result<FittedRegression, Failure> {
    let Request { input, options, roles, mut regression, threads } = request;
    let name = input.name();
    let in_table = |error: Error| error.in_table(&name);
    let memory = options.memory;
    let opened = {
        let _progress = Progress::start(console, control, "reading");
        reading::open(input, options, roles, &mut regression, control)?
    };
    files::need_target(&opened)?;
    let costly = settle_precision(&mut regression, &*opened.source, console);
    let learner = regression.learner;
    let fitted = {
        let _progress = Progress::start(console, control, "fitting");
        train::fit(&learner, &*opened.source, threads, control).map_err(in_table)?
    };
    if console.verbose() {
        console.note(&format!("{} passes over {} rows", fitted.passes, opened.rows));
    }
    let model: Box<dyn Classifier> = Box::new(fitted.model);
    let mut card = model.card();
    let labelled = has_labels(&learner);
    let footnote = match labelled {
        // Costly fits are judged by their own likelihood; sorting the rows for an area would cost another pass.
        true if costly => in_bits(&*model, &learner, &mut card),
        true => {
            let _progress = Progress::start(console, control, "judging");
            Some(describe(&judge(&*model, &opened, memory, threads, control).map_err(in_table)?, &mut card))
        }
        false => None,
    };
    let mut data = data_card(&name, &opened);
    // What a gap means for the fit is told by the model.
    let told = |notice: &Notice| card.notices.iter().any(|known| known.id == notice.id && known.column == notice.column);
    data.notices.retain(|notice| notice.id != notice::MISSING_VALUES || !told(notice));
    if let Some(summary) = &mut card.summary {
        summary.footnotes.extend(footnote);
    }
    Ok(FittedRegression { model, learner, data, card, opened })
}

/// Whether every row has a label, and not counts or shares.
pub(super) fn has_labels(learner: &Logistic) -> bool {
    let columns = learner
        .formula
        .as_ref()
        .is_none_or(|formula| matches!(formula.response(), oddsmith::data::Response::Column(_) | oddsmith::data::Response::None));
    learner.shares.is_none() && columns
}

/// Leaves out what would take many passes over many rows, unless it was asked for, and says so.
fn settle_precision(regression: &mut Regression, source: &dyn Source, console: &Console) -> bool {
    let learner = &mut regression.learner;
    let layout = source.layout();
    let outputs = layout.classes().len().saturating_sub(1) as f64;
    let coefficients = (1.0 + width(learner, layout) as f64) * outputs;
    let rows = source.rows().map_or(f64::INFINITY, |rows| rows as f64);
    let costly = rows * coefficients * coefficients > CHEAP;
    let penalised = learner.l1 > 0.0 || learner.l2 > 0.0;
    let asked = regression.intervals_chosen && learner.precision == Intervals::Profile;
    if !costly || penalised || asked || learner.precision == Intervals::None {
        return costly;
    }
    let intervals = if learner.precision == Intervals::Profile { "intervals are Wald's and " } else { "" };
    learner.precision = Intervals::Wald;
    if learner.tests {
        console.note(&format!("{intervals}terms are not tested, because that takes many passes over so many rows; --ci profile does both"));
    }
    learner.tests = false;
    costly
}

/// Columns of the design; a guess where they depend on the data.
fn width(learner: &Logistic, layout: &Layout) -> usize {
    let compiled = learner.formula.as_ref().and_then(|formula| Design::compile(formula, layout, &learner.options, None).ok());
    match compiled {
        Some(design) => design.columns().len(),
        None => layout.numbers().len() + layout.level_counts().iter().map(|levels| levels.saturating_sub(1)).sum::<usize>(),
    }
}

fn judge(
    model: &dyn Classifier,
    opened: &Opened,
    memory: u64,
    threads: Option<NonZeroUsize>,
    control: &Control,
) -> oddsmith::Result<Evaluation> {
    let layout = opened.layout();
    let classes = layout.classes().len();
    let settings = EvalSettings {
        weighting: layout.weighting(),
        memory: usize::try_from(memory / 2).unwrap_or(usize::MAX),
        ..EvalSettings::default()
    };
    let empty = Evaluation::new(classes, train::score_scale(classes), settings);
    let evaluator = train::Evaluator::new(model, empty);
    let columns = if layout == model.layout() { None } else { Some(train::ColumnSource::for_model(&*opened.source, model)?) };
    let source: &dyn Source = columns.as_ref().map_or(&*opened.source as &dyn Source, |columns| columns);
    train::pass(source, &evaluator, threads, control).map(train::Evaluator::into_sums)
}

/// The likelihood in bits; nothing where classes were weighted, because the likelihood is then not that of the rows.
fn in_bits(model: &dyn Classifier, learner: &Logistic, card: &mut Card) -> Option<String> {
    if learner.class_weights != ClassWeighting::None {
        return None;
    }
    let likelihood = model.inference()?.likelihood();
    let rows: f64 = likelihood.class_weights.iter().sum();
    let bits = -likelihood.log_likelihood / rows / std::f64::consts::LN_2;
    let shares = likelihood.class_weights.iter().map(|weight| weight / rows).filter(|share| *share > 0.0);
    let base = -shares.map(|share| share * share.log2()).sum::<f64>();
    Some(format!("{} (on the rows of the fit)", bits_told(bits, base, card)))
}

/// Bits per row as facts and in words.
fn bits_told(bits: f64, base: f64, card: &mut Card) -> String {
    card.facts.push(("bits per row".into(), bits.into()));
    card.facts.push(("bits of class shares".into(), base.into()));
    let (size, side) = ((base - bits).abs(), if bits <= base { "below" } else { "above" });
    format!("{bits:.3} bits per row, {size:.3} {side} the class shares")
}

/// The figures as facts for programs and as a line for people.
fn describe(evaluation: &Evaluation, card: &mut Card) -> String {
    let mut parts = Vec::new();
    let mut say = |name: &str, value: f64| card.facts.push((name.into(), value.into()));
    let area = evaluation.ranking().and_then(|ranking| Auc::of(&ranking, evaluation.settings().weighting)).map(|auc| auc.estimate());
    if let Ok(Estimate { value, interval, .. }) = area {
        say("auc", value);
        let between = interval.map_or_else(String::new, |(low, high)| {
            say("auc low", low);
            say("auc high", high);
            format!(" ({low:.3} – {high:.3})")
        });
        parts.push(format!("AUC {value:.3}{between}"));
    }
    if let Ok(score) = evaluation.brier.score() {
        say("brier", score.value);
        parts.push(format!("Brier {:.3}", score.value));
    }
    if let (Ok(bits), Ok(base)) = (evaluation.loss.bits(), evaluation.loss.base_rate_bits()) {
        parts.push(bits_told(bits.value, base, card));
    }
    format!("{} (on the rows of the fit)", parts.join(" · "))
}
