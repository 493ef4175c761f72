//! What two number columns tell about each other.

use std::f64::consts::LOG2_E;

use oddsmith::card::{Card, Cell, FixedTable, Summary, Table};
use oddsmith::data::{Plane, Rows};
use oddsmith::info::{NumberPair, number_pair};
use oddsmith::notice::{self, Notice};
use oddsmith::study::information::Information;
use oddsmith::{Error, Result as LibraryResult};
use oddsmith_io::Opened;

/// Most values that tie before neighbours say nothing.
const MOST_TIES: f64 = 0.05;

/// Where two columns lie that are both numbers.
pub(super) fn both_numbers(opened: &Opened, x: &str, y: &str) -> LibraryResult<Option<(usize, usize)>> {
    let layout = opened.layout();
    Ok(match (layout.plane(layout.index(x)?), layout.plane(layout.index(y)?)) {
        (Plane::Numbers(x), Plane::Numbers(y)) => Some((x, y)),
        _ => None,
    })
}

/// Whether the second column is a number and the first is not, so that the first has to be the target.
pub(super) fn turned(opened: &Opened, x: &str, y: &str) -> LibraryResult<bool> {
    let layout = opened.layout();
    let number = |name: &str| Ok::<_, Error>(matches!(layout.plane(layout.index(name)?), Plane::Numbers(_)));
    Ok(number(y)? && !number(x)?)
}

/// The account of two numbers.
pub(super) fn card(opened: &Opened, (x_at, y_at): (usize, usize), names: [&str; 2], options: &Information) -> LibraryResult<Card> {
    let (mut x, mut y, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    let mut weighted = false;
    let mut take = |rows: Rows<'_>| {
        weighted |= rows.weights.is_some();
        let numbers = rows.features.numbers;
        // Refuses weights that are none; there is no target whose labels could count.
        rows.counted_labels()?;
        for i in 0..numbers.rows() {
            let (a, b, w) = (numbers.get(i, x_at), numbers.get(i, y_at), rows.weights.map_or(1.0, |weights| weights[i]));
            if !a.is_nan() && !b.is_nan() && w > 0.0 {
                x.push(a);
                y.push(b);
                weights.push(w);
            }
        }
        Ok(())
    };
    for partition in 0..opened.source.partitions() {
        opened.source.scan(partition, &mut take)?;
    }
    let total: f64 = weights.iter().sum();
    let squares: f64 = weights.iter().map(|w| w * w).sum();
    let evidence = opened.layout().weighting().effective_rows(total, squares);
    let found = number_pair(&x, &y, weighted.then_some(&weights[..]), evidence, options.neighbours, options.level)?;
    Ok(told(&found, x.len(), names, options))
}

fn told(found: &NumberPair, rows: usize, [x, y]: [&str; 2], options: &Information) -> Card {
    let bits = |nats: f64| Cell::from(nats * LOG2_E);
    let tied = found.ties > MOST_TIES;
    let binned = &found.binned;
    let mut tidy = FixedTable::new("between", ["method", "mi_bits", "conf_low", "conf_high", "g", "df", "p_value", "detail"]);
    let empty = || [Cell::Empty, Cell::Empty, Cell::Empty, Cell::Empty, Cell::Empty];
    let mut line = |method: &str, estimate: Cell, [low, high, g, df, p]: [Cell; 5], detail: String| {
        tidy.push([method.into(), estimate, low, high, g, df, p, detail.into()]);
    };
    let neighbours = found.neighbours.filter(|_| !tied).map_or(Cell::Empty, |nats| bits(nats.max(0.0)));
    line("neighbours", neighbours, empty(), format!("{} neighbours, no noise added; has no interval", options.neighbours));
    let test = [bits(binned.interval.0), bits(binned.interval.1), binned.g.into(), binned.df.into(), Cell::PValue(binned.p_value)];
    line("bins", bits(binned.estimate), test, format!("{} × {} quantile bins, less the bias of chance", found.bins.0, found.bins.1));
    line("normal", bits(found.normal), empty(), "what the correlation says where both are normal together".into());
    let facts: Vec<(String, Cell)> = vec![("rows".into(), rows.into()), ("correlation".into(), found.correlation.into())];
    let mut notices = Vec::new();
    if tied {
        let text = format!("{:.0} % of the values of a column occur more than once, so neighbours say nothing", 100.0 * found.ties);
        notices.push(Notice::new(notice::TIED_NEIGHBOURS, text));
    }
    let told = [
        format!("neighbours: {} neighbours, any kind of dependence, no interval", options.neighbours),
        format!("bins: {} × {} quantile bins, less the bias of chance; they lose a little", found.bins.0, found.bins.1),
        "normal: what the correlation says; right where both are normal together, lines only elsewhere".to_owned(),
    ];
    let footnotes = told.to_vec();
    let tidy: Table = tidy.into();
    let mut shown = tidy.clone();
    shown.retain_columns(|_, name| name != "detail");
    Card {
        title: format!("What {x} and {y} tell about each other"),
        summary: Some(Summary { facts: facts.clone(), table: Some(shown), footnotes }),
        facts,
        tidy,
        notices,
        ..Card::default()
    }
}
