//! Fitting and looking at models, and what stands in the way of an estimate.

use serde_json::Value;

use crate::session::Session;

#[test]
fn a_first_session() {
    let session = Session::new();
    assert_session!(session.transcript(&[
        "oddsmith check births.csv --target low --format table",
        "oddsmith fit births.csv --target low --exclude bwt --kind smoke=boolean,ht=boolean,ui=boolean -o low.odds --format table",
        "oddsmith show low.odds --glance --format csv",
        "oddsmith show low.odds --tidy --format csv | head -3",
        "oddsmith show low.odds --weights",
    ]));
}

#[test]
fn every_model_of_the_registry_fits_and_shows() {
    let session = Session::new();
    let words = "__label__spam cheap pills now\n__label__ham meeting at noon\n__label__spam cheap meeting pills\n__label__ham noon now\n";
    session.write("words.txt", words).write("flags.csv", "a,b,y\n1,0,p\n0,2,q\n3,1,p\n0,0,q\n1,1,q\n");
    assert_session!(session.transcript(&[
        "oddsmith fit iris.csv --target Species --model gaussian-nb --tying per-column --format table",
        "oddsmith fit flags.csv --target y --model bernoulli-nb --format table",
        "oddsmith fit words.txt --model multinomial-nb --format table",
        "oddsmith fit words.txt --model complement-nb --format table",
        "oddsmith fit births.csv --target low --features race --model categorical-nb --format table",
        "oddsmith fit iris.csv --target Species --model lda --format table",
        "oddsmith fit iris.csv --target Species --model qda --divisor unbiased --format table",
        "oddsmith fit births.csv --target low --features race,age --predictive --format table",
    ]));
}

#[test]
fn weights_of_linear_models() {
    let session = Session::new();
    assert_session!(session.transcript(&[
        "oddsmith fit -q births.csv --target low --features age,lwt --model lda -o lda.odds | head -1",
        "oddsmith show lda.odds --weights --format table",
        "oddsmith fit -q births.csv --target low --features race --model categorical-nb -o race.odds | head -1",
        "oddsmith show race.odds --weights --format table",
    ]));
}

#[test]
fn options_out_of_range_and_of_other_models() {
    let session = Session::new();
    assert_session!(session.transcript(&[
        "oddsmith fit births.csv --target low --smoothing -1",
        "oddsmith fit births.csv --target low --smoothing some",
        "oddsmith fit births.csv --target low --model lda --smoothing 1",
        "oddsmith fit births.csv --target low --model lda --features race,age --kind race=text",
        "oddsmith fit births.csv --target low --model gaussian-nb",
        "oddsmith fit births.csv --target low --shrinkage 2",
        "oddsmith fit births.csv --target low --prior yes=0.5",
        "oddsmith fit births.csv --target low --prior yes=0.5,no=0.6",
        "oddsmith fit births.csv --target low --prior yes=0.5,never=0.5",
        "oddsmith fit births.csv --target low --prior half",
        "oddsmith fit births.csv --target low --tying both",
        "oddsmith fit births.csv --target low --model lad",
        "oddsmith fit births.csv --target low --distribution race=gaussian",
        "oddsmith fit births.csv --target low --distribution race",
        "oddsmith fit births.csv --target low --distribution rave=gaussian",
        "oddsmith fit births.csv --target low --memory lots",
        "oddsmith fit births.csv --target low --threads 0",
    ]));
}

#[test]
fn columns_that_say_nothing_or_too_much() {
    let session = Session::new();
    let rows: String = (0..40)
        .map(|i| {
            let y = if i % 3 == 0 { "yes" } else { "no" };
            let stage = if i == 6 || i == 9 { "IV" } else { ["I", "II", "III"][i % 2 + i % 5 / 4] };
            format!("{},7,{},{stage},{},c,{y}\n", 1000 + i, (i * 7) % 11, if y == "yes" { "x" } else { "z" })
        })
        .collect();
    session.write("t.csv", format!("id,seven,value,stage,discharge,level,y\n{rows}"));
    assert_session!(session.transcript(&[
        "oddsmith check t.csv --target y --format table",
        "oddsmith check t.csv --target y --format csv -q --strict",
        "oddsmith fit t.csv --target y --features seven,value --format table",
        "oddsmith fit t.csv --target y --features seven,value --format table -o t.odds --strict",
        "ls t.odds",
    ]));
}

#[test]
fn singular_covariances() {
    let session = Session::new();
    let rows: String = (0..12)
        .map(|i| {
            let (a, c) = (f64::from(i * i % 7), f64::from(i * 3 % 5));
            format!("{a},{},{c},{}\n", 2.0 * a + c, ["no", "yes"][i as usize % 2])
        })
        .collect();
    session.write("t.csv", format!("a,b,c,y\n{rows}"));
    session.write("few.csv", "a,b,c,d,y\n1,2,3,5,no\n2,3,1,1,no\n4,1,1,2,yes\n5,3,9,3,yes\n");
    assert_session!(session.transcript(&[
        "oddsmith fit t.csv --target y --model lda --format table",
        "oddsmith fit t.csv --target y --model lda --strict",
        "oddsmith fit t.csv --target y --model qda --format table",
        "oddsmith fit few.csv --target y --model lda --format table",
        "oddsmith fit few.csv --target y --model qda --format table",
        "oddsmith fit few.csv --target y --model qda --shrinkage 0.5 --format table",
    ]));
}

#[test]
fn zero_counts_without_smoothing() {
    let session = Session::new();
    session.write("t.csv", "a,b,y\nu,p,no\nu,p,no\nv,q,yes\nv,q,yes\n").write("new.csv", "a,b\nu,p\nu,q\nv,q\n");
    assert_session!(session.transcript(&[
        "oddsmith fit -q t.csv --target y --smoothing 0 -o t.odds | head -1",
        "oddsmith predict t.odds new.csv --format table",
        "oddsmith predict t.odds new.csv --strict -q",
        "oddsmith explain t.odds new.csv --row 2 --format table",
    ]));
}

/// The facts of a model fitted with `--json`.
fn facts(session: &Session, line: &str) -> Value {
    let output = session.shell(line);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let cards: Value = serde_json::from_slice(&output.stdout).unwrap();
    cards["model"]["facts"].clone()
}

#[test]
fn offsets_and_scales_change_no_loss() {
    let session = Session::new();
    let table = |name: &str, shift: f64, scale: f64| {
        let row = |i: u32| {
            format!(
                "{:?},{:?},{}\n",
                f64::from(i * i % 23) * scale + shift,
                f64::from(i % 5),
                ["no", "yes"][usize::from(i.is_multiple_of(3))]
            )
        };
        session.write(name, format!("a,b,y\n{}", (0..60).map(row).collect::<String>()));
    };
    table("plain.csv", 0.0, 1.0);
    table("offset.csv", 134_217_728.0, 1.0);
    table("tiny.csv", 0.0, 2f64.powi(-500));
    table("tinier.csv", 0.0, 2f64.powi(-900));
    table("huge.csv", 0.0, 2f64.powi(500));
    table("huger.csv", 0.0, 2f64.powi(900));
    for model in ["gaussian-nb", "lda", "qda"] {
        let bits = |table: &str| {
            facts(&session, &format!("oddsmith fit {table} --target y --model {model} --json"))["bits per row"].as_f64().unwrap()
        };
        let plain = bits("plain.csv");
        for table in ["offset.csv", "tiny.csv", "tinier.csv", "huge.csv", "huger.csv"] {
            let moved = bits(table);
            assert!((moved - plain).abs() < 1e-9 * plain, "{model} on {table}: {moved} and not {plain}");
        }
    }
}

#[test]
fn counts_of_1e18_still_give_probabilities() {
    let session = Session::new();
    session.write("t.csv", "a,b,y\n1e18,1,no\n2,900000000000000000,yes\n3e17,5,no\n1,1e18,yes\n");
    let fit = session.shell("oddsmith fit -q t.csv --target y --model multinomial-nb -o t.odds");
    assert_eq!(fit.status.code(), Some(0), "{}", String::from_utf8_lossy(&fit.stderr));
    let rows: Value = serde_json::from_slice(&session.shell("oddsmith predict t.odds t.csv --json").stdout).unwrap();
    for row in rows.as_array().unwrap() {
        let sum = row["p_no"].as_f64().unwrap() + row["p_yes"].as_f64().unwrap();
        assert!((sum - 1.0).abs() < 1e-15, "{row}");
    }
}

#[test]
fn threads_and_memory_change_no_bit() {
    let session = Session::new();
    let rows: String =
        (0..20_000u64).map(|i| format!("{},{},{}\n", i * 7919 % 1000, i * 31 % 17, ["a", "b", "c"][(i * 13 % 7 % 3) as usize])).collect();
    session.write("t.csv", format!("x,z,y\n{rows}"));
    let model = |flags: &str| {
        let fit = session.shell(&format!("oddsmith fit -q t.csv --target y --kind z=category {flags} -o t.odds"));
        assert_eq!(fit.status.code(), Some(0), "{}", String::from_utf8_lossy(&fit.stderr));
        session.read("t.odds")
    };
    let one = model("--threads 1");
    assert!(one == model("--threads 3") && one == model("--memory 1M"));
}

#[test]
fn the_bits_of_a_fit_are_those_of_its_predictions() {
    let session = Session::new();
    for model in ["nb", "qda --features age,lwt"] {
        let bits = facts(&session, &format!("oddsmith fit births.csv --target low --model {model} --json -o m.odds"))["bits per row"]
            .as_f64()
            .unwrap();
        let scored: Value = serde_json::from_slice(&session.shell("oddsmith predict -q m.odds births.csv --id low --json").stdout).unwrap();
        let loss = |row: &Value| -row[format!("p_{}", row["low"].as_str().unwrap())].as_f64().unwrap().log2();
        let rows = scored.as_array().unwrap();
        let expected = rows.iter().map(loss).sum::<f64>() / rows.len() as f64;
        assert!((bits - expected).abs() < 1e-12 * expected, "{model}: {bits} and not {expected}");
    }
}

/// One cell makes levels of a column of numbers, every one of which tells a class: the cell is named before the error, and the error names a dozen of forty levels.
#[test]
fn a_fit_that_fails_tells_what_the_reader_doubted() {
    let session = Session::new();
    let rows: String = (0..39).map(|i| format!("{i}.5,{}\n", ["no", "yes"][i % 2])).collect();
    session.write("doses.csv", format!("dose,y\n{rows}about 7,yes\n"));
    assert_session!(session.transcript(&["oddsmith fit doses.csv 'y ~ dose'", "oddsmith fit doses.csv 'y ~ dose' --json"]));
}
