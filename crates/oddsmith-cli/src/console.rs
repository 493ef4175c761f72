//! What reaches the person: results on standard output, everything else on standard error.

use std::cell::{Cell, RefCell};
use std::io::{self, IsTerminal, Write};

use oddsmith::card::{Card, Table};
use oddsmith::{ErrorKind, Notice};
use oddsmith_report::{Format, Style, Subject, wrapped};

use crate::exit::{Failure, output_fault};
use crate::options::{ColorWhen, OutputArgs};

/// Space before the second line of a sentence.
const INDENT: usize = 2;

/// The two streams and how to write on them.
pub(crate) struct Console {
    format: Option<Format>,
    quiet: bool,
    verbose: bool,
    out: Style,
    err: Style,
    out_is_terminal: bool,
    err_is_terminal: bool,
    /// What the rows are that a part of a command is about; its results are kept for later.
    apart: Option<Apart>,
    /// Whether a document was written.
    documents: Cell<bool>,
}

/// A part of a command: what remarks about it begin with, and its results.
struct Apart {
    prefix: String,
    shown: RefCell<Vec<Shown>>,
}

/// A result that was kept.
pub(crate) enum Shown {
    /// A table.
    Table(Table),
    /// Cards under the keys by which programs find them.
    Cards(Vec<(String, Card)>),
}

impl Shown {
    /// The table, where it is one.
    pub(crate) fn table(&self) -> Option<&Table> {
        match self {
            Shown::Table(table) => Some(table),
            Shown::Cards(_) => None,
        }
    }

    /// The cards, where there are some.
    pub(crate) fn cards(&self) -> &[(String, Card)] {
        match self {
            Shown::Table(_) => &[],
            Shown::Cards(cards) => cards,
        }
    }
}

impl From<Subject<'_>> for Shown {
    fn from(subject: Subject<'_>) -> Self {
        match subject {
            Subject::Table(table) => Shown::Table(table.clone()),
            Subject::Card(card) => Shown::Cards(vec![("card".into(), card.clone())]),
            Subject::Cards(cards) => Shown::Cards(cards.iter().map(|(key, card)| ((*key).to_owned(), (*card).clone())).collect()),
        }
    }
}

impl Console {
    /// The console that the arguments and the environment ask for.
    pub(crate) fn new(args: &OutputArgs) -> Self {
        let (out_is_terminal, err_is_terminal) = (io::stdout().is_terminal(), io::stderr().is_terminal());
        let columns = |size: Option<(terminal_size::Width, terminal_size::Height)>| size.map(|(width, _)| usize::from(width.0));
        let width = columns(terminal_size::terminal_size_of(io::stdout()));
        let err_width = columns(terminal_size::terminal_size_of(io::stderr()));
        Console {
            format: if args.json { Some(Format::Json) } else { args.format },
            quiet: args.quiet,
            verbose: args.verbose,
            out: Style { color: colored(args.color, out_is_terminal), width, guard: args.guard_formulas },
            err: Style { color: colored(args.color, err_is_terminal), width: err_width, guard: false },
            out_is_terminal,
            err_is_terminal,
            apart: None,
            documents: Cell::new(false),
        }
    }

    /// The same console for a part of a command: its results are kept, its remarks begin with `prefix`.
    pub(crate) fn apart(&self, prefix: String) -> Console {
        let apart = Some(Apart { prefix, shown: RefCell::default() });
        Console { out: self.out.clone(), err: self.err.clone(), apart, documents: Cell::new(false), ..*self }
    }

    /// The results that were kept.
    pub(crate) fn into_shown(self) -> Vec<Shown> {
        self.apart.map_or_else(Vec::new, |apart| apart.shown.into_inner())
    }

    /// A console that nobody reads.
    #[cfg(test)]
    pub(crate) fn for_tests() -> Self {
        let plain = Style::default();
        Console {
            format: None,
            quiet: true,
            verbose: false,
            out: plain.clone(),
            err: plain,
            out_is_terminal: false,
            err_is_terminal: false,
            apart: None,
            documents: Cell::new(false),
        }
    }

    /// The format of the result: as asked, or a table for a person and CSV for a program.
    pub(crate) fn format(&self) -> Format {
        self.format.unwrap_or(if self.out_is_terminal { Format::Table } else { Format::Csv })
    }

    /// The format that was asked for.
    pub(crate) fn asked(&self) -> Option<Format> {
        self.format
    }

    /// The style of standard output.
    pub(crate) fn style(&self) -> &Style {
        &self.out
    }

    /// Whether the person wants to hear of every step.
    pub(crate) fn verbose(&self) -> bool {
        self.verbose
    }

    /// Whether a person reads the result.
    pub(crate) fn out_is_terminal(&self) -> bool {
        self.out_is_terminal
    }

    /// Whether a bar that moves would be seen.
    pub(crate) fn shows_progress(&self) -> bool {
        self.err_is_terminal && !self.quiet
    }

    /// Writes a result in the chosen format.
    pub(crate) fn result<'a>(&self, subject: impl Into<Subject<'a>>) -> Result<(), Failure> {
        let subject = subject.into();
        if self.format() == Format::Svg && subject.picture().is_none() {
            return Err(Failure::Usage(
                "there is no picture of this result; --format svg is for results that have one, and for `oddsmith plot`".into(),
            ));
        }
        if let Some(apart) = &self.apart {
            apart.shown.borrow_mut().push(subject.into());
            return Ok(());
        }
        match self.format().is_text() {
            true => self.text(&oddsmith_report::render(subject, self.format(), &self.out)),
            false => self.document(subject),
        }
    }

    /// Writes a Word document: bytes that no terminal shows, and one result, because a file holds one.
    fn document(&self, subject: Subject<'_>) -> Result<(), Failure> {
        if self.out_is_terminal {
            return Err(Failure::Usage("a Word document is no text for a terminal; write it to a file: --format docx > table.docx".into()));
        }
        if self.documents.replace(true) {
            return Err(Failure::Usage(
                "this command has several results, and a Word document holds one; ask for a part, or use --format md".into(),
            ));
        }
        self.raw(&oddsmith_report::docx(subject)?)
    }

    /// Refuses a format that rows cannot be written in one by one.
    pub(crate) fn rows_only(&self) -> Result<(), Failure> {
        match self.format().is_text() {
            true => Ok(()),
            false => Err(Failure::Usage("rows are for programs: --format docx is for results that people read".into())),
        }
    }

    /// Writes sentences on standard output, broken where a terminal ends.
    pub(crate) fn sentences(&self, text: &str) -> Result<(), Failure> {
        let lines: String = text.lines().map(|line| format!("{}\n", wrapped(line, self.out.width, 0))).collect();
        self.text(&lines)
    }

    /// Writes text on standard output.
    pub(crate) fn text(&self, text: &str) -> Result<(), Failure> {
        let mut out = self.writer();
        out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| output_fault(error).into())
    }

    /// Standard output. CSV keeps the bytes of the data, which a terminal must not obey, so they are spelled out there.
    pub(crate) fn writer(&self) -> Box<dyn Write> {
        match self.out_is_terminal && self.format() == Format::Csv {
            true => Box::new(Printable(io::stdout())),
            false => Box::new(io::stdout()),
        }
    }

    /// Writes bytes that are the result themselves: a script, a manual page.
    pub(crate) fn raw(&self, bytes: &[u8]) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        out.write_all(bytes).and_then(|()| out.flush()).map_err(|error| output_fault(error).into())
    }

    /// Notices on standard error.
    pub(crate) fn notices(&self, notices: &[Notice]) {
        if self.quiet {
            return;
        }
        let Some(apart) = &self.apart else { return self.to_stderr(&oddsmith_report::notices(notices, &self.err)) };
        // How many rows a part leaves to the others is no news.
        let warnings: Vec<Notice> = notices.iter().filter(|notice| notice.is_warning()).cloned().collect();
        let prefix = oddsmith_report::printable(&apart.prefix);
        let width = self.err.width.map(|width| width.saturating_sub(prefix.chars().count() + 2));
        let style = Style { width, ..self.err };
        oddsmith_report::notices(&warnings, &style).lines().for_each(|line| self.to_stderr(&format!("{prefix}: {line}\n")));
    }

    /// A remark on standard error.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            let prefix = self.apart.as_ref().map_or_else(String::new, |apart| format!("{}: ", apart.prefix));
            let text = oddsmith_report::printable(&format!("{prefix}{text}"));
            self.to_stderr(&format!("{}\n", wrapped(&text, self.err.width, INDENT)));
        }
    }

    /// Tells why the command failed; as an object where results are JSON.
    pub(crate) fn failure(&self, failure: &Failure) {
        if matches!(failure, Failure::Pipe) {
            return;
        }
        // Names of files and columns are part of the message, and they may hold anything; only a formula with its carets
        // stands on lines of its own.
        let text = failure.to_string();
        let message = match failure {
            Failure::Library(error) if matches!(error.kind(), ErrorKind::Formula { .. }) => {
                text.split('\n').map(oddsmith_report::printable).collect::<Vec<_>>().join("\n")
            }
            _ => wrapped(&format!("error: {}", oddsmith_report::printable(&text)), self.err.width, INDENT).split_off("error: ".len()),
        };
        let line = match self.format {
            Some(Format::Json | Format::Ndjson) => failure_object(failure),
            _ if self.err.color => format!("\x1b[1;31merror:\x1b[0m {message}\n"),
            _ => format!("error: {message}\n"),
        };
        self.to_stderr(&line);
    }

    fn to_stderr(&self, text: &str) {
        // When standard error is gone there is nobody left to tell.
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }
}

/// Spells control characters out, line by line.
struct Printable(io::Stdout);

impl Write for Printable {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for line in String::from_utf8_lossy(bytes).split_inclusive('\n') {
            let end = if line.ends_with('\n') { "\n" } else { "" };
            write!(self.0, "{}{end}", oddsmith_report::printable(line.trim_end_matches('\n')))?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn failure_object(failure: &Failure) -> String {
    let mut error = serde_json::json!({ "exit_code": failure.code(), "kind": failure.kind(), "message": failure.to_string() });
    if let Failure::Library(library) = failure {
        match library.kind() {
            ErrorKind::Data(fault) => {
                error["table"] = fault.table.clone().into();
                error["column"] = fault.column.clone().into();
                error["row"] = fault.row.into();
                error["line"] = fault.line.into();
                error["value"] = fault.value.clone().into();
            }
            ErrorKind::Separation { columns, .. } => {
                error["notice"] = oddsmith::notice::SEPARATION.into();
                error["columns"] = columns.iter().map(|name| name.trim_matches('`')).collect();
            }
            ErrorKind::Formula { text, span, .. } => {
                error["formula"] = text.clone().into();
                error["start"] = span.start.into();
                error["end"] = span.end.into();
            }
            _ => {}
        }
    }
    format!("{}\n", serde_json::json!({ "error": error }))
}

fn colored(when: ColorWhen, is_terminal: bool) -> bool {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    match when {
        ColorWhen::Always => true,
        ColorWhen::Never => false,
        ColorWhen::Auto if set("NO_COLOR").is_some() => false,
        ColorWhen::Auto if set("CLICOLOR_FORCE").is_some_and(|value| value != "0") => true,
        ColorWhen::Auto => is_terminal && set("TERM").is_none_or(|value| value != "dumb"),
    }
}
