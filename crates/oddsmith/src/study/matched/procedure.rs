//! Conditional logistic regression as an analysis: sizes of sets, the search, and its card.

use std::sync::Arc;

use super::super::AnalysisEntry;
use super::counts::SetCounts;
use super::fitted::{Fitted, steps};
use super::search::{Answer, Oracle, Stop};
use super::statistics::{MatchedStats, PassState, PassSums, PointSums};
use crate::card::Card;
use crate::codec::Codec;
use crate::data::{Design, DesignOptions, DesignSurvey, Formula, KeyPlace, Layout, Plane, Response, Role, Weighting};
use crate::error::{Advice, DataFault, Error, ErrorKind, Result};
use crate::model::linear::params::FIRTH;
use crate::model::params::shared::{CLUSTER, OFFSET, STRATA};
use crate::model::params::{Param, ParamKind};
use crate::model::{Look, LookedParameter, Params, PassInfo, Procedure, Step, TableNeeds};
use crate::record::Record;

const LEVEL: Param = Param::new("level", ParamKind::Between { least: 0.0, most: 1.0 }, "LEVEL", "0.95", "Level of the intervals");
const INTERVALS: Param =
    Param::new("ci", ParamKind::Choice(&["profile", "wald"]), "KIND", "profile", "Kind of the intervals: profile likelihood, or Wald's");
const NO_TESTS: Param = Param::flag("no-tests", "Leave the tests of the terms out");
const ROBUST: Param = Param::new(
    "robust",
    ParamKind::Choice(&["HC0"]),
    "KIND",
    "",
    "Standard errors from the scores of the sets, which hold where the model does not",
);

const ON_SEPARATION: Param =
    Param::new("on-separation", ParamKind::Choice(&["error", "firth"]), "WHAT", "error", "What to do when no finite estimate exists");

/// What the registry knows of it.
pub(in crate::study) const ENTRY: AnalysisEntry = AnalysisEntry {
    name: "conditional-logistic",
    aliases: &["clogit"],
    summary: "conditional logistic regression of matched sets, by the exact likelihood",
    fitted: true,
    params: &[&STRATA, &OFFSET, &LEVEL, &INTERVALS, &NO_TESTS, &ROBUST, &CLUSTER, &FIRTH, &ON_SEPARATION],
    build: |params| Ok(Box::new(ConditionalLogit::new(params)?)),
};

/// The regression with its options.
#[derive(Debug, Clone, PartialEq)]
pub struct ConditionalLogit {
    formula: Option<Formula>,
    strata: Option<String>,
    offset: Option<String>,
    cluster: Option<String>,
    /// Level of the intervals.
    pub level: f64,
    /// Whether intervals come from the profile of the likelihood.
    pub profile: bool,
    /// Whether terms are tested.
    pub tests: bool,
    /// Whether standard errors come from the scores of the sets.
    pub robust: bool,
    /// Whether the likelihood has Firth's penalty.
    pub firth: bool,
    /// Whether it has where the likelihood as it is has no maximum.
    pub firth_if_separated: bool,
}

impl ConditionalLogit {
    /// The regression that options ask for.
    pub fn new(params: &Params) -> Result<Self> {
        let robust = params.has("robust") || params.has("cluster");
        let firth_if_separated = params.text("on-separation") == Some("firth");
        for (option, value, given) in [("firth", "true", params.flag("firth")), ("on-separation", "firth", firth_if_separated)] {
            if robust && given {
                return Err(Error::option(option, value, "robust errors are those of the likelihood as it is"));
            }
        }
        if robust && params.text("ci") == Some("profile") {
            return Err(Error::option("ci", "profile", "robust errors have Wald's intervals"));
        }
        Ok(ConditionalLogit {
            formula: params.formula().cloned(),
            strata: params.text("strata").map(str::to_owned),
            offset: params.text("offset").map(str::to_owned),
            cluster: params.text("cluster").map(str::to_owned),
            firth: params.flag("firth"),
            firth_if_separated,
            level: params.number("level").unwrap_or(0.95),
            profile: !robust && params.text("ci") != Some("wald"),
            tests: !params.flag("no-tests") && !robust,
            robust,
        })
    }

    /// The column that tells which sets belong together.
    pub(super) fn clusters(&self) -> Option<&str> {
        self.cluster.as_deref()
    }

    fn formula_for(&self, layout: &Layout) -> Result<Formula> {
        let reserved = |name: &String| [&self.strata, &self.offset, &self.cluster].into_iter().any(|column| column.as_ref() == Some(name));
        let others: Vec<String> = layout.names().into_iter().filter(|name| !reserved(name)).collect();
        let formula = match &self.formula {
            Some(formula) => formula.expand_dot(&others)?,
            None => Formula::of_columns(layout.target(), &others),
        };
        Ok(match &self.offset {
            Some(column) => formula.with_offset(column),
            None => formula,
        })
    }

    /// Refuses a column of sets that has another part in the formula.
    fn check_sets(&self) -> Result<()> {
        let (Some(formula), Some(sets)) = (&self.formula, &self.strata) else { return Ok(()) };
        if formula.response().columns().contains(sets) {
            let fault = DataFault::new("tells cases from controls, and cannot tell the sets as well");
            return Err(fault.column(sets).accepted("name another column in strata()").into());
        }
        if formula.columns().contains(sets) {
            let fault = DataFault::new("tells the sets, within which it does not change, so it has no effect that could be estimated");
            return Err(fault.column(sets).accepted("leave it out of the terms, or out of strata()").into());
        }
        Ok(())
    }

    /// Where the sets are told, and how many there may be.
    fn sets(&self, layout: &Layout) -> Result<(Option<KeyPlace>, usize)> {
        let Some(column) = &self.strata else {
            let advice = "name the column that tells which rows are a set, as strata(set) in the formula".into();
            return Err(
                ErrorKind::NoEstimate { what: "conditional logistic regression compares rows within matched sets".into(), advice }.into()
            );
        };
        let (place, levels) = self.keyed(layout, Role::Stratum, column)?;
        Ok((Some(place), levels))
    }

    /// Where the keys of a column lie, and how many there may be.
    fn keyed(&self, layout: &Layout, role: Role, column: &str) -> Result<(KeyPlace, usize)> {
        let place = KeyPlace::find(layout, role, column)?;
        let levels = match place {
            KeyPlace::Key(at) => layout.keys()[at].levels.len(),
            KeyPlace::Feature(Plane::Codes(at)) => layout.level_counts()[at],
            KeyPlace::Feature(_) => {
                let what = if role == Role::Cluster { "clusters must be a category" } else { "the sets must be a category" };
                return Err(DataFault::new(what).column(column).accepted("read it as a category").into());
            }
        };
        Ok((place, levels))
    }

    fn count_sets(&self, layout: &Arc<Layout>, survey: Option<&DesignSurvey>) -> Result<MatchedStats> {
        let design = Design::compile(&self.formula_for(layout)?, layout, &DesignOptions::default(), survey)?;
        if !design.words().is_empty() {
            return Err(Error::data("conditional logistic regression takes no text columns"));
        }
        if design.columns().is_empty() {
            return Err(Error::data("there is no column whose effect could be estimated within sets"));
        }
        let (place, sets) = self.sets(layout)?;
        let state = PassState { design: Some(Arc::new(design)), ..self.empty_state(layout, place) };
        Ok(MatchedStats::new(state, PassSums::Counts(SetCounts::new(sets))))
    }

    fn empty_state(&self, layout: &Arc<Layout>, place: Option<KeyPlace>) -> PassState {
        PassState {
            layout: Arc::clone(layout),
            design: None,
            place,
            cluster: self.cluster.as_ref().and_then(|column| self.keyed(layout, Role::Cluster, column).ok()),
            cumulants: self.firth || self.firth_if_separated,
            sizes: Arc::default(),
            counts: Arc::default(),
            theta: Vec::new(),
            direction: None,
            history: Arc::default(),
        }
    }

    /// Runs the search over the answers so far: to the card, or to the next point.
    fn search(&self, state: &PassState) -> Result<Step<MatchedStats, Card>> {
        let Some(design) = &state.design else { return Err(Error::internal("a search without a design")) };
        let oracle = Oracle { answers: &state.history, penalty: None };
        let fitted = match Fitted::run(self, self.firth, design, &oracle) {
            Err(Stop::Separated(direction, complete)) if self.firth_if_separated && !self.firth => {
                Fitted::run(self, true, design, &oracle).map(|fitted| Fitted { rescued: Some((direction, complete)), ..fitted })
            }
            fitted => fitted,
        };
        match fitted {
            Ok(fitted) => Ok(Step::Done(self.card(state, design, &fitted))),
            Err(Stop::Ask(theta, direction)) => {
                let columns = design.columns().len();
                let state = PassState { theta, direction, ..state.clone() };
                let point = PointSums::new(columns, &state);
                Ok(Step::Again(MatchedStats::new(state, PassSums::Point(point))))
            }
            Err(Stop::Separated(direction, complete)) => Err(separation(design, &direction, complete)),
            Err(Stop::Lost) => {
                let what = "the search for the maximum of the conditional likelihood did not come to an end".into();
                Err(ErrorKind::NoEstimate { what, advice: "look at columns that hardly vary within sets, and leave them out".into() }
                    .into())
            }
        }
    }
}

/// The columns that a direction moves along.
pub(super) fn separating(direction: &[f64]) -> Vec<usize> {
    let most = direction.iter().fold(0.0f64, |most, part| most.max(part.abs()));
    (0..direction.len()).filter(|j| direction[*j].abs() > 1e-4 * most).collect()
}

/// The error of sets whose cases all lie on one side.
fn separation(design: &Design, direction: &[f64], complete: bool) -> Error {
    let columns = separating(direction);
    let variables = columns.iter().flat_map(|j| design.columns()[*j].labels.clone()).collect();
    ErrorKind::Separation {
        extent: if complete { "complete" } else { "quasi-complete" },
        columns: columns.iter().map(|j| format!("`{}`", design.columns()[*j].name)).collect(),
        variables,
        advice: Advice::any_of([
            Advice::Set { option: "on-separation", value: "firth", to: "use Firth's penalised likelihood" },
            Advice::LeaveOut(columns.iter().map(|j| design.columns()[*j].name.clone()).collect()),
        ]),
    }
    .into()
}

impl Procedure for ConditionalLogit {
    type Stats = MatchedStats;
    type Output = Card;

    fn needs(&self) -> Result<TableNeeds> {
        self.check_sets()?;
        let target = match self.formula.as_ref().map(Formula::response) {
            Some(Response::Column(_) | Response::None) | None => {
                self.formula.as_ref().and_then(|formula| formula.response().columns().first().cloned())
            }
            Some(_) => {
                return Err(Error::data(
                    "conditional logistic regression needs a column of cases and controls on the left side of the formula",
                ));
            }
        };
        let mut features = self.formula.as_ref().filter(|formula| !formula.has_dot()).map(|formula| {
            let response = formula.response().columns();
            formula
                .columns()
                .into_iter()
                .filter(|name| !response.contains(name) && Some(name) != self.strata.as_ref() && Some(name) != self.cluster.as_ref())
                .collect::<Vec<_>>()
        });
        if let (Some(features), Some(offset)) = (&mut features, &self.offset) {
            features.push(offset.clone());
        }
        Ok(TableNeeds {
            formula: self.formula.clone(),
            target,
            features,
            reserved: self.offset.iter().cloned().collect(),
            keys: [(&self.strata, Role::Stratum), (&self.cluster, Role::Cluster)]
                .into_iter()
                .filter_map(|(column, role)| Some((column.clone()?, role)))
                .collect(),
            ..TableNeeds::default()
        })
    }

    fn begin(&self, layout: &Arc<Layout>, _pass: &PassInfo) -> Result<MatchedStats> {
        if layout.weighting() == Weighting::Sampling {
            return Err(Error::option("weight kind", "sampling", "weights of matched sets count equal sets (frequency)"));
        }
        if layout.target().is_empty() {
            return Err(Error::data("name the column of cases and controls: on the left side of the formula, or as the target"));
        }
        if layout.classes().len() != 2 {
            let told = crate::notice::counted(layout.classes().len() as u64, "class");
            let what = format!("the outcome has {told}; a member of a set is a case or a control");
            return Err(DataFault::new(what).column(layout.target()).accepted("an outcome of two classes").into());
        }
        let survey = DesignSurvey::new(&self.formula_for(layout)?, layout, &DesignOptions::default())?;
        let (place, _) = self.sets(layout)?;
        if let Some(column) = &self.cluster {
            self.keyed(layout, Role::Cluster, column)?;
        }
        match survey.is_needed() {
            true => Ok(MatchedStats::new(self.empty_state(layout, place), PassSums::Survey(Box::new(survey)))),
            false => self.count_sets(layout, None),
        }
    }

    fn finish(&self, stats: &MatchedStats) -> Result<Step<MatchedStats, Card>> {
        let state = &*stats.state;
        match &stats.sums {
            PassSums::Survey(survey) => self.count_sets(&state.layout, Some(survey)).map(Step::Again),
            PassSums::Counts(counts) => {
                let sizes = counts.sizes();
                if sizes.iter().all(|size| *size == 0) {
                    let what = "no set has both a case and a control".to_owned();
                    return Err(DataFault::new(what)
                        .column(state.layout.target())
                        .accepted("conditional logistic regression compares them within sets")
                        .into());
                }
                let state = PassState { sizes: Arc::new(sizes), counts: Arc::new(counts.clone()), ..state.clone() };
                self.search(&state)
            }
            PassSums::Point(point) => {
                if !point.open.is_empty() {
                    return Err(Error::internal("a set was not complete at the end of a pass"));
                }
                let mut history = (*state.history).clone();
                history.push(answer(state, point));
                self.search(&PassState { history: Arc::new(history), ..state.clone() })
            }
        }
    }

    fn searches(&self) -> bool {
        true
    }

    /// The step that a pass has made possible, if it is one of the search for the maximum. The loss is the sum over sets, rows having none of their own.
    fn looks(&self, stats: &MatchedStats) -> Result<Vec<Look>> {
        let (state, PassSums::Point(point)) = (&*stats.state, &stats.sums) else { return Ok(Vec::new()) };
        let Some(design) = &state.design else { return Ok(Vec::new()) };
        let columns = design.columns().len();
        let mut history = (*state.history).clone();
        let known = steps(self, columns, &Oracle { answers: &history, penalty: None }).len();
        history.push(answer(state, point));
        let made = steps(self, columns, &Oracle { answers: &history, penalty: None });
        let class = state.layout.classes().label(1);
        let look = |(free, answer): (Vec<usize>, Answer)| {
            let parameter = |&column: &usize| LookedParameter {
                class: class.to_owned(),
                term: design.columns()[column].name.clone(),
                value: answer.theta[column],
                slope: Some(-answer.gradient[column]),
            };
            Look { search: None, loss: Some(-answer.value), parameters: free.iter().map(parameter).collect() }
        };
        Ok(made.into_iter().skip(known).map(look).collect())
    }

    fn write_point(&self, empty: &MatchedStats, point: &mut Record) -> Result<()> {
        let state = &*empty.state;
        let stage = match &empty.sums {
            PassSums::Survey(_) => 0,
            PassSums::Counts(_) => 1,
            PassSums::Point(_) => 2,
        };
        point.put_counts("matched_stage", &[stage]);
        point.put_counts("matched_sizes", &state.sizes);
        point.put("matched_point", &state.theta);
        point.put("matched_direction", state.direction.as_deref().unwrap_or_default());
        if let Some(design) = &state.design {
            design.write(point, "design")?;
        }
        Ok(())
    }

    fn at_point(&self, layout: &Arc<Layout>, point: &Record) -> Result<MatchedStats> {
        let stage = point.counts("matched_stage")?.first().copied();
        if stage == Some(0) {
            return self.begin(layout, &PassInfo::default());
        }
        let (place, sets) = self.sets(layout)?;
        let design = Arc::new(Design::read(point, "design", layout)?);
        let columns = design.columns().len();
        let state = PassState { design: Some(design), ..self.empty_state(layout, place) };
        if stage == Some(1) {
            return Ok(MatchedStats::new(state, PassSums::Counts(SetCounts::new(sets))));
        }
        let mut theta = vec![0.0; columns];
        let mut codec = Codec::from(point, "");
        codec.finite("matched_point", &mut theta)?;
        let mut direction = Vec::new();
        codec.list("matched_direction", columns.max(1), &mut direction)?;
        let sizes = point.counts_of("matched_sizes", sets)?.to_vec();
        let direction = (!direction.is_empty()).then_some(direction);
        let state = PassState { theta, direction, sizes: Arc::new(sizes), ..state };
        let sums = PointSums::new(columns, &state);
        Ok(MatchedStats::new(state, PassSums::Point(sums)))
    }
}

/// The sums of a pass as an answer.
fn answer(state: &PassState, point: &PointSums) -> Answer {
    let columns = point.sums.gradient.len();
    let full = |packed: &[f64]| {
        let at = |a: usize, b: usize| packed[a.max(b) * (a.max(b) + 1) / 2 + a.min(b)];
        (0..columns * columns).map(|k| at(k / columns, k % columns)).collect::<Vec<f64>>()
    };
    let [least, most, distance] = point.margins;
    let unit = if distance > 0.0 { distance } else { 1.0 };
    // Σ over clusters of the products of their gradients.
    let of_clusters = || {
        let mut sums = vec![0.0; columns * columns];
        for own in point.sums.clusters.chunks_exact(columns) {
            sums.iter_mut().enumerate().for_each(|(at, sum)| *sum += own[at / columns] * own[at % columns]);
        }
        sums
    };
    Answer {
        theta: state.theta.clone(),
        direction: state.direction.clone(),
        value: point.sums.value,
        gradient: point.sums.gradient.clone(),
        information: full(&point.sums.information),
        scores: if point.sums.clusters.is_empty() { full(&point.sums.scores) } else { of_clusters() },
        cumulants: point.sums.cumulants.clone(),
        margins: (least / unit, most / unit),
    }
}
