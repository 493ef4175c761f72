//! The least-squares classifier: a straight line through the indicators of every class.
//!
//! Σ_i w_i (t_ik − a_k − b_k·x_i)² + λ |b_k|² is made least for every class k, with t = 1 for rows of the class and 0 for others, or
//! +1 and −1, which doubles every coefficient and nothing else. All classes, codings and penalties come from the products of one pass
//! ([`super::gram`]); columns that are nearly combinations of others cost a second one, in which the rows themselves are reduced
//! ([`crate::stats::row_factor`]). The outputs are margins: a row far out on its own side has a large one and is fitted as badly as one on the
//! other side. Time O(n p²), memory O(p²).

use std::sync::Arc;

use super::gram::Gram;
use super::least_squares_model::{Account, LeastSquaresModel};
use super::row_sums::RowSums;
use super::solved::{self, ILL_CONDITIONED, Solved};
use crate::codec::{Codec, Encode};
use crate::data::design::MissingPolicy;
use crate::data::{DesignOptions, Kind, Layout, Rows};
use crate::error::{Advice, DataFault, Error, ErrorKind, Result, visible};
use crate::model::on_design::{DesignBatch, DesignFrame, DesignPass, DesignStats, DesignSums, LinearPart};
use crate::model::params::Params;
use crate::model::{Learner, PassInfo, Step, Takes, Text, check_classes};
use crate::notice::{self, Notice};
use crate::record::Record;
use crate::stats::{Parts, ScatterPart, Statistics, TableStats};

pub(super) const NAME: &str = "least-squares";
pub(super) const TAKES: Takes = Takes { text: Text::No, ..Takes::ALL };

/// What stands for a class and for the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Coding {
    /// +1 and −1.
    #[default]
    PlusMinus,
    /// 1 and 0.
    ZeroOne,
}

impl Coding {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Coding::PlusMinus => "plus-minus",
            Coding::ZeroOne => "zero-one",
        }
    }

    /// The coding of a name.
    pub(super) fn named(name: &str) -> Option<Self> {
        [Coding::PlusMinus, Coding::ZeroOne].into_iter().find(|coding| coding.name() == name)
    }
}

/// Its options.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LeastSquares {
    /// What the classes are coded as.
    pub coding: Coding,
    /// Strength λ ≥ 0 of the penalty ½ λ Σ b² beside half the sum of squares; default 0.
    pub l2: f64,
    /// How columns become a design.
    pub options: DesignOptions,
}

impl LeastSquares {
    /// The learner with the options that were given.
    pub fn from_params(params: &Params) -> Result<Self> {
        Ok(LeastSquares {
            coding: params.text("coding").and_then(Coding::named).unwrap_or_default(),
            l2: params.number("l2").unwrap_or_default(),
            options: DesignOptions { missing: params.parsed("missing")?.unwrap_or_default(), ..DesignOptions::default() },
        })
    }
}

/// The sums of a pass.
#[derive(Debug, Clone)]
pub enum LeastSquaresStats {
    /// Products of number columns as they lie. Those that were gathered before have no rows behind them.
    Numbers {
        /// The sums.
        table: Box<TableStats>,
        /// Whether they were gathered before.
        adopted: bool,
    },
    /// Sums over the columns of a design.
    Design(DesignStats<LeastSquaresSums>),
}

/// Sums over design columns.
#[derive(Debug, Clone)]
pub enum LeastSquaresSums {
    /// Their products.
    Products(Box<TableStats>),
    /// The rows themselves, reduced or looked at once more.
    Rows(Box<RowSums>),
}

fn parts() -> Parts {
    Parts { scatter: ScatterPart::Pooled, patterns: 64, ..Parts::default() }
}

fn products(frame: &Arc<DesignFrame>) -> Result<LeastSquaresSums> {
    Ok(LeastSquaresSums::Products(Box::new(TableStats::new(Arc::clone(frame.columns()), parts()))))
}

impl Encode for LeastSquaresSums {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        match self {
            LeastSquaresSums::Products(table) => table.encode(codec),
            LeastSquaresSums::Rows(sums) => sums.encode(codec),
        }
    }
}

impl DesignSums for LeastSquaresSums {
    fn observe(&mut self, batch: &DesignBatch<'_>) -> Result<()> {
        match self {
            LeastSquaresSums::Products(table) => {
                let features = crate::data::Features::of_numbers(batch.matrix()?);
                table.observe(Rows::new(features, batch.labels, batch.weights, batch.first_row))
            }
            LeastSquaresSums::Rows(sums) => {
                sums.observe(batch);
                Ok(())
            }
        }
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        match (self, other) {
            (LeastSquaresSums::Products(mine), LeastSquaresSums::Products(theirs)) => mine.merge(theirs),
            (LeastSquaresSums::Rows(mine), LeastSquaresSums::Rows(theirs)) => mine.merge(theirs),
            _ => Err(Error::internal("sums of two different passes were merged")),
        }
    }

    fn purpose(&self) -> String {
        match self {
            LeastSquaresSums::Products(_) => "products of the columns".into(),
            LeastSquaresSums::Rows(sums) => sums.purpose().into(),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            LeastSquaresSums::Products(table) => table.bytes(),
            LeastSquaresSums::Rows(sums) => sums.bytes(),
        }
    }
}

impl Encode for LeastSquaresStats {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        match self {
            LeastSquaresStats::Numbers { table, .. } => table.encode(codec),
            LeastSquaresStats::Design(stats) => stats.encode(codec),
        }
    }
}

impl Statistics for LeastSquaresStats {
    type Input<'a> = Rows<'a>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        match self {
            LeastSquaresStats::Numbers { table, .. } => table.observe(rows),
            LeastSquaresStats::Design(stats) => stats.observe(rows),
        }
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        match (self, other) {
            (LeastSquaresStats::Numbers { table, .. }, LeastSquaresStats::Numbers { table: theirs, .. }) => table.merge(theirs),
            (LeastSquaresStats::Design(mine), LeastSquaresStats::Design(theirs)) => mine.merge(theirs),
            _ => Err(Error::internal("sums of two different passes were merged")),
        }
    }

    fn weight(&self) -> f64 {
        match self {
            LeastSquaresStats::Numbers { table, .. } => table.weight(),
            LeastSquaresStats::Design(stats) => stats.weight(),
        }
    }

    fn purpose(&self) -> String {
        match self {
            LeastSquaresStats::Numbers { .. } => "products of the columns".into(),
            LeastSquaresStats::Design(stats) => stats.purpose(),
        }
    }

    fn discloses(&self) -> Option<String> {
        match self {
            LeastSquaresStats::Numbers { .. } => None,
            LeastSquaresStats::Design(stats) => stats.discloses(),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            LeastSquaresStats::Numbers { table, .. } => table.bytes(),
            LeastSquaresStats::Design(stats) => stats.bytes(),
        }
    }
}

impl Learner for LeastSquares {
    type Stats = LeastSquaresStats;
    type Model = LeastSquaresModel;

    fn begin(&self, layout: &Arc<Layout>, _pass: &PassInfo) -> Result<LeastSquaresStats> {
        TAKES.check(NAME, layout)?;
        if self.reads_numbers(layout) {
            let table = Box::new(TableStats::new(Arc::clone(layout), parts()));
            return Ok(LeastSquaresStats::Numbers { table, adopted: false });
        }
        DesignStats::begin(layout, &self.options, products).map(LeastSquaresStats::Design)
    }

    fn adopt(&self, table: &TableStats) -> Result<Option<LeastSquaresStats>> {
        let layout = table.layout();
        TAKES.check(NAME, layout)?;
        let others = layout.features().iter().filter(|feature| feature.kind() != Kind::Number);
        let others: Vec<String> = others.map(|feature| format!("`{}`", visible(&feature.name))).collect();
        if !others.is_empty() {
            let what = format!("learn from {} without the rows", others.join(", "));
            let advice = "statistics hold products of number columns only; leave the others out, or fit from the data".into();
            return Err(ErrorKind::Unsupported { model: NAME.into(), what, advice }.into());
        }
        if self.options.missing != MissingPolicy::Drop {
            let what = "fill gaps without the rows".into();
            return Err(ErrorKind::Unsupported { model: NAME.into(), what, advice: "fit from the data".into() }.into());
        }
        Ok(Some(LeastSquaresStats::Numbers { table: Box::new(table.clone()), adopted: true }))
    }

    fn finish(&self, stats: &LeastSquaresStats) -> Result<Step<LeastSquaresStats, LeastSquaresModel>> {
        match stats {
            LeastSquaresStats::Numbers { table, adopted } => {
                if let Some(again) = table.rescaled() {
                    return Ok(Step::Again(LeastSquaresStats::Numbers { table: Box::new(again), adopted: *adopted }));
                }
                let frame = Arc::new(DesignFrame::compile(table.layout(), &self.options, None)?);
                self.finish_products(&frame, &Gram::new(table)?, *adopted)
            }
            LeastSquaresStats::Design(DesignStats::Survey(layout, survey)) => {
                let next = DesignStats::surveyed(layout, &self.options, survey, products)?;
                Ok(Step::Again(LeastSquaresStats::Design(next)))
            }
            LeastSquaresStats::Design(DesignStats::Sums(pass)) => match &pass.sums {
                LeastSquaresSums::Products(table) => {
                    if let Some(again) = table.rescaled() {
                        let sums = LeastSquaresSums::Products(Box::new(again));
                        return Ok(Step::Again(LeastSquaresStats::Design(DesignStats::Sums(Box::new(DesignPass::new(&pass.frame, sums))))));
                    }
                    self.finish_products(&pass.frame, &Gram { left_out: pass.excluded, ..Gram::new(table)? }, false)
                }
                LeastSquaresSums::Rows(sums) => self.finish_rows(pass, sums),
            },
        }
    }

    fn write_point(&self, empty: &LeastSquaresStats, point: &mut Record) -> Result<()> {
        match empty {
            LeastSquaresStats::Numbers { table, .. } => {
                table.write_scales(point);
                Ok(())
            }
            LeastSquaresStats::Design(stats) => stats.write_point(point, |sums, point| {
                match sums {
                    LeastSquaresSums::Products(table) => table.write_scales(point),
                    LeastSquaresSums::Rows(sums) => sums.write_point(point),
                }
                Ok(())
            }),
        }
    }

    fn at_point(&self, layout: &Arc<Layout>, point: &Record) -> Result<LeastSquaresStats> {
        if self.reads_numbers(layout) && point.head.get("design").is_none() {
            let mut table = Box::new(TableStats::new(Arc::clone(layout), parts()));
            table.read_scales(point)?;
            return Ok(LeastSquaresStats::Numbers { table, adopted: false });
        }
        let sums = |frame: &Arc<DesignFrame>| match RowSums::at_point(frame, point)? {
            Some(sums) => Ok(LeastSquaresSums::Rows(Box::new(sums))),
            None => {
                let mut table = Box::new(TableStats::new(Arc::clone(frame.columns()), parts()));
                table.read_scales(point)?;
                Ok(LeastSquaresSums::Products(table))
            }
        };
        DesignStats::at_point(layout, &self.options, point, sums).map(LeastSquaresStats::Design)
    }
}

impl LeastSquares {
    /// Whether the products of number columns as they lie are all that is needed.
    fn reads_numbers(&self, layout: &Layout) -> bool {
        self.options.missing == MissingPolicy::Drop && layout.numbers().len() == layout.features().len()
    }

    /// The fit from products, or the pass that reduces the rows themselves.
    fn finish_products(&self, frame: &Arc<DesignFrame>, gram: &Gram, adopted: bool) -> Result<Step<LeastSquaresStats, LeastSquaresModel>> {
        if gram.classes.total_rows() == 0 && gram.left_out > 0 {
            let what = format!("all {} rows with a class have a missing value", gram.left_out);
            return Err(DataFault::new(what).column(frame.layout().target()).accepted(Advice::set("missing", "mean")).into());
        }
        check_classes(frame.layout(), &gram.classes)?;
        let solved = solved::by_products(gram, self.l2);
        let ill = solved.as_ref().is_none_or(|solved| solved.condition.is_some_and(|condition| condition > ILL_CONDITIONED));
        if ill && !adopted {
            let pass = Box::new(DesignPass::new(frame, LeastSquaresSums::Rows(Box::new(RowSums::reducing(gram)))));
            return Ok(Step::Again(LeastSquaresStats::Design(DesignStats::Sums(pass))));
        }
        let solved = solved.unwrap_or_else(|| solved::by_products_of_some(gram, self.l2));
        let mut notices: Vec<Notice> = DesignFrame::excluded_notice(gram.left_out, gram.classes.total_rows()).into_iter().collect();
        if ill {
            let digits = solved.condition.map_or(0.0, |condition| (15.0 - condition.log10()).max(0.0));
            let text = format!("columns are nearly combinations of others: of 16 digits about {digits:.0} are left without the rows");
            notices.push(Notice::new(notice::ILL_CONDITIONED, text));
        }
        Ok(Step::Done(self.model(frame, gram, &solved, gram.proportions(), "normal equations (Cholesky)", notices)))
    }

    fn finish_rows(&self, pass: &DesignPass<LeastSquaresSums>, sums: &RowSums) -> Result<Step<LeastSquaresStats, LeastSquaresModel>> {
        let Some(reduced) = sums.refined(self.l2) else {
            let next = LeastSquaresSums::Rows(Box::new(sums.refining(self.l2)));
            return Ok(Step::Again(LeastSquaresStats::Design(DesignStats::Sums(Box::new(DesignPass::new(&pass.frame, next))))));
        };
        let gram = Gram { classes: pass.classes.clone(), left_out: pass.excluded, ..sums.coordinates() };
        let base = gram.proportions().iter().enumerate().map(|(k, share)| share + reduced.constant(k)).collect();
        let solved = reduced.solved(gram.kept.len());
        Ok(Step::Done(self.model(&pass.frame, &gram, &solved, base, "triangular factor of the rows (QR), refined", pass.row_notices())))
    }

    fn model(
        &self,
        frame: &Arc<DesignFrame>,
        gram: &Gram,
        solved: &Solved,
        base: Vec<f64>,
        solver: &str,
        mut notices: Vec<Notice>,
    ) -> LeastSquaresModel {
        let width = frame.width();
        let mut coefficients = vec![0.0; width * frame.classes()];
        for (k, own) in solved.coefficients.iter().enumerate() {
            gram.kept.iter().zip(own).for_each(|(&j, b)| coefficients[k * width + j] = b / gram.scale[j]);
        }
        let constant = (0..width).filter(|j| !gram.kept.contains(j));
        notices.extend(constant.map(|j| frame.constant_notice(j, gram.centre[j])));
        for &at in &solved.aliased {
            let text = "is a combination of earlier columns; it has no coefficient of its own, and predictions do not suffer";
            notices.push(Notice::new(notice::ALIASED, text).column(frame.name(gram.kept[at])));
        }
        let part = LinearPart::new(frame, base, gram.centre.clone(), coefficients);
        let account = Account {
            coding: self.coding.name().into(),
            l2: self.l2,
            missing: self.options.missing,
            solver: solver.into(),
            condition: solved.condition,
            fitted: gram.kept.len() - solved.aliased.len(),
            notices,
        };
        LeastSquaresModel::new(part, gram.classes.clone(), self.coding, account)
    }
}
