//! Traffic for the fault buffer: faults of a few pages, a memory and SMs that take their time, and a driver that reads its
//! ring, or writes anything anywhere.

use faultline_sim::mmu::fault_buffer::{
    Command, Commanding, Doing, FaultBuffer, GET_CLEARS, Inputs, Kind, Outputs, Parameters, Query,
    control, register,
};

use super::{Block, PROVED};
use crate::session::Coverage;
use crate::traffic::{Modes, Rng, Traffic};

mod modes;
mod scenarios;

use modes::{MODES, Mode, STEADY};
use scenarios::Scenarios;

/// Seeded traffic.
pub struct FaultBufferTraffic {
    parameters: Parameters,
    rng: Rng,
    mode: Modes<Mode>,
    /// The driver makes another ring: a SIZE, then a BASE, then it enables the buffer.
    remaking: Option<u8>,
    /// A fault on offer was not accepted yet.
    fault_held: bool,
    scenarios: Scenarios,
}

impl FaultBufferTraffic {
    fn low(&mut self, bits: usize) -> u64 {
        self.rng.bits() & (u64::MAX >> (64 - bits))
    }

    fn drive_fault(&mut self, model: &FaultBuffer, inputs: &mut Inputs) {
        if self.fault_held {
            return;
        }
        let Parameters {
            vpn_bits,
            asid_bits,
            sms,
            index_bits,
            place_bits,
            ..
        } = self.parameters;
        inputs.fault_valid = self.rng.chance(self.mode.fault);
        inputs.fault_replayable = self.rng.chance(self.mode.replayable);
        inputs.fault_requesters = 1 << self.rng.below(sms as u64);
        for sm in 0..sms {
            inputs.fault_requesters |= u16::from(self.rng.chance(self.mode.requester)) << sm;
        }
        if self.rng.below(256) == 0 {
            inputs.fault_requesters = 0;
        }
        inputs.fault_vpn = self.low(vpn_bits);
        inputs.fault_asid = self.low(asid_bits) as u8;
        inputs.fault_access = self.low(3) as u8;
        inputs.fault_cause = self.low(3) as u8;
        inputs.fault_level = self.low(3) as u8;
        inputs.fault_index = self.low(index_bits) as u16;
        inputs.fault_place = self.low(place_bits) as u16;
        // One of the last ones again, or nearly so.
        let count = model.last().count().max(1) as u64;
        let chosen = self.rng.below(count.min(self.mode.recent)) as usize;
        let again = self.rng.chance(self.mode.again);
        if let Some(record) = model.last().nth(chosen).filter(|_| again) {
            inputs.fault_vpn = record.vpn;
            inputs.fault_asid = record.asid;
            inputs.fault_access = record.access;
            inputs.fault_cause = record.cause;
            match self.rng.byte() {
                0..16 => inputs.fault_vpn ^= 1 << self.rng.below(vpn_bits as u64),
                16..24 => inputs.fault_asid ^= 1 << self.rng.below(asid_bits as u64),
                24..32 => inputs.fault_access ^= 1 << self.rng.below(3),
                32..40 => inputs.fault_cause ^= 1 << self.rng.below(3),
                _ => {}
            }
        }
    }

    /// What the driver writes in turn while it makes another ring.
    fn remake(&mut self, model: &FaultBuffer, step: u8) -> Option<(u8, u64)> {
        if model.enabled() && step == 0 {
            return Some((
                register::CONTROL,
                self.low(control::BITS) & !control::ENABLED,
            ));
        }
        if model.unread().next().is_some() && step == 0 {
            return Some((register::GET, model.put()));
        }
        if *model.doing() != Doing::Nothing || model.outstanding() > 0 {
            return None;
        }
        self.remaking = Some(step + 1);
        match step {
            0 => {
                let size = match self.rng.byte() {
                    0..200 => self.rng.below(self.mode.records),
                    200..230 => self.rng.below(20),
                    _ => self.rng.bits(),
                };
                Some((register::SIZE, size))
            }
            1 => Some((register::BASE, self.rng.bits())),
            _ => {
                self.remaking = None;
                let queries = if self.rng.chance(180) {
                    control::QUERY
                } else {
                    0
                };
                let mut any = self.low(control::BITS) & !control::SHORT & !control::QUERY;
                if self.rng.chance(200) {
                    any &= !control::LEAVE_OUT;
                }
                let short = if self.rng.chance(60) {
                    control::SHORT
                } else {
                    0
                };
                Some((register::CONTROL, any | control::ENABLED | queries | short))
            }
        }
    }

    /// What the driver writes, if anything.
    fn write(&mut self, model: &FaultBuffer) -> Option<(u8, u64)> {
        if self.rng.chance(self.mode.nonsense) {
            let number = self.rng.below(16) as u8;
            // Neither does it switch the buffer off each time, nor does it always write a number that is in the ring.
            let data = match number {
                register::CONTROL => self.low(control::BITS) | u64::from(self.rng.chance(230)),
                _ if self.rng.chance(128) => self.low(4),
                _ => self.rng.bits(),
            };
            return Some((number, data));
        }
        if let Some(step) = self.remaking {
            return self.remake(model, step);
        }
        if self.rng.chance(self.mode.command) {
            let command = Command {
                kind: Kind::ALL[self.rng.below(6) as usize],
                sm: self.low(self.parameters.sm_bits) as u8,
                vpn: self.low(self.parameters.vpn_bits),
                asid: self.low(self.parameters.asid_bits) as u8,
            };
            return Some((register::COMMAND, command.word()));
        }
        if self.rng.chance(self.mode.read) {
            let unread = model.unread().count() as u64;
            let records = match self.rng.byte() {
                0..100 => unread,
                _ => self.rng.below(unread + 1),
            };
            let get = (model.get() + records) % model.size().max(1);
            let clears = self.rng.chance(self.mode.clear);
            return Some((register::GET, get | if clears { GET_CLEARS } else { 0 }));
        }
        let clear = self.rng.chance(self.mode.clear);
        clear.then(|| (register::CLEAR, self.low(2)))
    }
}

impl Block for FaultBuffer {
    type Traffic = FaultBufferTraffic;

    const NAME: &'static str = "fault_buffer";

    fn parameters(config: &str) -> Option<Parameters> {
        match config {
            "64" => Some(Parameters::PAPER),
            PROVED => Some(Parameters {
                sms: 2,
                sm_bits: 1,
                vpn_bits: 2,
                asid_bits: 1,
                index_bits: 1,
                place_bits: 2,
                ring_bits: 3,
                pfn_bits: 1,
                lanes: 1,
                pc_bits: 1,
                filtered: 2,
                count_bits: 3,
                time_bits: 2,
                in_flight_bits: 4,
            }),
            _ => None,
        }
    }
}

impl Traffic for FaultBufferTraffic {
    type Model = FaultBuffer;

    fn new(parameters: Parameters, seed: u64) -> Self {
        Self {
            parameters,
            rng: Rng::new(seed),
            mode: Modes::new(&MODES, &STEADY, 300),
            remaking: Some(0),
            fault_held: false,
            scenarios: Scenarios::default(),
        }
    }

    fn drive(&mut self, model: &FaultBuffer, inputs: &mut Inputs) {
        if self.mode.advance(&mut self.rng, 300..1800) && self.rng.chance(160) {
            self.remaking = Some(0);
        }
        inputs.reset = self.mode.resets(&mut self.rng, 8192);
        self.drive_fault(model, inputs);
        let stray = self.rng.chance(self.mode.stray);
        inputs.detail_ready = self.rng.chance(self.mode.queried);
        inputs.context_valid = match model.query() {
            Query::Taken => self.rng.chance(self.mode.queried),
            _ => stray,
        };
        inputs.context_known = self.rng.chance(180);
        inputs.context_warp = self.low(6) as u8;
        inputs.context_slot = self.low(4) as u8;
        inputs.context_pc = self.low(self.parameters.pc_bits);
        inputs.context_lanes = self.low(self.parameters.lanes);
        inputs.context_scheme = self.low(3) as u8;
        inputs.context_pointer = self.low(7) as u8;
        inputs.write_ready = self.rng.chance(self.mode.memory);
        inputs.written = match model.outstanding() {
            0 => stray,
            _ => self.rng.chance(self.mode.acknowledge),
        };
        let write = self.write(model);
        inputs.register_valid = write.is_some();
        (inputs.register_number, inputs.register_data) =
            write.unwrap_or((self.low(4) as u8, self.rng.bits()));
        inputs.read_number = self.low(4) as u8;
        // A report that found no room is signalled in the next cycle.
        inputs.turned_away = match model.room() && !model.was_short() {
            true => self.rng.below(1024) == 0,
            false => self.rng.chance(self.mode.away),
        };
        inputs.command_ready = self.rng.chance(self.mode.commanded);
        inputs.sweeping = match model.commanding() {
            Commanding::Nothing | Commanding::Offered => stray,
            _ => !self.rng.chance(self.mode.commanded),
        };
        inputs.walks_pending = !self.rng.chance(self.mode.commanded);
        self.count(model, inputs);
    }

    fn observe(&mut self, model: &FaultBuffer, inputs: &Inputs, outputs: &Outputs) {
        self.fault_held = inputs.fault_valid && !outputs.fault_ready && !inputs.reset;
        self.count_outputs(model, inputs, outputs);
        if inputs.reset {
            self.remaking = Some(0);
        }
    }

    fn coverage(&self) -> Coverage {
        self.scenarios.list()
    }
}
