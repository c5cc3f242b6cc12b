//! Contract tests of the replay queue.

mod support;

#[test]
fn matches_model() {
    support::matches_model("replay_queue");
}
