//! Whether a module of older Verilog is the same circuit as the module at hand.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use faultline_hw::verilog;

/// A part of a name, and what it is called now.
pub type Rename = (String, String);

/// A module's text without comments.
pub fn code(text: &str) -> String {
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// The names and numbers of a text.
fn words(text: &str) -> BTreeSet<&str> {
    verilog::words(text).map(|(_, word)| word).collect()
}

/// A name that is not known any more as one that is, if a rename leads to it.
pub fn renamed(name: &str, renames: &[Rename], is_known: &dyn Fn(&str) -> bool) -> String {
    if is_known(name) {
        return name.to_owned();
    }
    let parts: Vec<&str> = name.split('_').collect();
    for (from, to) in renames {
        for at in parts.iter().enumerate().filter(|(_, part)| *part == from) {
            let mut changed = parts.clone();
            changed[at.0] = to;
            let changed = changed.join("_");
            if is_known(&changed) {
                return changed;
            }
        }
    }
    name.to_owned()
}

/// An older text with the names of the new one.
fn with_new_names(old: &str, new: &str, renames: &[Rename]) -> String {
    let known = words(new);
    let mut text = String::new();
    let mut taken = 0;
    for (at, word) in verilog::words(old) {
        text += &old[taken..at];
        text += &renamed(word, renames, &|name| known.contains(name));
        taken = at + word.len();
    }
    text + &old[taken..]
}

/// Words of a module that stores something by itself.
const STORES: [&str; 4] = ["posedge", "negedge", "initial", "always_ff"];

/// Proves by Yosys that two texts of the module `name` drive every output, and every input of what they instantiate, to
/// the same. What they instantiate is looked up in `folder` for its ports alone, and has a proof of its own. Of a module
/// that stores something by itself, Yosys must read the same cells and wires out of both texts.
///
/// # Errors
/// If Yosys does not start, cannot read them or leaves anything unproved: one sentence.
pub fn prove(
    name: &str,
    old: &str,
    new: &str,
    renames: &[Rename],
    folder: &Path,
) -> Result<(), String> {
    let (old, new) = (code(old), code(new));
    let old = with_new_names(&old, &new, renames);
    if old == new {
        return Ok(());
    }
    // Yosys takes flip-flops of one name to be the same without a look at their clocks.
    let texts = [&old, &new].map(|text| words(text));
    let stored = STORES
        .iter()
        .find(|word| texts.iter().any(|words| words.contains(*word)));
    let scratch = tempfile::tempdir().map_err(|error| format!("no scratch folder ({error})"))?;
    let write = |file: &str, text: &str| {
        let path = scratch.path().join(file);
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
    };
    write("old.v", &old)?;
    write("new.v", &new)?;
    if let Some(word) = stored {
        let netlists = [&old, &new].map(|text| netlist(name, text, scratch.path()));
        return match netlists {
            [Ok(old), Ok(new)] if old == new => Ok(()),
            [Ok(_), Ok(_)] => Err(format!("{name}: it has `{word}`, and other cells or wires")),
            [Err(said), _] | [_, Err(said)] => Err(said),
        };
    }
    let mut script = String::new();
    for child in words(&new).into_iter().filter(|word| *word != name) {
        let path = folder.join(format!("{child}.v"));
        if path.is_file() {
            script += &format!("read_verilog -lib {}\n", path.display());
        }
    }
    for (file, side) in [("old.v", "gold"), ("new.v", "gate")] {
        script += &format!("read_verilog {file}\nrename {name} {side}\n");
    }
    script += "hierarchy -check\nproc\nopt_clean\nequiv_make gold gate equiv\nhierarchy -top equiv\nopt -full\n\
               equiv_simple -undef\nequiv_status -assert\n";
    yosys(name, &script, scratch.path())
}

/// What Yosys reads out of a text: its cells, wires and memories, without the labels and lines of the text.
fn netlist(name: &str, text: &str, scratch: &Path) -> Result<String, String> {
    let (source, cells) = (scratch.join("stores.v"), scratch.join("stores.il"));
    let failed = |error| format!("{name}: {error}");
    std::fs::write(&source, text).map_err(failed)?;
    let script = "read_verilog stores.v\nhierarchy -check\nproc\nopt_clean -purge\nsetattr -unset src */w:* */c:* */m:*\n\
                  setattr -mod -unset src *\nrename -enumerate\nwrite_rtlil stores.il\n";
    yosys(name, script, scratch)?;
    let cells = std::fs::read_to_string(&cells).map_err(failed)?;
    let lines = cells
        .lines()
        .filter(|line| !line.starts_with('#') && !line.starts_with("autoidx"));
    Ok(lines.collect::<Vec<_>>().join("\n"))
}

/// Runs a script of Yosys in a folder.
fn yosys(name: &str, script: &str, folder: &Path) -> Result<(), String> {
    let path = folder.join("same.ys");
    std::fs::write(&path, script).map_err(|error| format!("{}: {error}", path.display()))?;
    let output = Command::new("yosys")
        .args(["-q", "-s", "same.ys"])
        .current_dir(folder)
        .output()
        .map_err(|error| {
            format!("yosys does not start ({error}); install the Debian package yosys")
        })?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let last = said.lines().rev().find(|line| line.contains("ERROR"));
    Err(format!(
        "{name}: {}",
        last.unwrap_or("Yosys does not say why it failed")
    ))
}
