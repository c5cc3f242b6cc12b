//! Synthesis and timing of a small design through the real tools. Without them the tests say so and
//! pass: nothing can be measured then.

#![allow(clippy::unwrap_used)] // a test that cannot go on panics

use faultline_synth::cost::{self, Flow, Subject};
use faultline_synth::library::Library;
use faultline_synth::sram::{Setting, Sram, Table};
use faultline_synth::tool::{OPENSTA, Tool, YOSYS};
use faultline_synth::yosys::{self, Design, Mapping, Memory};
use faultline_synth::{report, table};
use std::path::Path;

/// A counter whose sum goes through a memory of 32 entries of a log: 8 KB in 32 macros would be too
/// slow to synthesize for a test, so one macro stands for all.
const VERILOG: &str = "
module tiny (input clock, input reset, input enable, input write, input [4:0] address,
             input [63:0] data, output [63:0] read, output reg [7:0] count);
    wire [63:0] q;
    sram_32x64 memory (.clock(clock), .enable(enable), .write(write), .address(address),
                       .data(data), .q(q));
    always @(posedge clock) begin
        if (reset) count <= 8'd0;
        else if (enable) count <= count + q[7:0];
    end
    assign read = q;
endmodule
module sram_32x64 (input clock, input enable, input write, input [4:0] address,
                   input [63:0] data, output reg [63:0] q);
    reg [63:0] words [0:31];
    always @(posedge clock) if (enable) begin
        if (write) words[address] <= data; else q <= words[address];
    end
endmodule
";

fn missing(tools: &[Tool]) -> bool {
    for tool in tools {
        if tool.version().is_none() {
            faultline_ledger::missing(&format!("{} is not installed", tool.program));
            return true;
        }
    }
    false
}

fn design(verilog: &str) -> Design {
    Design {
        top: "tiny".to_owned(),
        verilog: verilog.to_owned(),
        memories: vec![Memory {
            module: "sram_32x64".to_owned(),
            words: 32,
            bits: 64,
            masked: false,
            instances: 1,
        }],
    }
}

fn subject() -> Subject {
    Subject {
        block: "operand_log".to_owned(),
        config: "8k".to_owned(),
        log_bytes: Some(8192),
        entries: Some(32),
        design: design(VERILOG),
    }
}

fn rows(library: &Library) -> Vec<cost::Row> {
    let flow = Flow {
        library,
        sram: &Sram::Table(Table::embedded().unwrap()),
        compiled: None,
        node_nm: None,
        target_ps: yosys::TARGET_PS,
        mapping: Mapping::default(),
    };
    cost::costed(&subject(), &flow, &Setting::ALL, None)
        .unwrap()
        .rows
}

#[test]
fn rows_count_cells_and_memories_and_time_the_access() {
    if missing(&[YOSYS, OPENSTA]) {
        return;
    }
    let rows = rows(&Library::embedded().unwrap());
    let [fit, single] = rows.as_slice() else {
        panic!("{} rows", rows.len());
    };
    assert_eq!(
        (fit.sram_model, single.sram_model),
        ("paper-fit", "single-port")
    );
    // Eight flip-flops of 4.522 µm² and an adder; no memory among the cells.
    assert_eq!(single.registers, 8);
    assert!((60.0..200.0).contains(&single.logic_area_um2));
    assert!((single.sram_area_um2 - 1412.96).abs() < 0.1);
    assert!((fit.total_area_um2 / fit.sram_area_um2 - 1.5).abs() < 1e-9);
    assert_eq!(
        fit.measured_control.unwrap().logic_area_um2,
        single.logic_area_um2
    );
    // The sum starts at the memory, whose slower access in the fit makes the clock slower.
    assert!(
        single
            .critical_path
            .as_ref()
            .unwrap()
            .starts_with("memory/q[")
    );
    let period = |row: &cost::Row| 1000.0 / row.fmax_mhz.unwrap();
    let slower = period(fit) - period(single);
    assert!((0.40..0.46).contains(&slower), "{slower}");
    assert!(single.output_path_ns.unwrap() > 0.166);
}

#[test]
fn json_has_the_documented_fields_and_tables_show_the_rows() {
    if missing(&[YOSYS, OPENSTA]) {
        return;
    }
    let rows = rows(&Library::embedded().unwrap());
    for row in &rows {
        let json = serde_json::to_value(row).unwrap();
        for field in ["block", "config", "library", "sram_model"] {
            assert!(json[field].is_string(), "{field}");
        }
        for field in [
            "sram_area_um2",
            "logic_area_um2",
            "total_area_um2",
            "sm_area_percent",
            "gpu_area_percent",
            "sram_power_mw",
            "sm_power_percent",
            "gpu_power_percent",
            "fmax_mhz",
            "register_path_ns",
        ] {
            assert!(json[field].as_f64().unwrap() > 0.0, "{field}");
        }
        assert_eq!(json["clock_limit"], "register");
        assert_eq!(json["paper"]["sm_area_percent"], 1.04);
        assert_eq!(json["paper"]["gpu_power_percent"], 1.28);
    }
    let csv = table::csv(&rows).unwrap();
    assert_eq!(csv.lines().count(), 3);
    assert!(csv.contains(",fmax_mhz,clock_limit,register_path_ns,"));
    let columns: Vec<usize> = csv.lines().map(|line| line.split(',').count()).collect();
    assert!(
        columns.iter().all(|count| *count == columns[0]),
        "{columns:?}"
    );
    let markdown = table::markdown(&rows);
    assert!(
        markdown.contains("| SM area %, paper | 1.04 |"),
        "{markdown}"
    );
    let origin = [("command".to_owned(), "a <b> & c".to_owned())];
    let page = report::Report {
        rows: &rows,
        origin: &origin,
        sections: &[],
    }
    .html()
    .unwrap();
    assert_eq!(page.matches("<svg").count(), 3);
    assert!(page.contains("a &lt;b&gt; &amp; c"));
    for outside in ["http://", "https://", "src=", "@import", "url("] {
        let found = page
            .replace("http://www.w3.org/2000/svg", "")
            .contains(outside);
        assert!(!found, "the page refers to something outside: {outside}");
    }
}

#[test]
fn a_design_that_makes_yosys_warn_is_refused() {
    if missing(&[YOSYS]) {
        return;
    }
    let library = Library::embedded().unwrap();
    let floating = VERILOG.replace("wire [63:0] q;", "wire [63:0] q; wire floating;");
    let floating = floating.replace("q[7:0];", "{q[7:1], floating};");
    for (verilog, word) in [
        (floating, "floating"),
        (VERILOG.replace("module tiny", "modul tiny"), "syntax error"),
        (
            VERILOG.replace("sram_32x64 memory", "other memory"),
            "other",
        ),
    ] {
        let error = yosys::synthesize(&design(&verilog), &library, 900)
            .unwrap_err()
            .to_string();
        assert!(error.starts_with("yosys failed on tiny: "), "{error}");
        assert!(error.contains(word), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}

#[test]
fn the_delay_target_reaches_the_mapping() {
    if missing(&[YOSYS]) {
        return;
    }
    let library = Library::embedded().unwrap();
    let design = Design {
        top: "sum".to_owned(),
        verilog: "module sum (input clock, input [31:0] a, input [31:0] b, output reg [31:0] s);
            always @(posedge clock) s <= a + b;
        endmodule"
            .to_owned(),
        memories: Vec::new(),
    };
    for mapping in [Mapping::Plain, Mapping::Balanced, Mapping::Compact] {
        let area = |target| {
            let netlist = yosys::synthesize_with(&design, &library, target, mapping);
            netlist.unwrap().area_um2
        };
        let (tight, loose) = (area(100), area(5000));
        assert!(loose < tight, "{}: {tight} and {loose}", mapping.name());
    }
}

#[test]
fn a_memory_that_vanishes_is_noticed() {
    if missing(&[YOSYS]) {
        return;
    }
    let library = Library::embedded().unwrap();
    let mut design = design(VERILOG);
    design.memories[0].instances = 2;
    let error = yosys::synthesize(&design, &library, 900)
        .unwrap_err()
        .to_string();
    assert!(error.contains("1 memories sram_32x64 are left"), "{error}");
}

#[test]
fn another_library_works_and_its_own_buffer_drives_the_inputs() {
    let path = Path::new("/usr/share/qflow/tech/osu018/osu018_stdcells.lib");
    if !path.is_file() {
        faultline_ledger::missing("qflow-tech-osu018 is not installed");
        return;
    }
    let library = Library::read(path).unwrap();
    assert_eq!(library.driving_cell(), "BUFX4");
    assert!(library.is_register("DFFPOSX1"));
    if missing(&[YOSYS, OPENSTA]) {
        return;
    }
    let rows = rows(&library);
    // 180 nm: some ten times the area, some five times the delay.
    assert!((500.0..5000.0).contains(&rows[1].logic_area_um2));
    assert!((100.0..1000.0).contains(&rows[1].fmax_mhz.unwrap()));
}

/// The embedded library as vendors write theirs: another spelling of units, expressions without quotes, attributes of either
/// form, attributes that are not known, and a letter of Latin-1.
#[test]
fn a_library_that_is_written_otherwise_gives_the_same_figures() {
    if missing(&[YOSYS, OPENSTA]) {
        return;
    }
    let plain = faultline_synth::cells::liberty();
    let other = plain
        .replace("(1, ff)", "(1.0, \"fF\")")
        .replace("\"1ns\"", "\"1NS\"")
        .replace(
            "technology (cmos);",
            "technology : cmos; library_features : \"x\";",
        )
        .replace("function : \"!A\";", "function : !A; vendor_figure : 7;")
        .replace("next_state : \"D\";", "next_state : (D);");
    assert!(other.contains("function : !A;") && other.contains("\"fF\""));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.lib");
    let bytes = [b"/* M\xfcller */\n", other.as_bytes()].concat();
    std::fs::write(&path, bytes).unwrap();
    let figures = |library: &Library| {
        let row = rows(library).remove(1);
        (row.logic_area_um2, row.fmax_mhz, row.registers)
    };
    let other = Library::read(&path).unwrap();
    assert_eq!(figures(&other), figures(&Library::embedded().unwrap()));
}

#[test]
fn a_cell_that_no_tool_can_use_is_named_with_its_library() {
    if missing(&[YOSYS]) {
        return;
    }
    let text = faultline_synth::cells::liberty();
    let broken = text.replace("function : \"!(A1 & A2)\";", "function : \"!(A1 & \";");
    assert_ne!(broken, text);
    let error = match Library::parse("broken.lib", &broken) {
        Err(error) => error.to_string(),
        Ok(library) => yosys::synthesize(&design(VERILOG), &library, 900)
            .unwrap_err()
            .to_string(),
    };
    assert!(error.contains("broken.lib"), "{error}");
    assert!(error.contains("NAND2_X1"), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
}

/// The test of the figures again, in a process of its own whose folder for scratch files has a blank in its path.
#[test]
fn a_blank_in_the_path_of_scratch_files_does_no_harm() {
    if missing(&[YOSYS, OPENSTA]) {
        return;
    }
    let folder = tempfile::Builder::new()
        .prefix("a blank ")
        .tempdir()
        .unwrap();
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "rows_count_cells_and_memories_and_time_the_access",
        ])
        .env("TMPDIR", folder.path())
        // What was kept would not be made again.
        .env("FAULTLINE_CACHE", "")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{said}"
    );
}

#[test]
fn what_is_no_library_gets_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    for (path, reason) in [
        (write("empty.lib", b""), "it is empty"),
        (
            write("words.lib", b"root:x:0:0\n"),
            "line 1 starts no `library` group",
        ),
        (write("binary.lib", b"\xff\xfe\x00"), "it is not text"),
        (
            write("cut.lib.gz", b"\x1f\x8b\x08\x00"),
            "it does not decompress",
        ),
        (write("bare.lib", b"library(x) { }\n"), "it has no cells"),
        (
            write("gates.lib", b"library(x) { cell(INV) { area : 1; } }\n"),
            "it has no flip-flop",
        ),
        (
            write("broken.lib", b"library(x) {\n cell(INV) {\n"),
            "near line",
        ),
    ] {
        let error = Library::read(&path).unwrap_err().to_string();
        assert!(error.starts_with(&path.display().to_string()), "{error}");
        assert!(error.contains(reason), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
    let error = Library::read(Path::new("/nowhere/x.lib")).unwrap_err();
    assert!(error.to_string().starts_with("/nowhere/x.lib: cannot read"));
}
