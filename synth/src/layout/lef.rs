//! What of the cells' LEF is of interest: the wires of its layers, and the sizes of the cells.

use std::collections::BTreeMap;

/// A wire of a layer's own width.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wire {
    /// Its width, um.
    pub width_um: f64,
    /// Capacitance of an area, pF/um2.
    pub area_pf: f64,
    /// Capacitance of an edge, pF/um.
    pub edge_pf: f64,
}

impl Wire {
    /// The capacitance of a wire of this length, um, both edges counted.
    pub fn femtofarads(&self, length_um: f64) -> f64 {
        length_um * (self.width_um * self.area_pf + 2.0 * self.edge_pf) * 1e3
    }
}

/// Layers and cells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lef {
    /// The wires of each routing layer.
    pub layers: BTreeMap<String, Wire>,
    /// Width and height of each cell, um.
    pub cells: BTreeMap<String, (f64, f64)>,
}

impl Lef {
    /// Reads a LEF with layers and cells; what it has not is missing.
    pub fn parse(text: &str) -> Self {
        let mut lef = Self::default();
        let (mut layer, mut cell) = (None, None);
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let wire = |lef: &mut Self, set: fn(&mut Wire, f64), value: &str| {
                let found = layer.and_then(|name: &str| lef.layers.get_mut(name));
                if let (Some(wire), Ok(value)) = (found, value.parse()) {
                    set(wire, value);
                }
            };
            match words[..] {
                ["LAYER", name] => layer = Some(name),
                ["END", name] if layer == Some(name) => layer = None,
                ["MACRO", name] => cell = Some(name),
                ["TYPE", "ROUTING", ";"] => {
                    if let Some(name) = layer {
                        lef.layers.insert(name.to_owned(), Wire::default());
                    }
                }
                ["WIDTH", value, ";"] => wire(&mut lef, |wire, value| wire.width_um = value, value),
                ["CAPACITANCE", "CPERSQDIST", value, ";"] => {
                    wire(&mut lef, |wire, value| wire.area_pf = value, value);
                }
                ["EDGECAPACITANCE", value, ";"] => {
                    wire(&mut lef, |wire, value| wire.edge_pf = value, value);
                }
                ["SIZE", width, "BY", height, ";"] => {
                    if let (Some(name), Ok(width), Ok(height)) =
                        (cell, width.parse(), height.parse())
                    {
                        lef.cells.insert(name.to_owned(), (width, height));
                    }
                }
                _ => {}
            }
        }
        lef
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_and_cells_are_read() {
        let text = "LAYER metal1\n TYPE ROUTING ;\n WIDTH 0.3 ;\n CAPACITANCE CPERSQDIST 3.8e-05 ;\n EDGECAPACITANCE 8.0e-05 ;\nEND metal1\nLAYER via\n TYPE CUT ;\nEND via\nMACRO INVX1\n SIZE 1.6 BY 10 ;\nEND INVX1\n";
        let lef = Lef::parse(text);
        assert_eq!(lef.cells["INVX1"], (1.6, 10.0));
        assert_eq!(lef.layers.len(), 1);
        // 100 um: 100 x (0.3 x 0.038 + 2 x 0.08) fF.
        assert!((lef.layers["metal1"].femtofarads(100.0) - 17.14).abs() < 1e-9);
    }
}
