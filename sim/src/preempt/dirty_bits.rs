//! The reference model of the dirty bits: its page (`docs/blocks/dirty_bits.md`) as plain data.

use std::collections::{BTreeMap, BTreeSet};

use crate::ports::Model;

mod interface;

pub use interface::{Inputs, Outputs, Parameters};

/// A walk over dirty rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walk {
    /// It saves, and does not count alone.
    pub saves: bool,
    /// The first group that it has still to look at.
    from: u64,
    /// The last group that it looks at.
    last: u64,
    /// The group that it comes to next.
    pub found: Option<u64>,
    /// The rows of its group that it has still to take.
    pub rows: BTreeSet<u64>,
    /// The row that it offers, with its lanes.
    pub offer: Option<(u64, u64)>,
    /// It took a row in the cycle before.
    taken: bool,
    /// Rows so far.
    pub row_count: u64,
    /// Lanes so far.
    pub lane_count: u64,
    /// It has ended, and its counts are valid.
    pub counts_valid: bool,
}

/// The dirty bits.
#[derive(Clone, Debug)]
pub struct DirtyBits {
    parameters: Parameters,
    /// The dirty lanes of each row that has some.
    dirty: BTreeMap<u64, u64>,
    /// The write that acts, for even and for odd rows: its row and lanes.
    acting: [Option<(u64, u64)>; 2],
    /// The groups that are being cleared, the first and the last.
    clearing: Option<(u64, u64)>,
    /// The port that goes first if both write to rows of one half.
    first: usize,
    walk: Option<Walk>,
}

/// The half of a row.
const fn half(row: u64) -> usize {
    (row % 2) as usize
}

impl DirtyBits {
    /// The dirty lanes of a row.
    #[must_use]
    pub fn lanes(&self, row: u64) -> u64 {
        self.dirty.get(&row).copied().unwrap_or(0)
    }

    /// The dirty rows.
    pub fn rows(&self) -> impl Iterator<Item = u64> {
        self.dirty.keys().copied()
    }

    /// The write that acts in a half.
    #[must_use]
    pub const fn acting(&self, half: usize) -> Option<(u64, u64)> {
        self.acting[half]
    }

    /// The groups that are being cleared.
    #[must_use]
    pub const fn clearing(&self) -> Option<(u64, u64)> {
        self.clearing
    }

    /// The walk.
    #[must_use]
    pub const fn walk(&self) -> Option<&Walk> {
        self.walk.as_ref()
    }

    /// A row of a group is dirty.
    #[must_use]
    pub fn is_dirty(&self, group: u64) -> bool {
        let first = group << self.parameters.group_bits;
        let next = (group + 1) << self.parameters.group_bits;
        self.dirty.range(first..next).next().is_some()
    }

    /// The walk waits for a half, which therefore accepts no write.
    #[must_use]
    pub fn refuses(&self, wanted: usize) -> bool {
        self.walk.as_ref().is_some_and(|walk| {
            let next = walk.rows.first();
            walk.offer.is_none()
                && next.is_some_and(|&row| half(row) == wanted)
                && self.acting[wanted].is_some()
        })
    }

    /// Both writes are of one half.
    #[must_use]
    pub const fn conflict(inputs: &Inputs) -> bool {
        inputs.write_valid == 3 && half(inputs.write_row[0]) == half(inputs.write_row[1])
    }

    fn outputs(&self, inputs: &Inputs) -> Outputs {
        let mut outputs = Outputs {
            walk_ready: self.walk.is_none(),
            ..Outputs::default()
        };
        if !self.parameters.by_lane {
            outputs.dirty_lanes = self.parameters.all_lanes();
        }
        for port in 0..2 {
            let refused = self.refuses(half(inputs.write_row[port]));
            let later = Self::conflict(inputs) && self.first != port;
            outputs.write_ready |= u8::from(!refused && !later) << port;
        }
        if let Some(walk) = &self.walk {
            if let Some((row, lanes)) = walk.offer {
                outputs.dirty_valid = true;
                (outputs.dirty_row, outputs.dirty_lanes) = (row, lanes);
            }
            if walk.counts_valid {
                outputs.total_valid = true;
                (outputs.total_rows, outputs.total_lanes) = (walk.row_count, walk.lane_count);
            }
        }
        outputs
    }

    /// The row that the walk takes in this cycle.
    #[must_use]
    pub fn takes(&self, inputs: &Inputs) -> Option<u64> {
        let walk = self.walk.as_ref()?;
        let row = *walk.rows.first()?;
        let room = walk.offer.is_none() || inputs.dirty_ready;
        let group = self.parameters.group(row);
        let clears = |(first, last): (u64, u64)| (first..=last).contains(&group);
        let free = self.acting[half(row)].is_none() && !self.clearing.is_some_and(clears);
        (room && free).then_some(row)
    }

    /// The walk goes on. All that it looks at is as it was at the beginning of the cycle.
    fn walk_on(&mut self, inputs: &Inputs) {
        let taken = self.takes(inputs);
        let Some(mut walk) = self.walk.take() else {
            return;
        };
        if walk.counts_valid {
            self.walk = Some(walk).filter(|_| !inputs.total_ready);
            return;
        }
        let was_empty = walk.rows.is_empty();
        let ends = was_empty && walk.found.is_none() && walk.offer.is_none() && !walk.taken;
        if inputs.dirty_ready {
            walk.offer = None;
        }

        // The row that it takes.
        walk.taken = taken.is_some();
        if let Some(row) = taken {
            let lanes = self.lanes(row);
            walk.row_count += 1;
            walk.lane_count += u64::from(lanes.count_ones());
            walk.rows.remove(&row);
            if walk.saves {
                walk.offer = Some((row, lanes));
            }
        }

        // The group that it comes to, and the one that is found behind that.
        let leaves = was_empty || (taken.is_some() && walk.rows.is_empty());
        let comes = walk.found.filter(|_| leaves);
        let next = (walk.from..=walk.last).find(|&group| self.is_dirty(group));
        if let Some(group) = comes {
            let of_group = |row: &u64| self.parameters.group(*row) == group;
            walk.rows = self.rows().filter(of_group).collect();
        }
        if walk.found.is_none() || comes.is_some() {
            walk.found = next;
            walk.from = next.map_or(walk.from, |group| group + 1);
        }
        walk.counts_valid = ends && next.is_none();

        // What is saved is dirty no more, and what is cleared is left.
        if let Some(row) = taken.filter(|_| walk.saves) {
            self.dirty.remove(&row);
        }
        if let Some((first, last)) = self.clearing {
            walk.rows
                .retain(|&row| !(first..=last).contains(&self.parameters.group(row)));
        }
        self.walk = Some(walk);
    }

    fn act(&mut self, inputs: &Inputs, outputs: &Outputs) {
        self.walk_on(inputs);

        // Writes, and clearing, which comes after them.
        for (row, lanes) in std::mem::take(&mut self.acting).into_iter().flatten() {
            let lanes = match self.parameters.by_lane {
                true => lanes,
                false => self.parameters.all_lanes(),
            };
            *self.dirty.entry(row).or_insert(0) |= lanes;
        }
        if let Some((first, last)) = self.clearing.take() {
            let group = |row: u64| self.parameters.group(row);
            self.dirty
                .retain(|&row, _| !(first..=last).contains(&group(row)));
        }

        // What is accepted.
        for port in 0..2 {
            let accepted = outputs.write_ready >> port & 1 == 1;
            if let Some((row, lanes)) = inputs.write(port).filter(|_| accepted)
                && lanes != 0
            {
                self.acting[half(row)] = Some((row, lanes));
            }
        }
        let accepts = inputs.write_valid & outputs.write_ready != 0;
        if Self::conflict(inputs) && accepts {
            self.first = 1 - self.first;
        }
        if inputs.clear_valid {
            self.clearing = Some((inputs.clear_first, inputs.clear_last));
        }
        if inputs.walk_valid && outputs.walk_ready {
            self.walk = Some(Walk {
                saves: inputs.walk_saves,
                from: inputs.walk_first,
                last: inputs.walk_last,
                found: None,
                rows: BTreeSet::new(),
                offer: None,
                taken: false,
                row_count: 0,
                lane_count: 0,
                counts_valid: false,
            });
        }
    }
}

impl Model for DirtyBits {
    type Parameters = Parameters;
    type Inputs = Inputs;
    type Outputs = Outputs;

    fn new(parameters: Parameters) -> Self {
        Self {
            parameters,
            dirty: BTreeMap::new(),
            acting: [None; 2],
            clearing: None,
            first: 0,
            walk: None,
        }
    }

    fn cycle(&mut self, inputs: &Inputs) -> Outputs {
        let outputs = self.outputs(inputs);
        if inputs.reset {
            *self = Self::new(self.parameters);
            return outputs;
        }
        self.act(inputs, &outputs);
        outputs
    }
}
