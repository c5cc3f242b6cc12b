//! The L1 cache as tags, and when an access is through it.

use super::below::{Below, Request, Use};
use super::outcome::Misses;
use super::tags::Tags;

/// Misses that are under way at most.
const MISSES: usize = 32;

/// What a line is for: warp and entry.
pub type Waiter = (u8, u8);

/// A line that is missed, or an atomic.
#[derive(Clone, Debug)]
struct Miss {
    request: Request,
    /// It was requested. Otherwise it waits for a place.
    is_sent: bool,
    /// When it comes, if that is known.
    comes: Option<u64>,
    /// Since when it waits for a place.
    since: u64,
    waiters: Vec<Waiter>,
}

#[derive(Clone, Debug)]
pub struct Cache {
    /// Cycles from an access to its answer, or to its request.
    latency: u64,
    tags: Tags,
    misses: Vec<Miss>,
    next_id: u32,
    /// Cycles that misses waited for a place.
    waited: u64,
}

impl Cache {
    pub fn new(latency: u64, lines: usize) -> Self {
        Self {
            latency,
            tags: Tags::new(lines, 4),
            misses: Vec::with_capacity(MISSES),
            next_id: 0,
            waited: 0,
        }
    }

    /// What was missed so far.
    pub fn missed(&self, below: &impl Below) -> Misses {
        let Misses { lines, waited } = below.misses();
        Misses {
            lines,
            waited: waited + self.waited,
        }
    }

    /// When an access to a line that begins at `start` is over. Where that is not known, [`Cache::arrive`] names the waiter
    /// when the line has come.
    pub fn access(
        &mut self,
        line: u64,
        how: Use,
        start: u64,
        waiter: Waiter,
        below: &mut impl Below,
    ) -> Option<u64> {
        let over = start + self.latency;
        let is_kept = how == Use::Load && below.caches(line);
        if is_kept {
            let is_pending = |miss: &&mut Miss| {
                let comes = miss.comes.is_none_or(|comes| comes > start);
                miss.request.line == line && miss.request.how == Use::Load && comes
            };
            if let Some(miss) = self.misses.iter_mut().find(is_pending) {
                if miss.comes.is_none() {
                    miss.waiters.push(waiter);
                }
                return miss.comes.map(|comes| comes.max(over));
            }
            if self.tags.uses(line) {
                return Some(over);
            }
        }
        self.next_id += 1;
        let request = Request {
            line,
            how,
            id: self.next_id,
        };
        let (mut begins, mut is_sent) = (start, true);
        if how == Use::Load {
            self.misses
                .retain(|miss| miss.comes.is_none_or(|comes| comes > start));
            if self.misses.len() >= MISSES {
                let known = self.misses.iter().enumerate();
                let first = known
                    .filter_map(|(place, miss)| Some((miss.comes?, place)))
                    .min();
                if let Some((comes, place)) = first {
                    begins = comes;
                    self.misses.swap_remove(place);
                } else {
                    is_sent = false;
                }
            }
            self.waited += begins - start;
            if is_kept {
                self.tags.insert(line);
            }
        }
        let at = begins + self.latency;
        let comes = match is_sent {
            true => below.request(at, request),
            false => None,
        };
        if how == Use::Store {
            return Some(at);
        }
        if how == Use::Load || comes.is_none() {
            let waiters = if comes.is_none() {
                vec![waiter]
            } else {
                Vec::new()
            };
            self.misses.push(Miss {
                request,
                is_sent,
                comes,
                since: start,
                waiters,
            });
        }
        comes
    }

    /// The next access that waited for a line which has come; more than one may wait for it.
    pub fn arrive(&mut self, now: u64, below: &mut impl Below) -> Vec<Waiter> {
        let mut waiters = Vec::new();
        while let Some(id) = below.arrived(now) {
            let Some(place) = self.misses.iter().position(|miss| miss.request.id == id) else {
                continue;
            };
            waiters.append(&mut self.misses.remove(place).waiters);
            if let Some(next) = self.misses.iter_mut().find(|miss| !miss.is_sent) {
                next.is_sent = true;
                self.waited += now.saturating_sub(next.since);
                below.request(now + self.latency, next.request);
            }
        }
        waiters
    }
}

#[cfg(test)]
mod tests {
    use super::super::alone::Alone;
    use super::super::parameters::{Faults, Timing};
    use super::super::work::{ThreadBlock, ThreadBlocks};
    use super::*;
    use crate::page::Page;
    use crate::simt::Memory;

    const ALONE: Timing = Timing {
        dram_spread: 0,
        ..Timing::PAPER
    };

    /// When an access is over with nothing but this SM's own lines below it.
    fn access(caches: &mut (Cache, Alone<'_>), line: u64, how: Use, start: u64) -> u64 {
        let over = caches.0.access(line, how, start, (0, 0), &mut caches.1);
        over.unwrap()
    }

    fn caches() -> (Cache, Alone<'static>) {
        let below = Alone::new(ALONE, Faults::NONE, 1, ThreadBlocks::default());
        (Cache::new(ALONE.l1, 256), below)
    }

    #[test]
    fn latencies_add_up_and_misses_of_a_line_merge() {
        let caches = &mut caches();
        assert_eq!(access(caches, 1, Use::Load, 0), 310);
        assert_eq!(access(caches, 1, Use::Load, 5), 310);
        assert_eq!(access(caches, 1, Use::Load, 400), 440);
        assert_eq!(access(caches, 2, Use::Store, 400), 440);
        assert_eq!(access(caches, 2, Use::Load, 500), 610);
        assert_eq!(access(caches, 2, Use::Atomic, 700), 810);
    }

    #[test]
    fn a_miss_waits_for_one_of_32_places() {
        let caches = &mut caches();
        let last = (0..32).map(|line| access(caches, line, Use::Load, 0)).max();
        assert_eq!(last, Some(310 + 31 * 8));
        let dram = (0..32).map(|line| line * 8).sum();
        let expected = Misses {
            lines: 32,
            waited: dram,
        };
        assert_eq!(caches.0.missed(&caches.1), expected);
        assert_eq!(access(caches, 99, Use::Load, 1), 310 + 310);
    }

    /// A cache below that never says in advance when a line comes.
    #[derive(Default)]
    struct Silent {
        requests: Vec<(u64, Request)>,
        arrived: Vec<u32>,
    }

    impl Below for Silent {
        fn translations(&mut self, _: u64, _: &mut crate::sm::l1_tlb::Inputs) -> u16 {
            0
        }
        fn walk(&mut self, _: u64, _: Page, _: bool) {}
        fn request(&mut self, at: u64, request: Request) -> Option<u64> {
            self.requests.push((at, request));
            None
        }
        fn arrived(&mut self, _: u64) -> Option<u32> {
            self.arrived.pop()
        }
        fn memory(&mut self) -> Option<&mut Memory> {
            None
        }
        fn access(&mut self, _: u64, _: u8, _: u8) {}
        fn access_cycles(&self) -> u64 {
            0
        }
        fn next_block(&mut self, _: u64) -> Option<ThreadBlock> {
            None
        }
        fn has_blocks(&self, _: u64) -> bool {
            false
        }
        fn misses(&self) -> Misses {
            Misses::default()
        }
    }

    #[test]
    fn who_waits_is_named_when_the_line_comes_and_the_33rd_line_is_requested_then() {
        let (mut cache, mut below) = (Cache::new(40, 256), Silent::default());
        for line in 0..33 {
            let waiter = (line as u8, 0);
            assert_eq!(cache.access(line, Use::Load, 0, waiter, &mut below), None);
        }
        assert_eq!(cache.access(5, Use::Load, 1, (40, 1), &mut below), None);
        assert_eq!(cache.access(5, Use::Atomic, 2, (41, 2), &mut below), None);
        let sent = |below: &Silent| {
            let lines = below
                .requests
                .iter()
                .map(|(at, request)| (*at, request.line));
            lines.collect::<Vec<_>>()
        };
        let first: Vec<_> = (0..32).map(|line| (40, line)).chain([(42, 5)]).collect();
        assert_eq!(sent(&below), first);
        below.arrived = vec![below.requests[5].1.id];
        assert_eq!(cache.arrive(300, &mut below), [(5, 0), (40, 1)]);
        assert_eq!(sent(&below)[33..], [(340, 32)]);
        below.arrived = vec![below.requests[32].1.id];
        assert_eq!(cache.arrive(301, &mut below), [(41, 2)]);
        assert_eq!(
            cache.access(5, Use::Load, 400, (0, 0), &mut below),
            Some(440)
        );
    }
}
