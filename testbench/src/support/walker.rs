//! A page walker that tests drive by hand, in all back ends at once, with a memory behind it.

use std::collections::HashMap;

use faultline_sim::mmu::page_walker::{Inputs, Outputs};
use faultline_sim::walk::{ACCESSED, DIRTY, PRESENT, USER, WRITABLE};

use super::tables::answer;
use crate::bench::Bench;
use crate::blocks::{self, PageWalker};

/// An entry with these bits allows everything.
pub const OPEN: u64 = PRESENT | WRITABLE | USER | ACCESSED | DIRTY;
/// The first table of space 0 is in this frame of 4 KB.
pub const ROOT: u64 = 0x100;

/// This is a request to memory.
#[derive(Clone, Debug)]
pub struct Requested {
    /// It was requested in this cycle.
    pub cycle: u64,
    /// This is the number of the word.
    pub word: u64,
    /// The entry is of this level.
    pub level: u8,
    /// The entry is to be marked.
    pub update: bool,
    /// A copy of the word in a cache must not be used.
    pub bypass: bool,
}

/// This is a page walker in all back ends, with a memory behind it and the steps that tests take.
pub struct Walker {
    bench: Bench<PageWalker>,
    /// These are the inputs of the next cycle; those of memory's answers are set by the memory.
    pub inputs: Inputs,
    /// These are words of memory by their numbers; one that is not listed is 0.
    pub memory: HashMap<u64, u64>,
    /// A cache has kept these words: it answers their reads, unless they bypass it.
    pub kept: HashMap<u64, u64>,
    /// A request is answered after this number of cycles.
    pub latency: u64,
    /// Memory answers an error for this word.
    pub broken: Option<u64>,
    /// This is the number of cycles so far.
    pub cycle: u64,
    /// These are the requests to memory, in order.
    pub requested: Vec<Requested>,
    /// Requesters were answered this, in order.
    pub answers: Vec<Outputs>,
    due: Vec<(u64, Outputs)>,
}

impl Walker {
    /// Builds the walker of a configuration, with roots for two address spaces, and no tables.
    ///
    /// # Panics
    /// If there is no such configuration, or the back ends differ.
    #[must_use]
    pub fn new(config: &str) -> Self {
        let mut walker = Self {
            bench: blocks::bench::<PageWalker>(config).unwrap(),
            inputs: Inputs {
                reset: true,
                ..Inputs::default()
            },
            memory: HashMap::new(),
            kept: HashMap::new(),
            latency: 4,
            broken: None,
            cycle: 0,
            requested: Vec::new(),
            answers: Vec::new(),
            due: Vec::new(),
        };
        walker.cycle();
        let pfns = walker.bench.parameters().pfn_bits;
        walker.inputs = Inputs {
            answer_ready: true,
            memory_ready: true,
            execute_disable: true,
            reserved_bits: (u32::MAX << (pfns - 20)) & 0xF_FFFF,
            last_pfn: u64::MAX >> (64 - pfns),
            ..Inputs::default()
        };
        for asid in 0..2 {
            walker.inputs.root_valid = true;
            walker.inputs.root_asid = asid;
            walker.inputs.root_pfn = ROOT + 0x100 * u64::from(asid);
            walker.cycle();
        }
        walker.inputs.root_valid = false;
        walker
    }

    /// Maps a page of a space, with tables of its own for each level.
    pub fn map(&mut self, asid: u8, vpn: u64, pfn: u64) {
        let mut table = ROOT + 0x100 * u64::from(asid);
        for level in (2..=4).rev() {
            let index = vpn >> (9 * (level - 1)) & 511;
            let next = table * 8 + 0x10 * level + index + 1;
            let next = next & 0xFF_FFFF;
            self.memory.insert(table << 9 | index, next << 12 | OPEN);
            table = next;
        }
        self.memory.insert(table << 9 | vpn & 511, pfn << 12 | OPEN);
    }

    /// Gives the number of the word with the entry of a page at a level, in the tables as they are.
    ///
    /// # Panics
    /// If a table above it is missing.
    #[must_use]
    pub fn word(&self, asid: u8, vpn: u64, level: u64) -> u64 {
        let mut table = ROOT + 0x100 * u64::from(asid);
        for above in (level + 1..=4).rev() {
            let index = vpn >> (9 * (above - 1)) & 511;
            table = self.memory[&(table << 9 | index)] >> 12 & 0xFFF_FFFF;
        }
        table << 9 | vpn >> (9 * (level - 1)) & 511
    }

    /// Lets a requester request a read of a page, as a user.
    ///
    /// # Panics
    /// If there is no such requester.
    pub fn request(&mut self, requester: usize, asid: u8, vpn: u64) {
        self.inputs.request_valid[requester] = 1;
        self.inputs.request_vpn[requester] = vpn;
        self.inputs.request_asid[requester] = u64::from(asid);
        self.inputs.request_user[requester] = 1;
    }

    /// Runs a cycle with `inputs`, and gives the outputs that all back ends agree on; a request that is accepted is not
    /// requested again.
    ///
    /// # Panics
    /// If the back ends differ.
    pub fn cycle(&mut self) -> Outputs {
        self.inputs.response_valid = false;
        let place = self.due.iter().position(|(due, _)| *due <= self.cycle);
        if let Some((_, requested)) = place.map(|place| self.due.remove(place)) {
            self.respond(&requested);
        }
        let outputs = self.bench.run(&self.inputs);
        for requester in 0..outputs.request_ready.len() {
            if outputs.request_ready[requester] != 0 {
                self.inputs.request_valid[requester] = 0;
            }
        }
        if outputs.memory_valid && self.inputs.memory_ready && !self.inputs.reset {
            self.requested.push(Requested {
                cycle: self.cycle,
                word: outputs.memory_word,
                level: outputs.memory_level,
                update: outputs.memory_update,
                bypass: outputs.memory_bypass,
            });
            self.due.push((self.cycle + self.latency, outputs.clone()));
        }
        if outputs.answer_valid && self.inputs.answer_ready {
            self.answers.push(outputs.clone());
        }
        self.cycle += 1;
        outputs
    }

    /// Runs a cycle with just these inputs.
    ///
    /// # Panics
    /// If the back ends differ.
    pub fn raw(&mut self, inputs: &Inputs) -> Outputs {
        self.cycle += 1;
        self.bench.run(inputs)
    }

    /// Answers a request with what is in memory when the answer leaves it.
    fn respond(&mut self, requested: &Outputs) {
        let word = requested.memory_word;
        let kept = self.kept.get(&word);
        let kept = kept.filter(|_| !requested.memory_update && !requested.memory_bypass);
        let expected = requested.memory_update.then_some(requested.memory_expected);
        let (entry, changed) = match kept {
            Some(&entry) => (entry, false),
            None => answer(&mut self.memory, word, expected, requested.memory_dirty),
        };
        self.inputs.response_valid = true;
        self.inputs.response_walk = requested.memory_walk;
        self.inputs.response_data = entry;
        self.inputs.response_kept = kept.is_some();
        self.inputs.response_error = kept.is_none() && self.broken == Some(word);
        self.inputs.response_changed = changed;
    }

    /// Runs until this number of answers has come, and gives all of them.
    ///
    /// # Panics
    /// If they have not come within 20,000 cycles.
    pub fn answers(&mut self, count: usize) -> &[Outputs] {
        for _ in 0..20_000 {
            if self.answers.len() >= count {
                return &self.answers;
            }
            self.cycle();
        }
        panic!("{} of {count} answers", self.answers.len());
    }
}

/// Gives the requesters that an answer is for.
#[must_use]
pub fn requesters(answer: &Outputs) -> Vec<usize> {
    (0..answer.answer_requesters.len())
        .filter(|&requester| answer.answer_requesters[requester] != 0)
        .collect()
}
