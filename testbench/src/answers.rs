//! Whether a GMMU answers every request of its SMs once, and reports nothing that no SM waits for: a monitor of its ports.
//!
//! SMs request as L1 TLBs do: no page that they wait for. So each answer belongs to one request, and each end of a far fault
//! to one that was reported as held; or, with regions, to none: such an end names all pages of a region.

use std::collections::HashMap;

use faultline_sim::mmu::gmmu::{Gmmu, Inputs, Outputs};
use faultline_sim::ports::Model;
use faultline_sim::sm::l1_tlb::{CANCELLED, DENIED, FAR, LARGE, TRANSLATION};
use thiserror::Error;

use crate::backend::Kind;
use crate::blocks::{self, Block, SetupError};
use crate::lockstep::LockstepError;
use crate::traffic::Traffic;

/// Cycles within which the GMMU answers under the traffic's slowest memory and driver.
pub const IN_TIME: u64 = 20_000;
/// Cycles from one search for late ones to the next.
const SEARCH: u64 = 4096;
const SMS: usize = 16;

/// A page that an SM requests: the SM, the page, the address space.
type Wanted = (usize, u64, u64);

/// What the SMs received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Requests that were accepted.
    pub requests: u64,
    /// Answers that are translations.
    pub translations: u64,
    /// Answers that are denials.
    pub denials: u64,
    /// Answers that are far faults, which are held.
    pub far_faults: u64,
    /// Answers that are far faults, which are not held.
    pub nacks: u64,
    /// Far faults that were resolved.
    pub resolved: u64,
    /// Far faults that the driver cancelled.
    pub cancelled: u64,
    /// Invalidations that were acknowledged.
    pub invalidations: u64,
    /// The most cycles from a request that is offered to its answer.
    pub longest: u64,
    /// The most cycles from an invalidation that is offered to its acknowledgement.
    pub longest_invalidation: u64,
    /// Requests that wait for their answers now.
    pub waiting: u64,
    /// Far faults that are held now.
    pub held: u64,
}

/// What a GMMU has done wrong, or its traffic.
#[derive(Debug, Error)]
pub enum Wrong {
    /// An SM received a page that it does not wait for.
    #[error(
        "cycle {cycle}: SM {sm} receives {what} of page {vpn:x} of address space {asid}, which it does not wait for"
    )]
    Unrequested {
        /// When.
        cycle: u64,
        /// The SM that receives it.
        sm: usize,
        /// What it receives.
        what: &'static str,
        /// The page.
        vpn: u64,
        /// Its address space.
        asid: u64,
    },
    /// A request has no answer in time.
    #[error("cycle {cycle}: {what} waits since cycle {since}")]
    Late {
        /// When.
        cycle: u64,
        /// What waits.
        what: String,
        /// Since when.
        since: u64,
    },
    /// The traffic requests what it waits for, so that it is unknown which of two is answered.
    #[error("cycle {cycle}: SM {sm} requests page {vpn:x} of address space {asid} once more")]
    Twice {
        /// When.
        cycle: u64,
        /// The SM that requests.
        sm: usize,
        /// The page.
        vpn: u64,
        /// Its address space.
        asid: u64,
    },
    /// Back ends differ.
    #[error(transparent)]
    Lockstep(#[from] LockstepError),
    /// The run cannot begin.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

/// Looks at the ports of a GMMU of 16 SMs, cycle by cycle.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    cycle: u64,
    /// Since when each page is requested.
    waiting: HashMap<Wanted, u64>,
    /// Since when far faults are held.
    held: HashMap<Wanted, u64>,
    /// Since when the request of an SM is on offer.
    offered: [Option<u64>; SMS],
    invalidating: Option<u64>,
    counts: Counts,
}

impl Answers {
    /// What was counted until now.
    #[must_use]
    pub fn counts(&self) -> Counts {
        Counts {
            waiting: self.waiting.len() as u64,
            held: self.held.len() as u64,
            ..self.counts
        }
    }

    /// Looks at a cycle.
    ///
    /// # Errors
    /// If an SM receives what it does not wait for, or something waits for too long.
    pub fn see(&mut self, inputs: &Inputs, outputs: &Outputs) -> Result<(), Wrong> {
        self.cycle += 1;
        if inputs.reset {
            self.waiting.clear();
            self.held.clear();
            (self.offered, self.invalidating) = ([None; SMS], None);
            return Ok(());
        }
        let (vpn, asid) = (outputs.fill_vpn, u64::from(outputs.fill_asid));
        for sm in (0..SMS).filter(|sm| outputs.fill_valid >> sm & 1 == 1) {
            let wanted = (sm, vpn, asid);
            match outputs.fill_kind[sm] as u8 {
                CANCELLED => {
                    let ended = self.ended(wanted, inputs.region, "a cancellation")?;
                    self.counts.cancelled += u64::from(ended);
                }
                kind => self.reported(wanted, kind)?,
            }
        }
        let (vpn, asid) = (outputs.resolve_vpn, u64::from(outputs.resolve_asid));
        for sm in (0..SMS).filter(|sm| outputs.resolve_valid >> sm & 1 == 1) {
            let ended = self.ended((sm, vpn, asid), inputs.region, "a resolution")?;
            self.counts.resolved += u64::from(ended);
        }
        for sm in 0..SMS {
            self.request(sm, inputs, outputs)?;
        }
        self.invalidates(inputs, outputs);
        if self.cycle.is_multiple_of(SEARCH) {
            self.late()?;
        }
        Ok(())
    }

    fn unrequested(&self, (sm, vpn, asid): Wanted, what: &'static str) -> Wrong {
        let cycle = self.cycle;
        Wrong::Unrequested {
            cycle,
            sm,
            what,
            vpn,
            asid,
        }
    }

    /// An SM receives the end of a far fault: whether it had one.
    fn ended(&mut self, wanted: Wanted, region: bool, what: &'static str) -> Result<bool, Wrong> {
        let ended = self.held.remove(&wanted).is_some();
        match ended || region {
            true => Ok(ended),
            false => Err(self.unrequested(wanted, what)),
        }
    }

    /// An SM receives the answer to its request for a page.
    fn reported(&mut self, wanted: Wanted, kind: u8) -> Result<(), Wrong> {
        if let Some(since) = self.waiting.remove(&wanted) {
            self.counts.longest = self.counts.longest.max(self.cycle - since);
            match kind {
                TRANSLATION | LARGE => self.counts.translations += 1,
                DENIED => self.counts.denials += 1,
                FAR => {
                    self.counts.far_faults += 1;
                    self.held.insert(wanted, self.cycle);
                }
                _ => self.counts.nacks += 1,
            }
            return Ok(());
        }
        Err(self.unrequested(
            wanted,
            match kind {
                DENIED => "a denial",
                TRANSLATION | LARGE => "a translation",
                _ => "a far fault",
            },
        ))
    }

    /// The request of an SM.
    fn request(&mut self, sm: usize, inputs: &Inputs, outputs: &Outputs) -> Result<(), Wrong> {
        if inputs.request_valid >> sm & 1 == 0 {
            self.offered[sm] = None;
            return Ok(());
        }
        let since = *self.offered[sm].get_or_insert(self.cycle);
        if outputs.request_ready >> sm & 1 == 0 {
            return Ok(());
        }
        self.offered[sm] = None;
        self.counts.requests += 1;
        let (vpn, asid) = (inputs.request_vpn[sm], inputs.request_asid[sm]);
        let wanted = (sm, vpn, asid);
        if self.held.contains_key(&wanted) || self.waiting.insert(wanted, since).is_some() {
            let cycle = self.cycle;
            return Err(Wrong::Twice {
                cycle,
                sm,
                vpn,
                asid,
            });
        }
        Ok(())
    }

    fn invalidates(&mut self, inputs: &Inputs, outputs: &Outputs) {
        if !inputs.invalidate_valid {
            self.invalidating = None;
            return;
        }
        let since = *self.invalidating.get_or_insert(self.cycle);
        if outputs.invalidate_ready {
            self.invalidating = None;
            self.counts.invalidations += 1;
            let longest = &mut self.counts.longest_invalidation;
            *longest = (*longest).max(self.cycle - since);
        }
    }

    fn late(&self) -> Result<(), Wrong> {
        let offered = self.offered.iter().enumerate();
        let offered =
            offered.filter_map(|(sm, since)| Some((format!("SM {sm}'s request"), (*since)?)));
        let invalidating = self
            .invalidating
            .iter()
            .map(|since| ("an invalidation".to_owned(), *since));
        let waiting = self.waiting.iter().map(|((sm, vpn, asid), since)| {
            (
                format!("SM {sm} for page {vpn:x} of address space {asid}"),
                *since,
            )
        });
        let mut all = offered.chain(invalidating).chain(waiting);
        match all.find(|(_, since)| since + IN_TIME < self.cycle) {
            Some((what, since)) => Err(Wrong::Late {
                cycle: self.cycle,
                what,
                since,
            }),
            None => Ok(()),
        }
    }
}

/// Runs random traffic without resets, with faults by pages or by regions, through these back ends in lockstep, and looks at
/// every cycle; `step` receives the cycles as they pass.
///
/// # Errors
/// With the first thing that is wrong.
pub fn run(
    config: &str,
    seed: u64,
    cycles: u64,
    region: bool,
    kinds: &[Kind],
    mut step: impl FnMut(u64),
) -> Result<Counts, Wrong> {
    let mut bench = blocks::bench_of::<Gmmu>(config, kinds)?;
    let parameters = *bench.parameters();
    let traffic = Gmmu::traffic(parameters, seed);
    let mut traffic = traffic.without_resets().like_l1_tlbs(region);
    // The traffic looks into it.
    let mut model = Gmmu::new(parameters);
    let (mut inputs, mut answers) = (Inputs::default(), Answers::default());
    for cycle in 1..=cycles {
        traffic.drive(&model, &mut inputs);
        model.cycle(&inputs);
        let outputs = bench.cycle(&inputs)?;
        traffic.observe(&model, &inputs, &outputs);
        answers.see(&inputs, &outputs)?;
        if cycle % SEARCH == 0 {
            step(SEARCH);
        }
    }
    answers.late()?;
    Ok(answers.counts())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a test that cannot go on panics

    use faultline_sim::sm::l1_tlb::NACK;

    use super::*;

    const PAGE: u64 = 0x1234;

    /// SM 3 requests a page.
    fn requesting() -> (Answers, Inputs) {
        let mut inputs = Inputs {
            request_valid: 8,
            ..Inputs::default()
        };
        (inputs.request_vpn[3], inputs.request_asid[3]) = (PAGE, 7);
        let mut answers = Answers::default();
        let ready = Outputs {
            request_ready: 8,
            ..Outputs::default()
        };
        answers.see(&inputs, &ready).unwrap();
        (answers, inputs)
    }

    fn reported(sm: usize, kind: u8) -> Outputs {
        let mut outputs = Outputs {
            fill_valid: 1 << sm,
            fill_vpn: PAGE,
            fill_asid: 7,
            ..Outputs::default()
        };
        outputs.fill_kind[sm] = u64::from(kind);
        outputs
    }

    fn resolved() -> Outputs {
        Outputs {
            resolve_valid: 8,
            resolve_vpn: PAGE,
            resolve_asid: 7,
            ..Outputs::default()
        }
    }

    #[test]
    fn answers_that_belong_to_requests_are_counted() {
        let idle = Inputs::default();
        for (end, resolutions) in [(resolved(), 1), (reported(3, CANCELLED), 0)] {
            let (mut answers, _) = requesting();
            assert_eq!(answers.counts().waiting, 1);
            answers.see(&idle, &reported(3, FAR)).unwrap();
            assert_eq!((answers.counts().waiting, answers.counts().held), (0, 1));
            answers.see(&idle, &end).unwrap();
            let counts = answers.counts();
            assert_eq!((counts.far_faults, counts.held, counts.longest), (1, 0, 1));
            assert_eq!(
                (counts.resolved, counts.cancelled),
                (resolutions, 1 - resolutions)
            );
        }
    }

    #[test]
    fn answer_that_nobody_waits_for_is_wrong() {
        let idle = Inputs::default();
        let mut elsewhere = reported(3, TRANSLATION);
        elsewhere.fill_asid = 6;
        let mut near = reported(3, TRANSLATION);
        near.fill_vpn += 1;
        for wrong in [reported(4, TRANSLATION), elsewhere, near, resolved()] {
            let (mut answers, _) = requesting();
            assert!(matches!(
                answers.see(&idle, &wrong),
                Err(Wrong::Unrequested { .. })
            ));
        }
        for kind in [TRANSLATION, LARGE, DENIED, FAR, NACK, CANCELLED] {
            let (mut answers, _) = requesting();
            answers.see(&idle, &reported(3, NACK)).unwrap();
            assert!(
                answers.see(&idle, &reported(3, kind)).is_err(),
                "the second answer"
            );
        }
        let (mut answers, _) = requesting();
        answers.see(&idle, &reported(3, FAR)).unwrap();
        answers.see(&idle, &resolved()).unwrap();
        assert!(
            answers.see(&idle, &reported(3, CANCELLED)).is_err(),
            "the second end"
        );
    }

    #[test]
    fn cancelled_region_ends_far_faults_and_no_walk() {
        let (mut answers, _) = requesting();
        let idle = Inputs {
            region: true,
            ..Inputs::default()
        };
        answers.see(&idle, &reported(3, CANCELLED)).unwrap();
        assert_eq!(answers.counts().waiting, 1, "its walk goes on");
        answers.see(&idle, &reported(3, FAR)).unwrap();
        answers.see(&idle, &reported(3, CANCELLED)).unwrap();
        assert_eq!((answers.counts().held, answers.counts().cancelled), (0, 1));
        let (mut answers, _) = requesting();
        let cancelled = answers.see(&Inputs::default(), &reported(3, CANCELLED));
        assert!(cancelled.is_err(), "by pages nobody is cancelled who walks");
    }

    #[test]
    fn traffic_that_requests_twice_is_wrong() {
        let (mut answers, inputs) = requesting();
        let ready = Outputs {
            request_ready: 8,
            ..Outputs::default()
        };
        assert!(matches!(
            answers.see(&inputs, &ready),
            Err(Wrong::Twice { .. })
        ));
    }

    #[test]
    fn what_waits_for_too_long_is_late() {
        let invalidation = Inputs {
            invalidate_valid: true,
            ..Inputs::default()
        };
        let (answers, inputs) = requesting();
        for (mut answers, inputs) in [
            (answers, Inputs::default()),
            (Answers::default(), inputs),
            (Answers::default(), invalidation),
        ] {
            let mut see = || answers.see(&inputs, &Outputs::default());
            let late = (0..IN_TIME + 2 * SEARCH).find_map(|_| see().err());
            assert!(matches!(late, Some(Wrong::Late { .. })));
        }
    }
}
