//! The `faultline` command as its users meet it.

mod common;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};

use predicates::prelude::*;
use predicates::str::{contains, diff, is_empty, starts_with};

use common::faultline;

fn own(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../sim/traces")
        .join(name)
}

#[test]
fn trace_prints_a_table() {
    let list = own("kernelslist.g");
    let text = contains("3 kernels, 3 copies to the GPU (97,536 bytes)")
        .and(contains("_Z5saxpyifPKfPf"))
        .and(contains("global atomic"))
        .and(contains(
            "534 instructions touch 108 pages of 4 KB (38 of 64 KB)",
        ));
    faultline()
        .arg("trace")
        .arg(list)
        .assert()
        .success()
        .stdout(text)
        .stderr(is_empty());
}

#[test]
fn a_long_list_is_cut_short() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(
        own("kernel-3-transpose.traceg"),
        folder.path().join("kernel-3.traceg"),
    )
    .unwrap();
    let list = folder.path().join("kernelslist.g");
    std::fs::write(&list, "kernel-3.traceg\n".repeat(20)).unwrap();
    let text = contains("20 kernels").and(contains("and 8 more, which --json shows"));
    faultline()
        .arg("trace")
        .arg(list)
        .assert()
        .success()
        .stdout(text);
}

#[test]
fn trace_prints_json() {
    for before in [true, false] {
        let mut command = faultline();
        let arguments = [PathBuf::from("trace"), own("kernel-1-saxpy.traceg")];
        // A global option stands before the subcommand or after it.
        if before {
            command.arg("--json").args(arguments);
        } else {
            command.args(arguments).arg("--json");
        }
        let output = command.assert().success().get_output().stdout.clone();
        let summary: serde_json::Value = serde_json::from_slice(&output).unwrap();
        assert_eq!(summary["kernels"][0]["counts"]["blocks"], 8);
        assert_eq!(summary["total"]["global"]["stores"], 125);
        assert_eq!(summary["total"]["global"]["lines_mean"], 1.0);
    }
}

#[test]
fn a_wrong_trace_is_one_sentence_with_file_and_line() {
    let folder = tempfile::tempdir().unwrap();
    let saxpy = std::fs::read(own("kernel-1-saxpy.traceg")).unwrap();
    let cases: [(&str, &[u8], &str); 5] = [
        (
            "empty.traceg",
            b"",
            ":1: the file is empty; give a .traceg file or a kernelslist.g\n",
        ),
        (
            "binary.traceg",
            &[0x7f, b'E', 0, 255],
            ":1: this is no text (byte 0xff in column 4); give",
        ),
        (
            "truncated.traceg",
            &saxpy[..3000],
            ":90: the line ends before the stride",
        ),
        (
            "corrupt.traceg",
            b"-grid dim = (x,1,1)\n",
            ":1: the grid is \"(x,1,1)\", but should be",
        ),
        ("list.g", b"kernel-9.traceg\n", ""),
    ];
    for (name, bytes, expected) in cases {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let expected = match name {
            "list.g" => format!(
                "error: {}:1: the kernel's file kernel-9.traceg cannot be opened",
                path.display()
            ),
            _ => format!("error: {}{expected}", path.display()),
        };
        let assert = faultline()
            .arg("trace")
            .arg(&path)
            .assert()
            .code(1)
            .stdout(is_empty());
        assert.stderr(
            starts_with(expected).and(predicate::function(|text: &str| text.lines().count() == 1)),
        );
    }
}

#[test]
fn layout_leaves_a_folder_of_something_else_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("layout");
    std::fs::write(&file, "mine").unwrap();
    faultline()
        .args(["layout", "--out"])
        .arg(folder.path())
        .assert()
        .code(1)
        .stderr(contains(
            "files that are not of a layout; give a new or an empty one",
        ));
    assert_eq!(std::fs::read_to_string(file).unwrap(), "mine");
    faultline()
        .args(["layout", "--out", "x", "--density", "1.2"])
        .assert()
        .code(2)
        .stderr(contains("give a number from 0.3 to 0.95"));
}

#[test]
fn usage_errors_exit_with_2() {
    for arguments in [
        &["trace"][..],
        &["trace", "x", "--what"],
        &["nonsense"],
        &["library", "--mapping", "compact"],
        &[],
    ] {
        faultline()
            .args(arguments)
            .assert()
            .code(2)
            .stdout(is_empty());
    }
}

#[test]
fn every_subcommand_has_help() {
    let help = faultline()
        .arg("--help")
        .assert()
        .success()
        .get_output()
        .stdout
        .clone();
    let help = String::from_utf8(help).unwrap();
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let mut count = 0;
    for line in commands.take_while(|line| !line.is_empty()) {
        let name = line.split_whitespace().next().unwrap();
        if name != "help" && !line.starts_with("   ") {
            count += 1;
            faultline()
                .args([name, "--help"])
                .assert()
                .success()
                .stdout(contains("--json"));
        }
    }
    assert!(count >= 2);
}

#[test]
fn a_reader_that_leaves_early_ends_the_command_quietly() {
    let mut child = Process::new(env!("CARGO_BIN_EXE_faultline"))
        .args(["trace".into(), own("kernelslist.g"), "--json".into()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Closed before the command has written anything.
    drop(child.stdout.take());
    let mut complaint = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut complaint)
        .unwrap();
    assert_eq!(complaint, "");
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_full_disk_is_one_sentence() {
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let output = Process::new(env!("CARGO_BIN_EXE_faultline"))
        .arg("doctor")
        .stdout(full)
        .output()
        .unwrap();
    let sentence = String::from_utf8(output.stderr).unwrap();
    assert!(
        sentence.starts_with("error: standard output cannot be written ("),
        "{sentence}"
    );
    assert_eq!(output.status.code(), Some(1));
}

/// `faultline doctor` with this folder as the whole PATH.
fn doctor(path: &Path) -> assert_cmd::Command {
    let mut command = faultline();
    command.arg("doctor").env("PATH", path);
    command
}

#[test]
fn doctor_names_what_is_missing_and_how_to_get_it() {
    let folder = tempfile::tempdir().unwrap();
    let text = contains("MISSING")
        .and(contains("To get yosys: apt-get install yosys"))
        .and(contains("To get all that is needed: cargo xtask setup"));
    doctor(folder.path()).assert().success().stdout(text);

    let output = doctor(folder.path()).arg("--json").output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["complete"], false);
    assert_eq!(report["tools"][0]["name"], "yosys");
    assert_eq!(report["tools"][0]["works"], false);
    assert_eq!(
        report["verilated_backend"]["built_in"],
        cfg!(feature = "verilog")
    );
}

#[cfg(unix)]
#[test]
fn doctor_asks_tools_for_their_version() {
    let folder = tempfile::tempdir().unwrap();
    for (name, script) in [
        ("yosys", "#!/bin/sh\necho Yosys 9.9\n"),
        ("sta", "no program\n"),
    ] {
        let source = folder.path().join("script");
        std::fs::write(&source, script).unwrap();
        // A file that this process had open for writing may not run yet, so another one writes it.
        let mut install = Process::new("install");
        install
            .arg("--mode=755")
            .arg(source)
            .arg(folder.path().join(name));
        assert!(install.status().unwrap().success());
    }
    let text = contains("Yosys 9.9").and(contains("does not run: "));
    doctor(folder.path()).assert().success().stdout(text);
}

#[test]
fn version_is_that_of_the_package() {
    let text = diff(concat!("faultline ", env!("CARGO_PKG_VERSION"), "\n"));
    faultline().arg("--version").assert().success().stdout(text);
}

#[test]
fn wrong_arguments_get_one_line() {
    let cases: [(&[&str], &str); 4] = [
        (
            &["cosim", "--cycles", "-5"],
            "error: unexpected argument '-5' found; tip: to pass '-5' as a value, use '-- -5'\n",
        ),
        (
            &["trace", "--jsno"],
            "error: unexpected argument '--jsno' found; tip: a similar argument exists: '--json'\n",
        ),
        (
            &["trace"],
            "error: the following required arguments were not provided: <FILE>\n",
        ),
        (&["hope"], "error: unrecognized subcommand 'hope'\n"),
    ];
    for (arguments, told) in cases {
        faultline()
            .args(arguments)
            .assert()
            .code(2)
            .stdout(is_empty())
            .stderr(diff(told));
    }
}

#[test]
fn completions_and_manual_name_every_subcommand() {
    for shell in ["bash", "zsh", "fish"] {
        faultline()
            .args(["completions", shell])
            .assert()
            .success()
            .stdout(contains("equivalence").and(contains("write-traces")));
    }
    faultline()
        .arg("man")
        .assert()
        .success()
        .stdout(contains(".TH faultline 1").and(contains("faultline\\-equivalence(1)")));
    let folder = tempfile::tempdir().unwrap();
    faultline()
        .args(["man", "--out"])
        .arg(folder.path().join("man1"))
        .assert()
        .success();
    let page = std::fs::read_to_string(folder.path().join("man1/faultline-walk.1")).unwrap();
    assert!(page.contains("Examples:"), "{page}");
}

#[test]
fn designs_are_named_in_one_way_and_in_the_old_ones() {
    let files = |arguments: &[&str]| {
        let folder = tempfile::tempdir().unwrap();
        faultline()
            .arg("export")
            .args(arguments)
            .arg("--out")
            .arg(folder.path())
            .assert()
            .success();
        let names = std::fs::read_dir(folder.path()).unwrap();
        let mut names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let old = files(&["--block", "coalescer", "--config", "32"]);
    assert_eq!(files(&["coalescer_32"]), old);
    assert!(files(&["coalescer"]).len() > old.len());
    for subcommand in [
        "export",
        "cosim",
        "cocotb",
        "cost",
        "power",
        "equivalence",
        "library",
        "kit",
        "layout",
    ] {
        let help = faultline().args([subcommand, "--help"]).output().unwrap();
        let help = String::from_utf8(help.stdout).unwrap();
        assert!(help.contains("[DESIGN]"), "{subcommand}: {help}");
        for old in ["--block", "--config", "--design"] {
            assert!(!help.contains(old), "{subcommand}: {old}");
        }
    }
}

#[test]
fn lines_of_a_list_that_are_skipped_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("kernelslist.g");
    std::fs::copy(
        own("kernel-1-saxpy.traceg"),
        folder.path().join("kernel-1.traceg"),
    )
    .unwrap();
    std::fs::write(&list, "cudaMalloc,0x10000000,8\nkernel-1.traceg\n").unwrap();
    faultline()
        .arg("trace")
        .arg(&list)
        .assert()
        .success()
        .stderr(contains(
            "kernelslist.g:1: \"cudaMalloc,0x10000000,8\" is neither a copy nor a kernel",
        ));
}

/// What a run has not seen, it names with the cycles that show it; so many cycles do show it, with
/// every back end that is built in.
#[test]
fn cosim_sees_what_it_has_not_seen_in_the_cycles_that_it_names() {
    let block = "coalescer";
    let run = |cycles: u64| {
        let mut command = faultline();
        let cycles = cycles.to_string();
        let output = command.args(["cosim", block, "--cycles", &cycles]).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let unseen = |told: &str| -> Option<(Vec<String>, u64)> {
        let line = told.lines().find(|line| line.contains(" has not seen "))?;
        let (_, rest) = line.split_once(" has not seen ")?;
        let (names, rest) = rest.split_once(" in ")?;
        let (_, rest) = rest.split_once("; --cycles ")?;
        let cycles = rest.strip_suffix(" does")?;
        let names = names.split(", ").map(str::to_owned).collect();
        Some((names, cycles.parse().ok()?))
    };
    let told = run(16);
    let (names, enough) = unseen(&told).unwrap_or_else(|| panic!("{told}"));
    assert!(names.len() > 1 && enough > 16, "{told}");
    let told = run(enough);
    assert!(!told.contains("has not seen"), "{told}");
    let row = told.lines().find(|line| line.contains(" reference "));
    let row = row.unwrap_or_else(|| panic!("{told}"));
    let scenarios = row.split('┆').map(str::trim);
    let scenarios = scenarios.filter_map(|cell| cell.split_once(" of "));
    let [(seen, all)] = scenarios.collect::<Vec<_>>()[..] else {
        panic!("{told}");
    };
    assert_eq!(seen, all, "{told}");
}

/// A tool that never ends is ended with the command, and so is what it has started; their folders go.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_ends_the_tools_and_removes_their_folders() {
    use std::os::unix::fs::PermissionsExt;
    use std::time::{Duration, Instant};

    for signal in ["TERM", "INT", "QUIT"] {
        let folder = tempfile::tempdir().unwrap();
        let (tools, scratch) = (folder.path().join("tools"), folder.path().join("scratch"));
        std::fs::create_dir(&tools).unwrap();
        std::fs::create_dir(&scratch).unwrap();
        let yosys = tools.join("yosys");
        let script = "#!/bin/sh\n[ \"$1\" = -V ] && echo 'Yosys 0.23' && exit\n\
                      mkdir \"$TMPDIR/of-yosys\"\nsleep 300 &\necho $$ $! > \"$PIDS.new\"\nmv \"$PIDS.new\" \"$PIDS\"\nwait\n";
        std::fs::write(&yosys, script).unwrap();
        std::fs::set_permissions(&yosys, std::fs::Permissions::from_mode(0o755)).unwrap();
        let path = std::env::var("PATH").unwrap();
        let pids = folder.path().join("pids");
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_faultline"))
            .args(["equivalence", "coalescer_proof"])
            .env("PATH", format!("{}:{path}", tools.display()))
            .env("TMPDIR", &scratch)
            .env("PIDS", &pids)
            .env("FAULTLINE_CACHE", folder.path().join("cache"))
            .spawn()
            .unwrap();
        let start = Instant::now();
        while !pids.exists() {
            assert!(
                start.elapsed() < Duration::from_secs(60),
                "the tool does not start"
            );
            assert!(
                command.try_wait().unwrap().is_none(),
                "the command has ended"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
        let sent = std::process::Command::new("kill")
            .args([format!("-{signal}"), command.id().to_string()])
            .status();
        assert!(sent.unwrap().success());
        assert!(!command.wait().unwrap().success());
        let left: Vec<_> = std::fs::read_dir(&scratch).unwrap().collect();
        assert!(left.is_empty(), "{signal}: {left:?}");
        for pid in std::fs::read_to_string(&pids).unwrap().split_whitespace() {
            let status = std::fs::read_to_string(format!("/proc/{pid}/stat"));
            let ended = status.map_or(true, |status| status.contains(") Z "));
            assert!(ended, "{signal}: {pid} still runs");
        }
    }
}
