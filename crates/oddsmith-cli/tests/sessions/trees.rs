//! Trees, forests and boosting: what they show, and what they refuse.

use crate::session::Session;

const COLUMNS: &str = "--features age,lwt,race,smoke,ht,ui";

#[test]
fn a_tree_is_read_as_text_and_explained() {
    let session = Session::new();
    assert_session!(session.transcript(&[
        &format!("oddsmith fit births.csv --target low {COLUMNS} --model tree --max-depth 3 --format table -o tree.odds"),
        "oddsmith show tree.odds --tidy --format csv | head -4",
        "oddsmith explain tree.odds births.csv --row 7 --format table",
        "oddsmith fit iris.csv --target Species --model tree --max-depth 2 --leaf-smoothing 0 --format table",
        &format!("oddsmith fit births.csv --target low {COLUMNS} --model forest --n-estimators 20 --format table -o forest.odds"),
        "oddsmith explain forest.odds births.csv --row 7",
        &format!("oddsmith fit births.csv --target low {COLUMNS} --model boosting --max-iter 10 --max-leaf-nodes 4 --format table -o boosting.odds"),
        "oddsmith explain boosting.odds births.csv --row 7 --format table",
    ]));
}

#[test]
fn what_trees_refuse_and_what_they_do_not_mind() {
    let session = Session::new();
    session
        .write("one.csv", "x,y\n1,a\n2,a\n")
        .write("gaps.csv", "x,z,y\n1,,a\n2,,b\n2,,a\n3,,b\n")
        .write("constant.csv", "x,z,y\n1,7,a\n2,7,b\n2,7,a\n3,7,b\n")
        .write("only.csv", "z,y\n7,a\n7,b\n7,a\n")
        .write("infinite.csv", "x,y\n1,a\ninf,b\n2,a\n")
        .write("weights.csv", "x,w,y\n1,0,a\n2,0,b\n")
        .write("towns.csv", "town,y\nBern,a\nChur,b\nBern,a\nChur,b\nOslo,b\n")
        .write("texts.csv", "t,y\ngood day,a\nbad day,b\n")
        .write("new.csv", "town\nBern\nParis\n");
    assert_session!(session.transcript(&[
        "oddsmith fit births.csv --target low --model tree --max-depth 0",
        "oddsmith fit births.csv --target low --model forest --max-depth 0",
        "oddsmith fit births.csv --target low --model boosting --max-depth 0",
        "oddsmith fit births.csv --target low --model forest --max-features none",
        "oddsmith fit births.csv --target low --model boosting --learning-rate 0",
        "oddsmith fit births.csv --target low --model tree --smoothing 1",
        "oddsmith fit texts.csv --target y --kind t=text --model tree",
        "oddsmith fit one.csv --target y --model tree",
        "oddsmith fit gaps.csv --target y --model tree --kind z=number --format table",
        "oddsmith fit constant.csv --target y --model boosting --format table",
        "oddsmith fit only.csv --target y --model tree --format table",
        "oddsmith fit infinite.csv --target y --model tree",
        "oddsmith fit weights.csv --target y --weight w --model forest",
        "oddsmith fit towns.csv --target y --model tree --leaf-smoothing 1 -o towns.odds --format table",
        "oddsmith predict towns.odds new.csv",
    ]));
}
