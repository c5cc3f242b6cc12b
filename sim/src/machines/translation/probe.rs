//! What a GMMU does, as its walks show it.

use std::collections::HashMap;

use super::Outcome;
use crate::mmu::gmmu::Gmmu;
use crate::mmu::page_walker::Step;

/// The walks of a GMMU as they were in the cycle before.
#[derive(Clone, Debug)]
pub struct Probe {
    walks: Vec<(Step, u8)>,
    /// When the last walk of each page has begun.
    begun: HashMap<u64, u64>,
}

impl Probe {
    pub fn new(walks: usize) -> Self {
        Self {
            walks: vec![(Step::Free, 0); walks],
            begun: HashMap::new(),
        }
    }

    /// Looks at the walks after a cycle; gives how many have begun in it.
    pub fn look(&mut self, gmmu: &Gmmu, now: u64, outcome: &mut Outcome) -> u64 {
        let (mut begun, mut walking) = (0, 0);
        for (seen, walk) in self.walks.iter_mut().zip(gmmu.walker().walks()) {
            let is = (walk.step, walk.level);
            walking += u64::from(walk.step != Step::Free);
            if *seen == is {
                continue;
            }
            // A walk is free for a cycle at least before another one takes its place.
            if seen.0 == Step::Free {
                self.begun.insert(walk.key.vpn, now);
                begun += 1;
            }
            if walk.step == Step::Reading {
                outcome.reads[usize::from(walk.level) - 1] += 1;
            }
            *seen = is;
        }
        outcome.walks += begun;
        outcome.walking += walking;
        outcome.walking_most = outcome.walking_most.max(walking);
        begun
    }

    /// An SM that has missed a page receives the result of a walk.
    pub fn reported(&self, page: u64, missed: u64, now: u64, outcome: &mut Outcome) {
        let begun = self
            .begun
            .get(&page)
            .map_or(missed, |begun| missed.max(*begun));
        outcome.latency.add(now - missed);
        outcome.queueing.add(begun - missed);
        outcome.service.add(now - begun);
    }
}
