//! `oddsmith bayes`: which of several models, and how sure.

use clap::Args;
use oddsmith::Error;
use oddsmith::card::{Card, Cell, FixedTable};
use oddsmith::info::{BetaBernoulli, Candidate, DirichletMultinomial, ModelPosterior, NormalInverseGamma};

use crate::console::Console;
use crate::exit::Failure;
use crate::options::split_pair;
use crate::rows_of_numbers;

pub(crate) const EXAMPLES: &str = "Examples:
  oddsmith bayes --model bent=0.8 --model straight=0.5 --data HTHHHTHHTHTH
  oddsmith bayes --model bent=0.8 --model straight=0.5 --counts 8,4 --prior 1/3,2/3
  oddsmith bayes --model fair=0.5 --model 'any=beta(1,1)' --counts 8,4  # an unknown coin
  oddsmith bayes --model 'bad=0.2,0.2,0.6' --model 'any=dirichlet(1)' --counts 1,2,7
  oddsmith bayes --model a=-12.5 --model b=-10.1 --log-evidence         # known log evidences
  oddsmith bayes --model 'a=nig(0,1,2,1)' --model 'b=nig(5,1,2,1)' --values 0.3,1.2";

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

    /// Draw one model from the posterior with this seed.
    #[arg(long, value_name = "SEED")]
    sample: Option<u64>,
}

/// What was seen.
enum Seen {
    Counts(Vec<f64>),
    Values(Vec<f64>),
    Nothing,
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
    let mut predictions = Vec::new();
    for (text, prior) in args.models.iter().zip(priors) {
        let refused = || Error::option("model", text, "a name and a model, such as bent=0.8 or any=beta(1,1)");
        let (name, model) = split_pair(text).ok_or_else(refused)?;
        let (log_evidence, next) = evidence(model, &seen, text)?;
        candidates.push(Candidate { name: name.to_owned(), prior, log_evidence });
        predictions.push(next);
    }
    let posterior = ModelPosterior::new(candidates)?;
    console.result(&card(args, &posterior, &predictions)?)
}

fn seen(args: &BayesArgs) -> Result<Seen, Failure> {
    let numbers = |text: &String| Ok::<_, Failure>(rows_of_numbers::rows(std::slice::from_ref(text), None)?.concat());
    match (&args.data, &args.counts, &args.values) {
        (Some(text), ..) => Ok(Seen::Counts(counted(text))),
        (_, Some(text), _) => Ok(Seen::Counts(numbers(text)?)),
        (_, _, Some(text)) => Ok(Seen::Values(numbers(text)?)),
        _ if args.log_evidence => Ok(Seen::Nothing),
        _ => Err(Failure::Usage("say what was seen with --data, --counts or --values, or give log evidences with --log-evidence".into())),
    }
}

/// How often each character occurs: heads before tails, 1 before 0, all others in the order in which they sort.
fn counted(text: &str) -> Vec<f64> {
    let marks: Vec<char> = text.chars().filter(|mark| !mark.is_whitespace()).collect();
    let of = |wanted: char| marks.iter().filter(|mark| **mark == wanted).count() as f64;
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

/// ln P(seen | model), and the probability of the first outcome next, where the model has one.
fn evidence(model: &str, seen: &Seen, text: &str) -> Result<(f64, Option<f64>), Failure> {
    let refused = |accepted: &str| Failure::from(Error::option("model", text, accepted));
    let (kind, inner) = match model.split_once('(') {
        Some((kind, rest)) => (kind.trim(), rest.trim_end().strip_suffix(')').ok_or_else(|| refused("a closing parenthesis"))?),
        None => ("", model),
    };
    let numbers = rows_of_numbers::rows(&[inner.to_owned()], None)?.concat();
    match (kind, &numbers[..], seen) {
        ("", [value], Seen::Nothing) => Ok((*value, None)),
        ("", [heads], Seen::Counts(counts)) if counts.len() == 2 => point(&[*heads, 1.0 - heads], counts),
        ("", outcomes, Seen::Counts(counts)) if outcomes.len() == counts.len() => point(outcomes, counts),
        ("beta", [a, b], Seen::Counts(counts)) if counts.len() == 2 => {
            let coin = BetaBernoulli::new(*a, *b)?;
            Ok((coin.log_evidence(counts[0], counts[1]), Some(coin.posterior(counts[0], counts[1]).mean())))
        }
        ("dirichlet", alpha, Seen::Counts(counts)) => {
            let alpha = if let [one] = alpha { vec![*one; counts.len()] } else { alpha.to_vec() };
            let urn = DirichletMultinomial::new(&alpha)?;
            Ok((urn.log_evidence(counts)?, urn.posterior(counts)?.mean().first().copied()))
        }
        ("nig", [mean, strength, shape, scale], Seen::Values(values)) => {
            Ok((NormalInverseGamma::new(*mean, *strength, *shape, *scale)?.log_evidence(values), None))
        }
        (_, _, Seen::Nothing) => Err(refused("one number, the log evidence")),
        (_, _, Seen::Counts(counts)) => {
            let many = counts.len();
            Err(refused(&format!(
                "a probability for each of the {many} outcomes seen (for two, that of the first), beta(A,B) for two, dirichlet(A,…)"
            )))
        }
        (_, _, Seen::Values(_)) => Err(refused("nig(MEAN,STRENGTH,SHAPE,SCALE), for numbers")),
    }
}

/// The likelihood of a point model.
fn point(outcomes: &[f64], counts: &[f64]) -> Result<(f64, Option<f64>), Failure> {
    let p = oddsmith::info::Distribution::new(outcomes)?;
    let addend = |(p, n): (&f64, &f64)| if *n > 0.0 { n * p.ln() } else { 0.0 };
    Ok((p.probabilities().iter().zip(counts).map(addend).sum(), outcomes.first().copied()))
}

fn card(args: &BayesArgs, posterior: &ModelPosterior, predictions: &[Option<f64>]) -> Result<Card, Failure> {
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
    let next: Option<Vec<f64>> = predictions.iter().copied().collect();
    if let Some(next) = next {
        facts.push(("probability of the first outcome next".into(), posterior.predictive(&next)?.into()));
    }
    if let Some(seed) = args.sample {
        use rand_chacha::rand_core::{Rng, SeedableRng};
        let uniform = (rand_chacha::ChaCha8Rng::seed_from_u64(seed).next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        facts.push(("drawn".into(), name(posterior.drawn(uniform))));
    }
    Ok(Card { title: "Models compared by their evidence".into(), facts, tidy: tidy.into(), ..Card::default() })
}
