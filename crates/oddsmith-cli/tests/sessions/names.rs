//! Column names, levels and labels that try to break the place where they are shown.

use crate::session::Session;

#[test]
fn repeated_and_empty_names() {
    let session = Session::new();
    session.write("twice.csv", "a,a,y\n1,2,no\n2,1,yes\n").write("empty.csv", "a,,y\n1,2,no\n2,1,yes\n");
    assert_session!(session.transcript(&[
        "oddsmith check twice.csv --target y",
        "oddsmith check twice.csv --target y --dedup-names --format csv",
        "oddsmith check empty.csv --target y --format csv",
    ]));
}

#[test]
fn hostile_names_are_shown_and_never_obeyed() {
    let session = Session::new();
    session.write("t.csv", "__proto__,<script>alert(1)</script>,\x1b]0;title\x07,=1+1,y\n1,2,a,3,no\n2,1,b\x1b[31m,2,yes\n1,1,a,2,no\n");
    let text = session.transcript(&[
        "oddsmith fit t.csv --target y --format table",
        "oddsmith fit t.csv --target y --format md -q",
        "oddsmith fit t.csv --target y --format html -q",
        "oddsmith fit t.csv --target y --format latex -q",
        "oddsmith fit t.csv --target y --format csv -q --guard-formulas | grep 1+1",
        "oddsmith fit t.csv --target nope",
    ]);
    assert!(!text.contains('\x1b') && !text.contains('\x07'), "an escape sequence reached the terminal");
    assert!(!text.contains("<script>alert(1)</script></td>"));
    assert_session!(text);
}

#[test]
fn hostile_file_names_are_spelled_out() {
    let session = Session::new();
    let output = session.program().args(["fit", "\x1b[31mred.csv", "--target", "y"]).output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "error: \\x1b[31mred.csv: No such file or directory (os error 2)\n");
}

#[test]
fn hostile_names_survive_the_way_through_a_model_file() {
    let session = Session::new();
    session.write("t.csv", "__proto__,\x1b[2J,y\n1,a,no\n2,b,\x1b[31myes\n3,b,\x1b[31myes\n2,a,no\n");
    let fit = session.shell("oddsmith fit -q t.csv --target y -o t.odds > card.csv");
    assert_eq!(fit.status.code(), Some(0), "{}", String::from_utf8_lossy(&fit.stderr));
    let json = session.shell("oddsmith predict t.odds t.csv --json");
    let rows: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(rows[1]["predicted"], "\x1b[31myes");
    let shown = session.shell("oddsmith show t.odds --format table");
    assert!(!String::from_utf8_lossy(&shown.stdout).contains('\x1b'));
}
