//! Verilator, Icarus and Yosys read the zoo's Verilog without a warning.

use std::path::Path;
use std::process::Command;

use faultline_hw::registry::Design;
use faultline_zoo::designs;

/// Exports the zoo and runs a linter on each specimen, in a folder that holds all modules.
fn each(lint: impl Fn(&Design, &Path) -> Command) {
    let folder = tempfile::tempdir().unwrap();
    for design in designs() {
        crate::export(&design, folder.path());
    }
    let complaints: Vec<String> = designs()
        .iter()
        .map(|design| crate::run(lint(design, folder.path()).current_dir(folder.path())))
        .filter(|(content, text)| !content || !text.trim().is_empty())
        .map(|(_, text)| text)
        .collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn verilator_warns_of_nothing() {
    each(|design, _| {
        let mut command = Command::new("verilator");
        command.args([
            "--lint-only",
            "-Wall",
            "-y",
            ".",
            "--top-module",
            design.name,
        ]);
        // Two warnings stay, because they tell of what the specimens are there for: one bit compared with literals, whose
        // answer is always the same (a kernel of one width is free to do that), and a signal that runs through an array
        // of children, whose packed vector Verilator simulates as a whole. The Verilog of the blocks is linted without
        // any exception.
        command.args(match (design.block, design.config) {
            ("operators", "1") => &["-Wno-CMPCONST"][..],
            ("tree", _) => &["-Wno-UNOPTFLAT"],
            _ => &[],
        });
        command.arg(format!("{}.v", design.name));
        command
    });
}

#[test]
fn icarus_warns_of_nothing() {
    each(|design, _| {
        let mut command = Command::new("iverilog");
        command.args([
            "-g2005",
            "-Wall",
            "-t",
            "null",
            "-o",
            "/dev/null",
            "-y",
            ".",
            "-s",
            design.name,
        ]);
        command.arg(format!("{}.v", design.name));
        command
    });
}

#[test]
fn yosys_warns_of_nothing() {
    each(|design, _| {
        let name = design.name;
        let mut command = Command::new("yosys");
        // All files at once: Yosys 0.23 finds no width of an array of a module with parameters that it comes upon later.
        let files = design.export().expect(name).files.into_iter();
        let files: Vec<String> = files.map(|file| file.name).collect();
        let script = format!(
            "read_verilog -noautowire {}; hierarchy -check -top {name}; proc; check -assert",
            files.join(" ")
        );
        // With -q only warnings and errors are printed, and -e makes an error of any warning.
        command.args(["-q", "-e", ".", "-p", &script]);
        command
    });
}
