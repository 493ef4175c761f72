//! Information, codes and evidence at the command: known answers, and messages about what cannot be used.

use serde_json::Value;

use crate::session::Session;

fn json(session: &Session, line: &str) -> Value {
    let output = session.shell(&format!("{line} --json -q"));
    assert_eq!(output.status.code(), Some(0), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[track_caller]
fn near(found: &Value, known: f64, within: f64) {
    let found = found.as_f64().unwrap_or_else(|| panic!("{found} is no number"));
    assert!((found - known).abs() <= within, "{found} is not {known}");
}

#[test]
fn numbers_at_the_command_have_their_known_answers() {
    let session = Session::new();
    let of = |line: &str| json(&session, &format!("oddsmith info {line}"))[0].clone();
    near(&of("entropy 0.5 1/4 1/4")["entropy"], 1.5, 1e-15);
    near(&of("entropy 2,1,1 --counts --base e")["entropy"], 1.5 * std::f64::consts::LN_2, 1e-15);
    near(&of("entropy --gaussian 0,1")["differential_entropy"], 2.047_095_585, 5e-10);
    let kl = of("kl --gaussian 0,1 1,4 --base e");
    near(&kl["relative_entropy"], 0.443_147_180_6, 5e-11);
    near(&kl["reverse"], 1.306_852_819, 5e-10);
    let cross = of("cross 0.5,0.5 0.25,0.75");
    near(&cross["cross_entropy"], 1.0 + cross["relative_entropy"].as_f64().unwrap(), 1e-14);
    near(&of("mi --gaussian 1,0.5 0.5,1 --base e")["mutual_information"], 0.143_841_036_2, 5e-11);
    let hair = of("mi 68,20,15,5 119,84,54,29 26,17,14,14 7,94,10,16 --base e");
    near(&hair["mutual_information"], 0.123_685_454_784_219_63, 1e-14);
    near(&hair["g"], 146.443_578_464_516_04, 1e-9);
    near(&hair["row_given_column"], 1.122_750_467_812_508_6, 1e-13);
    near(&hair["non_central_low"], 0.080_683_950_64, 5e-12);
    near(&hair["non_central_high"], 0.159_707_628, 5e-10);
    let z = json(&session, "oddsmith info capacity 1,0 0.1,0.9");
    near(&z["facts"]["capacity"], 0.762_848_252, 5e-10);
    near(&z["inputs"][1]["probability"], 0.456_298_123_6, 5e-10);
}

#[test]
fn codes_and_coins_have_their_known_answers() {
    let session = Session::new();
    let tree = json(&session, "oddsmith code tree a=0.25 b=0.25 c=0.2 d=0.15 e=0.15");
    near(&tree["facts"]["mean length"], 2.3, 1e-14);
    near(&tree["facts"]["entropy (bits)"], 2.285_475_297, 5e-10);
    let die = json(&session, "oddsmith code flips 1/6,1/6,1/6,1/6,1/6,1/6 --resets 5");
    near(&die["facts"]["expected flips"], 11.0 / 3.0, 1e-14);
    near(&die["facts"]["expected flips with resets"], 4.0, 0.0);
    near(&die["facts"]["probability of more than 5 resets"], 4f64.powi(-6), 0.0);
    let coins = json(&session, "oddsmith bayes --model bent=0.8 --model straight=0.5 --data HHHHHHHHTTTT");
    near(&coins["models"]["models"][0]["posterior"], 0.523_698_756, 5e-10);
    near(&coins["models"]["models"][1]["bayes_factor"], 1.0 / 1.099_511_627_776, 1e-12);
    let third = json(&session, "oddsmith bayes --model bent=0.8 --model straight=0.5 --counts 8,4 --prior 1/3,2/3");
    near(&third["models"]["models"][0]["posterior"], 0.354_737_055_3, 5e-11);
    let unknown = json(&session, "oddsmith bayes --model 'any=beta(1,1)' --model 'kt=dirichlet(0.5)' --counts 8,4");
    near(&unknown["models"]["models"][0]["log_evidence"], -6435f64.ln(), 1e-12);
    near(&unknown["models"]["models"][1]["log_evidence"], 1.084_804_534_91e-4f64.ln(), 1e-10);
}

#[test]
fn what_is_believed_of_parameters_and_drawn() {
    let session = Session::new();
    let coin = json(&session, "oddsmith bayes --model 'any=beta(1,1)' --model fair=0.5 --data HHHHHHHHTTTT --sample 5");
    let p = &coin["parameters"]["parameters"][0];
    assert_eq!((p["model"].as_str(), p["parameter"].as_str()), (Some("any"), Some("p(H)")));
    near(&p["mean"], 0.642_857_142_9, 5e-11);
    near(&p["std_dev"], 0.123_717_914_8, 5e-11);
    near(&p["map"], 8.0 / 12.0, 1e-15);
    near(&p["mle"], 8.0 / 12.0, 1e-15);
    // Whichever model is drawn, its parameters are drawn with it, and the same seed draws the same.
    let drawn: Vec<Value> = (0..20)
        .map(|seed| json(&session, &format!("oddsmith bayes --model 'any=beta(1,1)' --model fair=0.5 --counts 8,4 --sample {seed}")))
        .collect();
    let of_any = drawn.iter().filter(|card| card["models"]["facts"]["drawn"] == "any");
    assert!((1..20).contains(&of_any.clone().count()));
    assert!(of_any.clone().all(|card| card["parameters"]["parameters"][0]["drawn"].as_f64().is_some_and(|p| p > 0.0 && p < 1.0)));
    assert!(
        drawn
            .iter()
            .filter(|card| card["models"]["facts"]["drawn"] == "fair")
            .all(|card| card["parameters"]["parameters"][0]["drawn"].is_null())
    );
    // Means and variances of a Dirichlet distribution, and what two models predict together.
    let urn = json(&session, "oddsmith bayes --model 'any=dirichlet(1)' --model 'even=1/3,1/3,1/3' --data abbccc");
    near(&urn["parameters"]["parameters"][2]["mean"], 4.0 / 9.0, 1e-15);
    near(&urn["parameters"]["parameters"][2]["variance"], 4.0 * 5.0 / (81.0 * 10.0), 1e-15);
    let any = urn["models"]["models"][0]["posterior"].as_f64().unwrap();
    near(&urn["next"]["next"][2]["probability"], any * 4.0 / 9.0 + (1.0 - any) / 3.0, 1e-14);
    // Mean −0.4 … of three numbers: κ' = 4, m' = 1.1/4, a' = 3.5.
    let normal = json(&session, "oddsmith bayes --model 'a=nig(0,1,2,1)' --values 0.3,1.2,-0.4");
    near(&normal["parameters"]["parameters"][0]["mle"], 1.1 / 3.0, 1e-15);
    near(&normal["parameters"]["parameters"][0]["mean"], 1.1 / 4.0, 1e-15);
    // The estimate of maximum likelihood divides by the number of values.
    let centre = 1.1 / 3.0;
    near(&normal["parameters"]["parameters"][1]["mle"], [0.3f64, 1.2, -0.4].map(|x| (x - centre).powi(2)).iter().sum::<f64>() / 3.0, 1e-15);
}

#[test]
fn models_are_compared_by_evidence_and_by_length_under_both_names() {
    let session = Session::new();
    let line = "oddsmith compare births.csv --target low --features age,lwt --models 'nb(predictive),lda(predictive)'";
    for what in ["evidence", "mdl"] {
        assert_eq!(json(&session, &format!("{line} --by {what}")), json(&session, &format!("{line} --{what}")));
    }
    // A column of that name comes first.
    session.shell("sed 's/^low,age,lwt,race,smoke/low,age,lwt,race,evidence/' births.csv > named.csv");
    let by_column = json(&session, "oddsmith compare named.csv --target low --features age,lwt --models nb,lda --folds 3 --by evidence");
    assert!(by_column.to_string().contains("evidence"));
    assert!(by_column.get("evidence").is_none_or(|rows| rows[0].get("log_evidence").is_none()));
}

#[test]
fn pairs_are_told_to_programs_too() {
    let session = Session::new();
    session.write("xor.csv", "a,b,y\n0,0,n\n0,1,y\n1,0,y\n1,1,n\n".to_owned() + &"0,0,n\n0,1,y\n1,0,y\n1,1,n\n".repeat(24));
    let found = json(&session, "oddsmith info xor.csv --target y --pairs 2");
    assert_eq!(found["information"]["information"].as_array().unwrap().len(), 2);
    // One bit, less the bias of chance of three degrees of freedom and that of both alone.
    near(&found["pairs"]["pairs"][0]["both_bits"], 1.0 - 3.0 / (200.0 * std::f64::consts::LN_2), 1e-12);
}

#[test]
fn labels_by_wire_come_back_in_the_bits_of_their_log_loss() {
    let session = Session::new();
    session.shell("oddsmith fit -q births.csv 'low ~ age + lwt + smoke' -o m.odds");
    let ledger = json(&session, "oddsmith code labels m.odds births.csv -o low.bits");
    let facts = if ledger.is_array() { &ledger[0] } else { &ledger };
    let loss = json(&session, "oddsmith evaluate m.odds births.csv --show metrics");
    let bits = loss.as_array().unwrap().iter().find(|row| row["metric"] == "bits").unwrap()["estimate"].as_f64().unwrap();
    near(&facts["log_loss_bits"], 189.0 * bits, 1e-6);
    let stream = facts["stream_bits"].as_f64().unwrap();
    assert!((0.0..=64.0 + 0.189).contains(&(stream - 189.0 * bits)), "{stream} {bits}");
    session.shell("oddsmith code labels -q m.odds births.csv --decode low.bits > back.csv; cut -d, -f1 births.csv > low.csv");
    assert_eq!(session.read("back.csv"), session.read("low.csv"));
}

#[test]
fn degrees_by_description_length() {
    let session = Session::new();
    let golden = |name: &str| std::fs::read(format!("{}/../../testdata/golden/data/{name}.csv", env!("CARGO_MANIFEST_DIR"))).unwrap();
    session.write("norris.csv", golden("nist_norris")).write("kyphosis.csv", golden("kyphosis"));
    let norris = json(&session, "oddsmith degree norris.csv 'y ~ x' --most 5");
    near(&norris["degrees"][1]["total_bits"], 73.609_036_6, 5e-7);
    near(&norris["facts"]["shortest"], 1.0, 0.0);
    let kyphosis = json(&session, "oddsmith degree kyphosis.csv 'Kyphosis ~ Age' --most 3");
    for (degree, bits) in [63.2109, 65.4416, 61.9796, 65.1312].into_iter().enumerate() {
        near(&kyphosis["degrees"][degree]["total_bits"], bits, 6e-5);
    }
    near(&kyphosis["degrees"][2]["total_bits"], 61.979_570_95, 5e-9);
    session.write("mtcars.csv", golden("mtcars"));
    for (line, degree, bits) in [
        ("kyphosis.csv 'Kyphosis ~ Start'", 2, 54.016_172_35),
        ("kyphosis.csv 'Kyphosis ~ Number'", 1, 59.255_781_04),
        ("mtcars.csv 'am ~ wt'", 1, 18.832_621_23),
    ] {
        let found = json(&session, &format!("oddsmith degree {line} --most 3"));
        near(&found["facts"]["shortest"], f64::from(degree), 0.0);
        near(&found["degrees"][degree as usize]["total_bits"], bits, 5e-9);
    }
}

#[test]
fn columns_come_back_cell_by_cell() {
    let session = Session::new();
    let cells = "x,y\n\"a, \"\"b\"\"\",1\n,2\nNA,3\nü,4\nü,5\n,6\n";
    session.write("odd.csv", cells);
    for code in ["", "--code huffman", "--code shannon", "--limit 3"] {
        let ledger = json(&session, &format!("oddsmith code encode odd.csv x -o x.cells {code}"));
        // Two of one kind, two of another, one each of two more: 2/3 · log2 3 + 1/3 · log2 6 bits a row.
        near(&ledger[0]["entropy_bits"], 6.0 * (2.0 / 3.0 * 3f64.log2() + 6f64.log2() / 3.0), 1e-12);
        near(&ledger[0]["different_cells"], 4.0, 0.0);
        let (stream, ideal) = (ledger[0]["stream_bits"].as_f64().unwrap(), ledger[0]["ideal_bits"].as_f64().unwrap());
        assert!((0.0..=64.0).contains(&(stream - ideal)), "{stream} {ideal}");
        let back = session.shell("oddsmith code decode x.cells --format json -q");
        let back: Value = serde_json::from_slice(&back.stdout).unwrap();
        let found: Vec<&str> = back.as_array().unwrap().iter().map(|row| row["x"].as_str().unwrap_or("")).collect();
        assert_eq!(found, ["a, \"b\"", "", "NA", "ü", "ü", ""], "{code}");
    }
    session.shell("oddsmith code encode -q births.csv race -o race.cells; oddsmith code decode -q race.cells > back.csv; cut -d, -f4 births.csv > race.csv");
    assert_eq!(session.read("back.csv"), session.read("race.csv"));
}

#[test]
fn the_ledger_adds_up_to_the_streams_of_single_fits() {
    let session = Session::new();
    let ledger = json(&session, "oddsmith code ledger births.csv 'low ~ lwt + smoke'");
    let lines = ledger["ledger"].as_array().unwrap();
    let number = |line: usize, name: &str| lines[line][name].as_f64().unwrap();
    for (line, formula) in [(1, "low ~ lwt"), (2, "low ~ lwt + smoke")] {
        session.shell(&format!("oddsmith fit -q births.csv '{formula}' --ci none --no-tests -o m.odds"));
        let sent = json(&session, "oddsmith code labels m.odds births.csv -o low.bits");
        near(&sent[0]["stream_bits"], number(line, "stream_bits"), 0.0);
        near(&sent[0]["ideal_bits"], number(line, "ideal_bits"), 1e-6);
        near(&sent[0]["base_rate_bits"], number(0, "ideal_bits"), 1e-9);
    }
    session.shell("oddsmith fit -q births.csv 'low ~ smoke' --ci none --no-tests -o m.odds");
    let alone = json(&session, "oddsmith code labels m.odds births.csv -o low.bits")[0]["ideal_bits"].as_f64().unwrap();
    near(&lines[2]["alone_bits"], number(0, "ideal_bits") - alone, 1e-6);
    near(&lines[1]["last_bits"], alone - number(2, "ideal_bits"), 1e-6);
    near(&ledger["facts"]["saved bits"], number(1, "saved_bits") + number(2, "saved_bits"), 1e-9);
    // Half the logarithm of the rows for each of three parameters.
    near(&lines[2]["model_bits"], 1.5 * 189f64.log2(), 1e-12);
}

#[test]
fn descriptions_are_those_of_their_likelihoods() {
    let session = Session::new();
    let golden = |name: &str| std::fs::read(format!("{}/../../testdata/golden/data/{name}.csv", env!("CARGO_MANIFEST_DIR"))).unwrap();
    session.write("kyphosis.csv", golden("kyphosis")).write("mtcars.csv", golden("mtcars"));
    // Computed elsewhere: kyphosis by Number 59.25578104 bits, mtcars am by wt 18.83262123.
    for (line, bits) in [
        ("kyphosis.csv 'Kyphosis ~ Number'", 59.255_781_04),
        ("kyphosis.csv 'Kyphosis ~ poly(Start, 2)'", 54.016_172_35),
        ("mtcars.csv 'am ~ wt'", 18.832_621_23),
    ] {
        let fit = json(&session, &format!("oddsmith fit {line} --mdl"));
        near(&fit["model"]["facts"]["description length bits"], bits, 5e-8);
        near(&fit["description_length"]["description_length"][2]["bits"], bits, 5e-8);
    }
    let models = json(&session, "oddsmith compare kyphosis.csv --target Kyphosis --features Number --models logistic --mdl");
    let lines = models["description_lengths"].as_array().unwrap();
    let of = |name: &str| lines.iter().find(|line| line["model"] == name).unwrap();
    near(&of("logistic")["total_bits"], 59.255_781_04, 5e-8);
    // 64 absent and 17 present without columns: one label after the other by (n + ½)/(all + 1), in any order.
    let (mut seen, mut bits) = ([0.0, 0.0], 0.0);
    for label in (0..81).map(|i| usize::from(i % 4 == 1 && i < 68)) {
        bits -= f64::log2((seen[label] + 0.5) / (seen[0] + seen[1] + 1.0));
        seen[label] += 1.0;
    }
    assert_eq!(seen, [64.0, 17.0]);
    near(&of("(no columns)")["total_bits"], bits, 1e-9);
    // Evidence in bits is that of the fit with a prior.
    let prior =
        json(&session, "oddsmith compare mtcars.csv --target am --features wt --models 'logistic(prior-sd=2.5, intercept-sd=2.5)' --mdl");
    let bits = prior["description_lengths"].as_array().unwrap().iter().find_map(|line| line["evidence_bits"].as_f64()).unwrap();
    near(&Value::from(bits), 13.126_950_327 / std::f64::consts::LN_2, 1e-8);
    let evidence = json(
        &session,
        "oddsmith compare mtcars.csv --target am --features wt --models 'logistic(prior-sd=2.5, intercept-sd=2.5),lda(predictive),lda' --evidence",
    );
    near(&evidence["evidence"][0]["log_evidence"], -13.126_950_327, 1e-9);
    near(&evidence["evidence"][0]["posterior"], 1.0, 0.0);
    near(&evidence["evidence"][1]["posterior"], 1.0, 0.0);
    assert!(evidence["evidence"][2]["log_evidence"].is_null() && evidence["evidence"][2]["note"].is_string());
}

#[test]
fn what_cannot_be_used_is_told() {
    let session = Session::new();
    session.shell("oddsmith fit -q births.csv 'low ~ age' -o m.odds; oddsmith fit -q births.csv 'low ~ lwt' -o other.odds");
    session.shell("oddsmith code labels -q m.odds births.csv -o low.bits; head -c 80 low.bits > cut.bits; head -50 births.csv > few.csv");
    session.write("empty.csv", "x,y\n").write("blank.csv", "x,z,y\n,1,a\n,1,b\n,2,a\n");
    session.shell("oddsmith code encode -q births.csv race -o race.cells; head -c 60 race.cells > cut.cells; sed 's/white/whita/' race.cells > altered.cells");
    assert_session!(session.transcript(&[
        "oddsmith info entropy 0.5 0.4",
        "oddsmith info entropy 1.5 -0.5",
        "oddsmith info entropy 0.5 half",
        "oddsmith info entropy",
        "oddsmith info kl 0.5,0.5",
        "oddsmith info kl 0.5,0.5 0.2,0.3,0.5",
        "oddsmith info capacity 0.5,0.5 0.9,0.2",
        "oddsmith info capacity 0.5,0.5 1",
        "oddsmith info mi --gaussian 1,2 2,1",
        "oddsmith info births.csv --target nope",
        "oddsmith info blank.csv --target y",
        "oddsmith info births.csv --target low --features age --strata bwt --numbers neighbours --weight lwt",
        "oddsmith code tree a=0.5 a=0.5",
        "oddsmith code tree a=1 b=1 c=1 d=1 e=1 --counts --limit 2",
        "oddsmith code flips 0.5,x",
        "oddsmith code labels other.odds births.csv --decode low.bits",
        "oddsmith code labels m.odds births.csv --decode cut.bits",
        "oddsmith code labels m.odds few.csv --decode low.bits",
        "oddsmith code labels m.odds births.csv --decode births.csv",
        "oddsmith code labels m.odds births.csv --decode race.cells",
        "oddsmith code encode births.csv nope -o x.cells",
        "oddsmith code encode empty.csv x -o x.cells",
        "oddsmith code encode births.csv race -o x.cells --limit 1",
        "oddsmith code encode births.csv race -o births.csv",
        "oddsmith code decode cut.cells",
        "oddsmith code decode low.bits",
        "oddsmith code decode altered.cells",
        "oddsmith code tree births.csv",
        "oddsmith code tree births.csv iris.csv --column race",
        "oddsmith code tree empty.csv --column x",
        "oddsmith code tree a=0.5 b=-0.5",
        "oddsmith code ledger births.csv --target low --features age --model perceptron",
        "oddsmith code ledger births.csv 'low ~ age' --weight lwt",
        "oddsmith info empty.csv --target x",
        "oddsmith info births.csv --between age lwt --forms",
        "oddsmith info births.csv --between age nope",
        "oddsmith info capacity 0.5,0.5 0.9,-0.1",
        "oddsmith fit births.csv 'low ~ mdl_bins(lwt)'",
        "oddsmith fit births.csv 'low ~ mdl_bins(race)'",
        "oddsmith fit births.csv 'low ~ mdl_bins()'",
        "oddsmith fit births.csv 'low ~ age' --intercept-sd 2",
        "oddsmith fit births.csv --target low --features age --model average --models 'nb,average'",
        "oddsmith fit births.csv --target low --features age --model average --models nb,perceptron",
        "oddsmith fit births.csv --target low --features age --model average --weigh-by evidence",
        "oddsmith fit births.csv --target low --features age --model perceptron --mdl",
        "oddsmith bayes --model 'a=beta(0,1)' --counts 8,4",
        "oddsmith bayes --model a=0.5 --counts 1,2,3",
        "oddsmith bayes --model a=0.5 --counts 1,2 --level 2",
        "oddsmith bayes --model 'a=0.5,0.6' --counts 1,2",
        "oddsmith compare births.csv --target low --features age --by evidence --mdl",
        "oddsmith degree births.csv 'low ~ race'",
        "oddsmith degree births.csv 'low ~ age + lwt'",
    ]));
}
