//! Every command line of the documents and of the help texts, run as a reader would run it: in every format, and at a terminal.
//!
//! Lines run in a fresh copy of `examples`, in the order of their document, so that a file that one line makes serves the next. A
//! document promises an exit code (0, or the one that a comment names) and sometimes what is printed; formats promise their syntax.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod closed_forms;
mod consoles;
mod folder;
mod gives;
mod line;
mod models;
mod terminal;
mod trust;
mod well_formed;

use std::collections::BTreeSet;

use folder::{Folder, project};
use line::Line;
use oddsmith::notice::{CATALOGUE, NoticePage};

/// Commands whose result is a text of its own and takes no format.
const TEXTS: [&str; 6] = ["oddsmith completions", "oddsmith man", "oddsmith plot", "oddsmith report", "cargo xtask", "--help"];

/// The pages of the documentation.
fn pages() -> Vec<(String, String)> {
    let mut paths = vec![project().join("README.md")];
    let folders = ["docs", "docs/course", "docs/models"].map(|folder| std::fs::read_dir(project().join(folder)).unwrap());
    let docs = folders.into_iter().flatten().map(|entry| entry.unwrap().path());
    paths.extend(docs.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    paths.sort();
    let name = |path: &std::path::Path| path.strip_prefix(project()).unwrap().to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), std::fs::read_to_string(path).unwrap())).collect()
}

/// The pages of all warnings, each with the line that prints it.
fn warnings() -> Vec<(String, String)> {
    let folder = Folder::new();
    let line = |entry: &NoticePage| format!("oddsmith help {}", entry.id);
    CATALOGUE.iter().map(|entry| (line(entry), folder.run(&line(entry)).out)).collect()
}

/// The lines that print the pages of warnings, and those that the pages show.
fn lines_of_warnings() -> Vec<Line> {
    let of_page = |(line, text): &(String, String)| {
        let printed = Line { place: line.clone(), command: line.clone(), shows: None };
        let shown = line::of_markdown(line, &text.replace('\n', " "));
        std::iter::once(printed).chain(shown).collect::<Vec<_>>()
    };
    warnings().iter().flat_map(of_page).collect()
}

/// The lines of all pages, page by page.
fn lines_of_pages() -> Vec<Vec<Line>> {
    let mut all: Vec<Vec<Line>> = pages().iter().map(|(name, text)| line::of_markdown(name, text)).collect();
    all.push(lines_of_warnings());
    all
}

/// Help of the program and of all its commands, in the order in which they are listed.
fn helps() -> Vec<(String, String)> {
    let folder = Folder::new();
    let mut helps = vec![(String::new(), folder.run("oddsmith --help").out)];
    let mut at = 0;
    while at < helps.len() {
        let (command, text) = helps[at].clone();
        let listed = text.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
        let names =
            listed.filter(|line| line.starts_with("  ") && !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
        let children = names.filter(|name| *name != "help").map(|name| format!("{command} {name}"));
        let found = children.map(|command| (command.clone(), folder.run(&format!("oddsmith{command} --help")).out)).collect::<Vec<_>>();
        helps.splice(at + 1..at + 1, found);
        at += 1;
    }
    helps
}

/// The examples of all help texts, as one session. Those of `stats` come first: `fit` and `select` show that its files are enough.
fn lines_of_helps() -> Vec<Line> {
    let mut helps = helps();
    helps.sort_by_key(|(command, _)| !command.starts_with(" stats"));
    helps.iter().flat_map(|(command, text)| line::of_help(&format!("oddsmith{command} --help"), text)).collect()
}

fn takes_a_format(line: &Line) -> bool {
    !TEXTS.iter().any(|text| line.command.contains(text))
}

/// Runs lines one after the other in a format.
fn run_in_format(lines: &[Line], format: &str) {
    let folder = Folder::new();
    for line in lines.iter().filter(|line| !line.command.contains("cargo xtask")) {
        if !takes_a_format(line) || line.promised_exit().is_none() {
            folder.obey(line);
            continue;
        }
        let command = line.in_format(format);
        let ran = folder.run(&command);
        ran.kept_promise(line);
        // What fails as it was promised has no result to be well formed.
        if line.promised_exit() == Some(0)
            && let Some(fault) = well_formed::fault(format, &ran.out)
        {
            panic!("{}: {command}: {fault}\n{}", line.place, ran.out);
        }
        if line.redirects() {
            folder.run(&line.command).kept_promise(line);
        }
    }
}

/// Runs lines one after the other at a terminal, where nothing may be wider than it.
fn run_at_terminal(lines: &[Line]) {
    let folder = Folder::new();
    for line in lines.iter().filter(|line| takes_a_format(line)) {
        let (code, shown) = terminal::run(folder.shell(&line.in_format("table")));
        let told = format!("{}: {}\nexit {code:?}\n{}", line.place, line.bare(), shown.join("\n"));
        assert!(line.promised_exit().is_none_or(|promised| code == Some(promised)), "{told}");
        assert!(!told.contains("internal error") && !told.contains("panicked"), "{told}");
        let wide = shown.iter().find(|text| text.chars().count() > usize::from(terminal::COLUMNS));
        assert!(wide.is_none(), "{told}\ntoo wide: {wide:?}");
        if line.redirects() {
            folder.run(&line.command).kept_promise(line);
        }
    }
}

#[test]
fn documents_show_what_the_command_prints() {
    let (mut shown, mut drawn) = (0, 0);
    for lines in lines_of_pages() {
        let folder = Folder::new();
        for line in lines.iter().filter(|line| !line.command.contains("cargo xtask")) {
            folder.obey(line);
            shown += usize::from(line.shows.is_some());
        }
        drawn += lines.first().map_or(0, |line| pictures_drawn(line.place.split(':').next().unwrap_or_default(), &folder));
    }
    assert!(shown >= 5, "{shown}");
    assert!(drawn >= 10, "{drawn}");
}

/// How many pictures of a page its own lines have drawn: to the byte as the page shows them.
fn pictures_drawn(page: &str, folder: &Folder) -> usize {
    let Some((_, text)) = pages().into_iter().find(|(name, _)| name == page) else { return 0 };
    let shown = text.split("](").skip(1).filter_map(|rest| rest.split(')').next()).filter(|link| link.ends_with(".svg"));
    let mut drawn = 0;
    for link in shown {
        let kept = project().join(page).parent().unwrap().join(link);
        let name = kept.file_name().unwrap().to_str().unwrap().to_owned();
        let Some(made) = folder.read(&name) else { continue };
        assert!(made == std::fs::read_to_string(&kept).unwrap(), "{page}: {link} is not what its line draws");
        drawn += 1;
    }
    drawn
}

#[test]
fn templates_name_commands_and_flags_that_exist() {
    let helps = helps();
    for (name, text) in pages() {
        for words in line::templates(&text) {
            let command = words[1..].iter().take_while(|word| word.chars().all(|c| c.is_ascii_lowercase())).map(|word| format!(" {word}"));
            let command: String = command.collect();
            let (_, help) = helps.iter().find(|(known, _)| *known == command).unwrap_or_else(|| panic!("{name}: oddsmith{command}"));
            let known: BTreeSet<&str> = help.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').collect();
            let flags = words.iter().filter(|word| word.starts_with('-') && word.len() > 1);
            flags.for_each(|flag| assert!(known.contains(flag), "{name}: {words:?}: {flag}"));
        }
    }
}

/// A page of a warning says what to do in flags of the command: all of them exist, and no name of an option is left unworded.
#[test]
fn pages_of_warnings_name_flags_that_exist() {
    let helps = helps();
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let known: BTreeSet<&str> = helps.iter().flat_map(|(_, help)| help.split(move |c: char| !is_part(c))).collect();
    let mut named = 0;
    for (name, text) in warnings() {
        assert!(!text.contains(['{', '}']), "{name}: {text}");
        for flag in text.split(|c: char| !is_part(c)).filter(|word| word.starts_with("--")) {
            assert!(known.contains(flag), "{name}: {flag}");
            named += 1;
        }
    }
    assert!(named > 20, "{named}");
}

/// Every LaTeX text of the documents is set by plain pdflatex, where there is one.
#[test]
fn latex_compiles_with_plain_pdflatex() {
    if std::process::Command::new("pdflatex").arg("--version").output().is_err() {
        return;
    }
    let mut document = String::from("\\documentclass{article}\n\\begin{document}\n");
    for lines in lines_of_pages() {
        let folder = Folder::new();
        for line in lines.iter().filter(|line| takes_a_format(line) && line.promised_exit() == Some(0)) {
            let ran = folder.run(&line.in_format("latex"));
            document.push_str(&ran.out);
            document.push_str("\n\\clearpage\n");
            if line.redirects() {
                folder.run(&line.command);
            }
        }
    }
    document.push_str("\\end{document}\n");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("all.tex"), &document).unwrap();
    let mut pdflatex = std::process::Command::new("pdflatex");
    let ran = pdflatex.args(["-interaction=nonstopmode", "-halt-on-error", "all.tex"]).current_dir(folder.path()).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
}

#[test]
fn every_command_has_examples() {
    let without = ["", " completions", " man"];
    for (command, text) in helps() {
        let nested = command.matches(' ').count() > 1;
        let examples = line::of_help(&command, &text).len();
        assert!(examples > 0 || nested || without.contains(&command.as_str()), "oddsmith{command} --help has no examples");
    }
    assert!(lines_of_helps().len() > 50);
    assert!(lines_of_pages().iter().map(Vec::len).sum::<usize>() > 45);
}

macro_rules! in_every_format {
    ($($name:ident: $format:literal),*) => {
        mod pages_in {
            use super::*;
            $(#[test]
            fn $name() {
                lines_of_pages().iter().for_each(|lines| run_in_format(lines, $format));
            })*
            #[test]
            fn a_terminal_of_eighty_columns() {
                lines_of_pages().iter().for_each(|lines| run_at_terminal(lines));
            }
        }
        mod helps_in {
            use super::*;
            $(#[test]
            fn $name() {
                run_in_format(&lines_of_helps(), $format);
            })*
            #[test]
            fn a_terminal_of_eighty_columns() {
                run_at_terminal(&lines_of_helps());
            }
        }
    };
}

in_every_format!(tables: "table", csv: "csv", json: "json", lines_of_json: "ndjson", markdown: "md", html: "html", latex: "latex");
