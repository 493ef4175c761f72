//! Descriptions, scans of confounders and of subgroups from rows: against R, in pieces, weighted, and between places.

use oddsmith::card::{Card, Cell, Table};
use oddsmith::data::{Kind, Layout, Source, Weighting};
use serde_json::Value;

use super::support::{Csv, Frame, Golden, RowByRow, close, same_digits};
use super::{Study, options, run};

const COLUMNS: [(&str, Kind); 7] = [
    ("age", Kind::Number),
    ("lwt", Kind::Number),
    ("race", Kind::Category),
    ("smoke", Kind::Category),
    ("ptl", Kind::Category),
    ("ht", Kind::Category),
    ("ftv", Kind::Category),
];

fn births() -> Csv {
    Csv::load(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/golden/data/birthwt_factors.csv"))
}

/// The rows of a table in which columns have these values.
fn rows<'a>(table: &'a Table, having: &[(&str, &str)]) -> Vec<&'a Vec<Cell>> {
    let fits = |row: &&Vec<Cell>| {
        having.iter().all(|(column, value)| {
            let cell = &row[table.position(column).unwrap()];
            if value.is_empty() { *cell == Cell::Empty } else { *cell == Cell::from(*value) }
        })
    };
    table.rows().iter().filter(fits).collect()
}

fn number(table: &Table, having: &[(&str, &str)], column: &str) -> f64 {
    let found = rows(table, having);
    assert_eq!(found.len(), 1, "{having:?}");
    match &found[0][table.position(column).unwrap()] {
        Cell::Number(value) | Cell::PValue(value) => *value,
        Cell::Count(count) => *count as f64,
        other => panic!("{having:?} {column}: {other:?}"),
    }
}

fn described(source: &dyn Source, given: &[(&str, &str)]) -> Card {
    run(&options("describe", given), source, 2).unwrap()
}

/// R 4.2.2: means, deviations, quantiles, tests and standardised differences of every column by group.
#[test]
fn a_description_is_rs() {
    let golden = Golden::load("describe_r");
    for (by, part, labels) in [("low", "by_low", vec!["no", "yes"]), ("race", "by_race", vec!["black", "other", "white"])] {
        let columns: Vec<(&str, Kind)> = COLUMNS.into_iter().filter(|(name, _)| *name != by).collect();
        let frame = Frame::new(&births(), by, &columns);
        let card = described(&frame.source(), &[]);
        let equal = described(&frame.source(), &[("equal-variances", "true")]);
        for name in ["age", "lwt"] {
            let at = |path: &str| golden.numbers(&format!("results/{part}/{name}/{path}"));
            for (k, label) in labels.iter().enumerate() {
                let having = [("term", name), ("group", *label)];
                same_digits(number(&card.tidy, &having, "mean"), at("mean")[k], 1e-12);
                same_digits(number(&card.tidy, &having, "std_dev"), at("sd")[k], 1e-11);
                for (q, column) in ["min", "quartile_1", "median", "quartile_3", "max"].into_iter().enumerate() {
                    same_digits(number(&card.tidy, &having, column), at("quantiles")[5 * k + q], 1e-12);
                }
            }
            let all = [("term", name), ("group", "")];
            same_digits(number(&card.tidy, &all, "mean"), at("all")[0], 1e-12);
            same_digits(number(&card.tidy, &all, "median"), at("all")[4], 1e-12);
            let tests = &card.tables[0];
            let found = rows(tests, &[("term", name)]);
            assert_eq!(found.len(), 2);
            for (row, expected) in found.iter().zip([at_or_nan(&golden, part, name, "welch"), at_or_nan(&golden, part, name, "ranks")]) {
                let cell = |column: &str| match &row[tests.position(column).unwrap()] {
                    Cell::Number(x) | Cell::PValue(x) => *x,
                    _ => f64::NAN,
                };
                close(cell("statistic"), expected[0], 1e-9);
                close(cell("p_value"), expected[3], 1e-9);
                same_digits(cell("std_difference"), golden.number(&format!("results/{part}/{name}/difference")), 1e-10);
            }
            let expected = at_or_nan(&golden, part, name, "equal");
            let row = rows(&equal.tables[0], &[("term", name)])[0];
            let Cell::PValue(p) = row[equal.tables[0].position("p_value").unwrap()] else { panic!("no p-value") };
            same_digits(p, expected[3], 1e-9);
        }
        for name in ["smoke", "ht", "ptl"] {
            let counts = golden.numbers(&format!("results/{part}/{name}/counts"));
            let levels: Vec<String> = (0..counts.len() / labels.len()).map(|level| level.to_string()).collect();
            for (level, text) in levels.iter().enumerate() {
                for (k, label) in labels.iter().enumerate() {
                    let having = [("term", name), ("level", text.as_str()), ("group", *label)];
                    let count = counts[level * labels.len() + k];
                    assert_eq!(number(&card.tidy, &having, "n"), count);
                    let whole: f64 = counts.iter().skip(k).step_by(labels.len()).sum();
                    same_digits(number(&card.tidy, &having, "percent"), 100.0 * count / whole, 1e-12);
                }
            }
            let fisher = golden.number(&format!("results/{part}/{name}/expected")) < 5.0;
            let expected =
                if fisher { golden.number(&format!("results/{part}/{name}/fisher")) } else { at_or_nan(&golden, part, name, "pearson")[3] };
            let tests = &card.tables[0];
            same_digits(number(tests, &[("term", name)], "p_value"), expected, 1e-7);
            same_digits(
                number(tests, &[("term", name)], "std_difference"),
                golden.number(&format!("results/{part}/{name}/difference")),
                1e-9,
            );
        }
    }
}

fn at_or_nan(golden: &Golden, part: &str, name: &str, what: &str) -> Vec<f64> {
    let list = golden.at(&format!("results/{part}/{name}/{what}")).as_array().unwrap();
    list.iter().map(|x: &Value| x.as_f64().unwrap_or(f64::NAN)).collect()
}

/// Pieces, threads, weights and places change nothing.
#[test]
fn a_description_of_pieces_is_that_of_the_whole() {
    let csv = births();
    let mut frame = Frame::new(&csv, "low", &COLUMNS);
    let whole = described(&frame.source(), &[]);
    let cut = run(&options("describe", &[]), &RowByRow(&frame), 5).unwrap();
    assert_eq!(cut.tables.len(), 1);
    for (a, b) in whole.tidy.rows().iter().zip(cut.tidy.rows()) {
        for (a, b) in a.iter().zip(b) {
            match (a, b) {
                (Cell::Number(a), Cell::Number(b)) => same_digits(*a, *b, 1e-12),
                (a, b) => assert_eq!(a, b),
            }
        }
    }
    // A row of weight 2 is the row twice.
    let twice = Csv { names: csv.names.clone(), rows: csv.rows.iter().chain(&csv.rows).cloned().collect() };
    let doubled = described(&Frame::new(&twice, "low", &COLUMNS).source(), &[]);
    frame.weights = Some(vec![2.0; frame.rows()]);
    let weighted = described(&frame.source(), &[]);
    for name in ["age", "smoke"] {
        let p = |card: &Card| rows(&card.tables[0], &[("term", name)])[0].clone();
        for (a, b) in p(&doubled).iter().zip(&p(&weighted)) {
            match (a, b) {
                (Cell::Number(a) | Cell::PValue(a), Cell::Number(b) | Cell::PValue(b)) => same_digits(*a, *b, 1e-10),
                (a, b) => assert_eq!(a, b),
            }
        }
    }
    // Between places that keep their rows.
    let (first, second) = csv.rows.split_at(70);
    let place = |rows: &[Vec<String>]| -> Box<dyn Source + Send> {
        let part = Csv { names: csv.names.clone(), rows: rows.to_vec() };
        let frame: &'static Frame = Box::leak(Box::new(Frame::new(&part, "low", &COLUMNS)));
        Box::new(frame.source())
    };
    let study = Study { target: Some("low".into()), ..Study::of(&options("describe", &[])) };
    let card = super::in_rounds(study, &[place(first), place(second)]);
    for (a, b) in whole.tables[0].rows().iter().zip(card.tables[0].rows()) {
        assert_eq!(a[..2], b[..2]);
        if let (Cell::PValue(a), Cell::PValue(b)) = (&a[5], &b[5]) {
            same_digits(*a, *b, 1e-9);
        }
    }
}

#[test]
fn gaps_are_counted_and_no_part_of_percentages() {
    let csv = super::csv("g,x,c", "a,1.5,u\na,NA,u\nb,2.5,NA\nb,7,v\nb,3,u\n");
    let frame = Frame::new(&csv, "g", &[("x", Kind::Number), ("c", Kind::Category)]);
    let card = described(&frame.source(), &[("no-tests", "true")]);
    assert_eq!(number(&card.tidy, &[("term", "x"), ("group", "a")], "missing"), 1.0);
    assert_eq!(number(&card.tidy, &[("term", "c"), ("level", "u"), ("group", "b")], "percent"), 50.0);
    assert_eq!(number(&card.tidy, &[("term", "c"), ("level", "u"), ("group", "b")], "missing"), 1.0);
    // One value has no spread; a test of it has no answer.
    let position = card.tidy.position("std_dev").unwrap();
    assert_eq!(rows(&card.tidy, &[("term", "x"), ("group", "a")])[0][position], Cell::Empty);
}

/// Sampling weights have no unit: mean and spread are those of shares, with as many rows as would tell as much, (Σw)²/Σw².
#[test]
fn sampling_weights_leave_the_effective_number_of_rows() {
    let csv = super::csv("g,x", "a,1.5\na,4\na,2.25\nb,2.5\nb,7\nb,3\nb,9.5\n");
    let mut frame = Frame::new(&csv, "g", &[("x", Kind::Number)]);
    let (x, weights) = ([1.5, 4.0, 2.25], [3.0, 1.0, 0.5]);
    frame.weights = Some(weights.into_iter().chain([2.0, 1.0, 4.0, 1.5]).collect());
    frame.layout = Layout::new("g", frame.layout.features().to_vec(), frame.layout.classes().clone(), Weighting::Sampling).unwrap();
    let total: f64 = weights.iter().sum();
    let mean = weights.iter().zip(x).map(|(w, x)| w * x).sum::<f64>() / total;
    let rows = total * total / weights.iter().map(|w| w * w).sum::<f64>();
    let spread = weights.iter().zip(x).map(|(w, x)| w * (x - mean) * (x - mean)).sum::<f64>() / total;
    for unit in [1.0, 1000.0] {
        frame.weights.iter_mut().flatten().for_each(|weight| *weight *= unit);
        let card = described(&frame.source(), &[]);
        same_digits(number(&card.tidy, &[("term", "x"), ("group", "a")], "mean"), mean, 1e-14);
        same_digits(number(&card.tidy, &[("term", "x"), ("group", "a")], "std_dev"), (spread * rows / (rows - 1.0)).sqrt(), 1e-13);
        let p_value = card.tables[0].position("p_value").unwrap();
        assert!(card.tables[0].rows().iter().all(|row| row[p_value] == Cell::Empty), "tests need a number of rows");
    }
}

/// Every pair is the table of strata of the same columns.
#[test]
fn a_scan_has_the_numbers_of_each_table_of_strata() {
    let columns = [("smoke", Kind::Category), ("race", Kind::Category), ("ht", Kind::Category), ("age", Kind::Number)];
    let frame = Frame::new(&births(), "low", &columns);
    let scan = run(&options("confounding", &[("exposure", "smoke")]), &frame.source(), 2).unwrap();
    assert_eq!(scan.tidy.rows().len(), 3);
    for by in ["race", "ht"] {
        let card = run(&options("table", &[("exposure", "smoke"), ("strata", by)]), &frame.source(), 1).unwrap();
        let of = |method: &str| number(&card.tidy, &[("measure", "odds ratio"), ("method", method)], "estimate");
        let having = [("candidate", by)];
        same_digits(number(&scan.tidy, &having, "crude"), of("crude"), 1e-12);
        same_digits(number(&scan.tidy, &having, "conditional"), of("Mantel–Haenszel"), 1e-12);
        same_digits(number(&scan.tidy, &having, "marginal"), of("standardised (marginal)"), 1e-12);
        close(number(&scan.tidy, &having, "confounding"), (of("crude") / of("standardised (marginal)")).ln(), 1e-12);
    }
    // The largest first; pieces change nothing.
    let changes: Vec<f64> = ["race", "age", "ht"].map(|by| number(&scan.tidy, &[("candidate", by)], "confounding").abs()).to_vec();
    assert!(changes[0] > changes[1].max(changes[2]) && scan.tidy.rows()[0][1] == "race".into());
    let cut = run(&options("confounding", &[("exposure", "smoke")]), &RowByRow(&frame), 3).unwrap();
    assert_eq!(cut.tidy, scan.tidy);
    let error = run(&options("confounding", &[("exposure", "race")]), &frame.source(), 1).unwrap_err().to_string();
    assert!(error.contains("3 levels") && error.contains("race"), "{error}");
    // An odds ratio within strata that is known from glm: one intercept for every race.
    let card = run(&options("table", &[("exposure", "smoke"), ("strata", "race")]), &frame.source(), 1).unwrap();
    let golden = Golden::load("strata_r").numbers("results/births");
    let having = [("measure", "odds ratio"), ("method", "logistic, stratum intercepts")];
    same_digits(number(&card.tidy, &having, "estimate"), golden[0].exp(), 1e-9);
    same_digits(number(&card.tidy, &having, "std_error"), golden[1], 1e-9);
}

/// Rows in which the exposure works for one level of one column only, beside columns of noise.
fn planted(rows: u64, effect: f64) -> Csv {
    let mut state = 7u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut lines = String::new();
    for _ in 0..rows {
        let (g, n1, n2, x) = (random() < 0.4, random() < 0.5, (random() * 3.0) as u32, random() < 0.5);
        let risk = if g && x { 0.3 + effect } else { 0.3 };
        lines.push_str(&format!("{},{},{},{},{}\n", u8::from(random() < risk), u8::from(x), u8::from(g), u8::from(n1), n2));
    }
    super::csv("y,x,g,n1,n2", &lines)
}

const PLANTED: [(&str, Kind); 4] = [("x", Kind::Category), ("g", Kind::Category), ("n1", Kind::Category), ("n2", Kind::Category)];

#[test]
fn a_search_finds_what_was_planted_and_the_other_half_confirms_it() {
    let frame = Frame::new(&planted(1200, 0.45), "y", &PLANTED);
    let params = options("subgroups", &[("exposure", "x"), ("permutations", "199")]);
    let card = run(&params, &frame.source(), 1).unwrap();
    let first = &card.tidy.rows()[0];
    let Cell::Text(name) = &first[0] else { panic!("no name") };
    assert!(name.contains("g = 1"), "{name}");
    let at = |column: &str| match &first[card.tidy.position(column).unwrap()] {
        Cell::Number(x) | Cell::PValue(x) => *x,
        other => panic!("{column}: {other:?}"),
    };
    // No deal reaches it: the least p-value that 199 deals can give.
    assert_eq!(at("p_max_t"), 1.0 / 200.0);
    assert!(at("odds_ratio_held_out") > 3.0 && at("held_out_low") > 1.0 && at("p_held_out") < 0.01);
    // The order of rows, batches and threads change nothing; another seed deals anew.
    let mut reversed = planted(1200, 0.45);
    reversed.rows.reverse();
    let again = run(&params, &RowByRow(&Frame::new(&reversed, "y", &PLANTED)), 4).unwrap();
    assert_eq!(again.tidy, card.tidy);
    let other = run(&options("subgroups", &[("exposure", "x"), ("permutations", "199"), ("seed", "2")]), &frame.source(), 1).unwrap();
    assert_ne!(other.tidy, card.tidy);
}

/// Where there is nothing to find, a p-value among all groups is small as seldom as it says: 40 searches, of which 2 are expected below 0.05.
#[test]
fn p_values_of_a_search_know_how_many_groups_were_looked_at() {
    let all = planted(40 * 240, 0.0);
    let (mut small, mut naive) = (0, 0);
    for part in all.rows.chunks(240) {
        let csv = Csv { names: all.names.clone(), rows: part.to_vec() };
        let params = options("subgroups", &[("exposure", "x"), ("permutations", "99"), ("least", "10")]);
        let card = run(&params, &Frame::new(&csv, "y", &PLANTED).source(), 1).unwrap();
        let at = |column: &str| match &card.tidy.rows()[0][card.tidy.position(column).unwrap()] {
            Cell::PValue(p) => *p,
            other => panic!("{other:?}"),
        };
        small += u32::from(at("p_max_t") <= 0.05);
        naive += u32::from(at("p_value") <= 0.05);
    }
    // Binomial(40, 0.05): more than 7 has a probability below 0.002.
    assert!(small <= 7, "{small}");
    assert!(naive >= 10, "{naive}");
}
