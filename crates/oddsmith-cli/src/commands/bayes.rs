//! `oddsmith bayes`: which of several models, and how sure.

use clap::Args;
use oddsmith::Error;
use oddsmith::card::{Card, Cell, FixedTable, Summary, Table};
use oddsmith::info::{Belief, BetaBernoulli, Candidate, DirichletMultinomial, ModelPosterior, NormalInverseGamma, posterior_picture};
use oddsmith_report::Format;

use crate::console::Console;
use crate::exit::Failure;
use crate::options::split_pair;
use crate::plot;
use crate::rows_of_numbers;

pub(crate) const EXAMPLES: &str = "Examples:
  oddsmith bayes --model bent=0.8 --model straight=0.5 --data HTHHHTHHTHTH
  oddsmith bayes --model bent=0.8 --model straight=0.5 --counts 8,4 --prior 1/3,2/3
  oddsmith bayes --model fair=0.5 --model 'any=beta(1,1)' --counts 8,4  # an unknown coin
  oddsmith bayes --model 'bad=0.2,0.2,0.6' --model 'any=dirichlet(1)' --counts 1,2,7
  oddsmith bayes --model a=-12.5 --model b=-10.1 --log-evidence         # known log evidences
  oddsmith bayes --model 'a=nig(0,1,2,1)' --model 'b=nig(5,1,2,1)' --values 0.3,1.2
  oddsmith bayes --model bent=0.8 --model straight=0.5 --counts 8,4 --plot posterior";

/// Arguments of `bayes`.
#[derive(Debug, Args)]
pub(crate) struct BayesArgs {
    /// A model: name=P of heads, name=P,P,… of outcomes, name=beta(A,B), name=dirichlet(A,…), name=nig(MEAN,STRENGTH,SHAPE,SCALE).
    #[arg(long = "model", value_name = "NAME=MODEL", required = true, allow_negative_numbers = true)]
    models: Vec<String>,

    /// What was seen, one character an outcome: H and T (or 1 and 0), or any others in the order in which they sort.
    #[arg(long, value_name = "TEXT", group = "seen")]
    data: Option<String>,

    /// How often each outcome was seen; heads before tails.
    #[arg(long, value_name = "N,…", group = "seen")]
    counts: Option<String>,

    /// Numbers that were seen, for models of numbers.
    #[arg(long, value_name = "X,…", group = "seen", allow_negative_numbers = true)]
    values: Option<String>,

    /// The models are log evidences themselves, in nats.
    #[arg(long, group = "seen")]
    log_evidence: bool,

    /// How likely each model was before, in proportion [default: all the same].
    #[arg(long, value_name = "P,…")]
    prior: Option<String>,

    /// Coverage of the limits of parameters.
    #[arg(long, value_name = "P", default_value_t = 0.95, value_parser = rows_of_numbers::parse_level)]
    level: f64,

    /// Draw one model, and its parameters, from the posterior with this seed.
    #[arg(long, value_name = "SEED")]
    sample: Option<u64>,

    /// Draw a picture in place of tables: how likely each model is, before and after.
    #[arg(long, value_name = "PICTURE", value_parser = ["posterior"])]
    plot: Option<String>,
}

/// What was seen.
enum Seen {
    /// How often each outcome was, and what the outcomes are called.
    Counts(Vec<f64>, Vec<String>),
    Values(Vec<f64>),
    Nothing,
}

/// What a model says of what was seen, and what is believed of its parameters and of the next outcome afterwards.
struct Judged {
    log_evidence: f64,
    belief: Option<Belief>,
    next: Option<Vec<f64>>,
}

/// Compares.
pub(crate) fn run(args: &BayesArgs, console: &Console) -> Result<(), Failure> {
    let seen = seen(args)?;
    let priors = match &args.prior {
        Some(text) => rows_of_numbers::rows(std::slice::from_ref(text), None)?.concat(),
        None => vec![1.0; args.models.len()],
    };
    if priors.len() != args.models.len() {
        let (priors, models) = (priors.len(), args.models.len());
        return Err(Failure::Usage(format!("--prior has {priors} numbers for {models} models; give one for each")));
    }
    let mut candidates = Vec::new();
    let mut judged = Vec::new();
    for (text, prior) in args.models.iter().zip(priors) {
        let refused = || Error::option("model", text, "a name and a model, such as bent=0.8 or any=beta(1,1)");
        let (name, model) = split_pair(text).ok_or_else(refused)?;
        let found = evidence(model, &seen, text)?;
        candidates.push(Candidate { name: name.to_owned(), prior, log_evidence: found.log_evidence });
        judged.push(found);
    }
    let posterior = ModelPosterior::new(candidates)?;
    let card = card(args, &seen, &posterior, &judged)?;
    match &args.plot {
        Some(picture) => plot::show(plot::of_card(&card, picture)?, console),
        None => show(&card, console),
    }
}

/// The models, what they predict together and what is believed of their parameters; the models alone where there is room for one table only.
fn show(card: &Card, console: &Console) -> Result<(), Failure> {
    let format = console.format();
    if matches!(format, Format::Csv | Format::Ndjson) || card.tables.is_empty() && format != Format::Json {
        return console.result(card);
    }
    let models = Card { tables: Vec::new(), ..card.clone() };
    let below: Vec<Card> = card.tables.iter().map(further).collect();
    let mut cards = vec![("models", &models)];
    cards.extend(card.tables.iter().map(Table::name).zip(&below));
    console.result(&cards[..])
}

/// A further table as a card of its own; the standard deviation says to people what the variance says to programs.
fn further(table: &Table) -> Card {
    let title = if table.name() == "next" { "What the models predict together" } else { "What is believed of their parameters" };
    let mut shown = table.clone();
    shown.retain_columns(|_, name| name != "variance");
    let summary = Some(Summary { table: Some(shown), ..Summary::default() });
    Card { title: title.into(), tidy: table.clone(), summary, ..Card::default() }
}

fn seen(args: &BayesArgs) -> Result<Seen, Failure> {
    let numbers = |text: &String| Ok::<_, Failure>(rows_of_numbers::rows(std::slice::from_ref(text), None)?.concat());
    match (&args.data, &args.counts, &args.values) {
        (Some(text), ..) => {
            let (names, counts) = counted(text).into_iter().map(|(mark, count)| (mark.to_string(), count)).unzip();
            Ok(Seen::Counts(counts, names))
        }
        (_, Some(text), _) => {
            let counts = numbers(text)?;
            let names = (1..=counts.len()).map(|outcome| outcome.to_string()).collect();
            Ok(Seen::Counts(counts, names))
        }
        (_, _, Some(text)) => Ok(Seen::Values(numbers(text)?)),
        _ if args.log_evidence => Ok(Seen::Nothing),
        _ => Err(Failure::Usage("say what was seen with --data, --counts or --values, or give log evidences with --log-evidence".into())),
    }
}

/// How often each character occurs: heads before tails, 1 before 0, all others in the order in which they sort.
fn counted(text: &str) -> Vec<(char, f64)> {
    let marks: Vec<char> = text.chars().filter(|mark| !mark.is_whitespace()).collect();
    let of = |wanted: char| (wanted, marks.iter().filter(|mark| **mark == wanted).count() as f64);
    let only = |allowed: [char; 2]| marks.iter().all(|mark| allowed.contains(mark));
    for pair in [['H', 'T'], ['h', 't'], ['1', '0']] {
        if only(pair) {
            return pair.map(of).to_vec();
        }
    }
    let mut kinds = marks.clone();
    kinds.sort_unstable();
    kinds.dedup();
    kinds.into_iter().map(of).collect()
}

/// ln P(seen | model), and what is believed after it.
fn evidence(model: &str, seen: &Seen, text: &str) -> Result<Judged, Failure> {
    let refused = |accepted: &str| Failure::from(Error::option("model", text, accepted));
    let (kind, inner) = match model.split_once('(') {
        Some((kind, rest)) => (kind.trim(), rest.trim_end().strip_suffix(')').ok_or_else(|| refused("a closing parenthesis"))?),
        None => ("", model),
    };
    let numbers = rows_of_numbers::rows(&[inner.to_owned()], None)?.concat();
    match (kind, &numbers[..], seen) {
        ("", [value], Seen::Nothing) => Ok(Judged { log_evidence: *value, belief: None, next: None }),
        ("", [heads], Seen::Counts(counts, _)) if counts.len() == 2 => point(&[*heads, 1.0 - heads], counts),
        ("", outcomes, Seen::Counts(counts, _)) if outcomes.len() == counts.len() => point(outcomes, counts),
        ("beta", [a, b], Seen::Counts(counts, _)) if counts.len() == 2 => {
            let coin = BetaBernoulli::new(*a, *b)?;
            let after = coin.posterior(counts[0], counts[1]);
            let next = Some(vec![after.mean(), 1.0 - after.mean()]);
            Ok(Judged { log_evidence: coin.log_evidence(counts[0], counts[1]), belief: Some(Belief::Coin(after)), next })
        }
        ("dirichlet", alpha, Seen::Counts(counts, _)) => {
            let alpha = if let [one] = alpha { vec![*one; counts.len()] } else { alpha.to_vec() };
            let urn = DirichletMultinomial::new(&alpha)?;
            let (log_evidence, after) = (urn.log_evidence(counts)?, urn.posterior(counts)?);
            Ok(Judged { log_evidence, next: Some(after.mean()), belief: Some(Belief::Urn(after)) })
        }
        ("nig", [mean, strength, shape, scale], Seen::Values(values)) => {
            let normal = NormalInverseGamma::new(*mean, *strength, *shape, *scale)?;
            let belief = Some(Belief::Normal(normal.posterior(values)));
            Ok(Judged { log_evidence: normal.log_evidence(values), belief, next: None })
        }
        (_, _, Seen::Nothing) => Err(refused("one number, the log evidence")),
        (_, _, Seen::Counts(counts, _)) => {
            let many = counts.len();
            Err(refused(&format!(
                "a probability for each of the {many} outcomes seen (for two, that of the first), beta(A,B) for two, dirichlet(A,…)"
            )))
        }
        (_, _, Seen::Values(_)) => Err(refused("nig(MEAN,STRENGTH,SHAPE,SCALE), for numbers")),
    }
}

/// The likelihood of a point model.
fn point(outcomes: &[f64], counts: &[f64]) -> Result<Judged, Failure> {
    let p = oddsmith::info::Distribution::new(outcomes)?;
    let addend = |(p, n): (&f64, &f64)| if *n > 0.0 { n * p.ln() } else { 0.0 };
    let log_evidence = p.probabilities().iter().zip(counts).map(addend).sum();
    Ok(Judged { log_evidence, belief: Some(Belief::Known(outcomes.to_vec())), next: Some(outcomes.to_vec()) })
}

fn card(args: &BayesArgs, seen: &Seen, posterior: &ModelPosterior, judged: &[Judged]) -> Result<Card, Failure> {
    let columns = ["model", "prior", "log_evidence", "posterior", "bayes_factor", "bits", "decibans", "two_part_bits"];
    let mut tidy = FixedTable::new("models", columns);
    let best = posterior.most_likely();
    for (at, candidate) in posterior.candidates().iter().enumerate() {
        let factor = posterior.bayes_factor(at, best);
        tidy.push([
            candidate.name.as_str().into(),
            candidate.prior.into(),
            candidate.log_evidence.into(),
            posterior.posterior()[at].into(),
            factor.odds().into(),
            factor.bits().into(),
            factor.decibans().into(),
            posterior.two_part_bits(at).into(),
        ]);
    }
    let name = |at: usize| Cell::from(posterior.candidates()[at].name.as_str());
    let mut facts = vec![
        ("most probable".into(), name(posterior.most_probable())),
        ("most likely".into(), name(best)),
        ("log evidence of all".into(), posterior.log_evidence().into()),
    ];
    let mut tables = Vec::new();
    if let Some(next) = mixture(posterior, judged)? {
        facts.push(("probability of the first outcome next".into(), next[0].into()));
        if let (Seen::Counts(_, names), 3..) = (seen, next.len()) {
            let mut table = FixedTable::new("next", ["outcome", "probability"]);
            names.iter().zip(&next).for_each(|(name, p)| table.push([name.as_str().into(), (*p).into()]));
            tables.push(table.into());
        }
    }
    let drawn = args.sample.map(|seed| (posterior.drawn(uniform(seed)), seed));
    facts.extend(drawn.map(|(at, _)| ("drawn".into(), name(at))));
    let (tidy, parameters) = (Table::from(tidy), parameters(args.level, seen, posterior, judged, drawn));
    tables.extend((!parameters.rows().is_empty()).then_some(parameters));
    // What a narrow terminal has no room for is in the bits that say model and data.
    let mut shown = tidy.clone();
    shown.retain_columns(|_, name| name != "log_evidence");
    shown.push_column("log_evidence", |row, _| posterior.candidates()[row].log_evidence.into());
    let footnotes = vec![
        "bayes_factor, bits, decibans: against the model under which the data are most likely".to_owned(),
        "two_part_bits: to say the model and then the data; fewest where the posterior is largest".to_owned(),
    ];
    let summary = Some(Summary { facts: facts.clone(), table: Some(shown), footnotes });
    let pictures = vec![posterior_picture(posterior)];
    Ok(Card { title: "Models compared by their evidence".into(), facts, tidy, tables, summary, pictures, ..Card::default() })
}

/// A number from 0 up to 1.
fn uniform(seed: u64) -> f64 {
    use rand_chacha::rand_core::{Rng, SeedableRng};
    (rand_chacha::ChaCha8Rng::seed_from_u64(seed).next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// What all models together predict of every outcome, where all of them predict.
fn mixture(posterior: &ModelPosterior, judged: &[Judged]) -> Result<Option<Vec<f64>>, Error> {
    let Some(next) = judged.iter().map(|model| model.next.as_deref()).collect::<Option<Vec<&[f64]>>>() else { return Ok(None) };
    let outcomes = next.first().map_or(0, |next| next.len());
    let of = |outcome: usize| posterior.predictive(&next.iter().map(|model| model[outcome]).collect::<Vec<f64>>());
    (0..outcomes).map(of).collect::<Result<Vec<f64>, Error>>().map(Some)
}

/// What is believed of the parameters of models that have a prior: beside the estimate of maximum likelihood the most probable value, mean,
/// variance and limits; and the draw, where this model was drawn.
fn parameters(level: f64, seen: &Seen, posterior: &ModelPosterior, judged: &[Judged], drawn: Option<(usize, u64)>) -> Table {
    let columns = ["model", "parameter", "mle", "map", "mean", "std_dev", "conf_low", "conf_high", "variance"];
    let mut table = FixedTable::new("parameters", columns);
    let mut draws = Vec::new();
    for (at, model) in judged.iter().enumerate() {
        let Some(belief) = &model.belief else { continue };
        let draw = drawn.filter(|(chosen, _)| *chosen == at).map(|(_, seed)| belief.draw(seed));
        for (place, believed) in belief.parameters(level).iter().enumerate() {
            let (name, estimate) = estimated(seen, place);
            draws.push(draw.as_ref().map_or(Cell::Empty, |draw| draw[place].into()));
            table.push([
                posterior.candidates()[at].name.as_str().into(),
                name.into(),
                estimate.map_or(Cell::Empty, Cell::from),
                believed.mode.map_or(Cell::Empty, Cell::from),
                believed.mean.into(),
                believed.variance.sqrt().into(),
                believed.interval.0.into(),
                believed.interval.1.into(),
                believed.variance.into(),
            ]);
        }
    }
    let mut table = Table::from(table);
    if drawn.is_some() {
        table.push_column("drawn", |row, _| draws[row].clone());
    }
    table
}

/// The name of a parameter and its estimate of maximum likelihood.
fn estimated(seen: &Seen, place: usize) -> (String, Option<f64>) {
    match seen {
        Seen::Counts(counts, names) => {
            let total: f64 = counts.iter().sum();
            (format!("p({})", names[place]), (total > 0.0).then(|| counts[place] / total))
        }
        Seen::Values(values) => {
            let n = values.len() as f64;
            let mean = values.iter().sum::<f64>() / n;
            let estimate = if place == 0 { mean } else { values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n };
            (["mean", "variance"][place.min(1)].to_owned(), (n > 0.0).then_some(estimate))
        }
        Seen::Nothing => (String::new(), None),
    }
}
