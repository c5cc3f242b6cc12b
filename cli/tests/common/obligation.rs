//! A test of the command that takes seconds.

use std::path::Path;

use faultline_ledger::{Obligation, sources};

/// The obligation that the test which calls this passes. It runs the command, so all that the command is made of counts.
pub fn of_command(file: &str) -> Obligation {
    let folder = env!("CARGO_MANIFEST_DIR");
    let root = Path::new(folder).join("..");
    Obligation::test(folder, file).sources(&root, &sources(&root, &["cli/src/main.rs"]))
}
