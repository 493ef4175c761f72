//! Kernel models as learners: rows that may be landmarks first, then an ordinary linear fit to what rows have in common with them.
//!
//! The fit is that of φ(x) ([`super::landmarks`]) with the penalty ½ λ |b|², which is ½ λ aᵀKa for the function Σ a_i K(x_i, x), and a free
//! constant. Sums of the second stage add up like those of any regression. Time O(n m (p + m)) a pass, with m landmarks.

use std::sync::Arc;

use super::curvature::CurvatureSums;
use super::function::Kernel;
use super::landmarks::{Landmarks, gamma};
use super::model::{Account, Fitted, KernelModel};
use super::pool::{MOST, PoolSums};
use crate::codec::{Codec, Encode};
use crate::data::{DesignOptions, Feature, Features, Layout, Rows};
use crate::error::{Error, Result};
use crate::model::linear::{Intervals, LinearStats, Logistic};
use crate::model::margin::{LeastSquares, LeastSquaresStats};
use crate::model::on_design::{DesignBatch, DesignFrame, DesignPass, DesignStats, DesignSums};
use crate::model::params::Params;
use crate::model::{Learner, Look, PassInfo, Step, Takes, Text};
use crate::num::MatrixView;
use crate::record::{Record, fault};
use crate::stats::{ClassWeights, Parts, Statistics, TableStats, check_size};

pub(super) const LOGISTIC: &str = "kernel-logistic";
pub(super) const LEAST_SQUARES: &str = "kernel-least-squares";
pub(super) const TAKES: Takes = Takes { text: Text::No, ..Takes::ALL };
/// Variation of a column below this share of its size is rounding.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Its options.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelLearner {
    /// Whether the fit is logistic, and not by least squares.
    pub logistic: bool,
    /// The name of the kernel: rbf, polynomial or linear.
    pub kernel: String,
    /// γ; one over the median of squared distances unless it is given.
    pub gamma: Option<f64>,
    /// Degree of the polynomial kernel; default 3.
    pub degree: u32,
    /// Strength λ of the penalty; default 1.
    pub ridge: f64,
    /// Most landmarks; default 100.
    pub landmarks: usize,
    /// Whether columns are brought to their standard deviation; default yes.
    pub standardized: bool,
    /// How columns become a design.
    pub options: DesignOptions,
}

impl KernelLearner {
    /// Kernel logistic regression with the options that were given.
    pub fn logistic(params: &Params) -> Result<Self> {
        Self::from_params(params, true)
    }

    /// Kernel least squares with the options that were given.
    pub fn least_squares(params: &Params) -> Result<Self> {
        Self::from_params(params, false)
    }

    fn from_params(params: &Params, logistic: bool) -> Result<Self> {
        Ok(KernelLearner {
            logistic,
            kernel: params.text("kernel").unwrap_or("rbf").into(),
            gamma: params.number("gamma"),
            degree: params.whole("degree").and_then(|degree| u32::try_from(degree).ok()).unwrap_or(3),
            ridge: params.number("ridge").unwrap_or(1.0),
            landmarks: params.whole("landmarks").and_then(|count| usize::try_from(count).ok()).unwrap_or(100),
            standardized: params.text("standardize") != Some("none"),
            options: DesignOptions { missing: params.parsed("missing")?.unwrap_or_default(), ..DesignOptions::default() },
        })
    }

    pub(super) fn name(&self) -> &'static str {
        if self.logistic { LOGISTIC } else { LEAST_SQUARES }
    }
}

/// The sums of the linear fit.
#[derive(Debug, Clone)]
pub enum InnerStats {
    /// Of a logistic regression.
    Logistic(Box<LinearStats>),
    /// Of least squares.
    LeastSquares(Box<LeastSquaresStats>),
}

/// Sums over design rows.
#[derive(Debug, Clone)]
pub enum KernelSums {
    /// Rows that may be landmarks.
    Pool(Box<PoolSums>),
    /// The linear fit to φ(x).
    Fit {
        /// The landmarks.
        map: Arc<FeatureMap>,
        /// What is summed up.
        inner: InnerStats,
    },
    /// How the likelihood bends at the end of a logistic fit.
    Curvature(Box<CurvatureSums>),
}

/// Landmarks and the layout of φ(x).
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureMap {
    pub(super) landmarks: Landmarks,
    pub(super) layout: Arc<Layout>,
}

impl FeatureMap {
    pub(super) fn new(landmarks: Landmarks, frame: &DesignFrame) -> Result<Self> {
        let features = (1..=landmarks.len()).map(|at| Feature::number(format!("landmark {at}"))).collect();
        let own = frame.layout();
        let layout = Layout::new(own.target(), features, own.classes().clone(), own.weighting())?;
        Ok(FeatureMap { landmarks, layout: Arc::new(layout) })
    }
}

/// The sums of a pass.
pub type KernelStats = DesignStats<KernelSums>;

impl Encode for KernelSums {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        match self {
            KernelSums::Pool(pool) => pool.encode(codec),
            KernelSums::Fit { inner: InnerStats::Logistic(stats), .. } => stats.encode(codec),
            KernelSums::Fit { inner: InnerStats::LeastSquares(stats), .. } => stats.encode(codec),
            KernelSums::Curvature(sums) => sums.encode(codec),
        }
    }
}

impl DesignSums for KernelSums {
    fn observe(&mut self, batch: &DesignBatch<'_>) -> Result<()> {
        match self {
            KernelSums::Pool(pool) => pool.observe(batch),
            KernelSums::Fit { map, inner } => {
                let size = map.landmarks.len();
                let mut cells = Vec::with_capacity(batch.rows() * size);
                map.landmarks.features_of((0..batch.rows()).map(|i| batch.row(i)), &mut cells);
                let x = if size == 0 { MatrixView::none(batch.rows()) } else { MatrixView::row_major(&cells, batch.rows(), size)? };
                let rows = Rows::new(Features::of_numbers(x), batch.labels, batch.weights, batch.first_row);
                match inner {
                    InnerStats::Logistic(stats) => stats.observe(rows),
                    InnerStats::LeastSquares(stats) => stats.observe(rows),
                }
            }
            KernelSums::Curvature(sums) => {
                sums.observe(batch);
                Ok(())
            }
        }
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        match (self, other) {
            (KernelSums::Pool(mine), KernelSums::Pool(theirs)) => mine.merge(theirs),
            (KernelSums::Fit { inner: mine, .. }, KernelSums::Fit { inner: theirs, .. }) => match (mine, theirs) {
                (InnerStats::Logistic(mine), InnerStats::Logistic(theirs)) => mine.merge(theirs),
                (InnerStats::LeastSquares(mine), InnerStats::LeastSquares(theirs)) => mine.merge(theirs),
                _ => Err(Error::internal("sums of two different fits were merged")),
            },
            (KernelSums::Curvature(mine), KernelSums::Curvature(theirs)) => {
                mine.merge(theirs);
                Ok(())
            }
            _ => Err(Error::internal("sums of two different passes were merged")),
        }
    }

    fn purpose(&self) -> String {
        match self {
            KernelSums::Pool(pool) => pool.purpose(),
            KernelSums::Fit { inner: InnerStats::Logistic(stats), .. } => format!("landmarks: {}", stats.purpose()),
            KernelSums::Fit { inner: InnerStats::LeastSquares(stats), .. } => format!("landmarks: {}", stats.purpose()),
            KernelSums::Curvature(_) => "landmarks: how sure the log odds are".into(),
        }
    }

    fn discloses(&self) -> Option<String> {
        match self {
            KernelSums::Pool(pool) => pool.discloses(),
            KernelSums::Fit { .. } | KernelSums::Curvature(_) => Some("the landmarks, which are rows".into()),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            KernelSums::Pool(pool) => pool.bytes(),
            KernelSums::Fit { inner: InnerStats::Logistic(stats), .. } => stats.bytes(),
            KernelSums::Fit { inner: InnerStats::LeastSquares(stats), .. } => stats.bytes(),
            KernelSums::Curvature(sums) => sums.bytes(),
        }
    }
}

fn pool(frame: &Arc<DesignFrame>) -> Result<KernelSums> {
    Ok(pool_with(frame, TableStats::new(Arc::clone(frame.columns()), Parts { moments: true, ..Parts::default() })))
}

/// No rows, beside an empty table.
fn pool_with(frame: &DesignFrame, table: TableStats) -> KernelSums {
    let names: Vec<&str> = (0..frame.width()).map(|j| frame.name(j)).collect();
    KernelSums::Pool(Box::new(PoolSums::new(&names, table)))
}

impl Learner for KernelLearner {
    type Stats = KernelStats;
    type Model = KernelModel;

    fn begin(&self, layout: &Arc<Layout>, _pass: &PassInfo) -> Result<KernelStats> {
        TAKES.check(self.name(), layout)?;
        DesignStats::begin(layout, &self.options, pool)
    }

    fn finish(&self, stats: &KernelStats) -> Result<Step<KernelStats, KernelModel>> {
        match stats {
            DesignStats::Survey(layout, survey) => DesignStats::surveyed(layout, &self.options, survey, pool).map(Step::Again),
            DesignStats::Sums(pass) => match &pass.sums {
                KernelSums::Pool(found) => self.after_pool(pass, found),
                KernelSums::Fit { map, inner } => self.after_fit(pass, map, inner),
                KernelSums::Curvature(sums) => Ok(Step::Done(self.model(pass, &sums.map, &sums.fitted, sums.covariance(self.ridge)))),
            },
        }
    }

    fn most_passes(&self) -> usize {
        self.regression().most_passes()
    }

    fn searches(&self) -> bool {
        self.logistic
    }

    fn looks(&self, stats: &KernelStats) -> Result<Vec<Look>> {
        match stats {
            DesignStats::Sums(pass) => match &pass.sums {
                KernelSums::Fit { inner: InnerStats::Logistic(stats), .. } => self.regression().looks(stats),
                _ => Ok(Vec::new()),
            },
            DesignStats::Survey(..) => Ok(Vec::new()),
        }
    }

    fn write_point(&self, empty: &KernelStats, point: &mut Record) -> Result<()> {
        let mut inner = Record::new("inner", 1, &serde_json::json!({}))?;
        empty.write_point(point, |sums, point| {
            match sums {
                KernelSums::Pool(pool) => {
                    pool.table.write_scales(point);
                    return Ok(());
                }
                KernelSums::Curvature(sums) => {
                    sums.map.landmarks.write(point)?;
                    point.put("bends-at", &sums.fitted.parameters());
                    return Ok(());
                }
                KernelSums::Fit { map, inner: stats } => {
                    map.landmarks.write(point)?;
                    match stats {
                        InnerStats::Logistic(stats) => self.regression().write_point(stats, &mut inner)?,
                        InnerStats::LeastSquares(stats) => self.line().write_point(stats, &mut inner)?,
                    }
                }
            }
            point.put_nested("inner", "inner.", inner)
        })
    }

    fn at_point(&self, layout: &Arc<Layout>, point: &Record) -> Result<KernelStats> {
        DesignStats::at_point(layout, &self.options, point, |frame| {
            let bends = point.arrays.contains_key("bends-at");
            if !bends && point.head.get("inner").is_none() {
                let mut sums = pool(frame)?;
                if let KernelSums::Pool(pool) = &mut sums {
                    pool.table.read_scales(point)?;
                }
                return Ok(sums);
            }
            let map = Arc::new(FeatureMap::new(Landmarks::read(point, frame.width())?, frame)?);
            if bends {
                let (outputs, width) = (frame.classes() - 1, 1 + map.landmarks.len());
                let fitted = Fitted::of_parameters(&point.numbers("bends-at", outputs * width)?, width);
                let sums = CurvatureSums::new(&map, fitted).ok_or_else(|| fault("it asks for more than a fit does"))?;
                return Ok(KernelSums::Curvature(Box::new(sums)));
            }
            let at = point.nested("inner", "inner.")?;
            let inner = match self.logistic {
                true => InnerStats::Logistic(Box::new(self.regression().at_point(&map.layout, &at)?)),
                false => InnerStats::LeastSquares(Box::new(self.line().at_point(&map.layout, &at)?)),
            };
            Ok(KernelSums::Fit { map, inner })
        })
    }
}

impl KernelLearner {
    /// The regression of φ(x).
    fn regression(&self) -> Logistic {
        Logistic {
            l2: self.ridge,
            precision: Intervals::None,
            tests: false,
            sampling: false,
            tolerance: Some(1e-10),
            // To compare a row with all landmarks costs as much as its second derivatives.
            dear_rows: Some(MOST + 1),
            ..Logistic::default()
        }
    }

    /// The lines through φ(x).
    fn line(&self) -> LeastSquares {
        LeastSquares { l2: self.ridge, ..LeastSquares::default() }
    }

    fn after_pool(&self, pass: &DesignPass<KernelSums>, found: &PoolSums) -> Result<Step<KernelStats, KernelModel>> {
        pass.check_rows()?;
        if let Some(again) = found.table.rescaled() {
            return Ok(again_with(pass, pool_with(&pass.frame, again)));
        }
        let width = pass.frame.width();
        let (mut centre, mut inverse) = (vec![0.0; width], vec![0.0; width]);
        if let Some(moments) = found.table.moments() {
            for j in 0..width {
                let all = (0..pass.frame.classes()).map(|k| moments.get(k, j)).filter(|moment| moment.weight > 0.0);
                let Some(all) = all.reduce(|all, own| all.plus(own)) else { continue };
                let deviation = (all.squares / all.weight).sqrt();
                let (varies, unit) = (deviation > ROUNDING * all.mean.abs(), found.table.scale(j));
                check_size(pass.frame.name(j), if varies { deviation / unit } else { 0.0 })?;
                centre[j] = all.mean / unit;
                inverse[j] = match (varies, self.standardized) {
                    (false, _) => 0.0,
                    (true, true) => unit / deviation,
                    (true, false) => 1.0,
                };
            }
        }
        let units = |row: Vec<f64>| row.iter().zip(&centre).zip(&inverse).map(|((x, c), s)| (x - c) * s).collect::<Vec<f64>>();
        let rows: Vec<Vec<f64>> = found.rows().into_iter().map(units).collect();
        let factor = self.gamma.unwrap_or_else(|| gamma(&rows));
        let kernel = match self.kernel.as_str() {
            "linear" => Kernel::Linear,
            "polynomial" => Kernel::Polynomial { gamma: factor, degree: self.degree },
            _ => Kernel::Rbf { gamma: factor },
        };
        let landmarks = Landmarks::choose(kernel, centre, inverse, &rows, self.landmarks, found.part);
        if landmarks.factor.iter().any(|l| !l.is_finite()) {
            return Err(Error::option(
                "kernel",
                &self.kernel,
                "its values leave the range of numbers; standardize the columns or lower gamma",
            ));
        }
        let map = Arc::new(FeatureMap::new(landmarks, &pass.frame)?);
        let inner = match self.logistic {
            true => InnerStats::Logistic(Box::new(self.regression().begin(&map.layout, &PassInfo::default())?)),
            false => InnerStats::LeastSquares(Box::new(self.line().begin(&map.layout, &PassInfo::default())?)),
        };
        Ok(again_with(pass, KernelSums::Fit { map, inner }))
    }

    fn after_fit(
        &self,
        pass: &DesignPass<KernelSums>,
        map: &Arc<FeatureMap>,
        inner: &InnerStats,
    ) -> Result<Step<KernelStats, KernelModel>> {
        let again = |inner: InnerStats| again_with(pass, KernelSums::Fit { map: Arc::clone(map), inner });
        match inner {
            InnerStats::Logistic(stats) => match self.regression().finish(stats)? {
                Step::Again(next) => Ok(again(InnerStats::Logistic(Box::new(next)))),
                Step::Done(model) => {
                    let parameters = model.parameters();
                    let outputs = (0..parameters.outputs()).map(|m| (parameters.intercept(m), parameters.of(m).to_vec())).collect();
                    let fitted = Fitted { outputs, logistic: true };
                    match CurvatureSums::new(map, fitted.clone()) {
                        Some(sums) => Ok(again_with(pass, KernelSums::Curvature(Box::new(sums)))),
                        None => Ok(Step::Done(self.model(pass, map, &fitted, None))),
                    }
                }
            },
            InnerStats::LeastSquares(stats) => match self.line().finish(stats)? {
                Step::Again(next) => Ok(again(InnerStats::LeastSquares(Box::new(next)))),
                Step::Done(model) => {
                    let outputs = (0..pass.frame.classes()).map(|k| (model.intercept(k), model.coefficients(k))).collect();
                    Ok(Step::Done(self.model(pass, map, &Fitted { outputs, logistic: false }, None)))
                }
            },
        }
    }

    fn model(&self, pass: &DesignPass<KernelSums>, map: &FeatureMap, fitted: &Fitted, covariance: Option<Vec<f64>>) -> KernelModel {
        let mut notices = pass.row_notices();
        let constant = (0..pass.frame.width()).filter(|&j| map.landmarks.inverse[j] == 0.0);
        notices.extend(constant.map(|j| pass.frame.constant_notice(j, map.landmarks.centre[j])));
        let text = format!(
            "the model holds {} of the fit as landmarks, and so does its file",
            crate::notice::counted(map.landmarks.len() as u64, "row")
        );
        notices.push(crate::notice::Notice::new(crate::notice::HOLDS_ROWS, text));
        let account = Account { ridge: self.ridge, missing: self.options.missing, notices };
        KernelModel::new(&pass.frame, map.landmarks.clone(), fitted, covariance, ClassWeights::clone(&pass.classes), account)
    }
}

fn again_with(pass: &DesignPass<KernelSums>, sums: KernelSums) -> Step<KernelStats, KernelModel> {
    Step::Again(DesignStats::Sums(Box::new(DesignPass::new(&pass.frame, sums))))
}

impl Landmarks {
    /// Adds the landmarks to a record.
    pub(super) fn write(&self, record: &mut Record) -> Result<()> {
        record.put_part("kernel", &(self.kernel, self.exact))?;
        record.put("landmarks.centre", &self.centre);
        record.put("landmarks.units", &self.inverse);
        record.put("landmarks.cells", &self.cells);
        record.put("landmarks.factor", &self.factor);
        Ok(())
    }

    /// The landmarks that were added to a record.
    pub(super) fn read(record: &Record, width: usize) -> Result<Self> {
        let (kernel, exact): (Kernel, bool) = record.part("kernel")?;
        let count = match record.arrays.get("landmarks.factor") {
            Some(crate::record::Array::Numbers(factor)) => factor.len().isqrt(),
            _ => return Err(fault("`landmarks.factor` is missing")),
        };
        let cells = count.checked_mul(width).ok_or_else(|| fault("a shape is too large"))?;
        let factor = record.numbers("landmarks.factor", count * count)?;
        if !kernel.is_sound() || (0..count).any(|i| factor[i * count + i] <= 0.0) {
            return Err(fault("the kernel or the factor of the landmarks is none"));
        }
        Ok(Landmarks {
            kernel,
            exact,
            centre: record.numbers("landmarks.centre", width)?,
            inverse: record.weights("landmarks.units", width)?,
            cells: record.numbers("landmarks.cells", cells)?,
            factor,
        })
    }
}
