//! Set-up and CI.
fn main() {}
