//! Logs that are larger than any exported one.

use super::*;

/// The last slot of a log of 256 entries owns those up to 255; a store takes the lowest and the highest, and what is written
/// there comes back.
#[test]
fn entries_above_127_are_kept_apart() {
    let mut log = OperandLog::new(Parameters::with_entries(256));
    let mut cycle = |change: &dyn Fn(&mut Inputs)| {
        let mut inputs = Inputs::default();
        change(&mut inputs);
        log.cycle(&inputs)
    };
    cycle(&|inputs| (inputs.launch_valid, inputs.launch_entries) = (true, 16));
    let ready = cycle(&|inputs| {
        (inputs.allocate_valid, inputs.allocate_store) = (true, true);
        inputs.allocate_slot = 15;
    });
    assert!(ready.allocate_ready);
    let given = cycle(&|_| {});
    assert_eq!((given.allocated_address, given.allocated_data), (240, 255));
    for entry in [240, 255] {
        cycle(&|inputs| {
            (inputs.write_valid, inputs.write_entry) = (true, entry);
            inputs.write_data[0] = entry.into();
        });
    }
    for (slot, entry) in [(15, 240), (15, 255), (14, 240), (7, 112)] {
        cycle(&|inputs| {
            (inputs.replay_valid, inputs.replay_slot) = (true, slot);
            inputs.replay_entry = entry;
        });
        let answer = cycle(&|_| {});
        let is_own = slot == 15;
        assert_eq!(
            (answer.replayed_valid, answer.read_denied),
            (is_own, !is_own)
        );
        assert!(!is_own || answer.read_data[0] == u64::from(entry));
    }
}
