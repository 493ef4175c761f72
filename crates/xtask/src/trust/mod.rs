//! `cargo xtask trust`: every property that the product promises, run, and one table of goals and of what was measured.
//!
//! The quick form takes less than three minutes of two cores and is a step of `cargo xtask test`, which runs the tests that `digits` reads anyway. The long form takes as many hours as it is given and writes its table
//! into `docs/trust.md`, where the lines of properties that were not run stay as they are. Everything random comes from a fixed seed, so a finding can be had again.

mod attacks;
mod bits;
mod crash;
mod csv;
mod depth;
mod digits;
mod disk;
mod finding;
mod fuzz;
mod inference;
mod interpreter;
mod interrupts;
mod laws;
mod load;
mod memory;
mod messages;
mod page;
mod pages;
mod probabilities;
mod python_package;
mod random;
mod report;
mod resident;
mod scope;
mod shapes;
mod shipped;
mod supply;
mod tables;
mod trial;

use std::time::Instant;

use crate::failure::Failure;
use crate::shell;
use finding::{Finding, table};
use scope::Scope;

/// Something that is promised, and how it is tried.
struct Property {
    name: &'static str,
    run: fn(&Scope) -> Result<Vec<Finding>, Failure>,
    /// Whether it is tried in the quick form as well.
    quick: bool,
}

/// In the order of what people would lose.
const PROPERTIES: &[Property] = &[
    Property { name: "crash", run: crash::run, quick: true },
    Property { name: "disk", run: disk::run, quick: true },
    Property { name: "interrupts", run: interrupts::run, quick: true },
    Property { name: "memory", run: memory::run, quick: true },
    Property { name: "fuzz", run: fuzz::run, quick: true },
    Property { name: "probabilities", run: probabilities::run, quick: true },
    Property { name: "bits", run: bits::run, quick: true },
    Property { name: "laws", run: laws::run, quick: false },
    Property { name: "messages", run: messages::run, quick: true },
    Property { name: "inference", run: inference::run, quick: true },
    Property { name: "digits", run: digits::run, quick: false },
    Property { name: "attacks", run: attacks::run, quick: true },
    Property { name: "load", run: load::run, quick: true },
    Property { name: "python", run: python_package::run, quick: true },
    Property { name: "pages", run: pages::run, quick: false },
    Property { name: "supply", run: supply::run, quick: true },
    Property { name: "csv", run: csv::run, quick: false },
    Property { name: "depth", run: depth::run, quick: false },
];

/// What was asked for.
#[derive(Debug, PartialEq)]
struct Wanted {
    long: bool,
    store: bool,
    hours: f64,
    only: Vec<String>,
}

/// Hours of the long form unless it is told otherwise.
const HOURS: f64 = 1.0;

/// Runs the properties that the arguments ask for.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let wanted = wanted(arguments)?;
    shell::run(&shell::cargo(), &["build", "--release", "--workspace", "--bins", "--examples"], &[])?;
    let scope = Scope::new(wanted.long, wanted.store, wanted.hours)?;
    let mut findings = Vec::new();
    for property in PROPERTIES.iter().filter(|property| asked_for(property, &wanted)) {
        println!("-- {}", property.name);
        let (begin, command) = (Instant::now(), command_of(property.name, wanted.long));
        let own = (property.run)(&scope)?;
        let mut since = begin;
        for finding in own {
            let known = finding.known();
            findings.push(finding.under(property.name, &command, since));
            since = known;
        }
    }
    println!("\n{}", table(&findings));
    if wanted.store || (wanted.long && wanted.only.is_empty()) {
        let run: Vec<&str> = PROPERTIES.iter().filter(|property| asked_for(property, &wanted)).map(|property| property.name).collect();
        let names: Vec<&str> = PROPERTIES.iter().map(|property| property.name).collect();
        let whole = page::with_others(&page::read(&scope.root, "promises")?, &table(&findings), &run, &names);
        page::write(
            &scope.root,
            "promises",
            &format!("*Last run: {}. Lines of other properties are those of their own last run.*\n\n{whole}", form(&wanted)),
        )?;
    }
    let broken: Vec<&str> = findings.iter().filter(|finding| finding.is_broken()).map(|finding| finding.promise.as_str()).collect();
    match broken.is_empty() {
        true => Ok(()),
        false => Err(Failure::new(format!("{} of {} promises are not kept: {}", broken.len(), findings.len(), broken.join("; ")))),
    }
}

/// Which form was run, for the page.
fn form(wanted: &Wanted) -> String {
    let only = if wanted.only.is_empty() { String::new() } else { format!(", of {}", wanted.only.join(", ")) };
    match wanted.long {
        true => format!("long form, {} hours{only}", wanted.hours),
        false => format!("quick form{only}"),
    }
}

/// The quick form, as a step of the tests.
pub(crate) fn quick() -> Result<(), Failure> {
    run(&[])
}

fn asked_for(property: &Property, wanted: &Wanted) -> bool {
    let named = wanted.only.iter().any(|name| name == property.name);
    named || (wanted.only.is_empty() && (wanted.long || property.quick))
}

/// The line that repeats a row of the table.
fn command_of(property: &str, long: bool) -> String {
    format!("cargo xtask trust{} --only {property}", if long { " --long" } else { "" })
}

fn wanted(arguments: &[String]) -> Result<Wanted, Failure> {
    let names: Vec<&str> = PROPERTIES.iter().map(|property| property.name).collect();
    let mut wanted = Wanted { long: false, store: false, hours: HOURS, only: Vec::new() };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--long" => wanted.long = true,
            "--store" => wanted.store = true,
            "--hours" => {
                let given = rest.next().map_or("", String::as_str);
                let hours = given.parse().ok().filter(|hours: &f64| *hours > 0.0 && hours.is_finite());
                wanted.hours = hours.ok_or_else(|| Failure::usage(format!("--hours takes a number above 0, not `{given}`")))?;
                wanted.long = true;
            }
            "--only" => {
                let given = rest.next().map_or("", String::as_str);
                if !names.contains(&given) {
                    return Err(Failure::usage(format!("no property `{given}`; the properties are {}", names.join(", "))));
                }
                wanted.only.push(given.to_owned());
            }
            other => {
                return Err(Failure::usage(format!(
                    "`{other}` is no option of trust; there are --long, --hours N, --only NAME and --store"
                )));
            }
        }
    }
    Ok(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(arguments: &[&str]) -> Result<Wanted, Failure> {
        wanted(&arguments.iter().map(|argument| argument.to_string()).collect::<Vec<_>>())
    }

    #[test]
    fn options_are_read_and_wrong_ones_refused() {
        assert_eq!(read(&[]).unwrap(), Wanted { long: false, store: false, hours: HOURS, only: Vec::new() });
        let some = read(&["--store", "--hours", "2.5", "--only", "crash", "--only", "disk"]).unwrap();
        assert_eq!(some, Wanted { long: true, store: true, hours: 2.5, only: vec!["crash".into(), "disk".into()] });
        for wrong in [&["--hours", "0"][..], &["--hours"], &["--hours", "soon"], &["--only", "crahs"], &["--only"], &["--quick"]] {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn the_page_says_which_form_was_run() {
        assert_eq!(form(&read(&[]).unwrap()), "quick form");
        assert_eq!(form(&read(&["--hours", "2", "--only", "bits"]).unwrap()), "long form, 2 hours, of bits");
    }

    #[test]
    fn names_are_told_apart() {
        let mut names: Vec<&str> = PROPERTIES.iter().map(|property| property.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), PROPERTIES.len());
    }
}
