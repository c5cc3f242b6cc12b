//! The tools of the flows that can be run here: Yosys, OpenSTA, KLayout, FuseSoC with Verilator.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use faultline_ledger::Obligation;
use faultline_synth::library::Library;
use rayon::prelude::*;

use crate::made::{self, kits, name, read, succeeds, tool, variable};

fn obligation(kit: &str, what: &str, folder: &Path) -> Obligation {
    made::obligation(file!(), kit, what, folder)
}

/// Maps what `config.mk` names, and times it with the kit's constraints; gives the worst slack, ns. Each module is mapped
/// once, without effort, so that a pipeline of 64 warps takes a minute: what is looked at is the kit, not its speed. A memory
/// that is no macro is one that the design does without, as is seen when it is flattened; here it stays, with nothing in it.
/// OpenSTA 2.0.17 takes an assignment to a part of a port for one of twice its bits: buffers stand for all assignments.
fn mapped_and_timed(kit: &Path, top: &str) -> f64 {
    let library = Library::embedded().unwrap();
    let run = tempfile::tempdir().unwrap();
    fs::write(run.path().join("cells.lib"), library.text()).unwrap();
    let libraries = variable(kit, "ADDITIONAL_LIBS");
    let mut script = String::new();
    for file in &libraries {
        script += &format!("read_liberty -lib {file}\n");
    }
    script += &format!(
        "read_verilog -noautowire {}
blackbox sram_*
hierarchy -check -top {top}
proc
opt_expr
opt_clean
check -assert
alumacc
techmap
opt_clean
dfflibmap -liberty cells.lib
abc -liberty cells.lib -fast
opt_clean -purge
select -assert-none t:$* t:$paramod* %d
insbuf -buf BUF_X1 A Z
write_verilog -noattr -noexpr netlist.v\n",
        variable(kit, "VERILOG_FILES").join(" ")
    );
    fs::write(run.path().join("synthesis.ys"), script).unwrap();
    succeeds(
        Command::new("yosys")
            .current_dir(run.path())
            .args(["-q", "synthesis.ys"]),
    );
    let mut script = String::from("read_liberty cells.lib\n");
    for file in &libraries {
        script += &format!("read_liberty {file}\n");
    }
    script += &format!(
        "read_verilog netlist.v
link_design {top}
read_sdc {}
foreach path [find_timing_paths] {{ puts \"slack [get_property $path slack]\" }}
puts finished
",
        variable(kit, "SDC_FILE").join(" ")
    );
    // OpenROAD reads the placement; here its command only has to be called rightly.
    if let [placement] = &variable(kit, "MACRO_PLACEMENT_TCL")[..] {
        script += &format!(
            "proc place_macro {{name_key name location_key location orientation_key orientation}} {{ puts \"placed $name $location\" }}\nsource {placement}\n"
        );
    }
    fs::write(run.path().join("timing.tcl"), script).unwrap();
    let options = ["-no_splash", "-no_init", "-exit", "timing.tcl"];
    let text = succeeds(Command::new("sta").current_dir(run.path()).args(options));
    assert!(
        text.contains("finished") && !text.contains("Error"),
        "{text}"
    );
    let complaints = ["not found", "syntax error", "Warning"];
    let mut told = text.lines().filter(|line| !line.contains("sram_"));
    assert!(
        !told.any(|line| complaints.iter().any(|complaint| line.contains(complaint))),
        "{text}"
    );
    let rows = read(kit, "README.md");
    assert_eq!(
        text.contains("placed "),
        !rows.contains("has no macros"),
        "{text}"
    );
    let slack = text.lines().find_map(|line| line.strip_prefix("slack "));
    slack.unwrap().trim().parse().unwrap()
}

#[test]
fn yosys_and_opensta_take_every_kits_own_files() {
    let (folder, rows) = kits("orfs", None);
    rows.par_iter().for_each(|row| {
        let kit = folder.path().join(name(row));
        let obligation = obligation(name(row), "Yosys and OpenSTA take its files", &kit)
            .of(Library::embedded().unwrap().text())
            .tool(Path::new("yosys"), &["-V"])
            .tool(Path::new("sta"), &["-version"]);
        obligation.meet(|| {
            let slack = mapped_and_timed(&kit, name(row));
            println!("{}: slack {slack:.3} ns", name(row));
            // A path takes some of the period. Drivers are as large as they are before a flow sizes them.
            assert!(slack < 0.8 && slack > -20.0, "{}: {slack}", name(row));
        });
    });
}

#[test]
fn klayout_reads_each_lef_with_the_area_of_its_liberty() {
    let python = tool("python3", &["-c", IMPORT[1]]).unwrap_or_else(|| "python3".into());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../synth/tests/macros/sizes.py");
    let liberty = Path::new(env!("CARGO_MANIFEST_DIR")).join("../synth/liberty/src");
    for flow in ["orfs", "librelane"] {
        let (folder, rows) = kits(flow, None);
        let obligation = obligation(flow, "KLayout reads each LEF", folder.path())
            .file(&script)
            .file(&liberty)
            .tool(&python, &IMPORT);
        obligation.meet(|| areas_agree(&python, &script, folder.path(), &rows));
    }
}

/// Prints KLayout's version.
const IMPORT: [&str; 2] = ["-c", "import klayout.db; print(klayout.__version__)"];

fn areas_agree(python: &Path, script: &Path, folder: &Path, rows: &[serde_json::Value]) {
    let mut command = Command::new(python);
    command.arg(script);
    let mut areas = BTreeMap::new();
    for row in rows {
        let macros = folder.join(name(row)).join("macros");
        for kind in row["macros"].as_array().unwrap() {
            let module = kind["module"].as_str().unwrap();
            let library = Library::read_macro(&macros.join(format!("{module}.lib")));
            areas.insert(module.to_owned(), library.area(module).unwrap());
            command.arg(macros.join(format!("{module}.lef")));
        }
    }
    let text = succeeds(&mut command);
    assert!(text.lines().count() >= areas.len());
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [width, height] = [1, 2].map(|place| words[place].parse::<f64>().unwrap());
        let area = areas[words[0]];
        assert!((width * height / area - 1.0).abs() < 0.01, "{line}: {area}");
    }
}

/// Reads the Liberty of a macro, which is no library to synthesise with.
trait ReadMacro {
    fn read_macro(path: &Path) -> Self;
}

impl ReadMacro for Library {
    fn read_macro(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap();
        Self::parse(&path.display().to_string(), &text).unwrap()
    }
}

#[test]
fn fusesoc_resolves_and_lints_every_core() {
    let fusesoc = tool("fusesoc", &["--version"]).unwrap_or_else(|| "fusesoc".into());
    let (folder, rows) = kits("fusesoc", None);
    let run = |core: &str| {
        let text = succeeds(Command::new(&fusesoc).current_dir(folder.path()).args([
            "--cores-root",
            ".",
            "run",
            "--target=lint",
            core,
        ]));
        assert!(
            !text.contains("%Warning") && !text.contains("WARNING"),
            "{text}"
        );
    };
    let takes = |obligation: Obligation, core: &str| {
        let obligation = obligation
            .tool(&fusesoc, &["--version"])
            .tool(Path::new("verilator"), &["--version"]);
        obligation.meet(|| run(core));
    };
    let what = "FuseSoC resolves and lints its core";
    rows.par_iter().for_each(|row| {
        let kit = folder.path().join(name(row));
        takes(
            obligation(name(row), what, &kit),
            &format!("faultline::{}", name(row)),
        );
    });
    // A design with two of them, which share modules.
    let both = folder.path().join("both");
    fs::create_dir(&both).unwrap();
    let core = "CAPI=2:
name: user::both:1
filesets:
  rtl:
    files: [both.v]
    file_type: verilogSource
    depend: ['faultline::replay_queue_16', 'faultline::dirty_bits_rows']
targets:
  lint:
    filesets: [rtl]
    toplevel: both
    flow: lint
    flow_options: {tool: verilator}
";
    fs::write(both.join("both.core"), core).unwrap();
    fs::write(both.join("both.v"), "module both;\nendmodule\n").unwrap();
    takes(
        obligation(
            "fusesoc",
            "FuseSoC lints two cores that share modules",
            folder.path(),
        ),
        "user::both",
    );
}
