//! A source seen with another target: classes in another order, or a response that stands in columns and not in a label.

use super::{Classes, Layout, MappedSource, Rows, SKIP, Source};
use crate::error::{Error, Result};

/// Rows of another source with other labels. Nothing but the labels is copied.
pub struct RelabelledSource {
    inner: Box<dyn Source + Send>,
    layout: Layout,
    labels: Labels,
}

/// Where the new labels come from.
enum Labels {
    /// New codes by old ones.
    Renumbered(Vec<u32>),
    /// Every row counts; what it says about the classes stands in its columns.
    InColumns,
}

impl RelabelledSource {
    /// The same rows with class `first` in front: the class that all others are compared with.
    pub fn with_first_class(inner: Box<dyn Source + Send>, first: &str) -> Result<Self> {
        let layout = inner.layout();
        let first = layout.classes().index(first)?;
        let old = layout.classes().labels();
        let order: Vec<usize> = std::iter::once(first).chain((0..old.len()).filter(|k| *k != first)).collect();
        let classes = Classes::new(order.iter().map(|k| old[*k].clone()).collect())?;
        let mut codes = vec![SKIP; old.len()];
        order.iter().enumerate().for_each(|(new, old)| codes[*old] = new as u32);
        let layout = with_target(layout, layout.target(), classes)?;
        Ok(RelabelledSource { layout, inner, labels: Labels::Renumbered(codes) })
    }

    /// Rows without a label whose columns say how they are shared among `classes`.
    pub fn with_response_in_columns(inner: Box<dyn Source + Send>, target: &str, classes: Classes) -> Result<Self> {
        let layout = with_target(inner.layout(), target, classes)?;
        Ok(RelabelledSource { layout, inner, labels: Labels::InColumns })
    }
}

fn with_target(layout: &Layout, target: &str, classes: Classes) -> Result<Layout> {
    Ok(Layout::new(target, layout.features().to_vec(), classes, layout.weighting())?.with_keys(layout.keys().to_vec()))
}

/// Adds the new codes of labels, given by their old ones.
pub(super) fn renumber(labels: &[u32], codes: &[u32], into: &mut Vec<u32>) -> Result<()> {
    for label in labels {
        into.push(match *label {
            SKIP => SKIP,
            label => *codes.get(label as usize).ok_or_else(|| Error::internal("a label is the code of no class"))?,
        });
    }
    Ok(())
}

impl MappedSource for RelabelledSource {
    type Work = Vec<u32>;

    fn inner(&self) -> &dyn Source {
        &*self.inner
    }

    fn mapped_layout(&self) -> &Layout {
        &self.layout
    }

    fn map(&self, rows: Rows<'_>, labels: &mut Vec<u32>, sink: &mut dyn FnMut(Rows<'_>) -> Result<()>) -> Result<()> {
        labels.clear();
        match &self.labels {
            Labels::InColumns => labels.resize(rows.labels.len(), 0),
            Labels::Renumbered(codes) => renumber(rows.labels, codes, labels)?,
        }
        sink(Rows { labels, ..rows })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::testing::OneBatch;
    use crate::data::{Feature, Features, Weighting};
    use crate::num::MatrixView;

    /// Three rows of one number.
    fn numbered_rows(sink: &mut dyn FnMut(Rows<'_>) -> Result<()>) -> Result<()> {
        let features = Features::of_numbers(MatrixView::row_major(&[1.0, 2.0, 3.0], 3, 1)?);
        sink(Rows::new(features, &[0, 2, SKIP], None, 0))
    }

    fn pair() -> Box<OneBatch> {
        let classes = Classes::new(["a", "b", "c"].map(String::from).to_vec()).unwrap();
        let layout = Layout::new("y", vec![Feature::number("x")], classes, Weighting::None).unwrap();
        Box::new(OneBatch { layout, rows: 3, give: numbered_rows })
    }

    fn labels(source: &RelabelledSource) -> Vec<u32> {
        let mut seen = Vec::new();
        source
            .scan(0, &mut |rows| {
                seen.extend_from_slice(rows.labels);
                Ok(())
            })
            .unwrap();
        seen
    }

    #[test]
    fn the_chosen_class_comes_first_and_the_others_keep_their_order() {
        let source = RelabelledSource::with_first_class(pair(), "c").unwrap();
        assert_eq!(source.layout().classes().labels(), ["c", "a", "b"]);
        assert_eq!(labels(&source), [1, 0, SKIP]);
        assert!(RelabelledSource::with_first_class(pair(), "d").is_err());
    }

    #[test]
    fn a_response_in_columns_leaves_no_row_without_a_label() {
        let classes = Classes::new(vec!["no".into(), "yes".into()]).unwrap();
        let source = RelabelledSource::with_response_in_columns(pair(), "proportions", classes).unwrap();
        assert_eq!((source.layout().target(), labels(&source)), ("proportions", vec![0, 0, 0]));
    }
}
