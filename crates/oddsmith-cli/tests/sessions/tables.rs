//! Tables of counts, strata and matched sets: what people see, what programs get, and what cannot be counted.

use serde_json::Value;

use crate::session::Session;

/// Matched pairs, one set without a control and one whose rows differ in weight.
const PAIRS: &str = "set,case,x,y,n\na,1,2,1,1\na,0,1,1,1\nb,1,1,2,1\nb,0,3,2,1\nc,1,4,3,1\nd,1,3,5,1\nd,0,2,5,1\n";

#[test]
fn tables_of_counts() {
    let session = Session::new();
    assert_session!(session.transcript(&[
        "oddsmith table births.csv --outcome low --exposure smoke --format table",
        "oddsmith table births.csv --outcome low --exposure smoke --strata race --format table",
        "oddsmith table births.csv --outcome low --exposure race --scores 1,2,4 --format table",
        "oddsmith table births.csv --outcome race --exposure smoke --format table -q",
        "oddsmith table births.csv --outcome low --exposure smoke --by ht --tidy | head -4",
        "oddsmith table births.csv --outcome low --exposure smoke --strata race --tests",
        "oddsmith table --cells 0,15,8,30 --format table",
        "oddsmith table --cells 40,12,16,9 --paired --format table",
        "oddsmith table births.csv --outcome low --exposure smoke --paired --format table -q",
        "oddsmith table --cells 30,44,29,86 --design case-control --tidy",
        "oddsmith table births.csv --outcome low --exposure smoke --strata race --design trial --format table -q",
    ]));
}

#[test]
fn what_no_table_can_be_made_of() {
    let session = Session::new();
    session.write("empty.csv", "low,smoke,ward\nyes,1,a\nno,1,a\nyes,0,b\nno,0,b\n");
    session.write("counts.csv", "low,smoke,n\nyes,1,30\nno,1,-4\nyes,0,29\nno,0,86\n");
    assert_session!(session.transcript(&[
        "oddsmith table births.csv --outcome low --exposure race --strata smoke",
        "oddsmith table births.csv --outcome bwt --exposure smoke",
        "oddsmith table births.csv --outcome low --exposure lwt",
        "oddsmith table births.csv --outcome low --exposure smok",
        "oddsmith table births.csv --outcome low --exposure smoke --strata low",
        "oddsmith table births.csv --outcome low --exposure smoke --strata race,race",
        "oddsmith table births.csv --outcome low --exposure smoke --where 'smoke == 1'",
        "oddsmith table births.csv --outcome low --exposure race --scores 1,2",
        "oddsmith table empty.csv --outcome low --exposure smoke --strata ward",
        "oddsmith table counts.csv --outcome low --exposure smoke --weight n",
        "oddsmith table counts.csv --outcome low --exposure smoke --weight smoke",
        "oddsmith table --cells 30,44,-1,86",
        "oddsmith table --cells 0,0,0,0",
        "oddsmith table births.csv --outcome low",
    ]));
}

#[test]
fn matched_sets() {
    let session = Session::new();
    session.write("pairs.csv", PAIRS);
    assert_session!(session.transcript(&[
        "oddsmith fit pairs.csv 'case ~ x + y + strata(set)' --format table",
        "oddsmith fit pairs.csv 'case ~ x' --model conditional-logistic --strata set --ci wald --tidy",
        "oddsmith fit pairs.csv 'case ~ x' --strata set --ci wald --tidy",
        "oddsmith fit pairs.csv 'case ~ x' --model conditional-logistic",
        "oddsmith fit pairs.csv 'case ~ x' --model logistic --strata set",
        "oddsmith fit pairs.csv 'case ~ x + strata(case)'",
        "oddsmith fit pairs.csv 'case ~ x + strata(set)' -o x.odds",
        "oddsmith fit pairs.csv 'case ~ x + strata(set)' --l2 1",
        "oddsmith fit pairs.csv 'case ~ y + strata(set)' --where 'set == \"c\"'",
    ]));
}

#[test]
fn separated_sets_and_sets_without_a_contrast() {
    let session = Session::new();
    let pair = |at: u32| format!("{at},1,{},{}\n{at},0,{},{}\n", 3 + at, at % 3, 1 + at, (at + 1) % 3);
    session.write("apart.csv", format!("set,case,x,z\n{}", (0..12).map(pair).collect::<String>()));
    session.write("alone.csv", "set,case,x\na,1,2\na,1,3\nb,0,1\nb,0,4\n");
    assert_session!(session.transcript(&[
        "oddsmith fit apart.csv 'case ~ x + z + strata(set)' --format table -q",
        "oddsmith fit apart.csv 'case ~ x + z + strata(set)' --on-separation firth --format table -q",
        "oddsmith fit alone.csv 'case ~ x + strata(set)'",
        "oddsmith fit apart.csv 'case ~ x + set + strata(set)'",
        "oddsmith rounds begin 'case ~ x + strata(set)' --set firth=true --analysis conditional-logistic -o firth.round",
        "oddsmith rounds begin 'case ~ z + strata(set)' -o sets.round",
        "oddsmith rounds begin 'case ~ z' --strata set --firth -o by-option.round",
        "oddsmith rounds begin 'low ~ smoke' --analysis table -o t.round",
    ]));
}

#[test]
fn effects_in_risk() {
    let session = Session::new();
    assert_session!(session.transcript(&[
        "oddsmith fit births.csv 'low ~ age + lwt + race * smoke' --effects smoke --within race --format table -q",
        "oddsmith fit births.csv 'low ~ age + lwt + smoke' --effects lwt --tidy -q",
        "oddsmith fit births.csv 'low ~ age + smoke' --effects race -q",
        "oddsmith fit births.csv 'low ~ age + smoke' --effects smoke --within race -q",
        "oddsmith fit births.csv 'low ~ age * smoke' --effects smoke --within age -q",
        "oddsmith fit births.csv 'low ~ age + smoke' --l2 1 --effects smoke -q",
        "oddsmith fit births.csv --target low --features age,smoke --effects smoke -q",
    ]));
}

/// A column of 0 and 1 has two levels, whether it is read as numbers or as a category.
#[test]
fn effects_within_zero_and_one() {
    let session = Session::new();
    let line = "oddsmith fit births.csv 'low ~ lwt + smoke * ht' --effects smoke --within ht --tidy -q";
    let [as_numbers, as_levels] =
        ["", " --kind ht=category"].map(|kind| String::from_utf8(session.shell(&format!("{line}{kind}")).stdout).unwrap());
    let cells = |text: &str| text.split([',', '\n']).map(str::to_owned).collect::<Vec<_>>();
    let (numbers, levels) = (cells(&as_numbers), cells(&as_levels));
    assert!(numbers.len() == levels.len() && numbers.len() > 100, "{as_numbers}\n{as_levels}");
    for (a, b) in numbers.iter().zip(&levels) {
        match (a.parse::<f64>(), b.parse::<f64>()) {
            (Ok(a), Ok(b)) => assert!((a - b).abs() <= 1e-9 * (1.0 + a.abs()), "{a} and {b}"),
            _ => assert_eq!(a, b),
        }
    }
}

#[test]
fn descriptions_and_scans() {
    let session = Session::new();
    session.write("gaps.csv", "arm,age,stage,note\na,50,I,x y\na,,II,z\nb,61,II,q\nb,70,,w v\nb,58,I,\n");
    session.write("labels.csv", "age,\"Age, years\"\nstage,Stage,II,second\n");
    let stones = "treatment,size,success,n\nA,small,yes,81\nA,small,no,6\nA,large,yes,192\nA,large,no,71\nB,small,yes,234\nB,small,no,36\n";
    session.write("stones.csv", format!("{stones}B,large,yes,55\nB,large,no,25\n"));
    assert_session!(session.transcript(&[
        "oddsmith describe births.csv --by low --exclude bwt --format table -q",
        "oddsmith describe births.csv --by race --columns age,smoke,ht --numbers mean --equal-variances --format md -q",
        "oddsmith describe gaps.csv --by arm --columns age,stage --labels labels.csv --format table",
        "oddsmith describe gaps.csv --columns age,stage --tidy",
        "oddsmith describe births.csv --by low --columns age,race --tests",
        "oddsmith describe births.csv --by low --format docx | head -c 2",
        "oddsmith confounding births.csv --outcome low --exposure smoke --exclude bwt --format table",
        "oddsmith confounding stones.csv --outcome success --exposure treatment --weight n --tidy",
        "oddsmith subgroups births.csv --outcome low --exposure smoke --candidates race,age --permutations 99 --format table",
        "oddsmith fit births.csv 'low ~ smoke * ht' --kind ht=category --effects smoke --within ht --tidy -q",
        "oddsmith fit births.csv 'low ~ race + age' --labels labels.csv --crude --format table -q",
    ]));
}

#[test]
fn what_cannot_be_described_or_scanned() {
    let session = Session::new();
    session.write("labels.csv", "age\n");
    assert_session!(session.transcript(&[
        "oddsmith describe births.csv --by lwt",
        "oddsmith describe births.csv --by low --columns age,agee",
        "oddsmith describe births.csv --by low --columns low,age",
        "oddsmith describe births.csv --by low --labels labels.csv",
        "oddsmith describe births.csv --tests",
        "oddsmith confounding births.csv --outcome low --exposure race",
        "oddsmith confounding births.csv --outcome race --exposure smoke",
        "oddsmith confounding births.csv --outcome low --exposure smoke --candidates smoke,age",
        "oddsmith confounding births.csv --outcome low",
        "oddsmith subgroups births.csv --outcome low --exposure smoke --least 95",
        "oddsmith fit births.csv 'low ~ age' -o m.odds -q --glance | head -0",
        "oddsmith predict m.odds births.csv --format docx",
    ]));
}

/// The same counts whether they come as rows, as weights or as cells.
#[test]
fn counts_of_a_table_are_those_of_the_rows() {
    let session = Session::new();
    session.write("counts.csv", "low,smoke,n\nyes,1,30\nno,1,44\nyes,0,29\nno,0,86\n");
    let json = |command: &str| -> Value { serde_json::from_slice(&session.shell(&format!("{command} --json -q")).stdout).unwrap() };
    let rows = json("oddsmith table births.csv --outcome low --exposure smoke");
    for other in ["oddsmith table counts.csv --outcome low --exposure smoke --weight n", "oddsmith table --cells 30,44,29,86"] {
        let other = json(other);
        let (ours, theirs) = (rows["table"]["tidy"].as_array().unwrap(), other["table"]["tidy"].as_array().unwrap());
        assert_eq!(ours.len(), theirs.len());
        for (a, b) in ours.iter().zip(theirs) {
            assert_eq!((&a["estimate"], &a["conf_low"], &a["conf_high"]), (&b["estimate"], &b["conf_low"], &b["conf_high"]));
        }
    }
    let counts = rows["counts"]["counts"].as_array().unwrap();
    assert_eq!(
        (counts[1]["low = yes"].as_f64(), counts[1]["n"].as_f64(), counts[1]["proportion"].as_f64()),
        (Some(30.0), Some(74.0), Some(30.0 / 74.0))
    );
    let facts = &rows["table"]["facts"];
    assert_eq!((facts["rows"].as_f64(), facts["events"].as_f64()), (Some(189.0), Some(59.0)));
    // The least expected count is that of exposed cases: 74 · 59 / 189.
    assert!((facts["least expected count"].as_f64().unwrap() - 74.0 * 59.0 / 189.0).abs() < 1e-12);
}
