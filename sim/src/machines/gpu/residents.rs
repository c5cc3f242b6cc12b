//! The parts of memory that are in the GPU's memory or on their way, and which of them leaves where another one has no room.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;

use super::Eviction;
use super::allocations::Allocations;
use crate::page::Page;

/// Where a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It is to be prefetched, and has no room.
    Waits,
    /// It was missed, or is on the link.
    Comes,
    /// It is there.
    There,
    /// It is evicted, and its frames are not free.
    Leaves,
}

/// A part that is not absent.
#[derive(Clone, Copy, Debug)]
struct Part {
    state: State,
    /// When it has come, and when a page of it was last translated, or it has come.
    since: u64,
    used: u64,
    /// Far faults of its pages that are to be resolved, and until when it is no victim once that is done.
    unresolved: usize,
    kept: u64,
    /// It was prefetched, and none of its pages was translated.
    is_idle: bool,
}

impl Part {
    fn is_victim(&self, now: u64) -> bool {
        self.state == State::There && self.unresolved == 0 && self.kept <= now
    }
}

/// The parts that are not absent.
#[derive(Clone, Debug)]
pub struct Residents {
    parts: BTreeMap<Page, Part>,
    /// Parts for which there is room; no limit if none.
    capacity: Option<u64>,
    /// Parts that have room, and those of them that leave.
    held: u64,
    pub leaving: u64,
    /// Cycles for which a part is no victim after its far faults were resolved.
    keep: u64,
    eviction: Eviction,
    random: Rng,
    /// When there may be a victim, if there was none when one was looked for.
    look: u64,
}

impl Residents {
    pub fn new(capacity: Option<u64>, keep: u64, eviction: Eviction, seed: u64) -> Self {
        Self {
            parts: BTreeMap::new(),
            capacity,
            held: 0,
            leaving: 0,
            keep,
            eviction,
            random: Rng::with_seed(seed),
            look: u64::MAX,
        }
    }

    /// Parts for which there is room, if there is a limit.
    pub const fn capacity(&self) -> Option<u64> {
        self.capacity
    }

    /// Whether parts may have to leave.
    pub const fn is_limited(&self) -> bool {
        self.capacity.is_some()
    }

    /// When there may be a victim, if there was none.
    pub const fn look(&self) -> u64 {
        self.look
    }

    pub fn state(&self, part: Page) -> Option<State> {
        self.parts.get(&part).map(|part| part.state)
    }

    /// When a part has come, if it is there.
    pub fn since(&self, part: Page) -> Option<u64> {
        let part = self.parts.get(&part)?;
        (part.state == State::There).then_some(part.since)
    }

    pub fn has_room(&self) -> bool {
        self.capacity.is_none_or(|capacity| self.held < capacity)
    }

    /// Takes room for a part, if there is some.
    pub fn take_room(&mut self) -> bool {
        let has_room = self.has_room();
        self.held += u64::from(has_room);
        has_room
    }

    /// A part is absent no more.
    pub fn insert(&mut self, part: Page, state: State, is_prefetched: bool) {
        let new = Part {
            state,
            since: 0,
            used: 0,
            unresolved: 0,
            kept: 0,
            is_idle: is_prefetched,
        };
        self.parts.insert(part, new);
    }

    /// A part is absent: it was not brought, or its frames are free.
    pub fn remove(&mut self, part: Page) {
        let had_room = |part: Part| part.state != State::Waits;
        if let Some(part) = self.parts.remove(&part) {
            self.held -= u64::from(had_room(part));
            self.leaving -= u64::from(part.state == State::Leaves);
        }
    }

    /// A part has come.
    pub fn arrive(&mut self, part: Page, now: u64) {
        let kept = now + self.keep;
        if let Some(part) = self.parts.get_mut(&part) {
            part.state = State::There;
            (part.since, part.used, part.kept) = (now, now, kept);
        }
        self.look = self.look.min(kept);
    }

    /// A far fault in a part that is there is to be resolved.
    pub fn resolves(&mut self, part: Page) {
        if let Some(part) = self.parts.get_mut(&part) {
            part.unresolved += 1;
        }
    }

    /// It is resolved.
    pub fn resolved(&mut self, part: Page, now: u64) {
        let kept = now + self.keep;
        if let Some(part) = self.parts.get_mut(&part) {
            part.unresolved -= 1;
            part.kept = kept;
        }
        self.look = self.look.min(kept);
    }

    /// A page of a part was translated. It says whether the part was prefetched, and this is the first time.
    pub fn uses(&mut self, part: Page, now: u64) -> bool {
        let part = self.parts.get_mut(&part);
        part.is_some_and(|part| {
            part.used = now;
            std::mem::take(&mut part.is_idle)
        })
    }

    /// Whether all parts that have room and do not leave are these.
    pub fn are_all(&self, those: &BTreeSet<Page>) -> bool {
        self.held - self.leaving <= those.len() as u64
    }

    /// Whether one of these parts is on its way.
    pub fn come(&self, those: &BTreeSet<Page>) -> bool {
        let comes = |part: &Page| self.state(*part) == Some(State::Comes);
        those.iter().any(comes)
    }

    /// These parts are no victims for as long as one that has just come.
    pub fn keep(&mut self, those: &BTreeSet<Page>, now: u64) {
        for part in those {
            if let Some(part) = self.parts.get_mut(part) {
                part.kept = now + self.keep;
            }
        }
    }

    /// When the warps that wait for these parts have all had time to be woken; never, as far as is known, if one has not come.
    pub fn settled(&self, those: &BTreeSet<Page>) -> u64 {
        let parts = those.iter().filter_map(|part| self.parts.get(part));
        let kept = parts.map(|part| match (part.state, part.unresolved) {
            (State::There | State::Leaves, 0) => part.kept,
            _ => u64::MAX,
        });
        kept.max().unwrap_or(0)
    }

    /// A victim is looked for again at this time, and not before.
    pub const fn look_at(&mut self, time: u64) {
        self.look = time;
    }

    /// There may be a victim at this time, if it is to come.
    pub fn look_before(&mut self, time: u64, now: u64) {
        if time > now {
            self.look = self.look.min(time);
        }
    }

    /// The parts that leave so that another one has room, without those that have to stay; none if none may leave now. If one leaves
    /// alone, it is the one that was translated longest ago instead of a node of the tree.
    pub fn victims(
        &mut self,
        now: u64,
        allocations: &Allocations,
        stay: &BTreeSet<Page>,
        alone: bool,
    ) -> Vec<Page> {
        let eviction = match self.eviction {
            Eviction::Tree if alone => Eviction::Lru,
            eviction => eviction,
        };
        let (parts, random) = (&self.parts, &mut self.random);
        let may_leave = |page: &Page| {
            let is_victim = |part: &Part| part.is_victim(now);
            parts.get(page).is_some_and(is_victim) && !stay.contains(page)
        };
        let free = || parts.iter().filter(|(page, _)| may_leave(page));
        let oldest = || free().min_by_key(|(page, part)| (part.used, **page));
        let first = match eviction {
            Eviction::Lru => oldest().map(|(page, _)| *page),
            Eviction::Random => match free().count() {
                0 => None,
                count => free().nth(random.usize(0..count)).map(|(page, _)| *page),
            },
            Eviction::Tree => oldest_region(parts, &may_leave, allocations)
                .or_else(|| oldest().map(|(page, _)| *page)),
        };
        let mut victims = BTreeSet::new();
        if let Some(first) = first {
            victims.insert(first);
            if eviction == Eviction::Tree {
                empty_nodes(parts, &may_leave, allocations, first, &mut victims);
            }
        }
        self.look = match first {
            Some(_) => u64::MAX,
            None => {
                let others = parts.iter().filter(|(page, _)| !stay.contains(page));
                let there = others.filter(|(_, part)| part.state == State::There);
                let resolved = there.filter(|(_, part)| part.unresolved == 0);
                let kept = resolved.map(|(_, part)| part.kept).min();
                kept.unwrap_or(u64::MAX)
            }
        };
        for page in &victims {
            if let Some(part) = self.parts.get_mut(page) {
                part.state = State::Leaves;
                self.leaving += 1;
            }
        }
        victims.into_iter().collect()
    }
}

/// A part of the 64 KB of which no page has been translated for longest, of those that may leave whole.
fn oldest_region(
    parts: &BTreeMap<Page, Part>,
    may_leave: &impl Fn(&Page) -> bool,
    allocations: &Allocations,
) -> Option<Page> {
    let mut regions: BTreeMap<Page, (u64, bool)> = BTreeMap::new();
    for (page, part) in parts.iter().filter(|(_, part)| part.state == State::There) {
        let vpn = allocations.region(page.vpn).start;
        let region = regions.entry(Page { vpn, ..*page });
        let (used, is_free) = region.or_insert((0, true));
        *used = part.used.max(*used);
        *is_free &= may_leave(page);
    }
    let free = regions.into_iter().filter(|(_, (_, is_free))| *is_free);
    let oldest = free.min_by_key(|(page, (used, _))| (*used, *page))?.0;
    let inside = allocations.region(oldest.vpn);
    let of_region = |vpn| Page { vpn, ..oldest };
    inside.map(of_region).find(may_leave)
}

/// The 64 KB of a victim leave, and the rest of each node of the tree of which less than half is left.
fn empty_nodes(
    parts: &BTreeMap<Page, Part>,
    may_leave: &impl Fn(&Page) -> bool,
    allocations: &Allocations,
    first: Page,
    victims: &mut BTreeSet<Page>,
) {
    let of_space = |vpn| Page { vpn, ..first };
    let region = allocations.region(first.vpn).map(of_space);
    victims.extend(region.filter(may_leave));
    for node in allocations.nodes(first) {
        let is_left = |page: &Page| {
            let state = parts.get(page).map(|part| part.state);
            matches!(state, Some(State::There | State::Comes)) && !victims.contains(page)
        };
        let size = node.end.saturating_sub(node.start);
        let left = node.clone().map(of_space).filter(is_left).count() as u64;
        if 2 * left < size {
            victims.extend(node.map(of_space).filter(may_leave));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::sm::AddressSpace;
    use super::*;

    fn part(vpn: u64) -> Page {
        Page { vpn, asid: 0 }
    }

    /// Parts of 64 KB of one allocation of 2 MB.
    fn allocations() -> Allocations {
        let space = AddressSpace::Buffers(std::iter::once(0..512).collect());
        Allocations::new(4, [(&space, &[][..])].into_iter())
    }

    /// Parts that have come one after the other, a cycle apart.
    fn residents(eviction: Eviction, parts: &[u64]) -> Residents {
        let mut residents = Residents::new(Some(parts.len() as u64), 100, eviction, 7);
        for (&vpn, now) in parts.iter().zip(0..) {
            assert!(residents.take_room());
            residents.insert(part(vpn), State::Comes, false);
            residents.arrive(part(vpn), now);
        }
        assert!(!residents.take_room());
        residents
    }

    fn victims(residents: &mut Residents, now: u64) -> Vec<u64> {
        let victims = residents.victims(now, &allocations(), &BTreeSet::new(), false);
        victims.into_iter().map(|part| part.vpn).collect()
    }

    #[test]
    fn the_part_that_was_translated_longest_ago_leaves() {
        let mut all = residents(Eviction::Lru, &[5, 9, 3]);
        assert!(!all.uses(part(5), 50));
        assert_eq!(victims(&mut all, 300), [9]);
        assert_eq!((all.state(part(9)), all.leaving), (Some(State::Leaves), 1));
        assert!(!all.has_room());
        all.remove(part(9));
        assert!(all.has_room() && all.leaving == 0);
        assert_eq!(victims(&mut all, 300), [3]);
    }

    #[test]
    fn what_has_just_come_or_is_to_wake_somebody_stays() {
        let mut all = residents(Eviction::Lru, &[5, 9]);
        assert_eq!(victims(&mut all, 99), [0; 0]);
        assert_eq!(all.look(), 100);
        all.resolves(part(5));
        assert_eq!(victims(&mut all, 150), [9]);
        assert_eq!(victims(&mut all, 150), [0; 0]);
        assert_eq!(all.look(), u64::MAX);
        all.resolved(part(5), 160);
        assert_eq!(all.look(), 260);
        assert_eq!(victims(&mut all, 259), [0; 0]);
        assert_eq!(victims(&mut all, 260), [5]);
    }

    /// Whatever the policy: what comes, leaves or has to stay is no victim, nor is what was absent before.
    #[test]
    fn only_what_is_there_and_need_not_stay_leaves() {
        for eviction in Eviction::ALL {
            let mut all = residents(eviction, &[16, 17, 18, 19]);
            all.insert(part(16), State::Comes, false);
            let stay = BTreeSet::from([part(17)]);
            let mut left = BTreeSet::new();
            while let Some(some) =
                Some(all.victims(300, &allocations(), &stay, false)).filter(|some| !some.is_empty())
            {
                left.extend(some);
            }
            assert!(left.into_iter().eq([part(18), part(19)]), "{eviction:?}");
            assert!(all.are_all(&BTreeSet::from([part(16), part(17)])) && !all.are_all(&stay));
        }
    }

    #[test]
    fn chance_is_the_seeds_and_names_each_part() {
        let all = residents(Eviction::Random, &[5, 9, 3]);
        let mut found = BTreeSet::new();
        for seed in 0..20 {
            let draw = || {
                let random = Rng::with_seed(seed);
                let mut all = Residents {
                    random,
                    ..all.clone()
                };
                victims(&mut all, 300)
            };
            assert_eq!(draw(), draw());
            found.extend(draw());
        }
        assert!(found.into_iter().eq([3, 5, 9]));
    }

    /// Of 0 to 3 one leaves, and three of four are left; then two are, and the node of two is emptied with the second.
    #[test]
    fn a_node_of_which_less_than_half_is_left_is_emptied() {
        let mut all = residents(Eviction::Tree, &[0, 1, 2, 3, 16]);
        // The 2 MB are not half full, so all of them leaves at once.
        assert_eq!(victims(&mut all.clone(), 300), [0, 1, 2, 3, 16]);
        let full: Vec<u64> = (0..32).collect();
        let mut full = residents(Eviction::Tree, &full);
        assert_eq!(victims(&mut full, 300), [0]);
        assert_eq!(victims(&mut full, 300), [1]);
        // One of four is left.
        assert_eq!(victims(&mut full, 300), [2, 3]);
        // What was translated later stays, and what must stay does.
        all.resolves(part(2));
        assert_eq!(victims(&mut all, 300), [0, 1, 3, 16]);
    }

    #[test]
    fn a_prefetched_part_is_used_once() {
        let mut all = Residents::new(None, 0, Eviction::Lru, 7);
        all.insert(part(4), State::Waits, true);
        assert!(all.uses(part(4), 3) && !all.uses(part(4), 4));
        all.remove(part(4));
        assert_eq!(all.held, 0);
    }
}
