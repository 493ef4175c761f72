//! A source whose last category columns are keys: they leave the features and travel beside them. A row without its key belongs
//! nowhere, so it does not count.

use super::{Features, Key, Layout, MISSING, MappedSource, Role, Rows, SKIP, Source, Space};
use crate::error::{Error, Result};

/// Rows of another source with some columns as keys. Nothing but labels is copied: the features are a narrower view of the same planes.
pub struct KeyedSource {
    inner: Box<dyn Source + Send>,
    layout: Layout,
    /// Category columns that stay features.
    codes: usize,
}

impl KeyedSource {
    /// The last features of `inner`, which must be categories, become keys with these roles.
    pub fn new(inner: Box<dyn Source + Send>, roles: &[Role]) -> Result<Self> {
        let all = inner.layout();
        let kept = all.features().len().checked_sub(roles.len()).ok_or_else(|| Error::internal("there are more keys than columns"))?;
        let mut keys = Vec::new();
        for (feature, role) in all.features()[kept..].iter().zip(roles) {
            let Space::Levels { levels, .. } = &feature.space else { return Err(Error::internal("a key is not a category")) };
            keys.push(Key { name: feature.name.clone(), role: *role, levels: levels.clone() });
        }
        let layout = all.select(&(0..kept).collect::<Vec<_>>())?.with_keys(keys);
        let codes = layout.codes().len();
        Ok(KeyedSource { inner, layout, codes })
    }
}

impl MappedSource for KeyedSource {
    type Work = Vec<u32>;

    fn inner(&self) -> &dyn Source {
        &*self.inner
    }

    fn mapped_layout(&self) -> &Layout {
        &self.layout
    }

    fn map(&self, rows: Rows<'_>, labels: &mut Vec<u32>, sink: &mut dyn FnMut(Rows<'_>) -> Result<()>) -> Result<()> {
        let (codes, keys) = rows.features.codes.split_columns(self.codes);
        // Where every row has its keys, labels stay where they are.
        if (0..keys.cols()).all(|key| keys.column(key).is_some_and(|codes| !codes.contains(&MISSING))) {
            return sink(Rows { features: Features { codes, ..rows.features }, keys, ..rows });
        }
        let keyless = |i: usize| (0..keys.cols()).any(|key| keys.get(i, key) == MISSING);
        labels.clear();
        labels.extend(rows.labels.iter().enumerate().map(|(i, label)| if keyless(i) { SKIP } else { *label }));
        sink(Rows { features: Features { codes, ..rows.features }, labels, keys, ..rows })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::testing::OneBatch;
    use crate::data::{Classes, CodesView, Feature, Levels, Weighting};
    use crate::num::MatrixView;

    /// Three rows: a number and two categories.
    fn three_rows(sink: &mut dyn FnMut(Rows<'_>) -> Result<()>) -> Result<()> {
        let numbers = MatrixView::row_major(&[1.0, 2.0, 3.0], 3, 1)?;
        let codes = [0, 7, 1, MISSING, 0, 9];
        let features = Features { numbers, codes: CodesView::row_major(&codes, 3, 2)?, words: &[] };
        sink(Rows::new(features, &[0, 1, SKIP], None, 0))
    }

    #[test]
    fn keys_leave_the_features_and_travel_beside_them() {
        let levels = |count: usize| Levels::sorted((0..count).map(|level| format!("{level:02}")).collect());
        let features = vec![Feature::number("age"), Feature::category("sex", levels(2)), Feature::category("patient", levels(10))];
        let classes = Classes::new(vec!["no".into(), "yes".into()]).unwrap();
        let layout = Layout::new("y", features, classes, Weighting::None).unwrap();
        let inner = OneBatch { layout, rows: 3, give: three_rows };
        let source = KeyedSource::new(Box::new(inner), &[Role::Group]).unwrap();
        assert_eq!(source.layout().names(), ["age", "sex"]);
        assert_eq!(source.layout().keys()[0].name, "patient");
        let mut seen = Vec::new();
        let scanned = source.scan(0, &mut |rows| {
            rows.features.check(source.layout())?;
            seen.extend((0..3).map(|i| (rows.features.codes.get(i, 0), rows.keys.get(i, 0), rows.labels[i])));
            Ok(())
        });
        assert!(scanned.is_ok());
        assert_eq!(seen, [(0, 7, 0), (1, MISSING, SKIP), (0, 9, SKIP)]);
    }
}
