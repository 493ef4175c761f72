//! Tables that are broken, odd or missing, and what the person is told.

use crate::session::Session;

/// What `check` says about `t.csv` with target `y`, as a person sees it.
const CHECK: &str = "oddsmith check t.csv --target y --format table";

#[test]
fn empty_files_and_headers_without_rows() {
    let session = Session::new();
    session.write("empty.csv", "").write("blank.csv", "\n\n \n").write("header.csv", "a,y\n").write("alone.csv", "y\nno\nyes\n");
    assert_session!(session.transcript(&[
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
    assert_session!(session.transcript(&[
        "oddsmith fit absent.csv --target y",
        "oddsmith fit folder --target y",
        "oddsmith fit --target y -- -odd.csv",
        "oddsmith fit /proc/self/mem --target y",
    ]));
}

#[test]
fn unusual_paths_and_streams_are_read_like_files() {
    let session = Session::new();
    assert_session!(session.transcript(&[
        "cp visits.csv ./-odd.csv; oddsmith check -q --target readmitted --format csv -- -odd.csv | head -2",
        "cp visits.csv \"$(printf 'caf\\351.csv')\"; oddsmith check -q --target readmitted --format csv \"$(printf 'caf\\351.csv')\" | head -2",
        "oddsmith check -q --target readmitted --format csv - < visits.csv | head -2",
        "mkfifo pipe; cat visits.csv > pipe & oddsmith check -q --target readmitted --format csv pipe | head -2",
        "gzip -k visits.csv; oddsmith check --target readmitted --format table visits.csv.gz | head -1",
    ]));
}

#[test]
fn unknown_columns_are_met_with_a_suggestion() {
    let session = Session::new();
    assert_session!(session.transcript(&[
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
    assert_session!(session.transcript(&[
        "oddsmith fit t.csv --target y",
        "oddsmith check t.csv --target y --ragged pad --format csv",
        "oddsmith check t.csv --target y --ragged skip --format csv",
    ]));
}

#[test]
fn encodings() {
    let session = Session::new();
    let utf16: Vec<u8> = "\u{feff}größe,y\n1,ja\n2,nein\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    session.write("latin.csv", b"gr\xf6\xdfe,y\n1,ja\n2,nein\n").write("utf16.csv", utf16);
    session.write("bom.csv", "\u{feff}größe,y\r\n1,ja\r\n2,nein\r\n").write("cr.csv", "a,y\r1,ja\r2,nein\r");
    session.write("nul.csv", "a,y\nx\0z,ja\nx\0z,nein\nx,ja\n");
    assert_session!(session.transcript(&[
        "oddsmith check latin.csv --target y",
        "oddsmith check latin.csv --target y --encoding latin1 --format table",
        "oddsmith check latin.csv --target y --encoding klingon",
        "oddsmith check utf16.csv --target y --format table",
        "oddsmith check bom.csv --target y --format table",
        "oddsmith check cr.csv --target y --format table",
        "oddsmith check nul.csv --target y --format table",
    ]));
}

#[test]
fn dialects() {
    let session = Session::new();
    session.write("semicolon.csv", "a;y\n1,5;ja\n2,5;nein\n3,25;ja\n").write("tab.tsv", "a\ty\n1\tja\n2\tnein\n");
    session.write("preamble.csv", "Report of 2026\n\na,b,y\n1,2,ja\n2,3,nein\n").write("trailing.csv", "a,y,\n1,ja,\n2,nein,\n");
    session.write("headless.csv", "1,2,3\n2,3,4\n1,5,3\n").write("quote.csv", "a,y\n\"1,ja\n2,nein\n");
    assert_session!(session.transcript(&[
        "oddsmith check semicolon.csv --target y --format table",
        "oddsmith check tab.tsv --target y --format table",
        "oddsmith check preamble.csv --target y --format table",
        "oddsmith check trailing.csv --target y --format table",
        "oddsmith check headless.csv --target column_3 --format table",
        "oddsmith check quote.csv --target y",
        "oddsmith check tab.tsv --target y --delimiter ,",
        "oddsmith check tab.tsv --target y --delimiter ab",
    ]));
}

#[test]
fn cells_that_are_too_long() {
    let session = Session::new();
    session.write("t.csv", format!("a,y\n1,{}\n2,no\n", "x".repeat(17 << 20)));
    assert_session!(session.transcript(&["oddsmith check t.csv --target y"]));
}

#[test]
fn numbers_that_are_none() {
    let session = Session::new();
    session.write("inf.csv", "a,y\n1,no\n2,yes\n-inf,no\n").write("kind.csv", "a,y\n1,no\ntwo,yes\n3,no\n");
    session.write("zero.csv", "a,y\n-0.0,no\n0.0,yes\n5e-324,no\n-0,yes\n").write("t.csv", "a,y\n?,no\n2,yes\nNaN,no\n1,yes\n");
    assert_session!(session.transcript(&[
        "oddsmith fit inf.csv --target y",
        "oddsmith fit inf.csv --target y --json",
        "oddsmith fit kind.csv --target y --kind a=number",
        "oddsmith check zero.csv --target y --kind a=category --format table",
        CHECK,
        "oddsmith check t.csv --target y --missing-markers '?,NaN' --format table",
        "oddsmith fit t.csv --target y --kind a=float",
    ]));
}

#[test]
fn missing_targets_and_gaps_are_counted() {
    let session = Session::new();
    session.write("t.csv", "a,b,y\n1,u,no\n,v,yes\n3,,\n4,u,no\n5,v,yes\n").write("none.csv", "a,y\n1,\n2,NA\n");
    assert_session!(session.transcript(&[CHECK, "oddsmith check none.csv --target y"]));
}

#[test]
fn blank_lines_and_stray_quotes() {
    let session = Session::new();
    session.write("t.csv", "a,b,y\n1,2,no\n\n3,4,yes\n5,1,no\n2,2,yes\n\n").write("one.csv", "a\n1\n\n3\n");
    session.write("pipes.tsv", "text\ty\n\"5 pipes, long\tno\n6 pipes\tyes\nthe \"wide\" pipe\tno\n7 pipes\tyes\n");
    session.write("mixed.csv", "text,y\n\"5, pipe\",no\n\"6 pipe,yes\n7 \"wide\" pipes,no\n");
    assert_session!(session.transcript(&[
        "oddsmith fit t.csv --target y --features a -o a.odds --format csv | head -1",
        "oddsmith predict a.odds one.csv",
        "cat one.csv | oddsmith predict a.odds - | wc -l",
        "tail -n +2 one.csv | oddsmith predict a.odds - --names a | tail -n +2 | wc -l",
        "oddsmith predict a.odds t.csv",
        "oddsmith evaluate a.odds t.csv --show classes --format csv",
        "oddsmith check pipes.tsv --target y --format table",
        "oddsmith check mixed.csv --target y",
        "oddsmith check mixed.csv --target y --quote none",
    ]));
}

#[test]
fn labels_that_are_one_number_are_told() {
    let session = Session::new();
    session.write("t.csv", "a,y\n1,1\n2,0\n3,1.0\n4,0\n5,1\n2,1.0\n").write("fine.csv", "a,y\n1,1\n2,0\n3,1\n4,0\n5,1\n2,x\n");
    let said = |line: &str| String::from_utf8(session.shell(line).stderr).unwrap();
    let told = said("oddsmith fit t.csv --target y");
    assert!(told.contains("W107 y: `1` and `1.0` are one number and two classes"), "{told}");
    assert!(!said("oddsmith fit fine.csv --target y").contains("W107"));
}

#[test]
fn files_of_other_programs() {
    let session = Session::new();
    session.write("old.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0").write("rows.db", b"SQLite format 3\0\x10\0\x01");
    session
        .write("study.dta", b"\x72\x02\x01\0\x0a\0")
        .write("rows.zip", b"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x08\0\0\0rows.csv");
    assert_session!(session.transcript(&[
        "oddsmith check old.xls --target y",
        "oddsmith fit rows.db --target y",
        "oddsmith fit study.dta --target y --json",
        "oddsmith check rows.zip --target y",
        "oddsmith check births.csv --target low --sheet Births",
    ]));
}

#[test]
fn names_and_kinds_of_columns() {
    let session = Session::new();
    let cell = |i: usize| if i == 7 { "abc".into() } else { (i * i % 37).to_string() };
    let lines: String = (0..40).map(|i| format!("{},{},{}\n", cell(i), i % 2, ["no", "yes"][usize::from(i % 5 < 2)])).collect();
    session.write("t.csv", format!("x,flag,y\n{lines}")).write("headless.csv", &lines);
    assert_session!(session.transcript(&[
        "oddsmith check t.csv --target y --format table",
        "oddsmith check t.csv --target y --kind x=number",
        "oddsmith fit t.csv --target y --missing-markers abc --format table",
        "oddsmith fit t.csv --target y --missing-markers abc --kind flag=number --format table",
        "oddsmith fit t.csv --target y --features flag --distribution flag=gaussian --format table",
        "oddsmith fit t.csv 'y ~ flag' --format csv -q --tidy | cut -d, -f1-3",
        "oddsmith check headless.csv --names x,flag,y --target y --missing-markers abc --format table",
        "oddsmith check headless.csv --names x,y --target y",
        "oddsmith check t.csv --header --names x,flag,y --target y",
    ]));
}

#[test]
fn balanced_arms_are_no_leak() {
    let session = Session::new();
    let lines: String = (0..120).map(|i| format!("{},{},{}\n", ["A", "B", "C"][i % 3], 1 + i % 4, ["no", "yes"][i / 3 % 2])).collect();
    session.write("trial.csv", format!("arm,n,y\n{lines}"));
    assert_session!(session.transcript(&[
        "oddsmith check trial.csv --target y --exclude n --format table --strict",
        "oddsmith check trial.csv --target y --weight n --format table",
        "oddsmith check trial.csv --target y --weight n --weight-kind sampling --format table",
    ]));
}

#[test]
fn labels_that_look_alike_and_targets_that_are_none() {
    let session = Session::new();
    session.write("t.csv", "a,y\n1,Yes\n2,yes \n3,no\n4,no\n").write("one.csv", "a,y\n1,no\n2,no\n");
    let many: String = (0..10_001).map(|i| format!("{i},c{i}\n")).collect();
    session.write("many.csv", format!("a,y\n{many}"));
    session.write("digits.csv", "a,y\n1,1\n2,1.0\n3,99999999999999999999999\n4,01\n");
    assert_session!(session.transcript(&[
        CHECK,
        "oddsmith check one.csv --target y",
        "oddsmith fit one.csv --target y",
        "oddsmith fit one.csv --target y --model lda",
        "oddsmith fit one.csv --target y --model qda",
        "oddsmith check many.csv --target y",
        "oddsmith check many.csv --target y --max-classes 20000 --format ndjson -q | tail -1",
        "oddsmith check digits.csv --target y --format table",
    ]));
}

#[test]
fn weights() {
    let session = Session::new();
    session.write("negative.csv", "a,w,y\n1,1,no\n2,-1,yes\n").write("word.csv", "a,w,y\n1,1,no\n2,many,yes\n");
    session.write("gap.csv", "a,w,y\n1,1,no\n2,,yes\n").write("zero.csv", "a,w,y\n1,1,no\n2,0,yes\n3,2,no\n");
    session.write("half.csv", "a,w,y\n1,1.5,no\n2,1,yes\n3,2,no\n4,0.5,yes\n");
    assert_session!(session.transcript(&[
        "oddsmith fit negative.csv --target y --weight w",
        "oddsmith fit word.csv --target y --weight w",
        "oddsmith fit gap.csv --target y --weight w",
        "oddsmith fit zero.csv --target y --weight w",
        "oddsmith fit half.csv --target y --weight w --weight-kind sampling --format table",
        "oddsmith fit half.csv --target y --weight-kind sampling",
    ]));
}
