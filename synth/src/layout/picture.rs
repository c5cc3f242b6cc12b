//! A routed design as a picture: rows, cells by what they are, the wires of each layer over them, and the ports around.

use super::def::{Def, Segment};
use super::lef::Lef;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Shorter wires are left away, um: they would hide the cells, and make the picture several times as large.
pub const SHORTEST_UM: f64 = 20.0;

/// Colours of cells, with what they are.
const CELLS: [(&str, &str); 4] = [
    ("flip-flops", "#7f9fc6"),
    ("clock tree", "#d03a2b"),
    ("buffers", "#e2c78f"),
    ("gates", "#cdd5dc"),
];

/// Colours of layers, by turns.
const WIRES: [&str; 6] = [
    "#555555", "#8a4f9e", "#1f7f4b", "#c0562b", "#167f9c", "#7a6a00",
];

/// The width of a die, um, whose title and key are as large as they are written below; those of others grow with them.
const WIDTH_UM: f64 = 620.0;
/// Room for title and key, and around the die, um.
const HEAD: f64 = 44.0;
const EDGE: f64 = 8.0;

fn kind(cell: &str) -> usize {
    match cell {
        _ if cell.starts_with("DFF") => 0,
        _ if cell.starts_with("CLKBUF") => 1,
        _ if cell.starts_with("BUF") => 2,
        _ => 3,
    }
}

/// The picture, in micrometres; its title has the design and how full it is.
pub fn svg(title: &str, def: &Def, lef: &Lef) -> String {
    let (width, height) = def.die_um();
    let view = Drawing { def, lef };
    let scale = width / WIDTH_UM;
    let (head, edge) = (HEAD * scale, EDGE * scale);
    let (wide, high) = (width + 2.0 * edge, height + head + edge);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-{edge:.1} -{head:.1} {wide:.1} {high:.1}\" font-family=\"sans-serif\" font-size=\"11\">
<rect x=\"-{edge:.1}\" y=\"-{head:.1}\" width=\"{wide:.1}\" height=\"{high:.1}\" fill=\"#ffffff\"/>
<rect width=\"{width:.1}\" height=\"{height:.1}\" fill=\"#fbfaf7\" stroke=\"#333333\" stroke-width=\"0.8\"/>
<path d=\"{rows}\" fill=\"#efece4\"/>
",
        rows = view.rows(),
    );
    let mut key = Key::default();
    for ((name, colour), path) in CELLS.iter().zip(view.cells()) {
        let _ = writeln!(text, "<path d=\"{path}\" fill=\"{colour}\"/>");
        key.add(name, colour);
    }
    for ((layer, path), colour) in view.wires().iter().zip(WIRES.iter().cycle()) {
        let _ = writeln!(
            text,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"0.4\" stroke-opacity=\"0.75\"/>"
        );
        key.add(layer, colour);
    }
    for (name, path, colour, line) in [
        ("supply", view.stripes(), "#9a8f6a", 1.6),
        ("ports", view.pins(5.0 * scale), "#000000", 0.9),
    ] {
        let _ = writeln!(
            text,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{line}\" stroke-opacity=\"0.7\"/>"
        );
        key.add(name, colour);
    }
    let _ = write!(
        text,
        "<g transform=\"scale({scale:.3})\">\n<text y=\"-28\" font-size=\"14\" font-weight=\"bold\">{title}</text>\n{}</g>\n</svg>\n",
        key.text
    );
    text
}

/// The names of the colours, in a line under the title.
#[derive(Default)]
struct Key {
    text: String,
    left: f64,
}

impl Key {
    fn add(&mut self, name: &str, colour: &str) {
        // Writing to a String cannot fail.
        let _ = writeln!(
            self.text,
            "<rect x=\"{:.0}\" y=\"-17\" width=\"9\" height=\"9\" fill=\"{colour}\"/><text x=\"{:.0}\" y=\"-9\">{name}</text>",
            self.left,
            self.left + 12.0
        );
        self.left += 24.0 + 5.8 * name.len() as f64;
    }
}

struct Drawing<'a> {
    def: &'a Def,
    lef: &'a Lef,
}

impl Drawing<'_> {
    /// A point of the DEF in the picture, whose y grows downwards.
    fn at(&self, (x, y): (i64, i64)) -> (f64, f64) {
        let um = |units: i64| units as f64 / self.def.units;
        (um(x - self.def.die[0]), um(self.def.die[3] - y))
    }

    /// The rows, from their first cell to the end of their last one, fill among them.
    fn rows(&self) -> String {
        let mut rows: BTreeMap<i64, (f64, f64, f64)> = BTreeMap::new();
        for cell in &self.def.components {
            if let Some(&(wide, high)) = self.lef.cells.get(&cell.kind) {
                let (x, _) = self.at(cell.at);
                let row = rows.entry(cell.at.1).or_insert((x, x, high));
                *row = (row.0.min(x), row.1.max(x + wide), high);
            }
        }
        let rows = rows.iter().map(|(&y, &(left, right, high))| {
            let (_, bottom) = self.at((0, y));
            // A gap, so that one row can be told from the next.
            let (top, high) = (bottom - high + 0.4, high - 0.8);
            format!("M{left:.1} {top:.1}H{right:.1}v{high:.1}H{left:.1}z")
        });
        rows.collect()
    }

    fn cells(&self) -> [String; CELLS.len()] {
        let mut paths = [const { String::new() }; CELLS.len()];
        for cell in self.def.cells() {
            if let Some((wide, high)) = self.lef.cells.get(&cell.kind) {
                let (x, y) = self.at(cell.at);
                let (x, y, wide, high) = (x + 0.2, y - high + 0.8, wide - 0.4, high - 1.6);
                let _ = write!(
                    paths[kind(&cell.kind)],
                    "M{x:.1} {y:.1}h{wide:.1}v{high:.1}h-{wide:.1}z"
                );
            }
        }
        paths
    }

    fn wires(&self) -> BTreeMap<&str, String> {
        let mut paths: BTreeMap<&str, String> = BTreeMap::new();
        for wire in self.def.nets.iter().flat_map(|net| &net.segments) {
            if wire.length() as f64 / self.def.units >= SHORTEST_UM {
                *paths.entry(&wire.layer).or_default() += &self.line(wire);
            }
        }
        paths
    }

    fn stripes(&self) -> String {
        let wires = self.def.stripes.iter().map(|wire| self.line(wire));
        // A stripe is there once for each row that it passes.
        wires.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// A line outwards at each port.
    fn pins(&self, length: f64) -> String {
        let (width, height) = self.def.die_um();
        let lines = self.def.pins.iter().map(|&pin| {
            let (x, y) = self.at(pin);
            let sides = [(x, "h-"), (width - x, "h"), (y, "v-"), (height - y, "v")];
            let near = sides.iter().min_by(|one, other| one.0.total_cmp(&other.0));
            let way = near.map_or("h", |side| side.1);
            format!("M{x:.1} {y:.1}{way}{length:.1}")
        });
        lines.collect()
    }

    fn line(&self, wire: &Segment) -> String {
        let ((x, y), (to_x, to_y)) = (self.at(wire.from), self.at(wire.to));
        match wire.from.0 == wire.to.0 {
            true => format!("M{x:.1} {y:.1}V{to_y:.1}"),
            false => format!("M{x:.1} {y:.1}H{to_x:.1}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_has_title_cells_long_wires_and_ports() {
        let def = Def::parse(
            "UNITS DISTANCE MICRONS 100 ;
DIEAREA ( 0 0 ) ( 62000 31000 ) ;
COMPONENTS 2 ;
- FILL_0 FILL + PLACED ( 0 0 ) N ;
- DFFPOSX1_1 DFFPOSX1 + PLACED ( 1000 0 ) N ;
END COMPONENTS
PINS 1 ;
- q + NET q + LAYER metal3 ( -15 -15 ) ( 15 15 ) + PLACED ( 62000 500 ) N ;
END PINS
NETS 1 ;
- q ( DFFPOSX1_1 Q ) ( PIN q )
+ ROUTED metal2 ( 1100 500 ) ( * 600 ) M3_M2
  NEW metal3 ( 1100 600 ) ( 62000 * ) ;
END NETS
",
        )
        .unwrap();
        let lef = Lef::parse("MACRO DFFPOSX1\n SIZE 9.6 BY 10 ;\nEND DFFPOSX1\n");
        let text = svg("shift", &def, &lef);
        assert!(text.contains("M10.2 300.8h9.2v8.4h-9.2z"), "{text}");
        assert!(text.contains("M11.0 304.0H620.0") && !text.contains("metal2"));
        assert!(text.contains("M620.0 305.0h5.0"));
        assert!(text.contains(">shift</text>") && text.contains(">metal3</text>"));
        assert!(text.ends_with("</g>\n</svg>\n"));
    }
}
