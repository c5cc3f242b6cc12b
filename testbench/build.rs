//! Verilates the committed designs of `rtl-out`, for the back end `verilog`. Without that feature there is nothing to do.

#[cfg(feature = "verilog")]
#[path = "build/verilate.rs"]
mod verilate;

#[cfg(feature = "verilog")]
fn main() {
    use std::path::Path;
    use verilate::{Module, Port};

    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rtl-out");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build/verilate.rs");
    println!("cargo::rerun-if-changed={}", folder.display());
    let module = |design: faultline_hw::registry::Design| {
        // A design that is not exported yet is reported when somebody asks for it.
        let file = folder
            .join(format!("{}.v", design.name))
            .canonicalize()
            .ok()?;
        let export = design.export();
        let ports = export
            .map(|export| export.ports)
            .map_err(|error| format!("{}: {error}", design.name));
        Some(ports.map(|ports| {
            Module {
                name: design.name.to_owned(),
                file,
                repeated: design.is_large().then(|| format!("{}_warp", design.name)),
                ports: ports
                    .into_iter()
                    .map(|port| Port {
                        name: port.name,
                        input: port.input,
                        bits: port.bits,
                    })
                    .collect(),
            }
        }))
    };
    // Whoever works on some blocks alone need not wait for the others: FAULTLINE_BLOCKS=l1_tlb,coalescer
    println!("cargo::rerun-if-env-changed=FAULTLINE_BLOCKS");
    let blocks = std::env::var("FAULTLINE_BLOCKS").ok();
    let chosen = |design: &faultline_hw::registry::Design| match &blocks {
        Some(blocks) => blocks.split(',').any(|block| block == design.block),
        None => cfg!(feature = "large") || !design.is_large(),
    };
    let modules: Result<Vec<_>, _> = faultline_hw::registry::designs()
        .into_iter()
        .filter(chosen)
        .filter_map(module)
        .collect();
    if let Err(error) = modules.and_then(|modules| verilate::verilate(&modules)) {
        println!("cargo::error={}", error.replace('\n', " | "));
    }
}

#[cfg(not(feature = "verilog"))]
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
}
