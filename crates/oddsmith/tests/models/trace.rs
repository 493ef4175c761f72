//! The steps of a search are those of the textbook: loss and slopes by their formulas, steps by their rules, from the start that was given to
//! the estimate.

use oddsmith::card::{Cell, Table};
use oddsmith::prelude::*;
use oddsmith::train::{Trace, conclude_traced};

/// Rows of two columns and their classes.
struct Sheet {
    layout: Layout,
    cells: Vec<f64>,
    labels: Vec<u32>,
}

impl Sheet {
    fn new(names: [&str; 2], classes: &[&str], rows: &[([f64; 2], u32)]) -> Self {
        let classes = Classes::new(classes.iter().map(|label| label.to_string()).collect()).unwrap();
        let features = names.map(Feature::number).to_vec();
        let layout = Layout::new("y", features, classes, Weighting::None).unwrap();
        Sheet { layout, cells: rows.iter().flat_map(|(x, _)| *x).collect(), labels: rows.iter().map(|(_, y)| *y).collect() }
    }

    /// Rows whose classes overlap, in columns of very different size.
    fn overlapping() -> Self {
        let rows: Vec<([f64; 2], u32)> = (0..40u32)
            .map(|i| {
                let (u, v) = (f64::from(i * 7 % 11), f64::from(i * 5 % 13));
                ([u, 100.0 + 20.0 * v], u32::from((u - 5.0) * 0.3 + (v - 6.0) * 0.2 + f64::from(i % 5) - 2.0 > 0.0))
            })
            .collect();
        Sheet::new(["u", "v"], &["no", "yes"], &rows)
    }

    fn source(&self) -> ViewSource<'_> {
        let rows = Features::of_numbers(MatrixView::row_major(&self.cells, self.labels.len(), 2).unwrap());
        ViewSource::new(&self.layout, rows, &self.labels, None).unwrap()
    }

    fn traced(&self, model: &str) -> (Box<dyn Classifier>, Table) {
        let (entry, params) = registry::parse(model).unwrap();
        let mut trace = Trace::default();
        let fitted = conclude_traced(&(entry.build)(&params).unwrap(), &self.source(), None, &Control::new(), &mut trace).unwrap();
        (fitted.model, trace.table())
    }

    /// Mean log loss of a line, and its slopes for the constant and both columns.
    fn by_hand(&self, line: &[f64]) -> (f64, [f64; 3]) {
        let (mut loss, mut slopes) = (0.0, [0.0; 3]);
        for (x, label) in self.cells.chunks_exact(2).zip(&self.labels) {
            let h = line[0] + line[1] * x[0] + line[2] * x[1];
            let p = 1.0 / (1.0 + (-h).exp());
            let y = f64::from(*label);
            loss -= y * p.ln() + (1.0 - y) * (1.0 - p).ln();
            [1.0, x[0], x[1]].iter().zip(&mut slopes).for_each(|(x, slope)| *slope += (p - y) * x);
        }
        let rows = self.labels.len() as f64;
        (loss / rows, slopes.map(|slope| slope / rows))
    }
}

/// The cells of a column as numbers; NaN for empty ones.
fn numbers(table: &Table, name: &str) -> Vec<f64> {
    let number = |cell: &Cell| match cell {
        Cell::Number(number) => *number,
        Cell::Count(count) => *count as f64,
        _ => f64::NAN,
    };
    table.column(name).unwrap().map(number).collect()
}

/// Estimates, slopes and loss of every step.
fn steps(table: &Table, parameters: usize) -> Vec<(Vec<f64>, Vec<f64>, f64)> {
    let (estimates, slopes, losses) = (numbers(table, "estimate"), numbers(table, "gradient"), numbers(table, "loss"));
    let each = estimates.chunks(parameters).zip(slopes.chunks(parameters)).zip(losses.chunks(parameters));
    each.map(|((estimates, slopes), losses)| (estimates.to_vec(), slopes.to_vec(), losses[0])).collect()
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * (1.0 + b.abs())
}

#[test]
fn loss_and_slopes_are_those_of_the_formulas_at_every_step() {
    let sheet = Sheet::overlapping();
    for model in ["logistic(start=u=0.2)", "logistic(solver=gradient,rate=0.5,max-steps=30)", "logistic"] {
        let (fitted, table) = sheet.traced(model);
        let steps = steps(&table, 3);
        assert!(steps.len() > 2, "{model}: {} steps", steps.len());
        for (line, slopes, loss) in &steps {
            let (wanted, by_hand) = sheet.by_hand(line);
            assert!(close(*loss, wanted, 1e-12), "{model}: {loss} and {wanted}");
            slopes.iter().zip(by_hand).for_each(|(slope, hand)| assert!(close(*slope, hand, 1e-9), "{model}: {slope} and {hand}"));
        }
        assert!(steps.windows(2).all(|pair| pair[1].2 <= pair[0].2 + 1e-12), "{model}: the loss rose");
        let weights = fitted.linear().unwrap().weights(&sheet.layout);
        let last = &steps.last().unwrap().0;
        weights.iter().zip(last).for_each(|(weight, last)| assert!(close(weight.values[1], *last, 1e-8), "{model}: {last}"));
    }
    let (_, table) = sheet.traced("logistic(start=u=0.2)");
    assert_eq!(numbers(&table, "estimate")[..3].iter().map(|x| (x * 1e12).round() / 1e12).collect::<Vec<_>>(), [0.0, 0.2, 0.0]);
}

#[test]
fn steps_in_columns_as_they_are_go_against_the_slope() {
    // x = 0, 1, 2, 3 with y = 0, 1, 0, 1: from zero the slopes are 0 and −¼.
    let rows: Vec<([f64; 2], u32)> = (0..4u32).map(|x| ([f64::from(x), 0.0], x % 2)).collect();
    let sheet = Sheet::new(["x", "constant"], &["no", "yes"], &rows);
    let (_, table) = sheet.traced("logistic(solver=gradient,rate=1,descent-units=columns,start=x=0,max-steps=5)");
    let steps = steps(&table, 2);
    assert_eq!(steps.len(), 6);
    assert!(close(steps[0].2, std::f64::consts::LN_2, 1e-15) && close(steps[0].1[1], -0.25, 1e-15) && steps[0].1[0].abs() < 1e-15);
    for pair in steps.windows(2) {
        for at in 0..2 {
            assert!(close(pair[1].0[at], pair[0].0[at] - pair[0].1[at], 1e-13), "{pair:?}");
        }
    }
}

#[test]
fn a_softmax_step_with_a_line_for_every_class() {
    // One row (2, 1) of the first class, weights [[1, 0, −1], [0, 1, 1]]: p = softmax(2, 1, −1), Θ − x (p − y)ᵀ.
    let sheet = Sheet::new(["x1", "x2"], &["cat", "dog", "fish"], &[([2.0, 1.0], 0), ([0.0, 0.0], 1), ([0.0, 0.0], 2)]);
    let start = "cat.x1=1,dog.x1=0,fish.x1=-1,cat.x2=0,dog.x2=1,fish.x2=1";
    let (entry, params) = registry::parse("logistic(l2=1e-9,solver=gradient,rate=3,descent-units=columns,max-steps=1)").unwrap();
    let params = params.with("start", start).unwrap();
    let params = params.with_formula(Some(oddsmith::data::Formula::parse("y ~ x1 + x2 - 1").unwrap())).unwrap();
    let mut trace = Trace::default();
    conclude_traced(&(entry.build)(&params).unwrap(), &sheet.source(), None, &Control::new(), &mut trace).unwrap();
    let steps = steps(&trace.table(), 6);
    let exponentials = [2f64.exp(), 1f64.exp(), (-1f64).exp()];
    let total: f64 = exponentials.iter().sum();
    let p = exponentials.map(|e| e / total);
    let theta = [[1.0, 0.0], [0.0, 1.0], [-1.0, 1.0]];
    assert!(close(3.0 * steps[0].2, -p[0].ln() + 2.0 * 3f64.ln(), 1e-8));
    for k in 0..3 {
        let miss = p[k] - f64::from(u8::from(k == 0));
        for (j, x) in [2.0, 1.0].into_iter().enumerate() {
            let at = 2 * k + j;
            assert!(close(steps[0].0[at], theta[k][j], 1e-12), "start {k} {j}: {}", steps[0].0[at]);
            assert!(close(3.0 * steps[0].1[at], x * miss, 1e-7), "slope {k} {j}: {}", steps[0].1[at]);
            assert!(close(steps[1].0[at], theta[k][j] - x * miss, 1e-7), "step {k} {j}: {}", steps[1].0[at]);
        }
    }
}

#[test]
fn every_model_that_searches_tells_its_steps_and_ends_as_without() {
    let sheet = Sheet::overlapping();
    let (mut searched, mut others) = (0, 0);
    for entry in registry::MODELS {
        let Ok(learner) = (entry.build)(&entry.defaults()) else { continue };
        let Ok(plain) = fit(&learner, &sheet.source(), None, &Control::new()) else { continue };
        let mut trace = Trace::default();
        let fitted = conclude_traced(&learner, &sheet.source(), None, &Control::new(), &mut trace).unwrap();
        assert_eq!(trace.is_empty(), !learner.searches_any(), "{}", entry.name);
        assert_eq!(fitted.model.card().tidy, plain.model.card().tidy, "{}", entry.name);
        let table = trace.table();
        assert!(numbers(&table, "estimate").iter().all(|value| value.is_finite()), "{}", entry.name);
        if learner.searches_any() {
            searched += 1;
            assert!(numbers(&table, "loss").iter().any(|loss| loss.is_finite()), "{}", entry.name);
        } else {
            others += 1;
        }
    }
    assert!(searched >= 5 && others >= 5, "{searched} and {others}");
}

#[test]
fn other_ways_of_searching_are_told_as_well() {
    let sheet = Sheet::overlapping();
    for (model, searches) in
        [("logistic(firth=true)", 1), ("logistic(l1=0.5)", 1), ("one-vs-rest", 2), ("network(hidden=none,decay=0.1)", 1)]
    {
        let (_, table) = sheet.traced(model);
        let losses = numbers(&table, "loss");
        assert!(losses.len() > 3 * searches && losses.first() > losses.last(), "{model}: {losses:?}");
    }
    // Epochs know where they start; the loss is looked at only where they end.
    let (_, table) = sheet.traced("logistic(solver=sgd,max-steps=4)");
    let losses = numbers(&table, "loss");
    assert!(losses[..3].iter().all(|loss| loss.is_nan()) && losses.last().unwrap().is_finite(), "{losses:?}");
}

#[test]
fn starts_that_name_nothing_are_refused_with_what_there_is() {
    let sheet = Sheet::overlapping();
    for (start, wanted) in [("w=1", "`(intercept)`, `u`, `v`"), ("u=x", "pairs of a parameter and a number"), ("maybe.u=1", "`u`")] {
        let (entry, params) = registry::parse("logistic").unwrap();
        let params = params.with("start", start).unwrap();
        let fitted = (entry.build)(&params).and_then(|learner| fit(&learner, &sheet.source(), None, &Control::new()).map(|_| ()));
        let told = fitted.unwrap_err().to_string();
        assert!(told.contains(wanted), "{start}: {told}");
    }
    let told = registry::parse("logistic(descent-units=columns)").and_then(|(entry, params)| (entry.build)(&params).map(|_| ()));
    assert!(told.unwrap_err().to_string().contains("gradient"));
}
