//! Kits as the command makes them, and what is read of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use faultline_ledger::{Obligation, sources};
use tempfile::TempDir;

pub fn faultline(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_faultline"));
    command
        .env_remove("RUST_MIN_STACK")
        .args(arguments)
        .output()
        .unwrap()
}

/// Kits of these tops, or of all, and what `--json` says of each.
pub fn kits(flow: &str, tops: Option<&str>) -> (TempDir, Vec<serde_json::Value>) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().display().to_string();
    let mut arguments = vec!["kit", "--json", "--flow", flow, "--out", &out];
    arguments.extend(tops.iter().flat_map(|tops| ["--design", tops]));
    let output = faultline(&arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let rows = serde_json::from_slice(&output.stdout).unwrap();
    (folder, rows)
}

pub fn name(row: &serde_json::Value) -> &str {
    row["design"].as_str().unwrap()
}

pub fn read(kit: &Path, file: &str) -> String {
    fs::read_to_string(kit.join(file)).unwrap()
}

/// An obligation that depends on a kit and on what this file of tests does with it.
pub fn obligation(file: &str, kit: &str, what: &str, folder: &Path) -> Obligation {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    Obligation::new(&format!("kit of {kit}"), what)
        .file(folder)
        .sources(&root, &sources(&root, &[file]))
}

/// A program of `cargo xtask setup`, else the one on PATH, if it succeeds with these arguments.
pub fn tool(program: &str, arguments: &[&str]) -> Option<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/tools/bin");
    let candidates = [own.join(program), PathBuf::from(program)];
    candidates.into_iter().find(|program| {
        let found = Command::new(program).args(arguments).output();
        found.is_ok_and(|output| output.status.success())
    })
}

pub fn succeeds(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{text}\n{errors}");
    format!("{text}{errors}")
}

/// A variable of `config.mk`, as make sees it when the flow is called with that file.
pub fn variable(kit: &Path, name: &str) -> Vec<String> {
    let config = kit.join("config.mk");
    let print = kit.join("print.mk");
    fs::write(
        &print,
        "include $(DESIGN_CONFIG)\nprint: ; @echo $($(NAME))\n",
    )
    .unwrap();
    let text = succeeds(
        Command::new("make")
            .args(["-s", "-f"])
            .arg(&print)
            .arg(format!("DESIGN_CONFIG={}", config.display()))
            .arg(format!("NAME={name}")),
    );
    fs::remove_file(print).unwrap();
    text.split_whitespace().map(str::to_owned).collect()
}
