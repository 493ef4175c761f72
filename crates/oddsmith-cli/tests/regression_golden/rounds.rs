//! The same figures when the rows stay at three sites that send sums: some sites lack a class or a level.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Fit, Golden, check_classes, check_fit, command};

/// More rounds than any fit here takes.
const MOST: usize = 200;

/// Rows of a table cut into three files, in the order of the table.
fn sites(table: &Path, folder: &Path) -> Vec<PathBuf> {
    let text = std::fs::read_to_string(table).unwrap();
    let (header, rows) = text.split_once('\n').unwrap();
    let rows: Vec<&str> = rows.lines().collect();
    let cut = |site: usize| site * rows.len() / 3..(site + 1) * rows.len() / 3;
    (0..3)
        .map(|site| {
            let path = folder.join(format!("site{site}.csv"));
            std::fs::write(&path, format!("{header}\n{}\n", rows[cut(site)].join("\n"))).unwrap();
            path
        })
        .collect()
}

/// The fit of rows that nobody saw together.
fn fit(table: &Path, formula: &str, flags: &[String]) -> Fit {
    let folder = tempfile::tempdir().unwrap();
    let sites = sites(table, folder.path());
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (round, model) = (path("study.round"), path("model.odds"));
    let mut begin = vec!["rounds", "begin", formula, "-q", "-o", &round];
    begin.extend(flags.iter().map(String::as_str));
    command(&begin);
    for number in 1..=MOST {
        let mut advance =
            vec!["rounds".to_owned(), "advance".into(), "--json".into(), "-q".into(), round.clone(), "-o".into(), model.clone()];
        for (at, site) in sites.iter().enumerate() {
            let answer = path(&format!("{at}.answer"));
            command(&["rounds", "answer", "-q", &round, site.to_str().unwrap(), "-o", &answer]);
            advance.push(answer);
        }
        let output: Value = serde_json::from_slice(&command(&advance.iter().map(String::as_str).collect::<Vec<_>>())).unwrap();
        if Path::new(&model).exists() {
            return Fit(output);
        }
        assert_eq!(output["facts"]["question"], number + 1, "{output}");
    }
    panic!("{formula} takes more than {MOST} rounds");
}

fn check_glm(id: &str, flags: &[&str], observations: f64) {
    let golden = Golden::load(id);
    let mut all = golden.references();
    all.extend(["--ci", "profile"].into_iter().chain(flags.iter().copied()).map(str::to_owned));
    let fit = fit(&golden.table(), &golden.formula(), &all);
    check_fit(&golden, &fit, observations);
}

#[test]
fn profile_limits_and_tests_are_rs() {
    for id in ["glm_birthwt_main", "glm_birthwt_offset", "glm_birthwt_smoke_by_race", "glm_menarche_grouped", "glm_mtcars_no_intercept"] {
        check_glm(id, &[], Golden::load(id).number("results/nobs"));
    }
    check_glm("glm_ucb_freq_weights", &["--weight", "Freq"], 4526.0);
}

#[test]
fn several_classes_are_rs() {
    for (id, flags) in
        [("multinom_birthwt_race", &[][..]), ("multinom_iris_sepal_length", &[]), ("multinom_haireye", &["--weight", "Freq"])]
    {
        let golden = Golden::load(id);
        let formula = golden.formula();
        let target = formula.split('~').next().unwrap().trim().to_owned();
        let reference = golden.at("results/reference").as_str().unwrap();
        let mut all = golden.references();
        all.extend(["--ref".to_owned(), format!("{target}={reference}"), "--ci".into(), "wald".into()]);
        all.extend(flags.iter().map(|flag| (*flag).to_owned()));
        check_classes(&golden, &fit(&golden.table(), &formula, &all));
    }
}
