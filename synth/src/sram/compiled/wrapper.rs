//! What is between the macros of a tiled memory: the decoder of their rows and the multiplexer of their outputs.

use super::Compiled;
use super::tile::Grid;
use crate::error::Error;
use crate::library::Library;
use crate::sram::SETUP_NS;
use crate::sram::verilog::model;
use crate::sta;
use crate::yosys::{Design, Mapping, Memory, address_bits, synthesize_with};
use std::fmt::Write;

/// A memory that is to be tiled.
#[derive(Clone, Copy, Debug)]
pub struct Wrapper<'a> {
    /// Words.
    pub words: usize,
    /// Bits of a word.
    pub bits: usize,
    /// A write has a mask for each bit.
    pub masked: bool,
    /// The macro.
    pub of: &'a Compiled,
    /// How many of it.
    pub grid: Grid,
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Made {
    /// Area of the logic, µm².
    pub area_um2: f64,
    /// Clock to data, through the multiplexer, ns.
    pub access_ns: f64,
    /// Setup of the inputs, through the decoder, ns.
    pub setup_ns: f64,
    /// Shortest time between two accesses, ns.
    pub cycle_ns: f64,
}

/// Synthesizes and times what is between the macros, if there is anything.
///
/// # Errors
/// If a tool is missing or fails.
pub fn make(
    wrapper: &Wrapper<'_>,
    library: &Library,
    target_ps: u32,
    mapping: Mapping,
) -> Result<Made, Error> {
    let figures = wrapper.of.figures;
    let setup_ns = figures.setup_ns.unwrap_or(SETUP_NS);
    let direct = Made {
        area_um2: 0.0,
        access_ns: figures.access_ns,
        setup_ns,
        cycle_ns: figures.cycle_ns,
    };
    if wrapper.grid.rows == 1 && !wrapper.gates_writes() {
        return Ok(direct);
    }
    let tile = wrapper.tile();
    let design = Design {
        top: wrapper.top(),
        verilog: wrapper.verilog(),
        memories: vec![tile.clone()],
    };
    let netlist = synthesize_with(&design, library, target_ps, mapping)?;
    let timing = sta::time(&netlist, library, &[(tile, figures)])?;
    let ns = |path: Option<sta::Path>| path.map_or(0.0, |path| path.ns);
    Ok(Made {
        area_um2: netlist.area_um2,
        access_ns: ns(timing.output).max(figures.access_ns),
        setup_ns: ns(timing.input).max(setup_ns),
        cycle_ns: ns(timing.register).max(figures.cycle_ns),
    })
}

impl Wrapper<'_> {
    /// Whether a macro without a mask keeps a bit that has one, so that its write is gated.
    fn gates_writes(&self) -> bool {
        self.masked && self.of.mask_bits == self.of.bits
    }

    /// The macro with the ports of the blocks' memories.
    fn tile(&self) -> Memory {
        let (words, bits) = (self.of.words, self.of.bits);
        Memory {
            module: format!("tile_{words}x{bits}"),
            words,
            bits,
            masked: false,
            instances: self.grid.macros(),
        }
    }

    fn top(&self) -> String {
        let masked = if self.masked { "_masked" } else { "" };
        format!("tiled_{}x{}{masked}", self.words, self.bits)
    }

    /// The module. The row of an address reads or writes; what is shown is the row that was read last. Masks that the macros
    /// have go straight to them, and are left out.
    pub fn verilog(&self) -> String {
        let Grid { rows, columns, .. } = self.grid;
        let tile = self.tile();
        let width = columns * tile.bits;
        let last = |bits: usize| bits - 1;
        let mask = match self.gates_writes() {
            true => format!("  input [{}:0] mask,\n", last(self.bits)),
            false => String::new(),
        };
        let mut text = format!(
            "module {} (\n  input clock,\n  input enable,\n  input write,\n  input [{}:0] address,\n  input [{}:0] data,\n{mask}  output [{}:0] q\n);\n",
            self.top(),
            last(address_bits(self.words)),
            last(self.bits),
            last(self.bits),
        );
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  reg [{}:0] shown;", last(rows));
        let _ = writeln!(text, "  wire [{}:0] row;", last(rows));
        for row in 0..rows {
            let (select, near) = self.decoder(row);
            let _ = writeln!(text, "  assign row[{row}] = {select};");
            let _ = writeln!(
                text,
                "  wire [{}:0] near_{row} = {near};",
                last(address_bits(tile.words))
            );
            let _ = writeln!(text, "  wire [{}:0] q_{row};", last(width));
            for column in 0..columns {
                let gate = match self.gates_writes() {
                    true => format!(" & (!write | mask[{column}])"),
                    false => String::new(),
                };
                let _ = writeln!(
                    text,
                    "  {} m_{row}_{column} (.clock(clock), .enable(enable & row[{row}]{gate}), .write(write), .address(near_{row}), .data({}), .q(q_{row}[{}:{}]));",
                    tile.module,
                    self.data(column),
                    last((column + 1) * tile.bits),
                    column * tile.bits,
                );
            }
        }
        let _ = writeln!(
            text,
            "  always @(posedge clock) if (enable & !write) shown <= row;"
        );
        for bit in 0..self.bits {
            let place = self.place(bit);
            let shown = match rows {
                1 => format!("q_0[{place}]"),
                _ => (0..rows)
                    .map(|row| format!("(shown[{row}] & q_{row}[{place}])"))
                    .collect::<Vec<_>>()
                    .join(" | "),
            };
            let _ = writeln!(text, "  assign q[{bit}] = {shown};");
        }
        text + "endmodule\n" + &model(&tile)
    }

    /// Whether an address is in a row, and where in it.
    fn decoder(&self, row: usize) -> (String, String) {
        let words = self.of.words;
        let (own, of_row) = (address_bits(self.words), address_bits(words));
        let first = row * words;
        if self.grid.rows == 1 {
            let near = match of_row > own {
                true => format!("{{{}'b0, address}}", of_row - own),
                false => "address".to_owned(),
            };
            return ("1'b1".to_owned(), near);
        }
        if words.is_power_of_two() {
            let high = own - of_row;
            return (
                format!("address[{}:{of_row}] == {high}'d{row}", own - 1),
                format!("address[{}:0]", of_row - 1),
            );
        }
        let above = match row {
            0 => String::new(),
            _ => format!("(address >= {own}'d{first})"),
        };
        let below = match row + 1 == self.grid.rows {
            true => String::new(),
            false => format!("(address < {own}'d{})", first + words),
        };
        let parts: Vec<&str> = [above.as_str(), &below]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect();
        (parts.join(" & "), format!("address - {own}'d{first}"))
    }

    /// Where a bit of a word is in the words of its row.
    fn place(&self, bit: usize) -> usize {
        let kept = self.grid.bits;
        let apart = self.of.bits / kept;
        bit / kept * self.of.bits + bit % kept * apart
    }

    /// What a column writes.
    fn data(&self, column: usize) -> String {
        let kept = self.grid.bits;
        let first = column * kept;
        let count = kept.min(self.bits - first);
        let apart = self.of.bits / kept;
        if apart == 1 {
            let rest = kept - count;
            let zeros = match rest {
                0 => String::new(),
                _ => format!("{rest}'b0, "),
            };
            return format!("{{{zeros}data[{}:{first}]}}", first + count - 1);
        }
        let mut parts: Vec<String> = (0..count)
            .map(|bit| format!("{}'b0, data[{}]", apart - 1, first + bit))
            .collect();
        let rest = (kept - count) * apart;
        if rest > 0 {
            parts.push(format!("{rest}'b0"));
        }
        parts.reverse();
        format!("{{{}}}", parts.join(", "))
    }
}
