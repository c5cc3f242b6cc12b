//! Dirty bits that tests drive by hand, in all back ends at once.

use faultline_sim::preempt::dirty_bits::{Inputs, Outputs, Parameters};
use faultline_testbench::bench::Bench;
use faultline_testbench::blocks::{self, DirtyBits};

/// The bits, and what a test does with them.
pub struct Bits {
    bench: Bench<DirtyBits>,
    /// The inputs of the next cycle. Writes and walks that are accepted are not asked again, and a clear is once.
    pub inputs: Inputs,
    pub cycle: u64,
    /// Rows that were taken, with their lanes, and when.
    pub given: Vec<(u64, u64, u64)>,
    /// What the last walk has told.
    pub total: Option<(u64, u64)>,
}

impl Bits {
    /// Clean ones. What is offered is taken.
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

    pub fn reset(&mut self) {
        self.inputs.reset = true;
        self.cycle();
        self.inputs.reset = false;
    }

    pub fn parameters(&self) -> Parameters {
        *self.bench.parameters()
    }

    pub fn cycle(&mut self) -> Outputs {
        let outputs = self
            .bench
            .cycle(&self.inputs)
            .unwrap_or_else(|error| panic!("{error}"));
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

    pub fn rest(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.cycle();
        }
    }

    /// From the next cycle on a port writes.
    pub fn ask(&mut self, port: usize, row: u64, lanes: u64) {
        assert_eq!(self.inputs.write_valid >> port & 1, 0);
        self.inputs.write_valid |= 1 << port;
        self.inputs.write_row[port] = row;
        self.inputs.write_lanes[port] = lanes;
    }

    /// A row is written, and the write has acted.
    pub fn write(&mut self, row: u64, lanes: u64) {
        self.ask(0, row, lanes);
        while self.inputs.write_valid != 0 {
            self.cycle();
        }
        self.rest(1);
    }

    /// Rows are written whole, two in a cycle.
    pub fn fill(&mut self, rows: impl IntoIterator<Item = u64>) {
        let all = self.parameters().all_lanes();
        let mut rows = rows.into_iter().peekable();
        while rows.peek().is_some() || self.inputs.write_valid != 0 {
            for port in 0..2 {
                if self.inputs.write_valid >> port & 1 == 0
                    && let Some(row) = rows.next()
                {
                    self.ask(port, row, all);
                }
            }
            self.cycle();
        }
        self.rest(1);
    }

    /// A clear of these groups in the next cycle.
    pub fn clear(&mut self, first: u64, last: u64) {
        self.inputs.clear_valid = true;
        (self.inputs.clear_first, self.inputs.clear_last) = (first, last);
    }

    /// From the next cycle on a walk is wanted.
    pub fn walk(&mut self, first: u64, last: u64, saves: bool) {
        (self.inputs.walk_first, self.inputs.walk_last) = (first, last);
        (self.inputs.walk_valid, self.inputs.walk_saves) = (true, saves);
        self.total = None;
        self.given.clear();
    }

    /// Runs until the walk has ended. Gives what it has told.
    pub fn end(&mut self) -> (u64, u64) {
        let start = self.cycle;
        while self.total.is_none() {
            self.cycle();
            assert!(self.cycle < start + 20_000, "the walk does not end");
        }
        self.total.unwrap()
    }

    /// Saves these groups. Gives the rows with their lanes.
    pub fn save(&mut self, first: u64, last: u64) -> Vec<(u64, u64)> {
        self.walk(first, last, true);
        let total = self.end();
        let rows: Vec<_> = self.given.iter().map(|it| (it.1, it.2)).collect();
        let lanes = rows.iter().map(|(_, lanes)| u64::from(lanes.count_ones()));
        assert_eq!(total, (rows.len() as u64, lanes.sum()));
        rows
    }

    /// Saves all.
    pub fn save_all(&mut self) -> Vec<(u64, u64)> {
        self.save(0, self.parameters().groups() - 1)
    }

    /// Counts rows and lanes of these groups.
    pub fn count(&mut self, first: u64, last: u64) -> (u64, u64) {
        self.walk(first, last, false);
        let total = self.end();
        assert!(self.given.is_empty());
        total
    }
}
