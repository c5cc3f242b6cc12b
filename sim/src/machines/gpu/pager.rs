//! What brings absent pages: handlers on the SMs, which run side by side; a handler on the CPU, which handles one fault after
//! the other; and a link over which pages come.

use std::collections::{BTreeMap, HashSet, VecDeque};

use super::super::driver;
use super::super::sm::AddressSpace;
use super::history::Arrival;
use super::machine::Failure;
use super::parameters::{Paging, Parameters};
use super::tables::Tables;
use crate::mmu::fault_buffer::Record;
use crate::page::Page;

/// What was brought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Brought {
    /// Records that the driver has read.
    pub records: u64,
    /// Far faults that the driver has resolved.
    pub resolved: u64,
    /// Parts of memory that came over the link: pages, or regions of 64 KB.
    pub migrated: u64,
    /// Parts that were only allocated.
    pub allocated: u64,
    /// Those of them that handlers on the GPU have allocated.
    pub local: u64,
    /// Parts whose migration handlers on the GPU have asked of the CPU.
    pub asked: u64,
    /// Bytes that came over the link.
    pub bytes: u64,
    /// Cycles for which the link was in use.
    pub link: u64,
    /// Cycles that faults waited for the CPU's handler and for the link.
    pub waited: u64,
}

/// What is under way.
#[derive(Clone, Copy, Debug)]
enum Coming {
    /// A part of memory.
    Part(Page),
    /// The end of the kernel, because this SM has accessed this page.
    Abort(u64, Option<u32>),
}

/// The owner of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Cpu,
    Nobody,
    /// It is in no allocation.
    Invalid,
}

/// The pages, their owners, and what is under way.
#[derive(Clone, Debug)]
pub struct Pager {
    paging: Paging,
    /// Each SM has a port of the GMMU, so a record names the SM that has accessed its page.
    has_port_each: bool,
    /// The pages that may be accessed, space by space.
    spaces: Vec<AddressSpace>,
    pub tables: Tables,
    /// Parts that hold what the CPU has written; all others are unowned.
    cpu: HashSet<Page>,
    /// What is under way, by the time at which each is there and the number of faults before it.
    coming: BTreeMap<(u64, u64), Coming>,
    /// Pages of the records of parts that are under way.
    waiting: BTreeMap<Page, Vec<Page>>,
    resolving: VecDeque<Page>,
    handler_free: u64,
    link_free: u64,
    pub brought: Brought,
    /// How each part came.
    pub arrivals: Vec<Arrival>,
}

impl Pager {
    /// A pager of address spaces with their pages that may be accessed. The CPU owns the pages that it has written; they are in
    /// the GPU's memory at first unless they are absent.
    pub fn new(
        parameters: &Parameters,
        spaces: Vec<AddressSpace>,
        written: impl Iterator<Item = Page>,
    ) -> Self {
        let mut pager = Self {
            paging: parameters.paging,
            has_port_each: parameters.cluster() == 1,
            tables: Tables::new(spaces.len() as u8),
            spaces,
            cpu: HashSet::new(),
            coming: BTreeMap::new(),
            waiting: BTreeMap::new(),
            resolving: VecDeque::new(),
            handler_free: 0,
            link_free: 0,
            brought: Brought::default(),
            arrivals: Vec::new(),
        };
        pager.cpu = written.map(|page| pager.part(page)).collect();
        pager
    }

    /// A page that will be accessed is there before the first cycle, unless it is absent at first.
    pub fn place(&mut self, page: Page) {
        let owner = self.owner(page);
        let is_copied = self.paging.copied && owner == Owner::Cpu;
        if owner != Owner::Invalid && (!self.paging.absent || is_copied) {
            self.map(self.part(page));
        }
    }

    /// The part of memory that comes with a page: the number of the part among those of its space.
    fn part(&self, Page { vpn, asid }: Page) -> Page {
        let vpn = vpn >> self.part_bits();
        Page { vpn, asid }
    }

    fn part_bits(&self) -> u32 {
        self.paging.part_bits()
    }

    fn owner(&self, page: Page) -> Owner {
        let space = self.spaces.get(usize::from(page.asid));
        let is_held = space.is_some_and(|space| space.holds(page.vpn));
        match (is_held, self.cpu.contains(&self.part(page))) {
            (false, _) => Owner::Invalid,
            (true, true) => Owner::Cpu,
            (true, false) => Owner::Nobody,
        }
    }

    /// The place of a far fault in the CPU's queue, of which the GMMU says that it is this: the first if the CPU has nothing to
    /// do with it.
    pub fn place_in_queue(&self, page: Page, place: u16) -> u16 {
        match self.paging.local {
            Some(_) if self.owner(page) != Owner::Cpu => 0,
            _ => place,
        }
    }

    /// The pages of a part get frames, unless they have them.
    fn map(&mut self, part: Page) {
        let (bits, asid) = (self.part_bits(), part.asid);
        for vpn in part.vpn << bits..(part.vpn + 1) << bits {
            let page = Page { vpn, asid };
            if self.tables.translate(page).is_none() {
                self.tables.map(page);
            }
        }
    }

    /// Parts that are there by now are mapped, and their far faults are to be resolved.
    ///
    /// # Errors
    /// If the kernel is aborted now.
    pub fn arrive(&mut self, now: u64) -> Result<(), Failure> {
        while let Some(first) = self
            .coming
            .first_entry()
            .filter(|first| first.key().0 <= now)
        {
            match first.remove() {
                Coming::Part(part) => {
                    self.map(part);
                    self.resolving
                        .extend(self.waiting.remove(&part).unwrap_or_default());
                }
                Coming::Abort(vpn, sm) => {
                    let cycle = now;
                    return Err(Failure::Aborted { cycle, vpn, sm });
                }
            }
        }
        Ok(())
    }

    /// When the next part is there.
    pub fn next(&self) -> Option<u64> {
        self.coming.keys().next().map(|key| key.0)
    }

    /// When the CPU's handler works on a fault that it knows of from a time on.
    fn handle(&mut self, known: u64) -> std::ops::Range<u64> {
        let begins = self.handler_free.max(known);
        self.brought.waited += begins - known;
        self.handler_free = begins + self.paging.handler;
        begins..self.handler_free
    }

    /// When a part is on the link whose fault the CPU has handled by a time.
    fn move_part(&mut self, handled: u64) -> std::ops::Range<u64> {
        let (size, transfer) = (self.paging.part_bytes(), self.paging.transfer());
        let ready = handled + self.paging.latency();
        let begins = ready.max(self.link_free);
        self.link_free = begins + transfer;
        self.brought.migrated += 1;
        self.brought.bytes += size;
        self.brought.link += transfer;
        self.brought.waited += begins - ready;
        begins..self.link_free
    }
}

impl driver::Pager for Pager {
    fn fault(&mut self, now: u64, record: &Record) {
        let page = Page {
            vpn: record.vpn,
            asid: record.asid,
        };
        let part = self.part(page);
        self.brought.records += 1;
        if let Some(pages) = self.waiting.get_mut(&part) {
            pages.push(page);
            return;
        }
        // A walk may have read its entry before the page was mapped.
        if self.tables.translate(page).is_some() {
            self.resolving.push_back(page);
            return;
        }
        let number = self.brought.records;
        let sm = (record.requesters != 0 && self.has_port_each)
            .then(|| record.requesters.trailing_zeros());
        let known = now + self.paging.local.unwrap_or(0);
        let mut arrival = Arrival {
            vpn: part.vpn << self.part_bits(),
            pages: 1 << self.part_bits(),
            reported: now,
            local: self.paging.local.map(|_| now..known),
            sm,
            handled: None,
            moved: None,
            there: known,
        };
        match (self.owner(page), self.paging.local) {
            (Owner::Invalid, _) => {
                let aborted = self.handle(known).end;
                let abort = Coming::Abort(record.vpn, sm);
                self.coming.insert((aborted, number), abort);
                return;
            }
            (Owner::Nobody, Some(_)) => {
                self.brought.allocated += 1;
                self.brought.local += 1;
            }
            (Owner::Nobody, None) => {
                let handled = self.handle(known);
                let link = self.paging.link;
                arrival.there = handled.end + link.allocation.saturating_sub(self.paging.handler);
                arrival.handled = Some(handled);
                self.brought.allocated += 1;
            }
            (Owner::Cpu, local) => {
                let handled = self.handle(known);
                let moved = self.move_part(handled.end);
                arrival.there = moved.end;
                (arrival.handled, arrival.moved) = (Some(handled), Some(moved));
                self.brought.asked += u64::from(local.is_some());
            }
        }
        self.coming
            .insert((arrival.there, number), Coming::Part(part));
        self.waiting.insert(part, vec![page]);
        self.arrivals.push(arrival);
    }

    fn is_ready(&self, _: u64) -> bool {
        !self.resolving.is_empty()
    }

    fn resolve(&mut self, _: u64) -> Option<(u64, u8)> {
        let next = self.resolving.pop_front();
        self.brought.resolved += u64::from(next.is_some());
        next.map(|page| (page.vpn, page.asid))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::driver::Pager as _;
    use super::super::{Config, Granularity, Link};
    use super::*;

    const PAGING: Paging = Paging {
        absent: true,
        copied: false,
        granularity: Granularity::Region,
        handler: 2_000,
        local: None,
        link: Link::NVLINK,
    };
    const LOCAL: Paging = Paging {
        local: Some(20_000),
        ..PAGING
    };

    /// The CPU has written the first two regions of the first space, and none of the second; only these pages may be accessed.
    fn pager(paging: Paging) -> Pager {
        let config = Config::preset("tanasic").unwrap();
        let parameters = Parameters {
            paging,
            ..config.parameters()
        };
        let space = AddressSpace::Buffers(vec![1..0x100, 0x100..0x200]);
        let spaces = vec![space.clone(), space];
        Pager::new(&parameters, spaces, (0..32).map(page))
    }

    fn record(vpn: u64) -> Record {
        Record {
            vpn,
            requesters: 0b1010,
            ..Record::default()
        }
    }

    /// A page of the first space.
    fn page(vpn: u64) -> Page {
        Page { vpn, asid: 0 }
    }

    #[test]
    fn equal_pages_of_two_spaces_come_by_themselves() {
        let mut pager = pager(PAGING);
        pager.fault(0, &record(3));
        let asid = 1;
        pager.fault(0, &Record { asid, ..record(3) });
        // The CPU owns the first page. The second is unowned, and waits for the handler alone.
        assert_eq!(arrivals(&pager), [12_000, 12_000]);
        assert_eq!((pager.brought.migrated, pager.brought.allocated), (1, 1));
        assert_eq!(pager.arrive(12_000), Ok(()));
        let other = Page { vpn: 3, asid };
        assert_eq!(pager.resolving, [page(3), other]);
        let frames = [page(3), other].map(|page| pager.tables.translate(page));
        assert_eq!(frames, [Some(3), Some(16 + 3)]);
    }

    /// When all that is under way is there.
    fn arrivals(pager: &Pager) -> Vec<u64> {
        pager.coming.keys().map(|key| key.0).collect()
    }

    #[test]
    fn an_unloaded_fault_costs_what_the_link_says() {
        for (vpn, cost) in [(3, 12_000), (300, 10_000)] {
            let mut pager = pager(PAGING);
            pager.fault(100, &record(vpn));
            assert_eq!(arrivals(&pager), [100 + cost]);
        }
    }

    /// 2 MB take 52,429 cycles on the link, and 64 KB 1,639.
    #[test]
    fn a_part_of_2_mb_costs_what_is_above_64_kb_besides() {
        for (granularity, cost) in [
            (Granularity::Page, 12_000),
            (Granularity::Table, 12_000 + 52_429 - 1_639),
        ] {
            let mut pager = pager(Paging {
                granularity,
                ..PAGING
            });
            pager.fault(100, &record(3));
            assert_eq!(arrivals(&pager), [100 + cost]);
            assert_eq!(pager.arrive(100 + cost), Ok(()));
            let there = pager.tables.translate(page(511)).is_some();
            assert_eq!(there, granularity == Granularity::Table);
        }
    }

    #[test]
    fn faults_of_a_region_share_its_way_and_others_wait_for_the_handler() {
        let mut pager = pager(PAGING);
        for vpn in [3, 300, 5, 31] {
            pager.fault(0, &record(vpn));
        }
        assert_eq!(arrivals(&pager), [12_000, 12_000, 16_000]);
        assert_eq!(pager.brought.waited, 2_000 + 4_000);
        assert_eq!(pager.arrive(12_000), Ok(()));
        assert_eq!(pager.resolving, [3, 5, 300].map(page));
        let is_there = |vpn| pager.tables.translate(page(vpn)).is_some();
        assert!(is_there(15) && !is_there(16));
        // A fault of a miss before the page was mapped is resolved at once.
        pager.fault(12_001, &record(7));
        assert_eq!(pager.resolving.back(), Some(&page(7)));
        assert_eq!(pager.brought.migrated + pager.brought.allocated, 3);
        let handled: Vec<_> = pager
            .arrivals
            .iter()
            .filter_map(|one| one.handled.clone())
            .collect();
        assert_eq!(handled, [0..2_000, 2_000..4_000, 4_000..6_000]);
        assert_eq!(
            pager.arrivals[0].moved,
            Some(12_000 - (65_536u64).div_ceil(40)..12_000)
        );
        assert_eq!(
            (pager.arrivals[1].moved.clone(), pager.arrivals[1].vpn),
            (None, 288)
        );
        assert_eq!((pager.brought.local, pager.brought.asked), (0, 0));
    }

    /// Unowned pages: the handlers run side by side, and the CPU has nothing to do.
    #[test]
    fn handlers_on_sms_allocate_side_by_side() {
        let mut pager = pager(LOCAL);
        for (now, vpn) in [(0, 300), (5, 0x100), (7, 0x110), (9, 301)] {
            pager.fault(now, &record(vpn));
        }
        assert_eq!(arrivals(&pager), [20_000, 20_005, 20_007]);
        assert_eq!((pager.brought.allocated, pager.brought.local), (3, 3));
        assert_eq!((pager.brought.waited, pager.handler_free), (0, 0));
        assert_eq!(pager.arrive(20_000), Ok(()));
        assert_eq!(pager.resolving, [300, 301].map(page));
        let first = &pager.arrivals[0];
        assert_eq!(
            (first.local.clone(), first.handled.clone(), first.sm),
            (Some(0..20_000), None, Some(1))
        );
    }

    /// Pages that the CPU owns: it hears of them from the handlers, one after the other, and serves them as its own.
    #[test]
    fn handlers_on_sms_ask_the_cpu_for_its_pages() {
        let mut pager = pager(LOCAL);
        for vpn in [3, 300, 31] {
            pager.fault(0, &record(vpn));
        }
        assert_eq!(arrivals(&pager), [20_000, 32_000, 34_000]);
        let Brought {
            migrated,
            asked,
            allocated,
            waited,
            ..
        } = pager.brought;
        assert_eq!((migrated, asked, allocated, waited), (2, 2, 1, 2_000));
        let ways = pager.arrivals.iter().map(|one| {
            let (local, handled) = (one.local.clone(), one.handled.clone());
            (local.map(|span| span.end), handled.map(|span| span.start))
        });
        let expected = [
            (Some(20_000), Some(20_000)),
            (Some(20_000), None),
            (Some(20_000), Some(22_000)),
        ];
        assert!(ways.eq(expected));
    }

    /// A page that is in no allocation: the CPU ends the kernel, which it hears of from the handler or from the record.
    #[test]
    fn an_access_outside_of_every_buffer_aborts() {
        for (paging, cycle) in [(PAGING, 2_000), (LOCAL, 22_000)] {
            for vpn in [0, 0x200] {
                let mut pager = pager(paging);
                pager.fault(0, &record(vpn));
                assert_eq!(pager.next(), Some(cycle));
                assert_eq!(pager.arrive(cycle - 1), Ok(()));
                let sm = Some(1);
                let aborted = Failure::Aborted { cycle, vpn, sm };
                assert_eq!(pager.arrive(cycle), Err(aborted));
                assert!(pager.arrivals.is_empty());
            }
        }
    }

    /// A copied page is there, an unowned page is not, and an invalid page never is.
    #[test]
    fn pages_are_there_at_first_as_the_configuration_says() {
        let there = |absent, copied| {
            let mut pager = pager(Paging {
                absent,
                copied,
                ..PAGING
            });
            let pages = [3, 300, 0x200];
            pages.iter().for_each(|&vpn| pager.place(page(vpn)));
            pages.map(|vpn| pager.tables.translate(page(vpn)).is_some())
        };
        assert_eq!(there(false, false), [true, true, false]);
        assert_eq!(there(true, true), [true, false, false]);
        assert_eq!(there(true, false), [false; 3]);
    }

    /// A block may leave only because of a page that comes from the CPU.
    #[test]
    fn what_is_handled_on_the_gpu_is_in_no_queue() {
        assert_eq!(pager(PAGING).place_in_queue(page(300), 7), 7);
        let pager = pager(LOCAL);
        assert_eq!(
            [3, 300, 0x200].map(|vpn| pager.place_in_queue(page(vpn), 7)),
            [7, 0, 0]
        );
    }
}
