//! The page walker with the page-walk cache between it and memory: the same answers as without it, and as the rules say,
//! with far fewer reads. The walker and the cache are references, or both are Verilog.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use std::collections::VecDeque;

use faultline_sim::mmu::page_walk_cache::{self, Inputs as CacheInputs, Outputs as CacheOutputs};
use faultline_sim::mmu::page_walker::{self, Inputs, Outputs};
use faultline_sim::ports::{Port, Ports};
use faultline_sim::walk::{
    ACCESSED, Access, DIRTY, Image, Memory, PAGE_SIZE, PRESENT, Request, Rules, USER, WRITABLE,
};
use faultline_testbench::backend::{Backend, Kind};
use faultline_testbench::blocks::{self, Block, PageWalkCache, PageWalker};
use faultline_testbench::traffic::Rng;

const ROOT: u64 = 0x1000;
const OPEN: u64 = PRESENT | WRITABLE | USER | ACCESSED | DIRTY;
const RULES: Rules = Rules {
    levels: 4,
    physical_bits: 40,
    execute_disable: true,
    updates: false,
};

/// A back end with the types of its ports.
struct Driven<I, O, P> {
    backend: Box<dyn Backend>,
    parameters: P,
    inputs: I,
    outputs: O,
    frame: Vec<u64>,
    shown: Vec<u64>,
}

impl<P: Clone, I: Ports<Parameters = P>, O: Ports<Parameters = P>> Driven<I, O, P> {
    fn new(block: &str, config: &str, kind: Kind, parameters: P) -> Self {
        let words = |ports: Vec<Port>| ports.iter().map(Port::words).sum();
        let (inputs, outputs): (usize, usize) =
            (words(I::ports(&parameters)), words(O::ports(&parameters)));
        Self {
            backend: blocks::backend(block, config, kind).unwrap(),
            parameters,
            inputs: I::default(),
            outputs: O::default(),
            frame: vec![0; inputs],
            shown: vec![0; outputs],
        }
    }

    fn cycle(&mut self) {
        self.inputs.pack(&self.parameters, &mut self.frame);
        self.backend.run(&self.frame, &mut self.shown).unwrap();
        self.outputs.unpack(&self.parameters, &self.shown);
    }
}

/// The requests to memory, and when it answers.
struct MemoryRequest {
    due: u64,
    walk: u8,
    word: u64,
}

/// A walker, a cache or none, and a memory. What passes between the two waits for a cycle.
struct Machine {
    walker: Driven<Inputs, Outputs, page_walker::Parameters>,
    cache: Option<Driven<CacheInputs, CacheOutputs, page_walk_cache::Parameters>>,
    image: Image,
    /// Requests on their way to the cache, or to memory.
    requests: VecDeque<(u8, u64, u8, bool)>,
    due_requests: Vec<MemoryRequest>,
    rng: Rng,
    cycle: u64,
    reads: u64,
    /// Those of them with which a walk bypassed the cache.
    bypass: u64,
}

impl Machine {
    fn new(kind: Kind, cached: bool) -> Self {
        let walker = PageWalker::parameters("64").unwrap();
        let cache = PageWalkCache::parameters("8k").unwrap();
        let mut machine = Self {
            walker: Driven::new(PageWalker::NAME, "64", kind, walker),
            cache: cached.then(|| Driven::new(PageWalkCache::NAME, "8k", kind, cache)),
            image: Image::new(Some(1 << 40)),
            requests: VecDeque::new(),
            due_requests: Vec::new(),
            rng: Rng::new(11),
            cycle: 0,
            reads: 0,
            bypass: 0,
        };
        let walker = &mut machine.walker.inputs;
        walker.reset = true;
        walker.execute_disable = true;
        walker.reserved_bits = 0xF_FF00;
        walker.last_pfn = u64::MAX >> 36;
        walker.answer_ready = true;
        if let Some(cache) = &mut machine.cache {
            cache.inputs.reset = true;
            cache.inputs.cached_levels = 15;
            cache.inputs.reserved_bits = 0xF_FF00;
        }
        machine.cycle();
        machine.walker.inputs.reset = false;
        if let Some(cache) = &mut machine.cache {
            cache.inputs.reset = false;
        }
        machine.walker.inputs.root_valid = true;
        machine.walker.inputs.root_pfn = ROOT >> 12;
        machine.cycle();
        machine.walker.inputs.root_valid = false;
        for _ in 0..300 {
            machine.cycle();
        }
        machine
    }

    /// Memory takes a request, and answers some time later with what is there then.
    fn request_memory(&mut self, walk: u8, word: u64) {
        self.reads += 1;
        let due = self.cycle + 20 + self.rng.below(60);
        self.due_requests.push(MemoryRequest { due, walk, word });
    }

    fn cycle(&mut self) {
        let due = self
            .due_requests
            .iter()
            .position(|due_requests| due_requests.due <= self.cycle);
        let answer = due.map(|place| self.due_requests.swap_remove(place));
        let answer = answer.map(|due_requests| {
            (
                due_requests.walk,
                Memory::read(&self.image, due_requests.word << 3),
            )
        });
        self.walker.inputs.response_valid = false;
        let mut to_walker = None;
        if let Some(cache) = &mut self.cache {
            cache.inputs.response_valid = answer.is_some();
            if let Some((walk, word)) = answer {
                cache.inputs.response_walk = walk;
                cache.inputs.response_data = word.unwrap_or(0);
                cache.inputs.response_error = word.is_none();
            }
            cache.inputs.request_valid = !self.requests.is_empty();
            if let Some(&(walk, word, level, bypass)) = self.requests.front() {
                cache.inputs.request_walk = walk;
                cache.inputs.request_word = word;
                cache.inputs.request_level = level;
                cache.inputs.request_bypass = bypass;
            }
            cache.inputs.memory_ready = true;
            cache.cycle();
            let outputs = cache.outputs.clone();
            if outputs.request_ready && !self.requests.is_empty() && !cache.inputs.reset {
                self.requests.pop_front();
            }
            if outputs.answer_valid {
                let word = (!outputs.answer_error).then_some(outputs.answer_data);
                to_walker = Some((outputs.answer_walk, word, outputs.answer_kept));
            }
            if outputs.memory_valid {
                self.request_memory(outputs.memory_walk, outputs.memory_word);
            }
        } else {
            to_walker = answer.map(|(walk, word)| (walk, word, false));
            if let Some((walk, word, ..)) = self.requests.pop_front() {
                self.request_memory(walk, word);
            }
        }
        if let Some((walk, word, kept)) = to_walker {
            self.walker.inputs.response_kept = kept;
            self.walker.inputs.response_valid = true;
            self.walker.inputs.response_walk = walk;
            self.walker.inputs.response_data = word.unwrap_or(0);
            self.walker.inputs.response_error = word.is_none();
        }
        self.walker.inputs.memory_ready = self.requests.len() < 2;
        self.walker.cycle();
        let outputs = &self.walker.outputs;
        if outputs.memory_valid && self.walker.inputs.memory_ready {
            assert!(!outputs.memory_update);
            let request = (
                outputs.memory_walk,
                outputs.memory_word,
                outputs.memory_level,
                outputs.memory_bypass,
            );
            self.bypass += u64::from(outputs.memory_bypass);
            self.requests.push_back(request);
        }
        self.cycle += 1;
    }

    /// Walks for all of these at once, a few requesters at a time, and gives what was answered for each.
    fn walk(&mut self, requests: &[Request]) -> Vec<(u8, u8, u64)> {
        let mut answers = vec![None; requests.len()];
        let mut waits: Vec<VecDeque<usize>> = (0..16).map(|_| VecDeque::new()).collect();
        for number in 0..requests.len() {
            waits[number % 16].push_back(number);
        }
        let mut open: Vec<(usize, usize)> = Vec::new();
        let start = self.cycle;
        while answers.contains(&None) {
            for (requester, waits) in waits.iter_mut().enumerate() {
                let inputs = &mut self.walker.inputs;
                if inputs.request_valid[requester] != 0 {
                    continue;
                }
                if let Some(number) = waits.pop_front() {
                    let request = requests[number];
                    inputs.request_valid[requester] = 1;
                    inputs.request_vpn[requester] = request.address >> 12;
                    inputs.request_write[requester] = u64::from(request.access == Access::Write);
                    inputs.request_user[requester] = u64::from(request.user);
                    open.push((requester, number));
                }
            }
            self.cycle();
            let outputs = self.walker.outputs.clone();
            for requester in 0..16 {
                if outputs.request_ready[requester] != 0 {
                    self.walker.inputs.request_valid[requester] = 0;
                }
            }
            if outputs.answer_valid {
                let alike = |number: usize| {
                    let request = requests[number];
                    request.address >> 12 == outputs.answer_vpn
                        && (request.access == Access::Write) == outputs.answer_write
                        && request.user == outputs.answer_user
                };
                open.retain(|&(requester, number)| {
                    let reported = outputs.answer_requesters[requester] != 0 && alike(number);
                    if reported {
                        answers[number] = Some((
                            outputs.answer_cause,
                            outputs.answer_level,
                            outputs.answer_pfn,
                        ));
                    }
                    !reported
                });
            }
            assert!(self.cycle < start + 1_000_000, "no answer");
        }
        answers.into_iter().flatten().collect()
    }

    /// Forgets what was read, of the cache first and then of the walker.
    fn invalidate(&mut self) {
        if self.cache.is_some() {
            let done = |machine: &Self| machine.cache.as_ref().unwrap().outputs.invalidate_ready;
            self.cache.as_mut().unwrap().inputs.invalidate_valid = true;
            self.cycle();
            while !done(self) {
                self.cycle();
            }
            self.cache.as_mut().unwrap().inputs.invalidate_valid = false;
        }
        self.walker.inputs.invalidate_valid = true;
        self.walker.inputs.invalidate_all = true;
        self.cycle();
        while !self.walker.outputs.invalidate_ready {
            self.cycle();
        }
        self.walker.inputs.invalidate_valid = false;
    }
}

/// What the walker answers by the rules: cause, level, frame.
fn expected(image: &mut Image, request: &Request) -> (u8, u8, u64) {
    use faultline_sim::walk::Cause;
    match RULES.walk(image, ROOT, request).end {
        Ok(page) => (0, page.level, page.physical >> 12),
        Err(fault) => {
            let cause = match fault.cause {
                Cause::NonCanonical => 1,
                Cause::NotPresent => 2,
                Cause::ReservedBit => 3,
                Cause::Protection => 4,
                Cause::NotAccessed => 5,
                Cause::NotDirty => 6,
                Cause::OutsideMemory => 7,
            };
            (cause, fault.level, 0)
        }
    }
}

/// A page of the 64 MB in use, and its tables with whatever an entry may hold.
fn page(rng: &mut Rng) -> u64 {
    let far = rng.below(4) << 39 | rng.below(3) << 30;
    far | rng.below(32) << 21 | rng.below(512) << 12
}

/// Maps a page: tables by their place, most of them open, some not.
fn map(image: &mut Image, rng: &mut Rng, address: u64) {
    let mut table = ROOT;
    for level in (1..=4).rev() {
        let index = address >> (12 + 9 * (level - 1)) & 511;
        let place = table + index * 8;
        let pfn = 0x10_0000 * (5 - level) + (table >> 12) * 37 + index;
        let pfn = pfn & 0x7FF_FFFF;
        if Memory::read(image, place) == Some(0) {
            let flags = match rng.below(60) {
                0 => OPEN & !PRESENT,
                1 => OPEN & !ACCESSED,
                2 => OPEN & !USER,
                3 => OPEN & !WRITABLE,
                4 if level == 2 => OPEN | PAGE_SIZE,
                5 => OPEN | 1 << 45,
                _ => OPEN,
            };
            let large = flags & PAGE_SIZE != 0;
            let pfn = if large { pfn & !0x1FF } else { pfn };
            image.put(place, pfn << 12 | flags);
        }
        let entry = Memory::read(image, place).unwrap_or(0);
        if entry & PRESENT == 0 || entry & (PAGE_SIZE | 1 << 45) != 0 {
            return;
        }
        table = entry & 0xFF_FFFF_F000;
    }
}

/// Software changes an entry of an upper level: to another table, or to none.
fn change(image: &mut Image, rng: &mut Rng, address: u64) {
    let level = 2 + rng.below(2);
    let mut table = ROOT;
    for above in (level + 1..=4).rev() {
        let entry = Memory::read(image, table + (address >> (12 + 9 * (above - 1)) & 511) * 8);
        table = entry.unwrap_or(0) & 0xFF_FFFF_F000;
    }
    let place = table + (address >> (12 + 9 * (level - 1)) & 511) * 8;
    let entry = match rng.below(3) {
        0 => 0,
        _ => (0x600_0000 + rng.below(64)) << 12 | OPEN,
    };
    image.put(place, entry);
}

/// Batches of walks, between which tables change: with a cache, and without one.
fn compare(kind: Kind, batches: usize) {
    let mut machines = [Machine::new(kind, true), Machine::new(kind, false)];
    let mut image = Image::new(Some(1 << 40));
    let mut rng = Rng::new(9);
    let mut faults = 0;
    for batch in 0..batches {
        if batch > 0 {
            for _ in 0..20 {
                let address = page(&mut rng);
                change(&mut image, &mut rng, address);
            }
            for machine in &mut machines {
                machine.image = image.clone();
                machine.invalidate();
            }
        }
        let requests: Vec<Request> = (0..1500)
            .map(|_| Request {
                address: page(&mut rng),
                access: if rng.chance(100) {
                    Access::Write
                } else {
                    Access::Read
                },
                user: rng.chance(200),
            })
            .collect();
        for request in &requests {
            map(&mut image, &mut rng, request.address);
        }
        faults += requests
            .iter()
            .filter(|request| expected(&mut image, request).0 != 0)
            .count() as u64;
        // New tables where there were none need no invalidation.
        for machine in &mut machines {
            machine.image = image.clone();
            let answers = machine.walk(&requests);
            for (request, answer) in requests.iter().zip(answers) {
                let mut expected = expected(&mut image, request);
                if expected.0 != 0 {
                    // Not every fault has a page.
                    expected.2 = answer.2;
                }
                assert_eq!(answer, expected, "{request:x?}");
            }
        }
    }
    let [cached, plain] = machines;
    let (bypass, others) = (cached.bypass, cached.reads - cached.bypass);
    println!(
        "{kind}: {} reads of memory; with the cache {others}, and {bypass} that bypass it for {faults} faults",
        plain.reads
    );
    assert!(others * 5 < plain.reads * 2);
    // A fault that the cache has led to is walked for once more, past the cache; without one that never happens.
    assert!(bypass > 0 && bypass <= 4 * faults && plain.bypass == 0);
}

#[test]
fn cached_walks_answer_the_same_with_far_fewer_reads() {
    compare(Kind::Reference, 20);
}

#[test]
#[cfg(feature = "verilog")]
fn cached_walks_answer_the_same_with_far_fewer_reads_in_verilog() {
    compare(Kind::Verilog, 20);
}
