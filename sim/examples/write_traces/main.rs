//! Writes the project's own traces into `sim/traces`: `cargo run -p faultline-sim --example write_traces`.

mod assemble;
mod kernels;

use std::path::Path;

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("traces");
    for (name, text) in kernels::files() {
        std::fs::write(folder.join(name), text)?;
    }
    Ok(())
}
