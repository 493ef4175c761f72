//! A model from a table: reading, fitting, and evaluating on the rows of the fit.

use std::num::NonZeroUsize;
use std::sync::Arc;

use oddsmith::card::{Card, Summary, Table};
use oddsmith::control::Control;
use oddsmith::data::Source;
use oddsmith::eval::{Auc, Estimate, EvalSettings, Evaluation};
use oddsmith::model::linear::beside_crude;
use oddsmith::model::{Classifier, Params, Scale};
use oddsmith::notice;
use oddsmith::train::Trace;
use oddsmith::{Error, train};
use oddsmith_io::{Input, Opened, ReadOptions, Roles};

use super::opening::ModelRequest;
use crate::console::Console;
use crate::data_card::{data_card, tell_doubts};
use crate::exit::Failure;
use crate::files;
use crate::lint;
use crate::progress::Progress;

/// What is asked of a table.
pub(crate) struct FitRequest<'a> {
    pub(crate) input: &'a Input,
    pub(crate) options: ReadOptions,
    pub(crate) roles: Roles,
    pub(crate) model: ModelRequest,
    pub(crate) threads: Option<NonZeroUsize>,
    /// Whether every term is fitted alone as well.
    pub(crate) crude: bool,
    /// Whether the steps of the search are told.
    pub(crate) trace: bool,
}

/// A model, and what there is to say about it and its table.
pub(crate) struct FittedTable {
    pub(crate) model: Box<dyn Classifier>,
    pub(crate) data: Card,
    pub(crate) card: Card,
    /// The steps of the search, where they were asked for.
    pub(crate) trace: Option<Table>,
    /// The rows.
    pub(crate) opened: Opened,
}

/// Fits and evaluates.
pub(crate) fn fit(request: FitRequest<'_>, console: &Console, control: &Arc<Control>) -> Result<FittedTable, Failure> {
    let FitRequest { input, options, roles, mut model, threads, crude, trace } = request;
    let name = input.name();
    let in_table = |error: Error| error.in_table(&name);
    // Half of the budget is for rows that are kept for a second reading, which is when they are judged.
    let memory = options.memory / 4;
    let weight_column = roles.weight.as_ref().map(|(column, _)| column.clone());
    let opened = {
        let _progress = Progress::start(console, control, "reading");
        model.open(input, options, roles, control)?
    };
    files::need_target(&opened)?;
    let costly = settle_inference(&mut model.params, &*opened.source, console);
    let learner = model.learner()?;
    let mut steps = Trace::default();
    let fitted = {
        let _progress = Progress::start(console, control, "fitting");
        match trace {
            true => train::conclude_traced(&learner, &*opened.source, threads, control, &mut steps),
            false => train::fit(&learner, &*opened.source, threads, control),
        }
    };
    if fitted.is_err() && !steps.is_empty() {
        // How far a search came that found no end is what one wants to see of it.
        console.result(&steps.table())?;
    }
    let mut fitted = fitted.inspect_err(|error| tell_doubts(&name, &opened, error, console)).map_err(in_table)?;
    if let (Some(column), Some(inference)) = (weight_column, fitted.model.inference()) {
        fitted.model = inference.weighted_by(&column);
    }
    let mut card = fitted.model.card();
    if crude {
        let _progress = Progress::start(console, control, "fitting terms alone");
        let alone = train::crude_cards(model.entry, &model.params, &*fitted.model, &*opened.source, threads, control)?;
        beside_crude(&mut card, &alone);
    }
    // What is found out below stands in one line for people, and fact by fact for programs.
    let facts = card.facts.clone();
    let summary = card.summary.get_or_insert_with(|| Summary { facts, ..Summary::default() }).clone();
    // A response in columns has no labels to evaluate by; costly fits are told by their own likelihood, because sorting the rows for
    // an area would cost another pass.
    let footnote = match learner.needs_any()?.response {
        Some(_) => None,
        None if costly => in_bits(&*fitted.model, &mut card),
        None => {
            let _progress = Progress::start(console, control, "evaluating");
            Some(describe(&evaluate(&*fitted.model, &opened, memory, threads, control).map_err(in_table)?, &mut card))
        }
    };
    let methods = summary.footnotes.iter().filter(|_| crude).cloned();
    card.summary = Some(Summary { footnotes: methods.chain(footnote).collect(), ..summary });
    if console.verbose() {
        tell_more(&fitted, &opened, threads, console, control).map_err(in_table)?;
    }
    let mut data = data_card(&name, &opened);
    if learner.needs_any()?.response.is_none() {
        data.notices.extend(lint::leaks(&opened, fitted.model.layout(), threads, control).map_err(in_table)?);
    }
    if model.params.declares("missing") {
        let keeps = if model.params.has("missing") { "--missing indicator" } else { "--missing indicator or --missing mean" };
        let excluded = card.notices.iter_mut().filter(|notice| notice.id == notice::MISSING_VALUES);
        excluded.for_each(|notice| notice.text.push_str(&format!("; {keeps} keeps them")));
    }
    Ok(FittedTable { model: fitted.model, data, card, trace: trace.then(|| steps.table()), opened })
}

/// How the fit was reached, for those who want to know.
fn tell_more(
    fitted: &train::Fitted<Box<dyn Classifier>>,
    opened: &Opened,
    threads: Option<NonZeroUsize>,
    console: &Console,
    control: &Control,
) -> oddsmith::Result<()> {
    console.note(&format!("{} passes over {} rows", fitted.passes, opened.rows));
    if let Some(inference) = fitted.model.inference() {
        console.note(&format!("{} steps of the solver", inference.steps()));
    }
    let joint = train::JointLoss::new(&*fitted.model);
    let joint = joint.map(|empty| train::pass(&*opened.source, &empty, threads, control)).transpose()?;
    if let Some(nats) = joint.and_then(|joint| joint.nats()) {
        console.note(&format!("joint negative log likelihood {nats} nats per row"));
    }
    Ok(())
}

/// Leaves out what would take many passes over many rows, unless it was asked for, and says so.
fn settle_inference(params: &mut Params, source: &dyn Source, console: &Console) -> bool {
    let costly = train::inference_is_costly(params, source);
    let penalised = ["l1", "l2"].iter().any(|penalty| params.number(penalty).is_some_and(|strength| strength > 0.0));
    if !costly || penalised || matches!(params.text("ci"), Some("profile" | "none")) {
        return costly;
    }
    let intervals = if params.has("ci") || params.has("robust") || params.has("cluster") { "" } else { "intervals are Wald's and " };
    if !params.flag("no-tests") {
        console.note(&format!("{intervals}terms are not tested, because that takes many passes over so many rows; --ci profile does both"));
    }
    *params = params.clone().with_wald_intervals();
    costly
}

fn evaluate(
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
        margins: model.scale() == Scale::Margin,
        ..EvalSettings::default()
    };
    let empty = Evaluation::new(classes, train::score_scale(classes), settings);
    let evaluator = train::Evaluator::new(model, empty);
    let columns = if layout == model.layout() { None } else { Some(train::ColumnSource::for_model(&*opened.source, model)?) };
    let source: &dyn Source = columns.as_ref().map_or(&*opened.source as &dyn Source, |columns| columns);
    train::pass(source, &evaluator, threads, control).map(train::Evaluator::into_sums)
}

/// The likelihood in bits; nothing where classes were weighted, because the likelihood is then not that of the rows.
fn in_bits(model: &dyn Classifier, card: &mut Card) -> Option<String> {
    if card.notices.iter().any(|told| told.id == notice::CLASS_WEIGHTS) {
        return None;
    }
    let likelihood = model.inference()?.likelihood();
    let rows: f64 = likelihood.class_weights.iter().sum();
    let bits = -likelihood.log_likelihood / rows / std::f64::consts::LN_2;
    let proportions = likelihood.class_weights.iter().map(|weight| weight / rows).filter(|share| *share > 0.0);
    let base = -proportions.map(|share| share * share.log2()).sum::<f64>();
    Some(format!("{} (on the rows of the fit)", bits_told(bits, base, card)))
}

/// Bits per row as facts and in words.
fn bits_told(bits: f64, base: f64, card: &mut Card) -> String {
    let nats = bits * std::f64::consts::LN_2;
    card.facts.push(("log loss".into(), nats.into()));
    card.facts.push(("bits per row".into(), bits.into()));
    card.facts.push(("bits of class proportions".into(), base.into()));
    let (size, side) = ((base - bits).abs(), if bits <= base { "below" } else { "above" });
    format!("log loss {nats:.3} · {bits:.3} bits per row, {size:.3} {side} the class proportions")
}

/// The metrics as facts for programs and as a line for people.
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
    if evaluation.settings().margins {
        if let Ok(share) = evaluation.confusion.accuracy() {
            say("accuracy", share.value);
            parts.push(format!("{:.1} % in their class", 100.0 * share.value));
        }
        return format!("{} (on the rows of the fit); scores are margins and no probabilities", parts.join(" · "));
    }
    if let Ok(score) = evaluation.brier.score() {
        say("brier", score.value);
        parts.push(format!("Brier {:.3}", score.value));
    }
    if let Ok(base) = evaluation.loss.base_rate_bits() {
        // Without smoothing a row may be impossible in its class: the loss is infinite then.
        let bits = evaluation.loss.bits().map_or(f64::INFINITY, |bits| bits.value);
        parts.push(bits_told(bits, base, card));
    }
    format!("{} (on the rows of the fit)", parts.join(" · "))
}
