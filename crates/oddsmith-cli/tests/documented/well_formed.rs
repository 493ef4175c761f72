//! What every text of a format must be, whatever it says.

use serde_json::Value;

/// What is wrong with a text that should be of this format.
pub(crate) fn fault(format: &str, text: &str) -> Option<String> {
    match format {
        "csv" => csv(text),
        "json" => serde_json::from_str::<Value>(text).err().map(|error| error.to_string()),
        "ndjson" => text.lines().find_map(|line| match serde_json::from_str::<Value>(line) {
            Ok(Value::Object(_)) => None,
            Ok(_) => Some(format!("not an object: {line}")),
            Err(error) => Some(format!("{error}: {line}")),
        }),
        "md" => markdown(text),
        "html" => html(text),
        "latex" => latex(text),
        _ => text.contains('\x1b').then(|| "escape sequences outside a terminal".into()),
    }
}

fn csv(text: &str) -> Option<String> {
    let records = records(text);
    let header = records.first()?;
    if let Some(empty) = header.iter().position(String::is_empty) {
        return Some(format!("column {empty} has no name"));
    }
    let ragged = records.iter().find(|record| record.len() != header.len())?;
    Some(format!("{} cells under {} names: {ragged:?}", ragged.len(), header.len()))
}

/// Records of comma-separated values with quotes, as RFC 4180 has them.
pub(crate) fn records(text: &str) -> Vec<Vec<String>> {
    let (mut records, mut record, mut cell) = (Vec::new(), Vec::new(), String::new());
    let mut quoted = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => cell.extend(chars.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => record.push(std::mem::take(&mut cell)),
            '\n' if !quoted => {
                record.push(std::mem::take(&mut cell));
                records.push(std::mem::take(&mut record));
            }
            c => cell.push(c),
        }
    }
    assert!(cell.is_empty() && record.is_empty(), "the text ends within a line: {text}");
    records
}

/// Rows of a table must have as many cells as its header.
fn markdown(text: &str) -> Option<String> {
    let mut width = None;
    for line in text.lines() {
        if !line.starts_with('|') {
            width = None;
            continue;
        }
        let cells = line.replace("\\|", "").matches('|').count();
        if *width.get_or_insert(cells) != cells {
            return Some(format!("a ragged row: {line}"));
        }
    }
    None
}

/// A fragment of HTML that is XML as well: tags nest, attributes are quoted, characters are escaped.
fn html(text: &str) -> Option<String> {
    let mut reader = quick_xml::Reader::from_str(text);
    reader.config_mut().check_end_names = true;
    let mut open = 0_i64;
    loop {
        match reader.read_event() {
            Ok(quick_xml::events::Event::Eof) => return (open != 0).then(|| format!("{open} elements are left open")),
            Ok(quick_xml::events::Event::Start(element)) => {
                open += 1;
                if let Some(Err(error)) = element.attributes().find(Result::is_err) {
                    return Some(error.to_string());
                }
            }
            Ok(quick_xml::events::Event::End(_)) => open -= 1,
            Ok(quick_xml::events::Event::GeneralRef(name)) => {
                let known = ["amp", "lt", "gt", "quot", "apos"].contains(&name.as_ref());
                if !known && !name.is_char_ref() {
                    return Some(format!("an unknown entity: {name:?}"));
                }
            }
            Ok(_) => {}
            Err(error) => return Some(format!("{error} at {}", reader.buffer_position())),
        }
    }
}

/// ASCII only, environments and braces that close, rows that fit their table.
fn latex(text: &str) -> Option<String> {
    if let Some(strange) = text.chars().find(|c| !c.is_ascii()) {
        return Some(format!("{strange:?} is not ASCII"));
    }
    let plain = text.replace("\\\\", "").replace("\\{", "").replace("\\}", "");
    if plain.matches('{').count() != plain.matches('}').count() {
        return Some("braces do not close".into());
    }
    let (mut open, mut columns) = (Vec::new(), 0);
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("\\begin{") {
            let name = rest.split('}').next().unwrap_or("");
            columns = rest.split('{').nth(1).map_or(0, |places| places.chars().filter(|c| "lrcp".contains(*c)).count());
            open.push(name.to_owned());
        } else if let Some(rest) = line.strip_prefix("\\end{") {
            if open.pop().as_deref() != rest.split('}').next() {
                return Some(format!("{line} closes nothing"));
            }
        } else if line.ends_with(" \\\\") && line.replace("\\&", "").matches('&').count() + 1 != columns {
            return Some(format!("a ragged row: {line}"));
        }
    }
    (!open.is_empty()).then(|| format!("{open:?} are left open"))
}

#[test]
fn faults_are_found() {
    for (format, good, bad) in [
        ("csv", "a,b\n1,\"x,\"\"\ny\"\n", "a,b\n1\n"),
        ("json", "[1]", "[1"),
        ("ndjson", "{\"a\": 1}\n", "1\n"),
        ("md", "| a | b\\| |\n|---|---|\n| 1 | 2 |\n", "| a | b |\n|---|---|\n| 1 |\n"),
        ("html", "<ul>\n<li class=\"x\">a &amp; b&#39;</li></ul><p>x</p>", "<ul><li>a</ul>"),
        ("html", "<p>1 &lt; 2</p>", "<p>&nope;</p>"),
        ("latex", "\\begin{tabular}{ll}\na & b\\& \\\\\n\\end{tabular}\n", "\\begin{tabular}{ll}\na \\\\\n\\end{tabular}\n"),
        ("latex", "$\\chi^2$", "χ"),
        ("table", "a", "\x1b[1m"),
    ] {
        assert_eq!(fault(format, good), None, "{good}");
        assert!(fault(format, bad).is_some(), "{bad}");
    }
}
