//! Tags of a cache or TLB: sets of ways, the least recently used of which is replaced.

#[derive(Clone, Debug)]
pub struct Tags {
    ways: usize,
    sets: u64,
    /// Each way's key and the time of its last use; 0 if it holds nothing.
    entries: Vec<(u64, u64)>,
    time: u64,
}

impl Tags {
    /// So many entries in sets of so many ways; both are 1 at least.
    pub fn new(entries: usize, ways: usize) -> Self {
        let ways = ways.clamp(1, entries.max(1));
        let sets = (entries / ways).max(1);
        Self {
            ways,
            sets: sets as u64,
            entries: vec![(0, 0); sets * ways],
            time: 0,
        }
    }

    fn set(&mut self, key: u64) -> &mut [(u64, u64)] {
        let start = (key % self.sets) as usize * self.ways;
        &mut self.entries[start..start + self.ways]
    }

    /// Whether a key is there; if so it was used last.
    pub fn uses(&mut self, key: u64) -> bool {
        self.time += 1;
        let time = self.time;
        let way = self
            .set(key)
            .iter_mut()
            .find(|way| way.0 == key && way.1 > 0);
        way.map(|way| way.1 = time).is_some()
    }

    /// Puts a key in, in the place of the one of its set that was used longest ago.
    pub fn insert(&mut self, key: u64) {
        if !self.uses(key) {
            let time = self.time;
            if let Some(oldest) = self.set(key).iter_mut().min_by_key(|way| way.1) {
                *oldest = (key, time);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_way_is_replaced() {
        let mut tags = Tags::new(4, 2);
        for key in [0, 2, 1] {
            tags.insert(key);
        }
        assert!(tags.uses(0));
        tags.insert(4);
        assert!(tags.uses(0) && tags.uses(4) && tags.uses(1) && !tags.uses(2));
    }
}
