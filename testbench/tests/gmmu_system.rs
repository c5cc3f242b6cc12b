//! The GMMU under the L1 TLBs of 16 SMs, a memory full of tables, and a driver: every access comes to the end that the
//! tables give it. Reference and Verilog run together.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on panics

use std::collections::{BTreeSet, HashMap, VecDeque};

use faultline_sim::mmu::fault_buffer::{
    Command, GET_CLEARS, Kind as CommandKind, Record, control, register, status,
};
use faultline_sim::ports::Model;
use faultline_sim::sm::l1_tlb::{self, L1Tlb};
use faultline_sim::walk::{Access, Request, Rules, WRITABLE};
use faultline_testbench::driver::{Driver, Machine, Policy};
use faultline_testbench::support::gmmu::{Gmmu, OPEN, RING, ROOT};
use faultline_testbench::support::tables;
use faultline_testbench::sweep;
use faultline_testbench::traffic::Rng;

/// Cycles within which everything ends.
const PATIENCE: u64 = 1_000_000;

/// What a warp of an SM does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Wanted {
    vpn: u64,
    asid: u8,
    write: bool,
}

/// An SM: its TLB, and accesses that each wait for their page.
struct Sm {
    tlb: L1Tlb,
    inputs: l1_tlb::Inputs,
    ready: VecDeque<Wanted>,
    waiting: Vec<Wanted>,
    /// The access that the TLB looks at.
    checked: Option<Wanted>,
    done: usize,
}

/// Everything.
struct System {
    gmmu: Gmmu,
    sms: Vec<Sm>,
    rules: Rules,
    /// The page that is being moved, and the frames that it may have until that is done.
    moving: HashMap<(u8, u64), [u32; 2]>,
    denied: usize,
}

impl System {
    fn new(config: &str) -> Self {
        let sm = || Sm {
            tlb: L1Tlb::new(l1_tlb::Parameters::PAPER),
            inputs: l1_tlb::Inputs {
                far_limit: 4,
                report_faults: true,
                ..l1_tlb::Inputs::default()
            },
            ready: VecDeque::new(),
            waiting: Vec::new(),
            checked: None,
            done: 0,
        };
        let mut gmmu = Gmmu::fast(config);
        gmmu.latency = 60;
        Self {
            gmmu,
            sms: (0..16).map(|_| sm()).collect(),
            rules: Rules {
                levels: 4,
                physical_bits: 40,
                execute_disable: true,
                updates: config.ends_with("updates"),
            },
            moving: HashMap::new(),
            denied: 0,
        }
    }

    fn left(&self) -> usize {
        let of = |sm: &Sm| sm.ready.len() + sm.waiting.len() + usize::from(sm.checked.is_some());
        self.sms.iter().map(of).sum()
    }

    /// What the tables say now: a frame, or nothing.
    fn judged(&self, wanted: Wanted) -> Option<u32> {
        let address = (wanted.vpn << 28) as i64 >> 16;
        let request = Request {
            address: address as u64,
            access: if wanted.write {
                Access::Write
            } else {
                Access::Read
            },
            user: true,
        };
        let root = (ROOT + u64::from(wanted.asid)) << 12;
        let walk = self
            .rules
            .walk(&mut self.gmmu.memory.clone(), root, &request);
        walk.end.ok().map(|found| (found.physical >> 12) as u32)
    }

    fn step(&mut self) {
        for (sm, requests) in self.sms.iter_mut().zip(&mut self.gmmu.requests) {
            let before = sm.tlb.clone().cycle(&sm.inputs);
            sm.inputs.walk_ready = requests.is_empty();
            if before.walk_valid && requests.is_empty() {
                requests.push_back((before.walk_vpn, before.walk_asid, before.walk_write));
            }
        }
        let outputs = self.gmmu.step();
        self.gmmu.responses.clear();
        let mut answers = Vec::new();
        for (number, sm) in self.sms.iter_mut().enumerate() {
            let inputs = &mut sm.inputs;
            inputs.fill_valid = outputs.fill_valid >> number & 1 == 1;
            inputs.fill_kind = outputs.fill_kind[number] as u8;
            (inputs.fill_vpn, inputs.fill_asid) = (outputs.fill_vpn, outputs.fill_asid);
            inputs.fill_pfn = outputs.fill_pfn as u32;
            (inputs.fill_writable, inputs.fill_clean) = (outputs.fill_writable, outputs.fill_clean);
            inputs.resolve_valid = outputs.resolve_valid >> number & 1 == 1;
            inputs.resolve_vpn = outputs.resolve_vpn;
            inputs.resolve_asid = outputs.resolve_asid;
            inputs.invalidate_valid = outputs.drop_valid;
            inputs.invalidate_scope = outputs.drop_scope;
            inputs.invalidate_asid = outputs.drop_asid;
            let next = sm.ready.front().copied();
            inputs.check_valid = next.is_some();
            if let Some(next) = next {
                (inputs.check_vpn, inputs.check_asid) = (next.vpn, next.asid);
                inputs.check_write = next.write;
            }
            let shown = sm.tlb.cycle(inputs);
            if let Some(wanted) = sm.checked.take() {
                if shown.answer_hit || shown.answer_denied {
                    sm.done += 1;
                    let pfn = shown.answer_hit.then_some(shown.answer_pfn);
                    answers.push((number, wanted, pfn));
                } else {
                    sm.waiting.push(wanted);
                }
            }
            if inputs.check_valid && shown.check_ready {
                sm.checked = sm.ready.pop_front();
            }
            if shown.wake_valid {
                let (vpn, asid) = (shown.wake_vpn, shown.wake_asid);
                let woken = |wanted: &mut Wanted| {
                    shown.wake_all || (wanted.vpn == vpn && wanted.asid == asid)
                };
                sm.ready.extend(sm.waiting.extract_if(.., woken));
            }
        }
        for (number, wanted, pfn) in answers {
            self.judge(number, wanted, pfn);
        }
    }

    fn judge(&mut self, sm: usize, wanted: Wanted, pfn: Option<u32>) {
        self.denied += usize::from(pfn.is_none());
        let moving = self.moving.get(&(wanted.asid, wanted.vpn));
        if let (Some(pfns), Some(pfn)) = (moving, pfn) {
            assert!(pfns.contains(&pfn), "SM {sm}: {wanted:?} in {pfn:x}");
            return;
        }
        // Where the driver gave up a write of a clean page, the TLB denies reads of it too.
        let write = wanted.write || pfn.is_none();
        let judged = self.judged(Wanted { write, ..wanted });
        assert_eq!(
            pfn, judged,
            "cycle {}, SM {sm}: {wanted:?}",
            self.gmmu.cycle
        );
    }

    /// Runs until every access has ended, with a driver that serves each interrupt.
    fn run(&mut self, driver: &mut Driver) {
        let end = self.gmmu.cycle + PATIENCE;
        while self.left() > 0 {
            self.step();
            if self.gmmu.last.interrupts {
                driver.serve(self);
            }
            assert!(
                self.gmmu.cycle < end,
                "{} accesses have no end",
                self.left()
            );
        }
    }
}

impl Machine for System {
    fn read(&mut self, number: u8) -> u64 {
        self.gmmu.inputs.read_number = number;
        self.step();
        self.gmmu.last.read_data
    }

    fn write(&mut self, number: u8, data: u64) {
        self.gmmu.inputs.register_valid = true;
        (
            self.gmmu.inputs.register_number,
            self.gmmu.inputs.register_data,
        ) = (number, data);
        self.step();
        self.gmmu.inputs.register_valid = false;
    }

    fn load(&self, word: u64) -> u64 {
        self.gmmu.load(word)
    }

    fn store(&mut self, word: u64, data: u64) {
        self.gmmu.store(word, data);
    }

    fn bring(&mut self, record: &Record) {
        self.gmmu.bring(record);
    }
}

/// Accesses of each SM to pages that it shares with its neighbours, of which a driver has to bring each.
fn pages_are_brought(config: &str, policy: Policy, region: bool, records: u64) {
    let mut rng = Rng::new(5);
    let mut system = System::new(config);
    system.gmmu.inputs.region = region;
    let pages: Vec<_> = (0..120)
        .map(|number| {
            (
                ((number * 3) << (number % 3 * 9)) & 0xF_FFFF_FFFF,
                (number % 3) as u8,
            )
        })
        .collect();
    let mut requested = BTreeSet::new();
    for sm in 0..16 {
        for _ in 0..60 {
            let near = rng.below(30) as usize + sm * 6;
            let (vpn, asid) = pages[near % pages.len()];
            let write = rng.chance(100);
            requested.insert((asid, vpn));
            system.sms[sm].ready.push_back(Wanted { vpn, asid, write });
        }
    }
    system.gmmu.write(register::CONTROL, 0);
    let mut driver = Driver::new(policy, RING, records);
    driver.start(&mut system);
    system.run(&mut driver);
    assert_eq!(system.denied, 0);
    assert_eq!(system.gmmu.last.held, 0);
    assert!(system.sms.iter().all(|sm| sm.done == 60));
    let mut seen: Vec<_> = driver
        .seen
        .iter()
        .map(|record| (record.asid, record.vpn))
        .collect();
    seen.sort_unstable();
    // A page that a START finds absent still, or that is written behind a read, is reported again.
    seen.dedup();
    if region {
        assert!(seen.iter().all(|page| requested.contains(page)));
    } else {
        assert!(seen.iter().eq(&requested), "each page is reported");
    }
}

/// G1 to G6, with every policy of a driver.
#[test]
fn pages_that_a_driver_brings_reach_every_sm() {
    for policy in Policy::ALL {
        pages_are_brought("8", policy, false, 64);
    }
    pages_are_brought("64", Policy::Batch, false, 256);
}

/// G5, G10: the ring is small, and many faults are turned away.
#[test]
fn pages_reach_every_sm_when_the_ring_overflows() {
    pages_are_brought("8", Policy::Block, false, 4);
    pages_are_brought("64", Policy::Batch, false, 5);
}

/// G4: by regions of 64 KB; pages of one region are brought one by one, and fault again.
#[test]
fn pages_reach_every_sm_by_regions() {
    pages_are_brought("8", Policy::Batch, true, 64);
}

/// A driver that does in each interrupt what a simple one would: it reads the records up to PUT, brings their pages, moves
/// GET, clears OVERFLOW once without looking, and lets everything be walked again.
fn serve_simply(
    system: &mut System,
    size: u64,
    with_get: bool,
    map: impl Fn(&mut System, &Record),
) {
    let (mut get, put) = (system.read(register::GET), system.read(register::PUT));
    while get != put {
        let words = std::array::from_fn(|word| system.load(RING * 512 + get * 8 + word as u64));
        map(system, &Record::read(&words).unwrap());
        get = (get + 1) % size;
    }
    let clears = if with_get { GET_CLEARS } else { 0 };
    system.write(register::GET, get | clears);
    if !with_get {
        system.write(register::CLEAR, 1);
    }
    let start = Command {
        kind: CommandKind::Start,
        ..Command::default()
    };
    while system.read(register::STATUS) & status::BUSY != 0 {}
    system.write(register::COMMAND, start.word());
}

/// Runs with such a driver, which is interrupted by records alone, until every access has ended.
fn run_simply(system: &mut System, size: u64, with_get: bool, map: impl Fn(&mut System, &Record)) {
    let end = system.gmmu.cycle + PATIENCE;
    while system.left() > 0 {
        system.step();
        if system.gmmu.last.interrupts {
            serve_simply(system, size, with_get, &map);
        }
        assert!(
            system.gmmu.cycle < end,
            "{} accesses have no end",
            system.left()
        );
    }
}

/// A system whose ring is interrupted by records alone, and whose SMs request pages that they share.
fn sharers(pages: u64, size: u64, control: u64, seed: u64) -> System {
    let (mut rng, mut system) = (Rng::new(seed), System::new("8"));
    for sm in &mut system.sms {
        for _ in 0..12 {
            let vpn = rng.below(pages);
            let write = rng.chance(128);
            let asid = 0;
            sm.ready.push_back(Wanted { vpn, asid, write });
        }
    }
    let on = control::ENABLED | control::INTERRUPT_RECORDS | control;
    for (number, data) in [
        (register::CONTROL, 0),
        (register::SIZE, size),
        (register::BASE, RING),
        (register::CONTROL, on),
    ] {
        system.gmmu.write(number, data);
    }
    system
}

/// G10: with a ring of 8 records, of which Nacks set OVERFLOW again and again, one CLEAR for each GET keeps everything going.
#[test]
fn one_clear_for_each_get_is_enough() {
    for (seed, size) in [(1, 8), (2, 8), (3, 3), (4, 5)] {
        for with_get in [false, true] {
            let mut system = sharers(200, size, 0, seed);
            run_simply(&mut system, size, with_get, |system, record| {
                system.bring(record)
            });
            assert_eq!(system.denied, 0);
            assert!(system.read(register::TURNED_AWAY) > 20);
        }
    }
}

/// G3: 16 SMs read and write 24 pages that they share, and the driver maps a page to be written only where a record says so.
#[test]
fn pages_that_are_mapped_as_records_say_deny_no_write() {
    for seed in 0..4 {
        let mut system = sharers(24, 64, control::REPLAY_WRITES, seed);
        run_simply(&mut system, 64, false, |system, record| {
            let word = system.gmmu.entry(record.asid, record.vpn, 1);
            let before = system.load(word) & WRITABLE;
            let right = if record.access & 1 == 1 {
                WRITABLE
            } else {
                before
            };
            system.gmmu.map(
                record.asid,
                record.vpn,
                record.vpn,
                OPEN & !WRITABLE | right,
            );
        });
        assert_eq!(system.denied, 0, "seed {seed}");
        assert!(system.sms.iter().all(|sm| sm.done == 12));
    }
}

/// G2, G3, G10: tables that point to each other, to themselves and out of memory. The driver gives up what is absent.
#[test]
fn hostile_tables_end_every_access() {
    for (seed, config) in [(1, "8"), (2, "64"), (3, "8_updates"), (4, "8"), (5, "64")] {
        let mut rng = Rng::new(seed);
        let mut system = System::new(config);
        let rules = system.rules;
        let mut pages = Vec::new();
        for _ in 0..12 {
            let (words, address) = tables::hostile(&mut rng, &rules);
            for (place, entry) in words {
                // The tables begin at the root of space 0.
                let word = (place - sweep::ROOT + (ROOT << 12)) >> 3;
                let pfn = entry >> 12 & 0xF_FFFF_FFFF;
                let inside = (sweep::ROOT >> 12..(sweep::ROOT >> 12) + 4).contains(&pfn);
                let moved = match inside {
                    true => entry + ((ROOT << 12) - sweep::ROOT),
                    false => entry,
                };
                system.gmmu.memory.0.insert(word, moved);
            }
            pages.push(address >> 12 & 0xF_FFFF_FFFF);
        }
        for sm in 0..16 {
            for _ in 0..80 {
                let wanted = Wanted {
                    vpn: pages[rng.below(pages.len() as u64) as usize],
                    asid: rng.below(3) as u8,
                    write: rng.chance(80),
                };
                system.sms[sm].ready.push_back(wanted);
            }
        }
        let end = system.gmmu.cycle + PATIENCE;
        while system.left() > 0 {
            system.step();
            if system.gmmu.cycle.is_multiple_of(64) {
                let put = system.read(register::PUT);
                system.write(register::GET, put);
                system.write(register::CLEAR, 1);
                let cancel = Command {
                    kind: CommandKind::CancelGlobal,
                    ..Command::default()
                };
                system.write(register::COMMAND, cancel.word());
                while system.read(register::STATUS) & status::BUSY != 0 {}
            }
            assert!(
                system.gmmu.cycle < end,
                "{} accesses have no end",
                system.left()
            );
        }
        assert!(system.sms.iter().all(|sm| sm.done == 80));
        assert!(
            system.denied > 100 && system.denied < 16 * 80,
            "{}",
            system.denied
        );
    }
}

/// G7: pages move while they are used; after the acknowledgement no SM sees where they were.
#[test]
fn pages_that_move_are_never_seen_where_they_were() {
    let mut rng = Rng::new(9);
    let mut system = System::new("8");
    for vpn in 0..40 {
        system.gmmu.map(0, vpn, vpn + 1, OPEN);
    }
    for round in 0..60u64 {
        for sm in 0..16 {
            for _ in 0..4 {
                let vpn = rng.below(40);
                system.sms[sm].ready.push_back(Wanted {
                    vpn,
                    asid: 0,
                    write: rng.chance(60),
                });
            }
        }
        for _ in 0..rng.below(300) {
            system.step();
        }
        let vpn = rng.below(40);
        let word = system.gmmu.entry(0, vpn, 1);
        let before = (system.load(word) >> 12) as u32 & 0xFFF_FFFF;
        let after = (round * 64 + vpn + 100) as u32;
        system.moving.insert((0, vpn), [before, after]);
        system.store(word, u64::from(after) << 12 | OPEN);
        system.gmmu.inputs.invalidate_valid = true;
        system.gmmu.inputs.invalidate_scope = rng.below(3) as u8;
        system.gmmu.inputs.invalidate_vpn = vpn;
        while !system.gmmu.last.invalidate_ready {
            system.step();
        }
        system.gmmu.inputs.invalidate_valid = false;
        // Checks that were accepted before are answered in the cycle after.
        system.step();
        system.moving.clear();
    }
    let mut driver = Driver::new(Policy::Batch, RING, 64);
    system.run(&mut driver);
    assert_eq!(system.denied, 0);
}
