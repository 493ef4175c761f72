//! Laws of formulas: whatever is read is written back as the same formula, and no text does harm.

use oddsmith::ErrorKind;
use oddsmith::data::formula::Formula;
use proptest::prelude::*;

/// Arithmetic of some depth.
fn arithmetic() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        prop::sample::select(vec!["x", "y.z", "_w", "`a b`", "größe"]).prop_map(str::to_owned),
        (0u32..2000).prop_map(|n| (f64::from(n) / 8.0).to_string()),
    ];
    leaf.prop_recursive(4, 24, 2, |inner| {
        prop_oneof![
            (inner.clone(), prop::sample::select(vec!["+", "-", " * ", "/", "^"]), inner.clone())
                .prop_map(|(a, o, b)| format!("{a}{o}{b}")),
            inner.clone().prop_map(|a| format!("({a})")),
            inner.clone().prop_map(|a| format!("-{a}")),
            (prop::sample::select(vec!["log", "log2", "log10", "log1p", "exp", "sqrt", "abs", "I"]), inner)
                .prop_map(|(f, a)| format!("{f}({a})")),
        ]
    })
}

/// A variable of a term.
fn variable() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(vec!["a", "b", "c", "d", "Sepal.Length", "`my col`", "`\\``"]).prop_map(str::to_owned),
        1 => arithmetic().prop_map(|of| format!("I(x + {of})")),
        1 => arithmetic().prop_map(|of| format!("log({of} + x)")),
        1 => prop::sample::select(vec![
            "C(g)", "C(g, ref=white)", "C(h, ref='a \"b\"', contrast = sum)", "C(h, contrast=poly)", "C(k, ref = 2)", "C(k, ref = -1.50)",
            "poly(x, 2)", "poly(x + 1, degree=3, raw=TRUE)", "bs(x, 5)", "bs(x, knots=c(3,-1.5,2), degree=2)", "ns(log(x), df=4)",
            "ns(x, knots=7)", "rbf(x, y.z, k=4)", "rbf(x, centers=c(0, 1e-7, 1e30), width=.5)",
        ]).prop_map(str::to_owned),
    ]
}

/// The right side of a formula.
fn sum() -> impl Strategy<Value = String> {
    variable().prop_recursive(4, 16, 3, |inner| {
        prop_oneof![
            (inner.clone(), prop::sample::select(vec!["+", " - ", "*", ":"]), inner.clone()).prop_map(|(a, o, b)| format!("{a}{o}{b}")),
            (inner.clone(), 1..4u8).prop_map(|(a, power)| format!("({a})^{power}")),
            inner.clone().prop_map(|a| format!("({a})")),
            (prop::sample::select(vec!["0 +", "- 1 +", "1 +"]), inner).prop_map(|(one, a)| format!("({one} {a})")),
        ]
    })
}

fn formula() -> impl Strategy<Value = String> {
    let responses = vec!["", "low ", "`t t`", "cbind(s, f)", "cbind(s, 20 - s)", "s/n", "s/(s + f)", "(s + f)/n/2"];
    let offset = prop_oneof![Just(String::new()), arithmetic().prop_map(|of| format!(" + offset({of})"))];
    let key = prop::sample::select(vec!["", " + cluster(`a b`)", " + strata(u)", " + strata(a) + cluster(a)"]);
    (prop::sample::select(responses), sum(), offset, key).prop_map(|(response, sum, offset, key)| format!("{response}~{sum}{offset}{key}"))
}

/// Texts made of the pieces of formulas, in any order.
fn scraps() -> impl Strategy<Value = String> {
    let pieces = vec![
        "~", "+", "-", "*", "/", ":", "^", "(", ")", ",", "=", ".", "`", "'", "\"", "\\", " ", "\n", "\u{1b}", "\u{0}", "é", "日", "a",
        "x.y", "_", "0", "1", "2", "1e999", "1e5", ".5", "I(", "C(", "log(", "poly(", "bs(", "ns(", "rbf(", "offset(", "strata(",
        "cluster(", "cbind(", "c(", "ref=", "df=", "knots=", "k=", "raw=",
    ];
    prop::collection::vec(prop::sample::select(pieces), 0..40).prop_map(|pieces| pieces.concat())
}

fn survives(text: &str) {
    match Formula::parse(text) {
        Ok(formula) => {
            let written = formula.to_string();
            let again = Formula::parse(&written);
            assert_eq!(again.as_ref().ok(), Some(&formula), "{text:?} is written as {written:?}");
            assert_eq!(again.unwrap().to_string(), written);
        }
        Err(error) => {
            assert!(
                matches!(error.kind(), ErrorKind::Formula { text: shown, span, .. } if shown == text && span.start <= span.end && span.end <= text.len())
            );
            assert!(error.to_string().lines().count() == 3, "{error}");
        }
    }
}

proptest! {
    #[test]
    fn what_is_read_is_written_back(text in formula()) {
        prop_assert!(Formula::parse(&text).is_ok(), "{}", Formula::parse(&text).unwrap_err());
        survives(&text);
    }

    #[test]
    fn the_dot_comes_back_too(text in sum()) {
        let dotted = format!("y2 ~ {text} + . - b");
        let formula = Formula::parse(&dotted).unwrap();
        prop_assert!(formula.has_dot());
        survives(&dotted);
        let others: Vec<String> = ["b", "y2", "o o", "z"].map(str::to_owned).to_vec();
        let expanded = formula.expand_dot(&others).unwrap();
        let read_again = Formula::parse(&formula.to_string()).unwrap().expand_dot(&others).unwrap();
        prop_assert_eq!(&expanded, &read_again);
        survives(&expanded.to_string());
        prop_assert!(expanded.columns().contains(&"o o".to_owned()));
    }

    #[test]
    fn no_scraps_do_harm(text in scraps()) {
        survives(&text);
        survives(&format!("y ~ {text}"));
    }

    #[test]
    fn no_text_does_harm(text in any::<String>()) {
        survives(&text);
        survives(&format!("y ~ a + `{text}` + {text}"));
    }
}
