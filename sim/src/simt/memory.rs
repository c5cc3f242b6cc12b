//! Global memory as a sparse map of pages, and the shared memory of a thread block.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::operation::Width;
use super::warp::{LANES, Lanes};

/// Bytes of a page.
pub const PAGE_BYTES: u64 = 1 << PAGE_SHIFT;
const PAGE_SHIFT: u32 = 12;

/// Memories that are copies of each other share the pages that none has written since.
type Page = Arc<[u8; PAGE_BYTES as usize]>;

/// The constants of a program, from address 0. They are not written.
#[derive(Clone, Copy, Debug)]
pub struct Constants<'program>(pub &'program [u8]);

impl Constants<'_> {
    /// Whether an access lies inside.
    #[must_use]
    pub fn holds(&self, address: u64, width: Width) -> bool {
        let end = address.checked_add(width.bytes());
        end.is_some_and(|end| end <= self.0.len() as u64)
    }
}

impl Cells for Constants<'_> {
    fn read(&self, address: u64, width: Width) -> u64 {
        let mut value = [0; 8];
        let from = self.0.get(address as usize..).unwrap_or_default();
        let bytes = width.bytes() as usize;
        for (to, from) in value[..bytes].iter_mut().zip(from) {
            *to = *from;
        }
        u64::from_le_bytes(value)
    }

    fn write(&mut self, _: u64, _: Width, _: u64) {}
}

/// A memory that accesses read and write.
pub trait Cells {
    /// The value at an address; the bits above its width are 0.
    fn read(&self, address: u64, width: Width) -> u64;
    /// Writes the low bytes of a value at an address.
    fn write(&mut self, address: u64, width: Width, value: u64);

    /// Reads for the lanes of a mask.
    fn read_lanes(&self, mask: u32, addresses: &Lanes, width: Width, values: &mut Lanes) {
        for lane in lanes(mask) {
            values[lane] = self.read(addresses[lane], width);
        }
    }

    /// Writes for the lanes of a mask, the lowest one first.
    fn write_lanes(&mut self, mask: u32, addresses: &Lanes, width: Width, values: &Lanes) {
        for lane in lanes(mask) {
            self.write(addresses[lane], width, values[lane]);
        }
    }
}

/// The lanes of a mask.
fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..LANES).filter(move |lane| mask >> lane & 1 == 1)
}

/// The value in the first bytes of a slice.
fn value(bytes: &[u8], width: Width) -> u64 {
    let value = match width.bytes() {
        1 => bytes.first().copied().map(u64::from),
        2 => bytes
            .first_chunk()
            .map(|&bytes| u16::from_le_bytes(bytes).into()),
        4 => bytes
            .first_chunk()
            .map(|&bytes| u32::from_le_bytes(bytes).into()),
        _ => bytes.first_chunk().map(|&bytes| u64::from_le_bytes(bytes)),
    };
    value.unwrap_or(0)
}

/// Global memory: every byte is there and 0 until it is written; bytes lie with the lowest first.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    pages: BTreeMap<u64, Page>,
}

impl Memory {
    /// Memory full of zeros.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The value at an address; the bits above its width are 0.
    #[must_use]
    pub fn read(&self, address: u64, width: Width) -> u64 {
        let (page, inside) = split(address);
        let bytes = width.bytes() as usize;
        let mut value = [0; 8];
        if inside + bytes <= PAGE_BYTES as usize {
            if let Some(page) = self.pages.get(&page) {
                value[..bytes].copy_from_slice(&page[inside..inside + bytes]);
            }
        } else {
            for (offset, byte) in value[..bytes].iter_mut().enumerate() {
                let (page, inside) = split(address.wrapping_add(offset as u64));
                *byte = self.pages.get(&page).map_or(0, |page| page[inside]);
            }
        }
        u64::from_le_bytes(value)
    }

    /// Writes the low bytes of a value at an address.
    pub fn write(&mut self, address: u64, width: Width, value: u64) {
        let (page, inside) = split(address);
        let bytes = width.bytes() as usize;
        let value = value.to_le_bytes();
        if inside + bytes <= PAGE_BYTES as usize {
            self.page(page)[inside..inside + bytes].copy_from_slice(&value[..bytes]);
        } else {
            for (offset, &byte) in value[..bytes].iter().enumerate() {
                let (page, inside) = split(address.wrapping_add(offset as u64));
                self.page(page)[inside] = byte;
            }
        }
    }

    /// Writes words of 4 bytes one after the other.
    pub fn write_words(&mut self, address: u64, words: &[u32]) {
        for (place, &word) in words.iter().enumerate() {
            let address = address.wrapping_add(4 * place as u64);
            self.write(address, Width::Four, word.into());
        }
    }

    /// Reads words of 4 bytes one after the other.
    #[must_use]
    pub fn read_words(&self, address: u64, count: usize) -> Vec<u32> {
        let place = |place: usize| address.wrapping_add(4 * place as u64);
        let read = |at| self.read(place(at), Width::Four) as u32;
        (0..count).map(read).collect()
    }

    /// The numbers of the pages that were written to, ascending.
    pub fn pages(&self) -> impl Iterator<Item = u64> + '_ {
        self.pages.keys().copied()
    }

    /// Pages that are the same in another memory are kept once for both, until one of them writes there.
    pub fn share(&mut self, other: &Self) {
        for (number, page) in &mut self.pages {
            if let Some(same) = other.pages.get(number).filter(|other| *other == page) {
                *page = same.clone();
            }
        }
    }

    /// The lowest address at which two memories differ.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Option<u64> {
        const EMPTY: &[u8; PAGE_BYTES as usize] = &[0; PAGE_BYTES as usize];
        let numbers: BTreeSet<u64> = self.pages().chain(other.pages()).collect();
        numbers.into_iter().find_map(|number| {
            let [left, right] =
                [self, other].map(|memory| memory.pages.get(&number).map_or(EMPTY, |page| &**page));
            if std::ptr::eq(left, right) {
                return None;
            }
            let inside = left
                .iter()
                .zip(right)
                .position(|(left, right)| left != right)?;
            Some((number << PAGE_SHIFT) + inside as u64)
        })
    }

    fn page(&mut self, number: u64) -> &mut [u8; PAGE_BYTES as usize] {
        let empty = || Arc::new([0; PAGE_BYTES as usize]);
        Arc::make_mut(self.pages.entry(number).or_insert_with(empty))
    }
}

impl Cells for Memory {
    fn read(&self, address: u64, width: Width) -> u64 {
        self.read(address, width)
    }

    /// Lanes whose addresses follow one another mostly read the same page.
    fn read_lanes(&self, mask: u32, addresses: &Lanes, width: Width, values: &mut Lanes) {
        let mut known = None;
        for lane in lanes(mask) {
            let (number, inside) = split(addresses[lane]);
            if inside + width.bytes() as usize > PAGE_BYTES as usize {
                values[lane] = self.read(addresses[lane], width);
                continue;
            }
            let (page, bytes) = match known {
                Some(known @ (page, _)) if page == number => known,
                _ => (number, self.pages.get(&number)),
            };
            known = Some((page, bytes));
            values[lane] = bytes.map_or(0, |bytes| value(&bytes[inside..], width));
        }
    }

    fn write_lanes(&mut self, mask: u32, addresses: &Lanes, width: Width, values: &Lanes) {
        let bytes = width.bytes() as usize;
        let mut left = mask;
        while left != 0 {
            let (number, inside) = split(addresses[left.trailing_zeros() as usize]);
            if inside + bytes > PAGE_BYTES as usize {
                let lane = left.trailing_zeros() as usize;
                self.write(addresses[lane], width, values[lane]);
                left &= left - 1;
                continue;
            }
            // The next lanes, as far as they write the same page.
            let page = self.page(number);
            for lane in lanes(left) {
                let (other, inside) = split(addresses[lane]);
                if other != number || inside + bytes > PAGE_BYTES as usize {
                    break;
                }
                let value = values[lane].to_le_bytes();
                match bytes {
                    4 => page[inside..inside + 4].copy_from_slice(&value[..4]),
                    _ => page[inside..inside + bytes].copy_from_slice(&value[..bytes]),
                }
                left &= !(1 << lane);
            }
        }
    }

    fn write(&mut self, address: u64, width: Width, value: u64) {
        self.write(address, width, value);
    }
}

/// Equal if every byte is; whether a page of zeros was written to does not count.
impl PartialEq for Memory {
    fn eq(&self, other: &Self) -> bool {
        self.difference(other).is_none()
    }
}

impl Eq for Memory {}

/// The page of an address and the place in it.
const fn split(address: u64) -> (u64, usize) {
    (address >> PAGE_SHIFT, (address % PAGE_BYTES) as usize)
}

/// The shared memory of a thread block, from address 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shared {
    bytes: Vec<u8>,
}

impl Shared {
    /// Memory of this number of bytes, all 0.
    #[must_use]
    pub fn new(bytes: u32) -> Self {
        Self {
            bytes: vec![0; bytes as usize],
        }
    }

    /// Whether an access lies inside.
    #[must_use]
    pub fn holds(&self, address: u64, width: Width) -> bool {
        self.range(address, width).is_some()
    }

    /// The value at an address; 0 outside.
    #[must_use]
    pub fn read(&self, address: u64, width: Width) -> u64 {
        let range = self.range(address, width);
        range.map_or(0, |range| value(&self.bytes[range], width))
    }

    /// Writes the low bytes of a value at an address; outside, nothing.
    pub fn write(&mut self, address: u64, width: Width, value: u64) {
        if let Some(range) = self.range(address, width) {
            let value = value.to_le_bytes();
            let bytes = &value[..range.len()];
            self.bytes[range].copy_from_slice(bytes);
        }
    }

    fn range(&self, address: u64, width: Width) -> Option<std::ops::Range<usize>> {
        let end = address.checked_add(width.bytes())?;
        (end <= self.bytes.len() as u64).then_some(address as usize..end as usize)
    }
}

impl Cells for Shared {
    fn read(&self, address: u64, width: Width) -> u64 {
        self.read(address, width)
    }

    fn write(&mut self, address: u64, width: Width, value: u64) {
        self.write(address, width, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_cross_pages_and_the_end_of_the_address_space() {
        for address in [0, 0xffc, 0xffd, 0x1fff, u64::MAX - 2] {
            let mut memory = Memory::new();
            memory.write(address, Width::Eight, 0x0102_0304_0506_0708);
            assert_eq!(memory.read(address, Width::Eight), 0x0102_0304_0506_0708);
            assert_eq!(memory.read(address, Width::Four), 0x0506_0708);
            memory.write(address, Width::Four, u64::MAX);
            assert_eq!(memory.read(address, Width::Eight), 0x0102_0304_ffff_ffff);
        }
    }

    #[test]
    fn zeros_that_were_written_are_no_difference() {
        let mut memory = Memory::new();
        memory.write(0x5000, Width::Four, 0);
        assert_eq!(memory, Memory::new());
        memory.write(0x6008, Width::Four, 0x0100);
        assert_eq!(memory.difference(&Memory::new()), Some(0x6009));
        assert_eq!(memory.pages().collect::<Vec<_>>(), [5, 6]);
    }

    #[test]
    fn what_is_written_to_a_shared_page_is_not_written_to_its_copies() {
        let mut memory = Memory::new();
        memory.write(0x5000, Width::Four, 1);
        let mut copy = Memory::new();
        copy.write(0x5000, Width::Four, 1);
        copy.write(0x6000, Width::Four, 2);
        copy.share(&memory);
        assert!(Arc::ptr_eq(&copy.pages[&5], &memory.pages[&5]));
        memory.write(0x5ffc, Width::Four, 3);
        copy.write(0x5004, Width::Four, 4);
        assert_eq!(memory.read_words(0x5000, 2), [1, 0]);
        assert_eq!(copy.read_words(0x5000, 2), [1, 4]);
        assert_eq!(copy.difference(&memory), Some(0x5004));
        assert_eq!(
            (copy.read(0x5ffc, Width::Four), copy.pages().count()),
            (0, 2)
        );
    }

    #[test]
    fn shared_memory_ends() {
        let mut shared = Shared::new(16);
        shared.write(12, Width::Eight, 7);
        shared.write(8, Width::Eight, 9);
        assert_eq!(shared.read(8, Width::Four), 9);
        assert_eq!(shared.read(u64::MAX, Width::Four), 0);
        assert!(shared.holds(12, Width::Four) && !shared.holds(13, Width::Four));
    }
}
