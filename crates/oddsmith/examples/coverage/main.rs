//! How often the intervals of tables, strata, matched sets, regressions and effects in risk hold what they promise: tables are drawn with known risks, and it is counted in how many of
//! them an interval of 95 % holds the truth.
//!
//! ```sh
//! cargo run --release --example coverage 20000 docs/epidemiology.md      # writes the tables of that page between its marks
//! cargo run --release --example coverage honesty 20000 5000              # so many drawings of 5000 rows: intervals and null p-values, line by line
//! ```
//!
//! The first argument is the number of drawings, 20 000 by default, of which strata take a quarter and regressions a tenth; above every table stands how far chance
//! alone moves its numbers. Without a page the tables are printed.

#![allow(clippy::print_stdout, reason = "it is a program that prints tables")]

mod honesty;
mod p_values;
mod regressions;

use oddsmith::study::estimate::Estimate;
use oddsmith::study::strata::StratifiedTable;
use oddsmith::study::table::{ConditionalCount, Table2x2, mcnemar};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

const LEVEL: f64 = 0.95;

/// What stands before and after the tables of a page.
const MARKS: [&str; 2] = ["<!-- coverage -->\n", "<!-- end of coverage -->\n"];

/// What is drawn: exposed, not exposed, risk if not exposed, odds ratio.
const TABLES: [(u32, u32, f64, f64); 5] =
    [(15, 15, 0.2, 1.0), (15, 30, 0.1, 4.0), (50, 50, 0.3, 2.0), (100, 300, 0.05, 3.0), (500, 500, 0.3, 2.0)];
/// Strata: how many, rows of each group in each, odds ratio.
const STRATA: [(u32, u32, f64); 4] = [(2, 40, 2.0), (10, 10, 2.0), (50, 4, 2.0), (100, 2, 2.0)];

struct Random(ChaCha8Rng);

impl Random {
    fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * (1.0 - self.uniform()).ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }

    fn binomial(&mut self, n: u32, p: f64) -> f64 {
        (0..n).filter(|_| self.uniform() < p).count() as f64
    }

    fn table(&mut self, n1: u32, n0: u32, p0: f64, odds_ratio: f64) -> Table2x2 {
        let (a, c) = (self.binomial(n1, shifted(p0, odds_ratio)), self.binomial(n0, p0));
        Table2x2 { a, b: f64::from(n1) - a, c, d: f64::from(n0) - c }
    }
}

fn shifted(p0: f64, odds_ratio: f64) -> f64 {
    let odds = p0 / (1.0 - p0) * odds_ratio;
    odds / (1.0 + odds)
}

/// Coverage of one interval: how often it held the truth, and how often it could be told.
#[derive(Clone, Copy, Default)]
struct Tally {
    told: u32,
    held: u32,
}

impl Tally {
    fn see(&mut self, estimate: Option<Estimate>, truth: f64) {
        let Some(estimate) = estimate.filter(|estimate| !estimate.low.is_nan() && !estimate.high.is_nan()) else { return };
        self.told += 1;
        self.held += u32::from(estimate.low <= truth && truth <= estimate.high);
    }

    fn cell(&self, drawn: u32) -> String {
        let share = f64::from(self.held) / f64::from(self.told.max(1));
        let told = f64::from(self.told) / f64::from(drawn);
        if told < 0.9995 { format!("{:.1} ({:.0})", 100.0 * share, 100.0 * told) } else { format!("{:.1}", 100.0 * share) }
    }
}

/// The tables so far.
struct Page(String);

impl Page {
    /// A row for every interval, a column for every situation.
    fn table(&mut self, title: &str, situations: &[String], names: &[&str], tallies: &[Vec<Tally>], drawn: u32) {
        let by_chance = 100.0 * (LEVEL * (1.0 - LEVEL) / f64::from(drawn)).sqrt();
        let rule = " --- |".repeat(situations.len());
        let mut lines = vec![
            format!("*{drawn} drawings of every column; the standard error of 95 % is {by_chance:.2} %.*\n"),
            format!("| {title} | {} |", situations.join(" | ")),
            format!("| --- |{rule}"),
        ];
        for (at, name) in names.iter().enumerate() {
            let cells: Vec<String> = tallies.iter().map(|column| column[at].cell(drawn)).collect();
            lines.push(format!("| {name} | {} |", cells.join(" | ")));
        }
        self.0.push_str(&format!("{}\n\n", lines.join("\n")));
    }

    /// Writes the tables between the marks of a file.
    fn write(&self, path: &str) -> std::io::Result<()> {
        let text = std::fs::read_to_string(path)?;
        let missing = || std::io::Error::other(format!("{path} has no place for the tables"));
        let (before, rest) = text.split_once(MARKS[0]).ok_or_else(missing)?;
        let (_, after) = rest.split_once(MARKS[1]).ok_or_else(missing)?;
        std::fs::write(path, format!("{before}{}\n{}{}{after}", MARKS[0], self.0, MARKS[1]))
    }
}

fn tables(random: &mut Random, drawn: u32, page: &mut Page) {
    let names = [
        "odds ratio, score",
        "odds ratio, Woolf",
        "odds ratio, exact conditional",
        "odds ratio, mid-p",
        "risk ratio, score",
        "risk ratio, Katz",
        "risk difference, score",
        "risk difference, Wald",
        "attributable fraction of all, Walter",
    ];
    let mut tallies = Vec::new();
    for (n1, n0, p0, odds_ratio) in TABLES {
        let p1 = shifted(p0, odds_ratio);
        let overall = (f64::from(n1) * p1 + f64::from(n0) * p0) / f64::from(n1 + n0);
        let mut own = vec![Tally::default(); names.len()];
        for _ in 0..drawn {
            let table = random.table(n1, n0, p0, odds_ratio);
            let exact = ConditionalCount::of(&table);
            own[0].see(Some(table.score_odds_ratio(LEVEL)), odds_ratio);
            own[1].see(Some(table.woolf(LEVEL)), odds_ratio);
            own[2].see(exact.as_ref().map(|exact| exact.estimate(LEVEL, false)), odds_ratio);
            own[3].see(exact.as_ref().map(|exact| exact.estimate(LEVEL, true)), odds_ratio);
            own[4].see(Some(table.score_risk_ratio(LEVEL)), p1 / p0);
            own[5].see(Some(table.katz(LEVEL)), p1 / p0);
            own[6].see(Some(table.score_difference(LEVEL)), p1 - p0);
            own[7].see(Some(table.wald_difference(LEVEL)), p1 - p0);
            // Group sizes are fixed here, so this is the fraction among as many exposed as were drawn.
            own[8].see((table.cases() > 0.0).then(|| table.attributable_population(LEVEL)), 1.0 - p0 / overall);
        }
        tallies.push(own);
    }
    let situations: Vec<String> = TABLES.iter().map(|(n1, n0, p0, or)| format!("{n1} + {n0}, risk {p0}, OR {or}")).collect();
    page.table("one table", &situations, &names, &tallies, drawn);
}

fn strata(random: &mut Random, drawn: u32, page: &mut Page) {
    let names = [
        "odds ratio, Mantel–Haenszel",
        "odds ratio, logistic, stratum intercepts",
        "odds ratio, exact conditional",
        "odds ratio, mid-p",
        "risk ratio, Mantel–Haenszel",
        "risk difference, Mantel–Haenszel",
        "risk difference, standardised",
        "risk ratio, standardised",
        "odds ratio, standardised (marginal)",
        "risk if exposed, standardised",
        "risk if not exposed, standardised",
    ];
    let mut tallies = Vec::new();
    for (count, size, odds_ratio) in STRATA {
        // Risks of strata spread evenly between 0.1 and 0.5.
        let base: Vec<f64> = (0..count).map(|k| 0.1 + 0.4 * (f64::from(k) + 0.5) / f64::from(count)).collect();
        let mean = |odds_ratio: f64| base.iter().map(|p0| shifted(*p0, odds_ratio)).sum::<f64>() / f64::from(count);
        let (r1, r0) = (mean(odds_ratio), mean(1.0));
        let mut own = vec![Tally::default(); names.len()];
        for _ in 0..drawn / 4 {
            let strata = StratifiedTable { strata: base.iter().map(|p0| random.table(size, size, *p0, odds_ratio)).collect() };
            let (exact, marginal) = (strata.exact(), strata.standardised(LEVEL));
            own[0].see(Some(strata.mh_odds_ratio(LEVEL)), odds_ratio);
            own[1].see(Some(strata.logistic_odds_ratio(LEVEL)), odds_ratio);
            own[2].see(exact.as_ref().map(|exact| exact.estimate(LEVEL, false)), odds_ratio);
            own[3].see(exact.as_ref().map(|exact| exact.estimate(LEVEL, true)), odds_ratio);
            // Groups are of the same size in all strata, so pooled and standardised risks are about the same truth.
            own[4].see(Some(strata.mh_risk_ratio(LEVEL)), r1 / r0);
            own[5].see(Some(strata.mh_risk_difference(LEVEL)), r1 - r0);
            own[6].see(Some(marginal.risk_difference), r1 - r0);
            own[7].see(Some(marginal.risk_ratio), r1 / r0);
            own[8].see(Some(marginal.odds_ratio), r1 * (1.0 - r0) / (r0 * (1.0 - r1)));
            own[9].see(Some(marginal.exposed), r1);
            own[10].see(Some(marginal.unexposed), r0);
        }
        tallies.push(own);
    }
    let situations: Vec<String> = STRATA.iter().map(|(count, size, or)| format!("{count} × ({size} + {size}), OR {or}")).collect();
    page.table("strata", &situations, &names, &tallies, drawn / 4);
}

fn interactions_and_pairs(random: &mut Random, drawn: u32, page: &mut Page) {
    let names = ["RERI", "attributable proportion", "synergy index", "matched odds ratio, exact"];
    let mut tallies = Vec::new();
    for size in [100u32, 400] {
        let mut own = vec![Tally::default(); names.len()];
        // Odds ratios 2 and 2 alone and 5 together, against odds of 0.1: RERI 2, AP 0.4, S 2.
        for _ in 0..drawn / 4 {
            let group = |random: &mut Random, odds: f64| random.binomial(size, odds / (1.0 + odds));
            let cases = [0.1, 0.2, 0.2, 0.5].map(|odds| group(random, odds));
            let others = cases.map(|cases| f64::from(size) - cases);
            let table = |exposed: usize, not: usize| Table2x2 { a: cases[exposed], b: others[exposed], c: cases[not], d: others[not] };
            let told = StratifiedTable { strata: vec![table(1, 0), table(3, 2)] }.additive_interaction(LEVEL);
            own[0].see(told.map(|told| told.reri), 2.0);
            own[1].see(told.map(|told| told.attributable), 0.4);
            own[2].see(told.map(|told| told.synergy), 2.0);
            // Pairs that disagree: the case alone is exposed twice as often as the control alone.
            let b = random.binomial(size / 4, 2.0 / 3.0);
            let pairs = Table2x2 { a: f64::from(size), b, c: f64::from(size / 4) - b, d: f64::from(size) };
            own[3].see(Some(mcnemar(&pairs, LEVEL).odds_ratio), 2.0);
        }
        tallies.push(own);
    }
    let situations = [100, 400].map(|size: u32| format!("groups of {size}, {} pairs that disagree", size / 4));
    page.table("interaction, pairs", &situations, &names, &tallies, drawn / 4);
}

fn main() -> oddsmith::Result<()> {
    let mut arguments = std::env::args().skip(1).peekable();
    if arguments.next_if(|first| first == "honesty").is_some() {
        let [drawn, rows] = [1000, 5000].map(|usual| arguments.next().and_then(|text| text.parse().ok()).unwrap_or(usual));
        println!("{}", honesty::lines(drawn as u32, rows)?);
        return Ok(());
    }
    let drawn = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(20_000);
    let (mut random, mut page) = (Random(ChaCha8Rng::seed_from_u64(1)), Page(String::new()));
    tables(&mut random, drawn, &mut page);
    strata(&mut random, drawn, &mut page);
    interactions_and_pairs(&mut random, drawn, &mut page);
    regressions::matched(&mut random, drawn / 10, &mut page)?;
    regressions::regression(&mut random, drawn / 10, &mut page)?;
    match arguments.next() {
        Some(path) => page.write(&path).map_err(|error| oddsmith::Error::data(error.to_string())),
        None => {
            println!("{}", page.0);
            Ok(())
        }
    }
}
