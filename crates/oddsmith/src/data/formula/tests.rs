use super::*;

fn canonical(text: &str) -> String {
    Formula::parse(text).unwrap().to_string()
}

#[test]
fn the_algebra_of_terms_is_rs() {
    for (text, expected) in [
        ("y ~ a", "y ~ a"),
        ("y~a*b", "y ~ a + b + a:b"),
        ("y ~ a*b*c", "y ~ a + b + c + a:b + a:c + b:c + a:b:c"),
        ("y ~ (a + b + c)^2", "y ~ a + b + c + a:b + a:c + b:c"),
        ("y ~ (a + b)^9", "y ~ a + b + a:b"),
        ("y ~ a*b - a", "y ~ a:b + b"),
        ("y ~ a:b:c + c:d + d + a:d", "y ~ a:b:c + c:d + a:d + d"),
        ("y ~ a:b + b:c:d - a:b + a:c + d", "y ~ a + b + c + d - a - b - c - d + d + a:c + b:c:d"),
        ("y ~ b + a:b", "y ~ b + b:a"),
        ("y ~ a:b + a", "y ~ a + a:b"),
        ("y ~ a + a:a", "y ~ a"),
        ("y ~ a - 1", "y ~ a - 1"),
        ("y ~ 0 + a", "y ~ a - 1"),
        ("y ~ -1 + a", "y ~ a - 1"),
        ("y ~ a - 1 + 1", "y ~ a"),
        ("y ~ a - 0", "y ~ a"),
        ("y ~ 1", "y ~ 1"),
        ("y ~ a - a - 1", "y ~ 0"),
        ("~ a + b", "~ a + b"),
        ("y ~ (a + b):c + offset(-0.05 * t)", "y ~ a + b + c - a - b - c + a:c + b:c + offset(-0.05 * t)"),
        ("y ~ a + offset(b,2*c, d)", "y ~ a + offset(b, 2 * c, d)"),
        ("y ~ cluster(`a ward`) + a*b + strata(set) - 1", "y ~ a + b + a:b + cluster(`a ward`) + strata(set) - 1"),
        ("y ~ strata(set)", "y ~ strata(set)"),
        ("y ~ cluster + strata:cluster + cluster(strata)", "y ~ cluster + cluster:strata + cluster(strata)"),
        ("cbind(numdead, 20 - numdead) ~ sex*ldose", "cbind(numdead, 20 - numdead) ~ sex + ldose + sex:ldose"),
        ("a/(a+b) ~ x", "a/(a + b) ~ x"),
        ("low ~ age + C(race, ref=white)*smoke", "low ~ age + C(race, ref = white) + smoke + C(race, ref = white):smoke"),
        ("y ~ C(g, ref='a b', contrast=sum) + C(h, ref=2)", "y ~ C(g, ref = \"a b\", contrast = sum) + C(h, ref = \"2\")"),
        ("y ~ C(g, levels=[low,\"very high\"], ref=low)", "y ~ C(g, levels = [low, \"very high\"], ref = low)"),
        ("y ~ C(g, levels=c(1,-2,'3+'), ordered=true)", "y ~ C(g, levels = [\"1\", \"-2\", \"3+\"], contrast = poly)"),
        ("y ~ ordered(g) + ordered(h, levels=[b, a])", "y ~ C(g, contrast = poly) + C(h, levels = [b, a], contrast = poly)"),
        ("y ~ I(x>2) + I(x<=1&!(z==3)|x!=2)", "y ~ I(x > 2) + I(x <= 1 & !z == 3 | x != 2)"),
        ("y ~ I(g=='a b') + I(g in [\"c\", d])", "y ~ I(g == \"a b\") + I(g == \"c\" | g == \"d\")"),
        ("y ~ I((x > 2) * x) + I(2 * (x + 1 > z))", "y ~ I((x > 2) * x) + I(2 * (x + 1 > z))"),
        ("y ~ cut(x, c(20,0,Inf), right=false)", "y ~ cut(x, c(0, 20, Inf), right = false)"),
        (
            "y ~ cut(log(x), breaks=[-Inf, 1.5, 3], include.lowest=TRUE, labels=[lo, hi], ref=hi)",
            "y ~ cut(log(x), c(-Inf, 1.5, 3), include.lowest = true, labels = [lo, hi], ref = hi)",
        ),
        ("y ~ log(x+1) + I(x / 10) + I(x^2) + I(x)", "y ~ log(x + 1) + I(x/10) + I(x^2) + x"),
        ("y ~ poly(x,2) + poly(x, degree=3, raw=TRUE)", "y ~ poly(x, 2) + poly(x, 3, raw = true)"),
        (
            "y ~ bs(x, df=5) + bs(x,knots=c(2,-1),degree=2) + ns(x, 4)",
            "y ~ bs(x, df = 5) + bs(x, knots = c(-1, 2), degree = 2) + ns(x, df = 4)",
        ),
        ("y ~ rbf(x, y2, k=4, width=0.5) + rbf(x, centers=c(0,1))", "y ~ rbf(x, y2, k = 4, width = 0.5) + rbf(x, centers = c(0, 1))"),
        ("`my target` ~ `a b` + Sepal.Length", "`my target` ~ `a b` + Sepal.Length"),
        ("y ~ I(-x^2) + I((-x)^2) + I(a-(b-c)) + I(2^-x^2)", "y ~ I(-x^2) + I((-x)^2) + I(a - (b - c)) + I(2^-x^2)"),
    ] {
        assert_eq!(canonical(text), expected, "{text}");
        assert_eq!(canonical(expected), expected, "{text}");
        assert_eq!(Formula::parse(text).unwrap(), Formula::parse(expected).unwrap());
    }
}

#[test]
fn the_dot_is_every_other_column() {
    let others = ["a", "b", "c d"].map(str::to_owned);
    for (text, expected) in [
        ("y ~ .", "y ~ a + b + `c d`"),
        ("y ~ . - b", "y ~ a + `c d`"),
        ("y ~ . + cluster(b)", "y ~ a + `c d` + cluster(b)"),
        ("y ~ .^2 - a:b", "y ~ a + b + `c d` + a:`c d` + b:`c d`"),
        ("y ~ log(a) + . - a", "y ~ log(a) + b + `c d`"),
        ("y ~ z*.", "y ~ z + a + b + `c d` + z:a + z:b + z:`c d`"),
    ] {
        let formula = Formula::parse(text).unwrap();
        assert!(formula.has_dot());
        assert_eq!(Formula::parse(&formula.to_string()).unwrap(), formula);
        let expanded = formula.expand_dot(&others).unwrap();
        assert!(!expanded.has_dot());
        assert_eq!(expanded.to_string(), expected);
    }
    assert_ne!(Formula::parse("y ~ .").unwrap(), Formula::parse("y ~ . - a").unwrap());
}

#[test]
fn columns_are_listed_by_what_is_wanted_of_them() {
    let formula = Formula::parse("cbind(d, n - d) ~ age + C(race) + log(w/age) + offset(log(t)) + ns(z, 2):sex").unwrap();
    assert_eq!(formula.columns(), ["age", "race", "w", "z", "sex", "t"]);
    assert_eq!(formula.categories(), ["race"]);
    assert_eq!(formula.numbers(), ["w", "age", "z", "t", "d", "n"]);
    assert_eq!(formula.response().columns(), ["d", "n"]);
    let keyed = Formula::parse("d ~ age + cluster(ward) + strata(set) + offset(t)").unwrap();
    assert_eq!((keyed.columns(), keyed.numbers()), (vec!["age".to_owned(), "t".into()], vec!["t".to_owned()]));
    assert_eq!(keyed.key(Role::Stratum).map(|column| column.name.as_str()), Some("set"));
    assert_eq!(keyed.with_terms(&[]).to_string(), "d ~ offset(t) + cluster(ward) + strata(set)");
    let unknown = keyed.unknown_column("ward", &["wards".into()]).unwrap().to_string();
    assert!(unknown.ends_with("d ~ age + cluster(ward) + strata(set) + offset(t)\n                    ^^^^"), "{unknown}");
    let offset = Formula::parse("y ~ a").unwrap().with_offset("b c");
    assert_eq!((&offset, offset.text()), (&Formula::parse("y ~ a + offset(`b c`)").unwrap(), "y ~ a + offset(`b c`)"));
    assert_eq!(offset.clone().with_offset("b c"), offset);
    let sum = Formula::of_columns("y", &["a".into(), "b c".into(), "a".into()]);
    assert_eq!(sum, Formula::parse("y ~ a + `b c`").unwrap());
    assert_eq!(sum.text(), sum.to_string());
    assert_eq!(Formula::of_columns("y", &[]), Formula::parse("y ~ 1").unwrap());
}

#[test]
fn an_error_points_at_its_place_and_says_what_is_accepted() {
    for (text, expected) in [
        ("low ~ logg(age)", "there is no function `logg`; did you mean `log`?\n  low ~ logg(age)\n        ^^^^"),
        ("y ~ C(g, rf=a)", "there is no argument of C() called `rf`; did you mean `ref`?\n  y ~ C(g, rf=a)\n           ^^"),
        ("y ~ a +", "the formula ends too early; a column, a function of columns, `(` or `.`\n  y ~ a +\n         ^"),
        ("y ~ x/10", "`/` cannot stand here; arithmetic stands in I(), as in I(x/10); a/b as nesting is a + a:b\n  y ~ x/10\n       ^"),
        ("y + a", "`~` between"),
        ("y ~ 2*x", "a number is no predictor; "),
        ("y ~ x^2", "I(x^2) for the power of a number"),
        ("y ~ y", "the target cannot be its own predictor"),
        ("y ~ (a", "the formula ends too early"),
        ("y ~ a b", "`b` cannot stand here; an operator: + - * : ^"),
        ("y ~ a ~ b", "one `~`"),
        ("y", "`~` between the target and the predictors"),
        ("y ~", "the formula ends too early"),
        ("y ~ I(3)", "the same for every row"),
        ("y ~ poly(x)", "poly() needs more; the degree, as in poly(x, 2)"),
        ("y ~ poly(x, 2.5)", "a whole number from 1 to 32"),
        ("y ~ poly(x, 2, 3)", "poly() takes no further argument here"),
        ("y ~ bs(x, df=2)", "a spline of degree 3 has at least 3 columns"),
        ("y ~ bs(x, df=4, knots=c(1))", "df and knots cannot both be given"),
        ("y ~ C(g, contrast=som)", "there is no contrast `som`; did you mean `sum`?"),
        ("y ~ I(x > 'a')", "a text is no value"),
        ("y ~ I(1 < x < 3)", "`<` cannot stand here"),
        ("y ~ cut(x)", "cut() needs more"),
        ("y ~ cut(x, 3)", "cut() wants the ends themselves"),
        ("y ~ cut(x, c(1))", "these are not the ends of intervals"),
        ("y ~ cut(x, c(1, 1))", "these are not the ends of intervals"),
        ("y ~ cut(x, c(1, 2), labels=[a, b])", "there are 2 labels for 1 intervals"),
        ("y ~ bs(x, knots=c(1, Inf))", "`knots` takes numbers"),
        ("y ~ C(log(g))", "a category is a column, not arithmetic"),
        ("y ~ log(x, 2)", "log() takes one argument"),
        ("y ~ log(poly(x, 2))", "poly() is no number"),
        ("y ~ a - offset(b)", "an offset cannot be taken away"),
        ("y ~ a:offset(b)", "an offset is no part of a term"),
        ("y ~ a - cluster(b)", "cluster() cannot be taken away"),
        ("y ~ a*strata(b)", "strata() is no part of a term; it is added as it is, as in y ~ a*b + strata(ward)"),
        ("y ~ strata(b):a", "`:` cannot stand here; strata() is added as it is"),
        ("y ~ a + strata(log(b))", "strata() takes a column, not arithmetic"),
        ("y ~ a + strata()", "strata() needs more; the name of a column"),
        ("y ~ a + strata(b, c)", "strata() takes no further argument here"),
        ("y ~ a + cluster(b) + cluster(c)", "there is another cluster() already"),
        ("y ~ a + cluster(y)", "the target cannot be its own cluster"),
        ("y ~ rbf(a, b, centers=c(1,2,3))", "3 numbers are not the coordinates"),
        ("log(y) ~ a", "this cannot be a target"),
        ("cbind(a) ~ x", "cbind() needs more; cbind(successes, failures)"),
        ("y ~ a ? b", "`?` means nothing in a formula"),
    ] {
        let error = Formula::parse(text).unwrap_err();
        assert!(matches!(error.kind(), crate::ErrorKind::Formula { .. }));
        assert!(error.to_string().contains(expected), "{text}: {error}");
    }
}

#[test]
fn no_formula_is_too_much_for_the_stack_or_the_memory() {
    let deep = |open: &str, close: &str| format!("y ~ {}x{}", open.repeat(50_000), close.repeat(50_000));
    for text in [deep("(", ")"), deep("log(", ")"), deep("I(", ")"), format!("y ~ I({}x)", "-".repeat(50_000))] {
        assert!(Formula::parse(&text).unwrap_err().to_string().contains("nested too deeply"));
    }
    assert!(Formula::parse(&format!("y ~ I(x{})", "+x".repeat(50_000))).unwrap_err().to_string().contains("nested too deeply"));
    let names: Vec<String> = (0..40).map(|i| format!("x{i}")).collect();
    for text in [format!("y ~ {}", names.join("*")), format!("y ~ ({})^9", names.join("+"))] {
        assert!(Formula::parse(&text).unwrap_err().to_string().contains("too many terms"));
    }
    let many: Vec<String> = (0..100_000).map(|i| format!("x{i}")).collect();
    let long = Formula::parse(&format!("y ~ {}", many.join(" + "))).unwrap();
    assert_eq!(long.terms().len(), many.len());
    assert_eq!(Formula::of_columns("y", &many), long);
}

#[test]
fn intervals_are_named_as_r_names_them() {
    let cut = |text: &str| match &Formula::parse(&format!("y ~ {text}")).unwrap().variables()[0] {
        Variable::Cut(cut) => cut.clone(),
        other => panic!("{other:?}"),
    };
    for (text, names) in [
        ("cut(x, c(0, 5, 10))", "(0,5] (5,10]"),
        ("cut(x, c(0, 5, 10), right=false)", "[0,5) [5,10)"),
        ("cut(x, c(0, 5, 10), include.lowest=true)", "[0,5] (5,10]"),
        ("cut(x, c(0, 5, 10), right=false, include.lowest=true)", "[0,5) [5,10]"),
        ("cut(x, c(-Inf, 0, Inf))", "(-Inf,0] (0, Inf]"),
        ("cut(x, c(0.12345, 1234.5, 123456))", "(0.123,1.23e+03] (1.23e+03,1.23e+05]"),
        ("cut(x, c(1.0001, 1.0002, 2))", "(1.0001,1.0002] (1.0002,2]"),
        ("cut(x, c(0.00001, 100, 1000))", "(1e-05,100] (100,1e+03]"),
    ] {
        assert_eq!(cut(text).names().join(" "), names, "{text}");
    }
    let interval = |text: &str| [-1.0, 0.0, 5.0, 10.0, 11.0, f64::NAN].map(|x| cut(text).interval(x).map_or(-1, |at| at as i32));
    assert_eq!(interval("cut(x, c(0, 5, 10))"), [-1, -1, 0, 1, -1, -1]);
    assert_eq!(interval("cut(x, c(0, 5, 10), right=false)"), [-1, 0, 1, -1, -1, -1]);
    assert_eq!(interval("cut(x, c(0, 5, 10), include.lowest=true)"), [-1, 0, 0, 1, -1, -1]);
    assert_eq!(interval("cut(x, c(0, 5, 10), right=false, include.lowest=true)"), [-1, 0, 1, 1, -1, -1]);
    assert_eq!(interval("cut(x, c(-Inf, 5, Inf))"), [0, 0, 0, 1, 1, -1]);
}
