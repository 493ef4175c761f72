//! A source seen through the layout of another: the same columns, with codes that mean the same everywhere.

use std::sync::Arc;

use super::layout_map::level_places;
use super::relabelled_source::renumber;
use super::{CodesView, Csr, Features, Key, KeyPlace, Layout, LayoutMap, MISSING, MappedSource, Rows, SKIP, Source, Space};
use crate::error::{DataFault, Error, Result};
use crate::num::MatrixView;

/// The way from one layout to another that was agreed upon with others.
pub struct Alignment {
    layout: Layout,
    map: LayoutMap,
    /// Codes of the classes in the layout.
    classes: Vec<u32>,
    /// Where each key of the layout lies in the other, and the codes of its levels there.
    keys: Vec<(KeyPlace, Vec<u32>)>,
}

/// Rows of a table encoded against a layout that was agreed upon with others.
pub struct AlignedSource<'a> {
    inner: &'a dyn Source,
    alignment: Arc<Alignment>,
}

impl<'a> AlignedSource<'a> {
    /// The rows of `inner` over `layout`; see [`Alignment::between`].
    pub fn new(inner: &'a dyn Source, layout: &Layout) -> Result<Self> {
        Ok(AlignedSource { inner, alignment: Arc::new(Alignment::between(inner.layout(), layout)?) })
    }

    /// The rows of `inner` by an alignment from its layout.
    pub(super) fn through(inner: &'a dyn Source, alignment: &Arc<Alignment>) -> Self {
        AlignedSource { inner, alignment: Arc::clone(alignment) }
    }
}

impl Alignment {
    /// The way from a table's own layout to another. The table must have all columns of the other; its classes and levels must be among
    /// those of the other. Words that the other does not know are left out, as in a prediction.
    pub fn between(from: &Layout, layout: &Layout) -> Result<Self> {
        let names = from.names();
        if let Some(name) = layout.names().into_iter().find(|name| !names.contains(name)) {
            return Err(DataFault::new("is missing").column(name).accepted(format!("the table has: {}", names.join(", "))).into());
        }
        let weighting = from.weighting();
        if weighting != layout.weighting() {
            let what = format!("weights are {weighting:?} here and {:?} in what was agreed upon", layout.weighting());
            return Err(Error::data(what));
        }
        let map = LayoutMap::between(from, layout, true)?;
        let classes = map.classes.iter().map(|class| *class as u32).collect();
        let keys = layout.keys().iter().map(|key| key_map(from, key)).collect::<Result<_>>()?;
        Ok(Alignment { layout: layout.clone(), map, classes, keys })
    }

    /// The keys of the layout; a row without one does not count.
    fn keys(&self, rows: &Rows<'_>, labels: &mut [u32], cells: &mut Vec<u32>) {
        cells.clear();
        for (i, label) in labels.iter_mut().enumerate() {
            for (place, codes) in &self.keys {
                let code = place.of_row(rows, i).and_then(|code| codes.get(usize::try_from(code).ok()?));
                cells.push(code.copied().unwrap_or(MISSING));
                if code.is_none() {
                    *label = SKIP;
                }
            }
        }
    }

    /// The number columns in the order of the layout, where that is another one.
    fn numbers(&self, numbers: MatrixView<'_>, cells: &mut Vec<f64>) -> bool {
        let width = self.layout.numbers().len();
        if self.map.numbers.iter().enumerate().all(|(j, to)| *to == Some(j)) {
            return false;
        }
        cells.clear();
        cells.resize(numbers.rows() * width, f64::NAN);
        for (j, to) in self.map.numbers.iter().enumerate().filter_map(|(j, to)| to.map(|to| (j, to))) {
            (0..numbers.rows()).for_each(|i| cells[i * width + to] = numbers.get(i, j));
        }
        true
    }

    fn codes(&self, codes: CodesView<'_>, cells: &mut Vec<u32>) {
        let width = self.layout.codes().len();
        cells.clear();
        cells.resize(codes.rows() * width, MISSING);
        for (j, (to, levels)) in self.map.codes.iter().enumerate().filter_map(|(j, map)| map.as_ref().map(|map| (j, map))) {
            for i in 0..codes.rows() {
                let code = codes.get(i, j);
                cells[i * width + to] = levels.get(code as usize).map_or(code, |level| *level as u32);
            }
        }
    }
}

/// Where the column of a key lies in another layout, and the codes that its levels there have here.
fn key_map(from: &Layout, to: &Key) -> Result<(KeyPlace, Vec<u32>)> {
    let place = KeyPlace::find(from, to.role, &to.name)?;
    let levels = match place {
        KeyPlace::Key(at) => &from.keys()[at].levels,
        KeyPlace::Feature(_) => match &from.features()[from.index(&to.name)?].space {
            Space::Levels { levels, .. } => levels,
            _ => return Err(DataFault::new("is no column of levels").column(&to.name).accepted("it was one before").into()),
        },
    };
    Ok((place, level_places(&to.name, levels, &to.levels)?.into_iter().map(|code| code as u32).collect()))
}

/// Labels, codes, keys and numbers of a batch in their new places.
#[derive(Default)]
pub struct Moved {
    labels: Vec<u32>,
    codes: Vec<u32>,
    keys: Vec<u32>,
    cells: Vec<f64>,
}

/// A block of words that owns what it shows.
struct Words<'a> {
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
    present: Option<&'a [bool]>,
}

impl<'a> Words<'a> {
    fn of(block: &Csr<'a>, places: &[Option<usize>]) -> Self {
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for i in 0..block.rows() {
            let (words, counts) = block.row(i);
            for (word, count) in words.iter().zip(counts) {
                if let Some(Some(place)) = places.get(*word as usize) {
                    columns.push(*place as u32);
                    values.push(*count);
                }
            }
            starts.push(columns.len());
        }
        Words { starts, columns, values, present: block.present }
    }
}

impl MappedSource for AlignedSource<'_> {
    type Work = Moved;

    fn inner(&self) -> &dyn Source {
        self.inner
    }

    fn mapped_layout(&self) -> &Layout {
        &self.alignment.layout
    }

    fn map(&self, rows: Rows<'_>, moved: &mut Moved, sink: &mut dyn FnMut(Rows<'_>) -> Result<()>) -> Result<()> {
        let way = &*self.alignment;
        let Moved { labels, codes, keys, cells } = moved;
        labels.clear();
        renumber(rows.labels, &way.classes, labels)?;
        way.keys(&rows, labels, keys);
        let Features { numbers, codes: own_codes, words } = rows.features;
        way.codes(own_codes, codes);
        let numbers = match way.numbers(numbers, cells) {
            true => MatrixView::row_major(cells, numbers.rows(), way.layout.numbers().len())?,
            false => numbers,
        };
        let widths = way.layout.word_widths();
        let mut moved: Vec<Option<Words<'_>>> = widths.iter().map(|_| None).collect();
        for (block, (to, places)) in words.iter().zip(&way.map.words).filter_map(|(block, map)| Some((block, map.as_ref()?))) {
            moved[*to] = Some(Words::of(block, places));
        }
        let blocks = moved.iter().zip(&widths).map(|(words, width)| {
            let words = words.as_ref().ok_or_else(|| Error::internal("a text column is missing"))?;
            Ok(Csr { starts: &words.starts, columns: &words.columns, values: &words.values, width: *width, present: words.present })
        });
        let blocks = blocks.collect::<Result<Vec<_>>>()?;
        let codes = CodesView::row_major(codes, rows.labels.len(), way.layout.codes().len())?;
        let keys = CodesView::row_major(keys, rows.labels.len(), way.keys.len())?;
        sink(Rows { features: Features { numbers, codes, words: &blocks }, labels, keys, ..rows })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::testing::OneBatch;
    use crate::data::{Classes, Feature, Levels, Role, Vocabulary, Weighting, WordValue};

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    fn layout(features: Vec<Feature>, classes: &[&str]) -> Layout {
        Layout::new("y", features, Classes::new(texts(classes)).unwrap(), Weighting::None).unwrap()
    }

    fn words(words: &[&str]) -> Feature {
        Feature::words("text", Vocabulary::Listed(texts(words)), WordValue::Count)
    }

    fn category(levels: &[&str]) -> Feature {
        Feature::category("c", Levels::in_order(texts(levels)))
    }

    /// Two rows: numbers, a category and a text, with columns in an order of their own.
    fn site_rows(sink: &mut dyn FnMut(Rows<'_>) -> Result<()>) -> Result<()> {
        let block = Csr { starts: &[0, 2, 3], columns: &[0, 1, 1], values: &[1.0, 2.0, 3.0], width: 2, present: None };
        let features = Features {
            numbers: MatrixView::row_major(&[1.0, 10.0, 2.0, 20.0], 2, 2)?,
            codes: CodesView::row_major(&[1, MISSING], 2, 1)?,
            words: &[block],
        };
        sink(Rows::new(features, &[0, SKIP], None, 0))
    }

    fn site() -> OneBatch {
        let features = vec![Feature::number("a"), Feature::number("b"), category(&["x", "y"]), words(&["hot", "cold"])];
        OneBatch { layout: layout(features, &["yes"]), rows: 2, give: site_rows }
    }

    #[test]
    fn codes_words_and_classes_take_the_meaning_of_the_common_layout() {
        let site = site();
        let common = layout(
            vec![Feature::number("b"), category(&["w", "x", "y"]), words(&["cold", "warm", "hot"]), Feature::number("a")],
            &["no", "yes"],
        );
        let aligned = AlignedSource::new(&site, &common).unwrap();
        let mut seen = 0;
        aligned
            .scan(0, &mut |rows| {
                rows.features.check(&common)?;
                assert_eq!(rows.labels, [1, SKIP]);
                assert_eq!([rows.features.numbers.get(1, 0), rows.features.numbers.get(1, 1)], [20.0, 2.0]);
                assert_eq!([rows.features.codes.get(0, 0), rows.features.codes.get(1, 0)], [2, MISSING]);
                assert_eq!(rows.features.words[0].row(0), (&[2, 0][..], &[1.0, 2.0][..]));
                assert_eq!(rows.features.words[0].row(1), (&[0][..], &[3.0][..]));
                seen += 1;
                Ok(())
            })
            .unwrap();
        assert_eq!(seen, 1);
    }

    #[test]
    fn what_the_common_layout_does_not_have_is_named() {
        let refused = |features: Vec<Feature>, classes: &[&str]| match AlignedSource::new(&site(), &layout(features, classes)) {
            Ok(_) => panic!("accepted"),
            Err(error) => error.to_string(),
        };
        let missing = refused(vec![Feature::number("d")], &["yes"]);
        assert!(missing.contains("`d`") && missing.contains("the table has: a, b, c, text"), "{missing}");
        let level = refused(vec![category(&["x"])], &["yes"]);
        assert!(level.contains("`c`") && level.contains("`y`") || level.contains("\"y\""), "{level}");
        let class = refused(vec![category(&["x", "y"])], &["no"]);
        assert!(class.contains("yes"), "{class}");
        let kind = refused(vec![Feature::number("c")], &["yes"]);
        assert!(kind.contains("number column before"), "{kind}");
    }

    #[test]
    fn keys_are_found_beside_the_features_or_among_them() {
        let inner = site();
        let plain = layout(vec![Feature::number("a"), category(&["w", "y", "x"])], &["yes"]);
        let common = plain.keyed(&[("c".into(), Role::Cluster)]).unwrap();
        assert_eq!((common.names(), common.unkeyed().unwrap() == plain), (vec!["a".to_owned()], true));
        let aligned = AlignedSource::new(&inner, &common).unwrap();
        let again = AlignedSource::new(&aligned, &common).unwrap();
        for source in [&aligned as &dyn Source, &again] {
            let mut seen = Vec::new();
            let scanned = source.scan(0, &mut |rows| {
                rows.features.check(&common)?;
                seen.extend((0..2).map(|i| (rows.keys.get(i, 0), rows.labels[i])));
                Ok(())
            });
            assert!(scanned.is_ok());
            assert_eq!(seen, [(1, 0), (MISSING, SKIP)]);
        }
        let error = plain.keyed(&[("a".into(), Role::Stratum)]).unwrap_err().to_string();
        assert_eq!(error, "column `a`: is a number and cannot be the stratum; a column of levels");
    }
}
