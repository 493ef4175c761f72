//! Are the means of groups equal?
//!
//! ```text
//! two groups     t = (m1 − m2)/√(v1/n1 + v2/n2), df by Welch and Satterthwaite;   with equal variances Student's t, df N − 2
//! more, Welch    w = n/v, m = Σ w m_g/Σw, q = Σ (1 − w/Σw)²/(n − 1)
//!                F = Σ w (m_g − m)²/(k − 1) / (1 + 2 (k − 2) q/(k² − 1)),   df k − 1 and (k² − 1)/3q
//! more, equal    F = between/within of the analysis of variance, df k − 1 and N − k
//! ```

use super::GroupTest;
use crate::num::special::{f_ratio, student_t};
use crate::stats::Moment;

/// What is assumed of the variances of groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Variances {
    /// Nothing: Welch's tests.
    #[default]
    Unequal,
    /// That they are equal: Student's t and the analysis of variance.
    Equal,
}

/// The test of equal means of groups; groups without any value are no part of it.
pub fn means(groups: &[Moment], variances: Variances) -> GroupTest {
    let filled: Vec<Moment> = groups.iter().copied().filter(|group| group.weight > 0.0).collect();
    match (filled.len(), variances) {
        (0 | 1, _) => GroupTest::exact("", f64::NAN),
        (2, Variances::Unequal) => welch_t(filled[0], filled[1]),
        (_, Variances::Unequal) => welch_f(&filled),
        (_, Variances::Equal) => analysis_of_variance(&filled),
    }
}

fn variance(group: &Moment) -> f64 {
    group.squares / (group.weight - 1.0)
}

fn apart(a: &Moment, b: &Moment) -> f64 {
    (a.mean - b.mean) + (a.mean_low - b.mean_low)
}

fn welch_t(a: Moment, b: Moment) -> GroupTest {
    let [ea, eb] = [variance(&a) / a.weight, variance(&b) / b.weight];
    let statistic = apart(&a, &b) / (ea + eb).sqrt();
    let df = (ea + eb) * (ea + eb) / (ea * ea / (a.weight - 1.0) + eb * eb / (b.weight - 1.0));
    t_test("Welch's t-test", statistic, df)
}

fn t_test(name: &'static str, statistic: f64, df: f64) -> GroupTest {
    let known = statistic.is_finite() && df > 0.0;
    let p_value = if known { student_t::two_sided(statistic, df) } else { f64::NAN };
    GroupTest { name, statistic, df, df_within: f64::NAN, p_value }
}

fn welch_f(groups: &[Moment]) -> GroupTest {
    let k = groups.len() as f64;
    let weights: Vec<f64> = groups.iter().map(|group| group.weight / variance(group)).collect();
    let total: f64 = weights.iter().sum();
    // Means as distances from the first keep the digits that a large offset would take.
    let places: Vec<f64> = groups.iter().map(|group| apart(group, &groups[0])).collect();
    let middle = weights.iter().zip(&places).map(|(w, place)| w * place).sum::<f64>() / total;
    let q: f64 = weights.iter().zip(groups).map(|(w, group)| (1.0 - w / total).powi(2) / (group.weight - 1.0)).sum::<f64>() / (k * k - 1.0);
    let between: f64 = weights.iter().zip(&places).map(|(w, place)| w * (place - middle).powi(2)).sum();
    f_test("Welch's analysis of variance", between / ((k - 1.0) * (1.0 + 2.0 * (k - 2.0) * q)), k - 1.0, 1.0 / (3.0 * q))
}

fn analysis_of_variance(groups: &[Moment]) -> GroupTest {
    let all = groups.iter().fold(Moment::default(), |sum, group| sum.plus(*group));
    let within: f64 = groups.iter().map(|group| group.squares).sum();
    let (k, n) = (groups.len() as f64, all.weight);
    if let [a, b] = groups {
        let pooled = within / (n - 2.0);
        return t_test("Student's t-test", apart(a, b) / (pooled * (1.0 / a.weight + 1.0 / b.weight)).sqrt(), n - 2.0);
    }
    let mean = |group: &Moment| (group.mean - all.mean) + (group.mean_low - all.mean_low);
    let between: f64 = groups.iter().map(|group| group.weight * mean(group).powi(2)).sum();
    f_test("analysis of variance", (between / (k - 1.0)) / (within / (n - k)), k - 1.0, n - k)
}

fn f_test(name: &'static str, statistic: f64, df: f64, df_within: f64) -> GroupTest {
    let known = statistic.is_finite() && df_within > 0.0;
    GroupTest { name, statistic, df, df_within, p_value: if known { f_ratio::sf(statistic, df, df_within) } else { f64::NAN } }
}
