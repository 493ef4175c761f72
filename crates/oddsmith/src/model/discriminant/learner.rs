//! LDA and QDA as learners: which sums they ask for and how these become models.

use std::sync::Arc;

use super::covariance::{self, Covariances};
use super::describe::Account;
use super::joint::{Joint, Parameters, pool};
use super::law::Law;
use super::ledoit_wolf::FourthMoments;
use super::moments::Moments;
use super::wishart::{Sums, WishartPrior};
use super::{DiscriminantParams, LdaModel, QdaModel, span};
use crate::codec::{Codec, Encode};
use crate::data::{Dummies, Feature, Features, Kind, Layout, Rows, Weighting};
use crate::error::{Advice, Error, ErrorKind, Result};
use crate::model::bayes::label_evidence;
use crate::model::params::Params;
use crate::model::{Learner, PassInfo, Shrinkage, Step};
use crate::num::{MatrixView, check_room};
use crate::record::Record;
use crate::stats::{Parts, ScatterPart, Statistics, TableStats};

/// Linear discriminant analysis: normal classes that share a covariance matrix.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lda {
    /// The options.
    pub settings: DiscriminantParams,
}

/// Quadratic discriminant analysis: normal classes with covariance matrices of their own.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Qda {
    /// The options.
    pub settings: DiscriminantParams,
}

/// The sums of a pass: means and products first, then, for Ledoit–Wolf shrinkage, fourth powers around them. Categories are summed up as
/// columns of zeros and ones.
#[derive(Debug, Clone, PartialEq)]
pub struct DiscriminantStats {
    pass: Pass,
    dummies: Option<Arc<Dummies>>,
}

#[derive(Debug, Clone, PartialEq)]
enum Pass {
    First(Box<TableStats>),
    Second(FourthMoments),
}

impl DiscriminantStats {
    /// The sums of a first pass over number columns: those that any table of them has.
    pub fn table(&self) -> Option<&TableStats> {
        match (&self.pass, &self.dummies) {
            (Pass::First(table), None) => Some(table),
            _ => None,
        }
    }

    /// The sums of a first pass over rows that were written as numbers elsewhere.
    pub fn of_numbers(table: TableStats, dummies: Option<Arc<Dummies>>) -> Result<Self> {
        match dummies.as_ref().is_none_or(|dummies| dummies.numbers() == table.layout()) {
            true => Ok(DiscriminantStats { pass: Pass::First(Box::new(table)), dummies }),
            false => Err(Error::internal("sums of other columns than those of the categories were given")),
        }
    }

    /// The empty sums of another pass over the same columns.
    fn next(&self, pass: Pass) -> Self {
        DiscriminantStats { pass, dummies: self.dummies.clone() }
    }

    /// Rows as numbers, where they have categories.
    fn with_numbers(&mut self, rows: Rows<'_>, observe: impl FnOnce(&mut Pass, Rows<'_>) -> Result<()>) -> Result<()> {
        let Some(dummies) = &self.dummies else { return observe(&mut self.pass, rows) };
        rows.features.check(dummies.layout())?;
        let mut cells = Vec::new();
        dummies.expand(&rows.features, &mut cells);
        let numbers = MatrixView::row_major(&cells, rows.features.rows(), dummies.numbers().features().len())?;
        observe(&mut self.pass, Rows { features: Features::of_numbers(numbers), ..rows })
    }
}

impl Encode for DiscriminantStats {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        match &mut self.pass {
            Pass::First(stats) => {
                codec.kind("table")?;
                stats.encode(codec)
            }
            Pass::Second(stats) => {
                codec.kind("fourth-moments")?;
                stats.encode(codec)
            }
        }
    }
}

impl Statistics for DiscriminantStats {
    type Input<'a> = Rows<'a>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        self.with_numbers(rows, |pass, rows| match pass {
            Pass::First(stats) => stats.observe(rows),
            Pass::Second(stats) => stats.observe(rows),
        })
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        match (&mut self.pass, &other.pass) {
            (Pass::First(mine), Pass::First(theirs)) => mine.merge(theirs),
            (Pass::Second(mine), Pass::Second(theirs)) => mine.merge(theirs),
            _ => Err(Error::internal("sums of different passes were merged")),
        }
    }

    fn weight(&self) -> f64 {
        match &self.pass {
            Pass::First(stats) => stats.weight(),
            Pass::Second(stats) => stats.weight(),
        }
    }

    fn purpose(&self) -> String {
        match &self.pass {
            Pass::First(stats) => stats.purpose(),
            Pass::Second(_) => "fourth powers around the means, for Ledoit and Wolf's shrinkage".into(),
        }
    }

    fn bytes(&self) -> usize {
        match &self.pass {
            Pass::First(stats) => stats.bytes(),
            Pass::Second(stats) => stats.bytes(),
        }
    }
}

/// Which of the two it is, and all that they do alike.
#[derive(Clone, Copy)]
struct Plan<'a> {
    settings: &'a DiscriminantParams,
    name: &'static str,
    shared: bool,
}

impl Plan<'_> {
    /// LDA takes one pooled matrix, but Ledoit–Wolf shrinks class by class.
    fn products(&self) -> ScatterPart {
        match self.shared && self.settings.shrinkage != Shrinkage::LedoitWolf {
            true => ScatterPart::Pooled,
            false => ScatterPart::PerClass,
        }
    }

    fn begin(&self, layout: &Arc<Layout>) -> Result<DiscriminantStats> {
        self.settings.check()?;
        let (layout, dummies) = self.columns(layout)?;
        self.check_products(&layout)?;
        let parts = Parts { scatter: self.products(), patterns: 1, ..Parts::default() };
        Ok(DiscriminantStats { pass: Pass::First(Box::new(TableStats::new(layout, parts))), dummies })
    }

    /// Refuses more columns than there is memory for their products, of which three copies are alive at a time.
    fn check_products(&self, numbers: &Layout) -> Result<()> {
        let matrices = if self.products() == ScatterPart::PerClass { numbers.classes().len() } else { 1 };
        let columns = numbers.numbers().len();
        let what = || format!("the products of {columns} columns");
        let advice =
            || Advice::any_of([Advice::UseModel { name: "nb", why: "which takes every column by itself" }, Advice::LeaveOut(vec![])]);
        check_room(3 * matrices as u128 * (columns as u128).pow(2), what, advice)
    }

    /// The number columns that it learns from, and how categories become some.
    fn columns(&self, layout: &Arc<Layout>) -> Result<(Arc<Layout>, Option<Arc<Dummies>>)> {
        let texts = self.others(layout, |kind| kind == Kind::Text);
        if let Some((columns, named)) = texts {
            let what = format!("use {named}, only numbers, categories and booleans");
            let advice = Advice::any_of([Advice::LeaveOut(columns), Advice::UseModel { name: "nb", why: "which takes every kind" }]);
            return Err(ErrorKind::Unsupported { model: self.name.into(), what, advice }.into());
        }
        let dummies = Dummies::new(layout)?.map(Arc::new);
        let numbers = dummies.as_ref().map_or_else(|| Arc::clone(layout), |dummies| Arc::clone(dummies.numbers()));
        match numbers.numbers().is_empty() {
            true => Err(Error::data(format!("there is no number column and no category of two levels for {}", self.name))),
            false => Ok((numbers, dummies)),
        }
    }

    /// Names of the columns of some kinds, alone and with their kinds; `None` when there are none.
    fn others(&self, layout: &Layout, of: impl Fn(Kind) -> bool) -> Option<(Vec<String>, String)> {
        let others: Vec<&Feature> = layout.features().iter().filter(|feature| of(feature.kind())).collect();
        let named = |feature: &&Feature| format!("`{}` ({})", feature.name, feature.kind().name());
        let list = others.iter().map(named).collect::<Vec<_>>().join(", ");
        (!others.is_empty()).then(|| (others.iter().map(|feature| feature.name.clone()).collect(), list))
    }

    fn adopt(&self, table: &TableStats) -> Result<DiscriminantStats> {
        if self.settings.shrinkage == Shrinkage::LedoitWolf {
            let share = Advice::Set { option: "shrinkage", value: "", to: "shrink by a share from 0 to 1" };
            let advice = Advice::any_of(["it takes a second pass over the rows; fit from the data".into(), share]);
            let what = "estimate ledoit-wolf shrinkage from statistics".to_owned();
            return Err(ErrorKind::Unsupported { model: self.name.into(), what, advice }.into());
        }
        self.columns(table.layout())?;
        if let Some((columns, named)) = self.others(table.layout(), |kind| kind != Kind::Number) {
            let what = format!("learn from {named} by statistics, which hold products of number columns only");
            let advice = Advice::any_of(["fit from the data".into(), Advice::LeaveOut(columns)]);
            return Err(ErrorKind::Unsupported { model: self.name.into(), what, advice }.into());
        }
        DiscriminantStats::of_numbers(table.clone(), None)
    }

    fn finish(&self, stats: &DiscriminantStats) -> Result<Step<DiscriminantStats, (Joint, Account)>> {
        self.settings.check()?;
        let (joint, account) = match &stats.pass {
            Pass::First(table) => {
                if let Some(again) = table.rescaled() {
                    return Ok(Step::Again(stats.next(Pass::First(Box::new(again)))));
                }
                let moments = Moments::new(table, stats.dummies.as_ref(), self.products(), self.settings.given.as_ref())?;
                match (self.settings.predictive, self.settings.shrinkage) {
                    (true, _) => self.integrate(&moments)?,
                    (false, Shrinkage::LedoitWolf) => {
                        return Ok(Step::Again(stats.next(Pass::Second(FourthMoments::new(moments)))));
                    }
                    (false, _) => self.estimate(&moments, None)?,
                }
            }
            Pass::Second(fourth) => {
                let moments = fourth.moments()?;
                self.estimate(moments, Some(&fourth.shares(moments)))?
            }
        };
        Ok(Step::Done((joint, account)))
    }

    fn log_prior(&self, moments: &Moments) -> Result<Vec<f64>> {
        // A pseudo-row weighs as much as a row.
        let smoothing = self.settings.class_smoothing() / moments.rows_per_weight();
        self.settings.prior.log_probabilities(moments.layout.classes(), &moments.classes, smoothing)
    }

    fn parameters(&self, moments: &Moments) -> Result<Parameters> {
        Ok(Parameters {
            layout: Arc::clone(&moments.layout),
            dummies: moments.dummies.clone(),
            classes: moments.classes.clone(),
            log_prior: self.log_prior(moments)?,
            columns: moments.columns.clone(),
            constants: moments.constants.clone(),
            centre: moments.centre.clone(),
            scale: moments.scale.clone(),
            offsets: moments.offsets.clone(),
            covariances: Vec::new(),
            laws: vec![Law::NORMAL; moments.classes.rows.len()],
        })
    }

    /// Plugs estimates in.
    fn estimate(&self, moments: &Moments, shares: Option<&[f64]>) -> Result<(Joint, Account)> {
        let found: Covariances = match (&self.settings.given, self.shared) {
            (Some(given), shared) => covariance::given(moments, &given.covariances, shared)?,
            (None, true) => covariance::pooled(moments, self.settings, shares)?,
            (None, false) => covariance::per_class(moments, self.settings, shares)?,
        };
        let pooled = pool(&found.matrices, &moments.classes.weight);
        let own = if self.shared { &[][..] } else { &found.matrices[..] };
        let mut notices = moments.notices.clone();
        notices.extend(span::check(moments, &pooled, own)?);
        let account = Account {
            left_out: moments.left_out,
            divisor: self.settings.divisor,
            divisors: found.divisors,
            shrinkage: self.settings.shrinkage.to_string(),
            shares: found.shares,
            predictive: false,
            feature_evidence: None,
            label_evidence: None,
            notices,
        };
        let joint = Joint::new(Parameters { covariances: found.matrices, ..self.parameters(moments)? })?;
        Ok((joint, account))
    }

    /// Integrates means and covariances out. Sampling weights leave no evidence.
    fn integrate(&self, moments: &Moments) -> Result<(Joint, Account)> {
        let sampling = moments.layout.weighting() == Weighting::Sampling;
        let weight = &moments.classes.weight;
        let rows_per_weight = moments.rows_per_weight();
        let variances = moments.pooled_products().diagonal() / moments.classes.total();
        let prior = WishartPrior::new(variances.as_slice().to_vec());
        // The centre is the mean of the class means but for rounding; the prior must not feel the rounding.
        let rounding: Vec<f64> =
            (0..moments.width()).map(|j| moments.offsets.iter().map(|d| d[j]).sum::<f64>() / weight.len() as f64).collect();
        let moved = |offsets: &[f64], sign: f64| offsets.iter().zip(&rounding).map(|(d, r)| d + sign * r).collect::<Vec<f64>>();
        let means: Vec<Vec<f64>> = moments.offsets.iter().map(|offsets| moved(offsets, -1.0)).collect();
        let class = |k: usize| (weight[k] * rows_per_weight, &means[k][..]);
        let groups: Vec<Sums<'_>> = match self.shared {
            true => vec![Sums { classes: (0..weight.len()).map(class).collect(), products: moments.pooled_products() * rows_per_weight }],
            false => {
                (0..weight.len()).map(|k| Sums { classes: vec![class(k)], products: &moments.products[k] * rows_per_weight }).collect()
            }
        };
        let mut parameters = self.parameters(moments)?;
        parameters.offsets.clear();
        parameters.laws.clear();
        let mut evidence = 0.0;
        for group in &groups {
            let posterior = prior.posterior(group)?;
            parameters.laws.extend((0..group.classes.len()).map(|k| posterior.law(k)));
            parameters.covariances.push(posterior.covariance());
            evidence += posterior.log_marginal_likelihood;
            parameters.offsets.extend(posterior.locations.iter().map(|location| moved(location, 1.0)));
        }
        // Densities of scaled columns, back in the user's units.
        evidence -= moments.classes.total() * moments.scale.iter().map(|s| s.ln()).sum::<f64>();
        let labels = label_evidence(&self.settings.prior, &parameters.log_prior, self.settings.class_smoothing(), weight);
        let account = Account {
            left_out: moments.left_out,
            divisor: self.settings.divisor,
            divisors: Vec::new(),
            shrinkage: Shrinkage::None.to_string(),
            shares: Vec::new(),
            predictive: true,
            feature_evidence: (!sampling).then_some(evidence),
            label_evidence: (!sampling).then_some(labels),
            notices: moments.notices.clone(),
        };
        Ok((Joint::new(parameters)?, account))
    }
}

macro_rules! learner {
    ($learner:ident, $model:ident, $name:literal, shared: $shared:literal) => {
        impl $learner {
            /// A learner with these settings.
            pub fn new(settings: DiscriminantParams) -> Self {
                $learner { settings }
            }

            /// A learner with the options that were given.
            pub fn from_params(params: &Params) -> Result<Self> {
                Ok($learner { settings: DiscriminantParams::from_params(params)? })
            }

            fn plan(&self) -> Plan<'_> {
                Plan { settings: &self.settings, name: $name, shared: $shared }
            }
        }

        impl Learner for $learner {
            type Stats = DiscriminantStats;
            type Model = $model;

            fn begin(&self, layout: &Arc<Layout>, _pass: &PassInfo) -> Result<DiscriminantStats> {
                self.plan().begin(layout)
            }

            fn adopt(&self, table: &TableStats) -> Result<Option<DiscriminantStats>> {
                self.plan().adopt(table).map(Some)
            }

            fn finish(&self, stats: &DiscriminantStats) -> Result<Step<DiscriminantStats, $model>> {
                Ok(match self.plan().finish(stats)? {
                    Step::Again(next) => Step::Again(next),
                    Step::Done((joint, account)) => Step::Done($model::new(joint, account)),
                })
            }

            fn write_point(&self, empty: &DiscriminantStats, point: &mut Record) -> Result<()> {
                match &empty.pass {
                    Pass::First(table) => table.write_scales(point),
                    Pass::Second(fourth) => fourth.write_point(point),
                }
                Ok(())
            }

            fn at_point(&self, layout: &Arc<Layout>, point: &Record) -> Result<DiscriminantStats> {
                let (numbers, dummies) = self.plan().columns(layout)?;
                if let Some(fourth) = FourthMoments::at_point(&numbers, point)? {
                    return Ok(DiscriminantStats { pass: Pass::Second(fourth), dummies });
                }
                let mut empty = self.plan().begin(layout)?;
                if let Pass::First(table) = &mut empty.pass {
                    table.read_scales(point)?;
                }
                Ok(empty)
            }
        }
    };
}

learner!(Lda, LdaModel, "lda", shared: true);
learner!(Qda, QdaModel, "qda", shared: false);
