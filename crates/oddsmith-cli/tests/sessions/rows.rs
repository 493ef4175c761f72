//! Some rows, and rows level by level.

use crate::session::Session;

#[test]
fn only_rows_for_which_a_condition_is_true() {
    let session = Session::new();
    session.write("odd.csv", "y,x,g\nno,1,a\nyes,2,b\nno,,a\nyes,4,b\nno,5,\nyes,n/k,a\nno,0,b\n");
    assert_session!(session.transcript(&[
        "oddsmith fit births.csv 'low ~ lwt + smoke' --where 'age >= 20 & race != \"black\"' --format table -o low.odds",
        "awk -F, 'NR == 1 || ($2 >= 20 && $4 != \"black\")' births.csv > some.csv; oddsmith fit some.csv 'low ~ lwt + smoke' --format table -q",
        "oddsmith predict low.odds births.csv --where 'age == 45 | ht == 1 & age in [18, 24]' --id age,ht",
        "oddsmith evaluate low.odds births.csv --where 'age < 20' --show metrics | head -3",
        "oddsmith fit births.csv 'low ~ lwt' --where 'age >= 20' --strict --glance -q | cut -d, -f1-2",
        "oddsmith check births.csv --target low --features age --where 'smoke' --format table",
        "oddsmith fit odd.csv --target y --features x --kind x=category --where 'g == \"a\" | !(g == \"a\")' --glance",
        "oddsmith fit odd.csv --target y --features g --where 'x > 1'",
        "oddsmith fit odd.csv --target y --features g --where 'x > 1' --missing-markers n/k, --glance",
        "oddsmith fit births.csv 'low ~ lwt' --where 'agee > 20'",
        "oddsmith fit births.csv 'low ~ lwt' --where 'age = 20'",
        "oddsmith fit births.csv 'low ~ lwt' --where 'age'",
        "oddsmith fit births.csv 'low ~ lwt' --where 'age > 200'",
    ]));
}

#[test]
fn comparisons_and_intervals_in_formulas() {
    let session = Session::new();
    assert_session!(session.transcript(&[
        "oddsmith fit births.csv 'low ~ I(age > 30) + I(race == \"white\" & lwt >= 120)' --format table -q -o low.odds",
        "oddsmith predict low.odds births.csv -q | head -3",
        "oddsmith fit births.csv 'low ~ cut(age, c(13, 20, 30, 40))' --format table",
        "oddsmith fit births.csv 'low ~ cut(age, [10, 20, 30, Inf], right=false, ref=\"[20,30)\") + smoke' --tests --format table -q",
        "oddsmith fit births.csv 'low ~ cut(age, [10, 20, 30, 50], contrast=poly)' --format table -q",
        "oddsmith fit births.csv 'low ~ I(race > 2)'",
        "oddsmith fit births.csv 'low ~ I(age == \"x\")'",
    ]));
}

#[test]
fn one_result_for_every_level() {
    let session = Session::new();
    assert_session!(session.transcript(&[
        "oddsmith fit births.csv 'low ~ age + lwt' --by smoke --format table",
        "oddsmith fit births.csv 'low ~ age' --by smoke --tidy -q | cut -d, -f1-6",
        "cat births.csv | oddsmith fit - --target low --features age,lwt --model lda --by race --glance -q | cut -d, -f1-3",
        "oddsmith fit births.csv 'low ~ age' --by race --where 'smoke == 1' --tests --format md -q",
        "oddsmith fit births.csv 'low ~ age' --by smoke --json -q | head -c 300",
        "oddsmith fit births.csv 'low ~ lwt' -q --glance -o low.odds > all.csv; oddsmith evaluate low.odds births.csv --by race --show metrics -q | head -4",
        "oddsmith evaluate low.odds births.csv --by smoke --fail-if 'auc<0.6' --format table -q",
        "oddsmith compare births.csv --target low --features age,lwt --models nb,logistic --folds 3 --by smoke -q | cut -d, -f1-4",
        "oddsmith fit births.csv 'low ~ age' --by ht --tidy | cut -d, -f1-4",
        "oddsmith fit births.csv 'low ~ age' --by height",
        "oddsmith fit births.csv 'low ~ age' --by smoke -o low.odds",
    ]));
}
