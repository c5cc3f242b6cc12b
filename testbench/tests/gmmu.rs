//! Contract tests of the GMMU. Each is named for a guarantee of its page.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use faultline_sim::mmu::fault_buffer::{Kind as Command, control, register, status};
use faultline_sim::mmu::gmmu::Inputs;
use faultline_sim::ports::Model;
use faultline_sim::sm::l1_tlb::{CANCELLED, DENIED, FAR, LARGE, NACK, TRANSLATION};
use faultline_sim::walk::{ACCESSED, DIRTY, PAGE_SIZE, PRESENT, USER, WRITABLE};
use faultline_testbench::answers;
use faultline_testbench::backend::Kind;
use faultline_testbench::blocks::{self, Gmmu as Block};
use faultline_testbench::driver::Machine;
use faultline_testbench::support;
use faultline_testbench::support::gmmu::{Gmmu, OPEN};
use faultline_testbench::traffic::Traffic;

#[test]
fn matches_model() {
    support::matches_model("gmmu");
}

/// G1, G2.
#[test]
fn translation_comes_from_a_walk_and_then_from_the_l2_tlb() {
    let mut gmmu = Gmmu::new("8");
    gmmu.map(1, 0x8_1234_5678, 0xABC, OPEN & !DIRTY);
    let response = gmmu.answer(3, 1, 0x8_1234_5678, false);
    assert_eq!((response.kind, response.pfn), (TRANSLATION, 0xABC));
    assert!(response.writable && response.clean);
    assert_eq!(gmmu.reads, 4);
    let response = gmmu.answer(12, 1, 0x8_1234_5678, false);
    assert_eq!((response.kind, response.pfn), (TRANSLATION, 0xABC));
    assert!(response.writable && response.clean);
    assert_eq!(gmmu.reads, 4, "a hit reads nothing");
    let near = gmmu.answer(0, 1, 0x8_1234_5679, false);
    assert_eq!(near.kind, FAR);
    assert_eq!(
        gmmu.reads,
        5 + 4,
        "the cache has the upper levels, and a fault does not believe it"
    );
    let next = gmmu.entry(1, 0x8_1234_567A, 1);
    gmmu.memory.0.insert(next, 9 << 12 | OPEN);
    assert_eq!(gmmu.answer(0, 1, 0x8_1234_567A, false).pfn, 9);
    assert_eq!(gmmu.reads, 10, "it keeps what it was given last");
}

/// G2: without the L2 TLB each request is walked.
#[test]
fn l2_tlb_that_is_off_keeps_nothing() {
    let mut gmmu = Gmmu::new("8");
    gmmu.inputs.shared_tlb = false;
    gmmu.map(0, 5, 6, OPEN);
    for _ in 0..3 {
        assert_eq!(gmmu.answer(0, 0, 5, false).pfn, 6);
    }
    assert_eq!(gmmu.reads, 4 + 1 + 1);
}

/// G1: those that request one page at the same time receive it at the same time.
#[test]
fn walks_of_one_page_are_merged_over_sms() {
    let mut gmmu = Gmmu::new("8");
    gmmu.latency = 200;
    gmmu.map(0, 5, 6, OPEN);
    for sm in 0..16 {
        gmmu.request(sm, 0, 5, false);
    }
    gmmu.until("all answers", |gmmu| gmmu.responses.len() == 16);
    assert!(
        gmmu.responses
            .iter()
            .all(|response| response.cycle == gmmu.responses[0].cycle)
    );
    assert_eq!(gmmu.reads, 4);
}

/// G3.
#[test]
fn denials_are_reported_and_are_not_replayable() {
    let mut gmmu = Gmmu::new("8");
    gmmu.map(0, 1, 7, OPEN & !USER);
    gmmu.map(0, 2, 8, OPEN & !WRITABLE);
    gmmu.map(0, 3, 9, OPEN | 1 << 45);
    let response = gmmu.answer(1, 0, 1, false);
    assert_eq!((response.kind, response.pfn), (DENIED, 0));
    // It may be read, and the L1 TLB denies the write.
    let response = gmmu.answer(2, 0, 2, true);
    assert_eq!(
        (response.kind, response.pfn, response.writable),
        (TRANSLATION, 8, false)
    );
    assert_eq!(gmmu.answer(3, 0, 3, false).kind, DENIED);
    gmmu.steps(200);
    let records = gmmu.records();
    let seen: Vec<_> = records
        .iter()
        .map(|record| {
            (
                record.vpn,
                record.cause,
                record.requesters,
                record.replayable,
            )
        })
        .collect();
    let denied = |page, cause, sm: u32| (page, cause, 1 << sm, false);
    assert_eq!(seen, [denied(1, 4, 1), denied(2, 4, 2), denied(3, 3, 3)]);
    assert_eq!(records[1].access, 5, "a user's write");
    assert_eq!(gmmu.last.held, 0);
    let reads = gmmu.reads;
    assert_eq!(gmmu.answer(9, 0, 2, false).pfn, 8);
    assert_eq!(gmmu.reads, reads, "the L2 TLB has what may be read");
}

/// G11: other SMs request denied pages without end, and the driver reads what is reported as it comes.
#[test]
fn far_fault_is_reported_beside_denials_without_end() {
    for latency in 1..=12 {
        let mut gmmu = Gmmu::fast("8");
        gmmu.latency = latency;
        let denied = gmmu.entry(0, 1 << 27, 4);
        gmmu.memory.0.insert(denied, OPEN | 1 << 45);
        for (sm, number) in (1..16).flat_map(|sm| (0..60).map(move |number| (sm, number))) {
            gmmu.request(sm, 0, 1 << 27 | (sm as u64) << 9 | number, false);
        }
        gmmu.steps(200 + latency as usize);
        gmmu.request(0, 0, 5, false);
        let mut held = None;
        while !gmmu.records().iter().any(|record| record.vpn == 5) {
            gmmu.steps(20);
            if held.is_none() && gmmu.responses.iter().any(|response| response.sm == 0) {
                held = Some(gmmu.cycle);
            }
            let waiting: usize = gmmu.requests.iter().map(|queue| queue.len()).sum();
            assert!(waiting > 100, "there are no denials any more");
            let is_late = held.is_some_and(|held| gmmu.cycle > held + 200);
            assert!(!is_late, "no report, latency {latency}");
        }
    }
}

/// G3: software sets accessed and dirty bits.
#[test]
fn clear_accessed_and_dirty_bits_are_far_faults_without_updates() {
    let mut gmmu = Gmmu::new("8");
    gmmu.map(0, 1, 7, OPEN & !ACCESSED);
    gmmu.map(0, 2, 8, OPEN & !DIRTY);
    assert_eq!(gmmu.answer(0, 0, 1, false).kind, FAR);
    let response = gmmu.answer(0, 0, 2, true);
    assert_eq!((response.kind, response.place), (FAR, 1));
    gmmu.steps(200);
    let causes: Vec<_> = gmmu.records().iter().map(|record| record.cause).collect();
    assert_eq!(causes, [5, 6]);
}

/// The walker sets them.
#[test]
fn updates_reach_memory() {
    let mut gmmu = Gmmu::new("8_updates");
    gmmu.map(0, 1, 7, PRESENT | WRITABLE | USER);
    let response = gmmu.answer(0, 0, 1, false);
    assert_eq!((response.kind, response.clean), (TRANSLATION, true));
    // The L2 TLB has a clean page: a write is walked.
    let response = gmmu.answer(0, 0, 1, true);
    assert_eq!((response.kind, response.clean), (TRANSLATION, false));
    let word = gmmu.entry(0, 1, 1);
    assert_eq!(gmmu.load(word), 7 << 12 | OPEN);
}

/// G4.
#[test]
fn resolved_page_wakes_those_who_wait() {
    let mut gmmu = Gmmu::new("8");
    for sm in [2, 5] {
        assert_eq!(gmmu.answer(sm, 0, 77, false).kind, FAR);
    }
    gmmu.steps(100);
    let records = gmmu.records();
    assert_eq!(records.len(), 1, "one page is one record");
    gmmu.bring(&records[0]);
    gmmu.command(Command::ResolveVa, 0, 0, 77);
    gmmu.until("a resolution", |gmmu| gmmu.resolved.len() == 2);
    gmmu.steps(100);
    let to: Vec<_> = gmmu
        .resolved
        .iter()
        .map(|&(_, sm, page, _)| (sm, page))
        .collect();
    assert_eq!(to, [(2, 77), (5, 77)]);
    assert_eq!(gmmu.last.held, 0);
    let reads = gmmu.reads;
    assert_eq!(gmmu.answer(2, 0, 77, false).kind, TRANSLATION);
    assert_eq!(gmmu.reads, reads, "that walk has filled the L2 TLB");
}

/// G4: resolutions page by page do not wait for each other's walks.
#[test]
fn pages_that_are_resolved_one_by_one_are_walked_at_once() {
    let mut gmmu = Gmmu::new("8");
    for sm in 0..6 {
        assert_eq!(gmmu.answer(sm, 0, sm as u64, false).kind, FAR);
        gmmu.map(0, sm as u64, 9, OPEN);
    }
    gmmu.latency = 500;
    let start = gmmu.cycle;
    for page in 0..6 {
        gmmu.command(Command::ResolveVa, 0, 0, page);
    }
    gmmu.until("six resolutions", |gmmu| gmmu.resolved.len() == 6);
    // The tables above have been kept: each walk waits for memory once.
    let (first, last) = (gmmu.resolved[0].0, gmmu.resolved[5].0);
    assert!(first >= start + 500 && last < start + 700, "{first} {last}");
}

/// G4: a page is resolved before it is there, and again while the walk of that is under way, in any cycle of it.
#[test]
fn second_resolution_is_not_answered_by_the_walk_of_the_first() {
    for wait in 0..60 {
        let mut gmmu = Gmmu::fast("8");
        gmmu.map(0, 78, 5, OPEN);
        assert_eq!(gmmu.answer(2, 0, 77, false).kind, FAR);
        gmmu.latency = 40;
        gmmu.command(Command::ResolveVa, 0, 0, 77);
        gmmu.steps(wait);
        gmmu.map(0, 77, 6, OPEN);
        gmmu.command(Command::ResolveVa, 0, 0, 77);
        gmmu.steps(300);
        assert_eq!(gmmu.resolved.len(), 1, "{wait} cycles after the first one");
        assert_eq!(gmmu.last.held, 0);
    }
}

/// G4: an SM's walk of the page is under way that has read the entry before it was written.
#[test]
fn resolution_is_not_answered_by_a_walk_from_before_it() {
    for wait in 0..60 {
        let mut gmmu = Gmmu::fast("8");
        gmmu.map(0, 78, 5, OPEN);
        assert_eq!(gmmu.answer(2, 0, 77, false).kind, FAR);
        gmmu.latency = 40;
        gmmu.request(5, 0, 77, false);
        gmmu.steps(wait);
        gmmu.map(0, 77, 6, OPEN);
        gmmu.command(Command::StartAckAll, 0, 0, 0);
        gmmu.steps(40);
        let woken = gmmu.resolved.iter().any(|response| response.1 == 2);
        assert!(
            woken,
            "the page was brought {wait} cycles after the second request"
        );
        // The other SM found the page, or waits for it as a new fault.
        let response = gmmu.responses.iter().find(|response| response.sm == 5);
        let held = gmmu.last.held == 1;
        let kind = response.expect("SM 5 receives a response").kind;
        assert!(kind == TRANSLATION || kind == FAR && (held || gmmu.resolved.len() == 2));
    }
}

/// G4: what only the supervisor may read is in no TLB.
#[test]
fn supervisors_page_that_a_resolution_found_is_not_kept() {
    let mut gmmu = Gmmu::new("8");
    assert_eq!(gmmu.answer(2, 0, 77, false).kind, FAR);
    gmmu.map(0, 77, 5, OPEN & !USER);
    gmmu.command(Command::StartAckAll, 0, 0, 0);
    gmmu.steps(5);
    for sm in [2, 3] {
        let response = gmmu.answer(sm, 0, 77, false);
        assert_eq!((response.kind, response.pfn), (DENIED, 0));
    }
}

/// G4: a page that was brought with rights that forbid it ends the wait all the same.
#[test]
fn resolved_page_that_is_denied_wakes_too() {
    let mut gmmu = Gmmu::new("8");
    assert_eq!(gmmu.answer(2, 0, 77, false).kind, FAR);
    gmmu.map(0, 77, 5, OPEN & !USER);
    gmmu.command(Command::StartAckAll, 0, 0, 0);
    gmmu.steps(5);
    assert_eq!(gmmu.resolved.len(), 1);
    assert_eq!(gmmu.answer(2, 0, 77, false).kind, DENIED);
}

/// G4, G8.
#[test]
fn cancelled_waiters_are_denied() {
    let mut gmmu = Gmmu::new("8");
    for (sm, page) in [(0, 10), (1, 10), (1, 11), (2, 12)] {
        assert_eq!(gmmu.answer(sm, 0, page, false).kind, FAR);
    }
    gmmu.responses.clear();
    gmmu.command(Command::CancelTargeted, 1, 0, 0);
    let denied: Vec<_> = gmmu
        .responses
        .iter()
        .map(|response| (response.sm, response.vpn, response.kind))
        .collect();
    assert_eq!(denied, [(1, 10, CANCELLED), (1, 11, CANCELLED)]);
    gmmu.command(Command::CancelVa, 0, 0, 12);
    gmmu.steps(20);
    assert_eq!(
        gmmu.responses
            .last()
            .map(|response| (response.sm, response.vpn)),
        Some((2, 12))
    );
    gmmu.command(Command::CancelGlobal, 0, 0, 0);
    assert_eq!(
        gmmu.responses
            .last()
            .map(|response| (response.sm, response.vpn)),
        Some((0, 10))
    );
    assert_eq!((gmmu.last.held, gmmu.responses.len()), (0, 4));
    assert!(gmmu.resolved.is_empty());
}

/// With regions of 64 KB each page of a region is named.
#[test]
fn region_is_resolved_and_denied_page_by_page() {
    let mut gmmu = Gmmu::new("8");
    gmmu.inputs.region = true;
    for (sm, page) in [(0, 0x33), (4, 0x3C), (7, 0x51)] {
        assert_eq!(gmmu.answer(sm, 0, page, false).kind, FAR);
    }
    assert_eq!(gmmu.last.held, 2);
    gmmu.map(0, 0x33, 9, OPEN);
    gmmu.command(Command::StartAckAll, 0, 0, 0);
    gmmu.steps(40);
    for sm in [0, 4] {
        let pages = gmmu
            .resolved
            .iter()
            .filter(|response| response.1 == sm)
            .map(|response| response.2);
        assert!(pages.eq(0x30..0x40), "SM {sm}");
    }
    assert_eq!((gmmu.resolved.len(), gmmu.last.held), (32, 1));
    gmmu.responses.clear();
    gmmu.command(Command::CancelGlobal, 0, 0, 0);
    gmmu.steps(40);
    let pages = gmmu
        .responses
        .iter()
        .map(|response| (response.sm, response.kind, response.vpn));
    assert!(pages.eq((0x50..0x60).map(|page| (7, CANCELLED, page))));
    assert_eq!(gmmu.last.held, 0);
}

/// G1: a region is cancelled while the SM walks another page of it, in any cycle of the walk.
#[test]
fn cancelled_region_is_no_answer_to_a_walk() {
    for moment in 0..60 {
        let mut gmmu = Gmmu::fast("8");
        gmmu.inputs.region = true;
        gmmu.map(0, 0x35, 9, OPEN);
        assert_eq!(gmmu.answer(3, 0, 0x33, false).kind, FAR);
        gmmu.responses.clear();
        gmmu.request(3, 0, 0x35, false);
        gmmu.steps(moment);
        gmmu.command(Command::CancelVa, 0, 0, 0x33);
        gmmu.steps(200);
        let mut kinds: Vec<_> = gmmu
            .responses
            .iter()
            .filter(|response| response.vpn == 0x35)
            .map(|response| response.kind)
            .collect();
        kinds.sort_unstable();
        assert_eq!(kinds, [TRANSLATION, CANCELLED], "moment {moment}");
    }
}

/// G5.
#[test]
fn far_faults_are_not_held_without_room_for_their_records() {
    let mut gmmu = Gmmu::new("8");
    gmmu.start(4);
    assert_eq!(gmmu.answer(0, 0, 1, false).kind, FAR);
    assert_eq!(gmmu.answer(1, 0, 2, false).kind, FAR);
    gmmu.steps(100);
    assert_eq!(gmmu.answer(2, 0, 3, false).kind, NACK);
    assert_eq!(gmmu.last.held, 2);
    assert_eq!(gmmu.read(register::TURNED_AWAY), 1);
    assert_ne!(gmmu.read(register::STATUS) & status::OVERFLOW, 0);
    // Translations and denials go on.
    gmmu.map(0, 9, 9, OPEN);
    assert_eq!(gmmu.answer(3, 0, 9, false).kind, TRANSLATION);
    assert_eq!(gmmu.records().len(), 2);
    assert_eq!(gmmu.answer(2, 0, 3, false).kind, NACK, "OVERFLOW is set");
    gmmu.write(register::CLEAR, 1);
    assert_eq!(gmmu.answer(2, 0, 3, false).kind, FAR);
    // An SM may have so many, and requests those again.
    gmmu.inputs.far_limit = 1;
    assert_eq!(gmmu.answer(2, 0, 4, false).kind, NACK);
    assert_eq!(gmmu.answer(2, 0, 3, false).kind, FAR);
}

/// G6.
#[test]
fn premature_resolution_wakes_nobody() {
    let mut gmmu = Gmmu::new("8");
    assert_eq!(gmmu.answer(0, 0, 1, false).kind, FAR);
    assert_eq!(gmmu.answer(0, 0, 2, false).place, 1);
    gmmu.map(0, 1, 5, OPEN);
    gmmu.command(Command::StartAckAll, 0, 0, 0);
    gmmu.steps(50);
    let resolved: Vec<_> = gmmu.resolved.iter().map(|response| response.2).collect();
    assert_eq!((resolved, gmmu.last.held), (vec![1], 1));
    assert_eq!(
        gmmu.answer(3, 0, 2, false).place,
        1,
        "its place is as it was"
    );
    gmmu.steps(200);
    let pages: Vec<_> = gmmu.records().iter().map(|record| record.vpn).collect();
    assert_eq!(pages, [1, 2, 2], "it is reported again");
}

/// G6: a write waits for the dirty bit, whatever else the driver has brought.
#[test]
fn resolution_without_the_dirty_bit_wakes_no_write() {
    let mut gmmu = Gmmu::new("8");
    gmmu.map(0, 1, 7, OPEN & !DIRTY);
    assert_eq!(gmmu.answer(0, 0, 1, true).kind, FAR);
    for _ in 0..3 {
        gmmu.command(Command::StartAckAll, 0, 0, 0);
    }
    gmmu.steps(50);
    assert_eq!((gmmu.resolved.len(), gmmu.last.held), (0, 1));
    assert_eq!(gmmu.records().len(), 1 + 3, "each walk missed it");
    gmmu.map(0, 1, 7, OPEN);
    gmmu.command(Command::StartAckAll, 0, 0, 0);
    gmmu.steps(50);
    assert_eq!((gmmu.resolved.len(), gmmu.last.held), (1, 0));
    let response = gmmu.answer(0, 0, 1, true);
    assert_eq!((response.kind, response.clean), (TRANSLATION, false));
}

/// G6: what a driver has flushed from its ring without reading it comes again after START.
#[test]
fn start_reports_again_what_is_still_absent() {
    let mut gmmu = Gmmu::fast("8");
    gmmu.inputs.far_limit = 31;
    for page in 0..31 {
        assert_eq!(gmmu.answer(0, 0, page << 9, false).kind, FAR);
    }
    gmmu.steps(200);
    let put = gmmu.read(register::PUT);
    gmmu.write(register::GET, put);
    gmmu.command(Command::Start, 0, 0, 0);
    gmmu.steps(2000);
    let mut pages: Vec<_> = gmmu
        .records()
        .iter()
        .map(|record| record.vpn >> 9)
        .collect();
    pages.sort_unstable();
    assert!(pages.into_iter().eq(0..31));
    // A ring without room loses a report, which another START brings.
    gmmu.start(4);
    gmmu.command(Command::Start, 0, 0, 0);
    gmmu.steps(2000);
    assert!(gmmu.records().len() < 4);
    assert!(gmmu.read(register::TURNED_AWAY) > 20);
    assert_ne!(gmmu.read(register::STATUS) & status::OVERFLOW, 0);
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..40 {
        gmmu.write(register::CLEAR, 1);
        gmmu.command(Command::Start, 0, 0, 0);
        for _ in 0..100 {
            gmmu.steps(10);
            for record in gmmu.records() {
                seen.insert(record.vpn);
                gmmu.bring(&record);
            }
            gmmu.write(register::CLEAR, 1);
        }
    }
    gmmu.until("every page", |gmmu| gmmu.last.held == 0);
    assert_eq!(seen.len(), 31);
}

/// G3: SM 1 writes a page that SM 0 waits to read. A second record reports the write.
#[test]
fn write_behind_a_read_is_recorded() {
    let mut gmmu = Gmmu::new("8");
    assert_eq!(gmmu.answer(0, 0, 5, false).kind, FAR);
    assert_eq!(gmmu.answer(1, 0, 5, true).kind, FAR);
    gmmu.steps(200);
    let seen: Vec<_> = gmmu
        .records()
        .iter()
        .map(|record| (record.vpn, record.access, record.requesters))
        .collect();
    assert_eq!(seen, [(5, 4, 1), (5, 5, 2)]);
}

/// G2: SMs that keep large pages learn which pages are large ones, from a walk and from the L2 TLB.
#[test]
fn translation_of_a_large_page_is_one_if_sms_keep_them() {
    for level in 1..=3 {
        let mut gmmu = Gmmu::new("8");
        let first = 5 << (9 * (level - 1));
        let word = gmmu.entry(0, first, level);
        let rights = if level == 1 { OPEN } else { OPEN | PAGE_SIZE };
        gmmu.memory.0.insert(word, first << 12 | rights);
        gmmu.map(0, 6 << 18, 7, OPEN);
        for large_fills in [true, false, true] {
            gmmu.inputs.large_fills = large_fills;
            let kind = if large_fills && level > 1 {
                LARGE
            } else {
                TRANSLATION
            };
            for sm in [3, 9] {
                let response = gmmu.answer(sm, 0, first, false);
                assert_eq!((response.kind, u64::from(response.pfn)), (kind, first));
            }
            assert_eq!(gmmu.answer(4, 0, 6 << 18, false).kind, TRANSLATION);
        }
        assert_eq!(gmmu.answer(4, 0, 7 << 18, false).kind, FAR);
    }
}

/// G3: with the setting, a write to a page that may only be read is a far fault. An L1 TLB that has the page received it as
/// clean, and so requests it again for the write.
#[test]
fn write_to_a_read_only_page_is_replayable_by_a_setting() {
    let mut gmmu = Gmmu::new("8");
    let set = control::ENABLED | control::REPLAY_WRITES;
    gmmu.write(register::CONTROL, set);
    gmmu.map(0, 2, 8, OPEN & !WRITABLE);
    gmmu.map(0, 3, 8, OPEN & !WRITABLE & !USER);
    for _ in 0..2 {
        let response = gmmu.answer(0, 0, 2, false);
        assert_eq!(
            (response.kind, response.writable, response.clean),
            (TRANSLATION, false, true)
        );
    }
    assert_eq!(gmmu.answer(1, 0, 2, true).kind, FAR);
    assert_eq!(gmmu.answer(2, 0, 3, true).kind, DENIED);
    gmmu.command(Command::StartAckAll, 0, 0, 0);
    gmmu.steps(200);
    let seen: Vec<_> = gmmu
        .records()
        .iter()
        .map(|record| (record.vpn, record.cause, record.replayable))
        .collect();
    assert_eq!(seen, [(2, 4, true), (3, 4, false), (2, 4, true)]);
    assert_eq!((gmmu.resolved.len(), gmmu.last.held), (0, 1));
    gmmu.map(0, 2, 9, OPEN);
    gmmu.command(Command::StartAckAll, 0, 0, 0);
    gmmu.steps(50);
    assert_eq!((gmmu.resolved.len(), gmmu.last.held), (1, 0));
    let response = gmmu.answer(1, 0, 2, true);
    assert_eq!(
        (response.kind, response.pfn, response.writable),
        (TRANSLATION, 9, true)
    );
}

/// G2: a right that was missing at any level is found as soon as it is there, without an invalidation.
#[test]
fn right_that_a_fault_missed_is_found_when_it_is_there() {
    for level in 1..=4 {
        for right in [WRITABLE, USER] {
            let mut gmmu = Gmmu::new("8");
            gmmu.map(0, 5, 6, OPEN);
            let word = gmmu.entry(0, 5, level);
            let entry = gmmu.memory.0[&word];
            gmmu.memory.0.insert(word, entry & !right);
            for sm in [1, 2] {
                let response = gmmu.answer(sm, 0, 5, true);
                assert!(response.kind == DENIED || !response.writable);
            }
            gmmu.memory.0.insert(word, entry);
            for sm in [1, 3] {
                let response = gmmu.answer(sm, 0, 5, true);
                assert_eq!((response.kind, response.writable), (TRANSLATION, true));
            }
        }
    }
}

/// Turns the entry of a page at a level to a new table, in which this page alone is mapped.
fn turn(gmmu: &mut Gmmu, level: u8, page: u64, pfn: u64, tables: u64) {
    let mut word = gmmu.entry(0, page, level);
    for below in (1..level).rev() {
        let table = tables + u64::from(below);
        gmmu.memory.0.insert(word, table << 12 | OPEN);
        word = table << 9 | page >> (9 * (below - 1)) & 511;
    }
    gmmu.memory.0.insert(word, pfn << 12 | OPEN);
}

/// G2: the cache leads to a table that has not got the page, and software turns its entry to one that has, without an
/// invalidation; after the fault was reported, or before. Then no SM receives the old one.
#[test]
fn table_that_a_fault_missed_is_found_when_it_is_there() {
    for level in 2..=4 {
        for (leaf, faults) in [(0, FAR), (8 << 12 | OPEN & !USER, DENIED)] {
            let mut gmmu = Gmmu::new("8");
            gmmu.map(0, 4, 7, OPEN);
            assert_eq!(gmmu.answer(0, 0, 4, false).pfn, 7);
            let word = gmmu.entry(0, 5, 1);
            gmmu.memory.0.insert(word, leaf);
            for sm in [1, 2] {
                assert_eq!(gmmu.answer(sm, 0, 5, false).kind, faults);
            }
            for (sm, pfn) in [(1, 9), (3, 10)] {
                gmmu.inputs.shared_tlb = false;
                turn(&mut gmmu, level, 5, pfn, 0x4000 + 16 * pfn);
                let response = gmmu.answer(sm, 0, 5, false);
                assert_eq!((response.kind, response.pfn), (TRANSLATION, pfn as u32));
                // The old table again has nothing for it, and its entry is what is kept now.
                let word = (0x4000 + 16 * pfn + 1) << 9 | 5;
                gmmu.memory.0.insert(word, leaf);
            }
        }
    }
}

/// G2, G4: the same for the walks of a resolution.
#[test]
fn resolution_finds_a_table_that_the_fault_missed() {
    for level in 2..=4 {
        for command in [Command::StartAckAll, Command::ResolveVa] {
            let mut gmmu = Gmmu::new("8");
            gmmu.map(0, 4, 7, OPEN);
            assert_eq!(gmmu.answer(0, 0, 4, false).pfn, 7);
            assert_eq!(gmmu.answer(1, 0, 5, false).kind, FAR);
            // Another page brings the entries into the cache again, as they are.
            gmmu.map(0, 3, 8, OPEN);
            assert_eq!(gmmu.answer(2, 0, 3, false).pfn, 8);
            turn(&mut gmmu, level, 5, 9, 0x4000);
            gmmu.command(command, 0, 0, 5);
            gmmu.until("a resolution", |gmmu| !gmmu.resolved.is_empty());
            assert_eq!((gmmu.resolved[0].1, gmmu.resolved[0].2), (1, 5));
            gmmu.steps(20);
            assert_eq!(gmmu.last.held, 0);
            let response = gmmu.answer(1, 0, 5, false);
            assert_eq!((response.kind, response.pfn), (TRANSLATION, 9));
        }
    }
}

/// G1: invalidations that follow each other at once, or with some cycles between, keep no SM waiting.
#[test]
fn invalidations_without_end_keep_nobody_waiting() {
    for (latency, gap, scope) in [(300, 0, 2), (200, 0, 0), (300, 100, 0), (300, 400, 1)] {
        let mut gmmu = Gmmu::fast("8");
        gmmu.latency = latency;
        gmmu.map(0, 5, 6, OPEN);
        for sm in 0..16 {
            gmmu.map(0, sm << 27, 7 + sm, OPEN);
            gmmu.request(sm as usize, 0, sm << 27, false);
        }
        gmmu.steps(500);
        let (since, mut acknowledged) = (gmmu.cycle, 0);
        while gmmu.responses.len() < 16 {
            gmmu.invalidate(scope, 0, 5);
            gmmu.steps(gap);
            acknowledged += 1;
            let waited = gmmu.cycle - since;
            assert!(
                waited < 40 * latency,
                "after {acknowledged} of scope {scope}"
            );
        }
    }
}

/// G10: one SM reads pages that are there, while all others request without end pages that are denied or absent; memory is
/// slow, and the driver reads what is reported as it comes.
#[test]
fn translations_go_on_beside_faults_without_end() {
    for absent in [false, true] {
        let mut gmmu = Gmmu::fast("8");
        (gmmu.latency, gmmu.write_latency) = (200, 300);
        gmmu.inputs.shared_tlb = false;
        if !absent {
            let denied = gmmu.entry(0, 1 << 27, 4);
            gmmu.memory.0.insert(denied, OPEN | 1 << 45);
        }
        for number in 0..12 {
            gmmu.map(0, number, 7 + number, OPEN);
        }
        for (sm, number) in (1..16).flat_map(|sm| (0..100).map(move |number| (sm, number))) {
            gmmu.request(sm, 0, 1 << 27 | (sm as u64) << 9 | number, false);
        }
        gmmu.steps(2000);
        let mut longest = 0;
        for number in 0..12 {
            let since = gmmu.cycle;
            gmmu.responses.clear();
            gmmu.request(0, 0, number, false);
            while !gmmu.responses.iter().any(|response| response.sm == 0) {
                gmmu.records();
                gmmu.steps(20);
                longest = longest.max(gmmu.cycle - since);
                assert!(longest < 2500, "{number}, absent {absent}");
            }
            let waiting: usize = gmmu.requests.iter().map(|queue| queue.len()).sum();
            assert!(waiting > 100, "there are no faults any more");
        }
    }
}

/// G1: nor do those of another space, while each SM always has a request, and half of them for addresses that are not canonical.
#[test]
fn invalidations_of_another_space_keep_nobody_waiting() {
    for (latency, odd, scope) in [(1, false, 1), (3, true, 1), (10, true, 0), (40, false, 0)] {
        let mut gmmu = Gmmu::fast("8");
        gmmu.latency = latency;
        gmmu.inputs.shared_tlb = false;
        for sm in 0..16 {
            gmmu.map(0, sm << 9, 7 + sm, OPEN);
        }
        gmmu.inputs.invalidate_valid = true;
        gmmu.inputs.invalidate_scope = scope;
        gmmu.inputs.invalidate_asid = 1;
        let (mut since, mut longest, mut acknowledged) = ([None; 16], 0, 0);
        for _ in 0..4_000 {
            for (sm, since) in since.iter_mut().enumerate() {
                let page = if odd && sm % 2 == 1 { 1 << 36 } else { 0 };
                if since.is_none() {
                    gmmu.request(sm, 0, page | (sm as u64) << 9, false);
                    *since = Some(gmmu.cycle);
                }
            }
            acknowledged += u32::from(gmmu.step().invalidate_ready);
            for response in std::mem::take(&mut gmmu.responses) {
                longest = longest.max(response.cycle - since[response.sm].take().unwrap());
            }
        }
        let waiting = since.iter().flatten().map(|since| gmmu.cycle - since);
        longest = waiting.fold(longest, u64::max);
        println!("{longest} cycles at most beside {acknowledged} invalidations of scope {scope}");
        assert!(
            longest < 1_000,
            "latency {latency}, odd {odd}, scope {scope}"
        );
    }
}

/// G7: at every cycle of a walk, and of a hit.
#[test]
fn invalidation_leaves_nothing_that_was_read_before() {
    for wait in 0..90 {
        let mut gmmu = Gmmu::fast("8");
        gmmu.map(0, 5, 6, OPEN);
        if wait % 2 == 1 {
            gmmu.answer(1, 0, 5, false);
        }
        gmmu.request(0, 0, 5, false);
        gmmu.steps(wait / 2);
        gmmu.map(0, 5, 7, OPEN);
        gmmu.invalidate((wait % 3) as u8, 0, 5);
        let done = gmmu.cycle;
        gmmu.request(2, 0, 5, false);
        gmmu.until("both answers", |gmmu| {
            [0, 2]
                .iter()
                .all(|sm| gmmu.responses.iter().any(|response| response.sm == *sm))
        });
        for response in gmmu
            .responses
            .iter()
            .filter(|response| response.cycle >= done)
        {
            assert_eq!(response.pfn, 7, "after {wait}: {response:?}");
        }
        let drop = gmmu.dropped.last().copied();
        let scope = ((wait % 3) as u8).max(1);
        assert_eq!(drop, Some((done - 1, scope, 0)), "in the last cycle");
    }
}

/// G7: a page of 4 KB stands for the large page that contains it.
#[test]
fn invalidation_of_a_page_takes_the_large_page_with_it() {
    let mut gmmu = Gmmu::new("8");
    let word = gmmu.entry(0, 0x400, 2);
    gmmu.memory.0.insert(word, 0x8000 << 12 | OPEN | PAGE_SIZE);
    assert_eq!(gmmu.answer(0, 0, 0x412, false).pfn, 0x8012);
    gmmu.memory.0.insert(word, 0x9000 << 12 | OPEN | PAGE_SIZE);
    gmmu.invalidate(0, 0, 0x5FF);
    assert_eq!(gmmu.answer(0, 0, 0x412, false).pfn, 0x9012);
}

/// G9.
#[test]
fn start_ack_all_waits_for_every_walk() {
    let mut gmmu = Gmmu::fast("8");
    for page in 0..8 {
        assert_eq!(
            gmmu.answer(page as usize * 2, 0, page << 30, false).kind,
            FAR
        );
    }
    for page in 0..8 {
        gmmu.map(0, page << 30, page, OPEN);
    }
    gmmu.latency = 300;
    gmmu.command(Command::Start, 0, 0, 0);
    assert!(gmmu.resolved.len() < 8, "START does not wait");
    gmmu.command(Command::StartAckAll, 0, 0, 0);
    assert_eq!((gmmu.resolved.len(), gmmu.last.held), (8, 0));
}

/// G9: the second of two resolutions of one page has a walk of its own.
#[test]
fn two_resolutions_of_a_page_are_two_walks() {
    let mut gmmu = Gmmu::fast("8");
    assert_eq!(gmmu.answer(0, 0, 5, false).kind, FAR);
    gmmu.latency = 300;
    gmmu.command(Command::ResolveVa, 0, 0, 5);
    gmmu.command(Command::ResolveVa, 0, 0, 5);
    gmmu.map(0, 5, 9, OPEN);
    gmmu.command(Command::StartAckAll, 0, 0, 0);
    assert_eq!((gmmu.resolved.len(), gmmu.last.held), (1, 0));
}

/// G10.
#[test]
fn silent_driver_holds_nobody_else_up() {
    let mut gmmu = Gmmu::fast("8");
    gmmu.start(3);
    gmmu.inputs.far_limit = 16;
    gmmu.map(0, 1 << 20, 7, OPEN & !USER);
    for round in 0..40 {
        let response = gmmu.answer(round % 16, 0, round as u64, false);
        assert!([FAR, NACK].contains(&response.kind));
        assert_eq!(gmmu.answer(round % 16, 0, 1 << 20, false).kind, DENIED);
        gmmu.map(1, round as u64, round as u64, OPEN);
        assert_eq!(
            gmmu.answer(round % 16, 1, round as u64, false).kind,
            TRANSLATION
        );
    }
    assert!(gmmu.read(register::DROPPED) > 0);
}

/// G1, G4, G10: under the random traffic, while driver and memory do what they like, every request is answered in time, once,
/// and no SM receives anything else. Reference and Verilog run in lockstep.
fn every_request_is_answered(config: &str, cycles: u64, region: bool) {
    let quick = |kind: &Kind| *kind != Kind::RustHdl;
    let kinds: Vec<_> = Kind::built().filter(quick).collect();
    let counts = answers::run(config, 7, cycles, region, &kinds, |_| ());
    let counts = counts.unwrap_or_else(|error| panic!("gmmu {config}: {error}"));
    let response = counts.translations + counts.denials + counts.far_faults + counts.nacks;
    assert_eq!(response + counts.waiting, counts.requests);
    let ended = counts.resolved + counts.cancelled;
    assert_eq!(ended + counts.held, counts.far_faults);
    for count in [
        counts.translations,
        counts.denials,
        counts.nacks,
        counts.resolved,
        counts.cancelled,
        counts.invalidations,
    ] {
        assert!(count > cycles / 20_000, "gmmu {config}: {counts:?}");
    }
    println!("gmmu {config}, {cycles} cycles: {counts:?}");
}

#[test]
fn every_request_is_answered_in_time() {
    const CONFIGS: [&str; 3] = ["8", "8_updates", "64"];
    support::test(file!(), "gmmu", CONFIGS).meet(|| {
        for config in CONFIGS {
            every_request_is_answered(config, 200_000, false);
            every_request_is_answered(config, 200_000, true);
        }
    });
}

#[test]
#[ignore = "a quarter of an hour in release"]
fn every_request_of_a_hundred_million_cycles_is_answered_in_time() {
    every_request_is_answered("64", 100_000_000, false);
}

/// Each bit of a space and of a frame of the least memory is seen clear and set, by all that distinguish spaces or frames.
#[test]
fn traffic_drives_every_bit_of_spaces_and_frames() {
    let parameters = <Block as blocks::Block>::parameters("64").unwrap();
    let mut traffic = <Block as blocks::Block>::traffic(parameters, 3);
    let mut model = faultline_sim::mmu::gmmu::Gmmu::new(parameters);
    let mut inputs = Inputs::default();
    let mut seen = support::Seen::default();
    for _ in 0..300_000 {
        traffic.drive(&model, &mut inputs);
        let outputs = model.cycle(&inputs);
        traffic.observe(&model, &inputs, &outputs);
        for sm in (0..16).filter(|sm| inputs.request_valid >> sm & 1 == 1) {
            seen.add("request_asid", inputs.request_asid[sm]);
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
    for (port, bits) in [
        ("request_asid", 8),
        ("root_asid", 8),
        ("invalidate_asid", 8),
        ("root_pfn", 28),
        ("response_data", 28),
    ] {
        seen.both(port, bits);
    }
}

/// G4, G5, G10: whenever the driver turns the buffer off while a far fault is under way, the fault is held and recorded, or the
/// SM receives a Nack, and no SM waits until it is on again.
#[test]
fn buffer_that_is_turned_off_holds_nobody_up() {
    let (mut held, mut nacks) = (0, 0);
    for delay in 50..150 {
        let mut gmmu = Gmmu::fast("8");
        gmmu.map(0, 9, 7, OPEN);
        gmmu.request(0, 0, 5, false);
        gmmu.steps(delay);
        gmmu.write(register::CONTROL, 0);
        assert_eq!(gmmu.answer(1, 0, 9, false).kind, TRANSLATION);
        assert_eq!(gmmu.answer(2, 0, 6, false).kind, NACK);
        gmmu.until("SM 0 receives a response", |gmmu| {
            gmmu.responses.iter().any(|response| response.sm == 0)
        });
        let response = gmmu
            .responses
            .iter()
            .find(|response| response.sm == 0)
            .unwrap();
        let far = response.kind == FAR;
        assert!(far || response.kind == NACK);
        gmmu.steps(100);
        assert_eq!(gmmu.records().len(), usize::from(far), "delay {delay}");
        held += usize::from(far);
        nacks += usize::from(!far);
    }
    assert!(held > 5 && nacks > 5, "{held} held, {nacks} turned away");
}

/// G10: with the buffer off nothing is held, and no SM waits for it.
#[test]
fn far_faults_are_turned_away_while_the_buffer_is_off() {
    let mut gmmu = Gmmu::new("8");
    gmmu.write(register::CONTROL, 0);
    assert_eq!(gmmu.answer(0, 0, 5, false).kind, NACK);
    assert_eq!(gmmu.answer(0, 0, 5, false).kind, NACK);
    assert_eq!(gmmu.read(register::TURNED_AWAY), 2);
}
