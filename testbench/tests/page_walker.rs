//! Contract tests of the page walker. Each is named for a guarantee of its page, and runs in all back ends at once. What
//! the entries mean is in `page_walks.rs`.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

mod support;

#[test]
fn matches_model() {
    support::matches_model("page_walker");
}
