//! Probabilities judged: figures, tables, gates, scored tables of other programs.

use serde_json::Value;

use crate::session::Session;

fn fitted() -> Session {
    let session = Session::new();
    let fit = session.shell("oddsmith fit -q births.csv --target low --features age,lwt,race,smoke -o low.odds");
    assert_eq!(fit.status.code(), Some(0), "{}", String::from_utf8_lossy(&fit.stderr));
    session
}

#[test]
fn a_model_is_judged_on_a_table() {
    assert_session!(fitted().transcript(&[
        "oddsmith evaluate low.odds births.csv -q --format table",
        "oddsmith evaluate low.odds births.csv -q --threshold 0.3 --show confusion --format table",
        "oddsmith evaluate low.odds births.csv -q --threshold 0.3 --show classes",
        "oddsmith evaluate low.odds births.csv -q --show lift --format table",
        "oddsmith evaluate low.odds births.csv -q --show groups --format table",
        "oddsmith evaluate low.odds births.csv -q --show decision | head -3",
        "oddsmith evaluate low.odds births.csv -q --show roc | head -3",
        "oddsmith evaluate low.odds births.csv -q --show pr | head -3",
        "oddsmith evaluate low.odds births.csv --show reliability | head -3",
    ]));
}

#[test]
fn what_cannot_be_judged_is_said() {
    let session = fitted();
    session.write("strange.csv", "age,lwt,race,smoke,low\n20,100,white,1,maybe\n");
    session.write("odd.csv", "low,p_yes\nno,0.2\nyes,1.5\n");
    session.write("one.csv", "low,p_no,p_yes\nno,0.8,0.2\nno,0.4,0.6\n");
    assert_session!(session.transcript(&[
        "oddsmith evaluate low.odds strange.csv",
        "cut -d, -f2-6 births.csv | oddsmith evaluate low.odds -",
        "oddsmith evaluate low.odds births.csv --target low",
        "oddsmith evaluate births.csv",
        "oddsmith evaluate births.csv --target low",
        "oddsmith evaluate odd.csv --target low",
        "oddsmith evaluate odd.csv --target low --probabilities p_no,p_maybe,p_yes",
        "oddsmith evaluate one.csv --target low --format table",
        "oddsmith evaluate low.odds births.csv --fail-if 'acu<0.5'",
        "oddsmith evaluate low.odds births.csv --fail-if 'auc=0.5'",
        "oddsmith evaluate low.odds births.csv --threshold 7",
    ]));
}

#[test]
fn gates_stop_scripts_with_exit_code_7() {
    let session = fitted();
    assert_session!(session.transcript(&[
        "oddsmith evaluate low.odds births.csv -q --fail-if 'auc<0.5' --fail-if 'bits>2' > /dev/null",
        "oddsmith evaluate low.odds births.csv -q --fail-if 'auc<0.99' --fail-if 'ece>0' > /dev/null",
        "oddsmith evaluate low.odds births.csv -q --json --fail-if 'auc<0.99' > /dev/null",
    ]));
}

#[test]
fn a_scored_table_gets_the_figures_of_the_model() {
    let session = fitted();
    session.shell("oddsmith predict -q low.odds births.csv --id low > scored.csv");
    let figures = |line: &str| -> Vec<(String, f64)> {
        let card: Value = serde_json::from_slice(&session.shell(line).stdout).unwrap();
        let rows = card["evaluation"]["metrics"].as_array().unwrap().clone();
        rows.iter().map(|row| (row["metric"].as_str().unwrap().to_owned(), row["estimate"].as_f64().unwrap())).collect()
    };
    let model = figures("oddsmith evaluate -q low.odds births.csv --json");
    for line in
        ["oddsmith evaluate -q scored.csv --target low --json", "oddsmith evaluate -q scored.csv --target low --probabilities p_yes --json"]
    {
        let table = figures(line);
        assert_eq!(table.len(), model.len());
        for ((name, left), (_, right)) in model.iter().zip(table) {
            assert!((left - right).abs() <= 1e-9 * left.abs().max(1.0), "{name}: {left} {right}");
        }
    }
}

#[test]
fn weights_stand_for_rows() {
    let session = Session::new();
    session.write("w.csv", "y,p_b,w\na,0.2,2\nb,0.9,3\nb,0.4,1\na,0.6,1\na,0.1,0\n");
    session.write("r.csv", "y,p_b\na,0.2\na,0.2\nb,0.9\nb,0.9\nb,0.9\nb,0.4\na,0.6\n");
    let values = |line: &str| {
        let text = String::from_utf8(session.shell(line).stdout).unwrap();
        text.lines().skip(1).map(|line| line.split(',').nth(1).unwrap().to_owned()).collect::<Vec<_>>()
    };
    let (weighted, repeated) = (values("oddsmith evaluate w.csv -t y --weight w -q"), values("oddsmith evaluate r.csv -t y -q"));
    assert_eq!(weighted.len(), repeated.len());
    for (left, right) in weighted.iter().zip(&repeated) {
        match (left.parse::<f64>(), right.parse::<f64>()) {
            (Ok(left), Ok(right)) => assert!((left - right).abs() < 1e-9, "{left} {right}"),
            _ => assert_eq!(left, right),
        }
    }
}

#[test]
fn the_unit_of_sampling_weights_decides_no_test_and_frequencies_are_rows() {
    let session = Session::new();
    session.shell(
        "awk -F, -v OFS=, '{ print $0, (NR == 1 ? \"w\" : 1 + NR % 3), (NR == 1 ? \"v\" : 10 + 10 * (NR % 3)) }' births.csv > w.csv",
    );
    let outcome = |line: &str, weight: &str, kind: &str| {
        let done = session.shell(&format!("oddsmith {line} -q w.csv --target low --weight {weight} --weight-kind {kind} --format csv"));
        assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
        let text = String::from_utf8(done.stdout).unwrap();
        // Numbers to seven digits: sums of other weights are rounded elsewhere.
        let number = |cell: &str| cell.parse::<f64>().map_or(cell.to_owned(), |value| format!("{value:.6e}"));
        text.lines().map(|line| line.split(',').map(number).collect::<Vec<_>>()).collect::<Vec<_>>()
    };
    for line in [
        "select --features age,lwt,smoke,ht --by lr --holdout 0",
        "select --features age,lwt,smoke,ht --by bic --holdout 0 --direction backward",
        "compare --features age,lwt,ptl --models lda,gaussian-nb --folds 5 --show pairs",
    ] {
        assert_eq!(outcome(line, "w", "sampling"), outcome(line, "v", "sampling"), "{line}");
        assert_ne!(outcome(line, "w", "frequency"), outcome(line, "v", "frequency"), "{line}");
    }
}

#[test]
fn calibration_shows_before_and_after_and_is_kept() {
    let session = fitted();
    assert_session!(session.transcript(&[
        "oddsmith fit -q births.csv --target low --model lda --features age,lwt,ptl -o lda.odds > /dev/null",
        "oddsmith calibrate -q lda.odds births.csv --method temperature --format table",
        "oddsmith calibrate lda.odds births.csv -o platt.odds | head -3",
        "oddsmith show -q platt.odds --glance",
        "oddsmith show -q platt.odds --weights",
        "oddsmith calibrate -q lda.odds --prevalence yes=0.05 --prevalence-rows 1000 --format table",
        "oddsmith calibrate -q lda.odds --kept yes=1,no=0.1 -o undone.odds > /dev/null; oddsmith predict -q undone.odds births.csv | head -2",
        "oddsmith calibrate -q lda.odds births.csv --estimate-prevalence --format csv",
        "oddsmith calibrate -q births.csv --target low --model lda --features age,lwt,ptl --folds 5 -o folded.odds --format csv",
        "oddsmith show -q folded.odds --glance",
        "oddsmith calibrate lda.odds births.csv --target low",
        "oddsmith calibrate lda.odds",
        "oddsmith calibrate lda.odds births.csv --folds 1",
        "oddsmith calibrate lda.odds --prevalence yes=1.5",
        "oddsmith calibrate lda.odds --prevalence maybe=0.5",
        "oddsmith calibrate lda.odds --kept yes=1,no=0",
        "oddsmith calibrate lda.odds --kept yes=1",
        "oddsmith calibrate lda.odds births.csv --method plat",
    ]));
}

#[test]
fn thresholds_are_chosen_and_kept_in_the_model() {
    let session = fitted();
    assert_session!(session.transcript(&[
        "oddsmith threshold -q low.odds births.csv --youden --format table",
        "oddsmith threshold low.odds births.csv --sensitivity 0.9 -o ruled.odds | head -3",
        "oddsmith evaluate -q ruled.odds births.csv | grep -E 'sensitivity|specificity'",
        "oddsmith predict -q ruled.odds births.csv | cut -d, -f1 | sort | uniq -c",
        "oddsmith predict -q ruled.odds births.csv --threshold 0.9 | cut -d, -f1 | sort | uniq -c",
        "oddsmith calibrate ruled.odds --prevalence yes=0.05 -o moved.odds > /dev/null",
        "oddsmith threshold -q low.odds births.csv --costs yes:no=5 --format csv",
        "oddsmith threshold -q low.odds births.csv --reject 0.3 -o doubtful.odds --format csv",
        "oddsmith predict -q doubtful.odds births.csv | cut -d, -f1 | sort | uniq -c",
        "oddsmith evaluate -q doubtful.odds births.csv | grep -E 'undecided|accuracy'",
        "oddsmith threshold -q low.odds births.csv --at 0.3 --format csv | head -3",
        "oddsmith threshold low.odds births.csv",
        "oddsmith threshold low.odds births.csv --precision 0.999",
        "oddsmith threshold low.odds births.csv --costs yes=5",
        "oddsmith threshold low.odds births.csv --sensitivity 90",
        "oddsmith fit -q iris.csv --target Species -o iris.odds > /dev/null; oddsmith threshold iris.odds iris.csv --youden",
    ]));
}

/// Seconds differ from run to run.
fn without_seconds(text: &str) -> String {
    let mut place = None;
    let lines = text.lines().map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        place = cells.iter().position(|cell| *cell == "seconds").or(place);
        match place.filter(|at| cells.len() > *at && cells[*at].parse::<f64>().is_ok()) {
            Some(at) => cells.iter().enumerate().map(|(j, cell)| if j == at { "…" } else { cell }).collect::<Vec<_>>().join(","),
            None => line.to_owned(),
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn models_are_compared_on_the_same_folds() {
    let session = Session::new();
    assert_session!(without_seconds(&session.transcript(&[
        "oddsmith compare -q births.csv --target low --features age,lwt,ptl --models nb,lda,qda --folds 5 --format csv",
        "oddsmith compare -q births.csv --target low --features age,lwt,ptl --models nb,lda,qda --folds 5 --show pairs",
        "oddsmith compare -q births.csv --target low --features age,lwt,race --models lda,nb --folds 5 --format csv",
        "oddsmith compare -q births.csv --target low --features age,lwt --models lda,qda --folds 4 --show weights",
        "oddsmith compare -q births.csv --target low --features age,lwt --models lda,logistic --folds 5 --show twins",
        "oddsmith compare -q births.csv --target low --features age,lwt --models lda --folds 4 --show curve",
        "oddsmith compare -q births.csv --target low --features age,lwt --models lda --group race --folds 3 --format csv",
        "oddsmith compare -q births.csv --target low --features age,lwt --models lda --group race --folds 4",
        "oddsmith compare births.csv --target low --models lda,lad",
        "oddsmith compare births.csv --target low --models lda,lda",
        "oddsmith compare births.csv --target low --folds 1",
        "oddsmith compare births.csv --target low --features age,lwt --models lda,qda --memory 12K",
        "oddsmith compare births.csv --target low --features age,lwt --models qda,nb --show twins",
    ])));
    let verdict = |models: &str| {
        let line = format!("oddsmith compare -q births.csv --target low --features age,lwt --models {models} --json");
        let cards: Value = serde_json::from_slice(&session.shell(&line).stdout).unwrap();
        cards["models"]["facts"]["verdict"].as_str().unwrap().to_owned()
    };
    // Two models of the same line are not told apart, and the report says so.
    assert!(verdict("lda,qda").contains("may be as good"), "{}", verdict("lda,qda"));
}

#[test]
fn groups_belong_to_their_rows_whatever_is_missing_elsewhere() {
    let session = Session::new();
    let (mut whole, mut clean) = ("died,age,dose,patient\n".to_owned(), "died,age,dose,patient\n".to_owned());
    for i in 0..60u32 {
        let row = |died: &str, patient: &str| format!("{died},{},{},{patient}\n", 20 + i * 7 % 41, i * 13 % 29);
        let (died, patient) = (if (i * 37 + i / 5) % 3 == 0 { "yes" } else { "no" }, format!("p{:02}", i / 5));
        match i {
            3 => whole.push_str(&row("", &patient)),
            40 => whole.push_str(&row(died, "")),
            _ => {
                whole.push_str(&row(died, &patient));
                clean.push_str(&row(died, &patient));
            }
        }
    }
    session.write("whole.csv", whole).write("clean.csv", clean);
    let compared = |table: &str| {
        let line = format!("oddsmith compare -q {table} --target died --models lda,gnb --group patient --folds 4 --show models --json");
        let mut rows: Value = serde_json::from_slice(&session.shell(&line).stdout).unwrap();
        rows.as_array_mut().unwrap().iter_mut().for_each(|row| drop(row.as_object_mut().unwrap().remove("seconds")));
        rows
    };
    assert_eq!(compared("whole.csv"), compared("clean.csv"));
    let piped = session.shell("cat clean.csv | oddsmith compare -q - --target died --models lda --group patient --folds 4");
    assert!(piped.status.success());
}

#[test]
fn columns_are_selected_and_judged_on_other_rows() {
    let session = Session::new();
    assert_session!(session.transcript(&[
        "oddsmith select -q births.csv --target low --features age,lwt,ptl,ftv --model lda --folds 5 --format csv",
        "oddsmith select -q births.csv --target low --features age,lwt,ptl,ftv --model lda --folds 5 --direction backward --holdout 0 --format csv",
        "oddsmith select births.csv --target low --model nb --by aic",
        "oddsmith select births.csv --target low --features age,lwt --model lda --holdout 500",
    ]));
    let line = "oddsmith select -q births.csv --target low --features age,lwt,smoke,ht --model logistic --by aic --direction both --json";
    let cards: Value = serde_json::from_slice(&session.shell(line).stdout).unwrap();
    assert!(cards["selection"]["facts"]["models tried"].as_u64().unwrap() >= 5);
    assert!(cards["held_out"]["metrics"].as_array().unwrap().len() > 10);
    let steps = cards["selection"]["steps"].as_array().unwrap();
    let criteria: Vec<f64> = steps.iter().filter_map(|step| step["criterion"].as_f64()).collect();
    assert!(criteria.windows(2).all(|pair| pair[1] < pair[0]) && !criteria.is_empty());
}

#[test]
fn factors_and_terms_are_tested_whole_and_statistics_are_enough_for_generative_models() {
    let session = Session::new();
    assert_session!(session.transcript(&[
        "oddsmith select -q births.csv --target low --exclude bwt --by lr --direction backward --holdout 0 --format csv",
        "oddsmith select -q births.csv --formula 'low ~ lwt + race*smoke + age:ftv' --by lr --direction backward --holdout 0 --format csv",
        "oddsmith select -q births.csv --formula 'low ~ lwt + race*smoke' --folds 4 --format csv",
        "oddsmith select births.csv --target low --features age --by lr",
        "oddsmith stats gather -q iris.csv --target Species -o iris.stats > /dev/null",
        "oddsmith select iris.stats --model lda --by bic --format csv",
        "oddsmith select -q iris.stats --model qda --by lr --direction both -o iris.odds > /dev/null; oddsmith predict -q iris.odds iris.csv | head -2",
        "oddsmith select iris.stats --model logistic --by aic",
        "oddsmith select iris.stats --model lda",
    ]));
}

#[test]
fn what_some_model_cannot_score_is_counted() {
    let session = Session::new();
    let table = std::fs::read_to_string(session.path().join("births.csv")).unwrap();
    let gaps = table.lines().enumerate().map(|(at, line)| match at {
        5 | 9 => line.splitn(3, ',').take(2).collect::<Vec<_>>().join(",") + ",,other,0,0,0,0,0,2000",
        _ => line.to_owned(),
    });
    session.write("gaps.csv", gaps.collect::<Vec<_>>().join("\n"));
    let told = |line: &str| String::from_utf8_lossy(&session.shell(line).stderr).into_owned();
    let compared = told("oddsmith compare gaps.csv --target low --features age,lwt --models nb,logistic --folds 4");
    assert!(compared.contains("W303 2 rows lack a value that some model needs"), "{compared}");
    let selected = told("oddsmith select gaps.csv --target low --features age,lwt,smoke --by aic");
    assert!(selected.contains("rows of the search excluded for missing values"), "{selected}");
}

#[test]
fn backward_steps_by_aic_start_where_r_does_and_end_where_step_does() {
    let session = Session::new();
    let golden = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/golden/glm_birthwt_main.json");
    let golden: Value = serde_json::from_slice(&std::fs::read(golden).unwrap()).unwrap();
    let line = "oddsmith select -q births.csv --target low --exclude bwt --by aic --direction backward --holdout 0 --json";
    let cards: Value = serde_json::from_slice(&session.shell(line).stdout).unwrap();
    let steps = cards["selection"]["steps"].as_array().unwrap();
    let (start, aic) = (steps[0]["criterion"].as_f64().unwrap(), golden["results"]["aic"].as_f64().unwrap());
    assert!((start - aic).abs() < 1e-9, "{start} {aic}");
    // R's step() on the same model drops ftv and then age, to an AIC of 217.99.
    let changes: Vec<&str> = steps[1..].iter().map(|step| step["change"].as_str().unwrap()).collect();
    assert_eq!(changes, ["− ftv", "− age"]);
    assert_eq!(format!("{:.2}", steps[2]["criterion"].as_f64().unwrap()), "217.99");
}

#[test]
fn a_winner_is_said_to_beat_only_those_that_could_be_judged() {
    let session = Session::new();
    // The classes differ in their spread alone: a curve tells them apart, a line does not.
    let rows = (0..400).map(|i| {
        let quantile = (f64::from(i / 2) + 0.5) / 200.0 - 0.5;
        if i % 2 == 0 { format!("wide,{}", 12.0 * quantile) } else { format!("narrow,{quantile}") }
    });
    session.write("spread.csv", std::iter::once("y,x".to_owned()).chain(rows).collect::<Vec<_>>().join("\n"));
    let verdict = |models: &str| {
        let output = session.shell(&format!("oddsmith compare spread.csv --target y --models {models} --folds 5 --json -q"));
        let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        told["models"]["facts"]["verdict"].as_str().unwrap().to_owned()
    };
    assert!(verdict("qda,lda").starts_with("qda needs the fewest bits, and fewer than every other model (Holm"));
    let with_failure = verdict("qda,lda,categorical-nb");
    assert!(with_failure.contains("fewer than every other model that could be judged"), "{with_failure}");
}
