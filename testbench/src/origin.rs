//! Names the Verilog that a report was made from, and finds it again.

use std::collections::BTreeMap;

use faultline_hw::designs::explored;
use faultline_hw::registry::{self, Design};
use sha2::{Digest as _, Sha256};

/// What stands in the sentence before the names of the designs and after them.
const BEFORE: &str = " files of Verilog of `";
const AFTER: &str = "`, in the order of their names, have the SHA-256 `";

/// The version of Faultline, the designs, and the SHA-256 of their files, one after the other in the order of their names,
/// as `rtl-out` has them: what a reader needs to see whether a report is of the Verilog at hand.
///
/// # Errors
/// If a design cannot be exported.
pub fn verilog<'a>(designs: impl IntoIterator<Item = &'a Design>) -> Result<String, String> {
    let mut files = BTreeMap::new();
    let mut blocks: Vec<(&str, Vec<&str>)> = Vec::new();
    for design in designs {
        let export = design
            .export()
            .map_err(|error| format!("{}: {error}", design.name))?;
        files.extend(export.files.into_iter().map(|file| (file.name, file.text)));
        match blocks.iter_mut().find(|(block, _)| *block == design.block) {
            Some((_, configs)) => configs.push(design.config),
            None => blocks.push((design.block, vec![design.config])),
        }
    }
    let names = blocks.iter().map(|(block, configs)| match configs[..] {
        [config] => format!("{block}_{config}"),
        _ => format!("{block}_{{{}}}", configs.join(",")),
    });
    let (count, hash) = (files.len(), hash(files.values()));
    let (version, names) = (env!("CARGO_PKG_VERSION"), names.collect::<Vec<_>>());
    Ok(format!(
        "Faultline {version}; the {count}{BEFORE}{}{AFTER}{hash}`",
        names.join(" ")
    ))
}

/// The designs that a report names as those that it was made from; none if it names none, or one that is not there.
#[must_use]
pub fn designs(report: &str) -> Option<Vec<Design>> {
    let (_, rest) = report.split_once(BEFORE)?;
    let (names, _) = rest.split_once(AFTER)?;
    let names = names.split(' ').flat_map(|name| {
        let braced = name.split_once('{');
        let braced = braced.and_then(|(block, rest)| Some((block, rest.strip_suffix('}')?)));
        let (block, configs) = braced.unwrap_or(("", name));
        configs
            .split(',')
            .map(move |config| format!("{block}{config}"))
    });
    let find = |name: String| {
        let mut known = registry::designs().into_iter().chain(explored::designs());
        known.find(|design| design.name == name)
    };
    names.map(find).collect()
}

/// Whether a report names its Verilog, and that is the Verilog at hand.
///
/// # Errors
/// If a design cannot be exported.
pub fn is_current(report: &str) -> Result<bool, String> {
    match designs(report) {
        Some(designs) => Ok(report.contains(&verilog(&designs)?)),
        None => Ok(false),
    }
}

/// The SHA-256 that a report names as that of its Verilog.
#[must_use]
pub fn named_hash(report: &str) -> Option<&str> {
    let (_, rest) = report.split_once(AFTER)?;
    Some(rest.split_once('`')?.0)
}

/// Whether a report is of the Verilog at hand, or of older Verilog that was proved to be the same circuits: `table` is
/// `testbench/proofs/same.tsv`, whose rows are some designs, their older SHA-256, and that of the same circuits later.
///
/// # Errors
/// If a design cannot be exported.
pub fn is_same(report: &str, table: &str) -> Result<bool, String> {
    let (Some(designs), Some(named)) = (designs(report), named_hash(report)) else {
        return Ok(false);
    };
    if is_current(report)? {
        return Ok(true);
    }
    let at_hand = verilog(&designs)?;
    Ok(named_hash(&at_hand).is_some_and(|at_hand| leads(table, named, at_hand)))
}

/// Whether the rows of `testbench/proofs/same.tsv` lead from one SHA-256 to another, or the two are one. Several rows may lead
/// away from one.
#[must_use]
pub fn leads(table: &str, from: &str, to: &str) -> bool {
    let rows: Vec<(&str, &str)> = table
        .lines()
        .filter_map(|row| row.split_once('\t')?.1.split_once('\t'))
        .collect();
    let mut reached = vec![from];
    let mut at = 0;
    while let Some(hash) = reached.get(at).copied() {
        let next = rows.iter().filter(|(from, _)| *from == hash);
        for (_, to) in next {
            if !reached.contains(to) {
                reached.push(to);
            }
        }
        at += 1;
    }
    reached.contains(&to)
}

/// The SHA-256 of texts, one after the other, in hexadecimal digits.
pub fn hash<'a>(texts: impl Iterator<Item = &'a String>) -> String {
    let mut hasher = Sha256::new();
    texts.for_each(|text| hasher.update(text));
    let digest = hasher.finalize();
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a test that cannot go on panics

    use std::path::Path;

    use super::*;

    fn chosen(names: &[&str]) -> Vec<Design> {
        let designs = registry::designs().into_iter();
        designs
            .filter(|design| names.contains(&design.name))
            .collect()
    }

    #[test]
    fn hash_is_that_of_the_committed_files() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rtl-out");
        let list = std::fs::read_to_string(folder.join("operand_log_proof.f")).unwrap();
        let mut names: Vec<&str> = list.lines().collect();
        names.sort_unstable_by_key(|path| path.rsplit('/').next());
        let texts: Vec<String> = names
            .iter()
            .map(|name| std::fs::read_to_string(folder.join(name)).unwrap())
            .collect();
        let sentence = verilog(&chosen(&["operand_log_proof"])).unwrap();
        assert!(sentence.contains(&hash(texts.iter())), "{sentence}");
    }

    #[test]
    fn designs_are_named_and_found_again() {
        let names = [
            "replay_queue_proof",
            "operand_log_8k",
            "page_walker_2",
            "page_walker_2_5_levels_updates",
        ];
        let chosen = chosen(&names);
        let sentence = verilog(&chosen).unwrap();
        let told = "of `replay_queue_proof operand_log_8k page_walker_{2,2_5_levels_updates}`,";
        assert!(sentence.contains(told), "{sentence}");
        let report = format!("# Lockstep\n\nGenerated by `a` with b. {sentence}.\n\nMore.\n");
        let found = designs(&report).unwrap();
        let found: Vec<_> = found.iter().map(|design| design.name).collect();
        assert_eq!(found, names);
        assert_eq!(is_current(&report), Ok(true));
        for (from, to) in [
            ("have the SHA-256 `", "have the SHA-256 `0"),
            ("; the ", "; the 1"),
        ] {
            assert_eq!(is_current(&report.replace(from, to)), Ok(false));
        }
        for other in ["replay_queue_16", "operand_log_none"] {
            let other = report.replace("replay_queue_proof", other);
            assert_eq!(is_current(&other), Ok(false));
        }
        let unnamed = "Faultline 0.1.0; its 90 files of Verilog, in the order of their names, have the SHA-256 `00`.";
        assert_eq!(is_current(unnamed), Ok(false));
    }

    #[test]
    fn rows_lead_from_one_text_to_the_next() {
        let table = "queue\t1\t2\nqueue\t2\t3\nqueue\t2\t2\nqueue\t2\t5\nlog\t3\t1\n";
        assert!(leads(table, "1", "3") && leads(table, "2", "3") && leads(table, "3", "3"));
        assert!(leads(table, "1", "5") && !leads(table, "5", "3"));
        assert!(!leads(table, "1", "4") && !leads(table, "4", "1"));
    }

    #[test]
    fn hash_is_a_sha_256() {
        let text = "abc".to_owned();
        assert!(hash(std::iter::once(&text)).starts_with("ba7816bf8f01cfea"));
    }
}
