//! Many walks at once: each case has a space and tables of its own, and its requests come from several requesters, some of
//! them from two. Memory answers them in no order.

use std::collections::VecDeque;

use faultline_sim::mmu::page_walker::Outputs;
use faultline_sim::walk::{Access, Fault, Image, Memory as _, Request, Rules, Translation};

use super::cases::{Case, LIMIT, ROOT, Sweep, Words};
use super::{Shown, Tally, image};
use crate::backend::Kind;
use crate::traffic::Rng;
use crate::walks::{MOST_CYCLES, MemoryRequest, Pins, WalkError, ended};

/// The walkers: one that leaves accessed and dirty bits to software, and one that sets them.
pub const CONFIGS: [&str; 2] = ["8", "64_updates"];
/// The sweeps whose cases a walker has at once: those of physical addresses that all walkers know.
pub const AT_ONCE: [Sweep; 4] = [Sweep::Entry, Sweep::Rights, Sweep::Pair, Sweep::Marks];

/// Every machine that a walker of these configurations can be: physical addresses have 40 bits.
pub fn machines(config: &str) -> impl Iterator<Item = Rules> + use<> {
    let updates = config.ends_with("updates");
    [false, true].into_iter().map(move |execute_disable| Rules {
        levels: 4,
        physical_bits: 40,
        execute_disable,
        updates,
    })
}

/// Bytes between the tables of two spaces, as a power of two: pages of 1 GB in them stay aligned.
const SPACE_BITS: u32 = 30;
/// Memory answers after so many cycles at most.
const LATENCY: u64 = 30;
/// The chance, of 256, that a request comes from a second requester as well.
const TWICE: u16 = 32;

/// How many requests a walker had at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// Cycles.
    pub cycles: u64,
    /// Requests that were accepted and not answered: their sum over the cycles.
    pub sum: u64,
    /// The most of them.
    pub most: u64,
    /// Requests that were answered together with that of another requester.
    pub merged: u64,
}

impl Load {
    /// Adds that of another walker.
    pub fn add(&mut self, other: &Self) {
        self.cycles += other.cycles;
        self.sum += other.sum;
        self.most = self.most.max(other.most);
        self.merged += other.merged;
    }

    /// Requests that were under way in the mean.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.cycles.max(1) as f64
    }
}

/// A request of a space.
struct OpenRequest {
    request: Request,
    /// Requesters whose request was accepted and is not answered, and those whose request is still to come.
    accepted: u32,
    queued: u32,
    end: Result<Translation, Fault>,
    /// What its answer shows where nothing of the case was marked before it, and where all was.
    shown: [Shown; 2],
}

impl OpenRequest {
    /// What is wrong with its answer.
    fn wrong(&self, answer: &Outputs) -> Option<String> {
        let (end, shown) = (ended(&self.request, answer), Shown::by(answer));
        if end != self.end {
            return Some(format!("{end:x?} and not {:x?}", self.end));
        }
        let sentence = || format!("{shown:x?} and none of {:x?}", self.shown);
        (!self.shown.contains(&shown)).then(sentence)
    }
}

/// A case in its space.
struct Space {
    open: Vec<OpenRequest>,
    words: Words,
    /// What memory must hold in the end: a mark changes no other walk's end, so in whatever order they come.
    after: Image,
}

impl Space {
    fn is_done(&self) -> bool {
        let done = |open: &OpenRequest| open.accepted | open.queued == 0;
        self.open.iter().all(done)
    }
}

/// A walker with walks under way.
pub(super) struct Concurrent {
    pins: Pins,
    rules: Rules,
    memory: Image,
    spaces: Vec<Option<Space>>,
    /// Spaces that are in use, of so many at most, and the one that is used next.
    used: usize,
    most_used: usize,
    next: usize,
    /// What each requester is still to request: address space, and number of the request.
    queues: Vec<VecDeque<(usize, usize)>>,
    /// The requests to memory, with the cycle in which it answers.
    requested: Vec<(u64, MemoryRequest)>,
    rng: Rng,
    /// The cycle of the last answer.
    answered: u64,
    under_way: u64,
    load: Load,
    tally: Tally,
}

/// Where the tables of a space begin.
const fn base(asid: usize) -> u64 {
    (asid as u64) << SPACE_BITS
}

/// Tables with those of a space: all but the page's own entry lead to others.
fn moved(words: &Words, asid: usize) -> Words {
    let last = words.len().saturating_sub(1);
    let moved = words.iter().enumerate().map(|(place, &(address, value))| {
        let table = if place < last { base(asid) } else { 0 };
        (address + base(asid), value + table)
    });
    moved.collect()
}

impl Concurrent {
    /// A walker whose spaces have their roots.
    pub fn new(config: &str, rules: Rules, kind: Kind) -> Result<Self, WalkError> {
        let mut pins = Pins::new(config, &rules, Some(LIMIT), kind)?;
        let sizes = *pins.parameters();
        let spaces = 1 << sizes.asid_bits;
        pins.inputs.root_valid = true;
        for asid in 0..spaces {
            pins.inputs.root_asid = asid as u8;
            pins.inputs.root_pfn = (ROOT + base(asid)) >> 12;
            pins.cycle()?;
        }
        pins.inputs.root_valid = false;
        Ok(Self {
            pins,
            rules,
            memory: Image::new(Some(LIMIT)),
            spaces: (0..spaces).map(|_| None).collect(),
            used: 0,
            // A case has six requests: there are more than can be walked at once.
            most_used: sizes.walks / 3 + 1,
            next: 0,
            queues: vec![VecDeque::new(); sizes.requesters],
            requested: Vec::new(),
            rng: Rng::new(1),
            answered: 0,
            under_way: 0,
            load: Load::default(),
            tally: Tally::default(),
        })
    }

    /// Waits for a space, and has the requests of a case walked there.
    pub fn put(&mut self, case: &Case) -> Result<(), WalkError> {
        while self.used == self.most_used || self.spaces[self.next].is_some() {
            self.cycle()?;
        }
        let number = self.next;
        self.next = (number + 1) % self.spaces.len();
        self.used += 1;
        let words = moved(&case.words, number);
        for &(address, value) in &words {
            self.memory.put(address, value);
        }
        let before = image(&words);
        let root = ROOT + base(number);
        let mut after = before.clone();
        for request in &case.requests {
            self.rules.walk(&mut after, root, request);
        }
        let mut open = Vec::new();
        for (place, request) in case.requests.iter().enumerate() {
            let walk = |memory: &Image| self.rules.walk(&mut memory.clone(), root, request);
            let shown = |memory| Shown::of(&self.rules, memory, root, request, &walk(memory));
            let mut queued = 0;
            for _ in 0..1 + u32::from(self.rng.chance(TWICE)) {
                let requester = self.rng.below(self.queues.len() as u64) as usize;
                if queued >> requester & 1 == 0 {
                    queued |= 1 << requester;
                    self.queues[requester].push_back((number, place));
                }
            }
            open.push(OpenRequest {
                request: *request,
                accepted: 0,
                queued,
                end: walk(&before).end,
                shown: [shown(&before), shown(&after)],
            });
        }
        self.tally.add(case.requests.len() as u64, None);
        self.spaces[number] = Some(Space { open, words, after });
        Ok(())
    }

    /// Waits for all answers.
    pub fn end(mut self) -> Result<(Tally, Load), WalkError> {
        while self.used > 0 {
            self.cycle()?;
        }
        Ok((self.tally, self.load))
    }

    fn cycle(&mut self) -> Result<(), WalkError> {
        for (requester, queue) in self.queues.iter().enumerate() {
            self.pins.inputs.request_valid[requester] = 0;
            if let Some(&(asid, place)) = queue.front()
                && let Some(open) = &self.spaces[asid]
            {
                let request = open.open[place].request;
                self.pins.request(requester, asid as u8, &request);
            }
        }
        self.pins.inputs.response_valid = false;
        let now = self.load.cycles;
        if let Some(first) = self.requested.iter().position(|(due, _)| *due <= now) {
            let (_, requested) = self.requested.swap_remove(first);
            let (_, after) = self.pins.respond(&mut self.memory, &requested);
            if after.is_some() {
                self.check_place(requested.word << 3);
            }
        }
        let outputs = self.pins.cycle()?;
        for requester in 0..self.queues.len() {
            if outputs.request_ready[requester] != 0 {
                self.accept(requester);
            }
        }
        if let Some(requested) = MemoryRequest::of(&outputs) {
            let due = now + 1 + self.rng.below(LATENCY);
            self.requested.push((due, requested));
        }
        if outputs.answer_valid {
            self.answered = now;
            self.answer(&outputs);
        }
        self.load.cycles += 1;
        self.load.sum += self.under_way;
        self.load.most = self.load.most.max(self.under_way);
        match now - self.answered > MOST_CYCLES as u64 {
            true => Err(WalkError::Endless(self.oldest())),
            false => Ok(()),
        }
    }

    /// An address that is still walked.
    fn oldest(&self) -> u64 {
        let spaces = self.spaces.iter().flatten();
        let mut open = spaces.flat_map(|space| &space.open);
        let waits = open.find(|open| open.accepted | open.queued != 0);
        waits.map_or(0, |open| open.request.address)
    }

    /// A word outside of the tables of its space was written.
    fn check_place(&mut self, address: u64) {
        let space = self.spaces.get((address >> SPACE_BITS) as usize);
        let space = space.and_then(Option::as_ref);
        let known = |space: &Space| space.words.iter().any(|(at, _)| *at == address);
        if !space.is_some_and(known) {
            let sentence = format!("{:?}: {address:#x} was written", self.rules);
            self.tally.add(0, [sentence]);
        }
    }

    fn accept(&mut self, requester: usize) {
        let requested = self.queues[requester].pop_front();
        if let Some((asid, place)) = requested
            && let Some(space) = &mut self.spaces[asid]
        {
            let open = &mut space.open[place];
            self.under_way += 1;
            open.accepted |= 1 << requester;
            open.queued &= !(1 << requester);
        }
    }

    /// Holds an answer against the request that it is of.
    fn answer(&mut self, answer: &Outputs) {
        let asid = usize::from(answer.answer_asid);
        let to = (0..self.queues.len()).filter(|&to| answer.answer_requesters[to] != 0);
        let to = to.fold(0, |all, requester| all | 1u32 << requester);
        let open = self.spaces[asid].as_mut().and_then(|space| {
            let mut open = space.open.iter_mut();
            open.find(|open| is_of(answer, &open.request))
        });
        let wrong = match open {
            Some(open) => {
                let taken = open.accepted & to;
                open.accepted &= !to;
                self.under_way -= u64::from(taken.count_ones());
                self.load.merged += u64::from(taken.count_ones().saturating_sub(1));
                match taken == to && to != 0 {
                    true => open.wrong(answer),
                    false => Some("not all of its requesters request it".to_owned()),
                }
            }
            None => Some("nobody requests it".to_owned()),
        };
        let wrong = wrong.map(|wrong| format!("{wrong}: {:?}, {answer:x?}", self.rules));
        self.tally.add(0, wrong);
        self.close(asid);
    }

    /// Looks at memory where all requests of a space are answered.
    fn close(&mut self, asid: usize) {
        let Some(space) = self.spaces[asid].take_if(|space| space.is_done()) else {
            return;
        };
        self.used -= 1;
        let memory = &mut self.memory;
        let wrong = space.words.iter().filter_map(|&(address, _)| {
            let (found, expected) = (memory.read(address), space.after.read(address));
            memory.put(address, 0);
            let sentence = || format!("{found:x?} and not {expected:x?} at {address:#x}");
            (found != expected).then(sentence)
        });
        self.tally.add(0, wrong);
    }
}

/// Whether an answer is that of a request.
fn is_of(answer: &Outputs, request: &Request) -> bool {
    answer.answer_vpn == request.address >> 12
        && answer.answer_write == (request.access == Access::Write)
        && answer.answer_execute == (request.access == Access::Execute)
        && answer.answer_user == request.user
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a test that cannot go on panics

    use super::*;

    fn tally(held_against: impl Fn(&mut Rules)) -> Tally {
        let rules = machines("8").last().unwrap();
        let mut concurrent = Concurrent::new("8", rules, Kind::Reference).unwrap();
        held_against(&mut concurrent.rules);
        for case in Sweep::Entry.cases(&rules).step_by(11) {
            concurrent.put(&case).unwrap();
        }
        concurrent.end().unwrap().0
    }

    #[test]
    fn walker_of_another_machine_is_found_out() {
        assert_eq!(tally(|_| ()).differences, 0);
        let other = tally(|rules| rules.execute_disable = false);
        assert!(other.differences > 100, "{other:?}");
        // The walker does not set what memory is to have set in the end.
        let other = tally(|rules| rules.updates = true);
        let in_memory = |sentence: &String| sentence.contains(" and not Some(");
        assert!(other.shown.iter().any(in_memory), "{other:?}");
    }
}
