//! Which groups of levels are tried against the others.
//!
//! With two classes at the node, levels in the order of one class's proportion hold the best group for every concave impurity, so m levels give
//! m − 1 groups. With more classes all 2^(m−1) − 1 groups are tried up to ten levels; above that levels stand in the order of the first
//! principal component of their class proportions, which is a heuristic. The first level by name, or the end of the order that has it, is on
//! the left, so that neither the order of levels nor that of classes matters.

use std::cmp::Ordering;

/// Levels up to which all groups are tried.
const MOST_FOR_ALL: usize = 10;
/// Steps of the power iteration.
const STEPS: usize = 60;

/// Gives every group to `take`: places in `present` that go left, and the class weights there. `present` is in the order of names.
pub(super) fn each_group(present: &[(u8, Vec<u64>)], total: &[u64], mut take: impl FnMut(&[usize], &Vec<u64>)) {
    if present.len() < 2 {
        return;
    }
    let active: Vec<usize> = (0..total.len()).filter(|k| present.iter().any(|(_, counts)| counts[*k] > 0)).collect();
    match (active.len(), present.len()) {
        (..=2, _) => ordered(present, &by_proportion(present, active.last().copied().unwrap_or(0)), &mut take),
        (_, ..=MOST_FOR_ALL) => all(present, &mut take),
        _ => ordered(present, &by_component(present, &active), &mut take),
    }
}

/// Groups at the start of an order.
fn ordered(present: &[(u8, Vec<u64>)], order: &[usize], take: &mut impl FnMut(&[usize], &Vec<u64>)) {
    let mut left = vec![0; present[0].1.len()];
    for end in 1..order.len() {
        present[order[end - 1]].1.iter().zip(&mut left).for_each(|(count, sum)| *sum += count);
        take(&order[..end], &left);
    }
}

/// Places in rising order of something; equal ones by place. Of the two ends the one that has the lowest place comes first, so that what is turned
/// around has the same order.
pub(super) fn oriented(count: usize, compare: impl Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|a, b| compare(*a, *b).then(a.cmp(b)));
    let mut groups: Vec<&[usize]> = order.chunk_by(|a, b| compare(*a, *b) == Ordering::Equal).collect();
    if groups.last().map(|group| group[0]) < groups.first().map(|group| group[0]) {
        groups.reverse();
    }
    groups.concat()
}

/// All groups that hold the first level.
fn all(present: &[(u8, Vec<u64>)], take: &mut impl FnMut(&[usize], &Vec<u64>)) {
    let others = present.len() - 1;
    for mask in 0..(1usize << others) - 1 {
        let group: Vec<usize> = std::iter::once(0).chain((0..others).filter(|at| mask >> at & 1 == 1).map(|at| at + 1)).collect();
        let mut left = vec![0; present[0].1.len()];
        for at in &group {
            present[*at].1.iter().zip(&mut left).for_each(|(count, sum)| *sum += count);
        }
        take(&group, &left);
    }
}

/// Levels by the proportion of a class, compared without rounding; equal ones by name.
fn by_proportion(present: &[(u8, Vec<u64>)], class: usize) -> Vec<usize> {
    let of = |at: usize| (u128::from(present[at].1[class]), u128::from(present[at].1.iter().sum::<u64>()));
    oriented(present.len(), |a, b| {
        let ((own, all), (other, others)) = (of(a), of(b));
        (own * others).cmp(&(other * all))
    })
}

/// Levels by the first principal component of their class proportions, weighted by their weights.
fn by_component(present: &[(u8, Vec<u64>)], active: &[usize]) -> Vec<usize> {
    let weights: Vec<f64> = present.iter().map(|(_, counts)| counts.iter().sum::<u64>() as f64).collect();
    let shares: Vec<Vec<f64>> =
        present.iter().zip(&weights).map(|((_, counts), weight)| active.iter().map(|k| counts[*k] as f64 / weight).collect()).collect();
    let total: f64 = weights.iter().sum();
    let mean: Vec<f64> = (0..active.len()).map(|k| shares.iter().zip(&weights).map(|(p, w)| p[k] * w).sum::<f64>() / total).collect();
    let centred: Vec<Vec<f64>> = shares.iter().map(|p| p.iter().zip(&mean).map(|(p, m)| p - m).collect()).collect();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    // The level that lies farthest out is no right angle to the component.
    let size = |at: usize| weights[at] * dot(&centred[at], &centred[at]);
    let farthest = (0..present.len()).fold(0, |best, at| if size(at) > size(best) { at } else { best });
    let mut axis = centred[farthest].clone();
    for _ in 0..STEPS {
        let mut next = vec![0.0; axis.len()];
        for (point, weight) in centred.iter().zip(&weights) {
            let along = weight * dot(point, &axis);
            next.iter_mut().zip(point).for_each(|(sum, x)| *sum += along * x);
        }
        let norm = dot(&next, &next).sqrt();
        if norm == 0.0 {
            break;
        }
        axis = next.into_iter().map(|x| x / norm).collect();
    }
    let along: Vec<f64> = centred.iter().map(|point| dot(point, &axis)).collect();
    oriented(present.len(), |a, b| along[a].total_cmp(&along[b]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(present: &[(u8, Vec<u64>)]) -> Vec<(Vec<usize>, Vec<u64>)> {
        let classes = present[0].1.len();
        let total: Vec<u64> = (0..classes).map(|k| present.iter().map(|(_, counts)| counts[k]).sum()).collect();
        let mut all = Vec::new();
        each_group(present, &total, |group, left| all.push((group.to_vec(), left.clone())));
        all
    }

    #[test]
    fn two_classes_give_groups_along_one_order() {
        let present = vec![(1, vec![5, 5]), (2, vec![9, 1]), (3, vec![2, 8])];
        // Rising proportion of the second class is 1, 0, 2; the end that has the lower place comes first.
        assert_eq!(groups(&present), [(vec![1], vec![9, 1]), (vec![1, 0], vec![14, 6])]);
    }

    #[test]
    fn the_order_of_classes_does_not_change_the_groups() {
        let present = vec![(1, vec![5, 5]), (2, vec![9, 1]), (3, vec![2, 8]), (4, vec![1, 1])];
        // Levels that tie stand in the order of their names either way, and the same end comes first.
        let tied = vec![(1, vec![1, 3]), (2, vec![4, 0]), (3, vec![2, 2]), (4, vec![1, 3])];
        for present in [present, tied] {
            let swapped: Vec<(u8, Vec<u64>)> =
                present.iter().map(|(code, counts)| (*code, counts.iter().rev().copied().collect())).collect();
            let sides = |present: &[(u8, Vec<u64>)]| groups(present).into_iter().map(|(group, _)| group).collect::<Vec<_>>();
            assert_eq!(sides(&present), sides(&swapped));
        }
    }

    #[test]
    fn three_classes_try_every_group_once() {
        let present: Vec<(u8, Vec<u64>)> = (1..=4).map(|code| (code, vec![u64::from(code), 1, 2])).collect();
        assert_eq!(groups(&present).len(), 7);
        // Eleven levels in two clouds: the cut between the clouds is among those that are tried.
        let cloud = |code: u8| if code.is_multiple_of(2) { vec![20, 3, u64::from(code)] } else { vec![2, 18, u64::from(code)] };
        let many: Vec<(u8, Vec<u64>)> = (1..=11).map(|code| (code, cloud(code))).collect();
        let odd: Vec<usize> = (0..11).filter(|at| many[*at].0 % 2 == 1).collect();
        let found = groups(&many).into_iter().any(|(mut group, _)| {
            group.sort_unstable();
            group == odd || group == (0..11).filter(|at| !odd.contains(at)).collect::<Vec<_>>()
        });
        assert!(found);
    }
}
