//! An L1 TLB that tests drive by hand, in all back ends at once.

use faultline_sim::sm::l1_tlb::{
    CANCELLED, DENIED, FAR, Inputs, NACK, OF_PAGE, Outputs, Page, TRANSLATION,
};

pub use super::page;
use crate::bench::Bench;
use crate::blocks::{self, L1Tlb};

/// This is an L1 TLB in all back ends, with the steps that tests take.
pub struct Tlb {
    bench: Bench<L1Tlb>,
    /// The GMMU can hold this number of far faults.
    pub far_limit: u8,
    /// Far faults are reported.
    pub report_faults: bool,
}

/// This is the answer to a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The page is in this frame of 4 KB.
    Hit(u32),
    /// The page is not known, or not for this access.
    Miss,
    /// The page has a far fault.
    Fault,
    /// The access is denied.
    Denied,
}

/// Gives the answer that a cycle shows, if it shows one.
///
/// # Panics
/// If it shows more than one, or one without a check.
#[must_use]
pub fn answer(outputs: &Outputs) -> Option<Answer> {
    let reported = [
        outputs.answer_hit,
        outputs.answer_fault,
        outputs.answer_denied,
    ];
    match reported {
        [false, false, false] => outputs.answer_valid.then_some(Answer::Miss),
        _ if !outputs.answer_valid => panic!("an answer without a check: {outputs:?}"),
        [true, false, false] => Some(Answer::Hit(outputs.answer_pfn)),
        [false, true, false] => Some(Answer::Fault),
        [false, false, true] => Some(Answer::Denied),
        _ => panic!("more than one answer: {outputs:?}"),
    }
}

/// Gives the walk that a cycle offers, if it offers one.
#[must_use]
pub fn walk(outputs: &Outputs) -> Option<Page> {
    outputs.walk_valid.then_some(Page {
        vpn: outputs.walk_vpn,
        asid: outputs.walk_asid,
    })
}

/// Gives the page that a cycle wakes, and whether it wakes all waiting checks.
///
/// # Panics
/// If it wakes all waiting checks without a wake-up.
#[must_use]
pub fn wake(outputs: &Outputs) -> Option<(Page, bool)> {
    assert!(outputs.wake_valid || !outputs.wake_all);
    outputs.wake_valid.then_some((
        Page {
            vpn: outputs.wake_vpn,
            asid: outputs.wake_asid,
        },
        outputs.wake_all,
    ))
}

/// Gives the inputs that check a page for a read.
#[must_use]
pub fn check(page: Page) -> Inputs {
    Inputs {
        check_valid: true,
        check_vpn: page.vpn,
        check_asid: page.asid,
        ..Inputs::default()
    }
}

/// Gives the inputs that answer a walk; a translation may not be written.
#[must_use]
pub fn fill(page: Page, kind: u8, pfn: u32) -> Inputs {
    Inputs {
        fill_valid: true,
        fill_kind: kind,
        fill_vpn: page.vpn,
        fill_asid: page.asid,
        fill_pfn: pfn,
        ..Inputs::default()
    }
}

/// Gives the inputs of an invalidation.
#[must_use]
pub fn invalidate(page: Page, scope: u8) -> Inputs {
    Inputs {
        invalidate_valid: true,
        invalidate_scope: scope,
        invalidate_vpn: page.vpn,
        invalidate_asid: page.asid,
        ..Inputs::default()
    }
}

impl Tlb {
    /// Builds the TLB of a configuration, and resets it.
    ///
    /// # Panics
    /// If there is no such configuration, or the back ends differ.
    #[must_use]
    pub fn new(config: &str) -> Self {
        let mut tlb = Self {
            bench: blocks::bench::<L1Tlb>(config).unwrap(),
            far_limit: 4,
            report_faults: false,
        };
        tlb.reset();
        tlb
    }

    /// Runs a cycle with `reset` set.
    pub fn reset(&mut self) {
        self.cycle(&Inputs {
            reset: true,
            ..Inputs::default()
        });
    }

    /// Runs a cycle with these inputs, and gives the outputs that all back ends agree on.
    ///
    /// # Panics
    /// If the back ends differ.
    pub fn cycle(&mut self, inputs: &Inputs) -> Outputs {
        let inputs = Inputs {
            far_limit: self.far_limit,
            report_faults: self.report_faults,
            ..inputs.clone()
        };
        self.bench.run(&inputs)
    }

    /// Runs a cycle without any request.
    pub fn rest(&mut self) -> Outputs {
        self.cycle(&Inputs::default())
    }

    fn request(&mut self, inputs: &Inputs) -> Answer {
        assert!(self.cycle(inputs).check_ready);
        answer(&self.rest()).expect("a check is answered in the next cycle")
    }

    /// Checks a page for a read.
    pub fn read(&mut self, page: Page) -> Answer {
        self.request(&check(page))
    }

    /// Checks a page for a write.
    pub fn write(&mut self, page: Page) -> Answer {
        self.request(&Inputs {
            check_write: true,
            ..check(page)
        })
    }

    /// Takes every walk that is offered in this number of cycles.
    pub fn walks_in(&mut self, cycles: usize) -> Vec<Page> {
        let take = Inputs {
            walk_ready: true,
            ..Inputs::default()
        };
        let offers: Vec<_> = (0..cycles).map(|_| walk(&self.cycle(&take))).collect();
        offers.into_iter().flatten().collect()
    }

    /// Takes every walk that is offered in 12 cycles.
    pub fn walks(&mut self) -> Vec<Page> {
        self.walks_in(12)
    }

    /// Answers a walk, and gives the wake-up that follows.
    ///
    /// # Panics
    /// If a wake-up comes early, or there are two.
    pub fn answer_walk(&mut self, inputs: &Inputs) -> Option<(Page, bool)> {
        let early = [self.cycle(inputs), self.rest()];
        assert!(early.iter().all(|outputs| !outputs.wake_valid));
        let woken = wake(&self.rest());
        assert_eq!(wake(&self.rest()), None);
        woken
    }

    /// Fills a page for which a walk is under way, and gives the wake-up that follows.
    pub fn translate(&mut self, page: Page, pfn: u32) -> Option<(Page, bool)> {
        self.answer_walk(&fill(page, TRANSLATION, pfn))
    }

    /// Denies a page for which a walk is under way, and gives the wake-up that follows.
    pub fn deny(&mut self, page: Page) -> Option<(Page, bool)> {
        self.answer_walk(&fill(page, DENIED, 0))
    }

    /// Cancels a page for which a walk is under way, and gives the wake-up that follows.
    pub fn cancel(&mut self, page: Page) -> Option<(Page, bool)> {
        self.answer_walk(&fill(page, CANCELLED, 0))
    }

    /// Reports a page for which a walk is under way as far, and gives the wake-up that follows.
    pub fn far(&mut self, page: Page) -> Option<(Page, bool)> {
        self.answer_walk(&fill(page, FAR, 0))
    }

    /// Answers Nack to a walk that is under way, and gives the wake-up that follows.
    pub fn nack(&mut self, page: Page) -> Option<(Page, bool)> {
        self.answer_walk(&fill(page, NACK, 0))
    }

    /// Resolves a far page, and rests for a cycle.
    pub fn resolve(&mut self, page: Page) {
        self.cycle(&Inputs {
            resolve_valid: true,
            resolve_vpn: page.vpn,
            resolve_asid: page.asid,
            ..Inputs::default()
        });
        self.rest();
    }

    /// Invalidates a page.
    pub fn forget(&mut self, page: Page) {
        self.forget_all_of(page, OF_PAGE);
    }

    /// Invalidates what the scope says.
    ///
    /// # Panics
    /// If a check is ready meanwhile.
    pub fn forget_all_of(&mut self, page: Page, scope: u8) {
        assert!(!self.cycle(&invalidate(page, scope)).check_ready);
    }

    /// Misses a page, and takes its walk.
    ///
    /// # Panics
    /// If the page is known, or another walk is offered.
    pub fn miss(&mut self, page: Page) {
        assert_eq!(self.read(page), Answer::Miss);
        assert_eq!(self.walks(), [page]);
    }

    /// Brings a page in that may not be written.
    ///
    /// # Panics
    /// If it is known already, or not woken.
    pub fn load(&mut self, page: Page, pfn: u32) {
        self.miss(page);
        assert_eq!(self.translate(page, pfn), Some((page, false)));
    }
}
