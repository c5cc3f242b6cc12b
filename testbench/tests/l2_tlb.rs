//! Contract tests of the L2 TLB. Each is named for a guarantee of its page, and runs in all back ends at once.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use faultline_sim::mmu::l2_tlb::{Inputs, OF_ALL, OF_PAGE, OF_SPACE, Outputs, Page};
use faultline_testbench::support;
use faultline_testbench::support::l2::{
    Found, L2, answer, fill, found, invalidate, miss, page, page_in, request,
};
use faultline_testbench::traffic::Rng;

/// SMs.
const SMS: usize = 16;
/// Both sizes.
const SIZES: [&str; 2] = ["512", "1024"];

#[test]
fn matches_model() {
    support::matches_model("l2_tlb");
}

/// G2: a hit says whether its page is a piece of a large one.
#[test]
fn hit_tells_pieces_from_small_pages() {
    let mut tlb = L2::new("512");
    for level in 1..=3 {
        tlb.fill(page(level), found(10 + level as u32), level as u8);
    }
    for level in 1..=3 {
        let mut inputs = Inputs::default();
        request(&mut inputs, 2, page(level), false);
        while tlb.cycle(&inputs).request_ready == 0 {}
        tlb.rest_for(2);
        let outputs = tlb.rest();
        assert_eq!(
            answer(&outputs),
            Some((1 << 2, page(level), found(10 + level as u32)))
        );
        assert_eq!(outputs.answer_large, level > 1);
    }
}

/// G1: hits and misses of all ports at once.
#[test]
fn every_request_ends_once_in_the_third_cycle() {
    let mut tlb = L2::new("1024");
    for number in 0..8 {
        tlb.fill(page(2 * number), found(100 + number as u32), 1);
    }
    let mut inputs = Inputs::default();
    for sm in 0..SMS {
        request(&mut inputs, sm, page(sm as u64), sm == 3);
    }
    let mut accepted: Vec<(u64, usize)> = Vec::new();
    let mut ended = Vec::new();
    for cycle in 0..60 {
        let outputs = tlb.cycle(&inputs);
        for sm in (0..SMS).filter(|sm| (outputs.request_ready >> sm) & 1 == 1) {
            accepted.push((cycle + 3, sm));
            inputs.request_valid &= !(1 << sm);
        }
        if let Some((to, of, what)) = answer(&outputs) {
            let sm = to.trailing_zeros() as usize;
            assert_eq!((to, of), (1 << sm, page(sm as u64)));
            assert_eq!(what, found(100 + sm as u32 / 2));
            ended.push((cycle, sm));
        }
        for sm in 0..SMS {
            if let Some(reported) = miss(&outputs, sm) {
                assert_eq!(reported, (page(sm as u64), sm == 3));
                ended.push((cycle, sm));
            }
        }
        inputs.miss_ready = u16::MAX;
    }
    assert_eq!(accepted.len(), SMS);
    assert_eq!(accepted, ended);
}

/// G2.
#[test]
fn hit_gives_what_was_filled_last() {
    let mut tlb = L2::new("512");
    let reported = [
        (7, true, false),
        (8, false, false),
        (9, false, true),
        (10, true, true),
    ];
    for (pfn, writable, clean) in reported {
        let what = Found {
            pfn,
            writable,
            clean,
        };
        tlb.fill(page(5), what, 1);
        for sm in [0, 15] {
            assert_eq!(tlb.request(sm, page(5), false), Some(what));
        }
    }
}

/// G2: no bit of a page or of a space is left out of a comparison.
#[test]
fn page_that_differs_in_one_bit_or_in_its_space_is_another_one() {
    for size in SIZES {
        let mut tlb = L2::new(size);
        let base = page_in(0x33, 0x5_5555_5555);
        tlb.fill(base, found(7), 1);
        let numbers = (0..36).map(|bit| page_in(base.asid, base.vpn ^ 1 << bit));
        let asids = (0..8).map(|bit| page_in(base.asid ^ 1 << bit, base.vpn));
        for other in numbers.chain(asids) {
            assert_eq!(tlb.read(other), None, "{other:?}");
            tlb.fill(other, found(9), 1);
            assert_eq!([tlb.read(other), tlb.read(base)], [Some(9), Some(7)]);
            tlb.invalidate(OF_PAGE, other);
            assert_eq!([tlb.read(other), tlb.read(base)], [None, Some(7)]);
        }
    }
}

/// Loads pages, each with its number as its frame.
fn load(tlb: &mut L2, pages: &[(Page, u8)]) {
    for (page, level) in pages {
        tlb.fill(*page, found(page.vpn as u32 & 0xFFF), *level);
    }
}

/// Whether each of the pages is there.
fn left(tlb: &mut L2, pages: &[(Page, u8)]) -> Vec<bool> {
    let mut there = |page: Page| match tlb.read(page) {
        Some(pfn) => {
            assert_eq!(pfn, page.vpn as u32 & 0xFFF);
            true
        }
        None => false,
    };
    pages.iter().map(|(page, _)| there(*page)).collect()
}

/// G3.
#[test]
fn invalidation_takes_what_it_covers_and_nothing_else() {
    let mut tlb = L2::new("1024");
    let pages = [(1, 1), (1, 2), (2, 1), (2, 2), (3, 2)].map(|(vpn, asid)| (page_in(asid, vpn), 1));
    load(&mut tlb, &pages);
    tlb.invalidate(OF_PAGE, pages[1].0);
    assert_eq!(left(&mut tlb, &pages), [true, false, true, true, true]);
    load(&mut tlb, &pages);
    tlb.invalidate(OF_SPACE, page_in(2, 99));
    assert_eq!(left(&mut tlb, &pages), [true, false, true, false, false]);
    for scope in [OF_ALL, OF_ALL + 1] {
        load(&mut tlb, &pages);
        tlb.invalidate(scope, page_in(7, 99));
        assert_eq!(left(&mut tlb, &pages), [false; 5]);
    }
}

/// G3: the invalidation names any page of the large one.
#[test]
fn pieces_of_a_large_page_go_together() {
    let (mega, giga) = (1 << 9, 1 << 18);
    let pages = [
        // Pieces of 2 MB, and a small page and another large one beside them.
        (page(3 * mega), 2),
        (page(3 * mega + 77), 2),
        (page(4 * mega - 1), 2),
        (page(3 * mega + 78), 1),
        (page(4 * mega), 2),
        (page_in(1, 3 * mega), 2),
        // Pieces of 1 GB.
        (page(5 * giga + 12), 3),
        (page(6 * giga - 1), 3),
        (page(5 * giga + 13), 2),
        (page(6 * giga), 3),
    ];
    for size in SIZES {
        let mut tlb = L2::new(size);
        for (named, gone) in [
            (page(3 * mega + 500), [0, 1, 2].as_slice()),
            (page(3 * mega + 78), &[0, 1, 2, 3]),
            (page(3 * mega), &[0, 1, 2]),
            (page(5 * giga + 0x2_1234), &[6, 7]),
            (page(5 * giga + 15), &[6, 7, 8]),
            (page_in(1, 4 * mega - 1), &[5]),
            (page_in(1, 5 * giga), &[]),
        ] {
            load(&mut tlb, &pages);
            tlb.invalidate(OF_PAGE, named);
            let expected: Vec<_> = (0..pages.len()).map(|at| !gone.contains(&at)).collect();
            assert_eq!(left(&mut tlb, &pages), expected, "{named:?}");
        }
    }
}

/// G3: a fill that comes in any cycle of an invalidation is there after it exactly if it is accepted after it.
#[test]
fn fill_in_any_cycle_of_an_invalidation_is_forgotten_or_waits() {
    let mut tlb = L2::new("512");
    let cycles = 2 * tlb.sets() as i64;
    let (mut forgotten, mut waited) = (0, 0);
    for at in (-6..cycles + 6).step_by(1) {
        // In the first and in the last set.
        for number in [0, tlb.sets() - 1] {
            let mut inputs = fill(page(number), found(1), 1);
            inputs.fill_valid = false;
            let (mut filled, mut done) = (None, None);
            for cycle in -6..i64::MAX {
                let flush = invalidate(OF_PAGE, page(number));
                if cycle == 0 {
                    inputs.invalidate_valid = true;
                    inputs.invalidate_vpn = flush.invalidate_vpn;
                }
                inputs.fill_valid |= cycle == at;
                let outputs = tlb.cycle(&inputs);
                if inputs.fill_valid && outputs.fill_ready {
                    filled = Some(cycle);
                    inputs.fill_valid = false;
                }
                if inputs.invalidate_valid && outputs.invalidate_ready {
                    done = Some(cycle);
                    inputs.invalidate_valid = false;
                }
                if cycle > cycles + 12 {
                    break;
                }
            }
            let (filled, done) = (filled.unwrap(), done.unwrap());
            let expected = (filled > done).then_some(1);
            assert_eq!(
                tlb.read(page(number)),
                expected,
                "filled at {filled}, done at {done}"
            );
            forgotten += u32::from(expected.is_none());
            waited += u32::from(filled > at.max(0) + 4);
            tlb.invalidate(OF_ALL, page(0));
        }
    }
    assert!(forgotten > 8 && waited > 100, "{forgotten} and {waited}");
}

/// G3: lookups of other pages and spaces between its steps do not change what an invalidation means.
#[test]
fn invalidation_keeps_its_page_and_space_under_lookups() {
    let mut tlb = L2::new("1024");
    for scope in [OF_PAGE, OF_SPACE] {
        let pages: Vec<_> = (0..8)
            .flat_map(|number| [1, 2].map(|asid| (page_in(asid, 100 * number), 1)))
            .collect();
        load(&mut tlb, &pages);
        let mut inputs = invalidate(scope, page_in(2, 300));
        for sm in 0..SMS {
            request(&mut inputs, sm, page_in(1, 700), sm % 2 == 1);
        }
        let mut hits = 0;
        loop {
            let outputs = tlb.cycle(&inputs);
            hits += u32::from(outputs.answer_valid);
            if outputs.invalidate_ready {
                break;
            }
        }
        assert!(hits > 100, "lookups go on");
        tlb.rest_for(4);
        let expected: Vec<_> = pages
            .iter()
            .map(|(page, _)| page.asid == 1 || (scope == OF_PAGE && page.vpn != 300))
            .collect();
        assert_eq!(left(&mut tlb, &pages), expected);
    }
}

/// G3: lookups go on during an invalidation, and from its acknowledgement on none finds what it covers.
#[test]
fn nothing_invalidated_is_answered_after_the_acknowledgement() {
    let mut tlb = L2::new("512");
    for set in [0, 1, tlb.sets() - 1] {
        let named = tlb.of_set(set, 9);
        tlb.fill(named, found(3), 1);
        let mut inputs = invalidate(OF_PAGE, named);
        (0..4).for_each(|sm| request(&mut inputs, sm, named, false));
        inputs.miss_ready = u16::MAX;
        let mut hits = 0;
        let mut after = None;
        for _ in 0..600 {
            let outputs = tlb.cycle(&inputs);
            if let Some(left) = &mut after {
                assert!(!outputs.answer_valid, "set {set}");
                *left -= 1;
                if *left == 0 {
                    break;
                }
            }
            hits += u32::from(outputs.answer_valid);
            if outputs.invalidate_ready && inputs.invalidate_valid {
                inputs.invalidate_valid = false;
                after = Some(40);
            }
        }
        assert_eq!(after, Some(0));
        assert!(hits > 0);
        tlb.rest_for(3);
        tlb.cycle(&Inputs {
            miss_ready: u16::MAX,
            ..Inputs::default()
        });
    }
}

/// G4.
#[test]
fn page_that_was_used_longest_ago_is_replaced() {
    let mut tlb = L2::new("512");
    let mut rng = Rng::new(7);
    let ways = tlb.ways();
    // The pages of set 1, the one that was used last at the end.
    let mut order: Vec<u64> = (0..ways).collect();
    for number in 0..ways {
        tlb.fill(tlb.of_set(1, number), found(number as u32), 1);
    }
    tlb.fill(page(2), found(99), 1);
    for number in ways..60 {
        for _ in 0..rng.below(12) {
            let used = order.remove(rng.below(ways) as usize);
            assert_eq!(tlb.read(tlb.of_set(1, used)), Some(used as u32));
            order.push(used);
        }
        // A fill of a page that is there uses it, and replaces no other.
        let again = order.remove(rng.below(ways) as usize);
        tlb.fill(tlb.of_set(1, again), found(again as u32), 1);
        order.push(again);
        tlb.fill(tlb.of_set(1, number), found(number as u32), 1);
        let replaced = order.remove(0);
        order.push(number);
        // A miss uses no page.
        assert_eq!(tlb.read(tlb.of_set(1, replaced)), None);
    }
    for used in order {
        assert_eq!(tlb.read(tlb.of_set(1, used)), Some(used as u32));
    }
    assert_eq!(tlb.read(page(2)), Some(99), "other sets keep their pages");
}

/// G4.
#[test]
fn place_of_a_forgotten_page_is_taken_first() {
    let mut tlb = L2::new("1024");
    let ways = tlb.ways();
    for number in 0..ways {
        tlb.fill(tlb.of_set(3, number), found(number as u32), 1);
    }
    tlb.invalidate(OF_PAGE, tlb.of_set(3, 5));
    tlb.fill(tlb.of_set(3, 20), found(20), 1);
    for number in (0..ways).filter(|number| *number != 5) {
        assert_eq!(tlb.read(tlb.of_set(3, number)), Some(number as u32));
    }
}

/// G4, at the full size: every entry is its own.
#[test]
fn every_entry_holds_a_page() {
    for size in SIZES {
        let mut tlb = L2::new(size);
        let entries = tlb.sets() * tlb.ways();
        for number in 0..entries {
            tlb.fill(page(number), found(number as u32 ^ 0x5A5_A5A5), 1);
        }
        for number in 0..entries {
            assert_eq!(tlb.read(page(number)), Some(number as u32 ^ 0x5A5_A5A5));
        }
    }
}

/// G5: two walks of a page may end one after the other.
#[test]
fn page_that_is_filled_twice_is_there_once() {
    let mut tlb = L2::new("512");
    let ways = tlb.ways();
    for number in 0..ways {
        for pfn in [1, 2] {
            tlb.fill(tlb.of_set(6, number), found(pfn), 1 + pfn as u8);
        }
    }
    // All of them are there, so none has two places.
    for number in 0..ways {
        assert_eq!(tlb.read(tlb.of_set(6, number)), Some(2));
    }
    tlb.invalidate(OF_PAGE, tlb.of_set(6, 0));
    assert_eq!(tlb.read(tlb.of_set(6, 0)), None);
}

/// G6.
#[test]
fn write_of_a_clean_page_misses_and_its_fill_replaces_it() {
    let mut tlb = L2::new("512");
    for writable in [true, false] {
        let clean = Found {
            pfn: 4,
            writable,
            clean: true,
        };
        tlb.fill(page(8), clean, 1);
        assert_eq!(tlb.request(2, page(8), false), Some(clean));
        assert_eq!(tlb.request(2, page(8), true), None);
        assert_eq!(tlb.request(3, page(8), false), Some(clean));
        let dirty = Found {
            clean: false,
            ..clean
        };
        tlb.fill(page(8), dirty, 1);
        let hit = tlb.request(2, page(8), true);
        assert_eq!(hit, writable.then_some(dirty));
    }
}

/// G6: the right may have come since.
#[test]
fn write_of_a_page_that_may_not_be_written_misses() {
    let mut tlb = L2::new("512");
    let what = Found {
        pfn: 4,
        writable: false,
        clean: false,
    };
    tlb.fill(page(8), what, 1);
    assert_eq!(tlb.request(1, page(8), true), None);
    assert_eq!(tlb.request(2, page(8), false), Some(what));
}

/// G7.
#[test]
fn miss_holds_until_it_is_taken() {
    let mut tlb = L2::new("512");
    let mut inputs = Inputs::default();
    request(&mut inputs, 4, page(9), true);
    while tlb.cycle(&inputs).request_ready == 0 {}
    tlb.rest_for(2);
    // The next request of the port waits, and others go on.
    request(&mut inputs, 4, page(10), false);
    inputs.request_write = 0;
    request(&mut inputs, 5, page(11), false);
    for cycle in 0..30 {
        let outputs = tlb.cycle(&inputs);
        assert_eq!(miss(&outputs, 4), Some((page(9), true)));
        assert_eq!(outputs.request_ready & !(1 << 5), 0);
        assert_eq!(miss(&outputs, 5).is_some(), cycle >= 3);
    }
    inputs.miss_ready = 1 << 4;
    tlb.cycle(&inputs);
    assert_eq!(tlb.cycle(&inputs).request_ready, 1 << 4);
}

/// G8.
#[test]
fn ports_take_turns() {
    let mut tlb = L2::new("512");
    tlb.fill(page(0), found(1), 1);
    let mut inputs = Inputs::default();
    (0..SMS).for_each(|sm| request(&mut inputs, sm, page(0), false));
    let served: Vec<_> = (0..300)
        .map(|_| tlb.cycle(&inputs).request_ready)
        .filter(|ready| *ready != 0)
        .collect();
    assert_eq!(served.len(), 150, "one every other cycle");
    for turn in served.windows(SMS) {
        assert_eq!(turn.iter().fold(0, |all, one| all | one), u16::MAX);
    }
}

/// G9, with everything on offer in every cycle.
#[test]
fn nobody_waits_longer_than_the_page_says() {
    for size in SIZES {
        let mut tlb = L2::new(size);
        let sets = tlb.sets();
        let mut rng = Rng::new(3);
        let mut inputs = fill(page(1), found(1), 1);
        inputs.invalidate_valid = true;
        inputs.miss_ready = u16::MAX;
        (0..SMS).for_each(|sm| request(&mut inputs, sm, page(1), false));
        let (mut fill_waits, mut flush_waits, mut waits) = (0, 0, [0; SMS]);
        let mut most = [0; 3];
        for _ in 0..40 * sets {
            let outputs: Outputs = tlb.cycle(&inputs);
            let count = |waits: &mut u64, most: &mut u64, ready: bool| {
                *waits = if ready { 0 } else { *waits + 1 };
                *most = (*most).max(*waits);
            };
            count(&mut flush_waits, &mut most[0], outputs.invalidate_ready);
            count(&mut fill_waits, &mut most[1], outputs.fill_ready);
            for (sm, waits) in waits.iter_mut().enumerate() {
                let ready = (outputs.request_ready >> sm) & 1 == 1;
                count(waits, &mut most[2], ready);
                if ready {
                    inputs.request_vpn[sm] = rng.below(4);
                }
            }
        }
        assert!(most[0] <= 4 * sets + 4, "{most:?}");
        assert!(most[1] <= 4 * sets + 6, "{most:?}");
        // One of these cycles is that in which the port's own request acts.
        assert!(most[2] <= 4 * SMS as u64, "{most:?}");
        assert!(most.iter().all(|waits| *waits > 50));
    }
}

/// A memory keeps what it holds, and nothing of it is reported.
#[test]
fn reset_forgets_everything() {
    let mut tlb = L2::new("512");
    let pages: Vec<_> = (0..64).map(|number| (page(number * 3), 1)).collect();
    load(&mut tlb, &pages);
    tlb.request(1, page(1), false);
    tlb.cycle(&invalidate(OF_SPACE, page(0)));
    tlb.reset();
    let quiet = tlb.rest();
    assert_eq!(quiet, Outputs::default());
    assert_eq!(left(&mut tlb, &pages), [false; 64]);
}
