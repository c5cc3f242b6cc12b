//! Contract tests of the L1 TLB: its pages and its walks. Each is named for a guarantee of its page, and runs in all back
//! ends at once.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use faultline_sim::sm::l1_tlb::{
    DENIED, Inputs, NACK, OF_ALL, OF_SPACE, Outputs, Page, TRANSLATION,
};
use faultline_testbench::support;
use faultline_testbench::support::tlb::Answer::{Denied, Hit, Miss};
use faultline_testbench::support::tlb::{Tlb, answer, check, fill, invalidate, page, walk};
use faultline_testbench::traffic::Rng;

/// Ways of a set, sets, and pages that can be waited for.
const WAYS: u64 = 8;
const SETS: u64 = 4;
const MISSES: u64 = 8;

#[test]
fn matches_model() {
    support::matches_model("l1_tlb");
}

/// G1.
#[test]
fn every_check_is_answered_in_the_next_cycle_with_its_tag() {
    let mut tlb = Tlb::new("32");
    tlb.load(page(5), 50);
    let mut expected = None;
    for number in 0..64 {
        let valid = number % 5 != 0;
        let (of, wanted) = match number % 3 {
            0 => (page(5), Hit(50)),
            _ => (page(100 + number), Miss),
        };
        let outputs = tlb.cycle(&Inputs {
            check_valid: valid,
            check_tag: number as u8 * 3,
            ..check(of)
        });
        assert!(outputs.check_ready);
        assert_eq!(
            answer(&outputs).map(|reported| (outputs.answer_tag, reported)),
            expected
        );
        expected = valid.then_some((number as u8 * 3, wanted));
    }
}

/// G2.
#[test]
fn hit_gives_the_frame_that_was_filled_last() {
    let mut tlb = Tlb::new("32");
    tlb.load(page(5), 50);
    assert_eq!(tlb.read(page(5)), Hit(50));
    tlb.forget(page(5));
    tlb.load(page(5), 51);
    assert_eq!([tlb.read(page(5)), tlb.read(page(5))], [Hit(51); 2]);
}

/// G2.
#[test]
fn page_that_differs_in_one_bit_or_in_its_space_is_another_one() {
    let mut tlb = Tlb::new("32");
    let base = Page {
        vpn: 0x5_5555_5555,
        asid: 0x33,
    };
    tlb.load(base, 7);
    let numbers = (0..36).map(|bit| Page {
        vpn: base.vpn ^ 1 << bit,
        ..base
    });
    let asids = (0..8).map(|bit| Page {
        asid: base.asid ^ 1 << bit,
        ..base
    });
    for other in numbers.chain(asids) {
        tlb.miss(other);
        // Not even its fill or its invalidation is taken for that of the first page.
        tlb.forget(other);
        assert_eq!(tlb.translate(other, 9), None, "{other:?}");
        assert_eq!(tlb.walks(), [other]);
        assert_eq!(tlb.translate(other, 9), Some((other, false)));
        assert_eq!([tlb.read(other), tlb.read(base)], [Hit(9), Hit(7)]);
        tlb.forget(other);
    }
}

/// G2.
#[test]
fn hits_go_on_under_misses() {
    let mut tlb = Tlb::new("32");
    tlb.load(page(0), 1);
    for other in 1..=2 * MISSES {
        assert_eq!([tlb.read(page(other)), tlb.read(page(0))], [Miss, Hit(1)]);
    }
}

/// G3.
#[test]
fn invalidation_takes_what_it_names_and_nothing_else() {
    let mut tlb = Tlb::new("32");
    let pages = [(1, 1), (1, 2), (2, 1), (2, 2), (3, 2)].map(|(vpn, asid)| Page { vpn, asid });
    let load = |tlb: &mut Tlb| {
        for page in pages {
            if tlb.read(page) == Miss {
                assert_eq!(tlb.walks(), [page]);
                tlb.translate(page, page.vpn as u32);
            }
        }
    };
    let left = |tlb: &mut Tlb| pages.map(|page| tlb.read(page) == Hit(page.vpn as u32));
    load(&mut tlb);
    tlb.forget(pages[1]);
    assert_eq!(left(&mut tlb), [true, false, true, true, true]);
    tlb.reset();
    load(&mut tlb);
    tlb.forget_all_of(pages[1], OF_SPACE);
    assert_eq!(left(&mut tlb), [true, false, true, false, false]);
    for scope in [OF_ALL, OF_ALL + 1] {
        tlb.reset();
        load(&mut tlb);
        tlb.forget_all_of(page(9), scope);
        assert_eq!(left(&mut tlb), [false; 5]);
    }
}

/// G3.
#[test]
fn walk_that_began_before_an_invalidation_fills_nothing() {
    for (scope, named) in [(0, page(4)), (OF_SPACE, page(99)), (OF_ALL, page(99))] {
        let mut tlb = Tlb::new("32");
        tlb.miss(page(4));
        tlb.forget_all_of(named, scope);
        assert_eq!(tlb.translate(page(4), 1), None);
        assert_eq!(tlb.read(page(4)), Miss);
        assert_eq!(tlb.walks(), [page(4)], "it is walked again, once");
        assert_eq!(tlb.translate(page(4), 2), Some((page(4), false)));
        assert_eq!(tlb.read(page(4)), Hit(2));
    }
}

/// G3: the invalidation and the fill, or the walk, come in one cycle.
#[test]
fn fill_and_walk_in_the_cycle_of_an_invalidation_count_as_before_it() {
    let mut tlb = Tlb::new("32");
    tlb.miss(page(4));
    let both = Inputs {
        fill_valid: true,
        fill_vpn: 4,
        ..invalidate(page(4), 0)
    };
    assert_eq!(tlb.answer_walk(&both), None);
    assert_eq!(tlb.walks(), [page(4)]);
    tlb.translate(page(4), 2);

    assert_eq!(tlb.read(page(8)), Miss);
    let offered = std::iter::repeat_with(|| tlb.rest())
        .take(5)
        .find(|outputs| outputs.walk_valid);
    assert!(offered.is_some());
    let both = Inputs {
        walk_ready: true,
        ..invalidate(page(8), 0)
    };
    assert!(tlb.cycle(&both).walk_valid);
    tlb.rest();
    assert_eq!(tlb.translate(page(8), 3), None);
    assert_eq!(tlb.walks(), [page(8)]);

    // A walk that is taken after the invalidation is a fresh one.
    assert_eq!(tlb.read(page(12)), Miss);
    tlb.forget(page(12));
    assert_eq!(tlb.walks(), [page(12)]);
    assert_eq!(tlb.translate(page(12), 4), Some((page(12), false)));
}

/// G4.
#[test]
fn page_that_was_used_longest_ago_is_replaced() {
    let mut tlb = Tlb::new("32");
    let mut rng = Rng::new(7);
    // The pages of set 1, the one that was used last at the end.
    let mut order: Vec<Page> = Vec::new();
    let of_set = |number: u64| page(number * SETS + 1);
    for number in 0..WAYS {
        tlb.load(of_set(number), number as u32);
        order.push(of_set(number));
    }
    tlb.load(page(2), 99);
    for number in WAYS..60 {
        for _ in 0..rng.below(12) {
            let used = order.remove(rng.below(WAYS) as usize);
            assert_eq!(tlb.read(used), Hit((used.vpn / SETS) as u32));
            order.push(used);
        }
        tlb.load(of_set(number), number as u32);
        let replaced = order.remove(0);
        order.push(of_set(number));
        // A miss uses no page, and its walk is answered after an invalidation, so that nothing else is replaced.
        assert_eq!(tlb.read(replaced), Miss);
        assert_eq!(tlb.walks(), [replaced]);
        tlb.forget(replaced);
        tlb.translate(replaced, 0);
        assert_eq!(tlb.walks(), [replaced]);
        tlb.translate(replaced, (replaced.vpn / SETS) as u32);
        order.remove(0);
        order.push(replaced);
    }
    let last = order.clone();
    for used in last {
        assert_eq!(tlb.read(used), Hit((used.vpn / SETS) as u32));
    }
    assert_eq!(tlb.read(page(2)), Hit(99), "other sets keep their pages");
}

/// G4.
#[test]
fn place_of_an_invalidated_page_is_taken_first() {
    let mut tlb = Tlb::new("32");
    let of_set = |number: u64| page(number * SETS);
    (0..WAYS).for_each(|number| tlb.load(of_set(number), number as u32));
    tlb.forget(of_set(5));
    tlb.load(of_set(20), 20);
    for number in (0..WAYS).filter(|number| *number != 5) {
        assert_eq!(tlb.read(of_set(number)), Hit(number as u32));
    }
}

/// G5.
#[test]
fn page_has_one_walk_however_often_it_is_missed() {
    let mut tlb = Tlb::new("32");
    let miss = Inputs {
        walk_ready: true,
        ..check(page(3))
    };
    let outputs: Vec<Outputs> = (0..20).map(|_| tlb.cycle(&miss)).collect();
    assert_eq!(
        outputs.iter().filter_map(walk).collect::<Vec<_>>(),
        [page(3)]
    );
    tlb.far(page(3));
    assert_eq!([tlb.read(page(3)), tlb.read(page(3))], [Miss; 2]);
    assert!(tlb.walks().is_empty());
    tlb.resolve(page(3));
    assert_eq!(tlb.walks(), [page(3)]);
    tlb.translate(page(3), 1);
    assert!(tlb.walks().is_empty());
    // The same page of another space has a walk of its own, which says that it is for a write.
    let other = Page { vpn: 4, asid: 1 };
    assert_eq!([tlb.read(page(4)), tlb.write(other)], [Miss; 2]);
    let offers: Vec<_> = (0..8)
        .map(|_| {
            tlb.cycle(&Inputs {
                walk_ready: true,
                ..Inputs::default()
            })
        })
        .collect();
    let offers: Vec<_> = offers
        .iter()
        .filter_map(|outputs| Some((walk(outputs)?, outputs.walk_write)))
        .collect();
    assert_eq!(offers, [(page(4), false), (other, true)]);
}

/// G5.
#[test]
fn fill_or_resolution_that_nobody_waits_for_is_ignored() {
    let mut tlb = Tlb::new("32");
    assert_eq!(tlb.translate(page(6), 1), None);
    tlb.resolve(page(6));
    assert_eq!(tlb.read(page(6)), Miss);
    // It requests, and does not walk yet.
    assert_eq!(tlb.translate(page(6), 2), None);
    assert_eq!(tlb.read(page(6)), Miss);
    tlb.resolve(page(6));
    assert_eq!(tlb.walks(), [page(6)]);
    tlb.resolve(page(6));
    assert!(tlb.walks().is_empty());
    tlb.far(page(6));
    assert_eq!(
        tlb.translate(page(6), 3),
        None,
        "its walk has been answered"
    );
}

/// G7.
#[test]
fn walk_holds_until_it_is_taken() {
    let mut tlb = Tlb::new("32");
    assert_eq!([tlb.read(page(9)), tlb.write(page(1))], [Miss; 2]);
    for number in 2..30 {
        let outputs = tlb.cycle(&check(page(number)));
        assert_eq!((walk(&outputs), outputs.walk_write), (Some(page(9)), false));
    }
    assert_eq!(tlb.walks().len() as u64, MISSES);
}

/// G7: pages that are requested again and again do not keep another one from its turn.
#[test]
fn walks_take_turns() {
    let mut tlb = Tlb::new("32");
    tlb.far_limit = MISSES as u8;
    for number in 0..MISSES {
        assert_eq!(tlb.read(page(number)), Miss);
    }
    // Every walk that is taken is answered with a Nack at once, and requested again.
    let mut order = Vec::new();
    let mut nack = None;
    while order.len() < 5 * MISSES as usize {
        let mut inputs = nack.map_or_else(Inputs::default, |of| fill(of, NACK, 0));
        inputs.walk_ready = true;
        nack = walk(&tlb.cycle(&inputs));
        order.extend(nack);
    }
    for turn in order.windows(MISSES as usize) {
        let others = turn.iter().filter(|other| **other != turn[0]);
        assert_eq!(others.count() as u64, MISSES - 1, "{turn:?}");
    }
}

/// G9.
#[test]
fn write_to_a_page_that_may_not_be_written_is_denied() {
    let mut tlb = Tlb::new("32");
    tlb.load(page(1), 10);
    assert_eq!(
        [tlb.read(page(1)), tlb.write(page(1)), tlb.read(page(1))],
        [Hit(10), Denied, Hit(10)]
    );
    tlb.miss(page(2));
    tlb.answer_walk(&Inputs {
        fill_writable: true,
        ..fill(page(2), TRANSLATION, 20)
    });
    assert_eq!([tlb.read(page(2)), tlb.write(page(2))], [Hit(20); 2]);
    // The right comes with the page, and goes with it.
    tlb.forget(page(1));
    assert_eq!(tlb.write(page(1)), Miss);
    assert_eq!(tlb.walks(), [page(1)]);
    tlb.answer_walk(&Inputs {
        fill_writable: true,
        ..fill(page(1), TRANSLATION, 11)
    });
    assert_eq!(tlb.write(page(1)), Hit(11));
}

/// G9: the dirty bit of a clean page is not set, so the walk of the write sets it, or requests it of software.
#[test]
fn write_of_a_clean_page_forgets_it_and_is_walked() {
    for writable in [true, false] {
        let mut tlb = Tlb::new("32");
        let clean = Inputs {
            fill_writable: writable,
            fill_clean: true,
            ..fill(page(4), TRANSLATION, 10)
        };
        tlb.miss(page(4));
        tlb.answer_walk(&clean);
        tlb.load(page(8), 20);
        assert_eq!([tlb.read(page(4)), tlb.read(page(4))], [Hit(10); 2]);
        assert_eq!(tlb.write(page(4)), Miss);
        assert_eq!([tlb.read(page(4)), tlb.read(page(8))], [Miss, Hit(20)]);
        let offer = tlb.rest();
        assert_eq!((walk(&offer), offer.walk_write), (Some(page(4)), true));
        assert_eq!(tlb.walks(), [page(4)], "once");
        let dirty = Inputs {
            fill_writable: true,
            ..fill(page(4), TRANSLATION, 11)
        };
        tlb.answer_walk(&dirty);
        assert_eq!([tlb.write(page(4)), tlb.read(page(4))], [Hit(11); 2]);
    }
}

/// G9: the write is refused, and the page is gone all the same.
#[test]
fn write_of_a_clean_page_forgets_it_although_no_miss_is_free() {
    let mut tlb = Tlb::new("32");
    tlb.miss(page(4));
    tlb.answer_walk(&Inputs {
        fill_clean: true,
        ..fill(page(4), TRANSLATION, 10)
    });
    for number in 0..MISSES {
        assert_eq!(tlb.read(page(100 + number)), Miss);
    }
    assert_eq!([tlb.write(page(4)), tlb.read(page(4))], [Miss; 2]);
    let walks = tlb.walks();
    assert_eq!(walks.len() as u64, MISSES);
    assert_eq!(tlb.translate(walks[0], 1), Some((walks[0], true)));
    assert_eq!(tlb.write(page(4)), Miss);
    assert_eq!(tlb.walks(), [page(4)]);
}

/// G9, even if its dirty bit was clear.
#[test]
fn page_that_may_not_be_accessed_is_denied_to_everybody() {
    let mut tlb = Tlb::new("32");
    tlb.miss(page(1));
    let denied = Inputs {
        fill_clean: true,
        ..fill(page(1), DENIED, 0)
    };
    assert_eq!(tlb.answer_walk(&denied), Some((page(1), false)));
    assert_eq!(
        [tlb.read(page(1)), tlb.write(page(1)), tlb.read(page(1))],
        [Denied; 3]
    );
    assert!(tlb.walks().is_empty());
    tlb.forget(page(1));
    tlb.load(page(1), 4);
    assert_eq!(tlb.read(page(1)), Hit(4));
}

#[test]
fn reset_forgets_everything() {
    let mut tlb = Tlb::new("32");
    tlb.load(page(1), 1);
    for number in 2..20 {
        tlb.read(page(number));
    }
    tlb.cycle(&fill(page(1), 0, 0));
    tlb.reset();
    for _ in 0..6 {
        let quiet = Outputs {
            check_ready: true,
            ..Outputs::default()
        };
        assert_eq!(tlb.rest(), quiet);
    }
    assert_eq!(tlb.read(page(1)), Miss);
}
