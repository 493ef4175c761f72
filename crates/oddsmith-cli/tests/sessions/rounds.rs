//! A regression of rows that stay at their sites: the same model as of the pooled rows, and what goes wrong on the way.

use serde_json::Value;

use crate::session::Session;

/// More rounds than any fit here takes.
const MOST: usize = 120;

/// Three sites; the first two know one class only.
fn with_sites() -> Session {
    let session = Session::new();
    let cut = |from: usize, to: usize, name: &str| format!("(head -1 births.csv; sed -n '{from},{to}p' births.csv) > {name}.csv");
    session.shell(&[cut(2, 70, "a"), cut(71, 131, "b"), cut(132, 190, "c")].join("; "));
    session
}

/// Runs a study to its end: the exit code and the text of the last step.
fn study(session: &Session, begin: &str) -> (Option<i32>, String) {
    session.shell("rm -f *.answer *.odds");
    let begun = session.shell(&format!("oddsmith rounds begin {begin} -q -o low.round"));
    assert_eq!(begun.status.code(), Some(0), "{begin}: {}", String::from_utf8_lossy(&begun.stderr));
    let line = "for s in a b c; do oddsmith rounds answer -q low.round $s.csv -o $s.answer > answers.txt || exit 99; done; \
                oddsmith rounds advance -q low.round a.answer b.answer c.answer -o rounds.odds";
    for _ in 0..MOST {
        let output = session.shell(line);
        if output.status.code() != Some(0) || session.path().join("rounds.odds").exists() {
            return (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned());
        }
    }
    panic!("{begin} takes more than {MOST} rounds");
}

fn parameters(session: &Session, model: &str) -> Vec<Value> {
    serde_json::from_slice(&session.shell(&format!("oddsmith show {model} --tidy --json -q")).stdout).unwrap()
}

/// Figures agree within 1e-8 of a standard error; everything else is the same.
fn assert_same_fit(what: &str, ours: &[Value], pooled: &[Value]) {
    assert_eq!(ours.len(), pooled.len(), "{what}");
    assert!(!ours.is_empty(), "{what}");
    for (a, b) in ours.iter().zip(pooled) {
        for (name, value) in b.as_object().unwrap() {
            match (a[name].as_f64(), value.as_f64()) {
                (Some(x), Some(y)) => {
                    let error = b["std_error"].as_f64().unwrap_or(1.0);
                    let scale = if name.starts_with("odds") { y.abs() * (1.0 + error) } else { error.max(y.abs()) };
                    assert!((x - y).abs() <= 1e-8 * scale, "{what}: {name} is {x} and not {y} in {a}");
                }
                _ => assert_eq!(&a[name], value, "{what}: {name}"),
            }
        }
    }
}

#[test]
fn rounds_end_at_the_model_of_the_pooled_rows() {
    let session = with_sites();
    for flags in [
        "'low ~ age + lwt + race + smoke' --ci profile",
        "'low ~ age + lwt + race * smoke' --firth --ci profile",
        "'low ~ ns(lwt, df = 3) + poly(age, 2) + smoke' --ci wald --no-tests",
        "'low ~ rbf(age, lwt, k = 4) + race' --ci wald --no-tests",
        "'low ~ age + lwt + race' --robust HC3 --ci wald",
        "'low ~ age + lwt + smoke' --cluster race --ci wald",
        "'low ~ age + lwt + smoke + cluster(race)' --ci wald",
        "'low ~ age + C(race) + cluster(race)' --ci wald",
        "--target low --features age,lwt --cluster race --offset ftv --ci wald",
        "'low ~ age + lwt + race' --l2 3",
        "'low ~ age + lwt + race + smoke' --l1 2",
        "'low ~ age + lwt + race' --class-weight balanced --ci wald",
        "'low ~ .' --exclude bwt,ptl --ci wald --no-tests",
        "'low ~ age + lwt' --ref low=yes --ci wald --no-tests",
        "'race ~ age + lwt + smoke' --ci wald --no-tests",
        "'low ~ age + lwt' --prior-sd 2",
        "'race ~ age + lwt' --model one-vs-rest --ci wald",
        "--target low --features age,lwt,race --weight ftv --weight-kind sampling --ci wald --no-tests",
        "--model nb --target low --exclude bwt",
        "--model gaussian-nb --target low --features age,lwt --tying per-column",
        "--model categorical-nb --target low --features race --smoothing 2",
        "--model lda --target low --features age,lwt",
        "--model qda --target low --features age,lwt --shrinkage ledoit-wolf",
    ] {
        assert_eq!(study(&session, flags), (Some(0), String::new()), "{flags}");
        let model = if flags.contains("--model") { "" } else { "--model logistic" };
        let fitted = session.shell(&format!("oddsmith fit -q births.csv {flags} {model} -o pooled.odds"));
        assert_eq!(fitted.status.code(), Some(0), "{flags}: {}", String::from_utf8_lossy(&fitted.stderr));
        assert_same_fit(flags, &parameters(&session, "rounds.odds"), &parameters(&session, "pooled.odds"));
    }
}

#[test]
fn gaps_are_filled_with_the_means_of_all_sites() {
    let session = Session::new();
    let rows = |lo: u32, hi: u32| -> String {
        (lo..hi)
            .map(|i| format!("{},{},{}\n", if i % 5 == 0 { String::new() } else { (i % 17).to_string() }, i % 3, u32::from(i * i % 7 < 3)))
            .collect()
    };
    session.write("a.csv", format!("x,g,y\n{}", rows(0, 40))).write("b.csv", format!("x,g,y\n{}", rows(40, 90)));
    session.write("c.csv", format!("x,g,y\n{}", rows(90, 130))).write("births.csv", "");
    session.write("all.csv", format!("x,g,y\n{}", rows(0, 130)));
    for flags in ["'y ~ x + C(g)' --missing mean --ci wald", "'y ~ x + C(g)' --missing indicator --ci wald", "'y ~ x + C(g)' --ci wald"] {
        assert_eq!(study(&session, flags), (Some(0), String::new()), "{flags}");
        assert_eq!(session.shell(&format!("oddsmith fit -q all.csv {flags} -o pooled.odds")).status.code(), Some(0), "{flags}");
        assert_same_fit(flags, &parameters(&session, "rounds.odds"), &parameters(&session, "pooled.odds"));
    }
}

#[test]
fn separation_is_found_without_the_rows() {
    let session = with_sites();
    for site in ["a", "b", "c"] {
        session.shell(&format!("sed -i 's/$/,0/; 1s/,0$/,tell/' {site}.csv"));
    }
    session.shell("sed -i '2,$s/,0$/,1/' c.csv");
    let (code, text) = study(&session, "'low ~ age + tell'");
    assert_eq!(code, Some(5), "{text}");
    assert!(text.contains("tell") && text.contains("firth"), "{text}");
    assert!(!session.path().join("rounds.odds").exists());
    assert_eq!(study(&session, "'low ~ age + tell' --on-separation firth").0, Some(0));
}

#[test]
fn answers_merge_on_their_way_and_none_is_forgotten() {
    let session = with_sites();
    let answers = "for s in a b c; do oddsmith rounds answer -q low.question $s.csv -o $s.answer > answers.txt; done";
    assert_session!(session.transcript(&[
        "oddsmith rounds begin --model lda --target low --features age,lwt -o low.round",
        &format!("oddsmith rounds ask low.round -q -o low.question; {answers}"),
        "oddsmith rounds merge a.answer b.answer -o ab.answer",
        "oddsmith rounds advance low.round ab.answer c.answer -o low.odds",
        &format!("oddsmith rounds ask low.round -o low.question; {answers}"),
        "oddsmith rounds advance low.round a.answer c.answer -o low.odds",
        "cp b.answer copy.answer; oddsmith rounds advance low.round a.answer b.answer c.answer copy.answer -o low.odds",
        "oddsmith rounds merge a.answer b.answer -q -o ab.answer; oddsmith rounds advance low.round ab.answer b.answer c.answer -o low.odds",
        "sed -i 2d b.csv; oddsmith rounds answer -q low.round b.csv -o b.answer; oddsmith rounds advance low.round a.answer b.answer c.answer -o low.odds",
        "oddsmith show ab.answer",
        "oddsmith rounds advance low.round ab.answer c.answer -q -o low.odds",
        "oddsmith rounds begin --model lda -o none.round",
        "oddsmith rounds begin --model lda 'low ~ age' -o none.round",
    ]));
}

#[test]
fn what_goes_wrong_between_the_sites() {
    let session = with_sites();
    session.write("other.csv", "low,age,race\nno,20,green\nyes,30,white\n").write("short.csv", "low,age\nno,20\nyes,30\n");
    assert_session!(session.transcript(&[
        "oddsmith rounds begin 'low ~ age + race' -o low.round",
        "oddsmith rounds begin '~ age'  -o none.round",
        "oddsmith rounds begin 'low ~ age + nix(race)' -o none.round",
        "oddsmith rounds answer low.round short.csv -o short.answer",
        "oddsmith rounds answer low.round a.csv -o a.csv",
        "for s in a b c; do oddsmith rounds answer low.round $s.csv -o $s.answer; done",
        "oddsmith rounds advance low.round a.answer a.answer -o low.odds",
        "oddsmith rounds advance low.round a.answer b.csv -o low.odds",
        "oddsmith rounds advance low.round a.answer low.round -o low.odds",
        "cp a.answer old.answer; oddsmith rounds advance low.round a.answer b.answer c.answer -o low.odds",
        "oddsmith show low.round",
        "oddsmith rounds advance low.round old.answer -o low.odds",
        "oddsmith rounds answer low.round other.csv -o other.answer",
        "oddsmith rounds answer low.round a.csv -o a.answer",
        "oddsmith fit low.round --model lda",
        "oddsmith predict low.round a.csv",
        "oddsmith stats merge low.round a.answer -o all.stats",
        "head -c 900 low.round > cut.round; oddsmith rounds answer cut.round a.csv -o x.answer",
    ]));
    assert!(!session.new_files().iter().any(|name| name.ends_with(".odds") || name == "none.round" || name == "x.answer"));
}
