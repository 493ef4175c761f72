//! What people type: formulas, conditions, command lines.

use std::ffi::OsString;

use oddsmith::data::{Condition, Formula};

pub(super) fn formula_seeds() -> Vec<Vec<u8>> {
    [
        "low ~ age + lwt + C(race) * smoke",
        "cbind(yes, no) ~ poly(dose, 3) + bs(x, df = 5) + offset(log(n))",
        "y ~ . - id + I(a^2) + ns(b, knots = c(1, 2)) - 1",
        "y ~ (a + b + c)^3 + cut(age, c(10, 20)) + strata(set) + cluster(id)",
        "`odd name` ~ `another one`:x + C(z, levels = c(\"a\", \"b\"), reference = \"b\")",
        "age > 20 & !(race == \"white\" | is.na(lwt))",
    ]
    .into_iter()
    .map(|text| text.as_bytes().to_vec())
    .collect()
}

/// A formula, with its dot expanded; and a condition.
pub(super) fn formula(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(formula) = Formula::parse(&text) {
        let others: Vec<String> = ["a", "b", "odd name"].map(str::to_owned).to_vec();
        let _ = formula.expand_dot(&others);
        (0..formula.terms().len()).for_each(|at| drop(formula.term_name(at)));
    }
    if let Ok(condition) = Condition::parse(&text) {
        let again = Condition::parse(condition.text());
        assert!(again.is_ok(), "`{text}` is a condition, and its own text is none");
    }
}

pub(super) fn option_seeds() -> Vec<Vec<u8>> {
    [
        "fit\nbirths.csv\nlow ~ age\n-o\nm.odds\n--unit\nage=10\n--firth",
        "fit\nbirths.csv\n--target\nlow\n--model\nnb\n--memory\n64M\n--threads\n2\n--levels\nrace=a,b",
        "compare\nbirths.csv\n--target\nlow\n--models\nlogistic(l2=1),nb\n--folds\n5",
        "calibrate\nm.odds\nnew.csv\n--method\nplatt\n--prevalence\n0.1\n--kept\nyes=1,no=0.1",
        "threshold\nm.odds\nnew.csv\n--costs\nfp=1,fn=5",
        "stats\nmerge\na.stats\nb.stats\n-o\nc.stats",
        "rounds\nanswer\nr.round\nsite.csv\n-o\na.answer\n--where\nage > 20",
        "info\n--entropy\n0.5,0.25,0.25\n--json",
        "bayes\n--heads\n8\n--tails\n4",
        "table\nbirths.csv\n--outcome\nlow\n--exposure\nsmoke\n--strata\nrace\n--ci\nwald",
        "help\nW112",
    ]
    .into_iter()
    .map(|text| text.as_bytes().to_vec())
    .collect()
}

/// A command line, an argument a line: understood or refused, and nothing is done.
pub(super) fn options(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let arguments = std::iter::once("oddsmith").chain(text.lines()).map(OsString::from);
    let _ = oddsmith_cli::understands(arguments);
}
