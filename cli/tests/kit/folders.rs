//! What is written: whole or not at all, and what cannot be made gets a sentence.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::made::{faultline, read};

#[test]
fn what_cannot_be_made_gets_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().display().to_string();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let file = file.display().to_string();
    let other = folder.path().join("other");
    let elsewhere = other.display().to_string();
    faultline(&[
        "kit",
        "--flow",
        "fusesoc",
        "--design",
        "dirty_bits_rows",
        "--out",
        &elsewhere,
    ]);
    let cases: [(&[&str], i32, &str); 6] = [
        (
            &[
                "--flow",
                "orfs",
                "--out",
                &elsewhere,
                "--design",
                "dirty_bits_rows",
            ],
            1,
            "has a kit for fusesoc",
        ),
        (
            &["--flow", "orfs", "--out", &out, "--design", "queue"],
            1,
            "there is no design or block queue; the blocks are ",
        ),
        (
            &[
                "--flow",
                "orfs",
                "--out",
                &file,
                "--design",
                "dirty_bits_rows",
            ],
            1,
            "cannot make this folder",
        ),
        (
            &["--flow", "orfs", "--out", "/proc/kits"],
            1,
            "cannot make this folder: /proc cannot be written to",
        ),
        (
            &["--flow", "make", "--out", &out],
            2,
            "possible values: orfs",
        ),
        (&["--out", &out], 2, "--flow"),
    ];
    for (arguments, code, sentence) in cases {
        let arguments: Vec<&str> = ["kit"].iter().chain(arguments).copied().collect();
        let output = faultline(&arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{errors}");
        assert!(errors.contains(sentence), "{errors}");
        assert_eq!(errors.trim_end().lines().count(), 1, "{errors}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

/// If one folder cannot be made, none is.
#[test]
fn several_kits_are_written_all_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let second = folder.path().join("replay_queue_32");
    fs::write(&second, "").unwrap();
    let out = folder.path().display().to_string();
    let designs = [
        "replay_queue_16,replay_queue_32",
        "replay_queue_proof",
        "replay_queue_32",
    ];
    for arguments in [
        vec!["kit", "--flow", "orfs", "--design", designs[0]],
        vec!["cocotb", designs[1], designs[2], "--cycles", "10"],
    ] {
        let output = faultline(&[arguments, vec!["--out", &out]].concat());
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert!(errors.contains("cannot make this folder"), "{errors}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

#[test]
fn sram_writes_the_macros_that_the_designs_use() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("macros");
    let output = faultline(&["sram", "--json", "--macros", &out.display().to_string()]);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let rows: Vec<serde_json::Value> = serde_json::from_slice(&output.stdout).unwrap();
    let modules: BTreeSet<&str> = rows
        .iter()
        .map(|row| row["module"].as_str().unwrap())
        .collect();
    assert_eq!(modules.len(), rows.len());
    for module in [
        "sram_16x120",
        "sram_64x64",
        "sram_1024x32_masked",
        "sram_8x51",
    ] {
        assert!(modules.contains(module), "{module}");
        for file in [".lib", ".lef", ".v", "_blackbox.v"] {
            assert!(out.join(format!("{module}{file}")).is_file());
        }
        // The model is what the design is exported with.
        let exported =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../rtl-out/memories/{module}.v"));
        let body = |text: String| text[text.find("\nmodule").unwrap()..].to_owned();
        let model = read(&out, &format!("{module}.v"));
        assert_eq!(body(model), body(fs::read_to_string(exported).unwrap()));
    }
    assert_eq!(fs::read_dir(&out).unwrap().count(), 4 * rows.len());
}
