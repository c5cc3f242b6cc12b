//! `faultline ptx` as its users meet it.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may panic too")]

mod common;

use std::path::{Path, PathBuf};

use predicates::prelude::*;
use predicates::str::{contains, diff, is_empty};
use serde_json::Value;

use common::faultline;

const NAMES: [&str; 3] = ["histogram", "lattice", "matrix"];

fn own(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sim/programs");
    folder.join(format!("{name}.ptx"))
}

/// The command on a file of this text.
fn on(text: &str) -> (tempfile::TempDir, assert_cmd::Command) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("kernel.ptx"), text).unwrap();
    let mut command = faultline();
    command
        .current_dir(folder.path())
        .args(["ptx", "kernel.ptx"]);
    (folder, command)
}

#[test]
fn programs_of_this_project_are_supported() {
    let text = contains("lattice.ptx: PTX 7.8 for sm_35, 1 kernel, 1 device function")
        .and(contains("local bytes"))
        .and(contains("lattice_param_6 (.f32, 4 B)"))
        .and(contains("All of it is supported."));
    faultline()
        .arg("ptx")
        .args(NAMES.map(own))
        .assert()
        .success()
        .stdout(text)
        .stderr(is_empty());
}

#[test]
fn json_has_every_kernel() {
    let mut command = faultline();
    let output = command.arg("ptx").args(NAMES.map(own)).arg("--json");
    let output = output.assert().success().get_output().stdout.clone();
    let files: Value = serde_json::from_slice(&output).unwrap();
    let kernels = &files[0]["kernels"];
    assert_eq!(kernels[0]["name"], "histogram");
    assert_eq!(kernels[0]["shared_bytes"], 1024);
    assert_eq!(kernels[0]["registers"]["b64"], 28);
    assert_eq!(kernels[0]["classes"]["shared atomic"], 4);
    assert_eq!(kernels[0]["classes"]["global atomic"], 2);
    assert_eq!(kernels[0]["classes"]["texture"], 4);
    assert_eq!(kernels[0]["classes"]["barrier"], 2);
    assert_eq!(kernels[1]["classes"]["special function"], 1);
    assert_eq!(kernels[1]["parameters"][0]["bytes"], 8);
    assert_eq!(kernels[1]["parameters"][0]["type"], "u64");
    assert_eq!(files[1]["kernels"][0]["performance"][0][0], "maxntid");
    assert_eq!(files[1]["kernels"][1]["is_kernel"], false);
    assert_eq!(files[2]["kernels"][1]["has_dynamic_shared"], true);
    assert_eq!(files[2]["kernels"][1]["classes"]["f64"], 2);
    for file in files.as_array().unwrap() {
        assert_eq!(file["unsupported"], Value::Array(Vec::new()));
    }
}

#[test]
fn what_is_not_supported_is_listed_with_its_line_and_is_status_1() {
    let text = ".version 7.8\n.target sm_70\n.address_size 64\n.entry k {\n.reg .b32 %r<3>;\n\
                fns.b32 %r1, %r2;\nbar.sync 1;\nret;\n}\n";
    let (_folder, mut command) = on(text);
    let told = contains("2 statements are not supported:")
        .and(contains(
            "kernel.ptx:6: the instruction fns is not supported: fns.b32 %r1, %r2;",
        ))
        .and(contains(
            "kernel.ptx:7: only barrier 0 is supported: bar.sync 1;",
        ));
    command.assert().code(1).stdout(told).stderr(is_empty());
    let many = text.replace("fns.b32 %r1, %r2;", &"fns.b32 %r1, %r2;\n".repeat(30));
    let (_folder, mut command) = on(&many);
    command
        .assert()
        .code(1)
        .stdout(contains("and 11 more, which --json shows"));
    let (_folder, mut command) = on(text);
    let output = command.arg("--json").assert().code(1).get_output().clone();
    let files: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(files[0]["unsupported"][1]["line"], 7);
    assert_eq!(files[0]["unsupported"][1]["function"], "k");
}

/// Each statement is one that is supported, and no launch makes a program of the kernel.
#[test]
fn what_no_launch_can_run_is_listed_too() {
    let header = ".version 7.8\n.target sm_70\n.address_size 64\n";
    let again = ".func again() {\ncall again;\nret;\n}\n.entry k {\ncall again;\nret;\n}\n";
    let some = ".entry k {\n.reg .pred %p<3>;\nvote.sync.any.pred %p1, %p2, 3;\nret;\n}\n";
    for (body, told) in [
        (
            again,
            "kernel.ptx:5: a recursion is not supported; write it as a loop\n",
        ),
        (
            some,
            "kernel.ptx:6: vote.sync is supported for all lanes alone, with the mask 0xffffffff\n",
        ),
    ] {
        let (_folder, mut command) = on(&format!("{header}{body}"));
        let told = contains("1 statement is not supported:").and(contains(told));
        command.assert().code(1).stdout(told).stderr(is_empty());
    }
}

#[test]
fn what_is_no_ptx_is_one_sentence_and_status_2() {
    let header = ".version 7.8\n.target sm_35\n.address_size 64\n";
    for (text, told) in [
        (
            "__global__ void k() {}\n",
            "error: kernel.ptx:1: \"__global__\" stands where the directive .version, with which PTX begins, should\n",
        ),
        (
            "# notes\n",
            "error: kernel.ptx:1: \"# notes\" stands where the directive .version, with which PTX begins, should\n",
        ),
        (
            &format!("{header}.entry k {{\n.reg .f32 %f<2>;\nadd.f32 %f1, %f1, %f2;\n}}\n"),
            "error: kernel.ptx:6: %f2 is not declared before this line; declare it, or check its spelling\n",
        ),
        (
            "\u{0}ELF",
            "error: kernel.ptx:1: this is no text (byte 0x00 in column 1); give PTX, as a compiler writes it with -ptx\n",
        ),
    ] {
        let (_folder, mut command) = on(text);
        command
            .assert()
            .code(2)
            .stdout(is_empty())
            .stderr(diff(told));
    }
    // The other files are read all the same.
    faultline()
        .args(["ptx", "nowhere.ptx"])
        .arg(own("matrix"))
        .assert()
        .code(2)
        .stdout(contains("2 kernels, 0 device functions"))
        .stderr(contains("nowhere.ptx: the file cannot be opened"));
}
