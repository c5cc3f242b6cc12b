//! Kits: what they name is documented, and the tools that can be run here take them as they are. Without a tool its tests
//! say so and pass.

#![allow(clippy::unwrap_used)] // a test that cannot go on panics

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use faultline_synth::kit::Flow;
use tempfile::TempDir;

mod floorplan;
mod folders;
mod tools;

fn faultline(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_faultline"));
    command
        .env_remove("RUST_MIN_STACK")
        .args(arguments)
        .output()
        .unwrap()
}

/// Kits of these tops, or of all, and what `--json` says of each.
fn kits(flow: &str, tops: Option<&str>) -> (TempDir, Vec<serde_json::Value>) {
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

fn name(row: &serde_json::Value) -> &str {
    row["design"].as_str().unwrap()
}

fn read(kit: &Path, file: &str) -> String {
    fs::read_to_string(kit.join(file)).unwrap()
}

fn documented(flow: Flow) -> BTreeSet<&'static str> {
    flow.documented()
        .lines()
        .filter(|line| !line.starts_with('#'))
        .collect()
}

/// A program of `cargo xtask setup`, else the one on PATH, if it succeeds with these arguments.
fn tool(program: &str, arguments: &[&str]) -> Option<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/tools/bin");
    let candidates = [own.join(program), PathBuf::from(program)];
    candidates.into_iter().find(|program| {
        let found = Command::new(program).args(arguments).output();
        found.is_ok_and(|output| output.status.success())
    })
}

fn succeeds(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{text}\n{errors}");
    format!("{text}{errors}")
}

/// A variable of `config.mk`, as make sees it when the flow is called with that file.
fn variable(kit: &Path, name: &str) -> Vec<String> {
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

#[test]
fn kits_name_documented_variables_and_files_that_are_there() {
    let known = documented(Flow::Orfs);
    let (folder, rows) = kits("orfs", None);
    assert_eq!(rows.len(), 17);
    for row in &rows {
        let kit = folder.path().join(name(row));
        let config = read(&kit, "config.mk").replace("\\\n", "");
        let set = config
            .lines()
            .filter(|line| !line.starts_with('#') && !line.is_empty());
        for line in set {
            let rest = line.strip_prefix("export ").unwrap();
            let variable = rest.split_once(" = ").unwrap().0;
            assert!(known.contains(variable), "{variable}");
        }
        let rtl = variable(&kit, "VERILOG_FILES");
        assert!(
            rtl.iter()
                .any(|file| file.ends_with(&format!("{}.v", name(row))))
        );
        assert_eq!(variable(&kit, "DESIGN_NAME"), [name(row)]);
        let kinds = row["macros"].as_array().unwrap().len();
        assert_eq!(variable(&kit, "ADDITIONAL_LEFS").len(), kinds);
        assert_eq!(variable(&kit, "ADDITIONAL_LIBS").len(), kinds);
        for file in ["SDC_FILE", "MACRO_PLACEMENT_TCL"] {
            for path in variable(&kit, file) {
                assert!(Path::new(&path).is_file(), "{path}");
            }
        }
        assert!(read(&kit, "README.md").contains("OpenROAD was not run."));
        // As the flow's `variables.mk` looks for the period that it gives ABC.
        let sdc = read(&kit, "constraint.sdc");
        let period = sdc
            .lines()
            .find_map(|line| line.strip_prefix("set clk_period "));
        assert_eq!(period, Some("1"));
    }
    let known = documented(Flow::Librelane);
    let (folder, rows) = kits("librelane", None);
    for row in &rows {
        let kit = folder.path().join(name(row));
        let config: BTreeMap<String, serde_json::Value> =
            serde_json::from_str(&read(&kit, "config.json")).unwrap();
        for (variable, value) in &config {
            assert!(
                variable == "meta" || known.contains(variable.as_str()),
                "{variable}"
            );
            let list = value
                .as_array()
                .map_or(vec![value], |list| list.iter().collect());
            let paths = list.into_iter().filter_map(serde_json::Value::as_str);
            for path in paths.filter_map(|text| text.strip_prefix("dir::")) {
                assert!(kit.join(path).is_file(), "{path}");
            }
        }
        assert!(read(&kit, "README.md").contains("LibreLane was not run."));
    }
    let known = documented(Flow::Fusesoc);
    let (folder, rows) = kits("fusesoc", None);
    for row in &rows {
        let kit = folder.path().join(name(row));
        let core = read(&kit, &format!("{}.core", name(row)));
        let own = ["CAPI=2", "rtl", "memories", "default", "lint"];
        for line in core.lines() {
            let key = line.split(':').next().unwrap().trim();
            let entry = key.strip_prefix("- ").map(|file| kit.join(file));
            match entry {
                Some(file) => assert!(file.is_file(), "{}", file.display()),
                None => assert!(
                    key.is_empty() || own.contains(&key) || known.contains(key),
                    "{key}"
                ),
            }
        }
    }
}
