//! Whether a module of older Verilog is the same circuit as the module at hand.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// A part of a name, and what it is called now.
pub type Rename = (String, String);

/// A module's text without comments.
pub fn code(text: &str) -> String {
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

fn is_part(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

/// The names and words of a text.
pub fn words(text: &str) -> BTreeSet<&str> {
    let words = text.split(|character| !is_part(character));
    words.filter(|word| !word.is_empty()).collect()
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
    let mut rest = old;
    while let Some(start) = rest.find(is_part) {
        let (before, from) = rest.split_at(start);
        let end = from
            .find(|character| !is_part(character))
            .unwrap_or(from.len());
        let (word, after) = from.split_at(end);
        text += before;
        text += &renamed(word, renames, &|name| known.contains(name));
        rest = after;
    }
    text + rest
}

/// What a module stores, by its text: only primitives do, and those have the same text.
const STORES: [&str; 4] = ["posedge", "negedge", "initial", "always_ff"];

/// Proves by Yosys that two texts of the module `name` drive every output, and every input of what they instantiate, to
/// the same. What they instantiate is looked up in `folder` for its ports alone, and has a proof of its own. A module that
/// stores something by itself is the same only if its text is.
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
    if let Some(word) = STORES
        .iter()
        .find(|word| texts.iter().any(|words| words.contains(*word)))
    {
        return Err(format!("{name}: it has `{word}`, and another text"));
    }
    let scratch = tempfile::tempdir().map_err(|error| format!("no scratch folder ({error})"))?;
    let write = |file: &str, text: &str| {
        let path = scratch.path().join(file);
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
    };
    write("old.v", &old)?;
    write("new.v", &new)?;
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
    write("same.ys", &script)?;
    let output = Command::new("yosys")
        .args(["-q", "-s", "same.ys"])
        .current_dir(scratch.path())
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
