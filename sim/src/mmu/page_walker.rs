//! The reference model of the page walker: its page (`docs/blocks/page_walker.md`) as plain data. What an entry means follows
//! from the rules in [`walk`](crate::walk).

use std::collections::VecDeque;

use crate::ports::Model;
use crate::walk::{
    ACCESSED, Access, Cause, DIRTY, EXECUTE_DISABLE, Next, PAGE_SIZE, Request, Rules, USER,
    WRITABLE, offset_bits,
};

mod interface;

pub use interface::{Each, Inputs, MOST_REQUESTERS, Outputs, PAGE_BITS, Parameters};

/// What a walk does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Step {
    /// Nothing.
    #[default]
    Free,
    /// It wants an entry.
    Requesting,
    /// It waits for memory.
    Reading,
    /// It has ended, and is to be answered.
    Ended,
}

/// What makes requests alike: one walk does for all that agree in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Key {
    /// Bits 63 to 12 of the address.
    pub vpn: u64,
    /// The address space.
    pub asid: u8,
    /// It is to be written.
    pub write: bool,
    /// It is to be executed.
    pub execute: bool,
    /// A user does it.
    pub user: bool,
}

/// Rights over the levels so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Rights {
    writable: bool,
    user: bool,
    executable: bool,
}

/// A walk.
#[derive(Clone, Copy, Debug, Default)]
pub struct Walk {
    /// What it does.
    pub step: Step,
    /// The access that it is for.
    pub key: Key,
    /// The requesters that it is for, a bit each.
    pub requesters: u32,
    /// The level of the entry that it wants, waits for, or has ended with.
    pub level: u8,
    /// It sets the accessed and dirty bits that it has found clear.
    pub marking: bool,
    /// What it waits for was read too early, and does not count.
    pub stale: bool,
    /// It was under way when something was last invalidated that it may have read.
    delayed: bool,
    /// Since it was begun last, one of its entries came from what is kept.
    pub used: bool,
    /// It bypasses the cache: its entries are read from memory.
    pub bypass: bool,
    found: Found,
}

/// What a walk has found so far.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    /// The table that it has come to, or the frame of its page.
    pfn: u64,
    rights: Rights,
    /// The first level whose accessed bit was clear, or 0.
    unmarked: u8,
    /// Why it has found no page.
    cause: Option<Cause>,
    /// It has found a page, or one that is only not to be written, that may be read.
    readable: bool,
    /// The dirty bit of its page is clear.
    clean: bool,
}

/// An answer of memory.
#[derive(Clone, Copy, Debug, Default)]
struct Response {
    walk: usize,
    data: u64,
    error: bool,
    changed: bool,
    kept: bool,
}

/// What a response means for its walk.
#[derive(Clone, Copy, Debug, Default)]
struct Outcome {
    number: usize,
    /// The walk begins again, and bypasses the cache.
    again: bool,
    used: bool,
    step: Step,
    level: u8,
    marking: bool,
    found: Found,
}

/// What is on its way out.
#[derive(Clone, Copy, Debug, Default)]
struct Leaving {
    valid: bool,
    answer: bool,
    number: usize,
    walk: Walk,
    root: u64,
    entry: u64,
}

/// What is chosen to leave next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Chosen {
    /// A walk.
    Walk(usize),
    /// The first request that waits, whose address is not canonical.
    First,
}

/// The page walker.
#[derive(Clone, Debug)]
pub struct PageWalker {
    parameters: Parameters,
    walks: Vec<Walk>,
    /// Room for what they were at the start of a cycle.
    before: Vec<Walk>,
    /// Requests in front of the walks, with their requesters.
    waiting: VecDeque<(Key, usize)>,
    /// The first of them has looked for a walk that is alike: which one it found.
    compared: Option<Option<usize>>,
    /// The requester that was served last.
    turn: usize,
    chosen: Option<Chosen>,
    /// The walk that was chosen last.
    last: usize,
    /// What was chosen last was no walk.
    was_first: bool,
    leaving: Leaving,
    /// An entry that needs no update, on its way back as if from memory.
    back: Option<Response>,
    /// A response with its walk as it was.
    looked: Option<(Response, Walk)>,
    outcome: Option<Outcome>,
    /// An invalidation waits until what was read before it has left.
    halting: bool,
    /// In the cycle before, a walk was under way that an invalidation has delayed.
    delays: bool,
    roots: Vec<u64>,
    /// The entries that each walk has read, where they may have to be updated.
    path: Vec<u64>,
}

/// The levels that the number of an entry in the path distinguishes.
const LEVELS: usize = 8;

impl Model for PageWalker {
    type Parameters = Parameters;
    type Inputs = Inputs;
    type Outputs = Outputs;

    fn new(parameters: Parameters) -> Self {
        let path = if parameters.updates { LEVELS } else { 0 };
        Self {
            walks: vec![Walk::default(); parameters.walks],
            before: vec![Walk::default(); parameters.walks],
            waiting: VecDeque::new(),
            compared: None,
            turn: 0,
            chosen: None,
            last: 0,
            was_first: false,
            leaving: Leaving::default(),
            back: None,
            looked: None,
            outcome: None,
            halting: false,
            delays: false,
            roots: vec![0; 1 << parameters.asid_bits],
            path: vec![0; parameters.walks * path],
            parameters,
        }
    }

    fn cycle(&mut self, inputs: &Inputs) -> Outputs {
        let shown = self.shown_with(inputs.reserved_bits, inputs.execute_disable);
        self.cycle_after(inputs, shown)
    }
}

impl PageWalker {
    /// A cycle, in which it offers what is shown.
    pub(crate) fn cycle_after(&mut self, inputs: &Inputs, shown: Outputs) -> Outputs {
        let rules = self.rules(inputs.reserved_bits, inputs.execute_disable);
        let mut outputs = shown;
        let granted = self.granted(inputs);
        if let Some(number) = granted {
            outputs.request_ready[number] = 1;
        }
        self.edge(inputs, &rules, granted, &outputs);
        outputs
    }

    /// The walks, in the order of their numbers.
    pub fn walks(&self) -> impl Iterator<Item = &Walk> {
        self.walks.iter()
    }

    /// Two walks under way are alike: of the same page, space and kind of access, which is not a user's.
    #[must_use]
    pub fn has_twins(&self) -> bool {
        let busy = self.walks.iter().filter(|walk| walk.step != Step::Free);
        let keys: Vec<_> = busy.map(|walk| walk.key).filter(|key| !key.user).collect();
        (1..keys.len()).any(|last| keys[..last].contains(&keys[last]))
    }

    /// Requests that wait in front of the walks.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// An invalidation is under way.
    #[must_use]
    pub fn halting(&self) -> bool {
        self.halting
    }

    /// An entry is on its way out that needs no update after all.
    #[must_use]
    pub fn skipping(&self) -> bool {
        self.leaving.valid && self.skips()
    }

    /// Nothing happens here until something comes: each walk is free or waits for memory.
    pub(crate) fn rests(&self) -> bool {
        let waits = |walk: &Walk| matches!(walk.step, Step::Free | Step::Reading);
        self.waiting.is_empty()
            && self.chosen.is_none()
            && !self.leaving.valid
            && self.back.is_none()
            && self.looked.is_none()
            && self.outcome.is_none()
            && !self.halting
            && self.walks.iter().all(waits)
    }

    /// What it offers, whatever else comes in this cycle.
    pub(crate) fn shown_with(&self, reserved_bits: u32, execute_disable: bool) -> Outputs {
        self.shown(&self.rules(reserved_bits, execute_disable))
    }

    /// The rules that the inputs name.
    fn rules(&self, reserved_bits: u32, execute_disable: bool) -> Rules {
        Rules {
            levels: self.parameters.levels,
            physical_bits: 32 + reserved_bits.trailing_zeros().min(20) as u8,
            execute_disable,
            updates: self.parameters.updates,
        }
    }

    /// Whether what leaves is an entry that needs no update after all.
    fn skips(&self) -> bool {
        let Leaving { walk, entry, .. } = self.leaving;
        let wanted = if wants_dirty(entry, &walk) {
            ACCESSED | DIRTY
        } else {
            ACCESSED
        };
        !self.leaving.answer && walk.marking && entry & wanted == wanted
    }

    /// The outputs that registers alone decide.
    fn shown(&self, rules: &Rules) -> Outputs {
        let Leaving {
            valid,
            answer,
            number,
            walk,
            root,
            entry,
        } = self.leaving;
        let key = walk.key;
        let cause = walk.found.cause.filter(|_| answer);
        let found = answer && cause.is_none();
        let readable = answer && walk.found.readable;
        let table = if walk.level == self.parameters.levels {
            root
        } else {
            walk.found.pfn
        };
        let mut outputs = Outputs {
            answer_valid: valid && answer,
            answer_vpn: key.vpn,
            answer_asid: key.asid,
            answer_write: key.write,
            answer_execute: key.execute,
            answer_user: key.user,
            answer_cause: cause.map_or(0, |cause| cause as u8 + 1),
            answer_code: cause
                .and_then(|cause| rules.code(&request(&key), cause))
                .unwrap_or(0),
            answer_level: walk.level,
            answer_pfn: if readable { walk.found.pfn } else { 0 },
            answer_readable: readable,
            answer_clean: found && walk.found.clean,
            answer_writable: found && walk.found.rights.writable,
            answer_user_page: found && walk.found.rights.user,
            answer_executable: found && walk.found.rights.executable,
            memory_valid: valid && !answer && !self.skips(),
            memory_walk: number as u8,
            memory_word: if answer {
                0
            } else {
                table << 9 | index(key.vpn, walk.level)
            },
            memory_level: walk.level,
            memory_update: walk.marking,
            memory_dirty: walk.marking && wants_dirty(entry, &walk),
            memory_expected: entry,
            memory_bypass: walk.bypass,
            invalidate_ready: self.halting
                && self.chosen.is_none()
                && !valid
                && !self
                    .walks
                    .iter()
                    .any(|walk| walk.step == Step::Reading && walk.marking),
            ..Outputs::default()
        };
        for (requester, bit) in outputs.answer_requesters.iter_mut().enumerate() {
            *bit = u64::from(walk.requesters >> requester & 1);
        }
        outputs
    }

    /// The requester whose request is accepted: the next one in turn, while there is room.
    fn granted(&self, inputs: &Inputs) -> Option<usize> {
        if self.waiting.len() == self.parameters.waiting {
            return None;
        }
        let requests = |number: &usize| inputs.request_valid[*number] != 0;
        let count = self.parameters.requesters;
        (self.turn + 1..count)
            .find(requests)
            .or_else(|| (0..count).find(requests))
    }

    fn edge(&mut self, inputs: &Inputs, rules: &Rules, granted: Option<usize>, shown: &Outputs) {
        if inputs.reset {
            *self = Self {
                roots: std::mem::take(&mut self.roots),
                path: std::mem::take(&mut self.path),
                leaving: Leaving {
                    // What a memory has read stays on its outputs.
                    root: self.leaving.root,
                    entry: self.leaving.entry,
                    ..Leaving::default()
                },
                ..Self::new(self.parameters)
            };
            return;
        }
        if inputs.root_valid {
            self.roots[usize::from(inputs.root_asid)] = inputs.root_pfn;
        }
        let traced = self.looked.filter(|_| self.parameters.updates);
        if let Some((response, walk)) = traced {
            self.path[response.walk * LEVELS + usize::from(walk.level)] = response.data;
        }
        let back_stays = self.back.filter(|_| inputs.response_valid);
        let skipped = self.leaving.valid && self.skips() && back_stays.is_none();
        let taken = skipped
            || (shown.answer_valid && inputs.answer_ready)
            || (shown.memory_valid && inputs.memory_ready);
        let free = !self.leaving.valid || taken;
        let go = free && !inputs.root_valid && traced.is_none();
        let mut before = std::mem::take(&mut self.before);
        before.copy_from_slice(&self.walks);
        let held = self.chosen;
        let moved = held.filter(|_| go);
        let first = self.waiting.front().copied();

        self.finish(&before);
        self.admit(rules, &before, first, inputs.no_merge, held, moved);
        let next = moved.map(|chosen| self.leave(&before, first, chosen));
        let invalidates = inputs.invalidate_valid && !self.halting && !self.delays;
        if invalidates {
            self.invalidate(inputs, &before);
        }
        self.delays = before
            .iter()
            .any(|walk| walk.step != Step::Free && walk.delayed);
        if held.is_none() || moved.is_some() {
            self.choose(rules, &before, first, moved);
        }
        self.outcome = self.outcome(inputs, rules);
        self.looked = response(inputs)
            .or(self.back)
            .map(|response| (response, before[response.walk]));
        let skips = skipped.then_some(Response {
            walk: self.leaving.number,
            data: self.leaving.entry,
            ..Response::default()
        });
        self.back = back_stays.or(skips);
        match next {
            Some(next) => self.leaving = next,
            None if free => self.leaving.valid = false,
            None => {}
        }
        if let Some(requester) = granted {
            self.turn = requester;
            self.waiting.push_back((key(inputs, requester), requester));
        }
        self.before = before;
        self.halting = if self.halting {
            !shown.invalidate_ready
        } else {
            invalidates
        };
    }

    /// What a response means for its walk, as it was seen.
    fn outcome(&self, inputs: &Inputs, rules: &Rules) -> Option<Outcome> {
        // What a walk that has never begun receives means nothing.
        let (response, seen) = self.looked.filter(|(_, seen)| seen.level > 0)?;
        let top = self.parameters.levels;
        let entry = response.data;
        let (so_far, unmarked) = if seen.level == top {
            let all = Rights {
                writable: true,
                user: true,
                executable: true,
            };
            (all, 0)
        } else {
            (seen.found.rights, seen.found.unmarked)
        };
        let mut outcome = Outcome {
            number: response.walk,
            used: seen.used || response.kept,
            step: Step::Ended,
            level: seen.level,
            ..Outcome::default()
        };
        let found = &mut outcome.found;
        found.rights = Rights {
            writable: so_far.writable && entry & WRITABLE != 0,
            user: so_far.user && entry & USER != 0,
            executable: so_far.executable && entry & EXECUTE_DISABLE == 0,
        };
        found.unmarked = match entry & ACCESSED {
            0 if unmarked == 0 => seen.level,
            _ => unmarked,
        };
        let next = if response.error {
            Err(Cause::OutsideMemory)
        } else {
            rules.next(entry, seen.level)
        };
        match next {
            Err(cause) => found.cause = Some(cause),
            Ok(Next::Table(table)) => {
                outcome.step = Step::Requesting;
                outcome.level = seen.level - 1;
                outcome.marking = seen.marking;
                found.pfn = table >> 12;
            }
            Ok(Next::Page(page)) => {
                let inside = (1 << (offset_bits(seen.level) - 12)) - 1;
                found.pfn = page >> 12 | seen.key.vpn & inside;
                found.cause = refused(&seen.key, found, inputs.last_pfn);
                found.clean = !seen.key.write && entry & DIRTY == 0;
                let clean = seen.key.write && entry & DIRTY == 0;
                let marked = seen.marking || (found.unmarked == 0 && !clean);
                if found.cause.is_some() || marked {
                    // It has ended.
                } else if rules.updates {
                    (outcome.step, outcome.level) = (Step::Requesting, top);
                    outcome.marking = true;
                } else if found.unmarked != 0 {
                    outcome.level = found.unmarked;
                    found.cause = Some(Cause::NotAccessed);
                } else {
                    found.cause = Some(Cause::NotDirty);
                }
                // A write is forbidden, and a read would have found the page.
                let reading = Key {
                    write: false,
                    execute: false,
                    ..seen.key
                };
                found.readable = match found.cause {
                    None => true,
                    Some(Cause::Protection) => {
                        found.unmarked == 0 && refused(&reading, found, inputs.last_pfn).is_none()
                    }
                    Some(_) => false,
                };
            }
        }
        // An update was refused, or what is kept would be to blame.
        outcome.again = response.changed || (found.cause.is_some() && outcome.used);
        Some(outcome)
    }

    /// What was made of a response reaches its walk.
    fn finish(&mut self, before: &[Walk]) {
        let Some(outcome) = self.outcome else {
            return;
        };
        let walk = &mut self.walks[outcome.number];
        let before = &before[outcome.number];
        if before.step != Step::Reading {
            return;
        }
        walk.bypass |= outcome.again;
        if before.stale || outcome.again {
            walk.restart(self.parameters.levels);
            return;
        }
        walk.used = outcome.used;
        walk.step = outcome.step;
        walk.level = outcome.level;
        walk.marking = outcome.marking;
        walk.found = outcome.found;
    }

    /// What the first request that waits comes to: it looks for a walk that is alike, and in a later cycle joins it or
    /// gets one that is free; or it leaves without one if its address is not canonical. If those that are not users' are
    /// `no_merge`, they join none.
    fn admit(
        &mut self,
        rules: &Rules,
        before: &[Walk],
        first: Option<(Key, usize)>,
        no_merge: bool,
        held: Option<Chosen>,
        moved: Option<Chosen>,
    ) {
        let Some((key, requester)) = first else {
            return;
        };
        if !rules.is_canonical(key.vpn << 12) {
            if moved == Some(Chosen::First) {
                self.waiting.pop_front();
            }
            return;
        }
        let Some(alike) = self.compared else {
            let joins = key.user || !no_merge;
            let alike = |walk: &Walk| joins && walk.step != Step::Free && walk.key == key;
            self.compared = Some(before.iter().position(alike));
            return;
        };
        if let Some(number) = alike.filter(|&number| before[number].step != Step::Free) {
            // It is too late for a walk whose answer is on its way.
            if before[number].step == Step::Ended && held == Some(Chosen::Walk(number)) {
                return;
            }
            self.walks[number].requesters |= 1 << requester;
        } else if let Some(number) = before.iter().position(|walk| walk.step == Step::Free) {
            let walk = &mut self.walks[number];
            walk.restart(self.parameters.levels);
            (walk.delayed, walk.bypass) = (false, false);
            (walk.key, walk.requesters) = (key, 1 << requester);
        } else {
            return;
        }
        self.compared = None;
        self.waiting.pop_front();
    }

    /// What was chosen leaves.
    fn leave(&mut self, before: &[Walk], first: Option<(Key, usize)>, chosen: Chosen) -> Leaving {
        let walk = match (chosen, first) {
            (Chosen::Walk(number), _) => before[number],
            (Chosen::First, None) => Walk::default(),
            (Chosen::First, Some((key, requester))) => Walk {
                key,
                requesters: 1 << requester,
                found: Found {
                    cause: Some(Cause::NonCanonical),
                    ..Found::default()
                },
                ..Walk::default()
            },
        };
        let answer = walk.step != Step::Requesting;
        if let Chosen::Walk(number) = chosen {
            self.walks[number].step = if answer { Step::Free } else { Step::Reading };
        }
        let place = self.last * LEVELS + usize::from(walk.level);
        Leaving {
            valid: true,
            answer,
            number: self.last,
            walk,
            root: self.roots[usize::from(walk.key.asid)],
            entry: self.path.get(place).copied().unwrap_or(0),
        }
    }

    /// What was read of tables does not count any more.
    fn invalidate(&mut self, inputs: &Inputs, before: &[Walk]) {
        let top = self.parameters.levels;
        for (walk, before) in self.walks.iter_mut().zip(before) {
            let meant = inputs.invalidate_all || before.key.asid == inputs.invalidate_asid;
            if before.step == Step::Free || !meant {
                continue;
            }
            walk.delayed = true;
            match walk.step {
                Step::Free => {}
                Step::Reading => walk.stale = true,
                Step::Requesting | Step::Ended => walk.restart(top),
            }
        }
    }

    /// Chooses what leaves next: an address that is not canonical, or the next walk in turn.
    fn choose(
        &mut self,
        rules: &Rules,
        before: &[Walk],
        first: Option<(Key, usize)>,
        moved: Option<Chosen>,
    ) {
        if self.halting {
            self.chosen = None;
            return;
        }
        let odd = first.is_some_and(|(key, _)| !rules.is_canonical(key.vpn << 12));
        self.was_first = odd && !self.was_first;
        if self.was_first {
            self.chosen = Some(Chosen::First);
            return;
        }
        let wants = |number: &usize| {
            matches!(before[*number].step, Step::Requesting | Step::Ended)
                && moved != Some(Chosen::Walk(*number))
        };
        let next = (self.last + 1..before.len())
            .find(wants)
            .or_else(|| (0..before.len()).find(wants));
        self.last = next.unwrap_or(0);
        self.chosen = next.map(Chosen::Walk);
    }
}

impl Walk {
    /// It has ended with a page.
    #[must_use]
    pub fn has_found(&self) -> bool {
        self.step == Step::Ended && self.found.cause.is_none()
    }

    /// It has ended without one.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.step == Step::Ended && self.found.cause.is_some()
    }

    /// Begins again at the root.
    fn restart(&mut self, top: u8) {
        (self.step, self.level) = (Step::Requesting, top);
        (self.marking, self.stale, self.used) = (false, false, false);
    }
}

/// Why a page that was found may not be accessed.
fn refused(key: &Key, found: &Found, last_pfn: u64) -> Option<Cause> {
    let Rights {
        writable,
        user,
        executable,
    } = found.rights;
    if (key.write && !writable) || (key.execute && !executable) || (key.user && !user) {
        Some(Cause::Protection)
    } else if found.pfn > last_pfn {
        Some(Cause::OutsideMemory)
    } else {
        None
    }
}

/// Whether the dirty bit of an entry is to be set: it maps the page, and the page is written.
fn wants_dirty(entry: u64, walk: &Walk) -> bool {
    let maps = match walk.level {
        1 => true,
        2 | 3 => entry & PAGE_SIZE != 0,
        _ => false,
    };
    walk.key.write && maps
}

/// The place of a page in its table of a level.
fn index(vpn: u64, level: u8) -> u64 {
    vpn >> (9 * level.saturating_sub(1)) & 511
}

/// A request as the rules of a walk know it.
fn request(key: &Key) -> Request {
    Request {
        address: key.vpn << 12,
        access: match (key.write, key.execute) {
            (true, _) => Access::Write,
            (_, true) => Access::Execute,
            _ => Access::Read,
        },
        user: key.user,
    }
}

/// What memory answers.
fn response(inputs: &Inputs) -> Option<Response> {
    inputs.response_valid.then_some(Response {
        walk: usize::from(inputs.response_walk),
        data: inputs.response_data,
        error: inputs.response_error,
        changed: inputs.response_changed,
        kept: inputs.response_kept,
    })
}

/// What a requester requests.
fn key(inputs: &Inputs, requester: usize) -> Key {
    Key {
        vpn: inputs.request_vpn[requester],
        asid: inputs.request_asid[requester] as u8,
        write: inputs.request_write[requester] != 0,
        execute: inputs.request_execute[requester] != 0,
        user: inputs.request_user[requester] != 0,
    }
}
