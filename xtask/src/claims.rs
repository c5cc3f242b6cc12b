//! The table of what the papers claim and what stands beside it here. Every number of this project in it is looked up in a
//! committed report, so none can be older than its report.
//!
//! A text of `docs/results/claims.toml` names a number as `{report | section | row | column}`, where a row is given by its
//! first cells, with ` && ` between them, or as the first such row after another, with ` > ` between the two, and a column by its
//! heading; or as `{report | before | after}`, the words between two
//! others.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde::Deserialize;

/// What is claimed and where what is measured stands.
const SOURCE: &str = "docs/results/claims.toml";
/// The page.
const PAGE: &str = "docs/results/claims.md";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Source {
    /// What stands at the top.
    about: String,
    papers: Vec<Paper>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Paper {
    name: String,
    claims: Vec<Claim>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Claim {
    claim: String,
    place: String,
    paper: String,
    /// What stands beside it, with numbers that are looked up; or why nothing does.
    here: String,
    rests: Rests,
    /// Why it differs.
    #[serde(default)]
    why: String,
}

/// What a number rests on.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Rests {
    /// A netlist, or Verilog that was simulated.
    Rtl,
    /// References that agree with their Verilog on every cycle, between models.
    Blocks,
    /// A model alone.
    Model,
    /// A value that the paper gives and that is put in.
    Assumption,
    /// Nothing: there is no number.
    Nothing,
}

impl Rests {
    const fn name(self) -> &'static str {
        match self {
            Self::Rtl => "RTL",
            Self::Blocks => "blocks",
            Self::Model => "model",
            Self::Assumption => "assumption",
            Self::Nothing => "-",
        }
    }
}

/// The reports that were read, by name.
struct Reports<'root> {
    root: &'root Path,
    texts: BTreeMap<String, String>,
}

/// The cells of a table's line.
fn cells(line: &str) -> Vec<&str> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let line = line.strip_suffix('|').unwrap_or(line);
    line.split('|').map(str::trim).collect()
}

/// A cell of the first table of a section that has the row and the column.
fn cell(report: &str, section: &str, row: &str, column: &str) -> Option<String> {
    let is_heading =
        |line: &&str| line.starts_with('#') && line.trim_start_matches('#').trim() == section;
    let lines = report.lines().skip_while(|line| !is_heading(line)).skip(1);
    let lines: Vec<&str> = lines.take_while(|line| !line.starts_with("## ")).collect();
    let tables = lines.split(|line| !line.trim_start().starts_with('|'));
    for table in tables.filter(|table| table.len() > 2) {
        let place = cells(table[0])
            .iter()
            .position(|heading| *heading == column);
        let mut rows = table[2..].iter().map(|line| cells(line));
        let mut found = None;
        for wanted in row.split(" > ") {
            let wanted: Vec<&str> = wanted.split(" && ").collect();
            found = rows.find(|cells| cells.starts_with(&wanted));
        }
        if let (Some(place), Some(row)) = (place, found) {
            return row.get(place).map(|cell| (*cell).to_owned());
        }
    }
    None
}

/// What stands between words.
fn between(report: &str, before: &str, after: &str) -> Option<String> {
    let (_, rest) = report.split_once(before)?;
    let (text, _) = rest.split_once(after)?;
    Some(text.trim().to_owned())
}

impl Reports<'_> {
    fn text(&mut self, name: &str) -> Result<&str, String> {
        if !self.texts.contains_key(name) {
            let text = fs::read_to_string(self.root.join(name))
                .map_err(|error| format!("{name} cannot be read ({error})"))?;
            self.texts.insert(name.to_owned(), text);
        }
        Ok(&self.texts[name])
    }

    /// What a look-up finds.
    fn found(&mut self, look_up: &str) -> Result<String, String> {
        let parts: Vec<&str> = look_up.split(" | ").map(str::trim).collect();
        let (report, rest) = parts.split_first().ok_or("an empty look-up")?;
        let text = self.text(report)?;
        let found = match rest {
            [section, row, column] => cell(text, section, row, column),
            [before, after] => between(text, before, after),
            _ => None,
        };
        let is_short = |found: &String| !found.is_empty() && found.len() < 60;
        found
            .filter(is_short)
            .ok_or_else(|| format!("{{{look_up}}}: {report} has no such number"))
    }

    /// A text with its numbers.
    fn filled(&mut self, text: &str) -> Result<String, String> {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let (look_up, after) = after
                .split_once('}')
                .ok_or_else(|| format!("{text}: a {{ without its }}"))?;
            filled += before;
            filled += &self.found(look_up)?;
            rest = after;
        }
        Ok(filled + rest)
    }
}

/// The reports that a text looks numbers up in, as links.
fn links(text: &str) -> Vec<String> {
    let mut links = Vec::new();
    for part in text.split('{').skip(1) {
        let report = part.split(" | ").next().unwrap_or_default().trim();
        let name = report
            .rsplit('/')
            .next()
            .unwrap_or(report)
            .trim_end_matches(".md");
        let link = format!("[{name}](../../{report})");
        if !links.contains(&link) {
            links.push(link);
        }
    }
    links
}

/// The page of these claims.
fn page(source: &Source, reports: &mut Reports<'_>) -> Result<String, String> {
    let mut page = format!(
        "# What the papers claim\n\n<!-- generated by cargo xtask codegen from {SOURCE} and the reports that it names -->\n\n{}\n",
        source.about.trim()
    );
    for paper in &source.papers {
        let _ = write!(
            page,
            "\n## {}\n\n| Claim | Place | Paper | Here | Rests on | Report | Why it differs |\n|---|---|---|---|---|---|---|\n",
            paper.name
        );
        for claim in &paper.claims {
            let here = reports.filled(&claim.here)?;
            let why = reports.filled(&claim.why)?;
            let links = links(&format!("{} {}", claim.here, claim.why));
            let _ = writeln!(
                page,
                "| {} | {} | {} | {here} | {} | {} | {why} |",
                claim.claim,
                claim.place,
                claim.paper,
                claim.rests.name(),
                links.join(", "),
            );
        }
    }
    Ok(page)
}

/// Writes the page, or with `check` only compares it; gives its name if it has changed.
///
/// # Errors
/// If a file cannot be read or written, or a report has no such number.
pub fn run(root: &Path, check: bool) -> Result<Option<String>, String> {
    let text = fs::read_to_string(root.join(SOURCE))
        .map_err(|error| format!("{SOURCE} cannot be read ({error})"))?;
    let source: Source = toml::from_str(&text).map_err(|error| format!("{SOURCE}: {error}"))?;
    let mut reports = Reports {
        root,
        texts: BTreeMap::new(),
    };
    let page = page(&source, &mut reports).map_err(|error| format!("{SOURCE}: {error}"))?;
    if fs::read_to_string(root.join(PAGE)).is_ok_and(|old| old == page) {
        return Ok(None);
    }
    if !check {
        fs::write(root.join(PAGE), page)
            .map_err(|error| format!("{PAGE} cannot be written ({error})"))?;
    }
    Ok(Some(PAGE.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "# Report\n\n## One\n\nThe mean is 12.5 % of it.\n\n| a | b | c |\n| --- | ---: | ---: |\n| x | 1 | 2 |\n\
                          | x | 3 | 4 |\n\n## Two\n\n| a | c |\n| --- | --- |\n| x | 7 |\n";

    fn filled(text: &str) -> Result<String, String> {
        let mut reports = Reports {
            root: Path::new("/nowhere"),
            texts: BTreeMap::from([("r.md".to_owned(), REPORT.to_owned())]),
        };
        reports.filled(text)
    }

    #[test]
    fn numbers_come_from_cells_and_from_sentences() {
        for (text, expected) in [
            ("none", "none"),
            ("{r.md | One | x | b} us", "1 us"),
            ("{r.md | One | x && 1 > x | c}", "4"),
            ("{r.md | One | x && 3 | c}, {r.md | Two | x | c}", "4, 7"),
            ("{r.md | mean is | %} %", "12.5 %"),
        ] {
            assert_eq!(filled(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn a_number_that_is_not_there_is_an_error() {
        for text in [
            "{r.md | One | y | b}",
            "{r.md | One | x | d}",
            "{r.md | Two | x | b}",
            "{r.md | median is | %}",
            "{r.md}",
            "{r.md | One | x | b",
            "{other.md | One | x | b}",
        ] {
            filled(text).unwrap_err();
        }
    }

    #[test]
    fn a_claim_names_its_reports_once() {
        let expected = ["[r](../../sim/r.md)", "[s](../../s.md)"];
        let text = "{sim/r.md | a | b}, {sim/r.md | c | d} and {s.md | e | f}";
        assert_eq!(links(text), expected);
    }
}
