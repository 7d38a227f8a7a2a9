//! Documentation of a file of settings or of JSON in the source: names and comments of fields and variants.

use std::path::Path;

/// A structure or an enumeration that serde reads or writes.
pub struct SourceType {
    pub name: String,
    pub purpose: String,
    /// Names as the file has them, an alias behind its name, with their meaning.
    pub entries: Vec<(Vec<String>, String)>,
}

/// How serde writes names.
#[derive(Clone, Copy, PartialEq)]
enum Case {
    AsIs,
    Lower,
    Camel,
    Kebab,
    Pascal,
}

/// All types of a file that derive `Serialize` or `Deserialize`, in their order.
pub fn types(file: &str) -> Vec<SourceType> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
    let text = text.split("\n#[cfg(test)]").next().expect("a part").to_owned();
    let mut lines = text.lines();
    let (mut docs, mut attributes, mut found) = (Vec::new(), String::new(), Vec::new());
    while let Some(line) = lines.next() {
        let line = line.trim_end();
        if let Some(doc) = line.strip_prefix("///") {
            docs.push(doc.trim().to_owned());
        } else if line.starts_with("#[") {
            attributes += line;
        } else if let Some(name) = declared(line).filter(|_| is_of_serde(&attributes)) {
            let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "}").collect();
            let case = case_of(&attributes);
            let entries = entries(&body, case, line.contains("enum "));
            found.push(SourceType { name, purpose: sentence(&docs), entries });
            (docs, attributes) = (Vec::new(), String::new());
        } else {
            (docs, attributes) = (Vec::new(), String::new());
        }
    }
    found
}

fn is_of_serde(attributes: &str) -> bool {
    // A type that is read through another one has the keys of that one.
    let is_read_otherwise = attributes.contains("try_from = ") || attributes.contains("into = ");
    attributes.contains("derive(") && attributes.contains("erialize") && !is_read_otherwise
}

/// The name of the type with a body that a line declares.
fn declared(line: &str) -> Option<String> {
    let line = line.strip_suffix(" {")?;
    let words: Vec<&str> = line.split(' ').collect();
    let at = words.iter().position(|word| ["struct", "enum"].contains(word))?;
    let is_visibility = words[..at].iter().all(|word| word.starts_with("pub"));
    is_visibility.then(|| words[at + 1].split('<').next().unwrap_or_default().to_owned())
}

fn case_of(attributes: &str) -> Case {
    match value(attributes, "rename_all").as_deref() {
        Some("lowercase") => Case::Lower,
        Some("camelCase") => Case::Camel,
        Some("kebab-case") => Case::Kebab,
        Some("PascalCase") => Case::Pascal,
        Some(other) => panic!("rename_all = {other}"),
        None => Case::AsIs,
    }
}

/// The value behind `key = "` in attributes.
fn value(attributes: &str, key: &str) -> Option<String> {
    let rest = attributes.split(&format!("{key} = \"")).nth(1)?;
    Some(rest.split('"').next().unwrap_or_default().to_owned())
}

fn entries(body: &[&str], case: Case, is_enum: bool) -> Vec<(Vec<String>, String)> {
    let (mut docs, mut attributes, mut found) = (Vec::new(), String::new(), Vec::new());
    let mut is_open = false;
    for line in body.iter().map(|line| line.trim()) {
        if let Some(doc) = line.strip_prefix("///") {
            docs.push(doc.trim().to_owned());
        } else if line.starts_with("#[") || is_open {
            // Attributes of the command line are no words of serde.
            if line.starts_with("#[serde") || is_open {
                attributes += line;
            }
            is_open = !line.ends_with(']') && (is_open || line.starts_with("#[serde"));
        } else {
            let end = if is_enum { &['(', ',', ' '][..] } else { &[':'][..] };
            let name = without_visibility(line);
            let name = name.split(end).next().unwrap_or_default().trim_start_matches("r#");
            let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
            let words: Vec<&str> = attributes.split(['(', ')', ',', ' ']).collect();
            if is_name && !words.contains(&"skip") && !words.contains(&"flatten") {
                let named = value(&attributes, "rename").unwrap_or_else(|| written(name, case, is_enum));
                let names = [Some(named), value(&attributes, "alias")].into_iter().flatten().collect();
                found.push((names, sentence(&docs)));
            }
            (docs, attributes) = (Vec::new(), String::new());
        }
    }
    found
}

/// A declaration behind `pub`, `pub(crate)` and the like.
fn without_visibility(line: &str) -> &str {
    let Some(rest) = line.strip_prefix("pub") else { return line };
    rest.strip_prefix('(').and_then(|rest| rest.split_once(')')).map_or(rest, |(_, rest)| rest).trim_start()
}

/// A name of the source as serde writes it.
fn written(name: &str, case: Case, is_enum: bool) -> String {
    let parts: Vec<String> = if is_enum {
        let starts: Vec<usize> =
            name.char_indices().filter(|(_, c)| c.is_uppercase()).map(|(at, _)| at).collect();
        let ends = starts.iter().skip(1).copied().chain([name.len()]);
        starts.iter().zip(ends).map(|(&from, to)| name[from..to].to_lowercase()).collect()
    } else {
        name.split('_').map(str::to_owned).collect()
    };
    let capital = |part: &String| part[..1].to_uppercase() + &part[1..];
    match case {
        Case::AsIs => name.to_owned(),
        Case::Lower => parts.concat(),
        Case::Kebab => parts.join("-"),
        Case::Pascal => parts.iter().map(capital).collect(),
        Case::Camel => parts[0].clone() + &parts[1..].iter().map(capital).collect::<String>(),
    }
}

/// The first paragraph of a documentation comment, without links of rustdoc.
fn sentence(docs: &[String]) -> String {
    let text = docs.iter().take_while(|line| !line.is_empty()).cloned().collect::<Vec<_>>().join(" ");
    let mut plain = String::new();
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once("[`") {
        let Some((link, behind)) = after.split_once("`]") else { break };
        let behind = match behind.strip_prefix('(') {
            Some(target) => target.split_once(')').map_or("", |(_, behind)| behind),
            None => behind,
        };
        plain += before;
        plain += &format!("`{}`", link.rsplit("::").next().unwrap_or(link));
        rest = behind;
    }
    plain + rest
}
