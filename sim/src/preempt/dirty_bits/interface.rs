//! Sizes and ports of the dirty bits.

use crate::ports;

/// The sizes of a register file, and how finely it is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Bits of a row's number.
    pub row_bits: usize,
    /// Bits of a row's number inside its group.
    pub group_bits: usize,
    /// Lanes of a row.
    pub lanes: usize,
    /// There is a bit for each lane, and not for each row alone.
    pub by_lane: bool,
}

impl Parameters {
    /// 256 KB of registers for warps of 32 lanes, allocated by eight rows.
    #[must_use]
    pub const fn paper(by_lane: bool) -> Self {
        Self {
            row_bits: 11,
            group_bits: 3,
            lanes: 32,
            by_lane,
        }
    }

    /// How many rows there are.
    #[must_use]
    pub const fn rows(&self) -> u64 {
        1 << self.row_bits
    }

    /// How many groups there are.
    #[must_use]
    pub const fn groups(&self) -> u64 {
        1 << self.group_number_bits()
    }

    /// The group of a row.
    #[must_use]
    pub const fn group(&self, row: u64) -> u64 {
        row >> self.group_bits
    }

    /// Every lane of a row.
    #[must_use]
    pub const fn all_lanes(&self) -> u64 {
        u64::MAX >> (64 - self.lanes)
    }

    const fn group_number_bits(&self) -> usize {
        self.row_bits - self.group_bits
    }

    const fn lane_count_bits(&self) -> usize {
        self.row_bits + self.lanes.ilog2() as usize + 1
    }
}

ports! {
    /// What goes into the dirty bits in a cycle.
    pub struct Inputs(parameters: Parameters) {
        /// Forgets everything.
        reset: bool = 1,
        /// A register is written back, a bit for each port,
        write_valid: u8 = 2,
        /// into this row,
        write_row: [u64; 2] = (2, parameters.row_bits),
        /// for these lanes.
        write_lanes: [u64; 2] = (2, parameters.lanes),
        /// Groups are forgotten, because their warp has ended,
        clear_valid: bool = 1,
        /// from this one
        clear_first: u64 = parameters.group_number_bits(),
        /// to this one.
        clear_last: u64 = parameters.group_number_bits(),
        /// Dirty rows are wanted,
        walk_valid: bool = 1,
        /// from this group
        walk_first: u64 = parameters.group_number_bits(),
        /// to this one,
        walk_last: u64 = parameters.group_number_bits(),
        /// to be saved, and not to be counted alone.
        walk_saves: bool = 1,
        /// The row that is offered is taken.
        dirty_ready: bool = 1,
        /// What was counted is taken.
        total_ready: bool = 1,
    }
}

ports! {
    /// What the dirty bits show in a cycle.
    pub struct Outputs(parameters: Parameters) {
        /// A write is accepted, a bit for each port.
        write_ready: u8 = 2,
        /// A walk is accepted.
        walk_ready: bool = 1,
        /// A row is to be saved,
        dirty_valid: bool = 1,
        /// this one,
        dirty_row: u64 = parameters.row_bits,
        /// these lanes of it, which are all, always, where lanes are not followed.
        dirty_lanes: u64 = parameters.lanes,
        /// The walk has ended:
        total_valid: bool = 1,
        /// so many rows,
        total_rows: u64 = parameters.row_bits + 1,
        /// and so many lanes of them.
        total_lanes: u64 = parameters.lane_count_bits(),
    }
}

impl Inputs {
    /// The write of a port.
    #[must_use]
    pub const fn write(&self, port: usize) -> Option<(u64, u64)> {
        match self.write_valid >> port & 1 {
            0 => None,
            _ => Some((self.write_row[port], self.write_lanes[port])),
        }
    }
}
