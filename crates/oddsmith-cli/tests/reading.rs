//! Tables that are broken, odd or missing, and what the person is told.

mod session;

use insta::assert_snapshot;
use session::Session;

#[test]
fn empty_files_and_headers_without_rows() {
    let session = Session::new();
    session.write("empty.csv", "").write("blank.csv", "\n\n \n").write("header.csv", "a,y\n").write("alone.csv", "y\nno\nyes\n");
    assert_snapshot!(session.transcript(&[
        "oddsmith fit empty.csv --target y",
        "oddsmith fit blank.csv --target y",
        "oddsmith fit header.csv --target y",
        "oddsmith fit alone.csv --target y",
        "oddsmith fit /dev/null --target y",
        "oddsmith check empty.csv --target y",
        "oddsmith check header.csv --target y --json",
    ]));
}

#[test]
fn paths_that_are_no_table() {
    let session = Session::new();
    std::fs::create_dir(session.path().join("folder")).unwrap();
    assert_snapshot!(session.transcript(&[
        "oddsmith fit absent.csv --target y",
        "oddsmith fit folder --target y",
        "oddsmith fit -- -odd.csv --target y",
        "cp visits.csv ./-odd.csv; oddsmith check -q --target readmitted --format csv -- -odd.csv",
        "cp visits.csv $(printf 'caf\\351.csv'); oddsmith fit $(printf 'caf\\351.csv') --target readmitted --format csv | head -1",
        "oddsmith fit - --target readmitted -q < visits.csv | head -2",
        "mkfifo pipe; cat visits.csv > pipe & oddsmith fit pipe --target readmitted -q | head -2",
    ]));
}

#[test]
fn unknown_columns_are_met_with_a_suggestion() {
    let session = Session::new();
    assert_snapshot!(session.transcript(&[
        "oddsmith fit visits.csv --target readmited",
        "oddsmith fit visits.csv --target died",
        "oddsmith fit visits.csv --target readmitted --features age,wrad",
        "oddsmith fit visits.csv --target readmitted --exclude ident",
        "oddsmith fit visits.csv --target readmitted --weight w",
        "oddsmith fit visits.csv --target readmitted --kind wrd=text",
        "oddsmith fit visits.csv --target readmitted --features readmitted",
        "oddsmith fit visits.csv",
    ]));
}

#[test]
fn ragged_rows() {
    let session = Session::new();
    session.write("t.csv", "a,b,y\n1,2,no\n3,yes\n4,5,yes\n6,7,no,8\n2,2,yes\n");
    assert_snapshot!(session.transcript(&[
        "oddsmith fit t.csv --target y",
        "oddsmith check t.csv --target y --ragged pad --format csv",
        "oddsmith check t.csv --target y --ragged skip --format csv",
    ]));
}
