//! Any picture becomes well-formed SVG with finite coordinates, the same bytes every time, whatever its numbers and names are.

use std::time::{Duration, Instant};

use oddsmith::picture::{Axis, AxisScale, Column, Mark, Panel, Picture, Role, TreeNode};
use oddsmith_report::svg::{HALF, Look, NARROW, Paint, Theme, WIDE, svg, svg_file, svg_following};
use oddsmith_report::{Format, Style, picture_page, render_picture, text_picture};
use proptest::prelude::*;
use quick_xml::Reader;
use quick_xml::events::Event;

/// Attributes that hold coordinates.
const COORDINATES: [&str; 13] = ["x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "width", "height", "viewBox", "d"];

/// Numbers as tables hold them: ordinary, huge, tiny, infinite and missing.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -10.0..10.0f64,
        2 => 0.0..1.0f64,
        1 => any::<f64>(),
        1 => prop_oneof![Just(f64::INFINITY), Just(f64::NEG_INFINITY), Just(f64::NAN), Just(0.0), Just(-0.0), Just(1.0), Just(f64::MAX), Just(f64::MIN_POSITIVE)],
    ]
}

/// Names as tables hold them: words, markup, other scripts, control characters, and long ones.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-z]{0,12}",
        1 => any::<String>(),
        1 => prop_oneof![
            Just("<script>alert(1)</script>".to_owned()),
            Just("\"' onload=\"x\" &amp; ]]> <!--".to_owned()),
            Just("\u{202e}שלום\u{0}\u{1b}[31m\u{ffff}".to_owned()),
            Just("ä".repeat(200)),
            Just("年齢".to_owned()),
        ],
    ]
}

fn role() -> impl Strategy<Value = Role> {
    prop_oneof![
        Just(Role::Event),
        Just(Role::Other),
        Just(Role::Third),
        Just(Role::Reference),
        Just(Role::Plain),
        any::<u8>().prop_map(Role::Series)
    ]
}

fn pairs() -> impl Strategy<Value = Vec<(f64, f64)>> {
    prop::collection::vec((number(), number()), 0..12)
}

fn triples() -> impl Strategy<Value = Vec<(f64, f64, f64)>> {
    prop::collection::vec((number(), number(), number()), 0..8)
}

fn fours() -> impl Strategy<Value = Vec<(f64, f64, f64, f64)>> {
    prop::collection::vec((prop_oneof![(0..6u8).prop_map(f64::from), number()], number(), number(), number()), 0..8)
}

fn grid() -> impl Strategy<Value = (Vec<f64>, Vec<f64>, Vec<f64>)> {
    (0..6usize, 0..6usize).prop_flat_map(|(columns, rows)| {
        let list = |length: usize| prop::collection::vec(number(), length..=length);
        (list(columns), list(rows), prop::collection::vec(number(), 0..40))
    })
}

fn tree() -> impl Strategy<Value = Mark> {
    let node = (prop::option::of(0..8usize), name(), prop::collection::vec(name(), 0..3), prop::collection::vec(number(), 0..3));
    let node = node.prop_map(|(parent, edge, lines, proportions)| TreeNode { parent, edge, lines, proportions });
    (prop::collection::vec(name(), 0..3), prop::collection::vec(node, 0..12)).prop_map(|(classes, nodes)| Mark::Tree { classes, nodes })
}

fn mark() -> impl Strategy<Value = Mark> {
    prop_oneof![
        (role(), name(), pairs()).prop_map(|(role, name, points)| Mark::Line { role, name, points }),
        (role(), name(), triples()).prop_map(|(role, name, points)| Mark::Band { role, name, points }),
        (role(), name(), pairs()).prop_map(|(role, name, points)| Mark::Points { role, name, points }),
        (role(), fours()).prop_map(|(role, estimates)| Mark::Intervals { role, estimates }),
        (role(), triples()).prop_map(|(role, bars)| Mark::Bars { role, bars }),
        (role(), name(), fours()).prop_map(|(role, name, blocks)| Mark::Blocks { role, name, blocks }),
        (role(), any::<bool>(), number()).prop_map(|(role, upright, at)| Mark::Rule { role, upright, at }),
        grid().prop_map(|(x, y, values)| Mark::Surface { x, y, values }),
        (role(), name(), grid(), number()).prop_map(|(role, name, (x, y, values), level)| Mark::Region { role, name, x, y, values, level }),
        (role(), name(), grid(), number()).prop_map(|(role, text, (x, y, values), level)| Mark::Contour {
            role,
            name: text.clone(),
            text,
            x,
            y,
            values,
            level
        }),
        (number(), prop::collection::vec((number(), name()), 0..6)).prop_map(|(at, ticks)| Mark::Ruler { at, ticks }),
        ((number(), number()), name()).prop_map(|(at, text)| Mark::Label { at, text }),
        (number(), name()).prop_map(|(x, text)| Mark::Label { at: (x, 0.0), text }.moved_by("shift")),
        (role(), pairs()).prop_map(|(role, points)| Mark::Line { role, name: String::new(), points }.moved_by("<model>")),
    ]
}

fn axis() -> impl Strategy<Value = Axis> {
    let scale = prop_oneof![
        Just(AxisScale::Linear),
        Just(AxisScale::Proportion),
        Just(AxisScale::Log),
        Just(AxisScale::Logit),
        Just(AxisScale::Categories)
    ];
    let column =
        (name(), prop::collection::vec(name(), 0..7), any::<bool>()).prop_map(|(title, cells, optional)| Column { title, cells, optional });
    let also = prop::option::of((name(), prop::collection::vec((number(), name()), 0..4)));
    let parts = (name(), scale, prop::option::of((number(), number())), prop::collection::vec(name(), 0..7));
    (parts, prop::collection::vec(column, 0..3), prop::option::of((name(), name())), also, any::<(bool, bool)>()).prop_map(
        |((label, scale, range, categories), columns, ends, also, (bare, mirrored))| Axis {
            label,
            scale,
            range,
            categories,
            columns,
            ends,
            also,
            bare,
            mirrored,
        },
    )
}

fn picture() -> impl Strategy<Value = Picture> {
    let panel = (axis(), axis(), prop::collection::vec(mark(), 0..5)).prop_map(|(x, y, marks)| Panel { x, y, marks });
    let drawn = tree().prop_map(|mark| Panel { marks: vec![mark], ..Panel::default() });
    let panels = prop::collection::vec(prop_oneof![8 => panel, 1 => drawn], 0..3);
    (name(), name(), name(), panels).prop_map(|(name, title, summary, panels)| Picture { name, title, summary, panels })
}

/// Reads an SVG and checks what any reader of it relies on.
fn check(text: &str) {
    let mut reader = Reader::from_str(text);
    let mut depth = 0i32;
    loop {
        match reader.read_event().unwrap_or_else(|error| panic!("{error}\n{text}")) {
            Event::Eof => break,
            event @ (Event::Start(_) | Event::Empty(_)) => {
                depth += i32::from(matches!(event, Event::Start(_)));
                let (Event::Start(element) | Event::Empty(element)) = event else { continue };
                for attribute in element.attributes() {
                    let attribute = attribute.unwrap_or_else(|error| panic!("{error}\n{text}"));
                    let key: &str = attribute.key.as_ref();
                    let value: &str = &attribute.value;
                    assert_ne!(key, "style", "{text}");
                    assert!(!key.starts_with("on"), "{key} in {text}");
                    if COORDINATES.contains(&key) {
                        check_numbers(key, value);
                    }
                }
            }
            Event::End(_) => depth -= 1,
            _ => {}
        }
    }
    assert_eq!(depth, 0, "{text}");
}

fn check_numbers(key: &str, value: &str) {
    for part in value.split(|c: char| c.is_ascii_alphabetic() || c == ' ' || c == '%').filter(|part| !part.is_empty()) {
        let number: f64 = part.parse().unwrap_or_else(|_| panic!("{key}={value}"));
        assert!(number.is_finite() && number.abs() <= 20_000.0, "{key}={value}");
    }
    assert!(!value.contains("NaN") && !value.contains("inf"), "{key}={value}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_picture_is_well_formed_and_finite(picture in picture()) {
        for width in [WIDE, HALF, NARROW] {
            for paint in [Paint::Variables, Paint::Written(Theme::Dark)] {
                let look = Look { paint, width, id: "f" };
                let drawn = svg(&picture, &look);
                check(&drawn);
                prop_assert_eq!(&drawn, &svg(&picture, &look));
            }
        }
        check(&svg_file(&picture, Theme::Light));
        check(&svg_following(&picture, "f"));
    }

    /// A page of its own is one element after the other, with nothing in it that a text put there.
    #[test]
    fn any_picture_has_a_page_of_its_own(picture in picture()) {
        let page = picture_page(&picture);
        prop_assert_eq!(&page, &picture_page(&picture));
        let (head, body) = page.split_once("</style>").ok_or_else(|| TestCaseError::fail("no style sheet"))?;
        prop_assert!(head.contains("default-src 'none'") && !body.contains("<script") && !body.contains(" style="));
        let main = &body[body.find("<main>").unwrap_or(0)..body.rfind("</main>").map_or(body.len(), |end| end + "</main>".len())];
        check(main);
    }

    #[test]
    fn any_picture_has_a_table_json_and_characters(picture in picture()) {
        let style = Style::default();
        let json = render_picture(&picture, Format::Json, &style);
        let read: serde_json::Value = serde_json::from_str(&json).map_err(|error| TestCaseError::fail(format!("{error}: {json}")))?;
        prop_assert_eq!(read["panels"].as_array().map(Vec::len), Some(picture.panels.len()));
        let table = picture.table();
        prop_assert!(table.rows().iter().all(|row| row.len() == table.columns().len()));
        let text = text_picture(&picture, &Style { width: Some(60), ..Style::default() });
        let driven = text.contains('\u{1b}');
        prop_assert!(!driven && text.ends_with('\n'));
    }
}

/// Marks of `size` parts each, whose numbers and names are what takes longest to place.
fn large(size: usize, marks: &[Mark]) -> Picture {
    let names: Vec<String> = (0..size.min(400)).map(|at| format!("a name that is long enough to be cut somewhere {at}")).collect();
    let columns = vec![Column { title: "number".into(), cells: names.clone(), optional: false }];
    let of_names = Axis { scale: AxisScale::Categories, categories: names, columns, ..Axis::default() };
    let panel = |mark: &Mark| {
        let y = if matches!(mark, Mark::Intervals { .. } | Mark::Bars { .. } | Mark::Ruler { .. }) {
            of_names.clone()
        } else {
            Axis::default()
        };
        Panel { x: Axis::default(), y, marks: vec![mark.clone()] }
    };
    Picture { name: "large".into(), title: "large".into(), summary: String::new(), panels: marks.iter().map(panel).collect() }
}

/// All kinds of marks with numbers from a list, over and over.
fn marks_of(size: usize, numbers: &[f64], text: &str) -> Vec<Mark> {
    let number = |at: usize| numbers.get(at % numbers.len().max(1)).copied().unwrap_or(0.0) + (at % 97) as f64;
    let role = Role::Series(3);
    let name = String::from("n");
    let side = (size as f64).sqrt() as usize;
    let grid = || ((0..side).map(|at| at as f64).collect::<Vec<f64>>(), (0..side * side).map(number).collect::<Vec<f64>>());
    let node = |at: usize| TreeNode {
        parent: at.checked_sub(1).map(|last| last / 2),
        edge: text.into(),
        lines: vec![text.into()],
        proportions: vec![0.5, 0.5],
    };
    vec![
        Mark::Line { role, name: name.clone(), points: (0..size).map(|at| (number(at), number(at + 1))).collect() },
        Mark::Band { role, name: name.clone(), points: (0..size).map(|at| (number(at), number(at + 1), number(at + 2))).collect() },
        Mark::Points { role, name: name.clone(), points: (0..size).map(|at| (number(at), number(at + 1))).collect() },
        Mark::Intervals { role, estimates: (0..size).map(|at| ((at % 400) as f64, number(at), number(at + 1), number(at + 2))).collect() },
        Mark::Bars { role, bars: (0..size).map(|at| ((at % 400) as f64, number(at), number(at + 1))).collect() },
        Mark::Blocks { role, name: name.clone(), blocks: (0..size).map(|at| (number(at), number(at + 1), 0.0, number(at + 2))).collect() },
        Mark::Surface { x: grid().0, y: grid().0, values: grid().1.iter().map(|value| value % 1.0).collect() },
        Mark::Contour { role, name: name.clone(), text: text.into(), x: grid().0, y: grid().0, values: grid().1, level: 50.0 },
        Mark::Ruler { at: 1.0, ticks: (0..size).map(|at| (number(at), text.to_owned())).collect() },
        Mark::Tree { classes: vec!["a".into(), "b".into()], nodes: (0..size.min(600)).map(node).collect() },
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    /// Four times the marks take about four times as long, whatever the numbers: nothing that is placed is compared with all that was placed before.
    #[test]
    fn time_is_bounded_by_the_marks(numbers in prop::collection::vec(number(), 1..40), text in name()) {
        let time = |size: usize| {
            let picture = large(size, &marks_of(size, &numbers, &text));
            let once = || {
                let begin = Instant::now();
                let drawn = svg(&picture, &Look { paint: Paint::Variables, width: WIDE, id: "f" }).len() + text_picture(&picture, &Style::default()).len();
                if drawn > 0 { begin.elapsed() } else { Duration::ZERO }
            };
            (0..3).map(|_| once()).min().unwrap_or_default()
        };
        let (few, many) = (time(2_000), time(8_000));
        prop_assert!(many < few * 10 + Duration::from_millis(60), "{few:?} {many:?}");
        prop_assert!(many < Duration::from_secs(4), "{many:?}");
    }
}
