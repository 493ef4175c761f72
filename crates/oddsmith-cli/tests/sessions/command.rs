//! The command itself: help, versions, formats, colours, wrong arguments.

use crate::session::Session;

#[test]
fn help_starts_with_examples() {
    let session = Session::new();
    assert_session!(session.transcript(&["oddsmith", "oddsmith --help", "oddsmith show --help", "oddsmith help stats merge"]));
    for command in ["check", "fit", "predict", "explain", "sample", "stats"] {
        let help = String::from_utf8(session.shell(&format!("oddsmith {command} --help")).stdout).unwrap();
        let (examples, usage) = (help.find("Examples:"), help.find("Usage:"));
        assert!(examples.is_some() && examples < usage, "{command}");
    }
}

#[test]
fn pages_of_warnings() {
    let session = Session::new();
    assert_session!(session.transcript(&[
        "oddsmith help W112",
        "oddsmith help w301 --json",
        "oddsmith help W999",
        "oddsmith help fti",
        "oddsmith help warnings --format csv | head -3",
    ]));
    for entry in oddsmith::notice::CATALOGUE {
        let page = session.shell(&format!("oddsmith help {}", entry.id));
        assert!(page.status.success() && String::from_utf8_lossy(&page.stdout).contains(entry.name), "{}", entry.id);
    }
}

#[test]
fn versions_models_and_scripts() {
    let session = Session::new();
    assert_session!(session.transcript(&[
        "oddsmith --version",
        "oddsmith --version --json",
        "oddsmith models --format table",
        "oddsmith completions bash | head -3",
        "oddsmith completions pwsh | grep -c oddsmith",
        "oddsmith completions tcsh",
        "oddsmith man | head -4",
    ]));
}

#[test]
fn wrong_arguments_are_refused_with_a_suggestion() {
    let session = Session::new();
    assert_session!(session.transcript(&[
        "oddsmith fti births.csv",
        "oddsmith fit births.csv --traget low",
        "oddsmith fit",
        "oddsmith fit births.csv --target low --format xml",
        "oddsmith fit births.csv --target low --features age --exclude lwt",
        "oddsmith fit births.csv --target low --quiet --verbose",
    ]));
}

#[test]
fn colours_follow_flags_and_environment() {
    let session = Session::new();
    let colored = |line: &str| String::from_utf8(session.shell(line).stdout).unwrap().contains('\x1b');
    assert!(!colored("oddsmith models --format table"));
    assert!(colored("oddsmith models --format table --color always"));
    assert!(colored("CLICOLOR_FORCE=1 oddsmith models --format table"));
    assert!(!colored("NO_COLOR=1 CLICOLOR_FORCE=1 oddsmith models --format table"));
    assert!(!colored("CLICOLOR_FORCE=1 oddsmith models --format table --color never"));
    assert!(!colored("CLICOLOR_FORCE=0 TERM=dumb oddsmith models --format table"));
}

#[test]
fn a_pipe_gets_csv_and_notes_go_to_standard_error() {
    let session = Session::new();
    let output = session.shell("oddsmith fit births.csv --target low --features age -o low.odds");
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(out.starts_with("class,column,level,parameter,estimate\n"), "{out}");
    assert!(err.starts_with("model → low.odds ("), "{err}");
    let quiet = session.shell("oddsmith fit births.csv --target low --features age -o low.odds -q");
    assert!(quiet.stderr.is_empty());
    let json = session.shell("oddsmith fit births.csv --target low --features age -o low.odds --json -q");
    let cards: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(cards["model"]["facts"]["file"], "low.odds");
    assert_eq!(cards["data"]["columns"][1]["kind"], "number");
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_gets_a_table_that_fits() {
    let session = Session::new();
    // `script` gives the program a terminal of its own.
    let terminal = |columns: u32, line: &str| {
        let output = session.shell(&format!("script -qec 'stty cols {columns} rows 40; {line}' /dev/null"));
        String::from_utf8(output.stdout).unwrap().replace('\r', "")
    };
    session.shell("oddsmith fit -q iris.csv --target Species -o iris.odds");
    let wide = terminal(120, "oddsmith predict -q iris.odds iris.csv --log-odds");
    assert!(wide.lines().next().unwrap().contains("log_odds_virginica"), "{wide}");
    let narrow = terminal(60, "oddsmith predict -q iris.odds iris.csv --log-odds");
    assert!(narrow.lines().all(|line| line.chars().filter(|c| !c.is_control()).count() <= 66), "{narrow}");
    assert!(narrow.contains(" columns do not fit; --format csv or json shows all"), "{narrow}");
    assert!(narrow.starts_with("\x1b[1m predicted"), "{narrow}");
    let dumb = terminal(60, "TERM=dumb oddsmith models");
    assert!(!dumb.contains('\x1b'), "{dumb}");
}
