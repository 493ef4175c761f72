//! Laws of designs: a row is expanded alike alone and among others, whatever the order of the planes; a survey may be cut
//! anywhere; a row of weight 2 is the row twice; a design comes back from its record.

use oddsmith::Result;
use oddsmith::data::design::{Contrast, Design, DesignBlock, DesignOptions, DesignSurvey, Gap, MissingPolicy};
use oddsmith::data::formula::Formula;
use oddsmith::data::{Classes, CodesView, Feature, Features, Layout, Levels, MISSING, Rows, UNSEEN, Weighting};
use oddsmith::num::MatrixView;
use oddsmith::record::Record;
use oddsmith::stats::Statistics;
use proptest::prelude::*;

const NUMBERS: usize = 3;
const CODES: usize = 3;

/// x, y, t > 0; a (2 levels), b (4 levels), flag.
fn layout(weighting: Weighting) -> Layout {
    let texts = |list: &[&str]| list.iter().map(|s| s.to_string()).collect::<Vec<_>>();
    let features = vec![
        Feature::category("a", Levels::in_order(texts(&["p", "q"]))),
        Feature::number("x"),
        Feature::number("y"),
        Feature::category("b", Levels::in_order(texts(&["k", "l", "m", "n"]))),
        Feature::number("t"),
        Feature::boolean("flag"),
    ];
    Layout::new("target", features, Classes::new(texts(&["no", "yes"])).unwrap(), weighting).unwrap()
}

#[derive(Debug, Clone)]
struct Row {
    numbers: [f64; NUMBERS],
    codes: [u32; CODES],
    weight: u8,
}

fn row() -> impl Strategy<Value = Row> {
    let number = |lo: i32, hi: i32| prop_oneof![12 => (lo..hi).prop_map(|n| f64::from(n) / 16.0), 1 => Just(f64::NAN)];
    let code = |levels: u32| prop_oneof![12 => 0..levels, 1 => Just(MISSING), 1 => Just(UNSEEN)];
    let numbers = (number(-400, 400), number(-30, 30), number(1, 200)).prop_map(|(x, y, t)| [x, y, t]);
    let codes = (code(2), code(4), code(2)).prop_map(|(a, b, flag)| [a, b, flag]);
    (numbers, codes, 0..4u8).prop_map(|(numbers, codes, weight)| Row { numbers, codes, weight })
}

/// Enough rows that every basis can be computed.
fn rows() -> impl Strategy<Value = Vec<Row>> {
    prop::collection::vec(row(), 5..60).prop_map(|mut rows| {
        for i in 0..12u32 {
            let at = f64::from(i);
            rows.push(Row { numbers: [at * at - 3.0, 2.0 - at, 0.5 + at], codes: [i % 2, i % 4, i / 6], weight: 1 });
        }
        rows
    })
}

fn formula() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "~ x + y + t",
        "~ y + a + x + b",
        "~ .",
        "~ .^2",
        "~ a*b*x + log(t) - 1",
        "~ a:b + flag:y + I(x^2)",
        "~ flag + offset(log(t) - x/4) + 0",
        "~ C(b, ref = m)*poly(x, 3) + C(a, contrast = sum)",
        "~ bs(x, df = 5):a + ns(t, df = 3) + exp(y)",
        "~ C(b, contrast = poly):flag + rbf(x, y, k = 5)",
        "~ poly(x + y, 2) + bs(t, knots = c(2, 4), degree = 2) + rbf(t, centers = c(1, 5))",
        "~ 1",
    ])
}

fn options() -> impl Strategy<Value = DesignOptions> {
    let missing = prop::sample::select(vec![MissingPolicy::Drop, MissingPolicy::Indicator, MissingPolicy::Mean]);
    let contrast = prop::sample::select(vec![Contrast::Treatment, Contrast::Sum, Contrast::Poly]);
    let references = prop::sample::select(vec![vec![], vec![("a".to_owned(), "q".to_owned())]]);
    (missing, contrast, references).prop_map(|(missing, contrast, references)| DesignOptions { missing, contrast, references })
}

/// Planes row after row or column after column.
struct Planes {
    numbers: Vec<f64>,
    codes: Vec<u32>,
    rows: usize,
    by_row: bool,
}

impl Planes {
    fn new(rows: &[Row], by_row: bool) -> Self {
        let transposed = |i: usize, columns: usize| if by_row { (i / columns, i % columns) } else { (i % rows.len(), i / rows.len()) };
        let numbers = (0..rows.len() * NUMBERS).map(|i| transposed(i, NUMBERS)).map(|(r, c)| rows[r].numbers[c]).collect();
        let codes = (0..rows.len() * CODES).map(|i| transposed(i, CODES)).map(|(r, c)| rows[r].codes[c]).collect();
        Planes { numbers, codes, rows: rows.len(), by_row }
    }

    fn features(&self) -> Features<'_> {
        let (numbers, codes) = match self.by_row {
            true => (MatrixView::row_major(&self.numbers, self.rows, NUMBERS), CodesView::row_major(&self.codes, self.rows, CODES)),
            false => (MatrixView::column_major(&self.numbers, self.rows, NUMBERS), CodesView::column_major(&self.codes, self.rows, CODES)),
        };
        Features { numbers: numbers.unwrap(), codes: codes.unwrap(), words: &[] }
    }
}

/// A survey of rows that start at `first_row`, in batches.
fn observe(empty: &DesignSurvey, rows: &[Row], first_row: usize, batch: usize, weighted: bool) -> DesignSurvey {
    let mut survey = empty.clone();
    for (at, rows) in rows.chunks(batch).enumerate() {
        let planes = Planes::new(rows, at % 2 == 0);
        let weights: Vec<f64> = rows.iter().map(|row| f64::from(row.weight)).collect();
        let labels = vec![0; rows.len()];
        let first_row = (first_row + at * batch) as u64;
        survey.observe(Rows::new(planes.features(), &labels, weighted.then_some(&weights[..]), first_row)).unwrap();
    }
    survey
}

fn compile(text: &str, layout: &Layout, options: &DesignOptions, rows: &[Row], weighted: bool) -> Design {
    let formula = Formula::parse(text).unwrap();
    let survey = DesignSurvey::new(&formula, layout, options).unwrap();
    let survey = survey.is_needed().then(|| observe(&survey, rows, 0, 1000, weighted));
    Design::compile(&formula, layout, options, survey.as_ref()).unwrap()
}

fn expand(
    design: &Design,
    features: &Features<'_>,
    lo: usize,
    hi: usize,
    block: &mut DesignBlock,
) -> Result<(Vec<f64>, Vec<f64>, Vec<Gap>)> {
    design.expand(features, lo, hi, block)?;
    assert_eq!(block.has_gaps, block.gaps.iter().any(|gap| *gap != Gap::None));
    Ok((block.cells.clone(), block.offset.clone(), block.gaps.clone()))
}

fn assert_close(left: &[f64], right: &[f64]) {
    assert_eq!(left.len(), right.len());
    for (a, b) in left.iter().zip(right) {
        assert!((a - b).abs() <= 1e-9 * (1.0 + a.abs()), "{a} and {b}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn a_row_is_expanded_alike_alone_and_among_others(rows in rows(), text in formula(), options in options(), cut in any::<prop::sample::Index>()) {
        let design = compile(text, &layout(Weighting::None), &options, &rows, false);
        let (by_row, by_column) = (Planes::new(&rows, true), Planes::new(&rows, false));
        let mut block = DesignBlock::new();
        let whole = expand(&design, &by_row.features(), 0, rows.len(), &mut block).unwrap();
        prop_assert!(whole.0.iter().chain(&whole.1).all(|x| x.is_finite()));
        prop_assert_eq!(&expand(&design, &by_column.features(), 0, rows.len(), &mut block).unwrap(), &whole);
        let (width, cut) = (design.columns().len(), cut.index(rows.len()));
        for (lo, hi) in [(0, cut), (cut, rows.len())].into_iter().chain((0..rows.len()).map(|i| (i, i + 1))) {
            for planes in [&by_row, &by_column] {
                let part = expand(&design, &planes.features(), lo, hi, &mut block).unwrap();
                prop_assert_eq!(&part.0[..], &whole.0[lo * width..hi * width]);
                prop_assert_eq!(&part.1[..], &whole.1[lo..hi]);
                prop_assert_eq!(&part.2[..], &whole.2[lo..hi]);
            }
        }
    }

    #[test]
    fn plain_numbers_are_the_cells(rows in rows(), text in formula()) {
        let design = compile(text, &layout(Weighting::None), &DesignOptions::default(), &rows, false);
        let planes = Planes::new(&rows, false);
        let mut block = DesignBlock::new();
        let (cells, _, gaps) = expand(&design, &planes.features(), 0, rows.len(), &mut block).unwrap();
        if let Some(plain) = design.plain_numbers() {
            prop_assert_eq!(plain.len(), design.columns().len());
            for (i, row) in rows.iter().enumerate() {
                let values: Vec<f64> = plain.iter().map(|&plane| row.numbers[plane]).collect();
                prop_assert_eq!(gaps[i] == Gap::None, values.iter().all(|x| !x.is_nan()));
                prop_assert!(gaps[i] != Gap::None || cells[i * plain.len()..(i + 1) * plain.len()] == values[..]);
            }
        }
    }

    #[test]
    fn a_survey_may_be_cut_anywhere(rows in rows(), text in formula(), options in options(), cut in any::<prop::sample::Index>(), batch in 1..30usize) {
        let layout = layout(Weighting::None);
        let formula = Formula::parse(text).unwrap();
        let empty = DesignSurvey::new(&formula, &layout, &options).unwrap();
        let cut = cut.index(rows.len());
        let mut merged = empty.clone();
        merged.merge(&observe(&empty, &rows[..cut], 0, batch, false)).unwrap();
        merged.merge(&observe(&empty, &rows[cut..], cut, batch, false)).unwrap();
        prop_assert!(merged.is_exact() && merged.weight() == rows.len() as f64);
        let design = compile(text, &layout, &options, &rows, false);
        let cut_design = Design::compile(&formula, &layout, &options, Some(&merged)).unwrap();
        prop_assert_eq!(design.columns(), cut_design.columns());
        let planes = Planes::new(&rows, true);
        let mut block = DesignBlock::new();
        let whole = expand(&design, &planes.features(), 0, rows.len(), &mut block).unwrap();
        assert_close(&whole.0, &expand(&cut_design, &planes.features(), 0, rows.len(), &mut block).unwrap().0);
    }

    #[test]
    fn a_row_of_weight_two_is_the_row_twice(rows in rows(), text in formula(), options in options()) {
        let layout = layout(Weighting::Frequency);
        let repeated: Vec<Row> = rows.iter().flat_map(|row| std::iter::repeat_n(row.clone(), usize::from(row.weight))).collect();
        let weighted = compile(text, &layout, &options, &rows, true);
        let counted = compile(text, &layout, &options, &repeated, false);
        prop_assert_eq!(weighted.columns(), counted.columns());
        let planes = Planes::new(&rows, true);
        let mut block = DesignBlock::new();
        let cells = expand(&weighted, &planes.features(), 0, rows.len(), &mut block).unwrap().0;
        assert_close(&cells, &expand(&counted, &planes.features(), 0, rows.len(), &mut block).unwrap().0);
    }

    #[test]
    fn a_power_of_two_changes_no_digit_of_a_basis(rows in rows(), power in prop::sample::select(vec![-480, -300, 1, 60, 480])) {
        let text = "~ poly(x, 3) + bs(x, df = 5) + ns(x, df = 4) + rbf(x, y, k = 4) + rbf(x, k = 3)";
        let scaled: Vec<Row> = rows.iter().cloned().map(|mut row| {
            row.numbers[0] *= 2f64.powi(power);
            row
        }).collect();
        let cells = |rows: &[Row]| {
            let design = compile(text, &layout(Weighting::None), &DesignOptions::default(), rows, false);
            expand(&design, &Planes::new(rows, true).features(), 0, rows.len(), &mut DesignBlock::new()).unwrap().0
        };
        prop_assert_eq!(cells(&rows), cells(&scaled));
    }

    #[test]
    fn a_design_comes_back_from_its_record(rows in rows(), text in formula(), options in options()) {
        let layout = layout(Weighting::None);
        let design = compile(text, &layout, &options, &rows, false);
        let mut record = Record::new("test", 1, &serde_json::json!({})).unwrap();
        design.write(&mut record, "design").unwrap();
        prop_assert_eq!(&Design::read(&record, "design", &layout).unwrap(), &design);
        let used = design.formula().columns();
        let narrow: Vec<usize> = (0..layout.features().len()).rev().filter(|j| used.contains(&layout.features()[*j].name)).collect();
        let narrow = layout.select(&narrow).unwrap();
        let relocated = design.relocated(&narrow).unwrap();
        prop_assert_eq!(relocated.columns(), design.columns());
        prop_assert_eq!(&relocated.relocated(&layout).unwrap(), &design);
    }
}
