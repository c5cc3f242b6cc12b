//! Warps by what they do: a cycle looks at sets, not at each warp.

use super::{Class, FreeUnits, Instruction, SmPipeline, Warp};
use crate::bits::put;
use crate::sm::scoreboard::{BUFFERED, Scoreboard};

/// Sets of warps, a bit each.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sets {
    /// Those that have begun, and neither ended nor faulted.
    pub running: u64,
    /// Those of which a squashed instruction is to be fetched again.
    pub refetch: u64,
    /// Those that issued something in the cycle before.
    pub issued: u64,
    /// Those with an instruction that is buffered or in flight.
    pub busy: u64,
    /// Those for which the fetch stops.
    pub stopped: u64,
    /// Those with a buffered instruction, and those with as many as there may be.
    pub buffered: u64,
    pub full: u64,
    /// Those whose first buffered instruction waits for no result and no source.
    pub free: u64,
    /// Those whose first buffered instruction needs the unit for special functions, the memory unit, or also a place in the
    /// queue.
    pub special: u64,
    pub memory: u64,
    pub global: u64,
}

impl Sets {
    /// Those that run, or have something buffered or in flight.
    pub fn undrained(&self) -> u64 {
        self.running | self.refetch | self.busy
    }

    /// Those for which something is to be fetched.
    pub fn wants_fetch(&self) -> u64 {
        self.running & !self.full & !self.stopped
    }

    /// Those whose first buffered instruction may be issued, as far as its operands and these units are concerned.
    pub fn wants_issue(&self, units: &FreeUnits<'_>) -> u64 {
        let needs = |set: u64, is_free: bool| if is_free { 0 } else { set };
        let lacking = needs(self.special, units.special)
            | needs(self.memory, units.memory)
            | needs(self.global, units.place);
        self.running & self.free & !lacking
    }
}

impl SmPipeline {
    /// Changes the scoreboard of a warp or what is buffered of it, and with that its sets. A warp that does not exist changes
    /// nothing.
    pub(super) fn change(
        &mut self,
        warp: u8,
        change: impl FnOnce(&mut Scoreboard, &mut [Instruction; BUFFERED]),
    ) {
        let Some(Warp {
            scoreboard, buffer, ..
        }) = self.warps.get_mut(usize::from(warp))
        else {
            return;
        };
        change(scoreboard, buffer);
        let buffered = scoreboard.buffered();
        let first = buffer[0].class;
        let sets = &mut self.sets;
        for (set, is_in) in [
            (&mut sets.busy, scoreboard.busy()),
            (&mut sets.stopped, scoreboard.stopped()),
            (&mut sets.buffered, buffered > 0),
            (&mut sets.full, buffered == BUFFERED),
            (&mut sets.free, scoreboard.first_is_free()),
            (&mut sets.special, first == Class::Special),
            (&mut sets.memory, first.is_memory()),
            (&mut sets.global, first.is_global()),
        ] {
            put(set, warp, is_in);
        }
    }
}
