//! Signals: a stop is noticed at once and leaves nothing half-written; a reader that goes away is no error.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::session::Session;

/// The promise.
const LATENCY: Duration = Duration::from_millis(200);

/// Sends a signal, waits, and gives the exit code and how long it took.
fn stop(child: &mut Child, signal: &str) -> (Option<i32>, Duration) {
    let started = Instant::now();
    let sent = std::process::Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let code = child.wait().unwrap().code();
    (code, started.elapsed())
}

/// A table that takes much longer to fit than the test waits.
fn large_table(session: &Session) {
    let mut file = std::io::BufWriter::new(std::fs::File::create(session.path().join("large.csv")).unwrap());
    writeln!(file, "a,b,c,d,e,f,y").unwrap();
    for i in 0..1_500_000u64 {
        let x = i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        writeln!(
            file,
            "{}.{},{},{},{}.5,{},{},{}",
            x % 977,
            x % 31,
            x % 1013,
            x % 7,
            x % 509,
            x % 3,
            x % 89,
            ["no", "yes"][(x % 2) as usize]
        )
        .unwrap();
    }
}

#[test]
fn a_fit_stops_at_once_and_leaves_nothing() {
    let session = Session::new();
    large_table(&session);
    // At several times: while the table is read for the first time, and in later passes.
    for (signal, code, wait) in [("-INT", 130, 60), ("-TERM", 143, 150), ("-INT", 130, 300)] {
        let mut child = session
            .program()
            .args(["fit", "large.csv", "--target", "y", "--memory", "8M", "--threads", "1", "-o", "large.odds"])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        assert!(child.try_wait().unwrap().is_none(), "the fit was over before it could be stopped");
        let (exit, took) = stop(&mut child, signal);
        assert_eq!(exit, Some(code));
        assert!(took <= LATENCY, "{took:?}");
        assert_eq!(session.new_files(), ["large.csv"]);
    }
}

#[test]
fn a_read_that_waits_for_nobody_is_left_and_its_temporary_file_removed() {
    let session = Session::new();
    session.shell("oddsmith fit -q visits.csv --target readmitted --exclude id -o visits.odds");
    let mut child = session
        .program()
        .args(["predict", "visits.odds", "-", "-o", "scored.csv"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&session.read("visits.csv")).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    let (code, took) = stop(&mut child, "-INT");
    drop(stdin);
    assert_eq!(code, Some(130));
    assert!(took <= LATENCY, "{took:?}");
    assert_eq!(session.new_files(), ["visits.odds"]);
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let session = Session::new();
    session.shell("oddsmith fit -q visits.csv --target readmitted --exclude id -o visits.odds");
    let output = session.shell("(oddsmith sample visits.odds -n 1000000; echo $? > code) | head -1");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "age,ward,smoker,readmitted\n");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(session.read("code"), b"0\n");
}

#[test]
fn a_stream_is_answered_while_it_flows() {
    let session = Session::new();
    session.shell("oddsmith fit -q visits.csv --target readmitted --exclude id -o visits.odds");
    let mut child =
        session.program().args(["predict", "-q", "visits.odds", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || lines.map_while(Result::ok).for_each(|line| sender.send(line).unwrap_or_default()));
    stdin.write_all(&session.read("visits.csv")).unwrap();
    stdin.flush().unwrap();
    for row in 0..9 {
        receiver.recv_timeout(Duration::from_secs(5)).unwrap_or_else(|_| panic!("no line {row} while the input is still open"));
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn memory_that_runs_out_is_told_by_exit_code_6() {
    let session = Session::new();
    let rows: String = (0..5000).map(|i| format!("{},{}.5,{}\n", i % 97, i % 13, ["no", "yes"][i % 2])).collect();
    session.write("some.csv", format!("a,b,y\n{rows}"));
    let under = |limit: u32, words: &str| session.shell(&format!("ulimit -v {limit}; exec oddsmith {words} > /dev/null"));
    let first = (1..100).map(|step| step * 4096).find(|limit| under(*limit, "--version").status.success()).unwrap();
    let mut codes = std::collections::BTreeSet::new();
    for step in 0..24 {
        let output = under(first + step * 8192, "fit -q some.csv --target y --model forest --threads 2");
        let message = String::from_utf8(output.stderr).unwrap();
        let code = output.status.code();
        assert!(matches!(code, Some(0 | 6)), "{code:?} under {} KiB: {message}", first + step * 8192);
        assert!(code == Some(0) || message.contains("memory") || message.contains("error"), "{message}");
        codes.insert(code);
    }
    assert_eq!(codes.len(), 2, "one end only: {codes:?}");
}
