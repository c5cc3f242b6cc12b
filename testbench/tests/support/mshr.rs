//! Far-fault MSHRs that tests drive by hand, in all back ends at once.

use faultline_sim::mmu::far_fault_mshr::{Inputs, Outputs, Page};
use faultline_testbench::bench::Bench;
use faultline_testbench::blocks::{self, FarFaultMshr};

/// Cycles within which an operation that searches all entries of a test ends.
const PATIENCE: usize = 200;

/// The MSHRs, and what a test does with them.
pub struct Mshr {
    bench: Bench<FarFaultMshr>,
    /// Far faults that an SM may have.
    pub limit: u8,
    /// Faults are handled by regions.
    pub region: bool,
    /// Reports and walks that have been taken, and not been looked at.
    pub reports: Vec<Report>,
    pub walks: Vec<Page>,
    /// Reports and walks are taken.
    pub report_ready: bool,
    pub walk_ready: bool,
}

/// An answer to a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    pub far: u16,
    pub nack: u16,
    pub place: u16,
}

/// A report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    pub page: Page,
    pub requesters: u16,
    pub how: [u8; 3],
    pub index: u16,
    pub place: u16,
}

/// A wake-up or a denial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wake {
    pub page: Page,
    pub to: u16,
    pub denied: bool,
}

/// A page of space 0.
pub fn page(number: u64) -> Page {
    Page { number, space: 0 }
}

/// A fault.
pub fn fault(page: Page, requesters: u16) -> Inputs {
    Inputs {
        fault_valid: true,
        fault_vpn: page.number,
        fault_asid: page.space,
        fault_requesters: requesters,
        fault_access: 1,
        fault_cause: 2,
        fault_level: 3,
        ..Inputs::default()
    }
}

/// A command for a page.
pub fn command(page: Page, cancel: bool) -> Inputs {
    Inputs {
        command_valid: true,
        command_cancel: cancel,
        command_vpn: page.number,
        command_asid: page.space,
        command_requesters: u16::MAX,
        ..Inputs::default()
    }
}

/// A command for all.
pub fn command_all(cancel: bool) -> Inputs {
    Inputs {
        command_all: true,
        ..command(page(0), cancel)
    }
}

/// What a walk has found.
pub fn present(page: Page) -> Inputs {
    Inputs {
        present_valid: true,
        present_vpn: page.number,
        present_asid: page.space,
        ..Inputs::default()
    }
}

/// A walk has not found a page, for this cause at this level.
pub fn missing(page: Page, cause: u8, level: u8) -> Inputs {
    Inputs {
        present_missing: true,
        present_cause: cause,
        present_level: level,
        ..present(page)
    }
}

/// The wake-up that a cycle shows.
pub fn wake(outputs: &Outputs) -> Option<Wake> {
    outputs.wake_valid.then_some(Wake {
        page: Page {
            number: outputs.wake_vpn,
            space: outputs.wake_asid,
        },
        to: outputs.wake_to,
        denied: outputs.wake_denied,
    })
}

/// The answer that a cycle shows, with its page.
pub fn answer(outputs: &Outputs) -> Option<(Page, Answer)> {
    let page = Page {
        number: outputs.answer_vpn,
        space: outputs.answer_asid,
    };
    outputs.answer_valid.then_some((
        page,
        Answer {
            far: outputs.answer_far,
            nack: outputs.answer_nack,
            place: outputs.answer_place,
        },
    ))
}

impl Mshr {
    /// MSHRs of a size after reset.
    pub fn new(config: &str) -> Self {
        let mut mshr = Self {
            bench: blocks::bench::<FarFaultMshr>(config).unwrap(),
            limit: 16,
            region: false,
            reports: Vec::new(),
            walks: Vec::new(),
            report_ready: true,
            walk_ready: true,
        };
        mshr.reset();
        mshr
    }

    pub fn reset(&mut self) {
        self.cycle(&Inputs {
            reset: true,
            ..Inputs::default()
        });
    }

    /// A cycle with these inputs alone, in which all back ends agree.
    pub fn exactly(&mut self, inputs: &Inputs) -> Outputs {
        let inputs = Inputs {
            limit: self.limit,
            region: self.region,
            ..inputs.clone()
        };
        self.bench
            .cycle(&inputs)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// A cycle in which what is on offer is taken.
    pub fn cycle(&mut self, inputs: &Inputs) -> Outputs {
        let outputs = self.exactly(&Inputs {
            answer_ready: true,
            wake_ready: true,
            report_ready: self.report_ready,
            walk_ready: self.walk_ready,
            ..inputs.clone()
        });
        if outputs.report_valid && self.report_ready {
            self.reports.push(Report {
                page: Page {
                    number: outputs.report_vpn,
                    space: outputs.report_asid,
                },
                requesters: outputs.report_requesters,
                how: [
                    outputs.report_access,
                    outputs.report_cause,
                    outputs.report_level,
                ],
                index: outputs.report_index,
                place: outputs.report_place,
            });
        }
        if outputs.walk_valid && self.walk_ready {
            self.walks.push(Page {
                number: outputs.walk_vpn,
                space: outputs.walk_asid,
            });
        }
        outputs
    }

    pub fn rest(&mut self) -> Outputs {
        self.cycle(&Inputs::default())
    }

    /// Offers something until it is accepted.
    pub fn accept(&mut self, inputs: &Inputs) {
        for _ in 0..PATIENCE {
            let outputs = self.cycle(inputs);
            let taken = (inputs.fault_valid && outputs.fault_ready)
                || (inputs.command_valid && outputs.command_ready)
                || (inputs.present_valid && outputs.present_ready);
            if taken {
                return;
            }
        }
        panic!("{inputs:?} is not accepted");
    }

    /// Rests until the block is idle again, and gives the wake-ups of that time.
    pub fn settle(&mut self) -> Vec<Wake> {
        let mut woken = Vec::new();
        for _ in 0..64 * PATIENCE {
            let outputs = self.rest();
            woken.extend(wake(&outputs));
            let idle = outputs.present_ready && !outputs.sweeping;
            if idle && !(outputs.walk_valid || outputs.report_valid) {
                return woken;
            }
        }
        panic!("the block does not come to rest");
    }

    /// A fault and its answer.
    pub fn fault(&mut self, page: Page, requesters: u16) -> Answer {
        self.accept(&fault(page, requesters));
        for _ in 0..PATIENCE {
            if let Some((of, told)) = answer(&self.rest()) {
                assert_eq!(of, page);
                assert_eq!(told.far & told.nack, 0);
                assert_eq!(told.far | told.nack, requesters);
                return told;
            }
        }
        panic!("no answer to {page:?}");
    }

    /// A command, and the wake-ups that follow from it.
    pub fn command(&mut self, inputs: &Inputs) -> Vec<Wake> {
        self.accept(inputs);
        self.settle()
    }

    /// Resolves a page, and gives the walks that are asked for.
    pub fn resolve(&mut self, page: Page) -> Vec<Page> {
        assert_eq!(self.command(&command(page, false)), []);
        std::mem::take(&mut self.walks)
    }

    /// A walk has found a page: gives the wake-ups.
    pub fn present(&mut self, page: Page) -> Vec<Wake> {
        self.command(&present(page))
    }

    pub fn held(&mut self) -> u16 {
        self.rest().held
    }
}
