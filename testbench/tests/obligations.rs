//! Whether the obligations are those of the registry, and name their sources: a block without a lockstep, a size for proofs
//! without guarantees, or a changed model whose lockstep is not run again would go unnoticed otherwise.

#![allow(clippy::unwrap_used)] // a test that cannot go on panics

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use faultline_hw::registry::{self, Tag};
use faultline_testbench::{blocks, support};

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// `matches_model` runs each size of its block that is not large, short always and long as an obligation.
#[test]
fn each_block_runs_in_lockstep() {
    let designs = registry::designs();
    let blocks: BTreeSet<_> = designs.iter().map(|design| design.block).collect();
    assert!(blocks.len() >= 17, "{} blocks", blocks.len());
    for block in blocks {
        let call = format!("support::matches_model(\"{block}\");");
        assert_eq!(
            read(&format!("tests/{block}.rs")).matches(&call).count(),
            1,
            "{block}"
        );
    }
}

/// A design that takes minutes to compile ran in lockstep for a report, if no other design is much like it.
#[test]
fn each_large_design_is_in_a_report_of_the_lockstep() {
    let of = |backend: &str| {
        ["lockstep_64_warps", "lockstep_sm_unit"]
            .map(|report| read(&format!("reports/{report}{backend}.md")))
            .concat()
    };
    let reports = [of(""), of("_kernel")];
    let designs = registry::designs();
    let large: Vec<_> = designs
        .iter()
        .filter(|design| design.is(Tag::Large) && !design.is(Tag::Alike))
        .collect();
    assert!(!large.is_empty());
    for design in large {
        let row = format!("| {} | {} | ", design.block, design.config);
        for report in &reports {
            assert!(report.contains(&row), "{}", design.name);
        }
    }
}

#[test]
fn each_size_for_proofs_is_proved() {
    let proofs = read("tests/proofs/main.rs");
    let designs = registry::designs();
    let sizes: Vec<_> = designs
        .iter()
        .filter(|design| design.is(Tag::Proof))
        .collect();
    assert!(sizes.len() >= 21, "{} sizes", sizes.len());
    for design in sizes {
        let (block, config) = (design.block, design.config);
        let calls = [
            format!("check(\"{block}\", "),
            format!("Proof::of(\"{block}\")"),
            format!("Proof::exported(\"{block}\", \"{config}\""),
            format!("(\"{config}\", "),
        ];
        let of_config = match config {
            "proof" => &calls[..2],
            _ => &calls[2..],
        };
        let proved = of_config.iter().any(|call| proofs.contains(call));
        assert!(proved, "{}", design.name);
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// All files of a folder, by their paths in the workspace.
fn all(folder: &str) -> BTreeSet<PathBuf> {
    let mut files = BTreeSet::new();
    for entry in fs::read_dir(root().join(folder)).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{folder}/{}", entry.file_name().display());
        match entry.file_type().unwrap().is_dir() {
            true => files.extend(all(&path)),
            false => _ = files.insert(PathBuf::from(path)),
        }
    }
    files
}

/// The text of a source without comments, in words and signs.
fn words(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(root().join(path)).unwrap();
    let mut words = vec![String::new()];
    for line in text.lines() {
        let code = line.split("//").next().unwrap();
        for letter in code.chars().chain(['\n']) {
            if letter.is_alphanumeric() || letter == '_' {
                words.last_mut().unwrap().push(letter);
            } else {
                words.extend([letter.to_string(), String::new()]);
            }
        }
    }
    words.retain(|word| !word.trim().is_empty());
    words
}

const FOLDERS: [&str; 6] = [
    "sim/src/mmu",
    "sim/src/preempt",
    "sim/src/sm",
    "sim/src/walk",
    "testbench/src/blocks",
    "testbench/src/traffic",
];

#[test]
fn a_lockstep_depends_on_its_block_and_the_parts() {
    let sources: BTreeMap<_, _> = blocks::names()
        .map(|block| (block, support::sources(block)))
        .collect();
    let depends = |block: &str, on: &str| sources[block].contains(Path::new(on));
    for (block, model) in [
        ("coalescer", "sim/src/sm/coalescer.rs"),
        ("sm_pipeline", "sim/src/sm/sm_pipeline/state.rs"),
        ("sm_pipeline", "sim/src/sm/operand_log.rs"),
        ("sm_pipeline", "sim/src/sm/replay_queue/interface.rs"),
        ("sm_pipeline", "sim/src/sm/scoreboard.rs"),
        ("gmmu", "sim/src/mmu/l2_tlb.rs"),
        ("gmmu", "sim/src/mmu/page_walker.rs"),
        ("gmmu", "sim/src/mmu/far_fault_mshr.rs"),
        ("gmmu", "sim/src/walk.rs"),
        ("gmmu", "testbench/src/blocks/page_walker/tables.rs"),
        ("checkpoint", "sim/src/preempt/context_port.rs"),
    ] {
        assert!(depends(block, model), "{block}: {model}");
    }
    for (block, other) in [
        ("coalescer", "sim/src/sm/sm_pipeline.rs"),
        ("operand_log", "testbench/src/blocks/sm_pipeline.rs"),
        ("sm_pipeline", "sim/src/mmu/gmmu.rs"),
        ("sm_pipeline", "sim/src/machines/sm.rs"),
        ("sm_pipeline", "testbench/src/recorded.rs"),
        ("l2_tlb", "sim/src/mmu/gmmu.rs"),
        ("page_walker", "testbench/src/blocks/gmmu.rs"),
    ] {
        assert!(!depends(block, other), "{block}: {other}");
    }
    for block in blocks::names() {
        for shared in [
            "hw/src/ports.rs",
            "sim/src/ports.rs",
            "testbench/build.rs",
            "testbench/build/verilate.rs",
            "testbench/src/backend.rs",
            "testbench/src/blocks.rs",
            "testbench/src/lockstep.rs",
            "testbench/src/support.rs",
            "testbench/src/verilog.rs",
        ] {
            assert!(depends(block, shared), "{block}: {shared}");
        }
    }
}

/// No file of the models and the traffic is left out of all keys, but for lists of modules.
#[test]
fn the_sources_of_all_blocks_are_the_whole() {
    let found: BTreeSet<_> = blocks::names().flat_map(support::sources).collect();
    let whole: BTreeSet<_> = FOLDERS.iter().flat_map(|folder| all(folder)).collect();
    let left: Vec<_> = whole.difference(&found).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// By its words alone: whichever block a source names, by its module or by its model's type, is among the sources, too.
#[test]
fn each_block_that_a_source_names_is_a_source() {
    let models = |block: &str| {
        let folders = ["sim/src/mmu", "sim/src/preempt", "sim/src/sm"];
        let mut paths = folders.map(|folder| PathBuf::from(format!("{folder}/{block}.rs")));
        paths.sort_by_key(|path| !root().join(path).is_file());
        paths[0].clone()
    };
    let pascal = |block: &str| -> String {
        let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
        block.split('_').map(capital).collect()
    };
    for block in blocks::names() {
        let sources = support::sources(block);
        let apart = ["testbench/src/blocks.rs", "testbench/src/support.rs"].map(PathBuf::from);
        for source in sources.difference(&apart.into()) {
            if source.extension().is_none_or(|extension| extension != "rs")
                || source.starts_with("hw")
            {
                continue;
            }
            let words = words(source);
            for other in blocks::names() {
                let by_type = words.contains(&pascal(other));
                let by_module = words.windows(3).any(|three| {
                    three[0] == other && three[1..] == [":", ":"]
                        || three[..2] == [":", ":"] && three[2] == other
                });
                if by_type || by_module {
                    let model = models(other);
                    assert!(
                        sources.contains(&model),
                        "{block}: {} names {}",
                        source.display(),
                        model.display()
                    );
                }
            }
        }
    }
}

/// The search does not follow what `blocks.rs` and `support.rs` themselves name.
#[test]
fn what_the_table_of_blocks_names_is_shared() {
    // A lockstep does not come from a trace.
    let apart = ["blocks", "recorded", "replay"];
    let shared = support::sources("coalescer");
    for table in ["testbench/src/blocks.rs", "testbench/src/support.rs"] {
        let words = words(Path::new(table));
        let named = words
            .windows(4)
            .filter(|four| four[..3] == ["crate", ":", ":"])
            .map(|four| four[3].as_str())
            .filter(|name| !apart.contains(name));
        let mut count = 0;
        for name in named {
            let path = PathBuf::from(format!("testbench/src/{name}.rs"));
            assert!(shared.contains(&path), "{table} names {name}");
            count += 1;
        }
        assert!(count >= 2, "{table}: {count}");
    }
}

/// The search follows names. So what an `impl` is of, or for, must be of its own module: else it would count unnamed.
#[test]
fn no_module_implements_anything_for_another_one() {
    let lists = [
        "sim/src/machines",
        "sim/src/mmu",
        "sim/src/preempt",
        "sim/src/sm",
        "testbench/src/blocks",
        "testbench/src/support",
        "sim/src",
        "testbench/src",
    ];
    let module = |path: &Path| -> PathBuf {
        let list = lists.iter().find(|list| path.starts_with(list)).unwrap();
        let depth = Path::new(list).components().count() + 1;
        let module: PathBuf = path.iter().take(depth).collect();
        module.with_extension("")
    };
    let files: BTreeSet<_> = ["sim/src", "testbench/src"]
        .into_iter()
        .flat_map(all)
        .collect();
    let sources = files
        .iter()
        .filter(|path| path.extension().is_some_and(|ending| ending == "rs"));
    let of_modules: Vec<_> = sources
        .map(|path| (module(path), path, words(path)))
        .collect();
    let mut declared = BTreeSet::new();
    for (module, _, words) in &of_modules {
        for pair in words.windows(2) {
            if ["struct", "enum", "trait", "type"].contains(&pair[0].as_str()) {
                declared.insert((module.clone(), pair[1].clone()));
            }
        }
    }
    let mut count = 0;
    for (module, path, words) in &of_modules {
        for (place, _) in words.iter().enumerate().filter(|(_, word)| *word == "impl") {
            // An item, not a type.
            let begins = place == 0 || ["}", ";", "]", "{"].contains(&words[place - 1].as_str());
            if !begins {
                continue;
            }
            let header: Vec<_> = words[place..]
                .iter()
                .take_while(|word| *word != "{")
                .cloned()
                .collect();
            let own = header
                .iter()
                .any(|word| declared.contains(&(module.clone(), word.clone())));
            // A block's lockstep begins with the file of its traffic.
            let of_block = header[1] == "Block" && module.starts_with("testbench/src/blocks");
            // A macro's name of the struct that it makes.
            let of_macro = header.contains(&"$".to_owned());
            assert!(
                own || of_block || of_macro,
                "{}: {}",
                path.display(),
                header.join(" ")
            );
            count += 1;
        }
    }
    assert!(count > 100, "{count}");
}

/// A sweep depends on its cases and the walker that it drives, and not on other blocks.
#[test]
fn the_sweeps_of_page_walks_name_their_sources() {
    let own = faultline_ledger::sources(&root(), &["testbench/tests/page_walker_sweeps.rs"]);
    let depends = |on: &str| own.contains(Path::new(on));
    for source in [
        "sim/src/mmu/page_walker.rs",
        "sim/src/walk.rs",
        "testbench/src/sdm.rs",
        "testbench/src/support/tables.rs",
        "testbench/src/sweep.rs",
        "testbench/src/sweep/cases.rs",
        "testbench/src/sweep/concurrent.rs",
        "testbench/src/walks.rs",
        "testbench/tests/page_walker_sweeps.rs",
    ] {
        assert!(depends(source), "{source}");
    }
    for other in [
        "sim/src/mmu/gmmu.rs",
        "sim/src/sm/sm_pipeline.rs",
        "testbench/src/answers.rs",
        "testbench/tests/page_walker.rs",
    ] {
        assert!(!depends(other), "{other}");
    }
}

/// Kits depend on the file that runs the tools and on its helpers, and on no other test.
#[test]
fn the_kits_depend_on_no_other_test() {
    let found = faultline_ledger::sources(&root(), &["cli/tests/kit/tools.rs"]);
    let tests: Vec<_> = found
        .iter()
        .filter(|path| path.starts_with("cli"))
        .collect();
    assert_eq!(
        tests,
        ["cli/tests/kit/made.rs", "cli/tests/kit/tools.rs"].map(Path::new)
    );
}
