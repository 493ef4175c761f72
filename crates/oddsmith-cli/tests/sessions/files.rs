//! Files that must not be lost, and files that must not be trusted.

use crate::session::Session;

fn fitted() -> Session {
    let session = Session::new();
    let fit = session.shell("oddsmith fit -q visits.csv --target readmitted --exclude id -o visits.odds");
    assert_eq!(fit.status.code(), Some(0), "{}", String::from_utf8_lossy(&fit.stderr));
    session
}

#[test]
fn the_input_is_never_overwritten() {
    let session = fitted();
    let before = session.read("visits.csv");
    assert_session!(session.transcript(&[
        "oddsmith fit visits.csv --target readmitted -o visits.csv",
        "ln -s visits.csv link.csv; oddsmith fit visits.csv --target readmitted -o link.csv",
        "ln visits.csv hard.csv; oddsmith fit hard.csv --target readmitted -o visits.csv",
        "oddsmith predict visits.odds visits.csv -o visits.csv",
        "oddsmith predict visits.odds visits.csv -o visits.odds",
        "oddsmith stats gather visits.csv --target readmitted -o ./visits.csv",
    ]));
    assert_eq!(session.read("visits.csv"), before);
}

#[test]
fn places_that_cannot_be_written() {
    let session = fitted();
    std::fs::create_dir(session.path().join("folder")).unwrap();
    assert_session!(session.transcript(&[
        "oddsmith fit visits.csv --target readmitted -o none/visits.odds",
        "oddsmith fit visits.csv --target readmitted -o folder",
        "oddsmith fit visits.csv --target readmitted -o /dev/full",
        "oddsmith fit visits.csv --target readmitted > /dev/full",
        "oddsmith predict visits.odds visits.csv > /dev/full",
        "oddsmith help W112 > /dev/full",
    ]));
}

#[test]
fn a_dash_is_standard_output() {
    let session = fitted();
    let told = |line: &str, code: i32| {
        let output = session.shell(line);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{line}: {message}");
        (String::from_utf8(output.stdout).unwrap(), message)
    };
    let (plain, _) = told("oddsmith predict -q visits.odds new_visits.csv", 0);
    assert_eq!(told("oddsmith predict -q visits.odds new_visits.csv -o -", 0).0, plain);
    for line in ["oddsmith fit visits.csv --target readmitted -o -", "oddsmith stats gather visits.csv --target readmitted -o -"] {
        assert!(told(line, 2).1.contains("`-` is standard output"));
    }
    assert_eq!(session.new_files(), ["visits.odds"]);
    told("oddsmith --help > /dev/full", 6);
}

#[test]
fn sums_of_the_same_rows_do_not_count_twice() {
    let session = Session::new();
    let gather = "oddsmith stats gather -q visits.csv --target readmitted";
    let output = session.shell(&format!("{gather} -o a.stats && cp a.stats b.stats && oddsmith stats merge a.stats b.stats -o c.stats"));
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), session.new_files().len()), (Some(3), 2), "{message}");
    assert!(message.contains("a.stats and b.stats do not fit together: both hold the same sums"), "{message}");
}

#[test]
fn what_was_never_added_is_told_when_it_is_taken_away() {
    let session = Session::new();
    let table = |from: usize, to: usize| {
        let rows: String = (from..to).map(|i| format!("{},{}\n", i * 17 % 40, ["no", "yes"][i * 7 % 3 % 2])).collect();
        format!("x,y\n{rows}")
    };
    for (name, from, to) in [("a", 0, 90), ("b", 90, 200), ("c", 200, 240)] {
        session.write(&format!("{name}.csv"), table(from, to));
        assert!(session.shell(&format!("oddsmith stats gather -q {name}.csv --target y -o {name}.stats")).status.success());
    }
    let said = |line: &str| {
        let output = session.shell(&format!("oddsmith stats {line}"));
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(said("merge a.stats b.stats -o ab.stats -q"), (Some(0), String::new()));
    let (code, told) = said("subtract ab.stats c.stats -o x.stats");
    assert!(code == Some(0) && told.contains("W231 ab.stats lists what it is the sum of, and c.stats is not among it"), "{told}");
    let (code, told) = said("subtract ab.stats a.stats -o b2.stats");
    assert!(code == Some(0) && !told.contains("W231"), "{told}");
    // What was taken away once is not there any more.
    let (code, told) = said("subtract b2.stats a.stats -o x.stats");
    assert!(code == Some(0) && told.contains("W231 b2.stats lists"), "{code:?} {told}");
    // Nobody knows the parts of what was gathered at once.
    let (code, told) = said("subtract b.stats c.stats -o x.stats");
    assert!(code == Some(0) && !told.contains("W231"), "{told}");
}

#[test]
fn many_threads_are_no_more_than_the_system_grants() {
    let session = Session::new();
    let few = session.shell("oddsmith fit -q visits.csv --target readmitted --exclude id --threads 1");
    let many = session.shell("oddsmith fit -q visits.csv --target readmitted --exclude id --threads 100000");
    assert_eq!((many.status.code(), many.stdout), (Some(0), few.stdout));
}

#[test]
fn a_folder_without_permission() {
    let session = fitted();
    let folder = session.path().join("locked");
    std::fs::create_dir(&folder).unwrap();
    // The superuser may write everywhere but in the kernel's own folders.
    let output = session.shell("chmod 555 locked; oddsmith fit -q visits.csv --target readmitted -o locked/visits.odds");
    let output =
        if output.status.success() { session.shell("oddsmith fit -q visits.csv --target readmitted -o /sys/visits.odds") } else { output };
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(6), "{message}");
    assert!(message.starts_with("error: ") && message.contains("visits.odds: ") && message.lines().count() == 1, "{message}");
}

#[test]
fn a_full_disk_leaves_the_old_file_and_no_other() {
    let session = fitted();
    let old = session.read("visits.odds");
    let files = session.new_files();
    let rows: String = (0..3000).map(|i| format!("{i},level{i},{}\n", ["no", "yes"][i % 2])).collect();
    session.write("wide.csv", format!("a,b,y\n{rows}"));
    let line = "ulimit -f 8; oddsmith fit -q wide.csv --target y -o visits.odds > /dev/null";
    let output = session.shell(line);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), message.as_str()), (Some(6), "error: visits.odds: File too large (os error 27)\n"));
    assert!(session.read("visits.odds") == old, "the old file changed");
    let after: Vec<String> = session.new_files().into_iter().filter(|name| name != "wide.csv").collect();
    assert_eq!(after, files);
}

#[test]
fn files_that_are_no_model() {
    let session = fitted();
    let model = session.read("visits.odds");
    session.write("cut.odds", &model[..model.len() - 9]).write("empty.odds", "").write("word.odds", "hello");
    let mut flipped = model.clone();
    let last = flipped.len() - 3;
    flipped[last] ^= 4;
    session.write("flipped.odds", flipped);
    session.write("long.odds", [u64::MAX.to_le_bytes().as_slice(), &[b'{'; 100]].concat());
    let text = String::from_utf8_lossy(&model).into_owned();
    assert!(text.contains("\\\"format\\\":1"), "the envelope says its format");
    let mut newer = model.clone();
    let at = model.windows(13).position(|window| window == b"\\\"format\\\":1,").unwrap();
    newer[at + 11] = b'9';
    session.write("newer.odds", newer);
    assert_session!(session.transcript(&[
        "oddsmith predict absent.odds visits.csv",
        "oddsmith predict visits.csv visits.csv",
        "oddsmith show cut.odds",
        "oddsmith show empty.odds",
        "oddsmith show word.odds",
        "oddsmith show flipped.odds",
        "oddsmith show long.odds",
        "oddsmith show newer.odds",
        "oddsmith show .",
        "oddsmith show /dev/zero",
        "oddsmith fit visits.odds --target readmitted",
        "oddsmith check visits.odds --target readmitted",
        "oddsmith predict visits.odds visits.odds",
        "oddsmith predict flipped.odds visits.csv --json",
    ]));
}

#[test]
fn no_flipped_bit_gets_through() {
    let session = fitted();
    let model = session.read("visits.odds");
    // Every byte would take minutes; a step that shares no factor with 8 meets every part of the file and every bit.
    for (n, at) in (0..model.len()).step_by(model.len() / 40 + 1).enumerate() {
        let mut broken = model.clone();
        broken[at] ^= 1 << (n % 8);
        session.write("broken.odds", broken);
        let output = session.program().args(["show", "broken.odds"]).output().unwrap();
        assert_eq!(output.status.code(), Some(4), "byte {at}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// The model file with its record changed and sealed again: what a forger could do.
fn forged(model: &[u8], change: impl FnOnce(&mut oddsmith::record::Record)) -> Vec<u8> {
    let (kind, mut record) = oddsmith::persist::from_bytes(model, None).unwrap();
    change(&mut record);
    oddsmith::persist::to_bytes(&record, kind).unwrap()
}

#[test]
fn sealed_files_with_wrong_content() {
    use oddsmith::record::Array;
    let session = fitted();
    let model = session.read("visits.odds");
    session.write("newer.odds", forged(&model, |record| record.version = 9));
    session.write("stranger.odds", forged(&model, |record| record.tag = "crystal-ball".into()));
    let first_numbers = |record: &oddsmith::record::Record| {
        let numbers = |(name, array): (&String, &Array)| matches!(array, Array::Numbers(_)).then(|| name.clone());
        record.arrays.iter().find_map(numbers).unwrap()
    };
    let poisoned = forged(&model, |record| {
        let name = first_numbers(record);
        if let Some(Array::Numbers(values)) = record.arrays.get_mut(&name) {
            values[0] = f64::NAN;
        }
    });
    let short = forged(&model, |record| {
        let name = first_numbers(record);
        if let Some(Array::Numbers(values)) = record.arrays.get_mut(&name) {
            values.pop();
        }
    });
    session.write("nan.odds", poisoned).write("short.odds", short).write("empty.odds", forged(&model, |record| record.arrays.clear()));
    assert_session!(session.transcript(&[
        "oddsmith predict newer.odds visits.csv",
        "oddsmith predict stranger.odds visits.csv",
        "oddsmith predict nan.odds visits.csv",
        "oddsmith predict short.odds visits.csv",
        "oddsmith predict empty.odds visits.csv",
    ]));
}

#[test]
fn a_kill_leaves_the_old_or_the_new_file() {
    let session = fitted();
    for wait in 0..25 {
        let mut child = session
            .program()
            .args(["fit", "-q", "visits.csv", "--target", "readmitted", "--exclude", "id", "-o", "visits.odds"])
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(wait));
        child.kill().unwrap();
        child.wait().unwrap();
        let shown = session.program().args(["show", "visits.odds", "--glance"]).output().unwrap();
        assert_eq!(shown.status.code(), Some(0), "after {wait} ms: {}", String::from_utf8_lossy(&shown.stderr));
    }
}
