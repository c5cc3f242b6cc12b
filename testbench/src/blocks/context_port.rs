//! Traffic for the context port: contexts that are saved, and come back from memory as they left, damaged, or to the wrong
//! block.

use std::collections::VecDeque;

use faultline_sim::preempt::context_port::{
    Activity, Beat, ContextPort, Inputs, Kind, Outputs, Parameters, Verdict, WORDS,
};

use super::{Block, PROVED};
use crate::session::Coverage;
use crate::traffic::{Modes, Rng, Traffic};

mod damage;
mod modes;
mod scenarios;

use damage::Damage;
use modes::{MODES, Mode, STEADY};
use scenarios::Scenarios;

/// Contexts that memory keeps.
const KEPT: usize = 6;

/// A context in memory.
#[derive(Clone, Debug, Default)]
struct Saved {
    block: u64,
    epoch: u64,
    beats: Vec<Beat>,
}

/// A context that is restored, and how it comes back.
#[derive(Clone, Debug)]
struct Plan {
    block: u64,
    epoch: u64,
    damage: Option<Damage>,
    /// Its beats, if it comes back undamaged and to the block that it belongs to.
    whole: Option<Vec<Beat>>,
}

/// Seeded traffic.
pub struct ContextPortTraffic {
    parameters: Parameters,
    rng: Rng,
    mode: Modes<Mode>,
    /// What the engine will still give of the context that is saved.
    packets: VecDeque<Beat>,
    /// What has left of it.
    leaving: Saved,
    memory: Vec<Saved>,
    /// What memory will give, with the last beat of each read.
    reads: VecDeque<(Beat, bool)>,
    /// What is restored next.
    next: Option<Plan>,
    /// What is restored now.
    current: Option<Plan>,
    /// What was reported of it.
    reported: Vec<Beat>,
    /// Offers that were not taken in the cycle before.
    begin_waits: bool,
    packet_waits: bool,
    read_waits: bool,
    /// What the port did before this cycle.
    before: Activity,
    scenarios: Scenarios,
}

impl ContextPortTraffic {
    fn number(&mut self, bits: usize) -> u64 {
        self.rng.below(1 << bits)
    }

    /// Any words; now and then those that many beats have, or what looks like a header.
    fn data(&mut self) -> Beat {
        let mut beat = [0; WORDS];
        let kind = self.rng.byte();
        for word in &mut beat[..self.parameters.words] {
            *word = match kind {
                0..16 => 0,
                16..32 => self.parameters.most(),
                _ => self.rng.bits() & self.parameters.most(),
            };
        }
        if (32..64).contains(&kind) {
            let block = self.leaving.block;
            beat[0] = self.parameters.header(block, u64::from(kind % 8), 0)[0];
        }
        beat
    }

    /// A header, of any block, for the port sets its own.
    fn header(&mut self, kind: u64, length: u64) -> Beat {
        let mut header = self.data();
        let block = self.number(self.parameters.block_bits);
        header[0] = self.parameters.header(block, kind, length)[0];
        header
    }

    /// The packets of a context, and their end.
    fn script(&mut self) {
        let longest = self.mode.length.min(1 << self.parameters.length_bits);
        for _ in 0..self.rng.below(self.mode.packets) {
            let length = self.rng.below(longest);
            let kind = Kind::Registers as u64 + self.rng.below(4);
            let header = self.header(kind, length);
            self.packets.push_back(header);
            for _ in 0..length {
                let data = self.data();
                self.packets.push_back(data);
            }
        }
        let length = self.number(self.parameters.length_bits);
        let end = self.header(Kind::End as u64, length);
        self.packets.push_back(end);
    }

    /// Chooses a context, what is expected of it, and what memory gives.
    fn plan(&mut self) {
        if self.memory.is_empty() {
            return;
        }
        let chosen = self.rng.below(self.memory.len() as u64) as usize;
        let saved = self.memory[chosen].clone();
        let (mut block, mut epoch) = (saved.block, saved.epoch);
        let mut read = saved.beats.clone();
        let mut damage = None;
        if self.rng.chance(self.mode.damage) {
            damage = Some(Damage::ALL[self.rng.below(Damage::ALL.len() as u64) as usize]);
        }
        match damage {
            Some(Damage::OtherBlock) => block = self.number(self.parameters.block_bits),
            Some(Damage::OtherEpoch) => epoch = self.number(self.parameters.epoch_bits),
            Some(damage) => self.damage(damage, &mut read),
            None => {}
        }
        let whole = read == saved.beats && block == saved.block && epoch == saved.epoch;
        let last = read.len() - 1;
        let marked = read.iter().enumerate();
        self.reads
            .extend(marked.map(|(number, &beat)| (beat, number == last)));
        self.next = Some(Plan {
            block,
            epoch,
            damage,
            whole: whole.then_some(saved.beats),
        });
    }

    fn drive_begin(&mut self, inputs: &mut Inputs) {
        if self.next.is_none() && self.rng.chance(self.mode.restore) {
            self.plan();
        }
        if self.begin_waits {
            return;
        }
        inputs.begin_valid = self.rng.chance(self.mode.begin);
        inputs.begin_restores = self.next.is_some();
        (inputs.begin_cta, inputs.begin_epoch) = match &self.next {
            Some(plan) => (plan.block, plan.epoch),
            None => (
                self.number(self.parameters.block_bits),
                self.number(self.parameters.epoch_bits),
            ),
        };
    }

    fn drive_streams(&mut self, inputs: &mut Inputs) {
        inputs.out_ready = self.rng.chance(self.mode.out_ready);
        inputs.found_ready = self.rng.chance(self.mode.found_ready);
        inputs.ended_ready = self.rng.chance(self.mode.ended_ready);
        inputs.packet_valid = self.packet_waits || self.rng.chance(self.mode.packet_valid);
        match self.packets.front() {
            Some(&packet) => inputs.packet_beat = packet,
            None => inputs.packet_valid = false,
        }
        inputs.in_valid = self.read_waits || self.rng.chance(self.mode.in_valid);
        match self.reads.front() {
            Some(&(beat, last)) => (inputs.in_beat, inputs.in_last) = (beat, last),
            None => inputs.in_valid = false,
        }
    }

    /// What was under way is gone.
    fn forget(&mut self) {
        self.packets.clear();
        self.reads.clear();
        (self.next, self.current) = (None, None);
        (self.begin_waits, self.packet_waits, self.read_waits) = (false, false, false);
    }

    /// Keeps the context that has left, in the place of any other one.
    fn keep(&mut self) {
        if self.memory.len() == KEPT {
            let old = self.rng.below(KEPT as u64) as usize;
            self.memory.swap_remove(old);
        }
        self.memory.push(std::mem::take(&mut self.leaving));
    }

    /// What comes back as it left is accepted, and is what was reported; nothing else is. A small check misses some.
    fn judge(&self, verdict: u64) {
        let Some(plan) = &self.current else {
            return;
        };
        let accepted = verdict == Verdict::Accepted as u64;
        match &plan.whole {
            Some(beats) => {
                let content = &beats[1..beats.len() - 1];
                assert!(accepted && self.reported == content, "verdict {verdict}");
            }
            None => assert!(
                !accepted || self.parameters.word_bits < 32,
                "accepted with {:?}",
                plan.damage
            ),
        }
    }

    fn observe_begin(&mut self, inputs: &Inputs) {
        if inputs.begin_restores {
            self.current = self.next.take();
            self.reported.clear();
            return;
        }
        self.leaving = Saved {
            block: inputs.begin_cta,
            epoch: inputs.begin_epoch,
            beats: Vec::new(),
        };
        self.script();
    }
}

impl Block for ContextPort {
    type Traffic = ContextPortTraffic;

    const NAME: &'static str = "context_port";

    fn parameters(config: &str) -> Option<Parameters> {
        match config {
            "32" => Some(Parameters::paper()),
            PROVED => Some(Parameters {
                words: 4,
                word_bits: 8,
                block_bits: 2,
                length_bits: 3,
                epoch_bits: 2,
                count_bits: 3,
                polynomial: 0x1D,
            }),
            _ => None,
        }
    }
}

impl Traffic for ContextPortTraffic {
    type Model = ContextPort;

    fn new(parameters: Parameters, seed: u64) -> Self {
        Self {
            parameters,
            rng: Rng::new(seed),
            mode: Modes::new(&MODES, &STEADY, 3000),
            packets: VecDeque::new(),
            leaving: Saved::default(),
            memory: Vec::new(),
            reads: VecDeque::new(),
            next: None,
            current: None,
            reported: Vec::new(),
            begin_waits: false,
            packet_waits: false,
            read_waits: false,
            before: Activity::Idle,
            scenarios: Scenarios::default(),
        }
    }

    fn drive(&mut self, model: &ContextPort, inputs: &mut Inputs) {
        self.mode.advance(&mut self.rng, 2000..10_000);
        self.before = model.activity();
        inputs.reset = self.mode.resets(&mut self.rng, 8192);
        self.drive_begin(inputs);
        self.drive_streams(inputs);
    }

    fn observe(&mut self, model: &ContextPort, inputs: &Inputs, outputs: &Outputs) {
        self.count(model, inputs, outputs);
        if inputs.reset {
            self.forget();
            return;
        }
        if outputs.out_valid && inputs.out_ready {
            self.leaving.beats.push(outputs.out_beat);
            if outputs.out_last {
                self.keep();
            }
        }
        if outputs.found_valid && inputs.found_ready {
            self.reported.push(outputs.found_beat);
        }
        if inputs.packet_valid && outputs.packet_ready {
            self.packets.pop_front();
        }
        if inputs.in_valid && outputs.in_ready {
            self.reads.pop_front();
        }
        self.packet_waits = inputs.packet_valid && !outputs.packet_ready;
        self.read_waits = inputs.in_valid && !outputs.in_ready;
        self.begin_waits = inputs.begin_valid && !outputs.begin_ready;
        if outputs.ended_valid && inputs.ended_ready {
            self.judge(outputs.ended_verdict);
            self.current = None;
        }
        if inputs.begin_valid && outputs.begin_ready {
            self.observe_begin(inputs);
        }
    }

    fn coverage(&self) -> Coverage {
        self.scenarios.list()
    }
}
