//! A row of the table: what is promised, what was measured, and whether the promise is kept.

use std::time::{Duration, Instant};

/// What became of a promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Kept,
    Broken,
    /// It could not be tried here.
    NotTried,
}

/// What a property measured about one promise.
#[derive(Debug, Clone)]
pub(crate) struct Finding {
    pub(crate) promise: String,
    goal: String,
    measured: String,
    verdict: Verdict,
    property: &'static str,
    command: String,
    /// When it was known, and how long it took where others were tried at the same time.
    known: Instant,
    took: Option<Duration>,
    seconds: f64,
}

impl Finding {
    /// A promise that was tried.
    pub(crate) fn new(promise: impl Into<String>, goal: impl Into<String>, measured: impl Into<String>, kept: bool) -> Self {
        let verdict = if kept { Verdict::Kept } else { Verdict::Broken };
        let (promise, goal, measured) = (promise.into(), goal.into(), measured.into());
        Finding { promise, goal, measured, verdict, property: "", command: String::new(), known: Instant::now(), took: None, seconds: 0.0 }
    }

    /// A promise that could not be tried, and what it would take.
    pub(crate) fn not_tried(promise: impl Into<String>, goal: impl Into<String>, why: impl Into<String>) -> Self {
        Finding { verdict: Verdict::NotTried, ..Finding::new(promise, goal, why, false) }
    }

    /// The finding with the time that it took by itself.
    pub(crate) fn after(self, took: Duration) -> Self {
        Finding { took: Some(took), ..self }
    }

    /// The finding with another goal.
    pub(crate) fn with_goal(self, goal: &str) -> Self {
        Finding { goal: goal.to_owned(), ..self }
    }

    /// The finding with the property that it belongs to, the command that repeats it, and the seconds since the one before it was known.
    pub(crate) fn under(self, property: &'static str, command: &str, since: Instant) -> Self {
        let took = self.took.unwrap_or_else(|| self.known.saturating_duration_since(since));
        Finding { property, command: command.to_owned(), seconds: took.as_secs_f64(), ..self }
    }

    /// When it was known.
    pub(crate) fn known(&self) -> Instant {
        self.known
    }

    pub(crate) fn is_broken(&self) -> bool {
        self.verdict == Verdict::Broken
    }

    fn cells(&self) -> [String; 7] {
        let verdict = match self.verdict {
            Verdict::Kept => "kept",
            Verdict::Broken => "**broken**",
            Verdict::NotTried => "not tried",
        };
        let seconds = format!("{:.1}", self.seconds);
        let command = format!("`{}`", self.command);
        [self.property.to_owned(), self.promise.clone(), self.goal.clone(), self.measured.clone(), verdict.to_owned(), seconds, command]
    }
}

/// The findings as a table in Markdown. Bars would end a cell, and line ends the table.
pub(crate) fn table(findings: &[Finding]) -> String {
    const HEADS: [&str; 7] = ["property", "promise", "goal", "measured", "verdict", "seconds", "command"];
    let line = |cells: &[String]| {
        let plain: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|").replace('\n', " ")).collect();
        format!("| {} |\n", plain.join(" | "))
    };
    let mut text = line(&HEADS.map(str::to_owned));
    text.push_str(&line(&HEADS.map(|_| "---".to_owned())));
    findings.iter().for_each(|finding| text.push_str(&line(&finding.cells())));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_a_line_for_every_finding() {
        let begin = Instant::now();
        let kept = Finding::new("no torn file", "0 of 10", "0|0\nof 10", true).after(Duration::from_millis(1250));
        let kept = kept.under("crash", "cargo xtask trust --only crash", begin);
        let missing = Finding::not_tried("failing syncs", "exit 6", "there is no strace").under("disk", "", begin);
        let text = table(&[kept.clone(), missing.clone()]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[2], "| crash | no torn file | 0 of 10 | 0\\|0 of 10 | kept | 1.2 | `cargo xtask trust --only crash` |");
        assert!(lines.len() == 4 && lines[3].contains("| not tried |"));
        assert!(!kept.is_broken() && !missing.is_broken() && Finding::new("", "", "", false).is_broken());
    }
}
