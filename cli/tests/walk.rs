//! `faultline walk` as a user runs it.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use std::path::Path;

use assert_cmd::Command;
use predicates::str::contains;
use serde_json::Value;
use tempfile::TempDir;

/// A page of 4 KB at 401000, one of 2 MB at 600000 that only the supervisor may write, and a page that is absent.
const IMAGE: &str = "# a root and three tables
1000 2007   # PML4E
2000 3007
0x3010 0x4007
3018 0000000000600085
4008 0x12345067
";

fn folder(image: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("memory.txt"), image).unwrap();
    folder
}

fn walk(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_faultline"));
    command
        .current_dir(folder)
        .args(["walk", "--memory", "memory.txt", "--root", "1000"])
        .args(arguments);
    command
}

fn rows(folder: &Path, arguments: &[&str]) -> Vec<Value> {
    let output = walk(folder, arguments).arg("--json").output().unwrap();
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn pages_and_faults_are_reported() {
    let folder = folder(IMAGE);
    let rows = rows(
        folder.path(),
        &["401008", "0x600010", "403000", "8000000000000000"],
    );
    assert_eq!(rows[0]["pa"], "0x12345008");
    assert_eq!(rows[0]["page_size"], 4096);
    assert_eq!(rows[0]["reads"].as_array().unwrap().len(), 4);
    assert_eq!(rows[0]["writes"].as_array().unwrap().len(), 3);
    assert_eq!(rows[1]["pa"], "0x600010");
    assert_eq!(rows[1]["writable"], false);
    assert_eq!(rows[1]["level"], 2);
    assert_eq!(rows[2]["ok"], false);
    assert_eq!(rows[2]["fault"], "not-present");
    assert_eq!(rows[2]["error_code"], 4);
    assert_eq!(rows[3]["fault"], "non-canonical");
    assert_eq!(rows[3]["error_code"], Value::Null);
    assert_eq!(rows[3]["level"], 0);
}

#[test]
fn requests_come_from_a_file_in_their_order() {
    let folder = folder(IMAGE);
    std::fs::write(
        folder.path().join("requests.txt"),
        "600000 write user # refused\n401000 execute supervisor\n",
    )
    .unwrap();
    let rows = rows(
        folder.path(),
        &["--requests", "requests.txt", "--nxe", "off"],
    );
    assert_eq!(rows[0]["fault"], "protection");
    assert_eq!(rows[0]["error_code"], 7);
    assert_eq!(rows[1]["ok"], true);
}

/// What the hardware reports is what the rules say, down to the entries that are read and written.
#[test]
fn back_ends_report_the_same() {
    let folder = folder(IMAGE);
    std::fs::write(
        folder.path().join("requests.txt"),
        "401008 read user\n401010 write user\n600010 write supervisor\n600010 write user\n600018 execute user\n\
         403000 read user\n8000000000000000 read user\n",
    )
    .unwrap();
    let mut backends = vec!["rust-hdl"];
    if cfg!(feature = "verilog") {
        backends.push("verilog");
    }
    for options in [
        &["--requests", "requests.txt"][..],
        &["--requests", "requests.txt", "--ad-update", "off"],
        &[
            "--requests",
            "requests.txt",
            "--nxe",
            "off",
            "--levels",
            "5",
        ],
        &["--requests", "requests.txt", "--memory-limit", "5000"],
        // Beyond what has an address.
        &[
            "--requests",
            "requests.txt",
            "--memory-limit",
            "10000000005000",
        ],
    ] {
        let expected = rows(folder.path(), options);
        for backend in &backends {
            let found = rows(folder.path(), &[options, &["--backend", backend]].concat());
            assert_eq!(found, expected, "{backend} {options:?}");
        }
    }
    walk(
        folder.path(),
        &["401000", "--backend", "rust-hdl", "--memory-limit", "5008"],
    )
    .assert()
    .failure()
    .stderr(contains("whole frames"));
}

#[test]
fn table_shows_entries_and_error_codes() {
    let folder = folder(IMAGE);
    walk(folder.path(), &["401008", "600000", "--access", "write"])
        .assert()
        .success()
        .stdout(contains("0x12345008"))
        .stdout(contains(" PDPTE "))
        .stdout(contains(" 0x3007 "))
        .stdout(contains("error code 0x07 P W/R U/S"));
}

#[test]
fn memory_ends_where_the_command_says() {
    let folder = folder(IMAGE);
    let rows = rows(folder.path(), &["401008", "--memory-limit", "10000000"]);
    assert_eq!(rows[0]["fault"], "outside-memory");
    assert_eq!(rows[0]["error_code"], Value::Null);
}

/// However short an image is cut, no word is read that it did not have: it is refused, or has the words of its whole lines.
#[test]
fn image_that_is_cut_is_named_with_its_line() {
    let text = IMAGE;
    for cut in 1..text.len() {
        let cut_short = folder(&text[..cut]);
        let output = walk(cut_short.path(), &["401008", "--json"])
            .output()
            .unwrap();
        let line = text[..cut].lines().count();
        if output.status.success() {
            let said = |line: &str| line.split('#').next().unwrap_or("").trim_end().len();
            let whole = text.split_inclusive('\n').scan(0, |end, line| {
                let begin = *end;
                *end += line.len();
                (begin + said(line) <= cut).then_some(line)
            });
            let whole = folder(&whole.collect::<String>());
            let expected = walk(whole.path(), &["401008", "--json"]).output().unwrap();
            assert_eq!(output.stdout, expected.stdout, "cut after {cut} bytes");
            continue;
        }
        let told = String::from_utf8(output.stderr).unwrap();
        let place = format!("memory.txt:{line}: the ");
        assert!(told.contains(&place), "cut after {cut} bytes: {told}");
        assert_eq!(told.trim().lines().count(), 1, "{told}");
    }
    let without_break = text.trim_end();
    let folder = folder(without_break);
    walk(folder.path(), &["401008"])
        .assert()
        .failure()
        .stderr(contains(
            "memory.txt:6: the file ends with the value \"0x12345067\" and without a line break",
        ));
}

/// A value of all its digits, or one with something after it, is whole without a line break.
#[test]
fn image_without_a_last_line_break_is_read_where_nothing_can_be_missing() {
    for end in [
        "4008 0000000012345067",
        "4008 12345067 ",
        "4008 12345067 # the page",
        "4008 12345067\n# an end",
    ] {
        let begin = IMAGE.split("4008").next().unwrap();
        let folder = folder(&format!("{begin}{end}"));
        let rows = rows(folder.path(), &["401008"]);
        assert_eq!(rows[0]["pa"], "0x12345008", "{end}");
    }
}

/// A line of requests that is cut lacks something, and the last word of a whole one is one of two.
#[test]
fn requests_that_are_cut_are_named_with_their_line() {
    let requests = "401008 read user\n401010 write supervisor";
    for cut in 1..=requests.len() {
        let folder = folder(IMAGE);
        std::fs::write(folder.path().join("requests.txt"), &requests[..cut]).unwrap();
        let output = walk(folder.path(), &["--requests", "requests.txt", "--json"])
            .output()
            .unwrap();
        let line = requests[..cut].lines().count();
        let whole = ["user", "supervisor", "\n"]
            .iter()
            .any(|end| requests[..cut].ends_with(end));
        assert_eq!(output.status.success(), whole, "cut after {cut} bytes");
        if !whole {
            let told = String::from_utf8(output.stderr).unwrap();
            assert!(
                told.contains(&format!("requests.txt:{line}: the ")),
                "{told}"
            );
        }
    }
}

#[test]
fn wrong_files_and_options_are_one_sentence() {
    for (image, arguments, sentence) in [
        (
            "1000 2007\n1008\n",
            vec!["0"],
            "memory.txt:2: the line has 1 field",
        ),
        (
            "1000 2007 3\n",
            vec!["0"],
            "memory.txt:1: the line has 3 fields",
        ),
        (
            "1000 20g7\n",
            vec!["0"],
            "memory.txt:1: the value \"20g7\" is no hexadecimal",
        ),
        (
            "1004 2007\n",
            vec!["0"],
            "memory.txt:1: the address 0x1004 is no multiple of 8",
        ),
        ("1000 10000000000000000\n", vec!["0"], "at most 64 bits"),
        (
            "1000 1\n\n1000 2\n",
            vec!["0"],
            "memory.txt:3: the word at 0x1000 has another value in line 1",
        ),
        (
            "f000 1\n",
            vec!["0", "--memory-limit", "f000"],
            "memory.txt:1: the address 0xf000 lies outside of memory",
        ),
        (
            "f000 1\n",
            vec!["0", "--memory-limit", "f007"],
            "memory.txt:1: the address 0xf000 lies outside of memory, which ends at 0xf007",
        ),
        (
            "f000 1\n10000 1\n",
            vec!["0", "--memory-limit", "f008"],
            "memory.txt:2: the address 0x10000 lies outside of memory, which ends at 0xf008",
        ),
        (
            "1000 2007\n10000000000000 1\n",
            vec!["0"],
            "memory.txt:2: the address 0x10000000000000 is not below 2^52",
        ),
        (
            "10000000000 1\n",
            vec!["0", "--maxphyaddr", "40", "--json"],
            "memory.txt:1: the address 0x10000000000 is not below 2^40, so no walk can reach it; check it, or give the machine \
             wider physical addresses (MAXPHYADDR)",
        ),
        // Memory may end beyond what has an address, but that has no words.
        (
            "fffffff8 1\n\n100000000 1\n",
            vec![
                "0",
                "--maxphyaddr",
                "32",
                "--memory-limit",
                "200000000",
                "--backend",
                "rust-hdl",
            ],
            "memory.txt:3: the address 0x100000000 is not below 2^32",
        ),
        ("1000 2007\n", vec![], "<VA>"),
        ("1000 2007\n", vec!["xyz"], "give a hexadecimal number"),
        (
            "1000 2007\n",
            vec!["0", "--maxphyaddr", "60"],
            "from 32 to 52",
        ),
        (
            "1000 2007\n",
            vec!["--requests", "nowhere.txt"],
            "nowhere.txt: the file cannot be read",
        ),
    ] {
        let folder = folder(image);
        let output = walk(folder.path(), &arguments).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(
            !output.status.success() && told.contains(sentence),
            "{told}"
        );
        assert_eq!(told.trim().lines().count(), 1, "{told}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
    let folder = folder("1000 2007\n");
    let mut command = Command::new(env!("CARGO_BIN_EXE_faultline"));
    command.current_dir(folder.path()).args([
        "walk",
        "--memory",
        "memory.txt",
        "--root",
        "1008",
        "0",
    ]);
    command
        .assert()
        .failure()
        .stderr(contains("--root 0x1008 is no address of a table"));
}
