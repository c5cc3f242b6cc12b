//! Where a design's macros are: the paths of instances, read from exported Verilog.
//!
//! The exporter writes the head of an instance on a line of its own, `module #(.WIDTH(8)) name [7:0] (`, and its one kind of generate
//! loop as `for (bank = 0; bank < 16; ...) begin : banks`; nothing else is understood, or needed. Synthesis that flattens
//! the design names a macro by its path with dots.

use std::collections::HashMap;

/// An instance, or an array of them, in a module.
struct Child<'a> {
    module: &'a str,
    names: Vec<String>,
}

/// The path and module of each instance of these modules below a top, in the order of the Verilog. `files` are the name
/// and text of a file for each module.
pub fn instances(top: &str, files: &[(String, String)], modules: &[&str]) -> Vec<(String, String)> {
    let texts: HashMap<&str, &str> = files
        .iter()
        .filter_map(|(name, text)| Some((name.strip_suffix(".v")?, text.as_str())))
        .collect();
    let mut found = Vec::new();
    collect(top, "", &texts, modules, &mut found);
    found
}

fn collect(
    module: &str,
    path: &str,
    texts: &HashMap<&str, &str>,
    modules: &[&str],
    found: &mut Vec<(String, String)>,
) {
    let Some(text) = texts.get(module) else {
        return;
    };
    for child in children(text, texts) {
        for name in child.names {
            let path = format!("{path}{name}");
            match modules.contains(&child.module) {
                true => found.push((path, child.module.to_owned())),
                false => collect(child.module, &format!("{path}."), texts, modules, found),
            }
        }
    }
}

/// The instances in a module's text.
fn children<'a>(text: &'a str, texts: &HashMap<&str, &str>) -> Vec<Child<'a>> {
    let mut children = Vec::new();
    let mut scope = None;
    for line in text.lines().map(str::trim) {
        if let Some(found) = scope_of(line) {
            scope = Some(found);
        } else if line == "end" {
            scope = None;
        }
        let Some((module, rest)) = line.split_once(' ') else {
            continue;
        };
        // The values of parameters stand before the name.
        let rest = match rest.starts_with("#(") {
            true => rest.split_once(")) ").map_or(rest, |(_, rest)| rest),
            false => rest,
        };
        let Some((head, _)) = rest.split_once('(').filter(|_| texts.contains_key(module)) else {
            continue;
        };
        let (name, range) = match head.split_once('[') {
            Some((name, range)) => (name.trim(), range.trim().strip_suffix(":0]")),
            None => (head.trim(), None),
        };
        let highest = range.and_then(|highest| highest.parse::<usize>().ok());
        let names = match (highest, &scope) {
            (Some(highest), _) => (0..=highest)
                .map(|index| format!("{name}[{index}]"))
                .collect(),
            (None, Some((label, count))) => (0..*count)
                .map(|index| format!("{label}[{index}].{name}"))
                .collect(),
            (None, None) => vec![name.to_owned()],
        };
        children.push(Child { module, names });
    }
    children
}

/// The label and count of a generate loop that begins on this line.
fn scope_of(line: &str) -> Option<(String, usize)> {
    let (_, rest) = line.strip_prefix("for (")?.split_once("< ")?;
    let (count, rest) = rest.split_once(';')?;
    let (_, label) = rest.split_once("begin : ")?;
    Some((label.trim().to_owned(), count.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_loops_and_levels_make_paths() {
        let file = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        let files = [
            file("top.v", "module top (\n    half half [1:0] (\n"),
            file(
                "half.v",
                "    sram_2x1 one (\n    bank bank (.clock(clock));\n",
            ),
            file(
                "bank.v",
                "        for (bank = 0; bank < 2; bank = bank + 1) begin : banks\n            sram_4x2 sram (\n            );\n        end\n",
            ),
            file("sram_2x1.v", ""),
            file("sram_4x2.v", ""),
        ];
        let found = instances("top", &files, &["sram_2x1", "sram_4x2"]);
        let paths: Vec<&str> = found.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(
            paths,
            [
                "half[0].one",
                "half[0].bank.banks[0].sram",
                "half[0].bank.banks[1].sram",
                "half[1].one",
                "half[1].bank.banks[0].sram",
                "half[1].bank.banks[1].sram",
            ]
        );
        assert_eq!(found[1].1, "sram_4x2");
    }
}
