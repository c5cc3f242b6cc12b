//! Parts that leave the GPU's memory: they are absent at once; the GMMU invalidates their translations; accesses that
//! were translated before are performed; the parts are written back; and their frames are free.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::Tables;
use crate::page::Page;
use crate::sm::l1_tlb::{OF_PAGE, OF_SPACE};

/// A part that leaves.
#[derive(Clone, Debug)]
pub struct Evicted {
    pub part: Page,
    /// Its pages and their frames.
    pub pages: Vec<(Page, u64)>,
}

/// A page that was missed, and the port, if it is known.
type Missed = (Page, Option<u32>);

/// The parts that leave.
#[derive(Clone, Debug)]
pub struct Evictions {
    /// Bits of the number of a page inside a part.
    bits: u32,
    /// Cycles after the acknowledgement of an invalidation until nothing uses the translations any more.
    settles: u64,
    /// Parts whose translations are to be invalidated, and those for which that is requested.
    invalid: Vec<Evicted>,
    requested: Vec<Evicted>,
    /// The frame of each page of them, and whether its invalidation has been acknowledged.
    frames: HashMap<Page, (u64, bool)>,
    /// Pages that have left since the SMs were last looked at, with their frames, and when.
    released: Vec<(u64, Page, u64)>,
    /// Pages that were missed while their part left.
    deferred: BTreeMap<Page, Vec<Missed>>,
    /// Parts that have ever left.
    have_left: HashSet<Page>,
    /// Frames that are free since they were last looked at.
    pub freed: Vec<u64>,
}

impl Evictions {
    pub fn new(bits: u32, settles: u64) -> Self {
        Self {
            bits,
            settles,
            invalid: Vec::new(),
            requested: Vec::new(),
            frames: HashMap::new(),
            released: Vec::new(),
            deferred: BTreeMap::new(),
            have_left: HashSet::new(),
            freed: Vec::new(),
        }
    }

    /// A part leaves: its pages are absent from now on.
    pub fn begin(&mut self, part: Page, tables: &mut Tables) {
        let asid = part.asid;
        let pages = part.vpn << self.bits..(part.vpn + 1) << self.bits;
        let pages = tables.unmap(pages.map(|vpn| Page { vpn, asid }));
        for &(page, pfn) in &pages {
            self.frames.insert(page, (pfn, false));
        }
        self.have_left.insert(part);
        self.invalid.push(Evicted { part, pages });
    }

    /// The invalidation that the driver requests, if it does: its scope and page. One is for all parts of a space that
    /// leave by then; only a single page is invalidated by itself.
    pub fn invalidation(&mut self) -> Option<(u8, Page)> {
        if self.requested.is_empty() {
            let asid = self.invalid.first()?.part.asid;
            let of_space = |one: &mut Evicted| one.part.asid == asid;
            self.requested = self.invalid.extract_if(.., of_space).collect();
        }
        let first = self.requested.first()?;
        let scope = match (&self.requested[..], &first.pages[..]) {
            ([_], [_]) => OF_PAGE,
            _ => OF_SPACE,
        };
        let page = first.pages.first().map_or(first.part, |(page, _)| *page);
        Some((scope, page))
    }

    /// Whether an invalidation is requested, or to be.
    pub fn invalidates(&self) -> bool {
        !self.requested.is_empty() || !self.invalid.is_empty()
    }

    /// The GMMU has acknowledged the invalidation. It says for each part when nothing uses it any more.
    pub fn acknowledged(&mut self, now: u64) -> Vec<(u64, Evicted)> {
        let requested = std::mem::take(&mut self.requested);
        for (page, _) in requested.iter().flat_map(|one| &one.pages) {
            if let Some((_, is_acknowledged)) = self.frames.get_mut(page) {
                *is_acknowledged = true;
            }
        }
        let unused = now + self.settles;
        requested.into_iter().map(|one| (unused, one)).collect()
    }

    /// Whether an SM may still receive this translation of a page that leaves.
    pub fn is_stale(&self, page: Page, pfn: u64) -> bool {
        self.frames.get(&page) == Some(&(pfn, false))
    }

    /// From now on nothing uses a part.
    pub fn released(&mut self, now: u64, evicted: &Evicted) {
        for &(page, pfn) in &evicted.pages {
            self.frames.remove(&page);
            self.released.push((now, page, pfn));
        }
    }

    /// Whether a page that leaves, or has left since the SMs were last looked at, was in this frame at a time.
    pub fn was_used(&self, at: u64, page: Page, pfn: u64) -> bool {
        let leaves = self.frames.get(&page).is_some_and(|(own, _)| *own == pfn);
        let mut released = self.released.iter();
        leaves || released.any(|one| (one.1, one.2) == (page, pfn) && one.0 > at)
    }

    /// The SMs were looked at.
    pub fn looked(&mut self) {
        self.released.clear();
    }

    /// A page of a part that leaves was missed.
    pub fn defer(&mut self, part: Page, page: Page, port: Option<u32>) {
        self.deferred.entry(part).or_default().push((page, port));
    }

    /// A part has left. It names the pages of it that were missed meanwhile.
    pub fn left(&mut self, part: Page) -> Vec<Missed> {
        self.deferred.remove(&part).unwrap_or_default()
    }

    /// Whether a part has ever left.
    pub fn has_left(&self, part: Page) -> bool {
        self.have_left.contains(&part)
    }
}
