//! An L2 TLB that tests drive by hand, in all back ends at once.

use faultline_sim::mmu::l2_tlb::{Inputs, Outputs, Page};
use faultline_testbench::bench::Bench;
use faultline_testbench::blocks::{self, L2Tlb};

/// Cycles within which anything ends.
const PATIENCE: usize = 2000;

/// The TLB, and what a test does with it.
pub struct L2 {
    bench: Bench<L2Tlb>,
    /// Cycles since the reset.
    pub cycles: u64,
}

/// What a walk finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    pub frame: u32,
    pub writable: bool,
    pub clean: bool,
}

/// A page of space 0.
pub fn page(number: u64) -> Page {
    Page { number, space: 0 }
}

/// A page of another space.
pub fn page_in(space: u8, number: u64) -> Page {
    Page { number, space }
}

/// A frame that may be written and is dirty.
pub fn found(frame: u32) -> Found {
    Found {
        frame,
        writable: true,
        clean: false,
    }
}

/// A request of an SM beside what others ask.
pub fn ask(inputs: &mut Inputs, sm: usize, page: Page, write: bool) {
    inputs.request_valid |= 1 << sm;
    inputs.request_vpn[sm] = page.number;
    inputs.request_asid[sm] = page.space.into();
    inputs.request_write |= u16::from(write) << sm;
}

/// A fill.
pub fn fill(page: Page, found: Found, level: u8) -> Inputs {
    Inputs {
        fill_valid: true,
        fill_vpn: page.number,
        fill_asid: page.space,
        fill_pfn: found.frame,
        fill_writable: found.writable,
        fill_clean: found.clean,
        fill_level: level,
        ..Inputs::default()
    }
}

/// An invalidation.
pub fn invalidate(scope: u8, page: Page) -> Inputs {
    Inputs {
        invalidate_valid: true,
        invalidate_scope: scope,
        invalidate_vpn: page.number,
        invalidate_asid: page.space,
        ..Inputs::default()
    }
}

/// The answer that a cycle shows: to whom, of which page, and what.
pub fn answer(outputs: &Outputs) -> Option<(u16, Page, Found)> {
    outputs.answer_valid.then_some((
        outputs.answer_to,
        page_in(outputs.answer_asid, outputs.answer_vpn),
        Found {
            frame: outputs.answer_pfn,
            writable: outputs.answer_writable,
            clean: outputs.answer_clean,
        },
    ))
}

/// The miss that an SM shows.
pub fn miss(outputs: &Outputs, sm: usize) -> Option<(Page, bool)> {
    let of = page_in(outputs.miss_asid[sm] as u8, outputs.miss_vpn[sm]);
    let write = (outputs.miss_write >> sm) & 1 == 1;
    ((outputs.miss_valid >> sm) & 1 == 1).then_some((of, write))
}

impl L2 {
    /// A TLB of a size after reset, when it has forgotten everything.
    pub fn new(config: &str) -> Self {
        let mut tlb = Self {
            bench: blocks::bench::<L2Tlb>(config).unwrap(),
            cycles: 0,
        };
        tlb.reset();
        tlb.rest_for(2 * tlb.sets() + 2);
        tlb
    }

    pub fn reset(&mut self) {
        self.cycle(&Inputs {
            reset: true,
            ..Inputs::default()
        });
        self.cycles = 0;
    }

    pub fn sets(&self) -> u64 {
        self.bench.parameters().sets() as u64
    }

    pub fn ways(&self) -> u64 {
        self.bench.parameters().ways as u64
    }

    /// A page of a set.
    pub fn of_set(&self, set: u64, number: u64) -> Page {
        page(number * self.sets() + set)
    }

    /// A cycle in which all back ends agree.
    pub fn cycle(&mut self, inputs: &Inputs) -> Outputs {
        self.cycles += 1;
        self.bench
            .cycle(inputs)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    pub fn rest(&mut self) -> Outputs {
        self.cycle(&Inputs::default())
    }

    pub fn rest_for(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.rest();
        }
    }

    /// Offers a fill until it is accepted.
    pub fn fill(&mut self, page: Page, found: Found, level: u8) {
        let inputs = fill(page, found, level);
        let taken = (0..PATIENCE).any(|_| self.cycle(&inputs).fill_ready);
        assert!(taken, "the fill of {page:?} is not accepted");
    }

    /// Offers an invalidation until it is acknowledged, and gives the cycles of that.
    pub fn invalidate(&mut self, scope: u8, page: Page) -> u64 {
        let before = self.cycles;
        let inputs = invalidate(scope, page);
        let done = (0..PATIENCE).any(|_| self.cycle(&inputs).invalidate_ready);
        assert!(done, "the invalidation is not acknowledged");
        self.cycles - before
    }

    /// A request of an SM; gives what it hits, or takes its miss.
    pub fn request(&mut self, sm: usize, page: Page, write: bool) -> Option<Found> {
        let mut inputs = Inputs::default();
        ask(&mut inputs, sm, page, write);
        let taken = (0..PATIENCE).any(|_| self.cycle(&inputs).request_ready == 1 << sm);
        assert!(taken, "the request of {page:?} is not accepted");
        for _ in 0..2 {
            let outputs = self.rest();
            assert!(!outputs.answer_valid && outputs.miss_valid == 0);
        }
        let outputs = self.cycle(&Inputs {
            miss_ready: 1 << sm,
            ..Inputs::default()
        });
        let (hit, missed) = (answer(&outputs), miss(&outputs, sm));
        match (hit, missed) {
            (Some((to, of, what)), None) => {
                assert_eq!((to, of), (1 << sm, page));
                Some(what)
            }
            (None, Some(of)) => {
                assert_eq!((of, outputs.miss_valid), ((page, write), 1 << sm));
                None
            }
            both => panic!("{page:?}: {both:?}"),
        }
    }

    /// A read by SM 0.
    pub fn read(&mut self, page: Page) -> Option<u32> {
        self.request(0, page, false).map(|found| found.frame)
    }
}
