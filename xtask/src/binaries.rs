//! The binaries of the tests, as cargo compiles them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::cargo;

/// Binaries whose tests take longest: they begin first, so that none of them runs alone at the end.
const LONGEST: [&str; 4] = ["proofs", "cocotb", "bars", "blocks"];

/// A binary of tests.
pub struct Binary {
    /// The target that it is of: a library, a program, or a file of tests.
    target: String,
    path: PathBuf,
    /// The folder of its package, in which its tests run.
    folder: PathBuf,
}

/// Compiles all tests of the workspace.
///
/// # Errors
/// If they do not compile.
pub fn compile(options: &[&str]) -> Result<Vec<Binary>, String> {
    let mut command = cargo();
    command.args(["test", "--workspace", "--no-run"]);
    let messages = messages(command.args(options))?;
    Ok(messages.iter().filter_map(binary).collect())
}

/// Compiles the command as its tests do, so that nothing is compiled twice, and gives the program. All blocks are Verilated, or
/// this one.
///
/// # Errors
/// If it does not compile.
pub fn tested(options: &[&str], block: Option<&str>) -> Result<PathBuf, String> {
    let mut command = cargo();
    // A small file of tests brings the program, with the features that all tests have.
    command.args(["test", "--workspace", "--no-run", "--test", "netlist"]);
    command.args(options);
    command.envs(block.map(|block| ("FAULTLINE_BLOCKS", block)));
    let messages = messages(&mut command)?;
    let is_program = |message: &&Value| {
        message["target"]["kind"][0] == "bin" && message["target"]["name"] == "faultline"
    };
    let program = messages.iter().filter(is_program);
    let mut paths = program.filter_map(|message| message["executable"].as_str());
    let program = paths.next().ok_or("the tests came without the program")?;
    Ok(program.into())
}

/// Compiles a package, and gives its program.
///
/// # Errors
/// If it does not compile, or has none.
pub fn program(package: &str) -> Result<PathBuf, String> {
    let messages = messages(cargo().args(["build", "--package", package]))?;
    let program = messages
        .iter()
        .find_map(|message| message["executable"].as_str());
    let program = program.ok_or_else(|| format!("{package} has no program"))?;
    Ok(program.into())
}

/// What cargo says of what it has compiled.
fn messages(command: &mut Command) -> Result<Vec<Value>, String> {
    command.arg("--message-format=json-render-diagnostics");
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("cargo does not start ({error})"))?;
    if !output.status.success() {
        return Err(format!("cargo failed ({})", output.status));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let message = |line: &str| serde_json::from_str(line).ok();
    Ok(text.lines().filter_map(message).collect())
}

/// The binary of tests that a message of cargo is about.
fn binary(message: &Value) -> Option<Binary> {
    let is_test = message["profile"]["test"].as_bool()?;
    let path = message["executable"].as_str().filter(|_| is_test)?;
    let manifest = Path::new(message["manifest_path"].as_str()?);
    Some(Binary {
        target: message["target"]["name"].as_str()?.to_owned(),
        path: path.into(),
        folder: manifest.parent()?.to_owned(),
    })
}

/// The runs of all tests: those of the binaries, the longest first, and those of the documentation.
///
/// # Errors
/// If the compiler does not say where its libraries are.
pub fn runs(binaries: &[Binary], options: &[&str]) -> Result<Vec<Command>, String> {
    // The tests of a crate of macros are linked with the compiler's own libraries.
    let mut compiler = Command::new("rustc");
    let says = compiler.args(["--print", "target-libdir"]).output();
    let says = says.map_err(|error| format!("rustc does not start ({error})"))?;
    let libraries = PathBuf::from(String::from_utf8_lossy(&says.stdout).trim());
    let mut ordered: Vec<&Binary> = binaries.iter().collect();
    let place = |binary: &&Binary| LONGEST.iter().position(|name| *name == binary.target);
    ordered.sort_by_key(|binary| place(binary).unwrap_or(LONGEST.len()));
    let run = |binary: &Binary| {
        let mut command = Command::new(&binary.path);
        command
            .current_dir(&binary.folder)
            .env("CARGO_MANIFEST_DIR", &binary.folder)
            .env("LD_LIBRARY_PATH", &libraries);
        command
    };
    let mut runs: Vec<Command> = ordered.into_iter().map(run).collect();
    let mut documentation = cargo();
    documentation
        .args(["test", "--workspace", "--doc"])
        .args(options);
    runs.push(documentation);
    Ok(runs)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn binaries_of_tests_are_found_among_the_messages() {
        let message = |is_test: bool, executable: Option<&str>| {
            json!({
                "reason": "compiler-artifact",
                "manifest_path": "/a/b/Cargo.toml",
                "target": { "name": "proofs" },
                "profile": { "test": is_test },
                "executable": executable,
            })
        };
        let found = binary(&message(true, Some("/a/target/proofs-1"))).unwrap();
        assert_eq!(found.target, "proofs");
        assert_eq!(found.path, Path::new("/a/target/proofs-1"));
        assert_eq!(found.folder, Path::new("/a/b"));
        assert!(binary(&message(false, Some("/a/target/proofs"))).is_none());
        assert!(binary(&message(true, None)).is_none());
        assert!(binary(&json!({ "reason": "build-finished" })).is_none());
    }

    #[test]
    fn the_longest_begin_first() {
        let binary = |target: &str| Binary {
            target: target.to_owned(),
            path: target.into(),
            folder: "/".into(),
        };
        let runs = runs(&["a", "cocotb", "b", "proofs"].map(binary), &[]).unwrap();
        let programs: Vec<_> = runs.iter().map(Command::get_program).collect();
        assert_eq!(programs[..4], ["proofs", "cocotb", "a", "b"]);
    }
}
