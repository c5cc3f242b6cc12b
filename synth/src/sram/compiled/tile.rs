//! Which macros a memory is tiled from, and what it costs then.

use super::wrapper::{Made, Wrapper, make};
use super::{Compiled, Macros};
use crate::error::Error;
use crate::library::Library;
use crate::sram::Macro;
use crate::yosys::{Design, Mapping, Memory};
use faultline_liberty::Text;
use serde::Serialize;

/// A memory of a design, tiled from copies of one macro. Memories that stand side by side, with the same clock, enable, write
/// and address, are tiled as one of their width.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tiling {
    /// The memory's module.
    pub memory: String,
    /// How many of it are tiled as one.
    pub side_by_side: usize,
    /// How many such groups the design has.
    pub groups: usize,
    /// The macro.
    #[serde(rename = "macro")]
    pub of: Compiled,
    /// Macros above each other, between which an address decides.
    pub rows: usize,
    /// Macros next to each other in a word.
    pub columns: usize,
    /// Area of a group's macros, µm².
    pub macro_area_um2: f64,
    /// Area of a group's decoders and multiplexers, as synthesized, µm².
    pub logic_area_um2: f64,
    /// Bits of a group's macros that no word uses, of each hundred.
    pub unused_percent: f64,
    /// The figures of a group.
    pub group: Macro,
    /// The same in a sentence.
    pub sentence: String,
}

/// How copies of a macro make a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Macros above each other.
    pub rows: usize,
    /// Macros next to each other.
    pub columns: usize,
    /// Bits of a word that a macro keeps: fewer than it has where each of them needs a mask of its own.
    pub bits: usize,
}

impl Grid {
    /// The grid of a macro for so many words and bits. A masked memory has a mask for each bit.
    pub fn of(macro_: &Compiled, words: usize, bits: usize, masked: bool) -> Self {
        let each = match masked {
            true => macro_.bits / macro_.mask_bits,
            false => macro_.bits,
        };
        Self {
            rows: words.div_ceil(macro_.words),
            columns: bits.div_ceil(each),
            bits: each,
        }
    }

    /// All of them.
    pub const fn macros(&self) -> usize {
        self.rows * self.columns
    }

    /// Area of all of them, µm².
    pub fn area_um2(&self, of: &Compiled) -> f64 {
        self.macros() as f64 * of.area_um2()
    }
}

/// The macros with their grids for a memory, those whose copies take the least area first.
pub fn candidates(
    macros: &[Compiled],
    words: usize,
    bits: usize,
    masked: bool,
) -> Vec<(&Compiled, Grid)> {
    let grids = macros
        .iter()
        .map(|of| (of, Grid::of(of, words, bits, masked)));
    let mut grids: Vec<(&Compiled, Grid)> = grids.collect();
    let area = |(of, grid): &(&Compiled, Grid)| grid.area_um2(of);
    grids.sort_by(|one, other| area(one).total_cmp(&area(other)));
    grids
}

impl Tiling {
    /// Puts the figures of a group together.
    fn new(
        memory: &Memory,
        side_by_side: usize,
        of: &Compiled,
        grid: Grid,
        made: &Made,
        cells_volts: Option<f64>,
    ) -> Self {
        let macros = grid.macros() as f64;
        let columns = grid.columns as f64;
        let macro_area_um2 = grid.area_um2(of);
        let group = Macro {
            area_mm2: (macro_area_um2 + made.area_um2) / 1e6,
            leakage_mw: macros * of.figures.leakage_mw,
            gate_leakage_mw: macros * of.figures.gate_leakage_mw,
            // An access is one of a row.
            read_pj: columns * of.figures.read_pj,
            write_pj: columns * of.figures.write_pj,
            access_ns: made.access_ns,
            cycle_ns: made.cycle_ns,
            setup_ns: Some(made.setup_ns),
        };
        let used = (memory.words * memory.bits * side_by_side) as f64;
        let mut tiling = Self {
            memory: memory.module.clone(),
            side_by_side,
            groups: memory.instances / side_by_side,
            of: of.clone(),
            rows: grid.rows,
            columns: grid.columns,
            macro_area_um2,
            logic_area_um2: made.area_um2,
            unused_percent: (1.0 - used / (macros * (of.words * of.bits) as f64)) * 100.0,
            group,
            sentence: String::new(),
        };
        tiling.sentence = tiling.in_words(memory, cells_volts);
        tiling
    }

    fn in_words(&self, memory: &Memory, cells_volts: Option<f64>) -> String {
        let of = &self.of;
        let several = match self.side_by_side {
            1 => String::new(),
            count => format!(", {count} side by side"),
        };
        let groups = match self.groups {
            1 => String::new(),
            count => format!(" in each of {count}"),
        };
        let logic = match self.logic_area_um2 > 0.0 {
            true => format!(
                "{:.0} um2 of decoders and multiplexers",
                self.logic_area_um2
            ),
            false => "no decoder or multiplexer".to_owned(),
        };
        let mask = match (memory.masked, of.mask_bits == of.bits) {
            (true, true) => ", each for one bit because it has no write mask".to_owned(),
            (true, false) if of.mask_bits > 1 => format!(
                ", of which each group of {} bits keeps one because they share a mask",
                of.mask_bits
            ),
            _ => String::new(),
        };
        let unknown = match of.unknown.as_slice() {
            [] => String::new(),
            names => format!(" Its file does not say its {}.", names.join(" and its ")),
        };
        let voltage = match cells_volts {
            Some(volts) if (volts - of.volts).abs() > 0.05 => format!(
                " It is for {} V and the cells are for {volts} V: their areas belong together only if both are of one process.",
                of.volts
            ),
            _ => String::new(),
        };
        format!(
            "{}{several}: {} of {} ({} words x {} bits, {}, {:.0} um2){groups}, {} deep and {} wide{mask}, {:.0} % of their bits \
             unused, with {logic}; {:.3} ns to read.{unknown}{voltage}",
            self.memory,
            self.rows * self.columns,
            of.name,
            of.words,
            of.bits,
            of.ports,
            of.area_um2(),
            self.rows,
            self.columns,
            self.unused_percent,
            self.group.access_ns
        )
    }

    /// The figures of one memory, when those side by side share what they take.
    pub fn figures(&self) -> Macro {
        let parts = self.side_by_side as f64;
        Macro {
            area_mm2: self.group.area_mm2 / parts,
            leakage_mw: self.group.leakage_mw / parts,
            gate_leakage_mw: self.group.gate_leakage_mw / parts,
            read_pj: self.group.read_pj / parts,
            write_pj: self.group.write_pj / parts,
            ..self.group
        }
    }
}

/// Tiles each memory of a design from copies of the macro with which it takes the least area, logic and all.
///
/// # Errors
/// If there is no macro, or what is between the macros cannot be synthesized and timed.
pub fn tile(
    macros: &Macros,
    design: &Design,
    library: &Library,
    target_ps: u32,
    mapping: Mapping,
) -> Result<Vec<Tiling>, Error> {
    let cells_volts = volts(library);
    let tilings = design.memories.iter().map(|memory| {
        let side_by_side = side_by_side(design, memory);
        let bits = memory.bits * side_by_side;
        let mut least: Option<(&Compiled, Grid, Made)> = None;
        for (of, grid) in candidates(&macros.list, memory.words, bits, memory.masked) {
            let taken = least.map(|(of, grid, made)| grid.area_um2(of) + made.area_um2);
            // Those that follow have more area without their logic.
            if taken.is_some_and(|taken| grid.area_um2(of) >= taken) {
                break;
            }
            let wrapper = Wrapper {
                words: memory.words,
                bits,
                masked: memory.masked,
                of,
                grid,
            };
            let made = make(&wrapper, library, target_ps, mapping)?;
            if taken.is_none_or(|taken| grid.area_um2(of) + made.area_um2 < taken) {
                least = Some((of, grid, made));
            }
        }
        let (of, grid, made) = least.ok_or_else(|| Error::SramLiberty {
            path: macros.provenance.clone(),
            reason: "there is none".to_owned(),
        })?;
        Ok(Tiling::new(
            memory,
            side_by_side,
            of,
            grid,
            &made,
            cells_volts,
        ))
    });
    tilings.collect()
}

/// Supply of a library's cells, V.
fn volts(library: &Library) -> Option<f64> {
    let text = Text::read(library.text()).ok()?;
    let tree = text.tree();
    let mut conditions = tree.groups("operating_conditions");
    let of_conditions = conditions.find_map(|conditions| conditions.number("voltage"));
    of_conditions.or_else(|| tree.number("nom_voltage"))
}

/// How many instances of a memory stand side by side in a module that gives all of them the same clock, enable, write and
/// address: the exporter calls it `memory_32_of_64x64` for 32 of `sram_64x64`. 1 if an instance is anywhere else.
fn side_by_side(design: &Design, memory: &Memory) -> usize {
    let end = format!("_of_{}x{}", memory.words, memory.bits);
    let mut module = "";
    let mut found = None;
    for line in design.verilog.lines().map(str::trim_start) {
        let mut words = line.split(|letter: char| letter.is_whitespace() || letter == '(');
        match words.next() {
            Some("module") => module = words.next().unwrap_or_default(),
            Some(name) if name == memory.module => {
                let count = module
                    .strip_prefix("memory_")
                    .and_then(|rest| rest.strip_suffix(&end));
                let count = count.and_then(|count| count.parse::<usize>().ok());
                if count.is_none() || (found.is_some() && found != count) {
                    return 1;
                }
                found = count;
            }
            _ => {}
        }
    }
    found
        .filter(|&count| count > 0 && memory.instances.is_multiple_of(count))
        .unwrap_or(1)
}
