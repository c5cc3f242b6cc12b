//! Far-fault MSHRs that tests drive by hand, in all back ends at once.

use faultline_sim::mmu::far_fault_mshr::{Inputs, Outputs, Page};

pub use super::page;
use crate::bench::Bench;
use crate::blocks::{self, FarFaultMshr};

/// An operation that searches all entries of a test ends within this number of cycles.
const PATIENCE: usize = 200;

/// These are far-fault MSHRs in all back ends, with the steps that tests take.
pub struct Mshr {
    bench: Bench<FarFaultMshr>,
    /// An SM may have this number of far faults.
    pub limit: u8,
    /// Faults are handled by regions.
    pub region: bool,
    /// These reports have been taken, and not been looked at.
    pub reports: Vec<Report>,
    /// These walks have been taken, and not been looked at.
    pub walks: Vec<Page>,
    /// Reports are taken.
    pub report_ready: bool,
    /// Walks are taken.
    pub walk_ready: bool,
}

/// This is an answer to a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// These SMs receive that the fault is a far one, a bit for each.
    pub far: u16,
    /// These SMs receive a Nack, a bit for each.
    pub nack: u16,
    /// This is the place of the fault in the queue.
    pub place: u16,
}

/// This is a report of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// The fault is of this page.
    pub page: Page,
    /// These SMs have requested the page, a bit for each.
    pub requesters: u16,
    /// These are the access, the cause and the level of the fault.
    pub how: [u8; 3],
    /// The fault is in this entry.
    pub index: u16,
    /// This is the place of the fault in the queue.
    pub place: u16,
}

/// This is a wake-up or a denial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wake {
    /// It is of this page.
    pub page: Page,
    /// It is for these SMs, a bit for each.
    pub to: u16,
    /// The page is denied.
    pub denied: bool,
}

/// Gives the inputs that offer a fault of a page by these SMs, a bit for each.
#[must_use]
pub fn fault(page: Page, requesters: u16) -> Inputs {
    Inputs {
        fault_valid: true,
        fault_vpn: page.vpn,
        fault_asid: page.asid,
        fault_requesters: requesters,
        fault_access: 1,
        fault_cause: 2,
        fault_level: 3,
        ..Inputs::default()
    }
}

/// Gives the inputs that resolve a page for all SMs, or cancel it.
#[must_use]
pub fn command(page: Page, cancel: bool) -> Inputs {
    Inputs {
        command_valid: true,
        command_cancel: cancel,
        command_vpn: page.vpn,
        command_asid: page.asid,
        command_requesters: u16::MAX,
        ..Inputs::default()
    }
}

/// Gives the inputs that resolve all pages, or cancel them.
#[must_use]
pub fn command_all(cancel: bool) -> Inputs {
    Inputs {
        command_all: true,
        ..command(page(0), cancel)
    }
}

/// Gives the inputs for a walk that has found a page.
#[must_use]
pub fn present(page: Page) -> Inputs {
    Inputs {
        present_valid: true,
        present_vpn: page.vpn,
        present_asid: page.asid,
        ..Inputs::default()
    }
}

/// Gives the inputs for a walk that has not found a page, for this cause at this level.
#[must_use]
pub fn missing(page: Page, cause: u8, level: u8) -> Inputs {
    Inputs {
        present_missing: true,
        present_cause: cause,
        present_level: level,
        ..present(page)
    }
}

/// Gives the wake-up that a cycle shows.
#[must_use]
pub fn wake(outputs: &Outputs) -> Option<Wake> {
    outputs.wake_valid.then_some(Wake {
        page: Page {
            vpn: outputs.wake_vpn,
            asid: outputs.wake_asid,
        },
        to: outputs.wake_to,
        denied: outputs.wake_denied,
    })
}

/// Gives the answer that a cycle shows, with its page.
#[must_use]
pub fn answer(outputs: &Outputs) -> Option<(Page, Answer)> {
    let page = Page {
        vpn: outputs.answer_vpn,
        asid: outputs.answer_asid,
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
    /// Builds the MSHRs of a configuration, and resets them.
    ///
    /// # Panics
    /// If there is no such configuration, or the back ends differ.
    #[must_use]
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

    /// Runs a cycle with `reset` set.
    pub fn reset(&mut self) {
        self.cycle(&Inputs {
            reset: true,
            ..Inputs::default()
        });
    }

    /// Runs a cycle with these inputs alone, and gives the outputs that all back ends agree on.
    ///
    /// # Panics
    /// If the back ends differ.
    pub fn exactly(&mut self, inputs: &Inputs) -> Outputs {
        let inputs = Inputs {
            limit: self.limit,
            region: self.region,
            ..inputs.clone()
        };
        self.bench.run(&inputs)
    }

    /// Runs a cycle in which what is on offer is taken.
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
                    vpn: outputs.report_vpn,
                    asid: outputs.report_asid,
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
                vpn: outputs.walk_vpn,
                asid: outputs.walk_asid,
            });
        }
        outputs
    }

    /// Runs a cycle without any request.
    pub fn rest(&mut self) -> Outputs {
        self.cycle(&Inputs::default())
    }

    /// Offers something until it is accepted.
    ///
    /// # Panics
    /// If it is not accepted within 200 cycles.
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
    ///
    /// # Panics
    /// If it is not idle within 12,800 cycles.
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

    /// Offers a fault of a page by these SMs, and gives the answer.
    ///
    /// # Panics
    /// If there is none within 200 cycles, or it is not for these SMs.
    pub fn fault(&mut self, page: Page, requesters: u16) -> Answer {
        self.accept(&fault(page, requesters));
        for _ in 0..PATIENCE {
            if let Some((of, answer_of)) = answer(&self.rest()) {
                assert_eq!(of, page);
                assert_eq!(answer_of.far & answer_of.nack, 0);
                assert_eq!(answer_of.far | answer_of.nack, requesters);
                return answer_of;
            }
        }
        panic!("no answer to {page:?}");
    }

    /// Offers a command, and gives the wake-ups that follow from it.
    pub fn command(&mut self, inputs: &Inputs) -> Vec<Wake> {
        self.accept(inputs);
        self.settle()
    }

    /// Resolves a page, and gives the walks that are requested.
    ///
    /// # Panics
    /// If something is woken before the walks have ended.
    pub fn resolve(&mut self, page: Page) -> Vec<Page> {
        assert_eq!(self.command(&command(page, false)), []);
        std::mem::take(&mut self.walks)
    }

    /// Reports that a walk has found a page, and gives the wake-ups.
    pub fn present(&mut self, page: Page) -> Vec<Wake> {
        self.command(&present(page))
    }

    /// Gives the number of faults that are held.
    pub fn held(&mut self) -> u16 {
        self.rest().held
    }
}
