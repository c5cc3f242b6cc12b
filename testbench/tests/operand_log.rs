//! Contract tests of the operand log.

mod support;

#[test]
fn matches_model() {
    support::matches_model("operand_log");
}
