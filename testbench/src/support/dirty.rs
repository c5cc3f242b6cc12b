//! Dirty bits that tests drive by hand, in all back ends at once.

use faultline_sim::preempt::dirty_bits::{Inputs, Outputs, Parameters};

use crate::bench::Bench;
use crate::blocks::{self, DirtyBits};

/// These are dirty bits in all back ends, with the steps that tests take.
pub struct Bits {
    bench: Bench<DirtyBits>,
    /// These are the inputs of the next cycle. Writes and walks that are accepted are not requested again, and a clear is
    /// requested once.
    pub inputs: Inputs,
    /// This is the number of cycles so far.
    pub cycle: u64,
    /// These are the rows that were taken: the cycle, the row and its lanes.
    pub given: Vec<(u64, u64, u64)>,
    /// The last walk has reported these numbers of rows and lanes.
    pub total: Option<(u64, u64)>,
}

impl Bits {
    /// Builds clean bits of a configuration; what they offer is taken.
    ///
    /// # Panics
    /// If there is no such configuration, or the back ends differ.
    #[must_use]
    pub fn new(config: &str) -> Self {
        let mut bits = Self {
            bench: blocks::bench::<DirtyBits>(config).unwrap(),
            inputs: Inputs::default(),
            cycle: 0,
            given: Vec::new(),
            total: None,
        };
        bits.reset();
        bits.inputs.dirty_ready = true;
        bits.inputs.total_ready = true;
        bits
    }

    /// Runs a cycle with `reset` set.
    pub fn reset(&mut self) {
        self.inputs.reset = true;
        self.cycle();
        self.inputs.reset = false;
    }

    /// Gives the sizes of the block.
    fn parameters(&self) -> Parameters {
        *self.bench.parameters()
    }

    /// Runs a cycle with `inputs`, and gives the outputs that all back ends agree on.
    ///
    /// # Panics
    /// If the back ends differ.
    pub fn cycle(&mut self) -> Outputs {
        let outputs = self.bench.run(&self.inputs);
        self.inputs.write_valid &= !outputs.write_ready;
        self.inputs.walk_valid &= !outputs.walk_ready;
        self.inputs.clear_valid = false;
        if outputs.dirty_valid && self.inputs.dirty_ready {
            let row = (self.cycle, outputs.dirty_row, outputs.dirty_lanes);
            self.given.push(row);
        }
        if outputs.total_valid && self.inputs.total_ready {
            self.total = Some((outputs.total_rows, outputs.total_lanes));
        }
        self.cycle += 1;
        outputs
    }

    /// Runs this number of cycles.
    pub fn rest(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.cycle();
        }
    }

    /// Lets a port write lanes of a row from the next cycle on.
    ///
    /// # Panics
    /// If the port still wants to write something else.
    pub fn request(&mut self, port: usize, row: u64, lanes: u64) {
        assert_eq!(self.inputs.write_valid >> port & 1, 0);
        self.inputs.write_valid |= 1 << port;
        self.inputs.write_row[port] = row;
        self.inputs.write_lanes[port] = lanes;
    }

    /// Writes lanes of a row, and waits until the write has acted.
    pub fn write(&mut self, row: u64, lanes: u64) {
        self.request(0, row, lanes);
        while self.inputs.write_valid != 0 {
            self.cycle();
        }
        self.rest(1);
    }

    /// Writes these rows whole, two in a cycle.
    pub fn fill(&mut self, rows: impl IntoIterator<Item = u64>) {
        let all = self.parameters().all_lanes();
        let mut rows = rows.into_iter().peekable();
        while rows.peek().is_some() || self.inputs.write_valid != 0 {
            for port in 0..2 {
                if self.inputs.write_valid >> port & 1 == 0
                    && let Some(row) = rows.next()
                {
                    self.request(port, row, all);
                }
            }
            self.cycle();
        }
        self.rest(1);
    }

    /// Clears these groups in the next cycle.
    pub fn clear(&mut self, first: u64, last: u64) {
        self.inputs.clear_valid = true;
        (self.inputs.clear_first, self.inputs.clear_last) = (first, last);
    }

    /// Wants a walk of these groups from the next cycle on.
    pub fn walk(&mut self, first: u64, last: u64, saves: bool) {
        (self.inputs.walk_first, self.inputs.walk_last) = (first, last);
        (self.inputs.walk_valid, self.inputs.walk_saves) = (true, saves);
        self.total = None;
        self.given.clear();
    }

    /// Runs until the walk has ended, and gives the numbers of rows and lanes that it has reported.
    ///
    /// # Panics
    /// If it has not ended after 20,000 cycles.
    pub fn end(&mut self) -> (u64, u64) {
        let start = self.cycle;
        while self.total.is_none() {
            self.cycle();
            assert!(self.cycle < start + 20_000, "the walk does not end");
        }
        self.total.unwrap()
    }

    /// Saves these groups, and gives the rows with their lanes.
    ///
    /// # Panics
    /// If the walk reports other numbers than it has given.
    pub fn save(&mut self, first: u64, last: u64) -> Vec<(u64, u64)> {
        self.walk(first, last, true);
        let total = self.end();
        let rows: Vec<_> = self.given.iter().map(|it| (it.1, it.2)).collect();
        let lanes = rows.iter().map(|(_, lanes)| u64::from(lanes.count_ones()));
        assert_eq!(total, (rows.len() as u64, lanes.sum()));
        rows
    }

    /// Saves all groups, and gives the rows with their lanes.
    pub fn save_all(&mut self) -> Vec<(u64, u64)> {
        self.save(0, self.parameters().groups() - 1)
    }

    /// Counts the rows and the lanes of these groups.
    ///
    /// # Panics
    /// If a row is given.
    pub fn count(&mut self, first: u64, last: u64) -> (u64, u64) {
        self.walk(first, last, false);
        let total = self.end();
        assert!(self.given.is_empty());
        total
    }
}
