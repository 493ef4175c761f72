//! Tables and matched sets from rows: against R and against other programs, in pieces, and between places.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[path = "../support/mod.rs"]
mod support;

mod groups;
mod matched;

use std::num::NonZeroUsize;

use oddsmith::card::{Card, Cell};
use oddsmith::control::Control;
use oddsmith::data::{Formula, KeyedSource, Kind, Role, Source};
use oddsmith::error::ErrorKind;
use oddsmith::model::{Conclusion, Params};
use oddsmith::registry;
use oddsmith::train::{Advance, Round, Study, conclude};
use support::{Csv, Frame, Golden, RowByRow, close, same_digits};

/// The options of an analysis.
fn options(entry: &str, given: &[(&str, &str)]) -> Params {
    let defaults = registry::analysis(entry).unwrap().defaults();
    given.iter().fold(defaults, |params, (name, value)| params.with(name, value).unwrap())
}

fn run(params: &Params, source: &dyn Source, threads: usize) -> Result<Card, oddsmith::Error> {
    let procedure = (registry::analysis(params.model()).unwrap().build)(params)?;
    match conclude(&procedure, source, NonZeroUsize::new(threads), &Control::new())?.model {
        Conclusion::Card(card) => Ok(*card),
        Conclusion::Model(_) => panic!("an analysis became a model"),
    }
}

/// A number of the tidy table, by row and column.
fn tidy(card: &Card, row: usize, column: &str) -> f64 {
    match &card.tidy.rows()[row][card.tidy.position(column).unwrap()] {
        Cell::Number(value) | Cell::PValue(value) => *value,
        other => panic!("{column} is {other:?}"),
    }
}

fn fact(card: &Card, name: &str) -> f64 {
    match card.facts.iter().find(|(known, _)| known == name).map(|(_, cell)| cell) {
        Some(Cell::Number(value) | Cell::PValue(value)) => *value,
        Some(Cell::Count(count)) => *count as f64,
        other => panic!("{name} is {other:?}"),
    }
}

/// A table as people write it.
fn csv(names: &str, rows: &str) -> Csv {
    let cells = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
    Csv { names: cells(names), rows: rows.lines().map(cells).collect() }
}

fn infert() -> Csv {
    Golden::load("clogit_infert").table("data")
}

fn matched(strata: &str, given: &[(&str, &str)]) -> Params {
    let formula = Formula::parse("case ~ spontaneous + induced").unwrap();
    options("conditional-logistic", &[&[("strata", strata)], given].concat()).with_formula(Some(formula)).unwrap()
}

const COLUMNS: [(&str, Kind); 4] =
    [("spontaneous", Kind::Number), ("induced", Kind::Number), ("stratum", Kind::Category), ("education", Kind::Category)];

/// R 4.2.2, survival 3.5.3, `clogit(method = "exact")`; the estimates again in 40-digit arithmetic.
#[test]
fn matched_sets_agree_with_clogit() {
    let (golden, csv) = (Golden::load("clogit_infert"), infert());
    let frame = Frame::new(&csv, "case", &COLUMNS);
    let card = run(&matched("stratum", &[]), &frame.source(), 1).unwrap();
    let (coef, se) = (golden.numbers("certified/coef"), golden.numbers("certified/se"));
    for row in 0..2 {
        same_digits(tidy(&card, row, "estimate"), coef[row], 1e-10);
        same_digits(tidy(&card, row, "std_error"), se[row], 1e-10);
        same_digits(tidy(&card, row, "p_value"), golden.numbers("results/p")[row], 1e-8);
        same_digits(tidy(&card, row, "odds_ratio"), golden.numbers("results/odds_ratio")[row], 1e-10);
    }
    same_digits(fact(&card, "log likelihood"), golden.number("certified/loglik"), 1e-12);
    same_digits(fact(&card, "null log likelihood"), golden.number("certified/loglik_null"), 1e-12);
    for (test, names) in
        [("lr_test", ["model chi2", "model p"]), ("wald_test", ["wald chi2", "wald p"]), ("score_test", ["score chi2", "score p"])]
    {
        let expected = golden.numbers(&format!("results/{test}"));
        same_digits(fact(&card, names[0]), expected[0], 1e-9);
        same_digits(fact(&card, names[1]), expected[2], 1e-8);
    }
    assert_eq!((fact(&card, "rows"), fact(&card, "cases"), fact(&card, "sets")), (248.0, 83.0, 83.0));
}

/// Three large strata; answers of two other programs in long arithmetic.
#[test]
fn sets_with_many_cases_are_exact() {
    let frame = Frame::new(&infert(), "case", &COLUMNS);
    let card = run(&matched("education", &[("ci", "wald")]), &frame.source(), 1).unwrap();
    for (row, coef, se) in [(0, 1.187_195_871_171_187_6, 0.210_564_649_705_829), (1, 0.422_849_998_247_262_2, 0.207_810_843_482_803)] {
        same_digits(tidy(&card, row, "estimate"), coef, 1e-10);
        same_digits(tidy(&card, row, "std_error"), se, 1e-10);
    }
    same_digits(fact(&card, "log likelihood"), -133.400_235_486_629_75, 1e-12);
    same_digits(fact(&card, "null log likelihood"), -151.539_394_697_010, 1e-12);
}

/// A profile limit is where the likelihood, maximised over the rest, has fallen by half of the χ² quantile: fits with the coefficient fixed by an offset.
#[test]
fn profile_limits_are_where_the_likelihood_has_fallen() {
    let csv = infert();
    let frame = Frame::new(&csv, "case", &COLUMNS);
    let card = run(&matched("stratum", &[("level", "0.9")]), &frame.source(), 1).unwrap();
    let best = fact(&card, "log likelihood");
    for (row, fixed, free) in [(0, "spontaneous", "induced"), (1, "induced", "spontaneous")] {
        for end in ["conf_low", "conf_high"] {
            let formula = format!("case ~ {free} + offset({fixed} * {:?})", tidy(&card, row, end));
            let params = options("conditional-logistic", &[("strata", "stratum"), ("ci", "wald")]);
            let there = run(&params.with_formula(Some(Formula::parse(&formula).unwrap())).unwrap(), &frame.source(), 1).unwrap();
            close(2.0 * (best - fact(&there, "log likelihood")), 2.705_543_454_095_404, 1e-7);
        }
        // The test of a term is twice the difference to the fit without it.
        let without = Formula::parse(&format!("case ~ {free}")).unwrap();
        let params = options("conditional-logistic", &[("strata", "stratum"), ("ci", "wald")]).with_formula(Some(without)).unwrap();
        let without = run(&params, &frame.source(), 1).unwrap();
        let Cell::Number(chi2) = card.tables[0].rows()[row][1] else { panic!("no statistic") };
        close(chi2, 2.0 * (best - fact(&without, "log likelihood")), 1e-9);
    }
}

/// Sets whose members lie in different partitions are put together, with the same bits for any number of threads.
#[test]
fn sets_may_be_cut_anywhere() {
    let frame = Frame::new(&infert(), "case", &COLUMNS);
    let (whole, cut) =
        (run(&matched("stratum", &[]), &frame.source(), 1).unwrap(), run(&matched("stratum", &[]), &RowByRow(&frame), 1).unwrap());
    for row in 0..2 {
        for column in ["estimate", "std_error", "conf_low", "conf_high"] {
            same_digits(tidy(&cut, row, column), tidy(&whole, row, column), 1e-9);
        }
    }
    for threads in [2, 5] {
        assert_eq!(run(&matched("stratum", &[]), &RowByRow(&frame), threads).unwrap().tidy, cut.tidy);
    }
}

/// 40 pairs in which the case alone is exposed and 16 in which the control is: ln(40/16), variance 1/40 + 1/16.
#[test]
fn pairs_are_mcnemars_odds_ratio() {
    let mut lines = String::new();
    for set in 0..80 {
        let (case, control) = if set < 40 {
            (1, 0)
        } else if set < 56 {
            (0, 1)
        } else {
            (1, 1)
        };
        lines.push_str(&format!("s{set},1,{case}\ns{set},0,{control}\n"));
    }
    let mut frame = Frame::new(&csv("set,case,x", &lines), "case", &[("x", Kind::Number), ("set", Kind::Category)]);
    let params = options("conditional-logistic", &[("strata", "set")]).with_formula(Some(Formula::parse("case ~ x").unwrap())).unwrap();
    let card = run(&params, &frame.source(), 1).unwrap();
    same_digits(tidy(&card, 0, "estimate"), 2.5f64.ln(), 1e-12);
    same_digits(tidy(&card, 0, "std_error"), (1.0f64 / 40.0 + 1.0 / 16.0).sqrt(), 1e-10);
    // A set of weight 2 is the set twice; a row of another weight than its set is refused.
    frame.weights = Some(vec![2.0; frame.rows()]);
    let twice = run(&params, &frame.source(), 1).unwrap();
    same_digits(tidy(&twice, 0, "std_error"), tidy(&card, 0, "std_error") / 2f64.sqrt(), 1e-10);
    frame.weights.as_mut().unwrap()[3] = 1.0;
    assert!(run(&params, &frame.source(), 1).unwrap_err().to_string().contains("have different weights"));
}

#[test]
fn what_sets_cannot_tell_is_said() {
    let frame = |rows: &str| {
        Frame::new(
            &csv("set,case,x,age,z", rows),
            "case",
            &[("x", Kind::Number), ("age", Kind::Number), ("z", Kind::Number), ("set", Kind::Category)],
        )
    };
    let of =
        |formula: &str| options("conditional-logistic", &[("strata", "set")]).with_formula(Some(Formula::parse(formula).unwrap())).unwrap();
    // Set c has no case; age is the same within sets; z is x, moved within each set.
    let mixed = frame("a,1,2,30,12\na,0,1,30,11\na,0,3,30,13\nb,1,1,40,21\nb,0,4,40,24\nb,0,0,40,20\nc,0,1,50,1\nc,0,2,50,2\n");
    let card = run(&of("case ~ x + age + z"), &mixed.source(), 1).unwrap();
    let ids: Vec<&str> = card.notices.iter().map(|notice| notice.id).collect();
    assert_eq!(ids, ["W611", "W612", "W211"]);
    assert_eq!(card.tidy.rows().len(), 1);
    assert_eq!((fact(&card, "sets"), fact(&card, "informative sets"), fact(&card, "rows")), (3.0, 2.0, 6.0));
    // The case has the largest x in every set.
    let apart = frame("a,1,5,1,2\na,0,1,1,3\nb,1,4,1,1\nb,0,2,1,4\nb,0,3,1,0\nc,1,9,1,1\nc,0,1,1,1\n");
    let error = run(&of("case ~ x + z"), &apart.source(), 1).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Separation { .. }), "{error}");
    assert!(error.to_string().contains("`x`"), "{error}");
    let none = frame("a,1,5,1,2\na,1,1,1,3\nb,0,4,1,1\nb,0,2,1,4\n");
    assert!(run(&of("case ~ x"), &none.source(), 1).unwrap_err().to_string().contains("no set has both a case and a control"));
    let nowhere = options("conditional-logistic", &[]).with_formula(Some(Formula::parse("case ~ x").unwrap())).unwrap();
    assert!(run(&nowhere, &none.source(), 1).unwrap_err().to_string().contains("matched sets"));
}

/// Rows of the places with the last column as their key.
fn keyed(csv: &Csv, rows: &[Vec<String>], columns: &[(&str, Kind)]) -> KeyedSource {
    let part = Csv { names: csv.names.clone(), rows: rows.to_vec() };
    let frame: &'static Frame = Box::leak(Box::new(Frame::new(&part, "case", columns)));
    KeyedSource::new(Box::new(frame.source()), &[Role::Stratum]).unwrap()
}

/// All questions of a study answered by places that hold parts of the rows.
fn between_places(study: Study, places: &[KeyedSource]) -> Card {
    let sources: Vec<&dyn Source> = places.iter().map(|place| place as &dyn Source).collect();
    in_rounds_of(study, &sources)
}

/// The same of places without keys.
fn in_rounds(study: Study, places: &[Box<dyn Source + Send>]) -> Card {
    let sources: Vec<&dyn Source> = places.iter().map(|place| &**place as &dyn Source).collect();
    in_rounds_of(study, &sources)
}

fn in_rounds_of(study: Study, places: &[&dyn Source]) -> Card {
    let mut round = Round::begin(study).unwrap();
    for _ in 0..500 {
        let question = round.question().unwrap();
        let answers: Vec<_> = places
            .iter()
            .enumerate()
            .map(|(at, place)| question.answer(*place, Some(&format!("p{at}")), None, &Control::new()).unwrap())
            .collect();
        let named: Vec<_> = answers.iter().map(|answer| ("a place", answer)).collect();
        match round.advance(&named).unwrap() {
            Advance::Again(next, _) => round = Round::from_bytes(&next.to_bytes().unwrap()).unwrap(),
            Advance::Done(Conclusion::Card(card)) => return *card,
            Advance::Done(Conclusion::Model(_)) => panic!("an analysis became a model"),
        }
    }
    panic!("the round does not end");
}

#[test]
fn sets_and_strata_that_are_spread_over_places_are_those_of_all_rows() {
    let csv = infert();
    let columns = [("spontaneous", Kind::Number), ("induced", Kind::Number), ("stratum", Kind::Category)];
    let whole = run(&matched("stratum", &[("ci", "wald")]), &keyed(&csv, &csv.rows, &columns), 1).unwrap();
    // Cases stand before controls in this table, so every set is cut.
    let (first, second) = csv.rows.split_at(100);
    let places = [keyed(&csv, first, &columns), keyed(&csv, second, &columns)];
    let study = Study { target: Some("case".into()), ..Study::of(&matched("stratum", &[("ci", "wald")])) };
    let card = between_places(study, &places);
    for row in 0..2 {
        same_digits(tidy(&card, row, "estimate"), tidy(&whole, row, "estimate"), 1e-9);
        same_digits(tidy(&card, row, "std_error"), tidy(&whole, row, "std_error"), 1e-9);
    }
    let columns = [("parity", Kind::Category), ("education", Kind::Category)];
    let two: Vec<Vec<String>> = csv.rows.iter().filter(|row| row[2] == "1" || row[2] == "2").cloned().collect();
    let params = options("table", &[("exposure", "parity"), ("strata", "education")]);
    let whole = run(&params, &keyed(&csv, &two, &columns), 1).unwrap();
    let (first, second) = two.split_at(two.len() / 3);
    let places = [keyed(&csv, first, &columns), keyed(&csv, second, &columns)];
    let card = between_places(Study { target: Some("case".into()), features: Some(vec!["parity".into()]), ..Study::of(&params) }, &places);
    assert_eq!((card.tidy, card.tables, card.title), (whole.tidy, whole.tables, whole.title));
}

/// `low ~ age + lwt + race + smoke` of the births: risks with smoke set, by two other programs; delta errors, and errors of sampled covariates.
#[test]
fn effects_in_risk_are_known_to_ten_digits() {
    let columns = [("age", Kind::Number), ("lwt", Kind::Number), ("race", Kind::Category), ("smoke", Kind::Number)];
    let births = Csv::load(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/golden/data/birthwt_factors.csv"));
    let frame = Frame::new(&births, "low", &columns);
    let (entry, params) = registry::parse("logistic(ci=wald, no-tests)").unwrap();
    let params = params.with_formula(Some(Formula::parse("low ~ age + lwt + race + smoke").unwrap())).unwrap();
    let model = oddsmith::train::fit(&(entry.build)(&params).unwrap(), &frame.source(), None, &Control::new()).unwrap().model;
    let effects = |column: &str, within: Option<&str>, source: &dyn Source| {
        let procedure = model.inference().unwrap().effects(column, within, 0.95).unwrap();
        match conclude(&procedure, source, None, &Control::new()).unwrap().model {
            Conclusion::Card(card) => *card,
            Conclusion::Model(_) => panic!("effects became a model"),
        }
    };
    let card = effects("smoke", None, &frame.source());
    // Rows: risk at 0, risk at 1, difference, ratio, marginal odds ratio.
    for (row, estimate, error) in [
        (0, 0.233_606_998_7, 0.038_160_505),
        (1, 0.443_350_483_8, 0.058_539_272_45),
        (2, 0.209_743_485_1, 0.072_518_527_8),
        (3, 1.897_847_609, 0.218_512_208_5),
        (4, 2.612_949_589, 0.331_967_941_1),
    ] {
        same_digits(tidy(&card, row, "estimate"), estimate, 1e-9);
        same_digits(tidy(&card, row, "std_error"), error, 1e-8);
    }
    same_digits(tidy(&card, 2, "std_error_sampled"), 0.072_015_882_54, 1e-9);
    let slope = effects("lwt", None, &frame.source());
    same_digits(tidy(&slope, 0, "estimate"), -0.002_415_806_696, 1e-9);
    same_digits(tidy(&slope, 0, "std_error"), 0.001_190_555_137, 1e-8);
    // In pieces it is the same; effects within levels have the whole's as their weighted mean.
    let cut = effects("smoke", Some("race"), &RowByRow(&frame));
    same_digits(tidy(&cut, 2, "std_error_sampled"), tidy(&card, 2, "std_error_sampled"), 1e-10);
    let counts = [26.0, 67.0, 96.0];
    let mean: f64 = (0..3).map(|level| counts[level] * tidy(&cut, 5 * (level + 1) + 2, "estimate")).sum::<f64>() / 189.0;
    same_digits(mean, tidy(&card, 2, "estimate"), 1e-12);
    // A level of a category against the first is the difference of means of predictions.
    let race = effects("race", None, &frame.source());
    assert_eq!(race.tidy.rows().len(), 3 + 2 * 3);
    assert!(model.inference().unwrap().effects("bwt", None, 0.95).is_err());
}

/// R 4.2.2 `glm(low ~ smoke * ht + age + lwt)`: RERI, AP and S, slopes by finite differences.
#[test]
fn interaction_of_a_regression_is_rs() {
    let columns = [("age", Kind::Number), ("lwt", Kind::Number), ("ht", Kind::Category), ("smoke", Kind::Number), ("race", Kind::Category)];
    let births = Csv::load(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/golden/data/birthwt_factors.csv"));
    let frame = Frame::new(&births, "low", &columns);
    let told = |formula: &str| {
        let (entry, params) = registry::parse("logistic(ci=wald, no-tests)").unwrap();
        let params = params.with_formula(Some(Formula::parse(formula).unwrap())).unwrap();
        let model = oddsmith::train::fit(&(entry.build)(&params).unwrap(), &frame.source(), None, &Control::new()).unwrap().model;
        let procedure = model.inference().unwrap().effects("smoke", Some("ht"), 0.95).unwrap();
        let source = oddsmith::train::ColumnSource::for_model(&frame.source(), &*model).map(|source| {
            match conclude(&procedure, &source, None, &Control::new()).unwrap().model {
                Conclusion::Card(card) => *card,
                Conclusion::Model(_) => panic!("effects became a model"),
            }
        });
        source.unwrap()
    };
    let card = told("low ~ smoke * ht + age + lwt");
    let golden = Golden::load("interaction_r");
    let first = card.tidy.rows().len() - 3;
    for (at, name) in ["reri", "ap", "s"].into_iter().enumerate() {
        let expected = golden.numbers(&format!("results/births/{name}"));
        same_digits(tidy(&card, first + at, "estimate"), expected[0], 1e-7);
        same_digits(tidy(&card, first + at, "std_error"), expected[1], 1e-6);
    }
    // A third column that changes what smoking does leaves no one odds ratio.
    let card = told("low ~ smoke * ht + smoke * race");
    assert!(card.tidy.rows().iter().all(|row| row[4] != "RERI".into()));
}
