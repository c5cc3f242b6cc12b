//! A page-walk cache that tests drive by hand, in all back ends at once, with a memory behind it.

use std::collections::HashMap;

use faultline_sim::mmu::page_walk_cache::{Inputs, Outputs};
use faultline_sim::walk::{ACCESSED, PRESENT, USER, WRITABLE};

use super::tables::answer;
use crate::bench::Bench;
use crate::blocks::{self, PageWalkCache};

/// An entry with these bits leads to a table and may be kept.
pub const TABLE: u64 = PRESENT | WRITABLE | USER | ACCESSED;

/// This is a page-walk cache in all back ends, with a memory behind it and the steps that tests take.
pub struct Cache {
    bench: Bench<PageWalkCache>,
    /// These are the inputs of the next cycle; those of memory's answers are set by the memory.
    pub inputs: Inputs,
    /// These are words of memory by their numbers; one that is not listed is 0.
    pub memory: HashMap<u64, u64>,
    /// A request is answered after this number of cycles.
    pub latency: u64,
    /// Memory answers an error for this word.
    pub broken: Option<u64>,
    /// This is the number of cycles so far.
    pub cycle: u64,
    /// These are the requests to memory, each with its cycle.
    pub requested: Vec<(u64, Outputs)>,
    /// Walks were answered this, each with its cycle.
    pub answers: Vec<(u64, Outputs)>,
    due: Vec<(u64, Outputs)>,
    /// Memory has decided on this before it answers.
    decided: Option<u64>,
    walk: u8,
}

impl Cache {
    /// Builds the cache of a configuration, in which nothing is, and nothing is left to be cleared.
    ///
    /// # Panics
    /// If there is no such configuration, or the back ends differ.
    #[must_use]
    pub fn new(config: &str) -> Self {
        let mut cache = Self {
            bench: blocks::bench::<PageWalkCache>(config).unwrap(),
            inputs: Inputs::default(),
            memory: HashMap::new(),
            latency: 4,
            broken: None,
            cycle: 0,
            requested: Vec::new(),
            answers: Vec::new(),
            due: Vec::new(),
            decided: None,
            walk: 0,
        };
        cache.inputs.memory_ready = true;
        cache.inputs.cached_levels = 15;
        cache.inputs.reserved_bits = 0xF_FF00;
        cache.reset();
        cache.rest(cache.sets());
        cache
    }

    /// Runs a cycle with `reset` set; memory drops its requests.
    pub fn reset(&mut self) {
        self.inputs.reset = true;
        self.cycle();
        self.inputs.reset = false;
        self.due.clear();
    }

    /// Gives the number of sets.
    #[must_use]
    pub fn sets(&self) -> u64 {
        1 << self.bench.parameters().set_bits
    }

    /// Gives the number of ways.
    #[must_use]
    pub fn ways(&self) -> u64 {
        self.bench.parameters().ways as u64
    }

    /// Gives the words of the set of another one, that one first.
    pub fn words_of_set(&self, word: u64) -> impl Iterator<Item = u64> {
        let parameters = *self.bench.parameters();
        let set = parameters.set(word);
        let others = (1..).map(move |number| word ^ number);
        std::iter::once(word).chain(others.filter(move |&other| parameters.set(other) == set))
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
            if let Some(entry) = self.decided.take() {
                self.inputs.response_data = entry;
            }
        }
        let outputs = self.bench.run(&self.inputs);
        if outputs.request_ready {
            self.inputs.request_valid = false;
        }
        if outputs.memory_valid && self.inputs.memory_ready && !self.inputs.reset {
            self.requested.push((self.cycle, outputs.clone()));
            self.due.push((self.cycle + self.latency, outputs.clone()));
        }
        if outputs.answer_valid {
            self.answers.push((self.cycle, outputs.clone()));
        }
        self.cycle += 1;
        outputs
    }

    /// Runs this number of cycles.
    pub fn rest(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.cycle();
        }
    }

    /// Answers a request with what is in memory when the answer leaves it.
    fn respond(&mut self, requested: &Outputs) {
        let word = requested.memory_word;
        let expected = requested.memory_update.then_some(requested.memory_expected);
        let (entry, changed) = answer(&mut self.memory, word, expected, requested.memory_dirty);
        self.inputs.response_valid = true;
        self.inputs.response_walk = requested.memory_walk;
        self.inputs.response_data = entry;
        self.inputs.response_error = self.broken == Some(word);
        self.inputs.response_changed = changed;
    }

    /// Decides that the next answer of memory is this, if it was requested already.
    pub fn decide(&mut self, entry: u64) {
        self.decided = self.due.first().map(|_| entry);
    }

    /// Runs a cycle in which memory answers a walk that waits for nothing.
    pub fn stray(&mut self, walk: u8) -> Outputs {
        self.due.insert(
            0,
            (
                self.cycle,
                Outputs {
                    memory_walk: walk,
                    memory_word: u64::MAX,
                    ..Outputs::default()
                },
            ),
        );
        self.cycle()
    }

    /// Lets the next walk want a word of a level from the next cycle on, and gives the walk.
    ///
    /// # Panics
    /// If another request waits.
    pub fn request(&mut self, level: u8, word: u64) -> u8 {
        assert!(!self.inputs.request_valid);
        self.walk = (self.walk + 1) % 64;
        self.inputs.request_valid = true;
        self.inputs.request_walk = self.walk;
        self.inputs.request_level = level;
        self.inputs.request_word = word;
        self.inputs.request_update = false;
        self.inputs.request_bypass = false;
        self.walk
    }

    /// Reads a word, and waits until what comes of it is here.
    ///
    /// # Errors
    /// If memory had to be read: then these are the outputs of the answer.
    pub fn read(&mut self, level: u8, word: u64) -> Result<u64, Outputs> {
        let walk = self.request(level, word);
        self.answered(walk, level, word)
    }

    /// Reads a word of memory, whatever is here, and gives what memory says.
    ///
    /// # Panics
    /// If it is not read from memory.
    pub fn read_bypassed(&mut self, level: u8, word: u64) -> u64 {
        let walk = self.request(level, word);
        self.inputs.request_bypass = true;
        let answer = self.answered(walk, level, word);
        answer.expect_err("it is from here").answer_data
    }

    fn answered(&mut self, walk: u8, level: u8, word: u64) -> Result<u64, Outputs> {
        let (requested, answered) = (self.requested.len(), self.answers.len());
        for _ in 0..1000 {
            self.cycle();
            if self.answers.len() > answered {
                break;
            }
        }
        let (_, outputs) = self.answers[answered].clone();
        assert_eq!(outputs.answer_walk, walk);
        self.rest(4);
        assert_eq!(outputs.answer_kept, self.requested.len() == requested);
        if self.requested.len() > requested {
            let (_, sent) = &self.requested[requested];
            assert_eq!(
                (sent.memory_walk, sent.memory_word, sent.memory_level),
                (walk, word, level)
            );
            return Err(outputs);
        }
        Ok(outputs.answer_data)
    }

    /// Reads a word that has to be read from memory.
    ///
    /// # Panics
    /// If it is here already.
    pub fn load(&mut self, level: u8, word: u64) -> u64 {
        let answer = self.read(level, word);
        answer.expect_err("it is here already").answer_data
    }

    /// Forgets everything, and gives the cycles that this took.
    ///
    /// # Panics
    /// If there is no acknowledgement within 2,000 cycles.
    pub fn invalidate(&mut self) -> u64 {
        let start = self.cycle;
        self.inputs.invalidate_valid = true;
        while !self.cycle().invalidate_ready {
            assert!(self.cycle < start + 2000, "no acknowledgement");
        }
        self.inputs.invalidate_valid = false;
        self.cycle - start - 1
    }
}
