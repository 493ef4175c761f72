//! A page: Markdown, and the HTML that is made of it.

use std::path::PathBuf;

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, TextMergeStream, html};

use super::formula;
use super::links::{Links, between, slug};

/// A page of the site.
#[derive(Debug, Clone)]
pub(super) struct Page {
    /// The file of the project, from its root; for a generated page the file that it would be.
    pub(super) source: PathBuf,
    /// The file of the site.
    pub(super) output: String,
    /// What it stands under in the list of pages.
    pub(super) section: &'static str,
    /// Its name there.
    pub(super) title: String,
    pub(super) markdown: String,
}

impl Page {
    /// A page whose name is its first heading.
    pub(super) fn new(source: impl Into<PathBuf>, output: &str, section: &'static str, markdown: String) -> Self {
        let heading = markdown.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or("oddsmith").replace('`', "");
        Page { source: source.into(), output: output.into(), section, title: heading, markdown }
    }

    fn events(&self) -> Vec<Event<'_>> {
        TextMergeStream::new(Parser::new_ext(&self.markdown, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH)).collect()
    }

    /// What its headings are called in links, in order.
    pub(super) fn headings(&self) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        let mut open: Option<String> = None;
        for event in self.events() {
            match event {
                Event::Start(Tag::Heading { .. }) => open = Some(String::new()),
                Event::Text(text) | Event::Code(text) => {
                    if let Some(heading) = &mut open {
                        heading.push_str(&text);
                    }
                }
                Event::End(TagEnd::Heading(_)) => {
                    let plain = slug(&open.take().unwrap_or_default());
                    let earlier = found.iter().filter(|name| **name == plain || name.starts_with(&format!("{plain}-"))).count();
                    found.push(if earlier == 0 { plain } else { format!("{plain}-{earlier}") });
                }
                _ => {}
            }
        }
        found
    }

    /// Its content, every link leading where the site has what it names.
    pub(super) fn body(&self, links: &mut Links<'_>) -> String {
        let mut names = self.headings().into_iter();
        // Code and the words for a picture are no formulas.
        let mut plain = false;
        let events = self.events().into_iter().map(|event| match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                plain = true;
                Event::Start(Tag::CodeBlock(kind))
            }
            Event::End(end @ (TagEnd::CodeBlock | TagEnd::Image)) => {
                plain = false;
                Event::End(end)
            }
            Event::Text(text) if !plain => formula::typeset(&text).map_or(Event::Text(text), |set| Event::InlineHtml(set.into())),
            Event::Start(Tag::Heading { level, classes, attrs, .. }) => {
                Event::Start(Tag::Heading { level, id: names.next().map(CowStr::from), classes, attrs })
            }
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let dest_url = links.resolve(&self.source, &self.output, &dest_url).into();
                Event::Start(Tag::Link { link_type, dest_url, title, id })
            }
            Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                plain = true;
                let dest_url = links.resolve(&self.source, &self.output, &dest_url).into();
                Event::Start(Tag::Image { link_type, dest_url, title, id })
            }
            other => other,
        });
        let mut body = String::new();
        html::push_html(&mut body, events);
        // Wide tables scroll by themselves; the page never does.
        body.replace("<table>", "<div class=\"wide\"><table>").replace("</table>", "</table></div>")
    }

    /// The whole file.
    pub(super) fn html(&self, body: &str, pages: &[Page]) -> String {
        let mut sections: Vec<&str> = Vec::new();
        for page in pages {
            if !sections.contains(&page.section) {
                sections.push(page.section);
            }
        }
        let mut list = String::new();
        for section in sections {
            list.push_str(&format!("<h2>{section}</h2>\n<ul>\n"));
            for page in pages.iter().filter(|page| page.section == section) {
                let here = if page.output == self.output { " aria-current=\"page\"" } else { "" };
                list.push_str(&format!(
                    "<li><a href=\"{}\"{here}>{}</a></li>\n",
                    between(&self.output, &page.output),
                    escaped(&page.title)
                ));
            }
            list.push_str("</ul>\n");
        }
        let way = |file: &str| between(&self.output, file);
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{} · oddsmith</title>\n<link rel=\"stylesheet\" href=\"{}\">\n</head>\n<body>\n<a class=\"skip\" href=\"#content\">To the text</a>\n\
             <details class=\"pages\"><summary>Pages</summary>\n<nav aria-label=\"Pages\">\n{list}<h2>API</h2>\n<ul>\n<li><a href=\"{}\">Rust</a></li>\n</ul>\n</nav>\n</details>\n\
             <main id=\"content\">\n{body}</main>\n</body>\n</html>\n",
            escaped(&self.title),
            way("style.css"),
            way("rust/oddsmith/index.html"),
        )
    }
}

/// A text as HTML.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_that_repeat_are_counted() {
        let page = Page::new("a.md", "a.html", "Guide", "# One `two`\n## Example\n### Example\n".into());
        assert_eq!((page.title.as_str(), page.headings()), ("One two", vec!["one-two".into(), "example".into(), "example-1".into()]));
    }

    #[test]
    fn formulas_are_set_and_code_is_not() {
        let page = Page::new("a.md", "a.html", "Guide", "# A\n\nΣ w_j *x_j* < `w_j`\n\n```\nw_j\n```\n\n![w_j](a.svg)\n".into());
        let body = page.body(&mut Links::new(std::path::Path::new("/"), std::collections::BTreeMap::new()));
        assert!(body.contains("Σ w<sub>j</sub> <em>x<sub>j</sub></em> &lt; <code>w_j</code>"), "{body}");
        assert!(body.contains("<code>w_j\n</code>") && body.contains("alt=\"w_j\""), "{body}");
    }

    #[test]
    fn names_are_escaped() {
        let page = Page::new("a.md", "a.html", "Guide", "# a < b & c\n".into());
        assert!(page.html("", std::slice::from_ref(&page)).contains("<a href=\"a.html\" aria-current=\"page\">a &lt; b &amp; c</a>"));
    }
}
