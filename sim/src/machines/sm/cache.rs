//! The caches as tags, and when an access is through them: fixed latencies, and what limits them.

use super::outcome::Misses;
use super::parameters::Timing;
use super::tags::Tags;

/// Misses of the L1 cache that are under way at most.
const MISSES: usize = 32;

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Reads a line.
    Load,
    /// Writes through the L1 cache, which does not keep the line for it.
    Store,
    /// Changes it in the L2 cache.
    Atomic,
}

#[derive(Clone, Debug)]
pub struct Cache {
    timing: Timing,
    l1: Tags,
    l2: Tags,
    /// Lines that are missed, and when they come.
    misses: Vec<(u64, u64)>,
    /// When DRAM takes the next line.
    dram_free: u64,
    missed: Misses,
    random: fastrand::Rng,
}

impl Cache {
    /// What was missed so far.
    pub fn missed(&self) -> Misses {
        self.missed
    }

    pub fn new(timing: Timing, seed: u64) -> Self {
        Self {
            timing,
            l1: Tags::new(256, 4),
            l2: Tags::new(16_384, 8),
            misses: Vec::with_capacity(MISSES),
            dram_free: 0,
            missed: Misses::default(),
            random: fastrand::Rng::with_seed(seed),
        }
    }

    /// When an access to a line that begins at `start` is over.
    pub fn access(&mut self, line: u64, how: Use, start: u64) -> u64 {
        let Timing { l1, l2, .. } = self.timing;
        match how {
            // Nobody waits for the L2 cache to have what is written.
            Use::Store => {
                self.l2.insert(line);
                start + l1
            }
            Use::Atomic => self.below(line, start + l1 + l2),
            Use::Load => {
                if let Some(&(_, comes)) = self
                    .misses
                    .iter()
                    .find(|(missed, comes)| *missed == line && *comes > start)
                {
                    return comes.max(start + l1);
                }
                if self.l1.uses(line) {
                    return start + l1;
                }
                self.misses.retain(|(_, comes)| *comes > start);
                let mut begins = start;
                if self.misses.len() >= MISSES {
                    let first = self
                        .misses
                        .iter()
                        .enumerate()
                        .min_by_key(|(_, miss)| miss.1);
                    if let Some((place, &(_, comes))) = first {
                        begins = comes;
                        self.misses.swap_remove(place);
                    }
                }
                self.missed.waited += begins - start;
                let comes = self.below(line, begins + l1 + l2);
                self.misses.push((line, comes));
                self.l1.insert(line);
                comes
            }
        }
    }

    /// When the L2 cache has a requested line, its own latency included.
    fn below(&mut self, line: u64, answered: u64) -> u64 {
        self.missed.lines += 1;
        if self.l2.uses(line) {
            return answered;
        }
        self.l2.insert(line);
        let begins = answered.max(self.dram_free);
        self.missed.waited += begins - answered;
        self.dram_free = begins + self.timing.dram_interval;
        let spread = self.timing.dram_spread;
        begins + self.timing.dram + self.random.u64(0..=2 * spread) - spread
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALONE: Timing = Timing {
        dram_spread: 0,
        ..Timing::PAPER
    };

    #[test]
    fn latencies_add_up_and_misses_of_a_line_merge() {
        let mut cache = Cache::new(ALONE, 1);
        assert_eq!(cache.access(1, Use::Load, 0), 310);
        assert_eq!(cache.access(1, Use::Load, 5), 310);
        assert_eq!(cache.access(1, Use::Load, 400), 440);
        assert_eq!(cache.access(2, Use::Store, 400), 440);
        assert_eq!(cache.access(2, Use::Load, 500), 610);
        assert_eq!(cache.access(2, Use::Atomic, 700), 810);
    }

    #[test]
    fn a_miss_waits_for_one_of_32_places() {
        let mut cache = Cache::new(ALONE, 1);
        let last = (0..32).map(|line| cache.access(line, Use::Load, 0)).max();
        assert_eq!(last, Some(310 + 31 * 8));
        let dram = (0..32).map(|line| line * 8).sum();
        assert_eq!(
            cache.missed(),
            Misses {
                lines: 32,
                waited: dram
            }
        );
        assert_eq!(cache.access(99, Use::Load, 1), 310 + 310);
    }
}
