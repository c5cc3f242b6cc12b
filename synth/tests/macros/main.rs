//! The views of a macro: they agree with each other, and Yosys, OpenSTA and KLayout read them. Without a tool its tests say
//! so and pass.

#![allow(clippy::unwrap_used)] // a test that cannot go on panics

use faultline_synth::library::Library;
use faultline_synth::sram::{
    Direction, NANGATE45, Process, SKY130, Setting, Sram, Table, View, Views, pins,
};
use faultline_synth::sta;
use faultline_synth::tool::{OPENSTA, YOSYS};
use faultline_synth::yosys::{Memory, Netlist};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn memory(words: usize, bits: usize, masked: bool) -> Memory {
    let masked_name = if masked { "_masked" } else { "" };
    Memory {
        module: format!("sram_{words}x{bits}{masked_name}"),
        words,
        bits,
        masked,
        instances: 1,
    }
}

/// Each shape for which there are figures, and some whose figures are those of the next larger one.
fn memories() -> Vec<Memory> {
    let table = Table::embedded().unwrap();
    let mut memories: Vec<Memory> = table
        .rows
        .iter()
        .map(|row| row.shape)
        .filter(|shape| shape.setting == Setting::SinglePort && shape.node_nm == 45)
        .map(|shape| memory(shape.words, shape.bits, false))
        .collect();
    memories.extend([
        memory(8, 51, false),
        memory(16, 120, false),
        memory(1024, 32, true),
        memory(64, 37, false),
    ]);
    memories
}

fn views(memory: &Memory, process: &Process) -> Views {
    let sram = Sram::Table(Table::embedded().unwrap());
    Views::new(memory, &sram, process).unwrap()
}

/// The pins of a LEF, each with the rectangles of its ports in um; `OBS` has those of the blockage.
fn lef_pins(text: &str) -> BTreeMap<String, Vec<[f64; 4]>> {
    let mut pins: BTreeMap<String, Vec<[f64; 4]>> = BTreeMap::new();
    let mut current = None;
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["PIN", name] => current = Some(name.to_owned()),
            ["OBS"] => current = Some("OBS".to_owned()),
            ["RECT", left, bottom, right, top, ";"] => {
                let shape = [left, bottom, right, top].map(|number| number.parse().unwrap());
                pins.entry(current.clone().unwrap())
                    .or_default()
                    .push(shape);
            }
            _ => {}
        }
    }
    pins
}

fn lef_size(text: &str) -> (f64, f64) {
    let line = text.lines().find(|line| line.contains("SIZE")).unwrap();
    let numbers: Vec<f64> = line
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect();
    (numbers[0], numbers[1])
}

/// The pins that Liberty has, and the width of its buses: names as LEF writes them.
fn liberty_pins(text: &str) -> Vec<String> {
    let width = |bus_type: &str| -> usize {
        let (_, rest) = text.split_once(&format!("type({bus_type})")).unwrap();
        let (_, rest) = rest.split_once("bit_width : ").unwrap();
        rest.split(';').next().unwrap().parse().unwrap()
    };
    let mut names = Vec::new();
    for line in text.lines().map(str::trim) {
        let pin = line.strip_prefix("pin(").or(line.strip_prefix("pg_pin("));
        if let Some(rest) = pin {
            names.push(rest.split(')').next().unwrap().to_owned());
        } else if let Some(rest) = line.strip_prefix("bus(") {
            let (name, rest) = rest.split_once(')').unwrap();
            let (_, rest) = rest.split_once("bus_type : ").unwrap();
            let bits = width(rest.split(';').next().unwrap());
            names.extend((0..bits).map(|bit| format!("{name}[{bit}]")));
        }
    }
    names.sort();
    names
}

#[test]
fn every_view_has_the_same_pins() {
    for memory in memories() {
        let views = views(&memory, &NANGATE45);
        let mut expected: Vec<String> = pins(&memory).iter().flat_map(|pin| pin.names()).collect();
        expected.extend(["VDD", "VSS"].map(str::to_owned));
        expected.sort();
        assert_eq!(liberty_pins(&views.text(View::Liberty)), expected);
        let lef = views.text(View::Lef);
        let mut names: Vec<String> = lef_pins(&lef)
            .into_keys()
            .filter(|name| name != "OBS")
            .collect();
        names.sort();
        assert_eq!(names, expected, "{}", memory.module);
        for view in [View::BlackBox, View::Model] {
            let text = views.text(view);
            for pin in pins(&memory) {
                let range = pin
                    .bits
                    .map_or(String::new(), |bits| format!("[{}:0]", bits - 1));
                let port = text
                    .lines()
                    .find(|line| {
                        line.trim_end_matches(',')
                            .ends_with(&format!(" {}", pin.name))
                    })
                    .unwrap();
                let output = pin.direction == Direction::Output;
                assert_eq!(port.trim().starts_with("output"), output, "{port}");
                assert!(port.contains(&range), "{port}");
                assert_eq!(port.contains('['), pin.bits.is_some(), "{port}");
            }
        }
    }
}

#[test]
fn the_size_is_the_area_of_the_liberty_within_one_percent() {
    for process in [NANGATE45, SKY130] {
        for memory in memories() {
            let views = views(&memory, &process);
            let library = Library::parse(&memory.module, &views.text(View::Liberty)).unwrap();
            let area = library.area(&memory.module).unwrap();
            let (width, height) = lef_size(&views.text(View::Lef));
            let off = (width * height / area - 1.0).abs();
            assert!(off < 0.01, "{} {}: {off}", process.name, memory.module);
        }
    }
}

#[test]
fn pins_lie_on_tracks_inside_the_macro_and_clear_of_each_other() {
    for process in [NANGATE45, SKY130] {
        let nm = |um: f64| (um * 1e3).round() as i64;
        for memory in memories() {
            let text = views(&memory, &process).text(View::Lef);
            let (width, height) = lef_size(&text);
            let mut shapes = lef_pins(&text);
            let blocked = shapes.remove("OBS").unwrap();
            assert!(blocked.len() > process.filled.len());
            let supplies = [process.supplies.0, process.supplies.1];
            let straps: Vec<[f64; 4]> = supplies
                .iter()
                .flat_map(|supply| shapes.remove(*supply).unwrap())
                .collect();
            let signals: Vec<[f64; 4]> = shapes.into_values().flatten().collect();
            for shape in signals.iter().chain(&straps) {
                let [left, bottom, right, top] = *shape;
                assert!(left >= 0.0 && bottom >= 0.0 && left < right && bottom < top);
                assert!(right <= width && top <= height, "{}", memory.module);
                assert_eq!(nm(left) % 5 + nm(right) % 5, 0, "{}", memory.module);
            }
            for [_, bottom, _, top] in &signals {
                let centre = (nm(*bottom) + nm(*top)) / 2;
                assert_eq!((centre - process.signal.offset) % process.signal.pitch, 0);
            }
            for (shapes, spacing) in [
                (&signals, process.signal.spacing),
                (&straps, process.power.spacing),
            ] {
                for (index, one) in shapes.iter().enumerate() {
                    for other in &shapes[..index] {
                        let gap = |low: usize, high: usize| {
                            nm(one[low] - other[high]).max(nm(other[low] - one[high]))
                        };
                        assert!(gap(0, 2).max(gap(1, 3)) >= spacing, "{}", memory.module);
                    }
                }
            }
        }
    }
}

#[test]
fn yosys_reads_black_box_liberty_and_model() {
    if YOSYS.version().is_none() {
        faultline_ledger::missing("yosys is not installed");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for memory in [memory(16, 120, false), memory(1024, 32, true)] {
        let views = views(&memory, &NANGATE45);
        for (name, text) in views.files() {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let module = &memory.module;
        let mask = if memory.masked { ", .mask(d)" } else { "" };
        let top = format!(
            "module top (input clock, input enable, input write, input [9:0] a, input [{0}:0] d, output [{0}:0] q);
               {module} m (.clock(clock), .enable(enable), .write(write), .address(a[{1}:0]), .data(d){mask}, .q(q));
             endmodule",
            memory.bits - 1,
            if memory.words == 16 { 3 } else { 9 },
        );
        fs::write(folder.path().join("top.v"), top).unwrap();
        for read in [
            format!("read_verilog {module}_blackbox.v"),
            format!("read_liberty -lib {module}.lib"),
            format!("read_verilog {module}.v"),
        ] {
            // A wrong port or width is an error, and with -e every warning is one.
            let check = "hierarchy -check -top top; proc; check -assert";
            let output = Command::new("yosys")
                .current_dir(folder.path())
                .args(["-q", "-e", ".", "-p"])
                .arg(format!("{read}; read_verilog -noautowire top.v; {check}"))
                .output()
                .unwrap();
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "{read}: {text}");
        }
    }
}

#[test]
fn opensta_times_a_design_through_the_macro() {
    if OPENSTA.version().is_none() {
        faultline_ledger::missing("sta is not installed");
        return;
    }
    let memory = memory(64, 16, false);
    let sram = Sram::Table(Table::embedded().unwrap());
    let figures = sram
        .figures(&faultline_synth::sram::Shape {
            setting: Setting::SinglePort,
            node_nm: 45,
            words: 64,
            bits: 16,
        })
        .unwrap();
    let netlist = Netlist {
        top: "top".to_owned(),
        verilog: "module top (clock, enable, write, address, data, q);
            input clock, enable, write; input [5:0] address; input [15:0] data; output [15:0] q;
            sram_64x16 m (.clock(clock), .enable(enable), .write(write), .address(address), .data(data), .q(q));
          endmodule"
            .to_owned(),
        ..Netlist::default()
    };
    let library = Library::embedded().unwrap();
    let timing = sta::time(&netlist, &library, &[(memory, figures)]).unwrap();
    let output = timing.output.unwrap();
    assert!((output.ns - figures.access_ns).abs() < 1e-3, "{output:?}");
    assert!(output.from.starts_with("m/"), "{output:?}");
    // An input has to be there before the edge, by the setup time.
    assert!(timing.input.unwrap().ns >= faultline_synth::sram::SETUP_NS);
}

/// A Python with KLayout: that of `cargo xtask setup`, else the one on PATH.
fn klayout() -> Option<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/tools/bin/python3");
    let candidates = [own, PathBuf::from("python3")];
    candidates.into_iter().find(|python| {
        let found = Command::new(python)
            .args(["-c", "import klayout.db"])
            .output();
        found.is_ok_and(|output| output.status.success())
    })
}

#[test]
fn klayout_reads_the_size_of_the_liberty() {
    let Some(python) = klayout() else {
        faultline_ledger::missing("KLayout's Python package is not installed");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut expected = BTreeMap::new();
    let mut command = Command::new(python);
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/macros/sizes.py"));
    for memory in memories() {
        let views = views(&memory, &NANGATE45);
        let path = folder.path().join(View::Lef.file(&memory.module));
        fs::write(&path, views.text(View::Lef)).unwrap();
        command.arg(path);
        let library = Library::parse(&memory.module, &views.text(View::Liberty)).unwrap();
        let count: usize = pins(&memory).iter().map(|pin| pin.names().len()).sum();
        let area = library.area(&memory.module).unwrap();
        expected.insert(memory.module, (area, count + 2));
    }
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let mut seen = 0;
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (area, count) = expected[words[0]];
        let [width, height] = [1, 2].map(|place| words[place].parse::<f64>().unwrap());
        assert!((width * height / area - 1.0).abs() < 0.01, "{line}: {area}");
        assert_eq!(words[3].parse::<usize>().unwrap(), count, "{line}");
        seen += 1;
    }
    assert_eq!(seen, expected.len());
}
