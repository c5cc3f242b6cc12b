//! Kits: what they name is documented, and the tools that can be run here take them as they are. Without a tool its tests
//! say so and pass.

#![allow(clippy::unwrap_used)] // a test that cannot go on panics

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use faultline_synth::kit::Flow;
use faultline_synth::library::Library;
use faultline_synth::sram::{NANGATE45, SKY130};
use rayon::prelude::*;
use tempfile::TempDir;

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

/// The places in a placement file: instance, left and lower edge, um.
fn placed(text: &str) -> BTreeMap<String, (f64, f64)> {
    text.lines()
        .filter_map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let (x, y) = (words.get(1)?.parse().ok()?, words.get(2)?.parse().ok()?);
            let instance = words[0].trim_matches(['{', '}']);
            Some((instance.to_owned(), (x, y)))
        })
        .collect()
}

/// Sizes of the macros of a kit, um.
fn sizes(kit: &Path, row: &serde_json::Value) -> BTreeMap<String, (f64, f64)> {
    let kinds = row["macros"].as_array().unwrap().iter();
    kinds
        .map(|kind| {
            let module = kind["module"].as_str().unwrap();
            let lef = read(kit, &format!("macros/{module}.lef"));
            let line = lef.lines().find(|line| line.contains("SIZE")).unwrap();
            let numbers: Vec<f64> = line
                .split_whitespace()
                .filter_map(|word| word.parse().ok())
                .collect();
            (module.to_owned(), (numbers[0], numbers[1]))
        })
        .collect()
}

/// The bits of a kit's ports.
fn pins(kit: &Path, top: &str) -> u64 {
    let text = read(kit, &format!("rtl/{top}.v"));
    let ports = text.lines().filter_map(|line| {
        let line = line
            .trim()
            .strip_prefix("input ")
            .or_else(|| line.trim().strip_prefix("output "))?;
        let range = line
            .split_once('[')
            .and_then(|(_, rest)| rest.split_once(":0]"));
        Some(range.map_or(1, |(last, _)| last.trim().parse::<u64>().unwrap() + 1))
    });
    ports.sum()
}

#[test]
fn the_smallest_die_of_a_log_has_room_for_its_pins() {
    let tops = "operand_log_8k,operand_log_16k,operand_log_20k,operand_log_32k";
    // From one track to the next, um, of the layers of pins at the sides, and of those above and below.
    for (flow, horizontal, vertical) in [("orfs", 0.28, 0.28), ("librelane", 0.68, 0.46)] {
        let (folder, rows) = kits(flow, Some(tops));
        for row in &rows {
            let kit = folder.path().join(name(row));
            let sizes = sizes(&kit, row);
            let kinds = row["macros"].as_array().unwrap().iter();
            let areas = kinds.map(|kind| {
                let (width, height) = sizes[kind["module"].as_str().unwrap()];
                width * height * kind["instances"].as_f64().unwrap()
            });
            // The core is 40 % full, if there is no logic.
            let side = (areas.sum::<f64>() / 0.4).sqrt();
            let tracks = 2.0 * side / horizontal + 2.0 * side / vertical;
            let pins = pins(&kit, name(row)) as f64;
            assert!(pins > 4_000.0 && pins < 0.95 * tracks, "{pins} {tracks}");
        }
    }
}

/// Power reaches a macro of LibreLane's by a pair of straps across it.
#[test]
fn a_pair_of_straps_crosses_every_macro() {
    let (folder, rows) = kits("librelane", None);
    for row in rows
        .iter()
        .filter(|row| !row["macros"].as_array().unwrap().is_empty())
    {
        let kit = folder.path().join(name(row));
        let config: serde_json::Value = serde_json::from_str(&read(&kit, "config.json")).unwrap();
        let number = |name: &str| config[name].as_f64().unwrap();
        let pair = 2.0 * number("PDN_HWIDTH") + number("PDN_HSPACING");
        for (width, height) in sizes(&kit, row).values() {
            let pitch = number("PDN_HPITCH");
            assert!(
                pitch + pair <= *height + 1e-6,
                "{}: {width} x {height}, {pitch}",
                name(row)
            );
            assert!(pitch >= 2.0 * pair, "{}: {pitch}", name(row));
        }
    }
}

/// The instances of macros that Yosys finds when it flattens the design, with their modules.
fn flattened(kit: &Path, row: &serde_json::Value) -> BTreeMap<String, String> {
    let top = name(row);
    let kinds = row["macros"].as_array().unwrap().iter();
    let modules: Vec<&str> = kinds.map(|kind| kind["module"].as_str().unwrap()).collect();
    let mut script = String::from("read_verilog -noautowire rtl/*.v\n");
    for module in &modules {
        script += &format!("read_verilog macros/{module}_blackbox.v\n");
    }
    script += &format!("hierarchy -check -top {top}\nflatten\n");
    for module in &modules {
        script += &format!("tee -o {module}.txt select -list t:{module}\n");
    }
    fs::write(kit.join("flatten.ys"), script).unwrap();
    succeeds(
        Command::new("yosys")
            .current_dir(kit)
            .args(["-q", "flatten.ys"]),
    );
    let mut found = BTreeMap::new();
    for module in modules {
        for line in read(kit, &format!("{module}.txt")).lines() {
            let instance = line.strip_prefix(&format!("{top}/")).unwrap();
            found.insert(instance.to_owned(), module.to_owned());
        }
    }
    found
}

#[test]
fn macros_are_placed_once_each_inside_the_least_core_and_apart() {
    let has_yosys = tool("yosys", &["-V"]).is_some();
    let few = "replay_queue_16,operand_log_16k,gmmu_64,dirty_bits_lanes";
    // Of the pipelines of 64 warps, which are large and much alike, the one with everything.
    let many = "replay_queue_16,replay_queue_32,replay_queue_64,replay_queue_128,operand_log_8k,operand_log_16k,operand_log_20k,operand_log_32k,sm_pipeline_log_64,page_walker_64,gmmu_64,dirty_bits_lanes,dirty_bits_rows";
    for (flow, tops, file, process) in [
        ("orfs", many, "macro_placement.tcl", NANGATE45),
        ("librelane", few, "macro_placement.cfg", SKY130),
    ] {
        let (folder, rows) = kits(flow, Some(tops));
        for row in &rows {
            let kit = folder.path().join(name(row));
            let places = match kit.join(file).is_file() {
                true => placed(&read(&kit, file)),
                false => BTreeMap::new(),
            };
            let on_site = |at: f64, step: i64| (at * 1e3).round() as i64 % step == 0;
            for (x, y) in places.values() {
                let (width, height) = process.site;
                assert!(on_site(*x, width) && on_site(*y, height), "{x} {y}");
            }
            let kinds = row["macros"].as_array().unwrap();
            let count: u64 = kinds
                .iter()
                .map(|kind| kind["instances"].as_u64().unwrap())
                .sum();
            assert_eq!(places.len() as u64, count, "{}", name(row));
            if !has_yosys {
                continue;
            }
            let instances = flattened(&kit, row);
            assert!(
                places.keys().eq(instances.keys()),
                "{places:?} {instances:?}"
            );
            let sizes = sizes(&kit, row);
            let area: f64 = instances
                .values()
                .map(|module| sizes[module].0 * sizes[module].1)
                .sum();
            // The core is 40 % full, and the die is larger by the margins.
            let core = (area / 0.4).sqrt() + 20.0;
            let boxes: Vec<[f64; 4]> = places
                .iter()
                .map(|(instance, (x, y))| {
                    let (width, height) = sizes[&instances[instance]];
                    [*x, *y, x + width, y + height]
                })
                .collect();
            let row_um = process.site.1 as f64 / 1e3;
            for (index, one) in boxes.iter().enumerate() {
                assert!(
                    one[2] < core && one[3] < core,
                    "{} {one:?} {core}",
                    name(row)
                );
                for other in &boxes[..index] {
                    let gap = |low: usize, high: usize| {
                        (one[low] - other[high]).max(other[low] - one[high])
                    };
                    assert!(gap(0, 2).max(gap(1, 3)) > 3.9 * row_um, "{one:?} {other:?}");
                }
            }
        }
    }
}

/// Maps what `config.mk` names, and times it with the kit's constraints; gives the worst slack, ns. Each module is mapped
/// once, without effort, so that a pipeline of 64 warps takes a minute: what is looked at is the kit, not its speed. A memory
/// that is no macro is one that the design does without, as is seen when it is flattened; here it stays, with nothing in it.
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
select -assert-none t:$*
splitnets -ports
opt_clean -purge
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
    if tool("yosys", &["-V"]).is_none() || tool("sta", &["-version"]).is_none() {
        println!("skipped: yosys or sta is not installed");
        return;
    }
    let (folder, rows) = kits("orfs", None);
    rows.par_iter().for_each(|row| {
        let slack = mapped_and_timed(&folder.path().join(name(row)), name(row));
        println!("{}: slack {slack:.3} ns", name(row));
        // A path takes some of the period. Drivers are as large as they are before a flow sizes them.
        assert!(slack < 0.8 && slack > -20.0, "{}: {slack}", name(row));
    });
}

#[test]
fn klayout_reads_each_lef_with_the_area_of_its_liberty() {
    let Some(python) = tool("python3", &["-c", "import klayout.db"]) else {
        println!("skipped: KLayout's Python package is not installed");
        return;
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../synth/tests/macros/sizes.py");
    for flow in ["orfs", "librelane"] {
        let (folder, rows) = kits(flow, None);
        let mut command = Command::new(&python);
        command.arg(&script);
        let mut areas = BTreeMap::new();
        for row in &rows {
            let macros = folder.path().join(name(row)).join("macros");
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
    let Some(fusesoc) = tool("fusesoc", &["--version"]) else {
        println!("skipped: FuseSoC is not installed");
        return;
    };
    if tool("verilator", &["--version"]).is_none() {
        println!("skipped: verilator is not installed");
        return;
    }
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
    rows.par_iter()
        .for_each(|row| run(&format!("faultline::{}", name(row))));
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
    run("user::both");
}

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
    let cases: [(&[&str], i32, &str); 5] = [
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
            "there is no design queue; there are ",
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
        let exported = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../rtl-out/{module}.v"));
        let body = |text: String| text[text.find("\nmodule").unwrap()..].to_owned();
        let model = read(&out, &format!("{module}.v"));
        assert_eq!(body(model), body(fs::read_to_string(exported).unwrap()));
    }
    assert_eq!(fs::read_dir(&out).unwrap().count(), 4 * rows.len());
}
