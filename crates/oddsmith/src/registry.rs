//! The one table of all models: command-line names, Python names, file tags, law tests and docs read it.

use crate::calibrate;
use crate::error::{ErrorKind, Result};
use crate::model::bayes::{self, Family, NaiveBayes};
use crate::model::discriminant::{self, Lda, Qda};
use crate::model::linear::{self, Logistic, OneVsRest};
use crate::model::{AnyLearner, Classifier, Knobs};
use crate::record::Record;

/// One model.
pub struct Entry {
    /// Command-line name and file tag.
    pub name: &'static str,
    /// Other names it answers to.
    pub aliases: &'static [&'static str],
    /// The Python class.
    pub python: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// Whether a table of statistics is all that it learns from; others need the rows themselves, several times.
    pub one_pass: bool,
    /// Builds the learner; refuses knobs that the model does not have.
    pub build: fn(&Knobs) -> Result<Box<dyn AnyLearner>>,
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
        summary: "naive Bayes over numbers, categories, booleans and text, each column with its own distribution",
        one_pass: true,
        build: |knobs| naive_bayes(Family::Mixed, knobs),
    },
    Entry {
        name: "gaussian-nb",
        aliases: &["gnb"],
        python: "GaussianNB",
        summary: "naive Bayes with normal densities for number columns",
        one_pass: true,
        build: |knobs| naive_bayes(Family::Gaussian, knobs),
    },
    Entry {
        name: "bernoulli-nb",
        aliases: &["bnb"],
        python: "BernoulliNB",
        summary: "naive Bayes over flags and words that are present or absent",
        one_pass: true,
        build: |knobs| naive_bayes(Family::Bernoulli, knobs),
    },
    Entry {
        name: "multinomial-nb",
        aliases: &["mnb"],
        python: "MultinomialNB",
        summary: "naive Bayes over counts: words, or number columns that are counts",
        one_pass: true,
        build: |knobs| naive_bayes(Family::Multinomial, knobs),
    },
    Entry {
        name: "complement-nb",
        aliases: &["cnb"],
        python: "ComplementNB",
        summary: "multinomial naive Bayes learned from the other classes, for uneven class sizes",
        one_pass: true,
        build: |knobs| naive_bayes(Family::Complement, knobs),
    },
    Entry {
        name: "categorical-nb",
        aliases: &["catnb"],
        python: "CategoricalNB",
        summary: "naive Bayes over categories, each with its own number of levels",
        one_pass: true,
        build: |knobs| naive_bayes(Family::Categorical, knobs),
    },
    Entry {
        name: "lda",
        aliases: &["linear-discriminant"],
        python: "LinearDiscriminantAnalysis",
        summary: "linear discriminant analysis: normal classes that share a covariance matrix",
        one_pass: true,
        build: |knobs| Ok(Box::new(Lda::from_knobs(knobs)?)),
    },
    Entry {
        name: "qda",
        aliases: &["quadratic-discriminant"],
        python: "QuadraticDiscriminantAnalysis",
        summary: "quadratic discriminant analysis: normal classes with covariance matrices of their own",
        one_pass: true,
        build: |knobs| Ok(Box::new(Qda::from_knobs(knobs)?)),
    },
    Entry {
        name: "logistic",
        aliases: &["logit", "softmax", "logistic-regression"],
        python: "LogisticRegression",
        summary: "logistic regression, and softmax regression for more than two classes, with inference",
        one_pass: false,
        build: |knobs| Ok(Box::new(Logistic::from_knobs(knobs)?)),
    },
    Entry {
        name: "one-vs-rest",
        aliases: &["ovr"],
        python: "OneVsRestLogistic",
        summary: "one logistic regression per class against all others",
        one_pass: false,
        build: |knobs| Ok(Box::new(OneVsRest::from_knobs(knobs)?)),
    },
];

fn naive_bayes(family: Family, knobs: &Knobs) -> Result<Box<dyn AnyLearner>> {
    Ok(Box::new(NaiveBayes::from_knobs(family, knobs)?))
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

/// Rebuilds a stored model.
pub fn read(record: &Record) -> Result<Box<dyn Classifier>> {
    match READERS.iter().find(|reader| reader.tag == record.tag) {
        Some(reader) => (reader.read)(record),
        None => Err(crate::record::fault(format!("it holds `{}`, which is no model this program knows", record.tag))),
    }
}
