//! Statistics as files: gathered at sites, merged, taken apart, and fitted without the rows.

use serde_json::Value;

use crate::session::Session;

/// The tidy table of a model.
fn parameters(session: &Session, model: &str) -> Vec<Value> {
    let output = session.shell(&format!("oddsmith show {model} --tidy --json"));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn assert_close(left: &[Value], right: &[Value]) {
    assert_eq!(left.len(), right.len());
    for (a, b) in left.iter().zip(right) {
        assert_eq!((&a["class"], &a["column"], &a["level"], &a["parameter"]), (&b["class"], &b["column"], &b["level"], &b["parameter"]));
        let (x, y) = (a["estimate"].as_f64().unwrap(), b["estimate"].as_f64().unwrap());
        assert!((x - y).abs() <= 1e-12 * x.abs().max(y.abs()), "{a} {b}");
    }
}

fn ok(session: &Session, line: &str) {
    let output = session.shell(line);
    assert_eq!(output.status.code(), Some(0), "{line}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn merged_sites_give_the_model_of_the_pooled_rows() {
    let session = Session::new();
    ok(&session, "(head -1 births.csv; sed -n '2,70p' births.csv) > a.csv; (head -1 births.csv; sed -n '71,190p' births.csv) > b.csv");
    for site in ["a", "b"] {
        ok(&session, &format!("oddsmith stats gather -q {site}.csv --target low -o {site}.stats"));
    }
    ok(&session, "oddsmith stats merge -q a.stats b.stats -o all.stats");
    for flags in [
        "--model nb",
        "--model nb --smoothing 0.01 --prior uniform --divisor unbiased --tying per-column",
        "--model gaussian-nb --features lwt,age --tying single --prior-smoothing 2",
        "--model categorical-nb --features race --predictive",
        "--model lda --features age,lwt,ftv --divisor unbiased",
        "--model lda --features lwt,age --shrinkage 0.3",
        "--model qda --features lwt,age --predictive",
        "--model qda --features age,lwt --prior yes=0.2,no=0.8",
    ] {
        ok(&session, &format!("oddsmith fit -q all.stats {flags} -o merged.odds"));
        ok(&session, &format!("oddsmith fit -q births.csv --target low {flags} -o pooled.odds"));
        assert_close(&parameters(&session, "merged.odds"), &parameters(&session, "pooled.odds"));
    }
    ok(&session, "oddsmith stats subtract -q all.stats a.stats -o rest.stats");
    ok(&session, "oddsmith fit -q rest.stats --model lda --features age,lwt -o rest.odds");
    ok(&session, "oddsmith fit -q b.csv --target low --model lda --features age,lwt -o b.odds");
    assert_close(&parameters(&session, "rest.odds"), &parameters(&session, "b.odds"));
}

#[test]
fn zeros_and_ones_are_booleans_from_sums_as_from_rows() {
    let session = Session::new();
    ok(&session, "oddsmith stats gather -q births.csv --target low --exclude bwt -o all.stats");
    for flags in ["--model nb", "--model nb --distribution smoke=gaussian", "--model categorical-nb --features smoke,ht,ui --smoothing 0.5"]
    {
        ok(&session, &format!("oddsmith fit -q all.stats {flags} -o sums.odds"));
        let exclude = if flags.contains("--features") { "" } else { "--exclude bwt" };
        ok(&session, &format!("oddsmith fit -q births.csv --target low {exclude} {flags} -o rows.odds"));
        assert_close(&parameters(&session, "sums.odds"), &parameters(&session, "rows.odds"));
    }
    let shares = parameters(&session, "rows.odds");
    assert!(shares.iter().any(|row| row["column"] == "smoke" && row["level"] == "true"), "{shares:?}");
    // A model that compares tables of one kind with others takes the same numbers as flags: 74 of 189 mothers smoke.
    ok(&session, "oddsmith fit -q all.stats --model lda --features smoke,age -o lda.odds");
    ok(&session, "oddsmith compare -q births.csv --target low --features smoke,age --models nb,lda --folds 3");
}

#[test]
fn sites_that_differ() {
    let session = Session::new();
    session.write("a.csv", "ward,age,y\nA,1,no\nB,2,yes\nA,3,no\n").write("b.csv", "ward,age,y\nC,1,maybe\nB,2,yes\nB,4,no\n");
    session.write("c.csv", "ward,age,y\nA,old,no\nB,young,yes\n").write("d.csv", "ward,age,z\nA,1,no\nB,2,yes\n");
    assert_session!(session.transcript(&[
        "for s in a b c; do oddsmith stats gather -q $s.csv --target y -o $s.stats --format csv | head -1; done",
        "oddsmith stats gather -q d.csv --target z -o d.stats | head -1",
        "oddsmith stats merge a.stats b.stats -o all.stats --format table",
        "oddsmith stats merge a.stats c.stats -o all.stats",
        "oddsmith stats merge a.stats d.stats -o all.stats",
        "oddsmith show all.stats --format table",
        "oddsmith stats subtract a.stats b.stats -o rest.stats",
        "oddsmith stats subtract all.stats b.stats -o rest.stats --format table",
        "oddsmith stats subtract rest.stats all.stats -o less.stats",
        "oddsmith fit all.stats --target z",
        "oddsmith fit all.stats --features wart",
        "oddsmith fit all.stats --model lda",
        "oddsmith fit all.stats --model lda --features age --format table",
        "oddsmith fit all.stats --model lda --features age --shrinkage ledoit-wolf",
        "oddsmith stats merge a.csv -o all.stats",
        "oddsmith stats merge -o all.stats",
        "oddsmith predict all.stats a.csv",
        "oddsmith show all.stats --weights",
    ]));
}

#[test]
fn columns_in_extreme_units_are_gathered_in_a_second_pass() {
    let session = Session::new();
    ok(&session, "printf 'x,y\\n1e200,a\\n-2e200,a\\n3e200,b\\n5e200,b\\n' > big.csv");
    ok(&session, "oddsmith stats gather -q big.csv --target y -o big.stats");
    ok(&session, "oddsmith fit -q big.stats --model gaussian-nb > from-stats.csv");
    ok(&session, "oddsmith fit -q big.csv --target y --model gaussian-nb > from-rows.csv");
    ok(&session, "grep -q 'a,x,,mean,-5e199' from-stats.csv");
    ok(&session, "cmp from-stats.csv from-rows.csv");
}
