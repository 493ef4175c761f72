//! Command lines as documents show them, in the order in which a reader meets them.

/// A command line that a reader may copy.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    /// Document and line, for messages.
    pub(crate) place: String,
    /// What goes to the shell, comments included.
    pub(crate) command: String,
    /// What the document shows below it.
    pub(crate) shows: Option<String>,
}

/// What a piece of inline code is.
enum Inline {
    /// A line to run.
    Runs,
    /// Words in capitals stand for the reader's own files and names.
    Template,
    /// Only the name of a command.
    Mention,
}

/// The lines of a Markdown document: in its blocks, and in code inside its text.
pub(crate) fn of_markdown(name: &str, text: &str) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut fence: Option<bool> = None;
    let mut shown = false;
    for (at, line) in text.lines().enumerate() {
        if let Some(language) = line.strip_prefix("```") {
            fence = if fence.is_some() { None } else { Some(!matches!(language, "rust" | "python" | "json")) };
            shown = false;
            continue;
        }
        let place = format!("{name}:{}", at + 1);
        match fence {
            Some(true) => {
                let prompt = line.strip_prefix("$ ");
                if let Some(command) = prompt.or_else(|| Some(line).filter(|line| line.starts_with("oddsmith "))) {
                    lines.push(Line { place, command: command.to_owned(), shows: None });
                    shown = prompt.is_some();
                } else if let (true, Some(last)) = (shown, lines.last_mut()) {
                    let text = last.shows.get_or_insert_default();
                    text.push_str(line);
                    text.push('\n');
                }
            }
            Some(false) => {}
            None => lines.extend(inline(line).filter(|code| matches!(kind(code), Inline::Runs)).map(|code| Line {
                place: place.clone(),
                command: code.to_owned(),
                shows: None,
            })),
        }
    }
    lines
}

/// Flags that templates of a document name, with the command they are given to.
pub(crate) fn templates(text: &str) -> Vec<Vec<&str>> {
    let code = text.lines().flat_map(inline);
    code.filter(|code| matches!(kind(code), Inline::Template)).map(|code| code.split_whitespace().collect()).collect()
}

/// The lines below `Examples:` in a help text.
pub(crate) fn of_help(name: &str, text: &str) -> Vec<Line> {
    let examples = text.lines().enumerate().skip_while(|(_, line)| *line != "Examples:").skip(1);
    examples
        .take_while(|(_, line)| !line.is_empty())
        .map(|(at, line)| Line { place: format!("{name}:{}", at + 1), command: line.trim().to_owned(), shows: None })
        .collect()
}

/// Code inside a line of text that begins with the program's name.
fn inline(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2).filter(|code| code.starts_with("oddsmith "))
}

fn kind(code: &str) -> Inline {
    let placeholder = |word: &str| {
        let stem = word.split('.').next().unwrap_or(word);
        stem.len() > 1 && stem.chars().all(|c| c.is_ascii_uppercase())
    };
    match code.split_whitespace().count() {
        _ if code.contains('…') || code.split_whitespace().any(placeholder) => Inline::Template,
        2 if !code.contains("models") => Inline::Mention,
        _ => Inline::Runs,
    }
}

/// Where a mark stands for the first time outside single quotes.
fn outside_quotes(text: &str, mark: &str) -> Option<usize> {
    text.match_indices(mark).map(|(at, _)| at).find(|at| text[..*at].matches('\'').count().is_multiple_of(2))
}

impl Line {
    /// The exit code that the document promises: that of an error it shows, the one its comment names, or 0.
    pub(crate) fn promised_exit(&self) -> Option<i32> {
        if self.shows.as_deref().is_some_and(|text| text.starts_with("error: ")) {
            return None;
        }
        let comment = outside_quotes(&self.command, " # ").map_or("", |at| &self.command[at..]);
        let named = comment.split("exit code ").nth(1).map(|rest| rest.chars().take_while(char::is_ascii_digit).collect::<String>());
        Some(named.and_then(|digits| digits.parse().ok()).unwrap_or(0))
    }

    /// The line without its comment and without a redirection of its output.
    pub(crate) fn bare(&self) -> &str {
        let command = self.uncommented();
        outside_quotes(command, " > ").map_or(command, |at| &command[..at]).trim()
    }

    /// Whether its output goes to a file that later lines may read.
    pub(crate) fn redirects(&self) -> bool {
        outside_quotes(self.uncommented(), " > ").is_some()
    }

    fn uncommented(&self) -> &str {
        outside_quotes(&self.command, " # ").map_or(&self.command, |at| &self.command[..at])
    }

    /// The line with another format, whatever format it had.
    pub(crate) fn in_format(&self, format: &str) -> String {
        let mut words: Vec<&str> = Vec::new();
        let mut all = self.bare().split(' ');
        while let Some(word) = all.next() {
            match word {
                "--format" => drop(all.next()),
                "--json" => {}
                word => words.push(word),
            }
        }
        format!("{} --format {format}", words.join(" "))
    }
}

#[test]
fn lines_are_found_in_blocks_and_text() {
    let text = "Run `oddsmith fit a.csv`, `oddsmith fit DATA`, `oddsmith fit`.\n```console\n$ oddsmith x --json > y # why\n1\n$ oddsmith z\nerror: no\n```\n```text\noddsmith q 'a > b'  # exit code 7\n```\n";
    let lines = of_markdown("page", text);
    let commands: Vec<&str> = lines.iter().map(|line| line.bare()).collect();
    assert_eq!(commands, ["oddsmith fit a.csv", "oddsmith x --json", "oddsmith z", "oddsmith q 'a > b'"]);
    assert_eq!(lines.iter().map(Line::promised_exit).collect::<Vec<_>>(), [Some(0), Some(0), None, Some(7)]);
    assert_eq!(lines[1].shows.as_deref(), Some("1\n"));
    assert_eq!((lines[1].redirects(), lines[1].in_format("md").as_str()), (true, "oddsmith x --format md"));
    assert_eq!(templates(text), [["oddsmith", "fit", "DATA"]]);
}
