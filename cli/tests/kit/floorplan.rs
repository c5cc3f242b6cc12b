//! Floor plans: macros, pins and straps of power have room, by the figures and by what Yosys finds.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use faultline_synth::sram::{NANGATE45, Process, SKY130};
use rayon::prelude::*;

use crate::made::{kits, name, obligation, read, succeeds};

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
    let few = "replay_queue_16,operand_log_16k,gmmu_64,dirty_bits_lanes";
    // Of the pipelines of 64 warps, which are large and much alike, the one with everything.
    let many = "replay_queue_16,replay_queue_32,replay_queue_64,replay_queue_128,operand_log_8k,operand_log_16k,operand_log_20k,operand_log_32k,sm_pipeline_log_64,page_walker_64,gmmu_64,dirty_bits_lanes,dirty_bits_rows";
    for (flow, tops, file, process) in [
        ("orfs", many, "macro_placement.tcl", NANGATE45),
        ("librelane", few, "macro_placement.cfg", SKY130),
    ] {
        let (folder, rows) = kits(flow, Some(tops));
        rows.par_iter().for_each(|row| {
            let kit = folder.path().join(name(row));
            let what = format!("Yosys finds the macros that its {file} places");
            obligation(file!(), name(row), &what, &kit)
                .of(row.to_string())
                .tool(Path::new("yosys"), &["-V"])
                .meet(|| macros_are_placed(&kit, row, file, &process));
        });
    }
}

fn macros_are_placed(kit: &Path, row: &serde_json::Value, file: &str, process: &Process) {
    let places = match kit.join(file).is_file() {
        true => placed(&read(kit, file)),
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
    let instances = flattened(kit, row);
    assert!(
        places.keys().eq(instances.keys()),
        "{places:?} {instances:?}"
    );
    let sizes = sizes(kit, row);
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
            let gap =
                |low: usize, high: usize| (one[low] - other[high]).max(other[low] - one[high]);
            assert!(gap(0, 2).max(gap(1, 3)) > 3.9 * row_um, "{one:?} {other:?}");
        }
    }
}
