//! Contract tests of the L1 TLB with large entries. Each is named for what its page says of large pages, and runs in all back
//! ends at once.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use faultline_sim::sm::l1_tlb::{Inputs, LARGE, OF_ALL, OF_SPACE, Page};
use faultline_testbench::support::tlb::Answer::{Denied, Fault, Hit, Miss};
use faultline_testbench::support::tlb::{Tlb, check, fill, page, wake};

/// The design, its large entries, and the pages of a large page.
const DESIGN: &str = "128_large";
const ENTRIES: u64 = 8;
const PAGES: u64 = 512;

/// A page of a large page.
fn of(large: u64, number: u64) -> Page {
    page(large * PAGES + number)
}

/// Answers the walk of a page with its large page, and gives the wake-up that follows.
fn answer(
    tlb: &mut Tlb,
    page: Page,
    pfn: u32,
    writable: bool,
    clean: bool,
) -> Option<(Page, bool)> {
    tlb.answer_walk(&Inputs {
        fill_writable: writable,
        fill_clean: clean,
        ..fill(page, LARGE, pfn)
    })
}

/// Misses a page, and brings its large page in.
fn load(tlb: &mut Tlb, page: Page, pfn: u32) {
    tlb.miss(page);
    assert_eq!(answer(tlb, page, pfn, false, false), Some((page, false)));
}

/// G2.
#[test]
fn each_page_of_a_large_page_is_found_in_its_frame() {
    let mut tlb = Tlb::new(DESIGN);
    load(&mut tlb, of(3, 100), 7 * 512 + 99);
    for number in [0, 1, 99, 100, 255, 256, 511] {
        assert_eq!(tlb.read(of(3, number)), Hit(7 * 512 + number as u32));
    }
    // A page that differs above, or in its space, is of another large page.
    let base = of(3, 100);
    for bit in 9..36 {
        let other = Page {
            vpn: base.vpn ^ 1 << bit,
            ..base
        };
        tlb.miss(other);
        assert_eq!(tlb.translate(other, 5), Some((other, false)));
        assert_eq!(
            [tlb.read(other), tlb.read(base)],
            [Hit(5), Hit(7 * 512 + 100)]
        );
    }
    assert_eq!(tlb.read(Page { asid: 1, ..base }), Miss);
}

/// G5 and G6.
#[test]
fn large_fill_ends_the_miss_of_its_page_alone() {
    let mut tlb = Tlb::new(DESIGN);
    tlb.miss(of(1, 0));
    tlb.miss(of(1, 1));
    assert_eq!(
        answer(&mut tlb, of(1, 0), 512, false, false),
        Some((of(1, 0), false))
    );
    // The other one is found, but its walk goes on, and its fill wakes it.
    assert_eq!(tlb.read(of(1, 1)), Hit(513));
    assert!(tlb.walks().is_empty());
    assert_eq!(
        answer(&mut tlb, of(1, 1), 1024, false, false),
        Some((of(1, 1), false))
    );
    assert_eq!(
        [tlb.read(of(1, 0)), tlb.read(of(1, 1))],
        [Hit(1024), Hit(1025)]
    );
}

/// G3.
#[test]
fn invalidation_of_any_page_drops_its_large_page() {
    let mut tlb = Tlb::new(DESIGN);
    for number in [0, 7, 511] {
        load(&mut tlb, of(1, 7), 512);
        load(&mut tlb, of(2, 7), 1024);
        tlb.forget(of(1, number));
        assert_eq!(tlb.read(of(2, 7)), Hit(1031));
        tlb.miss(of(1, 7));
        tlb.translate(of(1, 7), 3);
        tlb.forget_all_of(of(1, 7), OF_ALL);
    }
    load(&mut tlb, of(1, 7), 512);
    load(
        &mut tlb,
        Page {
            asid: 1,
            ..of(1, 7)
        },
        1024,
    );
    tlb.forget_all_of(of(9, 0), OF_SPACE);
    assert_eq!(
        tlb.read(Page {
            asid: 1,
            ..of(1, 8)
        }),
        Hit(1032)
    );
    assert_eq!(tlb.read(of(1, 8)), Miss);
}

/// G3: the walk may have read the large page before the invalidation, which is of a neighbour.
#[test]
fn walk_that_began_before_an_invalidation_of_a_neighbour_fills_nothing() {
    let mut tlb = Tlb::new(DESIGN);
    tlb.miss(of(1, 7));
    tlb.forget(of(1, 8));
    assert_eq!(answer(&mut tlb, of(1, 7), 512, false, false), None);
    assert_eq!(tlb.read(of(1, 7)), Miss);
    assert_eq!(tlb.walks(), [of(1, 7)]);
    // One that acts together with the fill blocks it, too, and one of another large page does not.
    let together = Inputs {
        invalidate_valid: true,
        invalidate_vpn: of(1, 9).vpn,
        ..fill(of(1, 7), LARGE, 512)
    };
    assert_eq!(tlb.answer_walk(&together), None);
    assert_eq!(tlb.walks(), [of(1, 7)]);
    tlb.forget(of(2, 7));
    let woken = answer(&mut tlb, of(1, 7), 512, false, false);
    assert_eq!(woken, Some((of(1, 7), false)));
    assert_eq!(tlb.read(of(1, 0)), Hit(512));
}

/// G4.
#[test]
fn large_page_that_was_used_longest_ago_is_replaced() {
    let mut tlb = Tlb::new(DESIGN);
    for large in 0..ENTRIES {
        load(&mut tlb, of(large, 1), large as u32 * 512);
    }
    // A use, and a fill of one that is here: neither 0 nor 1 is the oldest now.
    assert_eq!(tlb.read(of(0, 0)), Hit(0));
    tlb.forget(of(5, 0));
    load(&mut tlb, of(5, 0), 5 * 512);
    tlb.read(of(1, 3));
    load(&mut tlb, of(ENTRIES, 1), 0x1000);
    assert_eq!(tlb.read(of(2, 0)), Miss);
    for large in (0..ENTRIES).filter(|large| *large != 2) {
        assert_eq!(tlb.read(of(large, 2)), Hit(large as u32 * 512 + 2));
    }
}

/// G4: the pages in the ways stay, and so do large pages when a way is filled.
#[test]
fn large_pages_and_pages_do_not_replace_each_other() {
    let mut tlb = Tlb::new(DESIGN);
    for number in 0..128 {
        tlb.load(of(100, number), number as u32);
    }
    for large in 0..ENTRIES {
        load(&mut tlb, of(large, 0), large as u32 * 512);
    }
    for number in 0..128 {
        assert_eq!(tlb.read(of(100, number)), Hit(number as u32));
    }
    for number in 0..256 {
        tlb.load(of(101, number), number as u32);
    }
    for large in 0..ENTRIES {
        assert_eq!(tlb.read(of(large, 511)), Hit(large as u32 * 512 + 511));
    }
}

/// The large entry answers where both have the page, and the way where the large entry is gone.
#[test]
fn large_entry_goes_before_the_way() {
    let mut tlb = Tlb::new(DESIGN);
    tlb.load(of(1, 0), 77);
    load(&mut tlb, of(1, 5), 512);
    assert_eq!(tlb.read(of(1, 0)), Hit(512));
    tlb.forget(of(1, 6));
    assert_eq!(tlb.read(of(1, 0)), Hit(77));
    tlb.forget(of(1, 0));
    assert_eq!(tlb.read(of(1, 0)), Miss);
}

/// G9.
#[test]
fn write_of_a_large_page_needs_its_right_and_finds_no_clean_one() {
    let mut tlb = Tlb::new(DESIGN);
    load(&mut tlb, of(1, 0), 512);
    assert_eq!(
        [tlb.write(of(1, 1)), tlb.read(of(1, 1))],
        [Denied, Hit(513)]
    );
    tlb.miss(of(2, 0));
    answer(&mut tlb, of(2, 0), 1024, true, true);
    assert_eq!(
        [tlb.read(of(2, 1)), tlb.write(of(2, 1)), tlb.read(of(2, 2))],
        [Hit(1025), Miss, Miss]
    );
    assert_eq!(tlb.walks(), [of(2, 1), of(2, 2)]);
    answer(&mut tlb, of(2, 1), 1025, true, false);
    assert_eq!(tlb.write(of(2, 3)), Hit(1027));
    // A page of a way that is not clean answers for a clean large page.
    tlb.miss(of(3, 0));
    let writable = Inputs {
        fill_writable: true,
        ..fill(of(3, 0), 0, 9)
    };
    tlb.answer_walk(&writable);
    tlb.miss(of(3, 1));
    answer(&mut tlb, of(3, 1), 1536, true, true);
    assert_eq!(
        [tlb.read(of(3, 0)), tlb.write(of(3, 0)), tlb.read(of(3, 1))],
        [Hit(1536), Hit(9), Miss]
    );
}

/// G10.
#[test]
fn absent_page_that_a_large_page_covers_is_no_fault() {
    let mut tlb = Tlb::new(DESIGN);
    tlb.report_faults = true;
    tlb.miss(of(1, 0));
    tlb.far(of(1, 0));
    assert_eq!(tlb.read(of(1, 0)), Fault);
    load(&mut tlb, of(1, 1), 512);
    assert_eq!(tlb.read(of(1, 0)), Hit(512));
    tlb.forget(of(1, 1));
    assert_eq!(tlb.read(of(1, 0)), Fault);
}

/// A check in the cycle of the large page's fill is a miss, and is woken after it.
#[test]
fn large_fill_acts_as_one_of_its_page() {
    let mut tlb = Tlb::new(DESIGN);
    tlb.miss(of(1, 0));
    let both = Inputs {
        check_valid: true,
        check_vpn: of(1, 0).vpn,
        ..fill(of(1, 0), LARGE, 512)
    };
    tlb.cycle(&both);
    let answered = tlb.rest();
    assert!(answered.answer_valid && !answered.answer_hit);
    assert_eq!(wake(&tlb.rest()), Some((of(1, 0), false)));
    let next = tlb.cycle(&check(of(1, 0)));
    assert!(!next.answer_valid);
    assert_eq!(tlb.read(of(1, 0)), Hit(512));
}
