//! A trace as what the SMs access.

use super::pattern::DATA;
use super::{Access, Phase, SmWork, Work};
use crate::trace::{Instruction, LANES, Reader, SM_BLOCKS, SM_WARPS, Trace, TraceError, Warp};

/// Bits of an address inside a page of 4 KB, and of a page number.
const INSIDE_BITS: u32 = 12;
const PAGE_BITS: u32 = 36;

impl Work {
    /// The kernels of a trace, one after the other, each on so many SMs: thread blocks go to the SMs in turn, and to the
    /// places of an SM. An instruction takes a cycle of its warp, one that accesses memory 300 more.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn of_trace(name: String, trace: &Trace, sms: usize) -> Result<Self, TraceError> {
        let readers = trace.readers();
        let phases = readers.map(|reader| phase(reader?, sms));
        Ok(Self {
            name,
            phases: phases.collect::<Result<_, _>>()?,
        })
    }
}

fn phase(mut reader: Reader<'_>, sms: usize) -> Result<Phase, TraceError> {
    let each = reader.kernel().warps_per_block().max(1);
    let places = (SM_WARPS / each).clamp(1, SM_BLOCKS) as usize;
    let each = each as usize;
    let mut phase = vec![SmWork::default(); sms];
    let mut blocks = 0;
    while let Some(block) = reader.next_block()? {
        let (sm, place) = (blocks % sms, blocks / sms % places);
        blocks += 1;
        let warps = &mut phase[sm].warps;
        if warps.len() < (place + 1) * each {
            warps.resize((place + 1) * each, Vec::new());
        }
        for warp in &block.warps {
            if let Some(accesses) = warps.get_mut(place * each + warp.number as usize) {
                append(accesses, warp);
            }
        }
    }
    Ok(phase)
}

/// The pages that a warp accesses.
fn append(accesses: &mut Vec<Access>, warp: &Warp) {
    let mut after = 1;
    for instruction in &warp.instructions {
        let pages = pages(instruction);
        for (number, &page) in pages.iter().enumerate() {
            let after = if number == 0 { after } else { 0 };
            accesses.push(Access { page, after });
        }
        after = match pages.len() {
            0 => after.saturating_add(1),
            _ => DATA + 1,
        };
    }
}

/// The pages of a global-memory instruction, each once.
fn pages(instruction: &Instruction) -> Vec<u64> {
    let mut pages = Vec::new();
    if let Some(access) = instruction.global() {
        for lane in (0..LANES).filter(|lane| instruction.mask >> lane & 1 == 1) {
            let first = access.addresses[lane];
            let last = first.saturating_add(u64::from(access.width).saturating_sub(1));
            for address in [first, last] {
                let page = address >> INSIDE_BITS & ((1 << PAGE_BITS) - 1);
                if !pages.contains(&page) {
                    pages.push(page);
                }
            }
        }
    }
    pages
}
