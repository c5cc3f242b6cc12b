//! The SRAM table against the paper's Table 2, and against itself. No tool is needed.

#![allow(clippy::unwrap_used)] // a test that cannot go on panics

use faultline_synth::cost::{overhead, paper_fit};
use faultline_synth::paper::{CONTROL_FACTOR, TABLE_2, table_2};
use faultline_synth::sram::{SMALLEST_WORDS, Setting, Shape, Sram, Table};

fn table() -> Sram {
    Sram::Table(Table::embedded().unwrap())
}

#[test]
fn paper_fit_is_within_ten_percent_of_table_2() {
    for (bytes, paper) in TABLE_2 {
        let (sram, shape) = paper_fit(bytes, &table(), Setting::PaperFit.node_nm()).unwrap();
        assert_eq!(shape.words * shape.bits * 16, bytes * 8);
        let fit = overhead(
            sram.area_um2 * CONTROL_FACTOR,
            sram.power_mw * CONTROL_FACTOR,
        );
        for (name, fit, paper) in [
            ("SM area", fit.sm_area_percent, paper.sm_area_percent),
            ("GPU area", fit.gpu_area_percent, paper.gpu_area_percent),
            ("SM power", fit.sm_power_percent, paper.sm_power_percent),
            ("GPU power", fit.gpu_power_percent, paper.gpu_power_percent),
        ] {
            let ratio = fit / paper;
            assert!(
                (0.9..=1.1).contains(&ratio),
                "{name} of the {bytes}-byte log is {fit:.3} %, and the paper has {paper} %"
            );
        }
    }
}

#[test]
fn shares_are_those_of_the_paper_s_sm_and_gpu() {
    let share = overhead(160_000.0, 57.0);
    assert!((share.sm_area_percent - 1.0).abs() < 1e-9);
    assert!((share.sm_power_percent - 1.0).abs() < 1e-9);
    assert!((share.gpu_area_percent - 0.16 * 16.0 / 561.0 * 100.0).abs() < 1e-9);
    assert!((share.gpu_power_percent - 0.057 * 16.0 / 130.0 * 100.0).abs() < 1e-9);
    assert_eq!(table_2(12 * 1024), None);
}

#[test]
fn embedded_table_has_every_shape_once_and_reads_back() {
    let table = Table::embedded().unwrap();
    let shapes: Vec<Shape> = table.rows.iter().map(|row| row.shape).collect();
    assert_eq!(shapes, Table::shapes());
    assert_eq!(Table::parse(&table.to_toml(), "itself").unwrap(), table);
    assert_eq!(table.to_toml(), include_str!("../data/sram.toml"));
}

#[test]
fn bigger_macros_cost_more() {
    let sram = table();
    for setting in Setting::ALL {
        for node_nm in [40, 45] {
            let figures = [32, 64, 80, 128].map(|words| {
                sram.figures(&Shape {
                    setting,
                    node_nm,
                    words,
                    bits: 64,
                })
                .unwrap()
            });
            assert!(
                figures.is_sorted_by(|small, large| small.area_mm2 < large.area_mm2
                    && small.leakage_mw < large.leakage_mw
                    && small.write_pj < large.write_pj
                    && small.access_ns < large.access_ns)
            );
        }
    }
}

#[test]
fn odd_shapes_are_charged_for_the_next_larger_macro() {
    let shape = |words, bits| Shape {
        setting: Setting::SinglePort,
        node_nm: 45,
        words,
        bits,
    };
    let sram = table();
    assert_eq!(
        sram.figures(&shape(64, 115)).unwrap(),
        sram.figures(&shape(64, 120)).unwrap()
    );
    assert_eq!(
        sram.figures(&shape(16, 120)).unwrap(),
        sram.figures(&shape(SMALLEST_WORDS, 120)).unwrap()
    );
}

#[test]
fn missing_shape_and_broken_table_get_a_sentence() {
    let error = table()
        .figures(&Shape {
            setting: Setting::PaperFit,
            node_nm: 65,
            words: 64,
            bits: 64,
        })
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("no figures for an SRAM of 64 words x 64 bits (paper-fit, 65 nm)"));
    assert!(error.contains("--sram cacti"));
    for text in [
        "",
        "provenance = 1",
        "provenance = \"\"\nmacro = [{ words = -1 }]",
    ] {
        let error = Table::parse(text, "x.toml").unwrap_err().to_string();
        assert!(error.starts_with("x.toml: not an SRAM table: "), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}
