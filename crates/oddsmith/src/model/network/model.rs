//! A fitted network. Scores are the outputs of the last layer: log p(class | x) up to a constant of the row.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::learner::{NAME, check_hidden};
use super::shape::{Activation, Forward, Shape};
use crate::card::{Card, Cell, FixedTable};
use crate::data::design::MissingPolicy;
use crate::data::{Features, Layout};
use crate::error::{ErrorKind, Result};
use crate::model::on_design::{DesignFrame, DesignReader};
use crate::model::{Additive, Classifier, Scale, Scores};
use crate::notice::Notice;
use crate::num::MatrixView;
use crate::num::kernel::Panel;
use crate::record::{Record, fault};
use crate::stats::ClassWeights;

/// Version of the stored content.
const VERSION: u32 = 1;

/// How the fit went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Account {
    pub(super) hidden: Vec<usize>,
    pub(super) activation: String,
    pub(super) decay: f64,
    pub(super) seed: u64,
    /// Whether weights were looked for by parts of the rows.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) by_parts: bool,
    /// Steps over all rows, or epochs of steps by parts.
    pub(super) steps: u64,
    /// Loss and penalty per row.
    pub(super) objective: f64,
    /// Largest slope per row.
    pub(super) slope: f64,
    pub(super) missing: MissingPolicy,
    pub(super) notices: Vec<Notice>,
}

/// Weights and constants.
#[derive(Debug, Clone)]
pub struct NetworkModel {
    frame: Arc<DesignFrame>,
    shape: Shape,
    theta: Vec<f64>,
    classes: ClassWeights,
    account: Account,
    forward: Forward,
}

impl NetworkModel {
    pub(super) fn new(frame: &Arc<DesignFrame>, shape: Shape, theta: Vec<f64>, classes: ClassWeights, account: Account) -> Self {
        let forward = Forward::new(&shape, &theta);
        NetworkModel { frame: Arc::clone(frame), shape, theta, classes, account, forward }
    }

    /// Steps of the search over all rows, or epochs of steps by parts.
    pub fn steps(&self) -> u64 {
        self.account.steps
    }

    /// Loss and penalty per row at the end.
    pub fn objective(&self) -> f64 {
        self.account.objective
    }

    /// Weights (unit after unit) and constants of a layer, for columns in units of their standard deviation.
    pub fn layer(&self, layer: usize) -> (Vec<f64>, Vec<f64>) {
        let (weights, constants) = self.shape.of(&self.theta, layer);
        (weights.to_vec(), constants.to_vec())
    }

    /// Sizes of all layers, the columns first and the classes last.
    pub fn sizes(&self) -> &[usize] {
        &self.shape.sizes
    }

    fn tidy(&self) -> FixedTable<4> {
        let mut tidy = FixedTable::new("tidy", ["layer", "unit", "input", "estimate"]);
        self.shape.each_parameter(|at, layer, unit, input| {
            let (unit, input) = self.shape.names(&self.frame, (layer, unit, input));
            tidy.push([(layer + 1).into(), unit.into(), input.into(), self.theta[at].into()]);
        });
        tidy
    }
}

impl Classifier for NetworkModel {
    fn layout(&self) -> &Layout {
        self.frame.layout()
    }

    fn tag(&self) -> &'static str {
        NAME
    }

    fn scale(&self) -> Scale {
        Scale::LogPosterior
    }

    fn score(&self, rows: &Features<'_>, out: &mut Scores) -> Result<()> {
        let (classes, width) = (self.frame.classes(), self.frame.width());
        out.reset(rows.rows(), &vec![0.0; classes]);
        let (values, _) = out.parts_mut();
        let (mut work, mut panel) = (Vec::new(), Panel::new());
        DesignReader::default().for_rows(&self.frame, rows, |block| {
            let x = if width == 0 { MatrixView::none(block.rows) } else { MatrixView::row_major(block.cells, block.rows, width)? };
            self.forward.run(x, &mut work, &mut panel)?;
            let values = &mut values[block.first * classes..(block.first + block.rows) * classes];
            if let Some(outputs) = work.last() {
                values.copy_from_slice(outputs);
            }
            for (_, row) in values.chunks_exact_mut(classes).enumerate().filter(|(i, _)| !block.is_whole(*i)) {
                row.fill(f64::NAN);
            }
            Ok(())
        })
    }

    fn contributions(&self) -> Result<&dyn Additive> {
        Err(ErrorKind::Unsupported {
            model: NAME.into(),
            what: "split its scores into addends".into(),
            advice: "hidden units bend sums of columns together, so no column has an addend of its own; a regression has".into(),
        }
        .into())
    }

    fn free_parameters(&self) -> usize {
        // Outputs of all classes may be moved together without any probability changing.
        let last = self.shape.sizes[self.shape.layers() - 1] + 1;
        let used = self.shape.spread.iter().filter(|spread| **spread > 0.0).count();
        let unused = (self.shape.sizes[0] - used) * self.shape.sizes[1];
        self.shape.parameters() - unused - if self.shape.layers() == 1 { used + 1 } else { last }
    }

    fn card(&self) -> Card {
        let account = &self.account;
        let layers: Vec<String> = self.shape.sizes.iter().map(usize::to_string).collect();
        let facts: Vec<(String, Cell)> = vec![
            ("rows".into(), self.classes.total_rows().into()),
            ("layers".into(), layers.join("–").into()),
            ("hidden units".into(), account.activation.as_str().into()),
            ("decay".into(), account.decay.into()),
            ("first weights".into(), format!("seed {}", account.seed).into()),
            ("objective".into(), account.objective.into()),
            (if account.by_parts { "epochs" } else { "steps" }.into(), account.steps.into()),
            ("distance".into(), account.slope.into()),
            ("free parameters".into(), self.free_parameters().into()),
        ];
        Card { title: "Neural network".into(), facts, tidy: self.tidy().into(), notices: self.notices(), ..Card::default() }
    }

    fn notices(&self) -> Vec<Notice> {
        self.account.notices.clone()
    }

    fn record(&self) -> Result<Record> {
        let mut record = Record::new(NAME, VERSION, &serde_json::json!({}))?;
        record.put_part("account", &self.account)?;
        self.frame.write(&mut record)?;
        self.classes.write(&mut record)?;
        record.put("centre", &self.shape.centre);
        record.put("spread", &self.shape.spread);
        record.put("theta", &self.theta);
        Ok(record)
    }
}

pub(super) fn read(record: &Record) -> Result<Box<dyn Classifier>> {
    record.expect(NAME, VERSION)?;
    let account: Account = record.part("account")?;
    check_hidden(&account.hidden)?;
    let activation = Activation::named(&account.activation).ok_or_else(|| fault("its units have a function that there is not"))?;
    let frame = Arc::new(DesignFrame::read(record)?);
    if frame.classes() < 2 {
        return Err(fault("fewer than two classes"));
    }
    let (centre, spread) = (record.numbers("centre", frame.width())?, record.weights("spread", frame.width())?);
    let sizes: Vec<usize> = std::iter::once(frame.width()).chain(account.hidden.iter().copied()).chain([frame.classes()]).collect();
    let shape = Shape { sizes, activation, centre, spread };
    let theta = record.numbers("theta", shape.parameters())?;
    let classes = ClassWeights::read(record, frame.classes())?;
    Ok(Box::new(NetworkModel::new(&frame, shape, theta, classes, account)))
}
