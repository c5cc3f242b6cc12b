//! Contract tests of the page walker. Each is named for a guarantee of its page, and runs in all back ends at once. What
//! the entries mean is in `page_walker_sweeps.rs`.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use faultline_sim::mmu::page_walker::Inputs;
use faultline_sim::ports::Model;
use faultline_testbench::blocks::{Block, PageWalker};
use faultline_testbench::support;
use faultline_testbench::support::walker::{OPEN, ROOT, Walker, requesters};
use faultline_testbench::traffic::{Rng, Traffic};

/// A page whose indices differ at every level.
const PAGE: u64 = 1 << 27 | 2 << 18 | 3 << 9 | 4;

#[test]
fn matches_model() {
    support::matches_model("page_walker");
}

/// G1.
#[test]
fn every_request_is_answered_once_to_its_requester() {
    let mut walker = Walker::new("8");
    let mut rng = Rng::new(1);
    let mut open: Vec<(usize, u8, u64)> = Vec::new();
    for number in 0..12 {
        walker.map(0, PAGE + number, 0x5000 + number);
        walker.map(1, PAGE + number, 0x6000 + number);
    }
    let (mut requested, mut answered) = (0, 0);
    while answered < 300 {
        for requester in 0..16 {
            let free = walker.inputs.request_valid[requester] == 0;
            let waits = open.iter().any(|&(of, ..)| of == requester);
            if requested < 300 && free && !waits && rng.chance(40) {
                let (asid, page) = (rng.below(2) as u8, PAGE + rng.below(12));
                walker.request(requester, asid, page);
                open.push((requester, asid, page));
                requested += 1;
            }
        }
        walker.cycle();
        for answer in std::mem::take(&mut walker.answers) {
            let pfn = 0x5000 + 0x1000 * u64::from(answer.answer_asid) + answer.answer_vpn - PAGE;
            assert_eq!((answer.answer_cause, answer.answer_pfn), (0, pfn));
            for requester in requesters(&answer) {
                let wanted = (requester, answer.answer_asid, answer.answer_vpn);
                let place = open.iter().position(|&waits| waits == wanted);
                open.swap_remove(place.expect("somebody waits for the answer"));
                answered += 1;
            }
        }
        assert!(walker.cycle < 100_000);
    }
    assert!(open.is_empty());
}

/// G1: what one requester may do has no effect on another.
#[test]
fn walks_of_one_page_for_different_accesses_do_not_mix() {
    let mut walker = Walker::new("8");
    walker.map(0, PAGE, 0x5000);
    let word = walker.word(0, PAGE, 1);
    // For the supervisor to read.
    walker.memory.insert(word, 0x5000 << 12 | (OPEN & !0b110));
    for requester in 0..4 {
        walker.request(requester, 0, PAGE);
    }
    walker.inputs.request_user[1] = 0;
    walker.inputs.request_user[2] = 0;
    walker.inputs.request_write[2] = 1;
    walker.inputs.request_execute[3] = 1;
    let mut found: Vec<_> = walker
        .answers(4)
        .iter()
        .map(|answer| (requesters(answer), answer.answer_cause, answer.answer_code))
        .collect();
    found.sort();
    let expected = [
        (vec![0], 4, 0b00101),
        (vec![1], 0, 0),
        (vec![2], 4, 0b00011),
        (vec![3], 4, 0b10101),
    ];
    assert_eq!(found, expected);
}

/// G2: every bit of a page and of a space counts, in the search for a walk that is alike and in every index.
#[test]
fn pages_that_differ_in_one_bit_are_different_walks() {
    for bit in 0..36 {
        // The highest bit that is translated is that of all above it, too.
        let other = PAGE ^ if bit < 35 { 1 << bit } else { 0x1_FFFF << 35 };
        let mut walker = Walker::new("8");
        walker.map(0, PAGE, 0x5000);
        walker.map(0, other, 0x6000);
        walker.map(1, PAGE, 0x7000);
        walker.request(0, 0, PAGE);
        walker.request(1, 0, other);
        walker.request(2, 1, PAGE);
        let mut found: Vec<_> = walker
            .answers(3)
            .iter()
            .map(|answer| (requesters(answer), answer.answer_pfn))
            .collect();
        found.sort();
        let expected = [(vec![0], 0x5000), (vec![1], 0x6000), (vec![2], 0x7000)];
        assert_eq!(found, expected, "bit {bit}");
    }
    for bit in 0..8 {
        let (asid, mut walker) = (1 << bit, Walker::new("8"));
        walker.inputs.root_valid = true;
        walker.inputs.root_asid = asid;
        walker.inputs.root_pfn = ROOT + 0x100;
        walker.cycle();
        walker.inputs.root_valid = false;
        walker.map(0, PAGE, 0x5000);
        walker.map(1, PAGE, 0x6000);
        walker.request(0, 0, PAGE);
        walker.request(1, asid, PAGE);
        let answers = walker.answers(2).iter();
        let mut found: Vec<_> = answers
            .map(|answer| (requesters(answer), answer.answer_pfn))
            .collect();
        found.sort();
        let expected = [(vec![0], 0x5000), (vec![1], 0x6000)];
        assert_eq!(found, expected, "bit {bit} of a space");
    }
}

/// G2, G3: a fault that follows from an entry that was kept is not reported: the walk begins once more, and uses nothing of
/// it.
#[test]
fn fault_by_what_is_kept_begins_the_walk_again_past_the_cache() {
    for level in 2..=4 {
        // The table that was kept has nothing, what may not be read, or what is not memory.
        for leaf in [0, 0x7000 << 12 | OPEN & !0b100, 1 << 45 | OPEN] {
            let mut walker = Walker::new("8");
            walker.map(0, PAGE, 0x5000);
            for above in level + 1..=4 {
                let word = walker.word(0, PAGE, above);
                walker.kept.insert(word, walker.memory[&word]);
            }
            let mut word = walker.word(0, PAGE, level);
            for below in (1..level).rev() {
                let table = 0x7_0000 + below;
                let old = table << 12 | OPEN;
                match below == level - 1 {
                    true => walker.kept.insert(word, old),
                    false => walker.memory.insert(word, old),
                };
                word = table << 9 | PAGE >> (9 * (below - 1)) & 511;
            }
            walker.memory.insert(word, leaf);
            walker.request(0, 0, PAGE);
            let answer = walker.answers(1)[0].clone();
            assert_eq!((answer.answer_cause, answer.answer_pfn), (0, 0x5000));
            let levels: Vec<_> = walker
                .requested
                .iter()
                .map(|requested| (requested.level, requested.bypass))
                .collect();
            let pass = |bypass| (1..=4).rev().map(move |level| (level, bypass));
            let expected: Vec<_> = pass(false).chain(pass(true)).collect();
            assert_eq!(levels, expected);
            // The next walk begins as every walk does.
            walker.memory.insert(word, 0x7000 << 12 | OPEN);
            walker.request(1, 0, PAGE);
            assert_eq!(walker.answers(2)[1].answer_pfn, 0x7000);
            assert!(!walker.requested[8].bypass);
        }
    }
}

/// G3: there is no third time, and no second one where nothing was kept.
#[test]
fn fault_is_reported_after_one_walk_past_the_cache() {
    for kept in 0..=3 {
        let mut walker = Walker::new("8");
        walker.map(0, PAGE, 0x5000);
        let word = walker.word(0, PAGE, 1);
        walker.memory.insert(word, 0);
        for level in (2..=4).rev().take(kept) {
            let word = walker.word(0, PAGE, level);
            walker.kept.insert(word, walker.memory[&word]);
        }
        walker.request(0, 0, PAGE);
        let answer = walker.answers(1)[0].clone();
        assert_eq!((answer.answer_cause, answer.answer_level), (2, 1));
        let passes = if kept == 0 { 1 } else { 2 };
        assert_eq!(walker.requested.len(), 4 * passes);
    }
}

/// G3: a walk that bypasses the cache still does after an invalidation.
#[test]
fn walk_that_bypasses_the_cache_stays_so_through_an_invalidation() {
    for wait in 0..60 {
        let mut walker = Walker::new("8");
        walker.map(0, PAGE, 0x5000);
        let word = walker.word(0, PAGE, 4);
        walker.kept.insert(word, 0x7_0000 << 12 | OPEN);
        walker.request(0, 0, PAGE);
        while !walker.requested.iter().any(|requested| requested.bypass) {
            assert!(walker.cycle < 1000, "it does not begin again");
            walker.cycle();
        }
        for _ in 0..wait {
            walker.cycle();
        }
        walker.inputs.invalidate_valid = true;
        walker.inputs.invalidate_all = true;
        while !walker.cycle().invalidate_ready {}
        walker.inputs.invalidate_valid = false;
        assert_eq!(walker.answers(1)[0].answer_pfn, 0x5000);
        let first = walker
            .requested
            .iter()
            .position(|requested| requested.bypass)
            .unwrap();
        assert!(
            walker.requested[first..]
                .iter()
                .all(|requested| requested.bypass)
        );
    }
}

/// G3.
#[test]
fn walk_reads_each_level_once() {
    let mut walker = Walker::new("8");
    walker.map(0, PAGE, 0x5000);
    walker.request(0, 0, PAGE);
    walker.answers(1);
    let levels: Vec<_> = walker
        .requested
        .iter()
        .map(|requested| requested.level)
        .collect();
    assert_eq!(levels, [4, 3, 2, 1]);
    for requested in &walker.requested {
        assert_eq!(
            requested.word,
            walker.word(0, PAGE, u64::from(requested.level))
        );
    }
}

/// G4: an invalidation in any cycle of a walk. Software moves the page, and then each of its tables, before it requests
/// the invalidation; what is answered after the acknowledgement is of the new ones.
#[test]
fn invalidation_in_any_cycle_outdates_what_was_read() {
    for (level, all) in [(1, false), (2, false), (3, true), (4, false)] {
        for delay in 0..60 {
            let mut walker = Walker::new("8");
            walker.map(0, PAGE, 0x5000);
            walker.request(0, 0, PAGE);
            for _ in 0..delay {
                walker.cycle();
            }
            // The entry of this level leads to other tables now, at the end of which there is another page.
            let mut word = walker.word(0, PAGE, level);
            for (table, below) in (0x80_0000..).zip((1..level).rev()) {
                walker.memory.insert(word, table << 12 | OPEN);
                word = table << 9 | PAGE >> (9 * (below - 1)) & 511;
            }
            walker.memory.insert(word, 0x7000 << 12 | OPEN);
            walker.inputs.invalidate_valid = true;
            walker.inputs.invalidate_all = all;
            let before = loop {
                let acknowledged = walker.cycle().invalidate_ready;
                assert!(walker.cycle < 1000, "no acknowledgement");
                if acknowledged {
                    break walker.answers.len();
                }
            };
            walker.inputs.invalidate_valid = false;
            if before == 0 {
                let answer = &walker.answers(1)[0];
                assert_eq!(
                    (answer.answer_cause, answer.answer_pfn),
                    (0, 0x7000),
                    "level {level}, after {delay} cycles"
                );
            }
        }
    }
}

/// G4: an invalidation of another space lets a walk go on, whatever comes to the walker with it.
#[test]
fn invalidation_of_another_space_leaves_a_walk_alone() {
    for delay in 0..12 {
        let mut walker = Walker::new("8");
        walker.map(0, PAGE, 0x5000);
        walker.map(1, PAGE, 0x6000);
        walker.request(0, 0, PAGE);
        for cycle in 0..12 {
            if cycle == delay {
                walker.request(1, 1, PAGE);
            }
            walker.cycle();
        }
        walker.inputs.invalidate_valid = true;
        walker.inputs.invalidate_asid = 1;
        while !walker.cycle().invalidate_ready {}
        walker.inputs.invalidate_valid = false;
        walker.answers(2);
        for level in 1..=4 {
            let word = walker.word(0, PAGE, level);
            let reads = walker
                .requested
                .iter()
                .filter(|requested| requested.word == word);
            assert_eq!(reads.count(), 1, "level {level}, delay {delay}");
        }
    }
}

/// G3: invalidations that follow each other at once begin a walk again once, and those that wait with it.
#[test]
fn invalidations_without_a_gap_begin_a_walk_again_once() {
    for latency in [4, 60, 300] {
        let mut walker = Walker::new("8");
        walker.latency = latency;
        for requester in 0..8 {
            walker.map(0, PAGE + requester, 0x5000 + requester);
            walker.request(requester as usize, 0, PAGE + requester);
        }
        for _ in 0..latency * 2 {
            walker.cycle();
        }
        walker.inputs.invalidate_valid = true;
        let (mut done, mut begun) = (0, walker.requested.len());
        while walker.answers.len() < 8 {
            done += u32::from(walker.cycle().invalidate_ready);
            assert!(walker.cycle < 40 * latency + 400, "{done} invalidations");
        }
        begun = walker.requested.len() - begun;
        assert!(done >= 1 && begun <= 8 * 8, "{begun} reads");
    }
}

/// G5.
#[test]
fn nothing_is_written_without_permission_or_without_updates() {
    for (config, writable, updates) in [
        ("2", true, 0),
        ("2_updates", false, 0),
        ("2_updates", true, 4),
    ] {
        let mut walker = Walker::new(config);
        walker.map(0, PAGE, 0x5000);
        for level in 1..=4 {
            let word = walker.word(0, PAGE, level);
            let entry = walker.memory[&word] & !0x60;
            walker.memory.insert(word, entry);
        }
        let word = walker.word(0, PAGE, 1);
        let entry = walker.memory[&word];
        let entry = if writable { entry | 2 } else { entry & !2 };
        walker.memory.insert(word, entry);
        walker.request(0, 0, PAGE);
        walker.inputs.request_write[0] = 1;
        walker.answers(1);
        let updated = walker
            .requested
            .iter()
            .filter(|requested| requested.update)
            .count();
        assert_eq!(updated, updates, "{config}, writable {writable}");
        assert_eq!(walker.memory[&word] & 0x40 != 0, updates > 0);
    }
}

/// G6.
#[test]
fn alike_requests_are_one_walk() {
    let mut walker = Walker::new("8");
    walker.map(0, PAGE, 0x5000);
    walker.latency = 40;
    for requester in 0..16 {
        walker.request(requester, 0, PAGE);
    }
    let answer = walker.answers(1)[0].clone();
    assert_eq!(requesters(&answer), (0..16).collect::<Vec<_>>());
    assert_eq!(walker.requested.len(), 4);
}

/// G6: with every walk busy, a request for a page that is walked is not kept waiting for a free walk.
#[test]
fn alike_request_joins_although_no_walk_is_free() {
    let mut walker = Walker::new("8");
    walker.latency = 60;
    for requester in 0..8 {
        walker.map(0, PAGE + requester as u64, 0x5000);
        walker.request(requester, 0, PAGE + requester as u64);
    }
    for _ in 0..40 {
        walker.cycle();
    }
    walker.request(15, 0, PAGE + 3);
    let answers = walker.answers(8);
    let joined = answers
        .iter()
        .find(|answer| answer.answer_vpn == PAGE + 3)
        .unwrap();
    assert_eq!(requesters(joined), [3, 15]);
}

/// G6: with `no_merge` a walk that is no user's was begun after its request, and answers that one alone.
#[test]
fn supervisors_requests_that_are_alone_join_no_walk() {
    let mut walker = Walker::new("8");
    walker.map(0, PAGE, 0x5000);
    walker.latency = 40;
    walker.inputs.no_merge = true;
    for requester in 0..8 {
        walker.request(requester, 0, PAGE);
        walker.inputs.request_user[requester] = u64::from(requester >= 4);
    }
    let mut reported: Vec<_> = walker.answers(5).iter().map(requesters).collect();
    reported.sort();
    assert_eq!(
        reported,
        [vec![0], vec![1], vec![2], vec![3], vec![4, 5, 6, 7]]
    );
    assert_eq!(walker.requested.len(), 5 * 4);
    // The same requester again, before its first request is answered.
    for _ in 0..2 {
        walker.request(0, 0, PAGE);
        walker.inputs.request_user[0] = 0;
        while walker.inputs.request_valid[0] != 0 {
            walker.cycle();
        }
    }
    walker.answers(7);
    assert_eq!(walker.requested.len(), 7 * 4);
}

/// Cycles that a requester waits behind another one's burst of 40 pages.
fn wait_behind_a_burst(config: &str) -> u64 {
    let mut walker = Walker::new(config);
    walker.latency = 100;
    for number in 0..41 {
        walker.map(0, PAGE + number, 0x5000);
    }
    let mut next = 0;
    // So many that the walks are all busy.
    while next < 36 {
        if walker.inputs.request_valid[0] == 0 {
            walker.request(0, 0, PAGE + next);
            next += 1;
        }
        walker.cycle();
        if walker.cycle > 300 {
            break;
        }
    }
    let requested = walker.cycle;
    walker.request(1, 0, PAGE + 40);
    while !walker
        .answers
        .iter()
        .any(|answer| requesters(answer) == [1])
    {
        if walker.inputs.request_valid[0] == 0 && next < 40 {
            walker.request(0, 0, PAGE + next);
            next += 1;
        }
        walker.cycle();
        assert!(walker.cycle < 20_000);
    }
    walker.cycle - requested
}

/// G7.
#[test]
fn requesters_take_turns() {
    let mut walker = Walker::new("8");
    for requester in 0..16 {
        walker.request(requester, 0, PAGE + 0x1000 * requester as u64);
    }
    let mut order = Vec::new();
    while order.len() < 40 {
        let outputs = walker.cycle();
        let served = outputs.request_ready.iter().position(|&ready| ready != 0);
        order.extend(served);
        if let Some(served) = served {
            walker.request(served, 0, PAGE + 7 * order.len() as u64);
        }
        assert!(walker.cycle < 20_000);
    }
    for (before, after) in order.iter().zip(&order[1..]) {
        assert_eq!(*after, (before + 1) % 16);
    }
}

/// G8: with 64 walks and a memory of 200 cycles, at least 0.95 of what the memory's latency allows (64 walks that each
/// wait 200 cycles) is requested.
#[test]
fn memory_port_is_kept_busy() {
    for (config, walks) in [("32", 32.0), ("64", 64.0)] {
        let mut walker = Walker::new(config);
        walker.latency = 200;
        let mut next = 0;
        let cycles = 4000;
        let mut from = 0;
        while walker.cycle < 2000 + cycles {
            for requester in 0..16 {
                if walker.inputs.request_valid[requester] == 0 {
                    walker.map(0, PAGE + next, 0x5000);
                    walker.request(requester, 0, PAGE + next);
                    next += 1;
                }
            }
            walker.cycle();
            if walker.cycle == 2000 {
                from = walker.requested.len();
            }
        }
        let requested = (walker.requested.len() - from) as f64 / cycles as f64;
        let bound = walks / 200.0;
        println!("{config}: {:.4} of the bound", requested / bound);
        assert!(requested / bound >= 0.95, "{config}: {}", requested / bound);
    }
}

/// G8 and G11: whatever of another space is invalidated, without a gap, and however many addresses are not canonical,
/// no requester waits longer than a few hundred cycles.
#[test]
fn walks_end_whatever_is_invalidated_beside_them() {
    for (config, requesters) in [("2", 2), ("8", 16)] {
        for (latency, odd) in [(1, false), (1, true), (3, false), (9, true)] {
            let longest = longest_wait(config, requesters, latency, odd);
            println!("{config}: {longest} cycles at most, latency {latency}, odd addresses {odd}");
            assert!(longest < 500, "{config}, latency {latency}, odd {odd}");
        }
    }
}

/// The most cycles for which a requester waits, each of which always has a request, while one invalidation follows the other; with
/// `odd` each second one requests addresses that are not canonical.
fn longest_wait(config: &str, requesting: usize, latency: u64, odd: bool) -> u64 {
    let mut walker = Walker::new(config);
    walker.latency = latency;
    walker.inputs.invalidate_valid = true;
    walker.inputs.invalidate_asid = 1;
    for number in 0..requesting as u64 {
        walker.map(0, PAGE + number, 0x5000);
    }
    let (mut since, mut longest) = (vec![None; requesting], 0);
    while walker.cycle < 2_000 {
        for (requester, since) in since.iter_mut().enumerate() {
            let page = if odd && requester % 2 == 1 {
                1 << 36
            } else {
                PAGE
            };
            if since.is_none() {
                walker.request(requester, 0, page + requester as u64);
                *since = Some(walker.cycle);
            }
        }
        walker.cycle();
        for requester in walker
            .answers
            .drain(..)
            .flat_map(|answer| requesters(&answer))
        {
            longest = longest.max(walker.cycle - since[requester].take().unwrap());
        }
    }
    let waiting = since.iter().flatten().map(|since| walker.cycle - since);
    waiting.fold(longest, u64::max)
}

/// G9.
#[test]
fn offers_hold_until_they_are_taken() {
    let mut walker = Walker::new("8");
    for requester in 0..6 {
        walker.map(0, PAGE + requester as u64, 0x5000);
        walker.request(requester, 0, PAGE + requester as u64);
    }
    let mut rng = Rng::new(3);
    let mut held = None;
    while walker.answers.len() < 6 {
        walker.inputs.memory_ready = rng.chance(40);
        walker.inputs.answer_ready = rng.chance(40);
        let outputs = walker.cycle();
        let shown = (
            outputs.memory_valid,
            outputs.memory_word,
            outputs.memory_walk,
            outputs.answer_vpn,
            outputs.answer_pfn,
        );
        let offer = Some(shown).filter(|_| outputs.memory_valid || outputs.answer_valid);
        if held.is_some() {
            assert_eq!(offer, held);
        }
        let taken = (outputs.memory_valid && walker.inputs.memory_ready)
            || (outputs.answer_valid && walker.inputs.answer_ready);
        held = offer.filter(|_| !taken);
        assert!(walker.cycle < 20_000);
    }
}

/// G10.
#[test]
fn response_that_nobody_waits_for_changes_nothing() {
    let mut walker = Walker::new("8");
    walker.map(0, PAGE, 0x5000);
    walker.cycle();
    walker.inputs.response_valid = true;
    walker.inputs.response_data = OPEN;
    // Past the memory, which would set it again.
    let inputs = walker.inputs.clone();
    walker.raw(&inputs);
    for _ in 0..20 {
        let outputs = walker.cycle();
        assert!(!outputs.answer_valid && !outputs.memory_valid);
    }
    walker.request(0, 0, PAGE);
    assert_eq!(walker.answers(1)[0].answer_pfn, 0x5000);
}

/// A word that is not there ends the walk, whatever comes with it, and is not taken for an entry that is not present.
#[test]
fn error_response_is_a_fault_of_its_own() {
    for level in 1..=4 {
        let mut walker = Walker::new("8");
        walker.map(0, PAGE, 0x5000);
        walker.broken = Some(walker.word(0, PAGE, level));
        walker.request(0, 0, PAGE);
        let answer = &walker.answers(1)[0];
        let found = (answer.answer_cause, answer.answer_level, answer.answer_code);
        assert_eq!(found, (7, level as u8, 0));
    }
}

#[test]
fn address_that_is_not_canonical_reads_nothing() {
    let mut walker = Walker::new("8");
    walker.request(3, 1, 1 << 36 | 5);
    let answer = walker.answers(1)[0].clone();
    assert_eq!(
        (answer.answer_cause, answer.answer_level, answer.answer_vpn),
        (1, 0, 1 << 36 | 5)
    );
    assert_eq!((requesters(&answer), answer.answer_asid), (vec![3], 1));
    assert!(walker.requested.is_empty());
}

/// Where requests are served in the order in which they came, one requester's burst keeps the others waiting; where they
/// take turns, it does not.
#[test]
fn burst_keeps_others_waiting_only_in_order() {
    let (turns, order) = (
        wait_behind_a_burst("32"),
        wait_behind_a_burst("32_in_order"),
    );
    println!("{turns} cycles in turn, {order} in order");
    assert!(turns <= order);
}

#[test]
fn reset_forgets_every_walk() {
    let mut walker = Walker::new("8");
    walker.map(0, PAGE, 0x5000);
    walker.latency = 1000;
    walker.request(0, 0, PAGE);
    for _ in 0..20 {
        walker.cycle();
    }
    walker.inputs.reset = true;
    walker.cycle();
    walker.inputs.reset = false;
    for _ in 0..2000 {
        assert!(!walker.cycle().answer_valid);
    }
}

/// Each bit of a space and of a frame is seen clear and set, by all that distinguish spaces or frames.
#[test]
fn traffic_drives_every_bit_of_spaces_and_frames() {
    for config in ["64", "2"] {
        let parameters = <PageWalker as Block>::parameters(config).unwrap();
        let mut traffic = <PageWalker as Block>::traffic(parameters, 3);
        let mut model = PageWalker::new(parameters);
        let mut inputs = Inputs::default();
        let mut seen = support::Seen::default();
        for _ in 0..300_000 {
            traffic.drive(&model, &mut inputs);
            let outputs = model.cycle(&inputs);
            traffic.observe(&model, &inputs, &outputs);
            for requester in 0..parameters.requesters {
                if inputs.request_valid[requester] == 1 {
                    seen.add("request_asid", inputs.request_asid[requester]);
                }
            }
            if inputs.root_valid {
                seen.add("root_asid", inputs.root_asid.into());
                seen.add("root_pfn", inputs.root_pfn);
            }
            if inputs.invalidate_valid {
                seen.add("invalidate_asid", inputs.invalidate_asid.into());
            }
            if inputs.response_valid {
                seen.add("response_data", inputs.response_data >> 12);
            }
        }
        for port in ["request_asid", "root_asid", "invalidate_asid"] {
            seen.both(port, parameters.asid_bits as u32);
        }
        for port in ["root_pfn", "response_data"] {
            seen.both(port, parameters.pfn_bits as u32);
        }
    }
}
