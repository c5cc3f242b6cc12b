//! Contract tests of the checkpoint engine. Each is named for a guarantee of its page, and runs in all back ends at once.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

mod support;

#[test]
fn matches_model() {
    support::matches_model("checkpoint");
}
