//! Verilates the committed designs of `rtl-out`, for the back end `verilog`. Without that feature there is nothing to do.

#[cfg(feature = "verilog")]
#[path = "build/header.rs"]
mod header;
#[cfg(feature = "verilog")]
#[path = "build/verilate.rs"]
mod verilate;

#[cfg(feature = "verilog")]
fn main() {
    use std::path::Path;

    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rtl-out");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed={}", folder.display());
    // For work on some blocks alone, only those are built: FAULTLINE_BLOCKS=l1_tlb,coalescer
    println!("cargo::rerun-if-env-changed=FAULTLINE_BLOCKS");
    let blocks = std::env::var("FAULTLINE_BLOCKS").ok();
    let modules = header::designs(&folder).map(|designs| {
        let chosen = designs.into_iter().filter(|design| match &blocks {
            Some(blocks) => blocks.split(',').any(|block| block == design.block),
            None => cfg!(feature = "large") || design.module.repeated.is_none(),
        });
        chosen.map(|design| design.module).collect::<Vec<_>>()
    });
    if let Err(error) = modules.and_then(|modules| verilate::verilate(&modules)) {
        println!("cargo::error={}", error.replace('\n', " | "));
    }
}

#[cfg(not(feature = "verilog"))]
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
}
