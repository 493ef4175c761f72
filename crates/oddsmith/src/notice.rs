//! What went wrong without being an error: every notice has a stable id and reaches every front end.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::error::{Wording, visible, worded_text};

/// A number with its noun: `1 class`, `2 classes`.
pub fn counted(count: impl Into<u64>, noun: &str) -> String {
    match count.into() {
        1 => format!("1 {noun}"),
        count if noun.ends_with('s') => format!("{count} {noun}es"),
        count => format!("{count} {noun}s"),
    }
}

/// A notice for the person who reads the result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Notice {
    /// The stable id, such as `W121`; [`CATALOGUE`] explains it.
    pub id: &'static str,
    /// The column it is about.
    pub column: Option<String>,
    /// The level, class or value it is about.
    pub level: Option<String>,
    /// What was found and what was done about it, in one lower-case sentence with figures.
    pub text: String,
}

/// What an id means: its short name and a page for `oddsmith help`.
#[derive(Debug, Clone, Copy)]
pub struct NoticePage {
    /// The id.
    pub id: &'static str,
    /// A name of two or three words.
    pub name: &'static str,
    /// Why it matters and what to do. It mentions options as `{name}` or `{name=value}`, which a front end words.
    pub page: &'static str,
}

impl NoticePage {
    /// The page in the words of a front end.
    pub fn worded(&self, wording: &dyn Wording) -> String {
        worded_text(self.page, wording)
    }
}

macro_rules! catalogue {
    ($($constant:ident = $id:literal, $name:literal, $page:literal;)*) => {
        $(#[doc = concat!("Id of the notice \"", $name, "\".")] pub const $constant: &str = $id;)*
        /// Every notice that oddsmith can give, in the order of ids.
        pub const CATALOGUE: &[NoticePage] = &[$(NoticePage { id: $id, name: $name, page: $page }),*];
    };
}

catalogue! {
    ENCODING_ASSUMED = "W101", "format assumed",
        "The delimiter, quote, header, encoding or decimal mark was guessed from the first lines of the file. \
         The guess is printed; say otherwise with {delimiter}, {quote}, {no-header}, {encoding} or {decimal}.";
    RAGGED_ROWS = "W102", "ragged rows",
        "Some rows have more or fewer cells than the header. With {ragged=pad} or {ragged=skip} they were \
         padded or left out, and counted here; the default is to stop at the first one.";
    BLANK_LINES = "W103", "blank lines",
        "Between the rows of a table with several columns stand lines without anything in them. Nothing is learned from them. A \
         prediction has a line for every line, so there each of them is a row without any value. In a table with one column, and in \
         lines of text, a blank line is always a row whose value is missing.";
    STRAY_QUOTES = "W104", "stray quotes",
        "A cell starts with a quote, and text follows its closing quote. Programs that write quotes double those inside a cell, so \
         these are likely to be ordinary characters: read them as such with {quote=none}, or mend the cells.";
    MIXED_CELLS = "W105", "numbers and text",
        "Most cells of the column are numbers and some are not, so it was read as a category with a level for every number. If the \
         others mean that there is no value, list them with {missing-markers}. With {kind=column=number} the reader stops at the \
         first of them; with {kind=column=category} the column is read as it is now, without this notice.";
    ROWS_LEFT_OUT = "W106", "rows not read",
        "With {where} only rows for which the condition is true are read; the others are counted here. A row in which a value that the \
         condition needs is missing is not read either.";
    ONE_NUMBER = "W107", "labels that are one number",
        "Two classes of the target have labels that are the same number, such as 1 and 1.0 or 2 and 02. They were kept apart, because labels \
         are texts; where they should be one class, write them alike.";
    RARE_LEVEL = "W112", "rare level",
        "A level of a category is so rare, or so one-sided, that what is learned about it is mostly noise. \
         Merge it with a neighbour or smooth more ({smoothing}).";
    MISSING_VALUES = "W121", "missing values",
        "The column has empty cells. Naive Bayes leaves the column out of the sum for that row, exactly as its \
         model says; discriminants are fitted on complete rows and integrate the gap out when predicting; regressions are fitted on \
         complete rows, unless {missing=indicator} or {missing=mean} keeps the others.";
    MISSING_TARGET = "W122", "missing target",
        "Rows without a target teach nothing and are excluded; the count is given.";
    LOOK_ALIKES = "W123", "look-alike labels",
        "Two levels differ only in case or in spaces around them (`Yes`, `yes `). They are kept apart, because \
         only you know whether they mean the same: mend the file if they do.";
    UNUSED_LEVEL = "W124", "level without rows",
        "A level that was declared ({levels}) occurs in no row that counts. It is left out of the model; if it \
         should occur, look at how it is written in the table.";
    LEAKAGE = "W131", "possible leakage",
        "One column alone tells the classes apart almost perfectly, or is different in every row. It may be \
         an identifier or a consequence of the target: leave it out with {exclude} unless it is known beforehand.";
    CONSTANT_COLUMN = "W201", "constant column",
        "The column has the same value in every row, so it says nothing about the class and was left out of the \
         model or ignored by it.";
    SEPARATION = "W204", "separation",
        "Some combination of columns tells the classes apart without error (or, quasi-completely, without error for some of \
         the rows). The likelihood then rises forever along it and no finite estimate exists: a table with huge \
         coefficients and standard errors would be an artefact of when the search stopped. Use {on-separation=firth}, a penalty \
         ({l2}), leave the column out ({on-separation=drop}), or ask for an infinite odds ratio with one finite limit \
         ({on-separation=infinite}); ask whether the column was known before the outcome.";
    VARIANCE_FLOOR = "W205", "variance floor",
        "A column does not vary within a class, so its Gaussian would be a spike and its evidence infinite. \
         Its variance was raised to the floor printed here, a fraction of the column's own overall variance.";
    NO_ROOM_FOR_VARIANCE = "W209", "no room for a variance",
        "A column is so large or so small that the variance of its coefficient, in the units of the column, is no floating-point number. \
         The coefficients and predictions are right; standard errors, intervals and tests are left out. Multiply or divide the column by a \
         power of ten.";
    SINGULAR = "W210", "singular covariance",
        "Some columns are exact, or almost exact, combinations of others, so the covariance matrix has no \
         inverse. The combination is named. The discriminant was computed in the space that the data span; \
         leave a column out or use {shrinkage} to make it regular.";
    ALIASED = "W211", "aliased column",
        "The column is an exact combination of earlier columns (and a constant), which is written out. Its coefficient cannot be told \
         apart from theirs, so it has none; predictions do not suffer.";
    PENALISED = "W212", "penalised coefficients",
        "A penalty draws coefficients towards zero on purpose. The usual standard errors, p-values and intervals do not describe such \
         estimates and are left out; fit without a penalty, or with Firth's ({firth}), for inference.";
    CLASS_WEIGHTS = "W213", "class weights",
        "Rows were weighted by class. That moves intercepts by the logarithm of the weights and hardly anything else; unless told \
         otherwise the intercepts are moved back, so that probabilities fit the data as they came. Such weights are no further rows: standard \
         errors come from the scores of the rows (robust ones), and likelihood ratios, profiles and AIC are left out.";
    PROFILE_NOT_FOUND = "W214", "profile not found",
        "The search for the end of a profile interval, or for a fit without a term, did not come to an end. This happens when the \
         likelihood is almost flat in some direction; look at the largest standard errors, and try {firth}.";
    STOPPED_EARLY = "W215", "stopped early",
        "Gradient descent and stochastic descent stop when their steps become short, not when the optimum is reached; any search \
         stops when the most steps that were allowed are made. The distance that remains is given in standard errors. What was found is no \
         estimate, so standard errors, intervals, tests and AIC are left out: allow more steps ({max-steps}), put columns on similar scales, use \
         a penalty ({l2}), or, after a descent, {solver=newton}.";
    COARSE_KNOTS = "W216", "coarse knots",
        "A spline or a basis takes its knots from quantiles of a column that has more different values than are kept apart; neighbouring          values were joined, so the knots differ a little from exact quantiles. The fit is that of the knots it has,          and predictions use the same.";
    SAMPLING_WEIGHTS = "W217", "sampling weights",
        "A sampling weight says how much of a population a row stands for, and its unit says nothing about evidence. Standard errors of a \
         regression then come from the scores of the rows (robust ones, HC1 unless another kind is asked for), intervals and tests are \
         Wald's, and likelihood ratios, profiles and AIC are left out. Weights that count equal rows are frequencies.";
    FEW_EVENTS = "W218", "few events per parameter",
        "The rarest class has fewer than ten rows for every degree of freedom that the fit spends. Estimates of such fits scatter far from \
         zero, odds ratios come out too extreme, and intervals and p-values promise more than they hold. Use fewer columns, a penalty ({l2}), \
         a prior ({prior-sd}) or Firth's likelihood ({firth}). A category with about as many levels as there are events is often the number \
         of a matched set: its levels should not be estimated at all, and conditional logistic regression leaves them out.";
    TOO_WIDE = "W219", "too many parameters for inference",
        "Standard errors need the products of all columns with each other, and beyond 3,000 parameters these are not summed up. Coefficients and \
         predictions are those of the maximum of the likelihood; standard errors, intervals and tests are left out. Pool rare levels, or, where \
         the levels number matched sets, compare rows within them by conditional logistic regression.";
    ZERO_PROBABILITY = "W220", "zero probability",
        "Without smoothing, a value never seen with a class makes that class impossible. When it makes every \
         class impossible, the prior is returned and the row is flagged. Use {smoothing=1} (or any number above 0).";
    UNEQUAL_LAYOUTS = "W230", "unequal layouts",
        "The merged statistics come from tables with different levels, classes or words. They were added over the \
         union; what a table never saw counts as zero there.";
    NO_MEMBER = "W231", "part not among the whole",
        "Statistics that were merged list what they are the sum of, and what was taken away is not among it. If its rows are some of those of a \
         member, what remains is right. If they are other rows, it is the sum of no rows at all.";
    NOT_CROSS_VALIDATED = "W240", "not cross-validated",
        "A report judges a model that it fits by cross-validation, and here a model of all folds but one could not be fitted: too few rows of a \
         class, or columns that tell the classes apart without error in those rows. The model was judged on the rows that it learned from \
         instead, which flatters it. Use fewer folds ({folds}), a penalty ({l2}), or rows that were kept apart.";
    DUMMY_COLUMNS = "W250", "categories as 0/1 columns",
        "Discriminants know numbers only. A category takes part as 0/1 columns, one for every level but the first, and a boolean as \
         one; together with the numbers they are treated as if they were normal, which they are not: probabilities far from one half may be \
         too sure. The level without a column is named; another one changes no probability. Compare with logistic regression, which takes \
         the same columns and assumes nothing about them.";
    CUT_VALUES = "W270", "values cut to fewer digits",
        "The column has more different values than are counted one by one, so the last binary digits were dropped until they fit. Every row is still \
         counted. Means and standard deviations are exact; medians, quartiles and tests of ranks are those of the shortened values, which lie within a small \
         part of a percent of the others.";
    NOT_DESCRIBED = "W271", "column not described",
        "Texts, and categories of many levels such as identifiers, have no place in a table that people read, and were left out. Choose the columns with \
         {columns}, or read a column that is a category of few levels in truth with {kind}.";
    DOUBTFUL_TEST = "W272", "doubtful test",
        "Some expected counts are below 5, where Pearson's χ² is a rough guide, and there are too many tables with the same margins to go through them all, as \
         Fisher's exact test does. Join rare levels.";
    UNTESTED_GROUPS = "W273", "groups not tested",
        "Sampling weights say how much of a population a row stands for; counting them as rows would make any difference significant. Proportions, means \
         and standardised differences are those of the population, and groups are not tested. Weights that count equal rows are frequencies.";
    SEARCH_CUT = "W274", "search cut short",
        "There are more groups that could be made of two columns than are looked at. Groups of one column come first and are all there. Name fewer \
         columns with {candidates}, cut numbers into fewer parts with {bins}, or look at groups of one column with {depth=1}.";
    CUTS_BY_CLASSES = "W290", "cuts by the classes",
        "A number was cut into intervals where the classes of these very rows differ most. The likelihood then counts the intervals as if they \
         had been known before: tests of the term are too sure, its limits too narrow, and criteria that count parameters too kind. Take cuts \
         from other rows, or cut by hand with cut(); judge the model by rows that it has not seen.";
    FEW_HELD_BACK = "W291", "weights by few rows",
        "The weights of the models were chosen by the rows that were held back, and there are few of them for so many models: other rows would \
         give other weights. Average fewer models, weigh all alike ({weigh-by=equal}), or take models that have evidence.";
    UNSEEN_LEVEL = "W301", "unseen level",
        "A row has a level that the model never saw. The column is treated as missing for that row: it neither raises \
         nor lowers any class (a regression, which needs every value, gives the row no probability: W303). With {strict} the row is \
         an error.";
    EXTRA_COLUMN = "W302", "extra column",
        "The table has columns that the model does not use; they were ignored.";
    NO_PREDICTION = "W303", "no prediction",
        "A row lacks a value that a regression needs, or has a level that it never saw. Its probabilities are left empty, because \
         any number there would be invented. Fill the gap, or fit with {missing=indicator} or {missing=mean}. With {strict} the \
         row is an error.";
    SIMPLER_MAP = "W304", "simpler calibration map",
        "Held-out scores do not rise with the classes, so the calibration map that was asked for has no estimate. One factor \
         for all scores was used instead, or, where even that has none, the proportions of the classes: the scores say nothing. \
         Look at the model, or calibrate on more rows.";
    TIED_SPLITS = "W401", "tied splits",
        "Two columns split the rows of a node equally well, to the last bit. The column that comes first by name was taken, so the tree does not \
         depend on the order of columns, but it could as well have been the other: what lies below may look different. The tree of such \
         a table is one of several that the rows support equally; a forest averages over them.";
    NO_SPLIT = "W402", "no split",
        "No split of a single column lessens the impurity under the rules of {max-depth}, {min-samples-split}, {min-samples-leaf} and \
         {min-impurity-decrease}, or pruning took all of them away, so the tree is its root. That happens, too, when classes depend on two \
         columns together and on neither alone (as in an exclusive or): a tree looks at one column at a time.";
    POOLED_LEVELS = "W403", "pooled levels",
        "A category has more than 255 levels. The levels with the fewest rows are treated as one; such levels have too few rows to say much on \
         their own. Merge levels by what they mean where that is known.";
    ILL_CONDITIONED = "W430", "few digits left",
        "Some columns are nearly combinations of others, and products of columns lose digits there that the rows still have. From rows the \
         fit takes a second pass that keeps them; statistics hold products alone, so the coefficients have only about as many digits as \
         the notice says. Fit from the rows, leave a column out, or use a penalty ({l2}). Predictions of rows like those of the fit suffer less \
         than coefficients do.";
    NOT_CONVERGED = "W431", "perceptron still makes mistakes",
        "The perceptron stops changing when it makes no mistake in a whole epoch, which happens exactly when a line through the columns tells \
         the classes apart without error. It made mistakes until the epochs ran out. Where the notice says that no line does, as in exclusive or, \
         more epochs do not help: use other columns, or a model that bends, such as a tree, neighbours, kernels or a network. The averaged weights \
         (the default) and the pocket are made for such rows; the last weights are not. Where a line exists, allow more epochs ({epochs}), or put \
         columns on similar scales.";
    HOLDS_ROWS = "W432", "the model holds rows",
        "Neighbours are rows of the fit, so the model keeps all of them, and whoever has the file can read them. Do not pass it on where rows \
         must stay private; every other kind of model keeps sums. The file is as large as the table, and each prediction looks at all of it.";
    NETWORK_UNFINISHED = "W433", "network not settled",
        "The search for the weights of the network ended before the loss was flat: the steps ran out, or no step made the loss smaller. The \
         weights are usable, and others may be better. Allow more steps ({steps}), raise the penalty ({decay}), use fewer hidden units \
         ({hidden}), or try another start ({start-seed}).";
    RARE_CELLS = "W501", "rare cells",
        "Many values of the column are so rare within some class that fewer than five rows would be expected there, and there are too many rows \
         or strata to compare with permuted tables. The χ² distribution is then a rough guide to the p-value, and the estimate of mutual \
         information rests on its correction. Join rare levels, or look at the interval.";
    TIED_NEIGHBOURS = "W502", "tied neighbours",
        "More than one in twenty values of a number column occur more than once. The distance to a neighbour is then often zero, and the \
         estimate from neighbours is worthless; the column was cut into intervals instead, as {numbers=mdl} does.";
    CAPACITY_BOUNDS = "W503", "capacity between bounds",
        "The search for the capacity of a channel ended before its bounds met. Both are right: the capacity lies between them. Inputs that \
         are almost of no use make the search slow; leave them out, or take the bounds as they are.";
    REVERSAL = "W601", "Simpson reversal",
        "Taken together the rows show an association in one direction, within strata in the other. The exposure goes with the strata, and the \
         strata with the outcome. Which of the two numbers answers the question depends on what came first: strata that were there before the exposure \
         (age, severity) call for the number within strata, a consequence of the exposure does not.";
    UNINFORMATIVE_STRATA = "W602", "uninformative strata",
        "A stratum in which all rows are exposed, or none, or all are cases, or none, says nothing about an odds ratio. It was counted and left out of \
         pooled odds ratios and of tests; degrees of freedom are those of the other strata. Many of them are a sign of strata that are too fine.";
    DIFFERENT_STRATA = "W603", "strata differ",
        "The odds ratios of the strata differ by more than chance would explain. A pooled odds ratio is then an average that may hold in no stratum: \
         look at the table of strata, and at the risk difference, which may differ where the odds ratio does not.";
    SPARSE_TABLE = "W604", "sparse table",
        "A count is zero, or the least expected count is below 5. Normal limits and the p-value of χ² are then unreliable; exact and score limits \
         hold. A zero cell makes an odds ratio 0 or infinite, which is what the rows say; {add=0.5} adds a half to every count for those who want a finite number.";
    DIFFERENT_ANSWERS = "W605", "answers with other names",
        "McNemar's test compares two answers to the same question, so both columns should have the same two values; the first of each is taken for the same \
         answer here. Where an exposure and an outcome are meant, and pairs are rows that belong together, compare within strata of pairs, or fit matched sets.";
    SILENT_SETS = "W611", "sets without a contrast",
        "A matched set in which all members are cases, or none is, has the same conditional likelihood whatever the effects: it was counted and left out. \
         Sets lose members when values are missing, so look at excluded rows where there are many.";
    CONSTANT_IN_SETS = "W612", "constant within sets",
        "The column is the same for all members of every set, as a matching variable is. Its own effect cannot be told within sets; its interaction with a \
         column that varies can.";
}

/// The page of an id.
pub fn page(id: &str) -> Option<&'static NoticePage> {
    CATALOGUE.iter().find(|entry| entry.id.eq_ignore_ascii_case(id))
}

/// A notice as it is read from a file: its id must be one of the catalogue.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredNotice {
    id: String,
    column: Option<String>,
    level: Option<String>,
    text: String,
}

impl<'de> Deserialize<'de> for Notice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let StoredNotice { id, column, level, text } = StoredNotice::deserialize(deserializer)?;
        let page = page(&id).ok_or_else(|| D::Error::custom(format_args!("there is no notice `{id}`")))?;
        Ok(Notice { id: page.id, column, level, text })
    }
}

impl Notice {
    /// Whether it warns; the others only say what was done, as it was asked for, or what such a model always is.
    pub fn is_warning(&self) -> bool {
        self.id != ROWS_LEFT_OUT && self.id != DUMMY_COLUMNS && self.id != HOLDS_ROWS
    }

    /// A notice about the whole.
    pub fn new(id: &'static str, text: impl Into<String>) -> Self {
        Notice { id, column: None, level: None, text: text.into() }
    }

    /// Places the notice in a column.
    #[must_use]
    pub fn column(mut self, name: impl Into<String>) -> Self {
        self.column = Some(name.into());
        self
    }

    /// Places the notice at a level, class or value.
    #[must_use]
    pub fn level(mut self, level: impl Into<String>) -> Self {
        self.level = Some(level.into());
        self
    }
}

impl std::fmt::Display for Notice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.id)?;
        if let Some(column) = &self.column {
            write!(f, " {}", visible(column))?;
        }
        write!(f, " {}", self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_in_order() {
        assert!(CATALOGUE.windows(2).all(|pair| pair[0].id < pair[1].id));
        assert!(page("w301").is_some() && page("W999").is_none());
    }

    #[test]
    fn a_stored_notice_comes_back_unless_its_id_is_unknown() {
        let notice = Notice::new(CONSTANT_COLUMN, "it is 3 everywhere").column("age");
        let stored = serde_json::to_value(&notice).unwrap();
        assert_eq!(serde_json::from_value::<Notice>(stored.clone()).unwrap(), notice);
        let mut unknown = stored;
        unknown["id"] = "W999".into();
        assert!(serde_json::from_value::<Notice>(unknown).unwrap_err().to_string().contains("no notice `W999`"));
    }
}
