//! Who brings absent pages: a handler on the CPU, which handles one fault after the other, and a link over which pages come.

use std::collections::{BTreeMap, HashSet, VecDeque};

use super::super::driver;
use super::history::Arrival;
use super::parameters::{Link, Paging};
use super::tables::Tables;
use crate::mmu::fault_buffer::Record;
use crate::page::Page;

/// Bits of a page number inside a region of 64 KB.
const REGION_BITS: u32 = 4;
/// Bytes of a page.
const PAGE: u64 = 4096;

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
    /// Bytes that came over the link.
    pub bytes: u64,
    /// Cycles for which the link was in use.
    pub link: u64,
    /// Cycles that faults waited for the handler and for the link.
    pub waited: u64,
}

/// The pages, who owns them, and what is under way.
#[derive(Clone, Debug)]
pub struct Pager {
    paging: Paging,
    pub tables: Tables,
    /// Parts that hold what the CPU has written; all others nobody owns.
    cpu: HashSet<Page>,
    /// Parts under way, by the time at which each is there and the number of faults before it.
    coming: BTreeMap<(u64, u64), Page>,
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
    /// Of so many address spaces. The pages that the CPU has written are its own; they are in the GPU's memory at first unless all
    /// are absent.
    pub fn new(paging: Paging, spaces: u8, written: impl Iterator<Item = Page>) -> Self {
        let mut pager = Self {
            paging,
            tables: Tables::new(spaces),
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

    /// A page is there before the first cycle.
    pub fn place(&mut self, page: Page) {
        let part = self.part(page);
        self.map(part);
    }

    /// The part of memory that comes with a page: the number of the part among those of its space.
    fn part(&self, Page { vpn, asid }: Page) -> Page {
        let vpn = vpn >> self.part_bits();
        Page { vpn, asid }
    }

    fn part_bits(&self) -> u32 {
        if self.paging.regions { REGION_BITS } else { 0 }
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
    pub fn arrive(&mut self, now: u64) {
        while let Some(first) = self
            .coming
            .first_entry()
            .filter(|first| first.key().0 <= now)
        {
            let part = first.remove();
            self.map(part);
            self.resolving
                .extend(self.waiting.remove(&part).unwrap_or_default());
        }
    }

    /// When the next part is there.
    pub fn next(&self) -> Option<u64> {
        self.coming.keys().next().map(|key| key.0)
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
        let Link {
            bytes,
            migration,
            allocation,
        } = self.paging.link;
        let handler = self.paging.handler;
        let handled = self.handler_free.max(now) + handler;
        self.brought.waited += handled - handler - now;
        self.handler_free = handled;
        let moved = self.cpu.contains(&part).then(|| {
            let size = PAGE << self.part_bits();
            let transfer = size.div_ceil(bytes.max(1));
            let ready = handled + migration.saturating_sub(handler + transfer);
            let begins = ready.max(self.link_free);
            self.link_free = begins + transfer;
            self.brought.migrated += 1;
            self.brought.bytes += size;
            self.brought.link += transfer;
            self.brought.waited += begins - ready;
            begins..self.link_free
        });
        let there = match &moved {
            Some(moved) => moved.end,
            None => {
                self.brought.allocated += 1;
                handled + allocation.saturating_sub(handler)
            }
        };
        self.arrivals.push(Arrival {
            vpn: part.vpn << self.part_bits(),
            pages: 1 << self.part_bits(),
            reported: now,
            handled: handled - handler..handled,
            moved,
            there,
        });
        self.coming.insert((there, self.brought.records), part);
        self.waiting.insert(part, vec![page]);
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
    use super::*;

    const PAGING: Paging = Paging {
        absent: true,
        regions: true,
        handler: 2_000,
        link: Link::NVLINK,
    };

    fn record(vpn: u64) -> Record {
        Record {
            vpn,
            ..Record::default()
        }
    }

    /// A page of the first space.
    fn page(vpn: u64) -> Page {
        Page { vpn, asid: 0 }
    }

    /// The CPU has written the first 32 pages of the first space, and none of the second.
    fn pager() -> Pager {
        Pager::new(PAGING, 2, (0..32).map(page))
    }

    #[test]
    fn equal_pages_of_two_spaces_come_by_themselves() {
        let mut pager = pager();
        pager.fault(0, &record(3));
        let asid = 1;
        pager.fault(0, &Record { asid, ..record(3) });
        // The CPU owns the one, and nobody the other, which waits for the handler alone.
        assert_eq!(arrivals(&pager), [12_000, 12_000]);
        assert_eq!((pager.brought.migrated, pager.brought.allocated), (1, 1));
        pager.arrive(12_000);
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
            let mut pager = pager();
            pager.fault(100, &record(vpn));
            assert_eq!(arrivals(&pager), [100 + cost]);
        }
    }

    #[test]
    fn faults_of_a_region_share_its_way_and_others_wait_for_the_handler() {
        let mut pager = pager();
        for vpn in [3, 300, 5, 31] {
            pager.fault(0, &record(vpn));
        }
        assert_eq!(arrivals(&pager), [12_000, 12_000, 16_000]);
        assert_eq!(pager.brought.waited, 2_000 + 4_000);
        pager.arrive(12_000);
        assert_eq!(pager.resolving, [3, 5, 300].map(page));
        let is_there = |vpn| pager.tables.translate(page(vpn)).is_some();
        assert!(is_there(15) && !is_there(16));
        // Whoever has missed it before it was mapped is answered at once.
        pager.fault(12_001, &record(7));
        assert_eq!(pager.resolving.back(), Some(&page(7)));
        assert_eq!(pager.brought.migrated + pager.brought.allocated, 3);
        let handled: Vec<_> = pager
            .arrivals
            .iter()
            .map(|one| one.handled.clone())
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
    }
}
