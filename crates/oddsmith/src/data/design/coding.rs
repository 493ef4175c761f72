//! Which categories of a term get a column for every level, and which leave one level out.
//!
//! The rule is R's: a category in a term is coded by contrasts when the term without it is contained in an earlier term, or is
//! empty; otherwise by all its levels. Without an intercept the first category of the first term that has one gets all its
//! levels.

/// For every term and every variable in it, whether all levels get a column. `is_category` tells the kind of variables.
pub(super) fn full_codings(terms: &[Vec<usize>], is_category: &[bool], intercept: bool) -> Vec<Vec<bool>> {
    let contained = |at: usize, without: usize| {
        let rest = || terms[at].iter().filter(move |v| **v != without);
        rest().next().is_none() || terms[..at].iter().any(|earlier| rest().all(|v| earlier.binary_search(v).is_ok()))
    };
    let full = |at: usize| terms[at].iter().map(|&v| is_category[v] && !contained(at, v)).collect();
    let mut codings: Vec<Vec<bool>> = (0..terms.len()).map(full).collect();
    if !intercept {
        let first = terms.iter().enumerate().find_map(|(at, term)| Some((at, term.iter().position(|&v| is_category[v])?)));
        if let Some((term, position)) = first {
            codings[term][position] = true;
        }
    }
    codings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_category_without_its_margin_gets_all_levels() {
        // Variables: 0 and 1 are categories, 2 is a number.
        let kinds = [true, true, false];
        let codings = |terms: &[&[usize]], intercept| {
            let terms: Vec<Vec<usize>> = terms.iter().map(|t| t.to_vec()).collect();
            full_codings(&terms, &kinds, intercept)
        };
        assert_eq!(codings(&[&[0], &[1], &[0, 1]], true), [vec![false], vec![false], vec![false, false]]);
        assert_eq!(codings(&[&[0], &[0, 1]], true), [vec![false], vec![true, false]]);
        assert_eq!(codings(&[&[0, 1]], true), [vec![true, true]]);
        assert_eq!(codings(&[&[0, 2]], true), [vec![true, false]]);
        assert_eq!(codings(&[&[2], &[0, 2]], true), [vec![false], vec![false, false]]);
        assert_eq!(codings(&[&[2], &[0], &[1]], false), [vec![false], vec![true], vec![false]]);
        // R looks for containment, not for the margin itself.
        assert_eq!(codings(&[&[0, 2], &[0, 1]], true), [vec![true, false], vec![true, false]]);
    }
}
