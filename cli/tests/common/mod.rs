//! The command of these tests.

use assert_cmd::Command;

/// The command as a user runs it, without what cargo sets for tests.
pub fn faultline() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_faultline"));
    command.env_remove("RUST_MIN_STACK");
    command
}
