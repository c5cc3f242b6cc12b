//! The machine.

use super::super::driver::{self, CACHED, Driver, START};
use super::memory::{LAST_FRAME, Memory, ROOT};
use super::pager::{Coming, Link, Pager};
use super::probe::Probe;
use super::sm::Sm;
use super::{Outcome, Parameters, Work};
use crate::mmu::gmmu::{self, Gmmu};
use crate::ports::Model;
use crate::sm::l1_tlb::{self, L1Tlb, NACK, Page, Step, TRANSLATION};

/// A machine that does nothing for so many cycles is stuck.
const PATIENCE: u64 = 10_000_000;

/// A run that does not come to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// Nothing happens any more.
    #[error("no SM has gone on for {PATIENCE} cycles, after {cycles} cycles")]
    Stuck {
        /// When it was given up.
        cycles: u64,
    },
    /// An SM received what the page tables do not say.
    #[error(
        "page {page:x} was translated to frame {pfn:x} in cycle {cycle}, which its tables do not say"
    )]
    Wrong {
        /// The page.
        page: u64,
        /// Its frame, as the SM received it.
        pfn: u32,
        /// When.
        cycle: u64,
    },
}

/// A GMMU with its driver.
struct Unit {
    gmmu: Gmmu,
    driver: Driver,
    coming: Coming,
    probe: Probe,
    inputs: gmmu::Inputs,
    /// The first of its SMs.
    first: usize,
}

/// A machine under way.
struct Machine<'run> {
    parameters: &'run Parameters,
    sms: Vec<Sm>,
    units: Vec<Unit>,
    /// SMs of a unit.
    each: usize,
    memory: Memory,
    link: Link,
    outcome: Outcome,
    now: u64,
}

/// Puts work through a machine.
///
/// # Errors
/// If it does not come to its end, or a translation is not that of the page tables.
pub fn run(work: &Work, parameters: &Parameters) -> Result<Outcome, Failure> {
    let mut machine = Machine::new(work.sms(), parameters);
    while machine.now < START {
        machine.cycle()?;
    }
    let start = machine.now;
    let mut of_sms = vec![0; work.sms()];
    for phase in &work.phases {
        let begin = machine.now;
        for (sm, work) in machine.sms.iter_mut().zip(phase) {
            sm.begin(work, begin);
        }
        let mut ended: Vec<_> = machine.sms.iter().map(Sm::has_ended).collect();
        let mut moved = (machine.now, 0);
        while ended.iter().any(|ended| !ended) {
            machine.cycle()?;
            for (number, sm) in machine.sms.iter().enumerate() {
                if !ended[number] && sm.has_ended() {
                    ended[number] = true;
                    of_sms[number] += machine.now - begin;
                }
            }
            let reported = machine.outcome.latency.count() + machine.outcome.fault_service.count();
            let accesses: u64 = machine.sms.iter().map(|sm| sm.accesses).sum();
            if moved.1 != reported + accesses {
                moved = (machine.now, reported + accesses);
            } else if machine.now - moved.0 > PATIENCE {
                let cycles = machine.now - start;
                return Err(Failure::Stuck { cycles });
            }
        }
    }
    let cycles = machine.now - start;
    Ok(finish(&machine.sms, of_sms, cycles, machine.outcome))
}

/// The same work where every page is known at once.
#[must_use]
pub fn ideal(work: &Work) -> Outcome {
    let mut sms = vec![Sm::new(None); work.sms()];
    let mut of_sms = vec![0; work.sms()];
    let mut start = 0;
    for phase in &work.phases {
        let mut end = start;
        for (number, (sm, work)) in sms.iter_mut().zip(phase).enumerate() {
            let mut now = start;
            sm.begin(work, now);
            while !sm.has_ended() {
                sm.cycle(now, l1_tlb::Inputs::default());
                now = (now + 1).max(sm.next_instruction().unwrap_or(0));
            }
            of_sms[number] += now - start;
            end = end.max(now);
        }
        start = end;
    }
    finish(&sms, of_sms, start, Outcome::default())
}

/// What the SMs have to add.
fn finish(sms: &[Sm], of_sms: Vec<u64>, cycles: u64, mut outcome: Outcome) -> Outcome {
    outcome.cycles = cycles;
    for (sm, cycles) in sms.iter().zip(of_sms) {
        outcome.missed += sm.missed;
        if !sm.is_endless() {
            outcome.of_sms.push(cycles);
            outcome.intervals.add_all(&sm.intervals);
            outcome.accesses += sm.accesses;
        }
    }
    outcome
}

impl<'run> Machine<'run> {
    fn new(sms: usize, parameters: &'run Parameters) -> Self {
        let each = if parameters.shared { sms } else { 1 };
        let unit = |number| Unit {
            gmmu: Gmmu::new(parameters.gmmu(each)),
            driver: Driver::new(),
            coming: Coming::new(),
            probe: Probe::new(parameters.threads),
            first: number * each,
            inputs: gmmu::Inputs {
                cached_levels: if parameters.cache_bytes > 0 {
                    CACHED
                } else {
                    0
                },
                shared_tlb: parameters.l2_entries > 0,
                far_limit: parameters.mshrs as u8,
                ..driver::inputs(ROOT, LAST_FRAME)
            },
        };
        let tlb = L1Tlb::new(parameters.l1_tlb());
        Self {
            parameters,
            sms: vec![Sm::new(Some(tlb)); sms],
            units: (0..sms / each).map(unit).collect(),
            each,
            memory: Memory::new(
                parameters.memory_latency,
                parameters.far_percent,
                parameters.seed,
            ),
            link: Link::default(),
            outcome: Outcome {
                walkers: sms / each,
                ..Outcome::default()
            },
            now: 0,
        }
    }

    fn cycle(&mut self) -> Result<(), Failure> {
        let response = self.memory.response(self.now);
        for number in 0..self.units.len() {
            let unit = &mut self.units[number];
            let sms = &mut self.sms[unit.first..unit.first + self.each];
            let inputs = &mut unit.inputs;
            inputs.root_valid = self.now == 0;
            inputs.response_valid = false;
            if let Some(response) = response.filter(|response| response.gmmu == number) {
                inputs.response_valid = true;
                inputs.response_walk = response.walk;
                inputs.response_data = response.data;
            }
            inputs.request_valid = 0;
            for (sm, tlb) in sms.iter().filter_map(Sm::tlb).enumerate() {
                if let Some(page) = tlb.walk() {
                    inputs.request_valid |= 1 << sm;
                    inputs.request_vpn[sm] = page.vpn;
                }
            }
            let mut pager = Pager {
                coming: &mut unit.coming,
                link: &mut self.link,
                memory: &mut self.memory,
                outcome: &mut self.outcome,
                parameters: self.parameters,
            };
            unit.driver.drive(self.now, &mut pager, inputs);
            let of_walk = !unit.gmmu.tlb().answers();
            let outputs = unit.gmmu.cycle(inputs);
            unit.driver
                .see(self.now, self.parameters.memory_latency, &outputs);
            if outputs.memory_valid {
                let level = usize::from(outputs.memory_level) - 1;
                self.outcome.memory_reads[level] += 1;
                self.memory
                    .request(self.now, number, outputs.memory_walk, outputs.memory_word);
            }
            let (page, pfn) = (outputs.fill_vpn, outputs.fill_pfn as u32);
            let translated = (0..self.each).any(|sm| {
                outputs.fill_valid >> sm & 1 == 1 && outputs.fill_kind[sm] == u64::from(TRANSLATION)
            });
            if translated && !self.memory.translates(page, pfn) {
                return Err(Failure::Wrong {
                    page,
                    pfn,
                    cycle: self.now,
                });
            }
            self.outcome.held = self.outcome.held.max(outputs.held);
            unit.measure(self.now, of_walk, &outputs, sms, &mut self.outcome);
            for (number, sm) in sms.iter_mut().enumerate() {
                let reported = reported(self.parameters, number, &outputs);
                sm.cycle(self.now, reported);
            }
            let begun = unit.probe.look(&unit.gmmu, self.now, &mut self.outcome);
            if begun > 0 && !sms.iter().all(Sm::is_endless) {
                let waiting: usize = sms.iter().filter_map(Sm::tlb).map(walked).sum();
                (0..begun).for_each(|_| self.outcome.in_flight.add(waiting as u64));
            }
        }
        self.now += 1;
        Ok(())
    }
}

impl Unit {
    /// Measures what SMs receive.
    fn measure(
        &self,
        now: u64,
        of_walk: bool,
        outputs: &gmmu::Outputs,
        sms: &[Sm],
        outcome: &mut Outcome,
    ) {
        let mut to = outputs.fill_valid;
        while to != 0 {
            let number = to.trailing_zeros() as usize;
            to &= to - 1;
            let kind = outputs.fill_kind[number] as u8;
            match kind {
                NACK => outcome.nacks += 1,
                TRANSLATION => {
                    outcome.l2_hits += u64::from(!of_walk);
                    let sm = &sms[number];
                    let missed = sm.missed_at(outputs.fill_vpn);
                    let Some(missed) = missed.filter(|_| !sm.is_endless()) else {
                        continue;
                    };
                    let (vpn, asid) = (outputs.fill_vpn, 0);
                    let absent = sm.tlb();
                    let absent = absent.is_some_and(|tlb| tlb.is_absent(Page { vpn, asid }));
                    if absent {
                        outcome.fault_service.add(now - missed);
                    } else if of_walk {
                        self.probe.reported(outputs.fill_vpn, missed, now, outcome);
                    }
                }
                _ => {}
            }
        }
    }
}

/// Pages that an L1 TLB waits for and that are not fetched.
fn walked(tlb: &L1Tlb) -> usize {
    let walked = |step: Step| matches!(step, Step::Requesting | Step::Walking { .. });
    tlb.misses().filter(|miss| walked(miss.step)).count()
}

/// What the L1 TLB of an SM receives.
fn reported(parameters: &Parameters, sm: usize, outputs: &gmmu::Outputs) -> l1_tlb::Inputs {
    let bit = |bits: u16| bits >> sm & 1 == 1;
    l1_tlb::Inputs {
        walk_ready: bit(outputs.request_ready),
        fill_valid: bit(outputs.fill_valid),
        fill_kind: outputs.fill_kind[sm] as u8,
        fill_vpn: outputs.fill_vpn,
        fill_asid: outputs.fill_asid,
        fill_pfn: outputs.fill_pfn as u32,
        fill_writable: outputs.fill_writable,
        fill_clean: outputs.fill_clean,
        resolve_valid: bit(outputs.resolve_valid),
        resolve_vpn: outputs.resolve_vpn,
        resolve_asid: outputs.resolve_asid,
        far_limit: parameters.mshrs as u8,
        ..l1_tlb::Inputs::default()
    }
}
