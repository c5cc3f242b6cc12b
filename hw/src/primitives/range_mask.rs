//! A mask of a range: the AND of two thermometer codes, where a comparison for each number would cost an adder for each.

use rust_hdl::prelude::*;

/// Gives the mask of a range of `POSITIONS` positions with numbers of `POSITION` bits: a bit for each position.
#[derive(LogicBlock)]
pub struct RangeMask<const POSITIONS: usize, const POSITION: usize> {
    /// Lowest position of the range.
    pub first: Signal<In, Bits<POSITION>>,
    /// The range begins one position above `first`.
    pub beyond: Signal<In, Bit>,
    /// Highest position of the range.
    pub last: Signal<In, Bits<POSITION>>,
    /// Positions in the range, one bit each.
    pub covered: [Signal<Out, Bit>; POSITIONS],
}

impl<const POSITIONS: usize, const POSITION: usize> Default for RangeMask<POSITIONS, POSITION> {
    fn default() -> Self {
        assert!(
            1 << POSITION == POSITIONS,
            "{POSITION} bits do not number {POSITIONS}"
        );
        Self {
            first: Signal::default(),
            beyond: Signal::default(),
            last: Signal::default(),
            covered: std::array::from_fn(|_| Signal::default()),
        }
    }
}

crate::part!([const POSITIONS: usize, const POSITION: usize] RangeMask<POSITIONS, POSITION>);

impl<const POSITIONS: usize, const POSITION: usize> Logic for RangeMask<POSITIONS, POSITION> {
    fn update(&mut self) {
        let first = self.first.val().index() + usize::from(self.beyond.val());
        let last = self.last.val().index();
        for (number, covered) in self.covered.iter_mut().enumerate() {
            covered.next = (first..=last).contains(&number);
        }
    }

    fn connect(&mut self) {
        self.covered
            .iter_mut()
            .for_each(|covered| covered.connect());
    }

    fn hdl(&self) -> Verilog {
        crate::primitives::instance(
            include_str!("range_mask.v"),
            &[("POSITION", POSITION), ("POSITIONS", POSITIONS)],
        )
    }
}
