//! The set-up on machines that lack something, with programs that only pretend.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

/// A PATH with nothing on it but a shell's tools and these scripts.
fn machine(scripts: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for tool in ["sh", "env", "touch", "chmod"] {
        symlink(Path::new("/usr/bin").join(tool), folder.path().join(tool)).unwrap();
    }
    for (name, script) in scripts {
        let source = folder.path().join("script");
        fs::write(&source, format!("#!/usr/bin/env sh\n{script}\n")).unwrap();
        // A file that this process had open for writing may not run yet, so another one writes it.
        let mut install = Command::new("install");
        install
            .arg("--mode=755")
            .arg(source)
            .arg(folder.path().join(name));
        assert!(install.status().unwrap().success());
    }
    folder
}

/// Runs the set-up there; gives success, standard output and standard error.
fn setup(machine: &TempDir) -> (bool, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    let output = command
        .arg("setup")
        .env("PATH", machine.path())
        .output()
        .unwrap();
    let [text, errors] =
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    (output.status.success(), text, errors)
}

/// Pretends to install: the tools appear beside it.
const APT: &str = r#"
echo "apt-get $*"
[ "$2" = install ] || exit 0
for tool in yosys yosys-abc verilator iverilog sta g++ make; do touch "${0%/*}/$tool"; done"#;

#[test]
fn missing_packages_are_installed_once() {
    let machine = machine(&[("id", "echo 0"), ("apt-get", APT)]);
    let (first, text, errors) = setup(&machine);
    let install = "apt-get --quiet install --yes --no-install-recommends \
                   yosys verilator iverilog opensta g++ make";
    assert!(text.contains(install), "{text}{errors}");
    // The cell library is a file with a fixed place, so here it is there or not.
    let library = Path::new("/usr/share/qflow/tech/osu018/osu018_stdcells.lib").exists();
    assert_eq!(first, library, "{errors}");
    if library {
        let (again, text, errors) = setup(&machine);
        assert!(again && errors.is_empty(), "{errors}");
        let rest = text.strip_prefix("set-up: every tool is here\n");
        // There is no Python, so unless its tools were there before, their lack is told, and is no failure.
        let mut lines = rest.unwrap_or("nothing").lines();
        assert!(
            lines.all(|line| line.contains("not checked: ")
                && line.ends_with(", because python3 is not on PATH")),
            "{text}"
        );
    }
}

#[test]
fn sudo_is_used_by_those_who_are_not_root() {
    let sudo = ("sudo", r#"echo "sudo $*"; exec "$@""#);
    let (_, text, _) = setup(&machine(&[("id", "echo 1000"), ("apt-get", APT), sudo]));
    assert!(
        text.contains("sudo env DEBIAN_FRONTEND=noninteractive apt-get"),
        "{text}"
    );
}

#[test]
fn what_cannot_be_installed_is_named_in_one_sentence() {
    let user = ("id", "echo 1000");
    let broken = ("apt-get", "exit 100");
    let idle = ("apt-get", "exit 0");
    let cases: [(&[(&str, &str)], &str); 4] = [
        (
            &[user],
            "error: this is no Debian, so install by hand what these packages hold: yosys ",
        ),
        (
            &[user, ("apt-get", APT)],
            "error: installing needs root: run \"apt-get install yosys ",
        ),
        (
            &[("id", "echo 0"), broken],
            "error: \"apt-get update\" failed (exit status: 100)",
        ),
        (
            &[("id", "echo 0"), idle],
            "error: apt-get was content, but the tools of these packages are",
        ),
    ];
    for (scripts, expected) in cases {
        let (success, _, errors) = setup(&machine(scripts));
        assert!(!success && errors.starts_with(expected), "{errors}");
        assert_eq!(errors.lines().count(), 1, "{errors}");
    }
}
