//! After a reset nothing is left of what was before it: all that holds a bit, memories apart, is a module `register`, of
//! which Yosys says that the reset sets each of its bits, and whose reset is the port `reset` of the module around it,
//! up to the top. What is looked at is all Verilog of `rtl-out`; that it has no latch is what Verilator's lint says.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

fn rtl() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../rtl-out")
}

/// The modules of a folder, without their comments.
fn modules(folder: &Path) -> BTreeMap<String, String> {
    let paths = |folder: &Path| {
        let entries = fs::read_dir(folder).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        paths.collect::<Vec<_>>()
    };
    let folders = paths(folder).into_iter().filter(|path| path.is_dir());
    let files = folders
        .flat_map(|folder| paths(&folder))
        .filter(|path| path.extension().is_some_and(|extension| extension == "v"));
    files
        .map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            let code = text.lines().map(|line| line.split("//").next().unwrap());
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            (name, code.collect::<Vec<_>>().join("\n"))
        })
        .collect()
}

/// Whether all that is assigned to a wire, or to one of its elements, is `reset || ...`.
fn includes_reset(wire: &str, statements: &[String]) -> bool {
    let values: Vec<&str> = statements
        .iter()
        .filter_map(|statement| {
            let (left, value) = statement.rsplit_once(" = ")?;
            let name = left.rsplit(' ').next()?.split('[').next()?;
            (name == wire).then_some(value)
        })
        .collect();
    !values.is_empty() && values.iter().all(|value| value.starts_with("reset || "))
}

/// Complains of a register or a module below whose reset is not the port's, or the port's and more.
fn wired(modules: &BTreeMap<String, String>) -> Result<(), String> {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let with_reset: BTreeSet<&str> = modules
        .iter()
        .filter(|(_, text)| words(text).contains("input wire reset,"))
        .map(|(name, _)| name.as_str())
        .collect();
    for (name, text) in modules {
        if name == "register" || name.starts_with("sram_") {
            continue;
        }
        let clocked = text.matches("always").count() != text.matches("always @* begin").count();
        if clocked || text.contains("initial") {
            return Err(format!("{name}: holds bits of its own"));
        }
        let statements: Vec<String> = text.split(';').map(words).collect();
        for statement in &statements {
            let kind = statement.split(' ').next().unwrap();
            if !with_reset.contains(kind) {
                continue;
            }
            let rest = statement.split_once(".reset(").map(|(_, rest)| rest);
            let wire = rest
                .and_then(|rest| rest.split_once(')'))
                .map(|pair| pair.0);
            let whole =
                wire.is_some_and(|wire| wire == "reset" || includes_reset(wire, &statements));
            if !whole || !with_reset.contains(name.as_str()) {
                return Err(format!(
                    "{name}: the reset of `{statement}` is not the port"
                ));
            }
        }
    }
    Ok(())
}

/// Yosys complains of a register that its reset does not set as a whole.
fn registers(folder: &Path) -> Result<(), String> {
    let script = "read_verilog -noautowire primitives/register.v; chparam -set WIDTH 8 register; proc; opt_dff; opt_clean; \
                  select -assert-none t:$* t:$sdff %d; select -assert-none t:$sdff i:reset %co:+[SRST] %d; \
                  select -assert-none o:* t:$sdff %co:+[Q] %d";
    let output = Command::new("yosys")
        .args(["-q", "-p", script])
        .current_dir(folder)
        .output()
        .unwrap();
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// All of a folder's Verilog.
fn resets(folder: &Path) -> Result<(), String> {
    wired(&modules(folder)).and_then(|()| registers(folder))
}

fn missing() -> bool {
    let missing = Command::new("yosys").arg("-V").output().is_err();
    if missing {
        faultline_ledger::missing("there is no Yosys; install the Debian package `yosys`");
    }
    missing
}

#[test]
fn every_register_is_reset() {
    let modules = modules(&rtl());
    assert!(modules.len() > 200, "{}", modules.len());
    wired(&modules).unwrap();
    if !missing() {
        registers(&rtl()).unwrap();
    }
}

/// The test above can fail: each of these is found.
#[test]
fn register_with_another_reset_is_found() {
    if missing() {
        return;
    }
    let top = "operand_log/operand_log_proof.v";
    let turn = "register #(.WIDTH(1)) turn (.clock(clock), .reset(reset), ";
    let list = fs::read_to_string(rtl().join("operand_log_proof.f")).unwrap();
    for (file, right, wrong) in [
        (
            top,
            turn,
            "register #(.WIDTH(1)) turn (.clock(clock), .reset(launch_valid), ",
        ),
        (top, turn, "register #(.WIDTH(1)) turn (.clock(clock), "),
        (
            top,
            turn,
            "register #(.WIDTH(1)) turn (.clock(clock), .reset(1'd0), ",
        ),
        (
            top,
            "endmodule",
            "reg held;\n always @(posedge clock) held <= turn_d;\nendmodule",
        ),
        ("primitives/register.v", "if (reset) q <=", "if (d) q <="),
        (
            "primitives/register.v",
            "if (reset) q <= {WIDTH{1'b0}};\n        else       q <= d;",
            "q <= d;",
        ),
        (
            "primitives/register.v",
            "posedge clock",
            "posedge clock or posedge reset",
        ),
        (
            "primitives/register.v",
            "always @(posedge clock)",
            "always @*",
        ),
    ] {
        let folder = TempDir::new().unwrap();
        for name in list.lines() {
            let text = fs::read_to_string(rtl().join(name)).unwrap();
            assert!(name != file || text.contains(right), "{file}: no {right}");
            let text = match name == file {
                true => text.replace(right, wrong),
                false => text,
            };
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let complaint = resets(folder.path()).expect_err(wrong);
        let expected = [
            "is not the port",
            "bits of its own",
            "selection is not empty",
        ];
        assert!(
            expected.iter().any(|part| complaint.contains(part)),
            "{complaint}"
        );
    }
}
