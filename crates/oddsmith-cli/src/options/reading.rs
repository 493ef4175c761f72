//! How a table is read and what its columns are for.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use oddsmith::data::{Condition, Kind, Terms, Weighting, WordValue};
use oddsmith::{Error, ErrorKind};
use oddsmith_io::{Header, Quote, Ragged, ReadOptions, Roles, TextOptions};

use super::size::parse_size;
use super::{OrderArgs, split_list, split_pair};
use crate::exit::Failure;

/// Flags about the kinds of columns.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct KindArgs {
    /// Kinds of columns where the guess is wrong: column=number|category|boolean|text.
    #[arg(long, value_name = "COLUMN=KIND,…")]
    kind: Vec<String>,
}

/// Flags about the bytes of a table.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct ReadingArgs {
    #[command(flatten)]
    kinds: KindArgs,

    /// Read only the rows for which this is true, such as 'age >= 20 & smoke == "yes"'.
    #[arg(long = "where", value_name = "CONDITION")]
    condition: Option<String>,

    /// Cells that mean "no value", in place of the usual ones (empty, NA, NaN, null, …).
    #[arg(long, value_name = "TEXT,…")]
    missing_markers: Option<String>,

    /// Character between cells, or tab [default: guessed].
    #[arg(long, value_name = "CHAR", value_parser = parse_delimiter)]
    delimiter: Option<u8>,

    /// Character around cells, or none [default: guessed].
    #[arg(long, value_name = "CHAR", value_parser = parse_quote)]
    quote: Option<Quote>,

    /// The first row holds values, not names.
    #[arg(long, conflicts_with = "header")]
    no_header: bool,

    /// The first row holds names, even where it looks like values.
    #[arg(long)]
    header: bool,

    /// Names of the columns of a file without a header, one for each [default: column_1, column_2, …].
    #[arg(long, value_name = "NAME,…", conflicts_with = "header")]
    names: Option<String>,

    /// Sheet of an Excel workbook [default: the first].
    #[arg(long, value_name = "NAME")]
    sheet: Option<String>,

    /// Character encoding, such as latin1 or utf-16le [default: UTF-8, or UTF-16 where the bytes say so].
    #[arg(long, value_name = "NAME")]
    encoding: Option<String>,

    /// Decimal mark, `.` or `,` [default: guessed].
    #[arg(long, value_name = "CHAR", value_parser = PossibleValuesParser::new([".", ","]).map(|mark| mark.as_bytes()[0]))]
    decimal: Option<u8>,

    /// What to do with a row that has too many or too few cells.
    #[arg(long, value_name = "WHAT", default_value = "error", value_parser = ragged())]
    ragged: Ragged,

    /// Number repeated column names in place of an error.
    #[arg(long)]
    dedup_names: bool,

    /// Most classes that a target may have [default: 10000].
    #[arg(long, value_name = "N")]
    max_classes: Option<usize>,

    /// Memory for the table; a larger one is read again for every pass [default: 1G].
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    memory: Option<u64>,

    /// Number of threads; it never changes a result [default: all cores].
    #[arg(long, value_name = "N", value_parser = parse_positive)]
    pub(crate) threads: Option<NonZeroUsize>,
}

/// Flags about text columns.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Words of text columns")]
pub(crate) struct TextArgs {
    /// Runs of words that count as one term, such as 1-2 for words and pairs; 2 stands for 1-2 [default: 1].
    #[arg(long, value_name = "A-B", value_parser = |text: &str| parse_runs(text, 8))]
    ngrams: Option<(usize, usize)>,

    /// Runs of characters in place of words, such as 3-5; scikit-learn's analyzer `char`.
    #[arg(long, value_name = "A-B", conflicts_with_all = ["ngrams", "stop_words"], value_parser = |text: &str| parse_runs(text, 16))]
    char_ngrams: Option<(usize, usize)>,

    /// What a term's number is weighed by: nothing, or tf-idf, as scikit-learn's TfidfVectorizer does.
    #[arg(long, value_name = "WHAT", default_value = "none", value_parser = PossibleValuesParser::new(["none", "tf-idf"]))]
    text_weights: String,

    /// A term must stand in at least this many rows [default: 1].
    #[arg(long, value_name = "N")]
    min_documents: Option<u64>,

    /// Keep only this many terms, those that stand in the most rows.
    #[arg(long, value_name = "N")]
    max_words: Option<usize>,

    /// A file with words to ignore, one per line.
    #[arg(long, value_name = "FILE")]
    stop_words: Option<PathBuf>,

    /// Hash terms to this many columns in place of a vocabulary.
    #[arg(long, value_name = "N", conflicts_with_all = ["min_documents", "max_words"], value_parser = parse_positive)]
    hash_width: Option<NonZeroUsize>,

    /// What a term contributes to its row.
    #[arg(long, value_name = "WHAT", default_value = "count", value_parser = word_values())]
    word_values: WordValue,
}

/// Flags about the parts that columns play.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Columns")]
pub(crate) struct RoleArgs {
    /// The column to predict.
    #[arg(short, long, value_name = "COLUMN")]
    pub(crate) target: Option<String>,

    /// The columns to learn from, in this order [default: all others].
    #[arg(long, value_name = "COLUMN,…", conflicts_with = "exclude")]
    pub(crate) features: Vec<String>,

    /// Columns to leave out.
    #[arg(long, value_name = "COLUMN,…")]
    pub(crate) exclude: Vec<String>,

    #[command(flatten)]
    pub(crate) weights: WeightArgs,

    #[command(flatten)]
    pub(crate) order: OrderArgs,
}

impl RoleArgs {
    /// Whether a column was given a part in the table, apart from its weights.
    pub(crate) fn is_given(&self) -> bool {
        self.target.is_some() || !self.features.is_empty() || !self.exclude.is_empty()
    }
}

/// Flags about row weights.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Columns")]
pub(crate) struct WeightArgs {
    /// The column of row weights; rows of weight zero vanish before anything is counted.
    #[arg(long, value_name = "COLUMN")]
    weight: Option<String>,

    /// What weights mean: numbers of equal rows, or units of the population that a row stands for.
    #[arg(long, value_name = "KIND", default_value = "frequency", requires = "weight", value_parser = weight_kinds())]
    weight_kind: Weighting,
}

impl WeightArgs {
    /// The column and what its numbers mean.
    pub(crate) fn weight(&self) -> Option<(String, Weighting)> {
        self.weight.clone().map(|column| (column, self.weight_kind))
    }
}

impl KindArgs {
    /// The kinds by column.
    pub(crate) fn kinds(&self) -> Result<BTreeMap<String, Kind>, Failure> {
        let pair = |item: String| {
            let (column, kind) = split_pair(&item)
                .and_then(|(column, kind)| Some((column, kind_of(kind)?)))
                .ok_or_else(|| Error::option("kind", &item, "pairs such as zip=category; kinds are number, category, boolean and text"))?;
            Ok((column.to_owned(), kind))
        };
        self.kind.iter().flat_map(|list| split_list(list)).map(pair).collect()
    }
}

impl ReadingArgs {
    /// The same for those rows alone for which a further condition is true.
    pub(crate) fn only(&self, further: &Condition) -> Result<Self, Failure> {
        let condition = match &self.condition {
            None => further.clone(),
            Some(text) => Condition::parse(text)?.and(further),
        };
        Ok(ReadingArgs { condition: Some(condition.text().to_owned()), ..self.clone() })
    }

    /// Options of the reader.
    pub(crate) fn options(&self, text: &TextArgs) -> Result<ReadOptions, Failure> {
        let mut options = ReadOptions {
            delimiter: self.delimiter,
            quote: self.quote.unwrap_or_default(),
            header: match (self.header, self.no_header) {
                (true, _) => Header::Yes,
                (_, true) => Header::No,
                _ => Header::Auto,
            },
            names: self.names.as_deref().map(split_list),
            sheet: self.sheet.clone(),
            encoding: self.encoding.clone(),
            decimal: self.decimal,
            missing: self.missing_markers.as_deref().map(split_list),
            ragged: self.ragged,
            dedup_names: self.dedup_names,
            text: text.options()?,
            threads: self.threads.map_or(0, NonZeroUsize::get),
            kinds: self.kinds.kinds()?,
            condition: self.condition.as_deref().map(Condition::parse).transpose()?,
            ..ReadOptions::default()
        };
        options.memory = self.memory.unwrap_or(options.memory);
        options.max_classes = self.max_classes.unwrap_or(options.max_classes);
        Ok(options)
    }
}

impl TextArgs {
    fn options(&self) -> Result<TextOptions, Failure> {
        let default = TextOptions::default();
        let stop_words = self.stop_words.as_ref().map_or(Ok(Vec::new()), |path| {
            let text =
                std::fs::read_to_string(path).map_err(|source| Error::from(ErrorKind::Io { path: path.display().to_string(), source }))?;
            Ok::<_, Failure>(text.lines().map(|line| line.trim().to_lowercase()).filter(|word| !word.is_empty()).collect())
        })?;
        Ok(TextOptions {
            terms: match (self.ngrams, self.char_ngrams) {
                (_, Some((shortest, longest))) => Terms::Characters { shortest, longest },
                (Some((shortest, longest)), None) => Terms::Words { shortest, longest },
                (None, None) => default.terms,
            },
            tf_idf: self.text_weights == "tf-idf",
            min_documents: self.min_documents.unwrap_or(default.min_documents),
            max_words: self.max_words,
            stop_words,
            hashed: self.hash_width.map(NonZeroUsize::get),
            value: self.word_values,
        })
    }
}

impl RoleArgs {
    /// The parts that columns play.
    pub(crate) fn roles(&self) -> Result<Roles, Failure> {
        let names = |lists: &[String]| lists.iter().flat_map(|list| split_list(list)).collect::<Vec<_>>();
        Ok(Roles {
            target: self.target.clone(),
            features: (!self.features.is_empty()).then(|| names(&self.features)),
            exclude: names(&self.exclude),
            weight: self.weights.weight(),
            keys: Vec::new(),
            order: self.order.order()?,
        })
    }
}

fn kind_of(name: &str) -> Option<Kind> {
    [Kind::Number, Kind::Category, Kind::Boolean, Kind::Text].into_iter().find(|kind| kind.name() == name)
}

fn parse_positive(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "a whole number from 1 up".into())
}

/// `2-3`, or `3` for everything up to it.
fn parse_runs(text: &str, most: usize) -> Result<(usize, usize), String> {
    let (shortest, longest) = text.split_once('-').unwrap_or(("1", text));
    match (shortest.trim().parse(), longest.trim().parse()) {
        (Ok(shortest), Ok(longest)) if 1 <= shortest && shortest <= longest && longest <= most => Ok((shortest, longest)),
        _ => Err(format!("the shortest and the longest run, from 1 to {most}, such as 1-2")),
    }
}

fn parse_delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        [byte] if byte.is_ascii() && !byte.is_ascii_alphanumeric() => Ok(*byte),
        b"tab" | b"\\t" => Ok(b'\t'),
        b"comma" => Ok(b','),
        b"semicolon" => Ok(b';'),
        b"bar" => Ok(b'|'),
        b"space" => Ok(b' '),
        _ => Err("one character that is no letter or digit, or: tab comma semicolon bar space".into()),
    }
}

fn parse_quote(text: &str) -> Result<Quote, String> {
    match text.as_bytes() {
        b"none" => Ok(Quote::None),
        [byte] if byte.is_ascii_punctuation() => Ok(Quote::Byte(*byte)),
        _ => Err("one mark such as \" or ', or: none".into()),
    }
}

/// A parser of names that stand for values.
fn named<T: Clone + Send + Sync + 'static>(pairs: &'static [(&'static str, T)]) -> impl TypedValueParser<Value = T> {
    let names: Vec<&'static str> = pairs.iter().map(|(name, _)| *name).collect();
    PossibleValuesParser::new(names).try_map(move |name| {
        let found = pairs.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value.clone()).ok_or_else(|| Error::internal(format!("`{name}` stands for nothing")))
    })
}

fn ragged() -> impl TypedValueParser<Value = Ragged> {
    named(&[("error", Ragged::Error), ("pad", Ragged::Pad), ("skip", Ragged::Skip)])
}

fn word_values() -> impl TypedValueParser<Value = WordValue> {
    named(&[("count", WordValue::Count), ("presence", WordValue::Presence)])
}

fn weight_kinds() -> impl TypedValueParser<Value = Weighting> {
    named(&[("frequency", Weighting::Frequency), ("sampling", Weighting::Sampling)])
}
