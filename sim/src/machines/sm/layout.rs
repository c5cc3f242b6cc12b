//! Where the registers and the shared memory of thread blocks lie, as the checkpoint engine numbers them.

use super::work::Work;

/// Where the warps' registers and the blocks' shared memory lie.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// Rows of a warp, one for a register of 32 bits in each lane and then two for each of 64.
    pub rows: u64,
    /// Registers of 32 bits.
    narrow: u64,
    /// Beats of shared memory of a slot.
    pub shared: u64,
    /// Rows that are in use, and beats of shared memory that are.
    pub used_rows: u64,
    pub used_shared: u64,
    group_bits: usize,
}

impl Layout {
    /// The layout of this number of slots.
    pub fn new(work: &Work, slots: usize, group_bits: usize) -> Self {
        let launch = work.computation.as_ref();
        let registers = launch.map_or((0, 0), |work| {
            (work.program.registers(), work.program.narrow())
        });
        let (registers, narrow) = (u64::from(registers.0), u64::from(registers.1));
        let shared = launch.map_or(0, |work| work.launch.shared_memory);
        let rows = (2 * registers - narrow).next_multiple_of(1 << group_bits);
        let rows = rows.max(1 << group_bits);
        let warps = slots * work.warps_per_block;
        let shared = u64::from(shared).div_ceil(32);
        Self {
            rows,
            narrow,
            shared,
            used_rows: rows * warps as u64,
            used_shared: shared * slots as u64,
            group_bits,
        }
    }

    /// The first row of a register of a warp, and how many it has.
    pub fn rows_of(&self, register: u8) -> (u64, u64) {
        let register = u64::from(register);
        match register.checked_sub(self.narrow) {
            None => (register, 1),
            Some(wide) => (self.narrow + 2 * wide, 2),
        }
    }

    /// The register of a row of a warp, and which half of its bits.
    pub const fn register_of(&self, row: u64) -> (u8, u32) {
        match row.checked_sub(self.narrow) {
            None => (row as u8, 0),
            Some(wide) => ((self.narrow + wide / 2) as u8, (wide % 2) as u32),
        }
    }

    /// The groups of rows of a warp.
    pub fn groups(&self, warp: usize) -> (u64, u64) {
        let groups = self.rows >> self.group_bits;
        (warp as u64 * groups, (warp as u64 + 1) * groups - 1)
    }
}
