//! A layout as part of a record: what models and statistics store to know what their rows look like.
//!
//! Everything whose size grows with the data is an array, so that heads stay small: the texts of classes, column names,
//! levels and words, and one letter per column for its kind. Target, weighting and the make of text columns are a part
//! of the head. Reading checks that names differ, that texts are UTF-8 and that all lengths agree.

use serde::{Deserialize, Serialize};

use super::{Classes, DocumentCounts, Feature, Kind, Layout, Levels, Space, Terms, TextForm, Vocabulary, Weighting, WordValue};
use crate::error::{Result, visible};
use crate::record::{Record, fault};

/// Words or characters of the longest term.
const MOST_PARTS: usize = 64;

/// Words are numbered by 32-bit codes.
const WIDEST: u64 = u32::MAX as u64;

/// The part of the head.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LayoutHead {
    target: String,
    weighting: Weighting,
    words: Vec<WordsHead>,
}

/// The make of a text column.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WordsHead {
    value: WordValue,
    /// The number of columns when words are hashed; null when they are listed.
    hashed: Option<u64>,
    /// What the terms are, where that does not follow from the words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    terms: Option<Terms>,
    /// Texts over which terms are weighed by tf-idf.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    texts: Option<u64>,
}

impl Layout {
    /// Adds the layout to a record: a part of the head under the key `prefix`, and arrays named `<prefix>.…`.
    pub fn write(&self, record: &mut Record, prefix: &str) -> Result<()> {
        let words = || self.words().iter().map(|&j| &self.features()[j].space);
        let head =
            LayoutHead { target: self.target().into(), weighting: self.weighting(), words: words().filter_map(WordsHead::of).collect() };
        record.put_part(prefix, &head)?;
        record.put_texts(&format!("{prefix}.classes"), self.classes().labels().iter().map(String::as_str));
        record.put_texts(&format!("{prefix}.names"), self.features().iter().map(|f| f.name.as_str()));
        record.put_bytes(format!("{prefix}.kinds"), self.features().iter().map(|f| letter(f.kind())).collect());
        let levels: Vec<&[String]> = self.codes().iter().map(|&j| texts_of(&self.features()[j].space)).collect();
        put_lists(record, &format!("{prefix}.levels"), &levels);
        put_lists(record, &format!("{prefix}.words"), &words().map(texts_of).collect::<Vec<_>>());
        let counts: Vec<u64> = words().filter_map(document_counts).flat_map(|counts| counts.with_term.iter().copied()).collect();
        if words().any(|space| document_counts(space).is_some()) {
            record.put_counts(format!("{prefix}.documents"), &counts);
        }
        Ok(())
    }

    /// The layout that was added to a record under `prefix`.
    pub fn read(record: &Record, prefix: &str) -> Result<Layout> {
        let head: LayoutHead = record.part(prefix)?;
        let owned = |texts: Vec<&str>| texts.into_iter().map(str::to_owned).collect::<Vec<_>>();
        let classes = Classes::new(owned(record.texts(&format!("{prefix}.classes"))?)).map_err(|e| fault(e.to_string()))?;
        let names = record.texts(&format!("{prefix}.names"))?;
        let kinds = record.bytes(&format!("{prefix}.kinds"))?;
        if names.len() != kinds.len() {
            return Err(fault(format!("`{prefix}` has {} column names and {} kinds", names.len(), kinds.len())));
        }
        let levels = lists(record, &format!("{prefix}.levels"))?;
        let words = lists(record, &format!("{prefix}.words"))?;
        if levels.len() != count(kinds, b"cb") || words.len() != count(kinds, b"t") || words.len() != head.words.len() {
            return Err(fault(format!("`{prefix}` has not one list of levels or words for each column of that kind")));
        }
        let weighed = head.words.iter().any(|head| head.texts.is_some());
        let mut documents = if weighed { record.counts(&format!("{prefix}.documents"))? } else { &[] };
        let (mut levels, mut words) = (levels.into_iter(), words.into_iter().zip(head.words.iter()));
        let mut features = Vec::with_capacity(names.len());
        for (name, kind) in names.into_iter().zip(kinds) {
            let space = match kind {
                b'n' => Some(Ok(Space::Number)),
                b'c' | b'b' => levels.next().map(|list| space_of_levels(owned(list), *kind == b'b')),
                b't' => words.next().map(|(list, head)| head.space(owned(list), &mut documents)),
                _ => None,
            };
            let space = space.unwrap_or(Err("has a kind that this program does not know"));
            let space = space.map_err(|what| fault(format!("column `{}` {what}", visible(name))))?;
            features.push(Feature { name: name.to_owned(), space });
        }
        if !documents.is_empty() {
            return Err(fault(format!("`{prefix}.documents` has {} counts more than there are weighed words", documents.len())));
        }
        Layout::new(head.target, features, classes, head.weighting).map_err(|e| fault(e.to_string()))
    }
}

impl WordsHead {
    fn of(space: &Space) -> Option<Self> {
        let Space::Words { vocabulary, value, form } = space else { return None };
        let hashed = match vocabulary {
            Vocabulary::Listed(_) => None,
            Vocabulary::Hashed(width) => Some(*width as u64),
        };
        let texts = form.weights.as_ref().map(|weights| weights.texts);
        Some(WordsHead { value: *value, hashed, terms: form.terms, texts })
    }

    /// The column; its document counts are the first of those that remain.
    fn space(&self, listed: Vec<String>, documents: &mut &[u64]) -> Result<Space, &'static str> {
        let vocabulary = match self.hashed {
            None => Vocabulary::Listed(listed),
            Some(width) if width <= WIDEST && listed.is_empty() => {
                Vocabulary::Hashed(usize::try_from(width).map_err(|_| "is too wide for this machine")?)
            }
            Some(_) => return Err("is hashed and has words all the same, or is wider than 32 bits can number"),
        };
        let weights = match self.texts {
            None => None,
            Some(texts) => {
                let (with_term, rest) = documents.split_at_checked(vocabulary.len()).ok_or("has fewer document counts than words")?;
                *documents = rest;
                if with_term.iter().any(|count| *count > texts) {
                    return Err("has a word in more texts than there are");
                }
                Some(DocumentCounts { texts, with_term: with_term.to_vec() })
            }
        };
        let sound = |terms: &Terms| match *terms {
            Terms::Words { shortest, longest } | Terms::Characters { shortest, longest } => {
                1 <= shortest && shortest <= longest && longest <= MOST_PARTS
            }
        };
        if !self.terms.as_ref().is_none_or(sound) {
            return Err("has terms of an impossible length");
        }
        Ok(Space::Words { vocabulary, value: self.value, form: TextForm { terms: self.terms, weights } })
    }
}

fn space_of_levels(names: Vec<String>, boolean: bool) -> Result<Space, &'static str> {
    let levels = Levels::in_order(names);
    match boolean && levels != Levels::boolean() {
        false => Ok(Space::Levels { levels, boolean }),
        true => Err("is a boolean with other levels than false and true"),
    }
}

fn letter(kind: Kind) -> u8 {
    match kind {
        Kind::Number => b'n',
        Kind::Category => b'c',
        Kind::Boolean => b'b',
        Kind::Text => b't',
    }
}

fn count(kinds: &[u8], letters: &[u8]) -> usize {
    kinds.iter().filter(|kind| letters.contains(kind)).count()
}

/// What the words of a column are weighed by.
fn document_counts(space: &Space) -> Option<&DocumentCounts> {
    match space {
        Space::Words { form, .. } => form.weights.as_ref(),
        _ => None,
    }
}

/// The levels or listed words of a column.
fn texts_of(space: &Space) -> &[String] {
    match space {
        Space::Levels { levels, .. } => levels.names(),
        Space::Words { vocabulary: Vocabulary::Listed(words), .. } => words,
        Space::Words { vocabulary: Vocabulary::Hashed(_), .. } | Space::Number => &[],
    }
}

/// Adds lists of texts end to end, with the length of each list.
fn put_lists(record: &mut Record, name: &str, lists: &[&[String]]) {
    record.put_texts(name, lists.iter().flat_map(|list| list.iter().map(String::as_str)));
    let lengths: Vec<u64> = lists.iter().map(|list| list.len() as u64).collect();
    record.put_counts(format!("{name}.lengths"), &lengths);
}

/// The lists of texts, each without repetition.
fn lists<'a>(record: &'a Record, name: &str) -> Result<Vec<Vec<&'a str>>> {
    let texts = record.texts(name)?;
    let mut rest = texts.as_slice();
    let mut lists = Vec::new();
    for &length in record.counts(&format!("{name}.lengths"))? {
        let cut = usize::try_from(length).ok().and_then(|length| rest.split_at_checked(length));
        let (list, after) = cut.ok_or_else(|| fault(format!("`{name}.lengths` asks for more texts than there are")))?;
        let mut sorted = list.to_vec();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(fault(format!("`{}` stands twice in a list of `{name}`", visible(pair[0]))));
        }
        lists.push(list.to_vec());
        rest = after;
    }
    match rest.is_empty() {
        true => Ok(lists),
        false => Err(fault(format!("`{name}` has {} texts more than its lists hold", rest.len()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::record::Array;

    fn texts(list: &[&str]) -> Vec<String> {
        list.iter().map(|s| s.to_string()).collect()
    }

    fn layout() -> Layout {
        let features = vec![
            Feature::words("note", Vocabulary::Listed(texts(&["fever", "", "größe"])), WordValue::Count),
            Feature::number("age"),
            Feature::category("town", Levels::in_order(texts(&["b", "a"]))),
            Feature::words("tags", Vocabulary::Hashed(1 << 20), WordValue::Presence),
            Feature::boolean("smoker"),
            Feature::category("never seen", Levels::in_order(Vec::new())),
            Feature::number("x\u{1b}[31m"),
        ];
        Layout::new("died", features, Classes::new(texts(&["yes", "no"])).unwrap(), Weighting::Sampling).unwrap()
    }

    fn record(layout: &Layout) -> Record {
        let mut record = Record::new("test", 1, &serde_json::json!({"own": 1})).unwrap();
        layout.write(&mut record, "layout").unwrap();
        record
    }

    #[test]
    fn every_kind_of_column_comes_back() {
        let empty = Layout::new("", Vec::new(), Classes::new(Vec::new()).unwrap(), Weighting::None).unwrap();
        for layout in [layout(), empty] {
            assert_eq!(Layout::read(&record(&layout), "layout").unwrap(), layout);
        }
    }

    /// Two text columns, the second of which is weighed by tf-idf over runs of characters.
    fn weighed() -> Layout {
        let weights = DocumentCounts { texts: 9, with_term: vec![9, 2] };
        let form = TextForm { terms: Some(Terms::Characters { shortest: 2, longest: 3 }), weights: Some(weights) };
        let words = |name: &str| Feature::words(name, Vocabulary::Listed(texts(&["ab", "abc"])), WordValue::Count);
        let features = vec![words("plain"), words("weighed").in_form(form)];
        Layout::new("y", features, Classes::new(texts(&["yes", "no"])).unwrap(), Weighting::None).unwrap()
    }

    #[test]
    fn the_form_of_texts_comes_back_and_is_checked() {
        assert_eq!(Layout::read(&record(&weighed()), "layout").unwrap(), weighed());
        for (counts, what) in [
            (&[9, 10][..], "in more texts than there are"),
            (&[9], "fewer document counts than words"),
            (&[9, 2, 1], "1 counts more than there are weighed words"),
        ] {
            let mut record = record(&weighed());
            record.put_counts("layout.documents", counts);
            let error = Layout::read(&record, "layout").unwrap_err().to_string();
            assert!(error.contains(what), "{error}");
        }
    }

    #[test]
    fn two_layouts_fit_in_one_record_but_not_under_one_name() {
        let mut record = record(&layout());
        assert!(layout().write(&mut record, "layout").is_err());
        let other = layout().select(&[1, 4]).unwrap();
        other.write(&mut record, "other").unwrap();
        assert_eq!(Layout::read(&record, "other").unwrap(), other);
    }

    #[test]
    fn what_does_not_agree_is_refused() {
        type Damage = fn(&mut Record);
        let damage: [(&str, Damage); 16] = [
            ("`layout.classes.text` is missing", |r| drop(r.arrays.remove("layout.classes.text"))),
            ("the class `no` is listed twice", |r| r.put_texts("layout.classes", ["no", "no"])),
            ("column `note`: the column name appears twice", |r| {
                r.put_texts("layout.names", ["note", "note", "c", "d", "e", "f", "g"]);
            }),
            ("has 1 column names and 7 kinds", |r| r.put_texts("layout.names", ["a"])),
            ("column `age` has a kind that this program does not know", |r| r.put_bytes("layout.kinds", b"tzctbcn".to_vec())),
            ("not one list of levels or words", |r| r.put_bytes("layout.kinds", b"tnctbnn".to_vec())),
            ("not one list of levels or words", |r| r.put_bytes("layout.kinds", b"tncnbcn".to_vec())),
            ("asks for more texts than there are", |r| r.put_counts("layout.levels.lengths", &[2, 1 << 60, 0])),
            ("texts more than its lists hold", |r| r.put_counts("layout.levels.lengths", &[2, 1, 0])),
            ("not one list of levels or words", |r| r.put_counts("layout.words.lengths", &[3, 0, 0])),
            ("column `smoker` is a boolean with other levels", |r| r.put_texts("layout.levels", ["a", "b", "true", "false"])),
            ("`a` stands twice in a list", |r| r.put_texts("layout.levels", ["a", "a", "false", "true"])),
            ("column `tags` is hashed and has words", |r| r.put_counts("layout.words.lengths", &[2, 1])),
            ("column `tags` is hashed and has words", |r| r.head["layout"]["words"][1]["hashed"] = (1u64 << 60).into()),
            ("unknown variant `odd`", |r| r.head["layout"]["weighting"] = "odd".into()),
            ("the head of `test` has no `layout`", |r| r.head = serde_json::json!({})),
        ];
        for (expected, damage) in damage {
            let mut record = record(&layout());
            damage(&mut record);
            let error = Layout::read(&record, "layout").unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Format { .. }), "{error}");
            assert!(error.to_string().contains(expected), "{error} instead of {expected}");
        }
    }

    #[test]
    fn arrays_of_another_type_are_refused() {
        let whole = record(&layout());
        for name in whole.arrays.keys() {
            let mut record = whole.clone();
            record.arrays.insert(name.clone(), Array::Numbers(vec![0.0]));
            assert!(matches!(Layout::read(&record, "layout").unwrap_err().kind(), ErrorKind::Format { .. }), "{name}");
        }
    }
}
