//! Installs the tools that are missing, from Debian's packages.

use std::fs;
use std::path::Path;
use std::process::Command;

/// What must be there, and the Debian package that has it. A name with a slash is a file, any other
/// a program on PATH.
const NEEDS: [(&str, &str); 8] = [
    ("yosys", "yosys"),
    ("yosys-abc", "yosys"),
    ("verilator", "verilator"),
    ("iverilog", "iverilog"),
    ("sta", "opensta"),
    ("g++", "g++"),
    ("make", "make"),
    (
        "/usr/share/qflow/tech/osu018/osu018_stdcells.lib",
        "qflow-tech-osu018",
    ),
];

/// Installs what is missing, and says what it does.
///
/// # Errors
/// If something is missing and cannot be installed: which packages, and why.
pub fn run() -> Result<(), String> {
    let missing = missing();
    if missing.is_empty() {
        println!("set-up: every tool is here");
        return Ok(());
    }
    install(&missing)?;
    match self::missing() {
        still if still.is_empty() => Ok(()),
        still => Err(format!(
            "apt-get was content, but the tools of these packages are not on PATH: {}",
            still.join(" ")
        )),
    }
}

/// Installs Debian's packages, and says so.
///
/// # Errors
/// If they cannot be installed: which packages, and why.
pub fn install(packages: &[&str]) -> Result<(), String> {
    let list = packages.join(" ");
    if !is_file_on_path("apt-get") {
        return Err(format!(
            "this is no Debian, so install by hand what these packages hold: {list}"
        ));
    }
    let root = output("id", &["-u"]).is_some_and(|user| user.trim() == "0");
    if !root && !is_file_on_path("sudo") {
        return Err(format!(
            "installing needs root: run \"apt-get install {list}\" as root"
        ));
    }
    println!("set-up: installing {list}");
    if !has_package_lists() {
        apt(root, &["update"])?;
    }
    let mut install = vec!["install", "--yes", "--no-install-recommends"];
    install.extend(packages);
    if apt(root, &install).is_err() {
        // Lists that are out of date name packages that are no longer there.
        apt(root, &["update"])?;
        apt(root, &install)?;
    }
    Ok(())
}

/// Whether cargo has this subcommand, from a component of the toolchain that rustup adds where it can.
/// A distribution's toolchain may lack it; then the user is told what is not checked.
pub fn has_component(subcommand: &str, component: &str) -> bool {
    let here = || output("cargo", &[subcommand, "--version"]).is_some();
    if here() {
        return true;
    }
    let added = Command::new("rustup")
        .args(["component", "add", component])
        .status();
    let added = added.is_ok_and(|status| status.success()) && here();
    if !added {
        println!("\n== not checked: this toolchain has no {component}, and rustup cannot add it");
    }
    added
}

/// The packages of which something is not there.
fn missing() -> Vec<&'static str> {
    let mut packages = Vec::new();
    for (need, package) in NEEDS {
        let here = if need.contains('/') {
            Path::new(need).is_file()
        } else {
            is_file_on_path(need)
        };
        if !here && !packages.contains(&package) {
            packages.push(package);
        }
    }
    packages
}

/// Whether a program is on PATH.
pub fn is_file_on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// A fresh image has no lists, and without them no package is known.
fn has_package_lists() -> bool {
    let lists = fs::read_dir("/var/lib/apt/lists")
        .into_iter()
        .flatten()
        .flatten();
    lists
        .into_iter()
        .any(|entry| entry.file_name().to_string_lossy().contains("_Packages"))
}

fn apt(root: bool, arguments: &[&str]) -> Result<(), String> {
    let mut command = Command::new(if root { "env" } else { "sudo" });
    if !root {
        command.arg("env");
    }
    command
        .args(["DEBIAN_FRONTEND=noninteractive", "apt-get", "--quiet"])
        .args(arguments);
    let shown = format!("apt-get {}", arguments.join(" "));
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!(
            "\"{shown}\" failed ({status}); its own message stands above"
        )),
        Err(error) => Err(format!("\"{shown}\" does not start ({error})")),
    }
}

/// What a program prints, if it succeeds.
fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    String::from_utf8(output.stdout)
        .ok()
        .filter(|_| output.status.success())
}
