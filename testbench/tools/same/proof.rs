//! Whether a design of older Verilog is the same circuit as the design at hand.
//!
//! Yosys flattens both and cuts them at registers and memories: what a register or a memory gives becomes an input, and what it
//! takes, its clock included, an output. ABC then proves the two to be the same function, name by name. So registers and
//! memories correspond by their names, and none may be missing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Output};

/// Words of a name, with underscores between them, and what they are called now.
pub type Rename = (String, String);

/// The names and texts of a design's files, its top first.
pub type Files = Vec<(String, String)>;

/// What was proved to be the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Same {
    /// Bits of registers.
    pub registers: usize,
    /// Memories.
    pub memories: usize,
    /// Outputs of the function: those of the design, and what registers and memories take.
    pub outputs: usize,
}

/// What a name may be called now: each part of it, or several parts in a row, as before or by its new name.
fn candidates(parts: &[&str], renames: &[Rename]) -> Vec<String> {
    let Some((first, rest)) = parts.split_first() else {
        return vec![String::new()];
    };
    let mut found: Vec<String> = candidates(rest, renames)
        .into_iter()
        .map(|rest| format!("{first}{rest}"))
        .collect();
    for (from, to) in renames {
        let from = words(from);
        if parts.len() >= from.len() && parts[..from.len()] == from[..] {
            let rest = candidates(&parts[from.len()..], renames);
            found.extend(rest.into_iter().map(|rest| format!("{to}{rest}")));
        }
    }
    found
}

/// The words of a name, and what stands between them.
fn words(name: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = name;
    while let Some(separator) = rest.find(['_', '.', '[', ']']) {
        let (word, behind) = rest.split_at(separator);
        let (separator, behind) = behind.split_at(1);
        words.extend([word, separator]);
        rest = behind;
    }
    words.push(rest);
    words
}

/// The inputs and outputs of a netlist.
fn ports(netlist: &str) -> impl Iterator<Item = &str> {
    netlist
        .lines()
        .filter_map(|line| {
            line.strip_prefix(".inputs ")
                .or_else(|| line.strip_prefix(".outputs "))
        })
        .flat_map(str::split_whitespace)
}

/// An older netlist whose inputs and outputs have the names of the new one, where renames lead to them.
fn with_new_names(old: &str, new: &str, renames: &[Rename]) -> String {
    let before: BTreeSet<&str> = ports(old).collect();
    let now: BTreeSet<&str> = ports(new).collect();
    // A new name is given once, and never one that the old netlist has.
    let mut free: BTreeSet<&str> = now.difference(&before).copied().collect();
    let unknown = before.difference(&now).filter_map(|name| {
        let mut candidates = candidates(&words(name), renames).into_iter();
        let now = candidates.find(|name| free.remove(name.as_str()))?;
        Some((*name, now))
    });
    let now: BTreeMap<&str, String> = unknown.collect();
    if now.is_empty() {
        return old.to_owned();
    }
    let mut text = String::with_capacity(old.len());
    for line in old.lines() {
        for (at, word) in line.split(' ').enumerate() {
            if at > 0 {
                text.push(' ');
            }
            text += now.get(word).map_or(word, String::as_str);
        }
        text.push('\n');
    }
    text
}

/// Proves that two texts of a design are the same circuit.
///
/// # Errors
/// If a tool does not start, cannot read them or finds them different: one sentence.
pub fn prove(design: &str, old: &Files, new: &Files, renames: &[Rename]) -> Result<Same, String> {
    let failed = |error| format!("{design}: {error}");
    let scratch = tempfile::tempdir().map_err(|error| format!("no scratch folder ({error})"))?;
    let netlists = [("old", old), ("new", new)].map(|(side, files)| {
        let folder = scratch.path().join(side);
        std::fs::create_dir(&folder).map_err(failed)?;
        netlist(design, files, &folder)
    });
    let [old, new] = netlists;
    let (old, new) = (old?, new?);
    let same = counted(&new);
    for (file, text) in [
        ("old.blif", with_new_names(&old, &new, renames)),
        ("new.blif", new),
    ] {
        std::fs::write(scratch.path().join(file), text).map_err(failed)?;
    }
    let output = run(
        "yosys-abc",
        &["-c", "cec old.blif new.blif"],
        scratch.path(),
    )?;
    let said = String::from_utf8_lossy(&output.stdout);
    if said.contains("Networks are equivalent") {
        return Ok(same);
    }
    let why = said.lines().rev().find(|line| {
        ["NOT EQUIVALENT", "different", "UNDECIDED"]
            .iter()
            .any(|word| line.contains(word))
    });
    Err(format!(
        "{design}: {}",
        why.unwrap_or("ABC does not say why it failed")
    ))
}

/// The function of a design as a netlist of gates.
fn netlist(design: &str, files: &Files, folder: &Path) -> Result<String, String> {
    let mut script = String::new();
    for (name, text) in files {
        std::fs::write(folder.join(name), text).map_err(|error| format!("{design}: {error}"))?;
        // A memory is cut away; a module that is none has one of its own.
        let kind = if name.starts_with("sram_") {
            " -lib"
        } else {
            ""
        };
        script += &format!("read_verilog -noautowire{kind} {name}\n");
    }
    script += &format!(
        "hierarchy -check -top {design}\nproc\nflatten\nopt_clean\nexpose -dff -evert-dff\nexpose -dff -evert\nopt_clean\n\
         splitnets -ports\ntechmap\nselect -assert-none t:$_DFF* t:$_SDFF* t:$_DLATCH* t:$mem*\nwrite_blif same.blif\n"
    );
    std::fs::write(folder.join("same.ys"), script).map_err(|error| format!("{design}: {error}"))?;
    let output = run("yosys", &["-q", "-s", "same.ys"], folder)?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let last = said.lines().rev().find(|line| line.contains("ERROR"));
        let last = last.unwrap_or("Yosys does not say why it failed");
        return Err(format!("{design}: {last}"));
    }
    std::fs::read_to_string(folder.join("same.blif")).map_err(|error| format!("{design}: {error}"))
}

/// What a netlist has.
fn counted(netlist: &str) -> Same {
    let of_kind = |kind: &str| {
        let line = netlist.lines().find_map(|line| line.strip_prefix(kind));
        line.unwrap_or_default().split_whitespace()
    };
    let base = |port: &str| port.split_once(".q.q").is_some();
    Same {
        registers: of_kind(".inputs ").filter(|port| base(port)).count(),
        memories: of_kind(".outputs ")
            .filter(|port| port.ends_with(".enable"))
            .count(),
        outputs: of_kind(".outputs ").count(),
    }
}

fn run(program: &str, arguments: &[&str], folder: &Path) -> Result<Output, String> {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(folder)
        .output()
        .map_err(|error| {
            format!("{program} does not start ({error}); install the Debian package yosys")
        })
}
