//! What the program and the package say of themselves: options of models, help of commands, documentation of classes.

use std::path::Path;

use super::page::Page;
use crate::failure::Failure;
use crate::shell;

const SECTION: &str = "Reference";
/// The file of the project that a generated page would be, by which others link to it.
const COMMANDS: (&str, &str) = ("docs/reference/commands.md", "reference/commands.html");
const PYTHON: (&str, &str) = ("docs/reference/python.md", "reference/python.html");
/// Where the pages of models are.
const MODELS: &str = "docs/models";

/// Adds the options of every model to its page; a model without a page, and a page without a model, end the task.
pub(super) fn add_options(pages: &mut [Page], command: &Path) -> Result<(), Failure> {
    let listed = shell::output(command, &["models", "--format", "csv"])?;
    let names: Vec<&str> = listed.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    let is_of_model = |page: &&mut Page| page.source.parent() == Some(Path::new(MODELS));
    for page in pages.iter_mut().filter(is_of_model) {
        let name = page.source.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
        if !names.contains(&name.as_str()) {
            return Err(Failure::new(format!("{} is about no model of the registry", page.source.display())));
        }
        let options = shell::output(command, &["models", "--options", &name, "--format", "md"])?;
        // Names of columns are written as they are in files; here they are headings.
        let (heads, rows) = options.split_once('\n').unwrap_or((options.as_str(), ""));
        page.markdown.push_str(&format!("\n## Options of `{name}`\n\n{}\n{rows}\n", heads.replace("\\_", " ").replace('_', " ")));
    }
    let unwritten = |name: &&&str| !pages.iter().any(|page| page.source == Path::new(MODELS).join(format!("{name}.md")));
    match names.iter().find(unwritten) {
        Some(name) => Err(Failure::new(format!("the model {name} has no page {MODELS}/{name}.md"))),
        None => Ok(()),
    }
}

/// The help of every command.
pub(super) fn commands(command: &Path) -> Result<Page, Failure> {
    let mut markdown = String::from("# Commands\n\nThe help of every command, as it prints it.\n");
    let mut waiting = vec![Vec::<String>::new()];
    while let Some(words) = waiting.pop() {
        let mut arguments: Vec<&str> = words.iter().map(String::as_str).collect();
        arguments.push("--help");
        let help = shell::output(command, &arguments)?;
        let name = std::iter::once("oddsmith").chain(words.iter().map(String::as_str)).collect::<Vec<_>>().join(" ");
        let mut children: Vec<Vec<String>> = subcommands(&help).into_iter().map(|child| [&words[..], &[child]].concat()).collect();
        children.reverse();
        waiting.extend(children);
        markdown.push_str(&format!("\n## {name}\n\n~~~text\n{}\n~~~\n", help.trim_end()));
    }
    Ok(Page::new(COMMANDS.0, COMMANDS.1, SECTION, markdown))
}

/// The commands that a help text lists.
fn subcommands(help: &str) -> Vec<String> {
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = listed.filter(|line| line.starts_with("  ") && !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

/// Everything public of the Python package.
pub(super) fn python(interpreter: &Path) -> Result<Page, Failure> {
    let markdown = shell::output(interpreter, &["python/tools/reference.py"])?;
    Ok(Page::new(PYTHON.0, PYTHON.1, SECTION, markdown))
}

/// The generated pages without their content, for whoever only follows links.
#[cfg(test)]
pub(super) fn placeholders() -> [Page; 2] {
    [COMMANDS, PYTHON].map(|(source, output)| Page::new(source, output, SECTION, "# Reference\n".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_in_help() {
        let help = "A program.\n\nCommands:\n  fit     Fits\n          a model\n  stats   Sums\n  help    Help\n\nOptions:\n  -q\n";
        assert_eq!(subcommands(help), ["fit", "stats"]);
        assert!(subcommands("Usage: x").is_empty());
    }
}
