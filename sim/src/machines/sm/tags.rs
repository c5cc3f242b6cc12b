//! Tags of a cache or TLB: sets of ways, the least recently used of which is replaced.

/// A way: its key, and the time of its last use; 0 if it holds nothing.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    key: u64,
    used: u64,
    is_dirty: bool,
}

#[derive(Clone, Debug)]
pub struct Tags {
    ways: usize,
    sets: u64,
    entries: Vec<Entry>,
    time: u64,
}

impl Tags {
    /// The tags of `entries` entries in sets of `ways` ways; both are 1 at least.
    pub fn new(entries: usize, ways: usize) -> Self {
        let ways = ways.clamp(1, entries.max(1));
        let sets = (entries / ways).max(1);
        Self {
            ways,
            sets: sets as u64,
            entries: vec![Entry::default(); sets * ways],
            time: 0,
        }
    }

    fn set(&mut self, key: u64) -> &mut [Entry] {
        let start = (key % self.sets) as usize * self.ways;
        &mut self.entries[start..start + self.ways]
    }

    /// The way of a key that is there, which was used last now.
    fn touch(&mut self, key: u64) -> Option<&mut Entry> {
        self.time += 1;
        let time = self.time;
        let ways = self.set(key).iter_mut();
        let way = { ways }.find(|way| way.key == key && way.used > 0)?;
        way.used = time;
        Some(way)
    }

    /// Whether a key is there; if so it was used last.
    pub fn uses(&mut self, key: u64) -> bool {
        self.touch(key).is_some()
    }

    /// Puts a key in, in the place of the one of its set that was used longest ago. It says whether that one was written.
    pub fn insert(&mut self, key: u64) -> bool {
        if self.uses(key) {
            return false;
        }
        let new = Entry {
            key,
            used: self.time,
            is_dirty: false,
        };
        let oldest = self.set(key).iter_mut().min_by_key(|way| way.used);
        oldest.is_some_and(|oldest| std::mem::replace(oldest, new).is_dirty)
    }

    /// A key is there no more, and need not be written back.
    pub fn forget(&mut self, key: u64) {
        let ways = self.set(key).iter_mut();
        if let Some(way) = { ways }.find(|way| way.key == key) {
            *way = Entry::default();
        }
    }

    /// A key that is there is written.
    pub fn write(&mut self, key: u64) {
        if let Some(way) = self.touch(key) {
            way.is_dirty = true;
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
        tags.write(0);
        assert!(!tags.insert(6) && tags.insert(8));
        tags.write(8);
        tags.forget(8);
        assert!(!tags.uses(8) && !tags.insert(10) && tags.uses(6));
    }
}
