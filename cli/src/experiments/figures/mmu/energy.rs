//! Energy and area of designs of an MMU, from the blocks of this project: what a structure takes for an access, and how often it is
//! accessed.

use super::Cell;

/// Energy of a check, pJ, in an L1 TLB of so many entries: what its registers and logic take in a cycle of random traffic at 1 GHz.
pub const L1_32: f64 = 14.9;
pub const L1_64: f64 = 20.4;
pub const L1_128: f64 = 28.3;
/// Their areas, um².
pub const L1_32_AREA: f64 = 34_571.0;
pub const L1_64_AREA: f64 = 61_246.0;
pub const L1_128_AREA: f64 = 111_374.0;
/// Energy of an access, pJ, of an L2 TLB and of the page-walk cache of 8 KB: what their memories take with an access in each cycle of
/// 1 GHz.
pub const L2_512: f64 = 21.1;
pub const L2_1024: f64 = 34.7;
pub const CACHE: f64 = 28.6;
/// Their areas, um², and that of the walker.
pub const L2_512_AREA: f64 = 30_361.0;
pub const L2_1024_AREA: f64 = 46_324.0;
pub const CACHE_AREA: f64 = 45_321.0;
pub const WALKER_AREA: f64 = 44_603.0;
/// Levels of page tables: a walk looks up as many entries.
const LEVELS: f64 = 4.0;

/// A design of Figure 12.
pub struct Design {
    pub label: &'static str,
    /// Entries, energy and area of each L1 TLB.
    l1: (u64, f64, f64),
    /// Energy and area of the L2 TLB, if there is one.
    l2: Option<(f64, f64)>,
    /// There is a page-walk cache.
    has_cache: bool,
    /// The paper's energy beside design 2, %, where it prints it (section 6.5).
    pub paper: Option<f64>,
}

pub const DESIGNS: [Design; 4] = [
    Design {
        label: "2",
        l1: (128, L1_128, L1_128_AREA),
        l2: None,
        has_cache: false,
        paper: Some(100.0),
    },
    Design {
        label: "3",
        l1: (64, L1_64, L1_64_AREA),
        l2: None,
        has_cache: true,
        paper: Some(80.0),
    },
    Design {
        label: "shared-l2",
        l1: (64, L1_64, L1_64_AREA),
        l2: Some((L2_1024, L2_1024_AREA)),
        has_cache: false,
        paper: None,
    },
    Design {
        label: "shared-l2-pwc",
        l1: (32, L1_32, L1_32_AREA),
        l2: Some((L2_512, L2_512_AREA)),
        has_cache: true,
        paper: Some(125.0),
    },
];

impl Design {
    /// Dynamic energy of a run, nJ: of the L1 TLBs, of the L2 TLB, and of the page-walk cache.
    pub fn energy(&self, cell: &Cell) -> [f64; 3] {
        let walks = (cell.walks - cell.from_tlb) as f64;
        let l1 = cell.lines as f64 * self.l1.1;
        let l2 = self
            .l2
            .map_or(0.0, |(access, _)| cell.walks as f64 * access);
        let cache = if self.has_cache { CACHE } else { 0.0 };
        [l1, l2, LEVELS * walks * cache].map(|energy| energy / 1000.0)
    }

    /// The area of the MMU of so many SMs, mm².
    pub fn area(&self, sms: u64) -> f64 {
        let l1 = sms as f64 * self.l1.2;
        let l2 = self.l2.map_or(0.0, |(_, area)| area);
        let cache = if self.has_cache { CACHE_AREA } else { 0.0 };
        (l1 + l2 + cache + WALKER_AREA) / 1e6
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ENERGY, VARIANTS};
    use super::*;

    /// The designs are those that run, with as many entries.
    #[test]
    fn designs_are_those_that_run() {
        let of_energy = VARIANTS
            .iter()
            .filter(|variant| variant.figures.contains(&ENERGY));
        let labels = of_energy.map(|variant| variant.label);
        assert!(labels.eq(DESIGNS.iter().map(|design| design.label)));
        for variant in VARIANTS {
            let design = DESIGNS.iter().find(|design| design.label == variant.label);
            if let Some(design) = design {
                let config = variant.config(16).unwrap();
                let entries = u64::from(config.l1_tlb.entries);
                assert_eq!(entries, design.l1.0, "{}", design.label);
                assert_eq!(config.gmmu.l2_tlb, design.l2.is_some());
            }
        }
    }

    #[test]
    fn a_design_takes_what_its_parts_take() {
        let cell = Cell {
            variant: "3".to_owned(),
            cycles: 1,
            lines: 1_000,
            missed: 100,
            walks: 100,
            spared: 0,
            ahead: 0,
            from_tlb: 40,
            faults: 0,
        };
        let shared = DESIGNS[3].energy(&cell);
        let expected = [L1_32, 100.0 * L2_512 / 1000.0, 240.0 * CACHE / 1000.0];
        assert_eq!(shared, expected);
        let two = DESIGNS[0].energy(&cell);
        assert_eq!(two, [L1_128, 0.0, 0.0]);
        let areas = DESIGNS.map(|design| design.area(16));
        assert!(areas[1..].iter().all(|area| *area < areas[0]), "{areas:?}");
        assert!(areas[3] < areas[1] && areas[3] < areas[2], "{areas:?}");
    }
}
