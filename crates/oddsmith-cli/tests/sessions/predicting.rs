//! New rows: classes, probabilities and where they come from.

use serde_json::Value;

use crate::session::Session;

fn fitted() -> Session {
    let session = Session::new();
    let fit = session.shell("oddsmith fit -q visits.csv --target readmitted --exclude id -o visits.odds");
    assert_eq!(fit.status.code(), Some(0), "{}", String::from_utf8_lossy(&fit.stderr));
    session
}

#[test]
fn columns_are_matched_by_name_and_unseen_levels_reported() {
    let session = fitted();
    assert_session!(session.transcript(&[
        "oddsmith predict visits.odds new_visits.csv --id id --format table",
        "cat new_visits.csv | oddsmith predict visits.odds - --id id,note --log-odds --log-joint -q --format table",
        "oddsmith predict visits.odds new_visits.csv --strict -q",
        "cut -d, -f2,3 new_visits.csv | oddsmith predict visits.odds -",
        "oddsmith predict visits.odds new_visits.csv --id idd",
        "sed 's/70/seventy/' new_visits.csv | oddsmith predict visits.odds -",
        "sed 's/id$/predicted/' new_visits.csv | oddsmith predict visits.odds - --id predicted",
        "head -1 new_visits.csv | oddsmith predict visits.odds - -q",
    ]));
}

#[test]
fn thresholds_and_priors() {
    let session = fitted();
    assert_session!(session.transcript(&[
        "oddsmith predict visits.odds new_visits.csv -q --threshold 0.999999 --format table",
        "oddsmith predict visits.odds new_visits.csv -q --threshold 0 --format table",
        "oddsmith predict visits.odds new_visits.csv --threshold 2",
        "oddsmith predict visits.odds new_visits.csv -q --prior yes=0.01,no=0.99 --format table",
        "oddsmith predict visits.odds new_visits.csv --prior data",
        "oddsmith fit -q iris.csv --target Species -o iris.odds --format csv | head -1",
        "oddsmith predict iris.odds iris.csv --threshold 0.5",
    ]));
}

#[test]
fn explanations_in_every_unit() {
    let session = fitted();
    session.shell("oddsmith fit -q iris.csv --target Species --model lda -o iris.odds");
    assert_session!(session.transcript(&[
        "oddsmith explain visits.odds new_visits.csv --row 2 --format table",
        "oddsmith explain visits.odds new_visits.csv --row 1 --unit bits --format table",
        "oddsmith explain visits.odds new_visits.csv --row 3 --unit nats --prior uniform --format table",
        "oddsmith explain iris.odds iris.csv --row 71 --format table",
        "oddsmith explain iris.odds iris.csv --row 71 --class setosa --against virginica --format table",
        "oddsmith explain iris.odds iris.csv --row 71 --class rosa",
        "oddsmith explain iris.odds iris.csv --row 71 --class setosa --against setosa",
        "oddsmith explain visits.odds new_visits.csv --row 4",
        "oddsmith explain visits.odds new_visits.csv --row 0",
    ]));
}

#[test]
fn weights_of_evidence_add_up_to_the_log_odds() {
    let session = fitted();
    for model in ["nb", "lda --features age", "qda --features age"] {
        let fit = session.shell(&format!("oddsmith fit -q visits.csv --target readmitted --model {model} -o m.odds"));
        assert_eq!(fit.status.code(), Some(0), "{}", String::from_utf8_lossy(&fit.stderr));
        let predicted: Value =
            serde_json::from_slice(&session.shell("oddsmith predict -q m.odds visits.csv --log-odds --json").stdout).unwrap();
        for row in 1..=8 {
            let line = format!("oddsmith explain -q m.odds visits.csv --row {row} --unit nats --json");
            let card: Value = serde_json::from_slice(&session.shell(&line).stdout).unwrap();
            let weights: Vec<f64> = card["evidence"].as_array().unwrap().iter().map(|term| term["nats"].as_f64().unwrap()).collect();
            let (total, terms) = weights.split_last().unwrap();
            assert_eq!(terms.iter().sum::<f64>(), *total);
            let log_odds = predicted[row - 1]["log_odds_yes"].as_f64().unwrap();
            assert!((total - log_odds).abs() <= 1e-12 * (1.0 + log_odds.abs()), "{model}, row {row}: {total} and not {log_odds}");
        }
    }
}

#[test]
fn formats_of_predictions() {
    let session = fitted();
    for (flag, rows) in [("--format ndjson", 3), ("--json", 5), ("--format csv", 4)] {
        let output = session.shell(&format!("oddsmith predict -q visits.odds new_visits.csv {flag}"));
        assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), rows, "{flag}");
    }
    // Without a format, a pipe gets CSV with every digit.
    let csv = String::from_utf8(session.shell("oddsmith predict -q visits.odds new_visits.csv").stdout).unwrap();
    let json: Value = serde_json::from_slice(&session.shell("oddsmith predict -q visits.odds new_visits.csv --json").stdout).unwrap();
    for (line, row) in csv.lines().skip(1).zip(json.as_array().unwrap()) {
        let p_yes: f64 = line.split(',').nth(2).unwrap().parse().unwrap();
        assert_eq!(p_yes.to_bits(), row["p_yes"].as_f64().unwrap().to_bits());
    }
}

#[test]
fn sampled_rows_are_reproducible_and_look_like_the_data() {
    let session = fitted();
    let draw = |flags: &str| String::from_utf8(session.shell(&format!("oddsmith sample visits.odds {flags}")).stdout).unwrap();
    assert_eq!(draw("-n 50 --seed 3"), draw("-n 50 --seed 3"));
    assert_ne!(draw("-n 50 --seed 3"), draw("-n 50 --seed 4"));
    let rows = draw("-n 4000 --seed 1");
    assert_eq!(rows.lines().next(), Some("age,ward,smoker,readmitted"));
    let yes = rows.lines().filter(|line| line.ends_with(",yes")).count() as f64;
    // The prior is one half; 4000 draws stay within five standard deviations.
    assert!((yes - 2000.0).abs() < 5.0 * 1000f64.sqrt(), "{yes}");
    assert!(draw("-n 20 --class no").lines().skip(1).all(|line| line.ends_with(",no")));
    assert_session!(session.transcript(&["oddsmith sample visits.odds --class maybe"]));
}

/// A row of a TSV may begin with a quote that means nothing; the first lines do not show it.
fn messages() -> String {
    let plain: String =
        (0..3000).map(|at| format!("{}\tmessage number {at} about {}\n", ["ham", "spam"][at % 2], ["tea", "gold"][at % 2])).collect();
    format!("label\ttext\n{plain}ham\t\"so be it\" he said and went home\nspam\t\"win gold now\n{plain}")
}

#[test]
fn a_pipe_is_read_as_the_file_is() {
    let session = Session::new();
    session.write("messages.tsv", messages());
    let fitted = session.shell("oddsmith fit messages.tsv --target label --kind text=text --model multinomial-nb -o m.odds -q");
    assert!(fitted.status.success(), "{fitted:?}");
    let of_file = session.shell("oddsmith predict m.odds messages.tsv -q");
    let of_pipe = session.shell("cat messages.tsv | oddsmith predict m.odds - -q");
    assert!(of_file.status.success() && of_pipe.status.success(), "{of_pipe:?}");
    assert_eq!(of_file.stdout.iter().filter(|byte| **byte == b'\n').count(), 6003);
    assert_eq!(of_file.stdout, of_pipe.stdout);
}

#[test]
fn runs_of_words_and_characters_and_their_weights_are_kept() {
    let session = Session::new();
    session.write("messages.tsv", messages());
    assert_session!(session.transcript(&[
        "oddsmith fit messages.tsv --target label --kind text=text --model logistic --l2 1 --text-weights tf-idf --ngrams 1-2 --min-documents 2 -o m.odds -q --glance | cut -d, -f1",
        "oddsmith predict m.odds messages.tsv -q | head -3",
        "head -3 messages.tsv | oddsmith predict m.odds - -q | head -3",
        "oddsmith fit messages.tsv --target label --kind text=text --model multinomial-nb --char-ngrams 3-4 --min-documents 100 -o c.odds -q --glance",
        "oddsmith explain c.odds messages.tsv --row 1 -q | head -3",
        "oddsmith fit messages.tsv --target label --kind text=text --model multinomial-nb --char-ngrams 4-3",
        "oddsmith fit messages.tsv --target label --kind text=text --model multinomial-nb --ngrams 9",
        "oddsmith fit messages.tsv --target label --kind text=text --model multinomial-nb --text-weights tf-idf --hash-width 64",
        "oddsmith stats gather messages.tsv --target label --kind text=text --text-weights tf-idf -o a.stats -q > a.txt; head -9 messages.tsv | oddsmith stats gather - --target label --kind text=text --text-weights tf-idf -o b.stats -q > b.txt; oddsmith stats merge a.stats b.stats -o all.stats",
    ]));
}
