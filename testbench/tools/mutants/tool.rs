//! The programs that a campaign runs, and the files that it writes.

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

/// The programs, the option that prints their version, and their Debian packages.
const TOOLS: [(&str, &str, &str); 4] = [
    ("yosys", "-V", "yosys"),
    ("yosys-abc", "-h", "yosys"),
    ("verilator", "--version", "verilator"),
    ("g++", "--version", "g++"),
];

/// The first line of each program that tells its version.
///
/// # Errors
/// If one is missing.
pub fn versions() -> Result<Vec<String>, String> {
    let mut lines = Vec::new();
    for (program, option, package) in TOOLS {
        let output = Command::new(program)
            .arg(option)
            .output()
            .map_err(|error| {
                format!("{program} does not start ({error}); install the Debian package {package}")
            })?;
        let text = String::from_utf8_lossy(&output.stdout);
        // ABC comes with Yosys and tells no version.
        if let (Some(line), true) = (text.lines().next(), option != "-h") {
            lines.push(line.trim().to_owned());
        }
    }
    Ok(lines)
}

/// A folder for files that are not kept.
///
/// # Errors
/// If there can be none.
pub fn scratch() -> Result<TempDir, String> {
    TempDir::new().map_err(|error| format!("there is no folder for scratch files ({error})"))
}

/// Runs a program in a folder, and gives what it printed.
///
/// # Errors
/// If it fails; the sentence ends with its last lines.
pub fn run(folder: &Path, program: &str, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .output()
        .map_err(|error| format!("{program} does not start ({error})"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(text);
    }
    let text = text + &String::from_utf8_lossy(&output.stderr);
    let lines: Vec<_> = text.lines().filter(|line| !line.is_empty()).collect();
    let last = lines[lines.len().saturating_sub(3)..].join(" | ");
    Err(format!("{program} fails: {last}"))
}

/// Writes a file of the scratch folder.
///
/// # Errors
/// If it cannot be written.
pub fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text)
        .map_err(|error| format!("{} cannot be written ({error})", path.display()))
}

/// Reads a file.
///
/// # Errors
/// If it cannot be read.
pub fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path)
        .map_err(|error| format!("{} cannot be read ({error})", path.display()))
}
