//! A routed design as a picture: cells by what they are, and the long wires over them.

use super::def::Def;
use super::lef::Lef;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Shorter wires are left away, um: they would hide the cells, and make the picture ten times as large.
pub const SHORTEST_UM: f64 = 60.0;

/// Colours of cells, with what they are.
const CELLS: [(&str, &str); 3] = [
    ("flip-flops", "#3b6ea8"),
    ("buffers", "#c98a2b"),
    ("gates", "#b9c4cf"),
];

/// Colours of layers, by turns.
const WIRES: [&str; 6] = [
    "#555555", "#8a4f9e", "#2f8f5b", "#c0392b", "#16869c", "#7a6a00",
];

fn kind(cell: &str) -> Option<usize> {
    match cell {
        "FILL" => None,
        _ if cell.starts_with("DFF") => Some(0),
        _ if cell.contains("BUF") => Some(1),
        _ => Some(2),
    }
}

/// The picture, in micrometres.
pub fn svg(def: &Def, lef: &Lef) -> String {
    let (width, height) = def.die_um();
    let (left, top) = (def.die[0], def.die[3]);
    // The picture's y grows downwards.
    let x = |units: i64| (units - left) as f64 / def.units;
    let y = |units: i64| (top - units) as f64 / def.units;
    let mut cells = [const { String::new() }; CELLS.len()];
    for component in &def.components {
        let size = lef.cells.get(&component.kind);
        if let (Some(kind), Some((wide, high))) = (kind(&component.kind), size) {
            let (x, y) = (x(component.at.0), y(component.at.1) - high);
            // Writing to a String cannot fail.
            let _ = write!(
                cells[kind],
                "M{x:.1} {y:.1}h{wide:.1}v{high:.1}h-{wide:.1}z"
            );
        }
    }
    let mut wires: BTreeMap<&str, String> = BTreeMap::new();
    for segment in def.nets.iter().flat_map(|net| &net.segments) {
        if segment.length() as f64 / def.units >= SHORTEST_UM {
            let path = wires.entry(&segment.layer).or_default();
            let (from, to) = (segment.from, segment.to);
            let _ = write!(path, "M{:.1} {:.1}", x(from.0), y(from.1));
            let _ = match from.0 == to.0 {
                true => write!(path, "V{:.1}", y(to.1)),
                false => write!(path, "H{:.1}", x(to.0)),
            };
        }
    }
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 -24 {width:.0} {:.0}\" font-family=\"sans-serif\" font-size=\"12\">\n<rect y=\"-24\" width=\"{width:.0}\" height=\"{:.0}\" fill=\"#ffffff\"/>\n<rect width=\"{width:.0}\" height=\"{height:.0}\" fill=\"#f4f2ec\"/>\n",
        height + 24.0,
        height + 24.0
    );
    let mut legend = 4.0;
    let mut key = |text: &mut String, name: &str, colour: &str| {
        let _ = writeln!(
            text,
            "<rect x=\"{legend}\" y=\"-17\" width=\"10\" height=\"10\" fill=\"{colour}\"/><text x=\"{}\" y=\"-8\">{name}</text>",
            legend + 13.0
        );
        legend += 26.0 + 6.5 * name.len() as f64;
    };
    for ((name, colour), path) in CELLS.iter().zip(&cells) {
        let _ = writeln!(text, "<path d=\"{path}\" fill=\"{colour}\"/>");
        key(&mut text, name, colour);
    }
    for ((layer, path), colour) in wires.iter().zip(WIRES.iter().cycle()) {
        let _ = writeln!(
            text,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"0.4\" stroke-opacity=\"0.7\"/>"
        );
        key(&mut text, layer, colour);
    }
    text + "</svg>\n"
}
