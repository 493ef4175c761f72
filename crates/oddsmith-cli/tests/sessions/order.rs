//! The order of levels and classes: as it was declared, not as text sorts it.

use crate::session::Session;

/// Drinkers and whether they fell ill; sorted as text, `120+` would come before `40-79`, and `control` would be the event.
fn drinkers(session: &Session) -> &Session {
    let counts = [("0-39", 6, 30), ("40-79", 9, 24), ("80-119", 12, 18), ("120+", 15, 9)];
    let mut table = String::from("state,alc,sex\n");
    for (level, cases, controls) in counts {
        for (label, count) in [("case", cases), ("control", controls)] {
            (0..count).for_each(|at| table.push_str(&format!("{label},{level},{}\n", ["f", "m"][at % 2])));
        }
    }
    session.write("drinkers.csv", table)
}

const LEVELS: &str = "--levels 'alc=0-39<40-79<80-119<120+'";

#[test]
fn levels_and_the_event_are_declared() {
    let session = Session::new();
    drinkers(&session);
    assert_session!(session.transcript(&[
        &format!("oddsmith fit drinkers.csv 'state ~ alc' {LEVELS} --event case --format table -o state.odds"),
        "oddsmith predict state.odds drinkers.csv -q | head -2",
        "oddsmith evaluate state.odds drinkers.csv --format table -q | head -3",
        &format!("oddsmith fit drinkers.csv 'state ~ ordered(alc)' {LEVELS} --levels 'state=control<case' --format table -q"),
        "oddsmith fit drinkers.csv 'state ~ C(alc, levels=[\"0-39\", \"40-79\", \"80-119\", \"120+\"])' --event case --format table -q",
        &format!("oddsmith fit drinkers.csv --target state {LEVELS} --event case --format table -q"),
        &format!("oddsmith check drinkers.csv --target state {LEVELS} --event case --format table"),
        &format!("oddsmith compare drinkers.csv --target state --models nb,logistic --folds 3 {LEVELS} --event case --show weights -q"),
        &format!("oddsmith select drinkers.csv --formula 'state ~ alc + sex' --by aic --holdout 0 {LEVELS} --event case --format table -q"),
        "oddsmith predict state.odds drinkers.csv --id state -q > scored.csv",
        "oddsmith evaluate scored.csv --target state --probabilities p_case --event case --format table -q | head -4",
        "oddsmith evaluate drinkers.csv --target state --event case",
    ]));
}

#[test]
fn statistics_and_rounds_keep_the_order() {
    let session = Session::new();
    drinkers(&session);
    assert_session!(session.transcript(&[
        "(head -1 drinkers.csv; grep -E ',(0-39|120.),' drinkers.csv) > a.csv",
        "(head -1 drinkers.csv; grep -E ',(40-79|80-119|120.),' drinkers.csv) > b.csv",
        &format!("oddsmith stats gather a.csv --target state {LEVELS} --event case -o a.stats -q"),
        &format!("oddsmith stats gather b.csv --target state {LEVELS} --event case -o b.stats -q"),
        "oddsmith stats merge a.stats b.stats -o all.stats -q",
        "oddsmith fit all.stats --model nb --features alc --format table -q",
        "oddsmith fit all.stats --model nb --features alc --event control --levels 'alc=120+<80-119<40-79<0-39' --format table -q",
        &format!("oddsmith rounds begin 'state ~ alc' {LEVELS} --event case -o r.round -q"),
        "oddsmith rounds answer r.round a.csv -o a.answer -q",
        "oddsmith rounds answer r.round b.csv -o b.answer -q",
        "oddsmith rounds advance r.round a.answer b.answer -o state.odds -q",
        "oddsmith show r.round --format table",
    ]));
}

#[test]
fn orders_that_cannot_be() {
    let session = Session::new();
    drinkers(&session);
    assert_session!(session.transcript(&[
        "oddsmith fit drinkers.csv 'state ~ alc' --levels 'alc=0-39<40-79<120+'",
        "oddsmith fit drinkers.csv 'state ~ alc' --levels 'alc=0-39<40-79<80-119<120+<200+' --tidy -q | cut -d, -f3",
        "oddsmith fit drinkers.csv 'state ~ alc' --levels 'alc=0-39<40-79<80-119<120+<200+' --strict",
        "oddsmith fit drinkers.csv 'state ~ alc' --levels 'alcohol=a<b'",
        "oddsmith fit drinkers.csv 'state ~ alc' --levels 'alc=a<a'",
        "oddsmith fit drinkers.csv 'state ~ alc' --levels alc",
        "oddsmith fit drinkers.csv 'state ~ alc' --event cases",
        "oddsmith fit drinkers.csv 'alc ~ state' --event 120+",
        "oddsmith fit drinkers.csv 'state ~ alc' --event case --ref state=case",
        "oddsmith fit births.csv 'cbind(age, lwt) ~ smoke' --event age",
        "oddsmith fit drinkers.csv 'state ~ C(alc, levels=[\"0-39\", \"120+\"])'",
        "oddsmith fit drinkers.csv 'state ~ C(alc, levels=[\"0-39\", \"0-39\"])'",
        "oddsmith fit drinkers.csv 'state ~ C(alc, levels=high)'",
    ]));
}
