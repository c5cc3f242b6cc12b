//! Whether a design of older Verilog is the same circuit as the design at hand.
//!
//! Yosys flattens both and cuts them at registers and memories: what a register or a memory gives becomes an input, and what it
//! takes, its clock included, an output. ABC then proves the two to be the same function, name by name. So registers and
//! memories correspond by their names, and none may be missing.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

use faultline_hw::verilog;

/// A part of a name, and what it is called now.
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

/// A name that is not known any more as one that is, if renames lead to it.
fn renamed(name: &str, renames: &[Rename], is_known: &dyn Fn(&str) -> bool) -> String {
    if is_known(name) {
        return name.to_owned();
    }
    let mut parts: Vec<&str> = name.split('_').collect();
    for (from, to) in renames {
        for part in parts.iter_mut().filter(|part| *part == from) {
            *part = to;
        }
    }
    let changed = parts.join("_");
    match is_known(&changed) {
        true => changed,
        false => name.to_owned(),
    }
}

/// An older netlist with the names of the new one.
fn with_new_names(old: &str, new: &str, renames: &[Rename]) -> String {
    if renames.is_empty() {
        return old.to_owned();
    }
    let known: BTreeSet<&str> = verilog::words(new).map(|(_, word)| word).collect();
    let mut text = String::new();
    let mut taken = 0;
    for (at, word) in verilog::words(old) {
        text += &old[taken..at];
        text += &renamed(word, renames, &|name| known.contains(name));
        taken = at + word.len();
    }
    text + &old[taken..]
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
    let ports = |kind: &str| {
        let line = netlist.lines().find_map(|line| line.strip_prefix(kind));
        line.unwrap_or_default().split_whitespace()
    };
    let base = |port: &str| port.split_once(".q.q").is_some();
    Same {
        registers: ports(".inputs ").filter(|port| base(port)).count(),
        memories: ports(".outputs ")
            .filter(|port| port.ends_with(".enable"))
            .count(),
        outputs: ports(".outputs ").count(),
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
