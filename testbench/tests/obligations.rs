//! Whether the obligations are those of the registry: a block without a lockstep, or a size for proofs without guarantees,
//! would go unnoticed otherwise.

#![allow(clippy::unwrap_used)] // a test that cannot go on panics

use std::collections::BTreeSet;
use std::path::Path;

use faultline_hw::registry::{self, Tag};

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
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
    let reports = ["lockstep_64_warps", "lockstep_64_warps_kernel"]
        .map(|report| read(&format!("reports/{report}.md")));
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
