//! Pictures that people read numbers off say what other commands say: the nomogram and the bits of columns what `predict` says, the consoles of
//! threshold and prevalence what `evaluate` and `calibrate --prevalence` say.

use std::collections::BTreeMap;

use crate::folder::Folder;
use crate::well_formed::records;

/// A picture as a table, cell by column.
fn picture(folder: &Folder, command: &str) -> Vec<BTreeMap<String, String>> {
    let ran = folder.run(&format!("{command} --format csv -q"));
    let table = records(&ran.out);
    assert!(table.len() > 1, "{command}\n{}{}", ran.out, ran.err);
    table[1..].iter().map(|row| table[0].iter().cloned().zip(row.iter().cloned()).collect()).collect()
}

fn number(row: &BTreeMap<String, String>, column: &str) -> f64 {
    row[column].parse().unwrap_or(f64::NAN)
}

/// A column of a result.
fn column(folder: &Folder, command: &str, name: &str) -> Vec<String> {
    picture(folder, command).into_iter().map(|row| row[name].clone()).collect()
}

/// A metric of `evaluate`.
fn metric(folder: &Folder, command: &str, name: &str) -> f64 {
    let found = picture(folder, &format!("{command} --show metrics")).into_iter().find(|row| row["metric"] == name);
    number(&found.unwrap_or_else(|| panic!("{command}: {name}")), "estimate")
}

/// Places and texts of a ruler, from left to right.
fn ruler(rows: &[BTreeMap<String, String>], name: &str) -> Vec<(f64, String)> {
    let of = |row: &BTreeMap<String, String>| Some((number(row, "x"), row["label"].strip_prefix(&format!("{name}: "))?.to_owned()));
    let mut ticks: Vec<(f64, String)> = rows.iter().filter_map(of).collect();
    ticks.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert!(ticks.len() > 1, "{name}");
    ticks
}

/// What a ruler says at a place, between its ticks in a straight line.
fn read(ticks: &[(f64, f64)], place: f64) -> f64 {
    let at = ticks.windows(2).find(|pair| pair[0].0 <= place && place <= pair[1].0).unwrap();
    at[0].1 + (place - at[0].0) / (at[1].0 - at[0].0) * (at[1].1 - at[0].1)
}

#[test]
fn a_nomogram_on_paper_gives_the_predicted_probability() {
    let folder = Folder::new();
    for fit in ["'low ~ age + lwt + race + smoke + ht + ui'", "--target low --features age,lwt,race,smoke,ht,ui"] {
        folder.run(&format!("oddsmith fit births.csv {fit} -o low.odds"));
        let rows = picture(&folder, "oddsmith plot nomogram low.odds births.csv");
        // Points of a row whose values all stand at ticks.
        let ages = ruler(&rows, "age");
        let weights = ruler(&rows, "lwt");
        let ((_, age), (_, weight)) = (&ages[ages.len() / 2], &weights[1]);
        let flag = |name: &str| ruler(&rows, name).iter().any(|(_, text)| text == "true");
        let yes = |name: &str| if flag(name) { "true" } else { "1" };
        let values = [("age", age.as_str()), ("lwt", weight), ("race", "other"), ("smoke", yes("smoke")), ("ht", "0"), ("ui", "0")];
        let points: f64 = values
            .iter()
            .map(|(name, value)| {
                let wanted = if *value == "0" && flag(name) { "false" } else { value };
                ruler(&rows, name).into_iter().find(|(_, text)| text == wanted).unwrap_or_else(|| panic!("{name} {wanted}")).0
            })
            .sum();
        folder.write("one.csv", &format!("age,lwt,race,smoke,ht,ui\n{age},{weight},other,1,0,0\n"));
        let p: f64 = column(&folder, "oddsmith predict low.odds one.csv", "p_yes")[0].parse().unwrap();
        // From the sum to its place below the rulers, and from there to the probability on the scale of log odds.
        let totals: Vec<(f64, f64)> = ruler(&rows, "Total points").iter().map(|(place, text)| (text.parse().unwrap(), *place)).collect();
        let chances: Vec<(f64, f64)> = ruler(&rows, "Probability of low = yes")
            .iter()
            .map(|(place, text)| (*place, text.trim_end_matches('%').parse::<f64>().unwrap() / 100.0))
            .map(|(place, share)| (place, (share / (1.0 - share)).ln()))
            .collect();
        let log_odds = read(&chances, read(&totals, points));
        let found = 1.0 / (1.0 + (-log_odds).exp());
        assert!((found - p).abs() < 1e-6, "{fit}: {found} on paper, {p} predicted");
    }
}

#[test]
fn the_console_of_thresholds_says_what_evaluate_says() {
    let folder = Folder::new();
    folder.run("oddsmith fit births.csv 'low ~ age + lwt + race + smoke' -o low.odds");
    let rows = picture(&folder, "oddsmith plot threshold low.odds new.csv");
    for threshold in ["0.2", "0.35", "0.5"] {
        let judged = format!("oddsmith evaluate low.odds new.csv --threshold {threshold}");
        let pairs = [
            ("sensitivity", "sensitivity"),
            ("specificity", "specificity"),
            ("positive predictive value", "precision"),
            ("negative predictive value", "negative_predictive_value"),
        ];
        for (line, name) in pairs {
            let place: f64 = threshold.parse().unwrap();
            let drawn = rows.iter().find(|row| row["name"] == line && (number(row, "x") - place).abs() < 1e-12).unwrap();
            let wanted = metric(&folder, &judged, name);
            assert!((number(drawn, "y") - wanted).abs() < 1e-12, "{line} at {threshold}: {} and {wanted}", drawn["y"]);
        }
    }
}

#[test]
fn the_console_of_prevalences_says_what_calls_mean_among_rows_of_another_mix() {
    let folder = Folder::new();
    folder.run("oddsmith fit births.csv 'low ~ age + lwt + race + smoke' -o low.odds");
    let rows = picture(&folder, "oddsmith plot prevalence low.odds births.csv --threshold 0.3");
    let events = column(&folder, "oddsmith predict low.odds births.csv --id low", "low");
    let calls = column(&folder, "oddsmith predict low.odds births.csv", "p_yes");
    let called = |event: &str| {
        let of: Vec<bool> =
            events.iter().zip(&calls).filter(|(label, _)| *label == event).map(|(_, p)| p.parse::<f64>().unwrap() >= 0.3).collect();
        of.iter().filter(|call| **call).count() as f64 / of.len() as f64
    };
    let (hits, alarms) = (called("yes"), called("no"));
    let drawn: Vec<&BTreeMap<String, String>> = rows.iter().filter(|row| row["name"] == "low = yes if called").collect();
    assert!(drawn.len() > 100);
    for point in drawn.iter().step_by(20) {
        let q = number(point, "x");
        let wanted = q * hits / (q * hits + (1.0 - q) * alarms);
        assert!((number(point, "y") - wanted).abs() < 1e-12, "{q}: {} and {wanted}", point["y"]);
    }
    // Moved to another prevalence, the same rows are called from the moved threshold up, and a call of them means that much.
    folder.run("oddsmith calibrate low.odds --prevalence yes=0.05 -o rare.odds");
    let moved = column(&folder, "oddsmith predict rare.odds births.csv", "p_yes");
    let log_odds = |p: &str| p.parse::<f64>().map(|p| (p / (1.0 - p)).ln()).unwrap();
    let by = (0.05f64 / 0.95).ln() - (59.0f64 / 130.0).ln();
    moved.iter().zip(&calls).for_each(|(moved, call)| assert!((log_odds(moved) - log_odds(call) - by).abs() < 1e-9));
}

#[test]
fn the_area_under_the_drawn_precision_is_the_average_precision() {
    let folder = Folder::new();
    folder.run("oddsmith fit births.csv 'low ~ age + lwt + race + smoke' -o low.odds");
    let drawn = picture(&folder, "oddsmith plot precision-recall low.odds new.csv");
    let points: Vec<(f64, f64)> =
        drawn.iter().filter(|row| row["mark"] == "line").map(|row| (number(row, "x"), number(row, "y"))).collect();
    let area: f64 = points.windows(2).map(|pair| (pair[1].0 - pair[0].0) * f64::midpoint(pair[0].1, pair[1].1)).sum();
    let wanted = metric(&folder, "oddsmith evaluate low.odds new.csv", "average_precision");
    // Points nearer than 1/600 to the one before are not drawn.
    assert!((area - wanted).abs() < 1.0 / 600.0, "{area} drawn, {wanted} evaluated");
}

#[test]
fn bits_of_a_column_are_the_mean_over_all_pairs_of_rows() {
    let folder = Folder::new();
    let (names, columns) = (["age", "lwt", "race", "smoke"], [1, 2, 3, 4]);
    let table = folder.read("births.csv").unwrap();
    let rows: Vec<Vec<&str>> = table.lines().skip(1).step_by(13).map(|line| line.split(',').collect()).collect();
    let head = "low,age,lwt,race,smoke";
    let written =
        |lines: Vec<Vec<&str>>| format!("{head}\n{}\n", lines.iter().map(|line| line[..5].join(",")).collect::<Vec<_>>().join("\n"));
    folder.write("few.csv", &written(rows.clone()));
    for model in ["logistic", "nb", "tree"] {
        folder.run(&format!("oddsmith fit births.csv --target low --features {} --model {model} -o m.odds", names.join(",")));
        let bits = |file: &str| -> Vec<f64> {
            picture(&folder, &format!("oddsmith predict m.odds {file} --id low"))
                .iter()
                .map(|row| -number(row, &format!("p_{}", row["low"])).log2())
                .collect()
        };
        let own = bits("few.csv");
        let drawn = picture(&folder, "oddsmith plot columns m.odds few.csv");
        for (name, column) in names.iter().zip(columns) {
            // Row by row with the column of every other row in place of its own.
            let pairs: Vec<(usize, usize)> =
                (0..rows.len()).flat_map(|i| (0..rows.len()).map(move |j| (i, j))).filter(|(i, j)| i != j).collect();
            let dealt = |(i, j): &(usize, usize)| {
                rows[*i].iter().enumerate().map(|(at, cell)| if at == column { rows[*j][at] } else { *cell }).collect()
            };
            folder.write("pairs.csv", &written(pairs.iter().map(dealt).collect()));
            let lost: f64 = bits("pairs.csv").iter().zip(&pairs).map(|(bits, (i, _))| bits - own[*i]).sum();
            let wanted = lost / pairs.len() as f64;
            let bar = drawn.iter().find(|row| row["mark"] == "bars" && row["label"] == *name).unwrap_or_else(|| panic!("{model}: {name}"));
            assert!((number(bar, "x") - wanted).abs() < 1e-9, "{model}, {name}: {} and {wanted}", bar["x"]);
        }
    }
}
