//! An L2 TLB that tests drive by hand, in all back ends at once.

use faultline_sim::mmu::l2_tlb::{Inputs, Outputs, Page};

pub use super::page;
use crate::bench::Bench;
use crate::blocks::{self, L2Tlb};

/// Everything that a test waits for happens within this number of cycles.
const PATIENCE: usize = 2000;

/// This is an L2 TLB in all back ends, with the steps that tests take.
pub struct L2 {
    bench: Bench<L2Tlb>,
    /// This is the number of cycles since the reset.
    pub cycles: u64,
}

/// This is what a walk finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The page is in this frame of 4 KB.
    pub pfn: u32,
    /// The page may be written.
    pub writable: bool,
    /// The page is not marked as written yet.
    pub clean: bool,
}

/// Gives a page of any address space.
#[must_use]
pub fn page_in(asid: u8, vpn: u64) -> Page {
    Page { vpn, asid }
}

/// Gives a frame that may be written and is dirty.
#[must_use]
pub fn found(pfn: u32) -> Found {
    Found {
        pfn,
        writable: true,
        clean: false,
    }
}

/// Adds to inputs that an SM requests a page.
///
/// # Panics
/// If there is no such SM.
pub fn request(inputs: &mut Inputs, sm: usize, page: Page, write: bool) {
    inputs.request_valid |= 1 << sm;
    inputs.request_vpn[sm] = page.vpn;
    inputs.request_asid[sm] = page.asid.into();
    inputs.request_write |= u16::from(write) << sm;
}

/// Gives the inputs that offer a fill.
#[must_use]
pub fn fill(page: Page, found: Found, level: u8) -> Inputs {
    Inputs {
        fill_valid: true,
        fill_vpn: page.vpn,
        fill_asid: page.asid,
        fill_pfn: found.pfn,
        fill_writable: found.writable,
        fill_clean: found.clean,
        fill_level: level,
        ..Inputs::default()
    }
}

/// Gives the inputs that offer an invalidation.
#[must_use]
pub fn invalidate(scope: u8, page: Page) -> Inputs {
    Inputs {
        invalidate_valid: true,
        invalidate_scope: scope,
        invalidate_vpn: page.vpn,
        invalidate_asid: page.asid,
        ..Inputs::default()
    }
}

/// Gives the answer that a cycle shows: a bit for each SM that it is for, its page, and what was found.
#[must_use]
pub fn answer(outputs: &Outputs) -> Option<(u16, Page, Found)> {
    outputs.answer_valid.then_some((
        outputs.answer_to,
        page_in(outputs.answer_asid, outputs.answer_vpn),
        Found {
            pfn: outputs.answer_pfn,
            writable: outputs.answer_writable,
            clean: outputs.answer_clean,
        },
    ))
}

/// Gives the miss that a cycle shows to an SM, and whether it is of a write.
///
/// # Panics
/// If there is no such SM.
#[must_use]
pub fn miss(outputs: &Outputs, sm: usize) -> Option<(Page, bool)> {
    let of = page_in(outputs.miss_asid[sm] as u8, outputs.miss_vpn[sm]);
    let write = (outputs.miss_write >> sm) & 1 == 1;
    ((outputs.miss_valid >> sm) & 1 == 1).then_some((of, write))
}

impl L2 {
    /// Builds the TLB of a configuration, resets it, and waits until it has forgotten everything.
    ///
    /// # Panics
    /// If there is no such configuration, or the back ends differ.
    #[must_use]
    pub fn new(config: &str) -> Self {
        let mut tlb = Self {
            bench: blocks::bench::<L2Tlb>(config).unwrap(),
            cycles: 0,
        };
        tlb.reset();
        tlb.rest_for(2 * tlb.sets() + 2);
        tlb
    }

    /// Runs a cycle with `reset` set.
    pub fn reset(&mut self) {
        self.cycle(&Inputs {
            reset: true,
            ..Inputs::default()
        });
        self.cycles = 0;
    }

    /// Gives the number of sets.
    #[must_use]
    pub fn sets(&self) -> u64 {
        self.bench.parameters().sets() as u64
    }

    /// Gives the number of ways.
    #[must_use]
    pub fn ways(&self) -> u64 {
        self.bench.parameters().ways as u64
    }

    /// Gives a page of a set; its number counts the pages of that set.
    #[must_use]
    pub fn of_set(&self, set: u64, number: u64) -> Page {
        page(number * self.sets() + set)
    }

    /// Runs a cycle with these inputs, and gives the outputs that all back ends agree on.
    ///
    /// # Panics
    /// If the back ends differ.
    pub fn cycle(&mut self, inputs: &Inputs) -> Outputs {
        self.cycles += 1;
        self.bench.run(inputs)
    }

    /// Runs a cycle without a request.
    pub fn rest(&mut self) -> Outputs {
        self.cycle(&Inputs::default())
    }

    /// Rests for this number of cycles.
    pub fn rest_for(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.rest();
        }
    }

    /// Offers a fill until it is accepted.
    ///
    /// # Panics
    /// If it is not accepted within 2,000 cycles.
    pub fn fill(&mut self, page: Page, found: Found, level: u8) {
        let inputs = fill(page, found, level);
        let taken = (0..PATIENCE).any(|_| self.cycle(&inputs).fill_ready);
        assert!(taken, "the fill of {page:?} is not accepted");
    }

    /// Offers an invalidation until it is acknowledged, and gives the cycles that this took.
    ///
    /// # Panics
    /// If it is not acknowledged within 2,000 cycles.
    pub fn invalidate(&mut self, scope: u8, page: Page) -> u64 {
        let before = self.cycles;
        let inputs = invalidate(scope, page);
        let done = (0..PATIENCE).any(|_| self.cycle(&inputs).invalidate_ready);
        assert!(done, "the invalidation is not acknowledged");
        self.cycles - before
    }

    /// Lets an SM request a page alone; gives what it hits, or takes its miss.
    ///
    /// # Panics
    /// If the request is not accepted, or does not end in the third cycle after that.
    pub fn request(&mut self, sm: usize, page: Page, write: bool) -> Option<Found> {
        let mut inputs = Inputs::default();
        request(&mut inputs, sm, page, write);
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

    /// Lets SM 0 read a page, and gives the frame that it hits.
    pub fn read(&mut self, page: Page) -> Option<u32> {
        self.request(0, page, false).map(|found| found.pfn)
    }
}
