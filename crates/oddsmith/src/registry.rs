//! The one table of all models: command-line names, Python names, file tags, law tests and docs read it.

use crate::calibrate;
use crate::data::Kind;
use crate::error::{Error, ErrorKind, Result};
use crate::model::bayes::{self, Family, NaiveBayes};
use crate::model::discriminant::{self, Lda, Qda};
use crate::model::linear::{self, Logistic, OneVsRest};
use crate::model::{AnyLearner, Classifier, Param, Params};
use crate::record::Record;

/// One model.
#[derive(Debug)]
pub struct Entry {
    /// Command-line name and file tag.
    pub name: &'static str,
    /// Other names it answers to.
    pub aliases: &'static [&'static str],
    /// The Python class.
    pub python: &'static str,
    /// The family whose options it shares, in words.
    pub family: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// Whether a table of statistics is all that it learns from; others need the rows themselves, several times.
    pub one_pass: bool,
    /// The columns that it learns from; it refuses others by name.
    pub takes: Takes,
    /// How far rounding may move a log probability of a small table, in parts of one plus its size. Where a matrix is inverted, a handful of
    /// rows may leave few of its digits.
    pub tolerance: f64,
    /// Whether a formula may say what is learned from which columns.
    pub takes_formula: bool,
    /// Its options.
    pub params: &'static [&'static Param],
    /// Builds the learner.
    pub build: fn(&Params) -> Result<Box<dyn AnyLearner>>,
}

impl Entry {
    /// Its options, none of them given.
    pub fn defaults(&self) -> Params {
        Params::new(self.name, self.params)
    }

    /// The learner with default options.
    pub fn learner(&self) -> Result<Box<dyn AnyLearner>> {
        (self.build)(&self.defaults())
    }
}

/// The kinds of columns that a model learns from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Takes {
    /// Which numbers.
    pub numbers: Numbers,
    /// Whether categories.
    pub categories: bool,
    /// Whether booleans.
    pub booleans: bool,
    /// Whether text, word by word.
    pub text: Text,
}

/// Which numbers a model learns from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    /// None.
    None,
    /// Those from zero up.
    Counts,
    /// Any.
    Any,
}

/// Whether a model learns from text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Text {
    /// No.
    No,
    /// With a penalty only: words that tell the classes apart have no finite estimate without.
    Penalised,
    /// Yes.
    Yes,
}

impl Takes {
    /// Columns of every kind.
    pub const ALL: Takes = Takes { numbers: Numbers::Any, categories: true, booleans: true, text: Text::Yes };
    /// Columns of every kind, and text with a penalty.
    pub const DESIGN: Takes = Takes { text: Text::Penalised, ..Takes::ALL };
    /// Numbers alone.
    pub const NUMBERS: Takes = Takes { numbers: Numbers::Any, categories: false, booleans: false, text: Text::No };
    /// Counts of things and of words.
    pub const COUNTS: Takes = Takes { numbers: Numbers::Counts, categories: false, booleans: false, text: Text::Yes };
    /// Numbers above a threshold, booleans, presence of words.
    pub const FLAGS: Takes = Takes { categories: false, ..Takes::ALL };
    /// Levels.
    pub const LEVELS: Takes = Takes { numbers: Numbers::None, categories: true, booleans: true, text: Text::No };

    /// Whether it takes columns of a kind with default options.
    pub fn kind(&self, kind: Kind) -> bool {
        match kind {
            Kind::Number => self.numbers != Numbers::None,
            Kind::Category => self.categories,
            Kind::Boolean => self.booleans,
            Kind::Text => self.text == Text::Yes,
        }
    }
}

/// Reads a stored model of one family back.
pub struct Reader {
    /// The file tag.
    pub tag: &'static str,
    /// Rebuilds the model, checking every shape.
    pub read: fn(&Record) -> Result<Box<dyn Classifier>>,
}

/// All models, in the order in which they are listed to people.
pub const MODELS: &[Entry] = &[
    Entry {
        name: "nb",
        aliases: &["mixed-nb", "naive-bayes"],
        python: "MixedNB",
        family: "naive Bayes",
        summary: "naive Bayes over numbers, categories, booleans and text, each column with its own distribution",
        one_pass: true,
        takes: Takes::ALL,
        tolerance: 1e-9,
        takes_formula: false,
        params: bayes::params::MIXED,
        build: |params| naive_bayes(Family::Mixed, params),
    },
    Entry {
        name: "gaussian-nb",
        aliases: &["gnb"],
        python: "GaussianNB",
        family: "naive Bayes",
        summary: "naive Bayes with normal densities for number columns",
        one_pass: true,
        takes: Takes::NUMBERS,
        tolerance: 1e-9,
        takes_formula: false,
        params: bayes::params::GAUSSIAN,
        build: |params| naive_bayes(Family::Gaussian, params),
    },
    Entry {
        name: "bernoulli-nb",
        aliases: &["bnb"],
        python: "BernoulliNB",
        family: "naive Bayes",
        summary: "naive Bayes over flags and words that are present or absent",
        one_pass: true,
        takes: Takes::FLAGS,
        tolerance: 1e-9,
        takes_formula: false,
        params: bayes::params::BERNOULLI,
        build: |params| naive_bayes(Family::Bernoulli, params),
    },
    Entry {
        name: "multinomial-nb",
        aliases: &["mnb"],
        python: "MultinomialNB",
        family: "naive Bayes",
        summary: "naive Bayes over counts: words, or number columns that are counts",
        one_pass: true,
        takes: Takes::COUNTS,
        tolerance: 1e-9,
        takes_formula: false,
        params: bayes::params::COUNTS,
        build: |params| naive_bayes(Family::Multinomial, params),
    },
    Entry {
        name: "complement-nb",
        aliases: &["cnb"],
        python: "ComplementNB",
        family: "naive Bayes",
        summary: "multinomial naive Bayes learned from the other classes, for uneven class sizes",
        one_pass: true,
        takes: Takes::COUNTS,
        tolerance: 1e-9,
        takes_formula: false,
        params: bayes::params::COMPLEMENT,
        build: |params| naive_bayes(Family::Complement, params),
    },
    Entry {
        name: "categorical-nb",
        aliases: &["catnb"],
        python: "CategoricalNB",
        family: "naive Bayes",
        summary: "naive Bayes over categories, each with its own number of levels",
        one_pass: true,
        takes: Takes::LEVELS,
        tolerance: 1e-9,
        takes_formula: false,
        params: bayes::params::COUNTS,
        build: |params| naive_bayes(Family::Categorical, params),
    },
    Entry {
        name: "lda",
        aliases: &["linear-discriminant"],
        python: "LinearDiscriminantAnalysis",
        family: "discriminants",
        summary: "linear discriminant analysis: normal classes that share a covariance matrix",
        one_pass: true,
        takes: Takes::NUMBERS,
        tolerance: 1e-6,
        takes_formula: false,
        params: discriminant::PARAMS,
        build: |params| Ok(Box::new(Lda::from_params(params)?)),
    },
    Entry {
        name: "qda",
        aliases: &["quadratic-discriminant"],
        python: "QuadraticDiscriminantAnalysis",
        family: "discriminants",
        summary: "quadratic discriminant analysis: normal classes with covariance matrices of their own",
        one_pass: true,
        takes: Takes::NUMBERS,
        tolerance: 1e-6,
        takes_formula: false,
        params: discriminant::PARAMS,
        build: |params| Ok(Box::new(Qda::from_params(params)?)),
    },
    Entry {
        name: "logistic",
        aliases: &["logit", "softmax", "logistic-regression"],
        python: "LogisticRegression",
        family: "regression",
        summary: "logistic regression, and softmax regression for more than two classes, with inference",
        one_pass: false,
        takes: Takes::DESIGN,
        tolerance: 1e-7,
        takes_formula: true,
        params: linear::params::LOGISTIC,
        build: |params| Ok(Box::new(Logistic::from_params(params)?)),
    },
    Entry {
        name: "one-vs-rest",
        aliases: &["ovr"],
        python: "OneVsRestLogistic",
        family: "regression",
        summary: "one logistic regression per class against all others",
        one_pass: false,
        takes: Takes::DESIGN,
        tolerance: 1e-7,
        takes_formula: true,
        params: linear::params::ONE_VS_REST,
        build: |params| Ok(Box::new(OneVsRest::from_params(params)?)),
    },
];

fn naive_bayes(family: Family, params: &Params) -> Result<Box<dyn AnyLearner>> {
    Ok(Box::new(NaiveBayes::from_params(family, params)?))
}

/// All readers of stored models.
pub const READERS: &[Reader] = &[
    Reader { tag: "nb", read: bayes::read },
    Reader { tag: "gaussian-nb", read: bayes::read },
    Reader { tag: "bernoulli-nb", read: bayes::read },
    Reader { tag: "multinomial-nb", read: bayes::read },
    Reader { tag: "complement-nb", read: bayes::read },
    Reader { tag: "categorical-nb", read: bayes::read },
    Reader { tag: "lda", read: discriminant::read_lda },
    Reader { tag: "qda", read: discriminant::read_qda },
    Reader { tag: "logistic", read: linear::read },
    Reader { tag: "one-vs-rest", read: linear::read_one_vs_rest },
    Reader { tag: "adjusted", read: |record| calibrate::read(record, read) },
];

/// The model of a name or alias.
pub fn find(name: &str) -> Result<&'static Entry> {
    MODELS.iter().find(|entry| entry.name == name || entry.aliases.contains(&name)).ok_or_else(|| {
        let known = MODELS.iter().map(|entry| entry.name.to_owned()).collect();
        ErrorKind::Unknown { noun: "model", name: name.into(), known }.into()
    })
}

/// A model with options as people write it: `lda`, `logistic(l2=1, firth)`.
pub fn parse(text: &str) -> Result<(&'static Entry, Params)> {
    let text = text.trim();
    let (name, options) = match text.split_once('(') {
        None => (text, None),
        Some((name, rest)) => match rest.trim_end().strip_suffix(')') {
            Some(options) => (name.trim_end(), Some(options)),
            None => return Err(Error::knob("models", text, "a closing parenthesis, as in logistic(l2=1)")),
        },
    };
    let entry = find(name)?;
    let mut params = entry.defaults();
    for option in options.map(split_options).into_iter().flatten() {
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        params.set(name.trim(), value.trim())?;
    }
    Ok((entry, params))
}

/// Several models with options, separated by commas outside parentheses.
pub fn parse_list(text: &str) -> Result<Vec<(&'static Entry, Params)>> {
    split_options(text).into_iter().map(parse).collect()
}

/// Items between commas that stand in no parentheses or quotes.
fn split_options(text: &str) -> Vec<&str> {
    let (mut items, mut start, mut depth, mut quoted) = (Vec::new(), 0, 0usize, false);
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth = depth.saturating_sub(1),
            ',' if !quoted && depth == 0 => {
                items.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    items.push(text[start..].trim());
    items.retain(|item| !item.is_empty());
    items
}

/// The model that is meant when none is named: with a formula the first that takes one, else the first of all.
pub fn default_for(formula: bool) -> &'static Entry {
    MODELS.iter().find(|entry| entry.takes_formula == formula).unwrap_or(&MODELS[0])
}

/// Rebuilds a stored model.
pub fn read(record: &Record) -> Result<Box<dyn Classifier>> {
    match READERS.iter().find(|reader| reader.tag == record.tag) {
        Some(reader) => (reader.read)(record),
        None => Err(crate::record::fault(format!("it holds `{}`, which is no model this program knows", record.tag))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_written_with_their_options() {
        let list = parse_list("nb, logistic(l2=1, unit=\"age=10,lwt=5\",firth) ,tree").map(|_| ());
        assert!(list.unwrap_err().to_string().starts_with("there is no model `tree`"));
        let list = parse_list("gnb,logistic(l2=1, unit=\"age=10\")").unwrap();
        assert_eq!(list.iter().map(|(entry, _)| entry.name).collect::<Vec<_>>(), ["gaussian-nb", "logistic"]);
        assert_eq!(list[1].1.number("l2"), Some(1.0));
        assert!(parse("lda(l2=1)").unwrap_err().to_string().contains("it has prior-smoothing, prior"));
        assert!(parse("lda(divisor=ml").unwrap_err().to_string().contains("closing parenthesis"));
    }

    #[test]
    fn an_option_of_one_name_is_declared_once() {
        let all: Vec<&Param> = MODELS.iter().flat_map(|entry| entry.params.iter().copied()).collect();
        for param in &all {
            assert!(all.iter().filter(|other| other.is_called(param.name)).all(|other| *other == *param), "{}", param.name);
        }
    }
}
