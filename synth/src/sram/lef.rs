//! A macro as LEF: its size, its pins on the tracks of a process, and the layers that it blocks.

use super::Macro;
use super::pins::{Direction, pins};
use super::process::Process;
use crate::yosys::Memory;
use std::fmt::Write;

/// Tracks from one pin to the next, and from a corner to the first pin.
const PIN_TRACKS: i64 = 2;
/// Tracks that stay free at both ends of a side.
const CORNER_TRACKS: i64 = 10;

/// Width and height of a macro, nm: whole sites, the area of its figures as near as they allow, square unless the pins of
/// a side need more room.
pub fn size(memory: &Memory, figures: &Macro, process: &Process) -> (i64, i64) {
    let (site, row) = process.site;
    let area_nm2 = figures.area_mm2 * 1e12;
    let tracks = side(memory, Direction::Input).len().max(memory.bits) as i64 * PIN_TRACKS
        + 2 * CORNER_TRACKS;
    let needed = (tracks * process.signal.pitch) as f64;
    let rows = (area_nm2.sqrt().max(needed) / row as f64).ceil().max(1.0);
    let height = rows as i64 * row;
    let sites = (area_nm2 / height as f64 / site as f64).round().max(1.0);
    (sites as i64 * site, height)
}

/// The names of the pins on a side: inputs are on the left, outputs on the right.
fn side(memory: &Memory, direction: Direction) -> Vec<String> {
    pins(memory)
        .iter()
        .filter(|pin| pin.direction == direction)
        .flat_map(|pin| pin.names())
        .collect()
}

/// Nanometres as the micrometres of LEF.
fn um(nm: i64) -> String {
    let sign = if nm < 0 { "-" } else { "" };
    format!("{sign}{}.{:03}", nm.abs() / 1000, nm.abs() % 1000)
}

/// A rectangle: left, bottom, right, top.
fn rectangle([left, bottom, right, top]: [i64; 4]) -> String {
    format!(
        "RECT {} {} {} {} ;",
        um(left),
        um(bottom),
        um(right),
        um(top)
    )
}

/// The macro of a memory with these figures, which are those of the process.
pub fn lef(memory: &Memory, figures: &Macro, process: &Process) -> String {
    let name = &memory.module;
    let (width, height) = size(memory, figures, process);
    let (signal, power) = (&process.signal, &process.power);
    let mut text = format!(
        "VERSION 5.7 ;
BUSBITCHARS \"[]\" ;
DIVIDERCHAR \"/\" ;

MACRO {name}
  CLASS BLOCK ;
  ORIGIN 0 0 ;
  FOREIGN {name} 0 0 ;
  SIZE {} BY {} ;
  SYMMETRY X Y R90 ;
",
        um(width),
        um(height)
    );
    // Writing to a String cannot fail.
    let length = 2 * signal.width;
    for direction in [Direction::Input, Direction::Output] {
        let (word, left) = match direction {
            Direction::Input => ("INPUT", 0),
            Direction::Output => ("OUTPUT", width - length),
        };
        for (index, pin) in side(memory, direction).iter().enumerate() {
            let track = CORNER_TRACKS + PIN_TRACKS * index as i64;
            let bottom = signal.offset + track * signal.pitch - signal.width / 2;
            let usage = if pin == "clock" { "CLOCK" } else { "SIGNAL" };
            let shape = rectangle([left, bottom, left + length, bottom + signal.width]);
            let _ = write!(
                text,
                "  PIN {pin}
    DIRECTION {word} ;
    USE {usage} ;
    SHAPE ABUTMENT ;
    PORT
      LAYER {} ;
      {shape}
    END
  END {pin}
",
                signal.name
            );
        }
    }
    let straps = straps(width, process);
    let ends = [process.site.1, height - process.site.1];
    for (first, (pin, usage)) in [
        (process.supplies.0, "POWER"),
        (process.supplies.1, "GROUND"),
    ]
    .into_iter()
    .enumerate()
    {
        let _ = write!(
            text,
            "  PIN {pin}\n    DIRECTION INOUT ;\n    USE {usage} ;\n    PORT\n      LAYER {} ;\n",
            power.name
        );
        for &left in straps.iter().skip(first).step_by(2) {
            let shape = rectangle([left, ends[0], left + process.strap, ends[1]]);
            let _ = writeln!(text, "      {shape}");
        }
        let _ = write!(text, "    END\n  END {pin}\n");
    }
    text.push_str("  OBS\n");
    for layer in process.filled {
        let _ = write!(
            text,
            "    LAYER {layer} ;\n    {}\n",
            rectangle([0, 0, width, height])
        );
    }
    // The pins' layer is filled but for the two strips with the pins, the straps' but for the straps.
    let strip = length + signal.spacing;
    let _ = write!(
        text,
        "    LAYER {} ;\n    {}\n    LAYER {} ;\n",
        signal.name,
        rectangle([strip, 0, width - strip, height]),
        power.name
    );
    let mut left = 0;
    for strap in straps.into_iter().chain([width + power.spacing]) {
        let right = strap - power.spacing;
        let _ = writeln!(text, "    {}", rectangle([left, 0, right, height]));
        left = strap + process.strap + power.spacing;
    }
    let _ = write!(text, "  END\nEND {name}\n\nEND LIBRARY\n");
    text
}

/// Left edges of the power straps, power and ground by turns, at least one of each.
fn straps(width: i64, process: &Process) -> Vec<i64> {
    let room = width - process.strap - 2 * process.power.spacing;
    let pitch = process.strap_pitch.min(room / 3);
    let count = (room / pitch.max(1)).max(2);
    // On the grid of manufacturing, 5 nm.
    (0..count)
        .map(|index| (pitch / 2 + index * pitch) / 5 * 5)
        .collect()
}
