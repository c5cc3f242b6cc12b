//! The folder in which qflow's scripts work: the mapped netlist as BLIF, and what they ask of a project.

use super::{TECHNOLOGY, clock, failed, read, write};
use crate::error::Error;
use crate::library::Library;
use crate::tool::YOSYS;
use crate::yosys::{Design, Netlist};
use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// How full the rows are if nothing else is said: qflow puts fill between the cells, so that there is room for the wires.
/// With 0.75 the router left a net of a queue of 16 entries.
pub const DENSITY: f64 = 0.6;

/// The file that qflow knows a project by.
pub const PROJECT: &str = "qflow_vars.sh";

/// What the scripts fill; files of an earlier run would count as those of a step that fails.
const FOLDERS: [&str; 3] = ["synthesis", "layout", "log"];

/// Writes the project of a mapped design, in place of an earlier one, and gives the number of buffers that its clock got.
///
/// # Errors
/// If Yosys fails, or a file cannot be written.
pub fn write_project(
    design: &Design,
    netlist: &Netlist,
    library: &Library,
    density: f64,
    folder: &Path,
) -> Result<usize, Error> {
    let top = &design.top;
    let path = folder
        .canonicalize()
        .map_err(|source| Error::file(folder, "read", source))?;
    let path = path.display().to_string();
    if let Some(letter) = path.chars().find(|letter| !is_plain(*letter)) {
        return Err(failed(
            top,
            &format!("its scripts break at \"{letter}\" in the path {path}; give another folder"),
        ));
    }
    for old in FOLDERS.map(|name| folder.join(name)) {
        if old.exists() {
            fs::remove_dir_all(&old).map_err(|source| Error::file(&old, "remove", source))?;
        }
    }
    // This file says whose the folder is, so it is the first.
    write(
        &folder.join(PROJECT),
        &format!(
            "set projectpath={path}
set techdir={TECHNOLOGY}
set sourcedir={path}/source
set synthdir={path}/synthesis
set layoutdir={path}/layout
set techname=osu018
set scriptdir=/usr/lib/qflow/scripts
set bindir=/usr/lib/qflow/bin
set logdir={path}/log
"
        ),
    )?;
    write(
        &folder.join("project_vars.sh"),
        &format!("set initial_density={density}\n"),
    )?;
    let synthesis = folder.join("synthesis");
    let plain = plain_names(&netlist.verilog).map_err(|reason| failed(top, &reason))?;
    write(&synthesis.join("mapped.v"), &plain)?;
    write(&synthesis.join("cells.lib"), library.text())?;
    let mut boxes = String::new();
    for memory in &design.memories {
        boxes += &crate::sram::black_box(memory);
    }
    write(&synthesis.join("macros.v"), &boxes)?;
    write(&synthesis.join("blif.ys"), &script(design))?;
    let output = YOSYS.run(&synthesis, ["-q", "blif.ys"])?;
    if !output.status.success() {
        return Err(YOSYS.failure(top, &String::from_utf8_lossy(&output.stderr)));
    }
    let path = synthesis.join(format!("{top}.blif"));
    let blif = read(&path)?;
    if blif.contains("=constant_") {
        return Err(failed(
            top,
            "its netlist has constants, and osu018 has no cell for them",
        ));
    }
    let (blif, clock_buffers) = clock::tree(&blif);
    write(&path, &blif)?;
    // The scripts copy these before they make them anew.
    for kind in ["rtl", "rtlnopwr", "rtlbb"] {
        let text = read(&synthesis.join("flat.v"))?;
        write(&synthesis.join(format!("{top}.{kind}.v")), &text)?;
    }
    write(
        &synthesis.join(format!("{top}_powerground")),
        "set vddnet=\"vdd\"\nset gndnet=\"gnd\"\n",
    )?;
    let parameters = read(&Path::new(TECHNOLOGY).join("osu018.par"))?;
    write(
        &folder.join("layout").join(format!("{top}.par")),
        &parameters,
    )?;
    write(&folder.join("log/synth.log"), "")?;
    Ok(clock_buffers)
}

/// Whether the scripts, which quote nothing, take a letter in a path as itself.
fn is_plain(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "/._-+".contains(letter)
}

/// Turns the pins of macros into ports, splits every port into bits, and writes BLIF.
fn script(design: &Design) -> String {
    let top = &design.top;
    let exposed: String = design
        .memories
        .iter()
        .map(|memory| format!("expose -evert -sep _pin_ t:{}\n", memory.module))
        .collect();
    format!(
        "read_liberty -lib cells.lib
read_verilog macros.v
read_verilog -noautowire mapped.v
hierarchy -check -top {top}
{exposed}splitnets -ports -format __
opt_clean -purge
write_verilog -noattr -noexpr flat.v
write_blif -gates -buf BUFX2 A Y -true - constant_1 -false - constant_0 -undef - constant_x {top}.blif
"
    )
}

/// The netlist with names of letters, digits and underscores alone: the scripts take brackets and dots as something else.
fn plain_names(verilog: &str) -> Result<String, String> {
    let mut names: HashMap<String, &str> = HashMap::new();
    let mut text = String::with_capacity(verilog.len());
    let mut rest = verilog;
    while let Some(start) = rest.find('\\') {
        let (before, escaped) = rest.split_at(start);
        text.push_str(before);
        let end = escaped
            .find(char::is_whitespace)
            .ok_or("a name of its netlist does not end")?;
        let name = &escaped[1..end];
        let plain: String = name
            .chars()
            .map(|letter| match letter.is_ascii_alphanumeric() {
                true => letter,
                false => '_',
            })
            .collect();
        match names.get(&plain) {
            Some(other) if *other != name => {
                return Err(format!("the names {name} and {other} would become one"));
            }
            _ => names.insert(plain.clone(), name),
        };
        text.push_str(&plain);
        rest = &escaped[end..];
    }
    text.push_str(rest);
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_plain_and_stay_apart() {
        let text = plain_names("INVX1 \\a.b (.A(\\x[3] ), .Y(\\x[3] ));").unwrap();
        assert_eq!(text, "INVX1 a_b (.A(x_3_ ), .Y(x_3_ ));");
        let sentence = plain_names("\\a.b \\a[b ").unwrap_err();
        assert!(sentence.contains("a[b and a.b"), "{sentence}");
    }
}
