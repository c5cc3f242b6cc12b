//! What becomes of the memories on FPGAs: how many block RAMs Yosys infers for each design in three families. A memory whose
//! text no block RAM fits becomes flip-flops or LUTs without a word, and then its count here is another one.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use faultline_hw::primitives::memory::MemoryUse;
use faultline_hw::registry::{Tag, designs};
use faultline_ledger::Obligation;
use tempfile::TempDir;

/// The families, and what they call their block RAMs.
const FAMILIES: [(&str, &str); 3] = [
    ("ecp5", "DP16KD"),
    ("ice40", "SB_RAM40_4K"),
    ("xilinx", "RAMB"),
];

/// Block RAMs in each family of each design that has memories and whose cost is of interest. Where there are none, the LUTs of
/// the family hold the memory: ECP5's up to 32 words, Xilinx's a few hundred, and those that are written bit by bit.
const EXPECTED: [(&str, [u32; 3]); 35] = [
    ("replay_queue_16", [0, 8, 0]),
    ("replay_queue_32", [0, 8, 0]),
    ("replay_queue_64", [4, 8, 0]),
    ("replay_queue_128", [4, 8, 0]),
    ("operand_log_8k", [0, 128, 0]),
    ("operand_log_16k", [64, 128, 0]),
    ("operand_log_20k", [64, 128, 0]),
    ("operand_log_32k", [64, 128, 0]),
    ("operand_log_16k_16x128", [64, 128, 0]),
    ("memory_unit_16", [8, 14, 4]),
    ("memory_unit_32", [8, 28, 4]),
    ("l2_tlb_512", [2, 30, 1]),
    ("l2_tlb_1024", [19, 33, 1]),
    ("far_fault_mshr_16", [0, 5, 0]),
    ("far_fault_mshr_32", [0, 5, 0]),
    ("far_fault_mshr_64", [2, 5, 0]),
    ("far_fault_mshr_128", [3, 5, 0]),
    ("far_fault_mshr_256", [3, 5, 1]),
    ("fault_buffer_64", [0, 4, 0]),
    ("gmmu_64", [30, 71, 8]),
    ("sm_pipeline_log_64", [68, 136, 0]),
    ("sm_pipeline_queue_4", [0, 8, 0]),
    ("sm_pipeline_log_4", [0, 136, 0]),
    ("sm_pipeline_log_4_greedy", [0, 136, 0]),
    ("sm_unit_log_64", [76, 150, 4]),
    ("page_walker_8", [1, 2, 1]),
    ("page_walker_16", [1, 2, 1]),
    ("page_walker_32", [1, 2, 1]),
    ("page_walker_64", [1, 2, 1]),
    ("page_walker_32_in_order", [1, 2, 1]),
    ("page_walker_64_updates", [3, 10, 2]),
    ("page_walk_cache_4k", [6, 19, 1]),
    ("page_walk_cache_8k", [8, 27, 6]),
    ("page_walk_cache_16k", [12, 51, 8]),
    ("dirty_bits_lanes", [32, 16, 0]),
];

/// The ports of a module: direction, width and name.
fn ports(text: &str) -> Vec<(&str, String, &str)> {
    let lines = text.lines().map(|line| line.trim().trim_end_matches(','));
    let ports = lines.filter_map(|line| {
        let mut words = line.split_whitespace();
        let direction = words
            .next()
            .filter(|word| ["input", "output"].contains(word))?;
        let name = words.next_back()?;
        let width = words.skip(1).collect::<Vec<_>>().concat();
        Some((direction, width, name))
    });
    ports.collect()
}

/// A module with all of these inside, each of whose ports is one of its own.
fn around(memories: &BTreeSet<String>, rtl: &Path) -> String {
    let (mut outside, mut inside) = (Vec::new(), String::new());
    for memory in memories {
        let text = std::fs::read_to_string(rtl.join(format!("{memory}.v"))).unwrap();
        let mut wired = Vec::new();
        for (direction, width, name) in ports(&text) {
            outside.push(format!("{direction} wire {width} {memory}_{name}"));
            wired.push(format!(".{name}({memory}_{name})"));
        }
        inside += &format!("{memory} its_{memory} ({});\n", wired.join(", "));
    }
    format!(
        "module memories ({});\n{inside}endmodule\n",
        outside.join(", ")
    )
}

/// The block RAMs in each module, of what `stat` of Yosys prints.
fn counted(text: &str, cell: &str) -> BTreeMap<String, u32> {
    let (mut module, mut counts) = (String::new(), BTreeMap::new());
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("=== ") {
            name.trim_end_matches(" ===").clone_into(&mut module);
        }
        let mut words = line.split_whitespace();
        if words.next().is_some_and(|word| word.starts_with(cell)) {
            let count: u32 = words.next().unwrap().parse().unwrap();
            *counts.entry(module.clone()).or_default() += count;
        }
    }
    counts
}

#[test]
fn memories_become_block_rams() {
    let rtl = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rtl-out/memories");
    let known = designs();
    let known = known
        .iter()
        .filter(|design| design.is_measured() && !design.is(Tag::Alike));
    let used: Vec<(&str, Vec<MemoryUse>)> = known
        .map(|design| (design.name, design.export().unwrap().memories))
        .filter(|(_, memories)| !memories.is_empty())
        .collect();
    let modules: BTreeSet<_> = used
        .iter()
        .flat_map(|(_, memories)| memories)
        .map(|memory| memory.module.clone())
        .collect();
    Obligation::new("block RAMs", "are those of the table")
        .of(include_str!("block_rams.rs"))
        .of(format!("{used:?}"))
        .tool(Path::new("yosys"), &["-V"])
        .file(&rtl)
        .meet(|| {
            let folder = TempDir::new().unwrap();
            std::fs::write(folder.path().join("memories.v"), around(&modules, &rtl)).unwrap();
            let mut found: Vec<_> = used.iter().map(|(name, _)| (*name, [0; 3])).collect();
            for (number, (family, cell)) in FAMILIES.into_iter().enumerate() {
                let files = modules
                    .iter()
                    .map(|name| rtl.join(format!("{name}.v")).display().to_string());
                let files = files.collect::<Vec<_>>().join(" ");
                let script = format!(
                    "read_verilog {files} memories.v; setattr -mod -set keep_hierarchy 1 sram_*; \
             synth_{family} -top memories -run begin:map_ffram; tee -o stat.txt stat"
                );
                let output = Command::new("yosys")
                    .args(["-q", "-p", &script])
                    .current_dir(folder.path())
                    .output()
                    .unwrap();
                assert!(
                    output.status.success(),
                    "{}",
                    String::from_utf8_lossy(&output.stderr)
                );
                let text = std::fs::read_to_string(folder.path().join("stat.txt")).unwrap();
                let counts = counted(&text, cell);
                for ((_, rams), (_, memories)) in found.iter_mut().zip(&used) {
                    let each = memories.iter().map(|memory| {
                        counts.get(&memory.module).copied().unwrap_or(0) * memory.instances as u32
                    });
                    rams[number] = each.sum();
                }
            }
            assert_eq!(found, EXPECTED);
        });
}
