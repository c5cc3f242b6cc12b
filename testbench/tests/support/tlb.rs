//! An L1 TLB that tests drive by hand, in all back ends at once.

use faultline_sim::sm::l1_tlb::{
    CANCELLED, DENIED, FAR, Inputs, NACK, OF_PAGE, Outputs, Page, TRANSLATION,
};
use faultline_testbench::bench::Bench;
use faultline_testbench::blocks::{self, L1Tlb};

/// The TLB, and what a test does with it.
pub struct Tlb {
    bench: Bench<L1Tlb>,
    /// Far faults that the GMMU can hold.
    pub far_limit: u8,
    /// Far faults are told.
    pub report_faults: bool,
}

/// What a check is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Hit(u32),
    Miss,
    Fault,
    Denied,
}

/// A page of space 0.
pub fn page(number: u64) -> Page {
    Page { number, space: 0 }
}

/// The answer that a cycle shows, if it shows one.
pub fn answer(outputs: &Outputs) -> Option<Answer> {
    let told = [
        outputs.answer_hit,
        outputs.answer_fault,
        outputs.answer_denied,
    ];
    match told {
        [false, false, false] => outputs.answer_valid.then_some(Answer::Miss),
        _ if !outputs.answer_valid => panic!("an answer without a check: {outputs:?}"),
        [true, false, false] => Some(Answer::Hit(outputs.answer_pfn)),
        [false, true, false] => Some(Answer::Fault),
        [false, false, true] => Some(Answer::Denied),
        _ => panic!("more than one answer: {outputs:?}"),
    }
}

/// The walk that a cycle offers, if it offers one.
pub fn walk(outputs: &Outputs) -> Option<Page> {
    outputs.walk_valid.then_some(Page {
        number: outputs.walk_vpn,
        space: outputs.walk_asid,
    })
}

/// The page that a cycle wakes, and whether it wakes everybody.
pub fn wake(outputs: &Outputs) -> Option<(Page, bool)> {
    assert!(outputs.wake_valid || !outputs.wake_all);
    outputs.wake_valid.then_some((
        Page {
            number: outputs.wake_vpn,
            space: outputs.wake_asid,
        },
        outputs.wake_all,
    ))
}

/// A check.
pub fn check(page: Page) -> Inputs {
    Inputs {
        check_valid: true,
        check_vpn: page.number,
        check_asid: page.space,
        ..Inputs::default()
    }
}

/// An answer to a walk; a translation may not be written.
pub fn fill(page: Page, kind: u8, frame: u32) -> Inputs {
    Inputs {
        fill_valid: true,
        fill_kind: kind,
        fill_vpn: page.number,
        fill_asid: page.space,
        fill_pfn: frame,
        ..Inputs::default()
    }
}

/// An invalidation.
pub fn invalidate(page: Page, scope: u8) -> Inputs {
    Inputs {
        invalidate_valid: true,
        invalidate_scope: scope,
        invalidate_vpn: page.number,
        invalidate_asid: page.space,
        ..Inputs::default()
    }
}

impl Tlb {
    /// A TLB after reset.
    pub fn new() -> Self {
        let mut tlb = Self {
            bench: blocks::bench::<L1Tlb>("32").unwrap(),
            far_limit: 4,
            report_faults: false,
        };
        tlb.reset();
        tlb
    }

    pub fn reset(&mut self) {
        self.cycle(&Inputs {
            reset: true,
            ..Inputs::default()
        });
    }

    /// A cycle, in which all back ends agree.
    pub fn cycle(&mut self, inputs: &Inputs) -> Outputs {
        let inputs = Inputs {
            far_limit: self.far_limit,
            report_faults: self.report_faults,
            ..inputs.clone()
        };
        self.bench
            .cycle(&inputs)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// A cycle without any request.
    pub fn rest(&mut self) -> Outputs {
        self.cycle(&Inputs::default())
    }

    fn ask(&mut self, inputs: &Inputs) -> Answer {
        assert!(self.cycle(inputs).check_ready);
        answer(&self.rest()).expect("a check is answered in the next cycle")
    }

    /// Checks a page for a read.
    pub fn read(&mut self, page: Page) -> Answer {
        self.ask(&check(page))
    }

    /// Checks a page for a write.
    pub fn write(&mut self, page: Page) -> Answer {
        self.ask(&Inputs {
            check_write: true,
            ..check(page)
        })
    }

    /// Takes every walk that is offered in so many cycles.
    pub fn walks_in(&mut self, cycles: usize) -> Vec<Page> {
        let take = Inputs {
            walk_ready: true,
            ..Inputs::default()
        };
        let offers: Vec<_> = (0..cycles).map(|_| walk(&self.cycle(&take))).collect();
        offers.into_iter().flatten().collect()
    }

    /// Takes every walk that is offered.
    pub fn walks(&mut self) -> Vec<Page> {
        self.walks_in(12)
    }

    /// Answers a walk, and gives the wake-up that follows.
    pub fn answer_walk(&mut self, inputs: &Inputs) -> Option<(Page, bool)> {
        let early = [self.cycle(inputs), self.rest()];
        assert!(early.iter().all(|outputs| !outputs.wake_valid));
        let woken = wake(&self.rest());
        assert_eq!(wake(&self.rest()), None);
        woken
    }

    /// Fills a page for which a walk is under way, and gives the wake-up that follows.
    pub fn translate(&mut self, page: Page, frame: u32) -> Option<(Page, bool)> {
        self.answer_walk(&fill(page, TRANSLATION, frame))
    }

    pub fn deny(&mut self, page: Page) -> Option<(Page, bool)> {
        self.answer_walk(&fill(page, DENIED, 0))
    }

    pub fn cancel(&mut self, page: Page) -> Option<(Page, bool)> {
        self.answer_walk(&fill(page, CANCELLED, 0))
    }

    pub fn far(&mut self, page: Page) -> Option<(Page, bool)> {
        self.answer_walk(&fill(page, FAR, 0))
    }

    pub fn nack(&mut self, page: Page) -> Option<(Page, bool)> {
        self.answer_walk(&fill(page, NACK, 0))
    }

    pub fn resolve(&mut self, page: Page) {
        self.cycle(&Inputs {
            resolve_valid: true,
            resolve_vpn: page.number,
            resolve_asid: page.space,
            ..Inputs::default()
        });
        self.rest();
    }

    pub fn forget(&mut self, page: Page) {
        self.forget_all_of(page, OF_PAGE);
    }

    pub fn forget_all_of(&mut self, page: Page, scope: u8) {
        assert!(!self.cycle(&invalidate(page, scope)).check_ready);
    }

    /// Misses a page, and takes its walk.
    pub fn miss(&mut self, page: Page) {
        assert_eq!(self.read(page), Answer::Miss);
        assert_eq!(self.walks(), [page]);
    }

    /// Brings a page in that may not be written.
    pub fn load(&mut self, page: Page, frame: u32) {
        self.miss(page);
        assert_eq!(self.translate(page, frame), Some((page, false)));
    }
}
