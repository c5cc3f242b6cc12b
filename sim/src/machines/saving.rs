//! The checkpoint engine with the dirty bits.

use crate::preempt::{checkpoint, dirty_bits};

/// What the checkpoint engine gives the dirty bits: its walks save.
pub(super) fn saving_walk(engine: &checkpoint::Outputs) -> dirty_bits::Inputs {
    dirty_bits::Inputs {
        walk_valid: engine.walk_valid,
        walk_first: engine.walk_first,
        walk_last: engine.walk_last,
        walk_saves: true,
        dirty_ready: engine.dirty_ready,
        total_ready: engine.total_ready,
        ..dirty_bits::Inputs::default()
    }
}

/// What the dirty bits give the checkpoint engine.
pub(super) fn give_dirty(dirty: &dirty_bits::Outputs, engine: &mut checkpoint::Inputs) {
    engine.walk_ready = dirty.walk_ready;
    engine.dirty_valid = dirty.dirty_valid;
    engine.dirty_row = dirty.dirty_row;
    engine.dirty_lanes = dirty.dirty_lanes;
    engine.total_valid = dirty.total_valid;
}
