//! How often each of the states of a cell's pins was there, and what turned in it.

use super::circuit::{Circuit, Gate};

/// What an edge counts for: divisible by twice the number of inputs that can share an edge, so that all shares are whole.
pub const EDGE: u64 = 120;

/// The places of a gate's counters. A row is a state of the gate's pins: a bit for each input, and above them the state of a
/// flip-flop.
///
/// In a cycle inputs turn without an order in time. So an input's edge counts half in the row before the cycle's changes and
/// half in the row after them, and so does an edge of an output, whose halves are divided among the inputs that turned it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    inputs: usize,
    outputs: usize,
    rows: usize,
}

impl Layout {
    /// The places of a gate.
    pub fn of(circuit: &Circuit, gate: &Gate) -> Self {
        let cell = circuit.cell(gate);
        let state = usize::from(cell.register.is_some());
        Self {
            inputs: cell.inputs.len(),
            outputs: cell.outputs.len(),
            rows: 1 << (cell.inputs.len() + state),
        }
    }

    /// Rows.
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// Counters.
    pub const fn size(&self) -> usize {
        self.rows * (2 + 2 * self.inputs * (1 + self.outputs))
    }

    /// Cycles that ended in a row.
    pub const fn ended(&self, row: usize) -> usize {
        row
    }

    /// Cycles that began in a row, after the clock's edge and before the inputs turned; of flip-flops alone.
    pub const fn began(&self, row: usize) -> usize {
        self.rows + row
    }

    /// Edges of an input in a row, in parts of [`EDGE`].
    pub const fn input(&self, input: usize, edge: usize, row: usize) -> usize {
        (2 + 2 * input + edge) * self.rows + row
    }

    /// Edges of an output that an input turned in a row, in parts of [`EDGE`].
    pub const fn output(&self, output: usize, input: usize, edge: usize, row: usize) -> usize {
        let pair = (1 + output) * self.inputs + input;
        (2 + 2 * pair + edge) * self.rows + row
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_counter_has_a_place_of_its_own() {
        let layout = Layout {
            inputs: 2,
            outputs: 2,
            rows: 8,
        };
        let mut places = BTreeSet::new();
        for row in 0..8 {
            places.extend([layout.ended(row), layout.began(row)]);
            for input in 0..2 {
                for edge in 0..2 {
                    places.insert(layout.input(input, edge, row));
                    places.extend([0, 1].map(|output| layout.output(output, input, edge, row)));
                }
            }
        }
        assert!(places.into_iter().eq(0..layout.size()));
    }
}
