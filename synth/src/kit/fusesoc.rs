//! A core of FuseSoC, for the simulators and linters that it knows.

use super::{Files, Top, views};
use crate::sram::{View, Views};

/// The flow's files.
pub fn files(top: &Top, macros: &[Views]) -> Files {
    let mut files = top.rtl();
    files.extend(views(macros, &[View::Model]));
    for (path, text) in &mut files {
        *text = once(path, text);
    }
    let core = core(top, macros);
    files.insert(format!("{}.core", top.name), core);
    files.insert("README.md".to_owned(), page(top, macros));
    files
}

/// A module's text that counts once, however many cores with that module a design depends on.
fn once(path: &str, text: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let guard = name.trim_end_matches(".v").to_uppercase();
    format!("`ifndef FAULTLINE_{guard}\n`define FAULTLINE_{guard}\n\n{text}\n`endif\n")
}

/// The core's name, without its version.
fn name(top: &Top) -> String {
    format!("faultline::{}", top.name)
}

fn core(top: &Top, macros: &[Views]) -> String {
    let list = |files: Vec<String>| -> String {
        files
            .iter()
            .map(|file| format!("      - {file}\n"))
            .collect()
    };
    let rtl = list(top.rtl().into_keys().collect());
    let models = list(views(macros, &[View::Model]).into_keys().collect());
    let (filesets, memories) = match macros.is_empty() {
        true => ("rtl", String::new()),
        false => (
            "rtl, memories",
            format!("  memories:\n    files:\n{models}    file_type: verilogSource\n"),
        ),
    };
    format!(
        "CAPI=2:
name: {name}:{version}
description: {title}
license: MIT OR Apache-2.0

filesets:
  rtl:
    files:
{rtl}    file_type: verilogSource
{memories}
targets:
  default:
    filesets: [{filesets}]
    toplevel: {top}
  lint:
    filesets: [{filesets}]
    toplevel: {top}
    flow: lint
    flow_options:
      tool: verilator
      verilator_options: [-Wall]
",
        name = name(top),
        version = env!("CARGO_PKG_VERSION"),
        title = top.title,
        top = top.name,
    )
}

fn page(top: &Top, macros: &[Views]) -> String {
    let name = name(top);
    let memories = match macros.is_empty() {
        true => "",
        false => {
            "; `macros` has models of its memories, which a flow may swap for macros of the same ports"
        }
    };
    format!(
        "# {title} as a FuseSoC core

    fusesoc --cores-root . run --target=lint {name}

`rtl` is the design as `faultline export` writes it{memories}. The target `default` is what another core depends on. Cores share modules, such as `register_1`: each file is guarded, so that a simulator that reads all files together takes each module once.

What is run, in tests: FuseSoC resolves each core, and one that needs two of them, and has Verilator lint the result.
",
        title = top.title,
    )
}
