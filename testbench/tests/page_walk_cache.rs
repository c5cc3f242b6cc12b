//! Contract tests of the page-walk cache. Each is named for a guarantee of its page, and runs in all back ends at once.
//! What becomes of walks behind it is in `page_walk_cache_walks.rs`.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use std::collections::HashSet;

use faultline_sim::walk::{ACCESSED, DIRTY, EXECUTE_DISABLE, PAGE_SIZE, PRESENT};
use faultline_testbench::support;
use faultline_testbench::support::walk_cache::{Cache, TABLE};
use faultline_testbench::traffic::Rng;

/// A word whose bits are not all alike.
const WORD: u64 = 0x15_5A5A_5A5A;

#[test]
fn matches_model() {
    support::matches_model("page_walk_cache");
}

/// G1.
#[test]
fn every_request_is_answered_once_to_its_walk() {
    let mut cache = Cache::new("4k");
    let mut rng = Rng::new(3);
    for number in 0..20 {
        cache.memory.insert(WORD + number, number << 12 | TABLE);
    }
    let mut wanted: Vec<Option<u64>> = vec![None; 64];
    let (mut requested, mut answered) = (0, 0);
    while answered < 2000 {
        cache.latency = 1 + rng.below(30);
        if !cache.inputs.request_valid && requested < 2000 {
            let walk = rng.below(64) as usize;
            if wanted[walk].is_none() && rng.chance(150) {
                let number = rng.below(24);
                cache.request(1 + rng.below(4) as u8, WORD + number);
                cache.inputs.request_walk = walk as u8;
                wanted[walk] = Some(cache.memory.get(&(WORD + number)).copied().unwrap_or(0));
                requested += 1;
            }
        }
        cache.cycle();
        for (_, answer) in std::mem::take(&mut cache.answers) {
            let of_walk = wanted[usize::from(answer.answer_walk)].take();
            assert_eq!(of_walk, Some(answer.answer_data));
            answered += 1;
        }
        assert!(cache.cycle < 100_000);
    }
    assert!(
        cache.requested.len() < 1500,
        "{} reads",
        cache.requested.len()
    );
}

/// G2: memory is not read again, whatever it holds by then.
#[test]
fn hit_gives_what_memory_gave() {
    let mut cache = Cache::new("8k");
    let entry = 0x7FF0_0089_ABCD_EF7F & !PAGE_SIZE | TABLE;
    cache.memory.insert(WORD, entry);
    assert_eq!(cache.load(3, WORD), entry);
    cache.memory.insert(WORD, 0);
    for level in 2..=5 {
        assert_eq!(cache.read(level, WORD), Ok(entry), "level {level}");
    }
    cache.invalidate();
    assert_eq!(cache.load(3, WORD), 0);
}

/// G2: a truncated tag would find the wrong one.
#[test]
fn words_that_differ_in_one_bit_are_different_entries() {
    for config in ["4k", "8k", "16k"] {
        let mut cache = Cache::new(config);
        cache.memory.insert(WORD, 0x1000 | TABLE);
        for bit in 0..37 {
            cache.memory.insert(WORD ^ 1 << bit, 0x2000 | TABLE);
            cache.load(2, WORD);
            assert_eq!(cache.load(2, WORD ^ 1 << bit), 0x2000 | TABLE, "bit {bit}");
            assert_eq!(cache.read(2, WORD), Ok(0x1000 | TABLE), "bit {bit}");
            cache.invalidate();
        }
    }
}

/// G3.
#[test]
fn update_goes_to_memory_as_it_is_and_is_not_kept() {
    let mut cache = Cache::new("8k");
    cache.memory.insert(WORD, 0x1000 | TABLE);
    for here in [false, true] {
        if here {
            cache.memory.insert(WORD, 0x1000 | TABLE);
            cache.load(2, WORD);
        }
        let sent = cache.requested.len();
        for (dirty, expected) in [(true, 0x1000 | TABLE & !ACCESSED), (false, 0x5000)] {
            cache.request(2, WORD);
            cache.inputs.request_update = true;
            cache.inputs.request_dirty = dirty;
            cache.inputs.request_expected = expected;
            cache.rest(20);
            let (_, requested) = cache.requested.last().unwrap();
            assert!(requested.memory_update);
            assert_eq!((requested.memory_word, requested.memory_level), (WORD, 2));
            assert_eq!(
                (requested.memory_dirty, requested.memory_expected),
                (dirty, expected)
            );
            let (_, answer) = cache.answers.last().unwrap();
            assert_eq!(answer.answer_changed, expected == 0x5000);
        }
        assert_eq!(cache.requested.len(), sent + 2);
    }
    // What was here stays as it was: the dirty bit of a table means nothing.
    assert_eq!(cache.read(2, WORD), Ok(0x1000 | TABLE));
    cache.invalidate();
    assert_eq!(cache.load(2, WORD), 0x1000 | TABLE | DIRTY);
}

/// G3: every subset of levels.
#[test]
fn levels_that_are_not_cached_are_read_from_memory() {
    let mut cache = Cache::new("4k");
    for level in 0..8 {
        cache.memory.insert(WORD + level, TABLE);
        cache.memory.insert(WORD + 16 + level, TABLE);
    }
    for levels in 0..16 {
        cache.inputs.cached_levels = 15;
        for level in 2..=5 {
            cache.load(level, WORD + u64::from(level));
        }
        cache.inputs.cached_levels = levels;
        for level in 0..8 {
            let cached = (2..=5).contains(&level) && levels >> (level - 2) & 1 == 1;
            let here = cache.read(level, WORD + u64::from(level)).is_ok();
            assert_eq!(here, cached, "{levels:b} {level}");
            // What is read of a level that is not cached is not kept either.
            cache.load(level, WORD + 16 + u64::from(level));
            cache.inputs.cached_levels = 15;
            let here = cache.read(2, WORD + 16 + u64::from(level)).is_ok();
            assert_eq!(here, cached, "{levels:b} {level}");
            cache.inputs.cached_levels = levels;
        }
        cache.invalidate();
    }
}

/// G4: an entry that a walk faults by, or may fault by, a page, and one that is not accessed are never here.
#[test]
fn entry_that_may_not_be_kept_is_read_from_memory_each_time() {
    let mut cache = Cache::new("4k");
    let allowed = |entry: u64, reserved: u32| {
        let wrong = u64::from(reserved) << 32 | EXECUTE_DISABLE;
        entry & TABLE == TABLE && entry & (PAGE_SIZE | wrong) == 0
    };
    let (mut kept, mut word) = (0, WORD);
    for reserved in [0xF_FF00, 0xF_FFFF, 0x8_0000] {
        cache.inputs.reserved_bits = reserved;
        let bits = (0..64).map(|bit| TABLE ^ 1 << bit);
        for entry in bits.chain([TABLE, u64::MAX, 0, PRESENT, ACCESSED]) {
            for level in 2..=5 {
                word += 1;
                cache.memory.insert(word, entry);
                assert_eq!(cache.load(level, word), entry);
                let here = cache.read(level, word).is_ok();
                assert_eq!(here, allowed(entry, reserved), "{entry:x}");
                kept += u64::from(here);
            }
        }
    }
    assert!(kept > 300);
}

/// G4: an error is passed on, and is not kept.
#[test]
fn error_is_not_kept() {
    let mut cache = Cache::new("8k");
    cache.memory.insert(WORD, TABLE);
    cache.broken = Some(WORD);
    for _ in 0..2 {
        let answer = cache.read(2, WORD).expect_err("memory is read");
        assert!(answer.answer_error);
    }
    cache.broken = None;
    assert_eq!(cache.load(2, WORD), TABLE);
    assert_eq!(cache.read(2, WORD), Ok(TABLE));
}

/// G5: software changes the entry and requests an invalidation in any cycle of a read that misses, is answered, and is
/// filled. What is answered from here afterwards is new.
#[test]
fn invalidation_in_any_cycle_outdates_what_was_read() {
    for latency in [1, 3, 9, 400] {
        let cycles = if latency == 400 { 6 } else { 12 + latency };
        for delay in 0..cycles {
            let mut cache = Cache::new("4k");
            cache.latency = latency;
            cache.memory.insert(WORD, 0x1000 | TABLE);
            cache.request(2, WORD);
            cache.rest(delay);
            // What was requested of memory it answers as it is now, however late.
            cache.decide(0x1000 | TABLE);
            cache.memory.insert(WORD, 0x2000 | TABLE);
            cache.invalidate();
            cache.rest(latency + 20);
            let requested = cache.requested.len();
            let entry = match cache.read(2, WORD) {
                Ok(entry) => entry,
                Err(answer) => answer.answer_data,
            };
            assert_eq!(entry, 0x2000 | TABLE, "latency {latency}, delay {delay}");
            assert!(cache.requested.len() <= requested + 1);
            assert_eq!(cache.read(2, WORD), Ok(0x2000 | TABLE));
        }
    }
}

/// G5: a hit that waits is answered before the acknowledgement, however long memory keeps the port.
#[test]
fn hit_under_way_is_answered_before_the_acknowledgement() {
    for busy in 0..300 {
        let mut cache = Cache::new("4k");
        cache.memory.insert(WORD, 0x1000 | TABLE);
        cache.load(2, WORD);
        cache.answers.clear();
        let walk = cache.request(2, WORD);
        cache.cycle();
        // Memory answers others in each cycle, while everything is forgotten.
        cache.inputs.invalidate_valid = true;
        for number in 0..busy {
            cache.stray(40 + (number % 20) as u8);
        }
        while !cache.cycle().invalidate_ready {}
        let end = cache.cycle - 1;
        let hits: Vec<_> = cache
            .answers
            .iter()
            .filter(|(_, answer)| answer.answer_walk == walk)
            .map(|(cycle, answer)| (*cycle, answer.answer_data))
            .collect();
        assert_eq!(hits.len(), 1);
        assert!(hits[0].0 < end && hits[0].1 == 0x1000 | TABLE);
    }
}

/// G5: while it is cleared, what is here is not found, and what is read is not kept.
#[test]
fn nothing_is_found_or_kept_while_an_invalidation_is_under_way() {
    let mut cache = Cache::new("4k");
    cache.latency = 1;
    for number in 0..8 {
        cache.memory.insert(WORD + number, TABLE);
        cache.load(2, WORD + number);
    }
    cache.inputs.invalidate_valid = true;
    cache.cycle();
    for number in 0..8 {
        cache.load(2, WORD + number);
    }
    while !cache.cycle().invalidate_ready {}
    cache.inputs.invalidate_valid = false;
    for number in 0..8 {
        cache.load(2, WORD + number);
        assert_eq!(cache.read(2, WORD + number), Ok(TABLE));
    }
}

/// G5: the second one counts as well, at once.
#[test]
fn invalidations_follow_each_other() {
    let mut cache = Cache::new("4k");
    cache.memory.insert(WORD, TABLE);
    cache.load(2, WORD);
    cache.inputs.invalidate_valid = true;
    let mut acknowledged = Vec::new();
    for cycle in 0..3 * (cache.sets() + 2) {
        if cache.cycle().invalidate_ready {
            acknowledged.push(cycle);
        }
    }
    let step = cache.sets() + 2;
    assert_eq!(acknowledged, [step - 1, 2 * step - 1, 3 * step - 1]);
}

/// G6: many walks miss a word at the same time, and it takes one place of its set.
#[test]
fn word_that_many_walks_miss_is_here_once() {
    let mut cache = Cache::new("8k");
    let words: Vec<u64> = cache.words_of_set(WORD).take(4).collect();
    for &word in &words {
        cache
            .memory
            .insert(word, word << 12 & 0xFF_FFFF_F000 | TABLE);
    }
    cache.latency = 30;
    for _ in 0..2 {
        for _ in 0..5 {
            cache.request(2, words[0]);
            cache.cycle();
            cache.rest(2);
        }
        cache.rest(60);
        for &word in &words[1..] {
            cache.load(2, word);
        }
        for &word in &words {
            assert!(cache.read(2, word).is_ok(), "no other word has left for it");
        }
        cache.invalidate();
    }
}

/// G3, G6: memory answers, and what it answers takes the place of what was here.
#[test]
fn request_that_bypasses_is_answered_by_memory_and_renews_what_is_here() {
    let mut cache = Cache::new("8k");
    cache.memory.insert(WORD, 1 << 12 | TABLE);
    cache.load(2, WORD);
    for table in 2..20 {
        let (before, entry) = (cache.read(2, WORD), table << 12 | TABLE);
        cache.memory.insert(WORD, entry);
        assert_eq!(cache.read(2, WORD), before);
        assert_eq!(cache.read_bypassed(2, WORD), entry);
        assert_eq!(cache.read(2, WORD), Ok(entry));
    }
    // What may not be kept is reported all the same.
    let before = cache.read(2, WORD);
    cache.memory.insert(WORD, 0);
    assert_eq!(cache.read_bypassed(2, WORD), 0);
    assert_eq!(cache.read(2, WORD), before);
}

/// G6: of two that missed it at the same time, the one that was filled last counts.
#[test]
fn word_that_is_filled_again_has_the_last_entry() {
    let mut cache = Cache::new("8k");
    cache.latency = 30;
    cache.memory.insert(WORD, 1 << 12 | TABLE);
    for _ in 0..2 {
        cache.request(2, WORD);
        cache.rest(10);
    }
    cache.rest(14);
    cache.memory.insert(WORD, 2 << 12 | TABLE);
    cache.rest(40);
    assert_eq!(cache.requested.len(), 2);
    assert_eq!(cache.read(2, WORD), Ok(2 << 12 | TABLE));
}

/// G7: a word that is renewed leaves when it would have left, and none leaves for it.
#[test]
fn renewed_word_stays_in_its_turn() {
    let mut cache = Cache::new("8k");
    let ways = cache.ways() as usize;
    let words: Vec<u64> = cache.words_of_set(WORD).take(3 * ways).collect();
    for &word in &words {
        cache
            .memory
            .insert(word, (word << 12 & 0xFF_FFFF_F000) | TABLE);
    }
    for number in 0..words.len() {
        cache.load(2, words[number]);
        let first = (number + 1).saturating_sub(ways);
        for &word in &words[first..=number] {
            cache.read_bypassed(2, word);
        }
        for &word in &words[first..=number] {
            assert!(cache.read(2, word).is_ok(), "{number} words were filled");
        }
    }
}

/// G7.
#[test]
fn ways_of_a_set_are_filled_in_turn() {
    for config in ["4k", "8k", "16k"] {
        let mut cache = Cache::new(config);
        let mut rng = Rng::new(5);
        let ways = cache.ways() as usize;
        let words: Vec<u64> = cache.words_of_set(WORD).take(40).collect();
        let other = cache.words_of_set(WORD + 1).next().unwrap();
        cache.memory.insert(other, TABLE);
        cache.load(2, other);
        for (number, &word) in words.iter().enumerate() {
            cache
                .memory
                .insert(word, (word << 12 & 0xFF_FFFF_F000) | TABLE);
            cache.load(2, word);
            // Being used changes nothing.
            let here = &words[(number + 1).saturating_sub(ways)..=number];
            for _ in 0..6 {
                let word = here[rng.below(here.len() as u64) as usize];
                let entry = (word << 12 & 0xFF_FFFF_F000) | TABLE;
                assert_eq!(cache.read(2, word), Ok(entry));
            }
        }
        assert_eq!(cache.read(2, other), Ok(TABLE), "other sets are left alone");
        let first = words.len() - ways;
        for &word in &words[first..] {
            assert!(cache.read(2, word).is_ok());
        }
        cache.load(2, words[first - 1]);
        cache.load(2, words[first]);
    }
}

/// G8.
#[test]
fn offer_holds_until_it_is_taken() {
    let mut cache = Cache::new("8k");
    cache.memory.insert(WORD, TABLE);
    cache.load(2, WORD);
    cache.inputs.memory_ready = false;
    let walk = cache.request(3, WORD + 1);
    cache.rest(2);
    let first = cache.cycle();
    assert!(first.memory_valid);
    assert_eq!((first.memory_walk, first.memory_word), (walk, WORD + 1));
    // Others wait behind it.
    for number in 0..30 {
        if !cache.inputs.request_valid {
            cache.request(2, WORD + number);
        }
        if number == 9 {
            cache.inputs.invalidate_valid = true;
        }
        let outputs = cache.cycle();
        assert_eq!(
            (
                outputs.memory_valid,
                outputs.memory_walk,
                outputs.memory_word
            ),
            (true, walk, WORD + 1)
        );
    }
}

/// G9.
#[test]
fn answers_come_in_time() {
    let mut cache = Cache::new("8k");
    cache.memory.insert(WORD, TABLE);
    let start = cache.cycle;
    cache.request(2, WORD);
    cache.rest(20);
    assert_eq!(cache.requested[0].0, start + 2);
    assert_eq!(cache.answers[0].0, start + 2 + cache.latency);
    let start = cache.cycle;
    cache.request(2, WORD);
    cache.rest(20);
    assert_eq!(cache.answers[1].0, start + 2);
    assert_eq!(cache.invalidate(), cache.sets() + 1);
    // A response a cycle delays it by as many cycles.
    cache.load(2, WORD);
    for busy in 0..40 {
        cache.answers.clear();
        let start = cache.cycle;
        let walk = cache.request(2, WORD);
        cache.cycle();
        for _ in 0..busy {
            cache.stray(walk + 1);
        }
        cache.rest(4);
        let (cycle, answer) = cache.answers.last().unwrap();
        assert_eq!((*cycle, answer.answer_walk), (start + 2 + busy, walk));
    }
}

/// Requests words of a level in every cycle, and gives the cycles that this took until all were accepted.
fn stream(cache: &mut Cache, level: u8, words: impl Iterator<Item = u64>) -> u64 {
    let start = cache.cycle;
    for word in words {
        cache.request(level, word);
        while cache.inputs.request_valid {
            cache.cycle();
        }
    }
    cache.cycle - start
}

/// G10.
#[test]
fn filling_takes_few_cycles_from_requests() {
    let mut cache = Cache::new("8k");
    for number in 0..600 {
        cache.memory.insert(WORD + number, TABLE);
    }
    for number in 0..16 {
        cache.load(2, WORD + number);
    }
    // All that is wanted is here: a request a cycle.
    let hits = (0..400).map(|number| WORD + number % 16);
    assert_eq!(stream(&mut cache, 2, hits), 400);
    // Nothing is cached: a request a cycle, although memory answers as many.
    let requested = cache.requested.len();
    let others = (0..400).map(|number| WORD + number);
    assert_eq!(stream(&mut cache, 1, others), 400);
    cache.rest(10);
    assert_eq!(cache.requested.len(), requested + 400);
    // Everything is missed: a request in two cycles, and some are kept.
    let missed = (100..500).map(|number| WORD + number);
    let cycles = stream(&mut cache, 2, missed);
    assert!(cycles <= 802, "{cycles} cycles");
    cache.rest(10);
    let here: HashSet<u64> = (100..500)
        .filter(|number| cache.read(2, WORD + number).is_ok())
        .collect();
    println!("{cycles} cycles, {} kept", here.len());
    assert!(here.len() >= 100, "{} of 400 are here", here.len());
}

#[test]
fn reset_forgets_everything() {
    let mut cache = Cache::new("4k");
    for number in 0..40 {
        cache.memory.insert(WORD + number, TABLE);
        cache.load(2, WORD + number);
    }
    cache.request(2, WORD);
    cache.rest(2);
    cache.reset();
    for _ in 0..4 {
        let outputs = cache.cycle();
        assert!(!outputs.answer_valid && !outputs.memory_valid && !outputs.invalidate_ready);
    }
    cache.rest(cache.sets());
    for number in 0..40 {
        cache.load(2, WORD + number);
    }
}
