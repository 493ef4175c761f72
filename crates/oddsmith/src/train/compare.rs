//! Several models on the same folds of one source: every row judged by models that have not seen its fold.

use std::num::NonZeroUsize;
use std::time::Instant;

use super::candidate::{CandidateMetrics, CandidateResult, mean};
use super::comparison::{Metrics, metrics_of};
use super::cross_validation::{CrossValidation, FoldSpec, FoldTables};
use super::driver::fit;
use super::scored_table::ScoredTable;
use crate::control::Control;
use crate::data::Source;
use crate::error::{Error, ErrorKind, Result};
use crate::eval::EvalSettings;
use crate::model::{AnyLearner, Classifier};
use crate::registry;

/// A model that takes part.
pub struct Candidate {
    /// Its name.
    pub name: String,
    /// Who learns it.
    pub learner: Box<dyn AnyLearner>,
}

impl Candidate {
    /// The models of a list such as `nb,logistic(l2=1)`; refuses one that is named twice with the same options.
    pub fn parse_list(text: &str) -> Result<Vec<Candidate>> {
        Candidate::parse_list_for(text, &[])
    }

    /// The same for a table of which some number columns hold only 0 and 1: models that would read them as booleans, were the table theirs
    /// alone, give each a coin.
    pub fn parse_list_for(text: &str, flags: &[String]) -> Result<Vec<Candidate>> {
        let mut all: Vec<Candidate> = Vec::new();
        for (entry, mut params) in registry::parse_list(text)? {
            let name = registry::named(entry, &params);
            if all.iter().any(|other| other.name == name) {
                return Err(Error::option("models", name, "every model once"));
            }
            let learner = (entry.build)(&params)?;
            if learner.needs_any()?.flags.is_some() && params.declares("distribution") {
                flags.iter().try_for_each(|column| params.add_pair("distribution", column, "bernoulli"))?;
            }
            all.push(Candidate { name, learner: (entry.build)(&params)? });
        }
        Ok(all)
    }
}

/// The name of a model, and the model or why there is none.
pub type NamedFit = (String, std::result::Result<Box<dyn Classifier>, String>);

/// How the models are compared.
pub struct Comparison<'a> {
    /// The rows.
    pub source: &'a dyn Source,
    /// The models.
    pub candidates: &'a [Candidate],
    /// Number of folds.
    pub folds: usize,
    /// How many times rows are dealt anew.
    pub repeats: u64,
    /// Start of the random numbers that deal rows.
    pub seed: u64,
    /// Group of every row; rows of a group stay together.
    pub groups: Option<&'a [u32]>,
    /// Bytes for everything; the scores of all rows by all models may take half of it, for paired tests look at them together.
    pub memory: u64,
    /// Threads.
    pub threads: Option<NonZeroUsize>,
    /// Progress and stop.
    pub control: &'a Control,
}

impl Comparison<'_> {
    pub(super) fn deal(&self, repeat: u64) -> Result<CrossValidation<'_>> {
        let spec = FoldSpec { folds: self.folds, seed: self.seed + repeat, groups: self.groups };
        CrossValidation::new(self.source, spec, self.threads, self.control)
    }

    fn gather(&self, folds: &CrossValidation<'_>) -> Result<Option<FoldTables>> {
        let learners: Vec<&dyn AnyLearner> = self.candidates.iter().map(|candidate| &*candidate.learner).collect();
        folds.gather(&learners)
    }

    fn metrics_of(&self, tables: &[ScoredTable]) -> Result<Vec<Metrics>> {
        let layout = self.source.layout();
        let settings = EvalSettings { weighting: layout.weighting(), memory: usize::MAX, ..EvalSettings::default() };
        metrics_of(tables, layout.classes().len(), &settings, self.threads)
    }

    /// What is known about every model after all deals: figures are means over them, rows those of the first.
    pub fn run(&self) -> Result<Vec<CandidateResult>> {
        let mut results: Vec<CandidateResult> = Vec::new();
        for repeat in 0..self.repeats.max(1) {
            let next = self.repeat(repeat)?;
            if repeat == 0 {
                results = next;
                continue;
            }
            for (mine, theirs) in results.iter_mut().zip(next) {
                match (&mut mine.outcome, theirs.outcome) {
                    (Ok(mine), Ok(theirs)) => {
                        mine.metrics = mean(&mine.metrics, &theirs.metrics, repeat);
                        mine.seconds += theirs.seconds;
                    }
                    (_, Err(reason)) => mine.outcome = Err(reason),
                    _ => {}
                }
            }
        }
        Ok(results)
    }

    /// All models on one deal of the rows. What one model cannot do is no reason to stop the others.
    fn repeat(&self, repeat: u64) -> Result<Vec<CandidateResult>> {
        let folds = self.deal(repeat)?;
        self.check_memory(folds.folds().of_rows().len())?;
        let begin = Instant::now();
        let tables = self.gather(&folds)?;
        let shared = begin.elapsed().as_secs_f64() / self.candidates.len() as f64;
        let (mut fitted, mut outcomes) = (Vec::new(), Vec::new());
        for candidate in self.candidates {
            let begin = Instant::now();
            match folds.models(&*candidate.learner, tables.as_ref()) {
                Ok(models) => {
                    outcomes.push(Ok((Some(models[0].free_parameters() as u64), shared + begin.elapsed().as_secs_f64())));
                    fitted.push(models);
                }
                Err(error) if matches!(error.kind(), ErrorKind::Interrupted) => return Err(error),
                Err(error) => outcomes.push(Err(error.to_string())),
            }
        }
        let tables = folds.out_of_fold(&fitted)?;
        let mut judged = self.metrics_of(&tables)?.into_iter().zip(tables);
        let result = |(candidate, outcome): (&Candidate, std::result::Result<(Option<u64>, f64), String>)| {
            let outcome = outcome.and_then(|(parameters, seconds)| {
                let (metrics, rows) = judged.next().ok_or("the model was not judged")?;
                Ok(CandidateMetrics { metrics, rows, parameters, seconds })
            });
            CandidateResult { name: candidate.name.clone(), outcome }
        };
        Ok(self.candidates.iter().zip(outcomes).map(result).collect())
    }

    /// Refuses scores that would not fit, before anything is fitted: class, weight and fold of a row, and a score per class and model.
    fn check_memory(&self, rows: usize) -> Result<()> {
        let (classes, models) = (self.source.layout().classes().len() as u64, self.candidates.len() as u64);
        let scores = (rows as u64).saturating_mul(14 + 8 * classes * models);
        if scores <= self.memory / 2 {
            return Ok(());
        }
        // As the option is written: a whole number of mebibytes, or of kibibytes where that is less than one.
        let told =
            |bytes: u64| if bytes < 1 << 20 { format!("{}K", bytes.div_ceil(1 << 10)) } else { format!("{}M", bytes.div_ceil(1 << 20)) };
        let needed = told(scores.saturating_mul(2));
        let accepted = format!("at least {needed} for the scores of {rows} rows by {models} models, or fewer models at a time");
        Err(Error::option("memory", told(self.memory), accepted))
    }

    /// The models that can be fitted to all rows, by name.
    pub fn fitted(&self) -> Result<Vec<(String, Box<dyn Classifier>)>> {
        Ok(self.each_fitted()?.into_iter().filter_map(|(name, model)| Some((name, model.ok()?))).collect())
    }

    /// Every model fitted to all rows, or why it has no fit.
    pub fn each_fitted(&self) -> Result<Vec<NamedFit>> {
        let mut fitted = Vec::new();
        for candidate in self.candidates {
            match fit(&candidate.learner, self.source, self.threads, self.control) {
                Ok(done) => fitted.push((candidate.name.clone(), Ok(done.model))),
                Err(error) if matches!(error.kind(), ErrorKind::Interrupted) => return Err(error),
                Err(error) => fitted.push((candidate.name.clone(), Err(error.to_string()))),
            }
        }
        Ok(fitted)
    }
}
