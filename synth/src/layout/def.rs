//! What of a routed DEF is of interest: cells in their places, and the wires of each net.

use std::collections::BTreeMap;

/// A cell in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// Its cell of the library.
    pub kind: String,
    /// Left and lower edge, in the DEF's units.
    pub at: (i64, i64),
}

/// A straight wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Its layer.
    pub layer: String,
    /// Where it begins, in the DEF's units.
    pub from: (i64, i64),
    /// Where it ends.
    pub to: (i64, i64),
}

impl Segment {
    /// Its length, in the DEF's units.
    pub fn length(&self) -> i64 {
        (self.to.0 - self.from.0).abs() + (self.to.1 - self.from.1).abs()
    }
}

/// The wires of a net.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Net {
    /// Its name.
    pub name: String,
    /// Its wires.
    pub segments: Vec<Segment>,
    /// How many vias join them.
    pub vias: usize,
}

/// A routed design.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Def {
    /// Units in a micrometre.
    pub units: f64,
    /// Lower left and upper right corner of the die.
    pub die: [i64; 4],
    /// The cells, fill among them.
    pub components: Vec<Component>,
    /// Where the ports are that are no supply, in the DEF's units.
    pub pins: Vec<(i64, i64)>,
    /// The nets that have wires; supplies are not among them.
    pub nets: Vec<Net>,
    /// The stripes of the supplies.
    pub stripes: Vec<Segment>,
}

impl Def {
    /// Reads a DEF; the error says what is missing.
    ///
    /// # Errors
    /// If it has no units, no die or no cells.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut def = Self::default();
        let mut section = "";
        for statement in statements(text) {
            match statement[..] {
                ["UNITS", "DISTANCE", "MICRONS", units] => {
                    def.units = units.parse().unwrap_or(0.0);
                }
                ["DIEAREA", "(", left, bottom, ")", "(", right, top, ")"] => {
                    let corners = [left, bottom, right, top].map(|number| number.parse());
                    let [Ok(left), Ok(bottom), Ok(right), Ok(top)] = corners else {
                        return Err("its die has no corners".to_owned());
                    };
                    def.die = [left, bottom, right, top];
                }
                [
                    name @ ("COMPONENTS" | "PINS" | "NETS" | "SPECIALNETS" | "VIAS"),
                    _,
                ] => section = name,
                ["-", ..] => match section {
                    "COMPONENTS" => def.components.extend(component(&statement)),
                    "PINS" if !is_supply(&statement) => {
                        def.pins.extend(place(&statement, "PLACED"));
                    }
                    "SPECIALNETS" if is_supply(&statement) => {
                        def.stripes.extend(stripes(&statement));
                    }
                    "NETS" => {
                        def.nets
                            .extend(net(&statement).filter(|net| !net.segments.is_empty()));
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        match def.units > 0.0 && def.die[2] > def.die[0] && !def.components.is_empty() {
            true => Ok(def),
            false => Err("its DEF has no units, no die or no cells".to_owned()),
        }
    }

    /// The cells that are no fill.
    pub fn cells(&self) -> impl Iterator<Item = &Component> {
        self.components.iter().filter(|cell| cell.kind != "FILL")
    }

    /// Width and height of the die, um.
    pub fn die_um(&self) -> (f64, f64) {
        let [left, bottom, right, top] = self.die;
        (
            (right - left) as f64 / self.units,
            (top - bottom) as f64 / self.units,
        )
    }

    /// The length of the wires on each layer, um.
    pub fn wires_um(&self) -> BTreeMap<String, f64> {
        let mut lengths = BTreeMap::new();
        for segment in self.nets.iter().flat_map(|net| &net.segments) {
            *lengths.entry(segment.layer.clone()).or_insert(0.0) +=
                segment.length() as f64 / self.units;
        }
        lengths
    }
}

/// The words of each statement, which a semicolon ends; `END ...` is one without.
fn statements(text: &str) -> Vec<Vec<&str>> {
    let mut all = Vec::new();
    let mut words = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("END ") {
            words.clear();
            continue;
        }
        for word in line.split_whitespace() {
            match word {
                ";" => all.push(std::mem::take(&mut words)),
                word => words.push(word),
            }
        }
    }
    all
}

fn is_supply(statement: &[&str]) -> bool {
    matches!(statement.get(1), Some(&("vdd" | "gnd")))
}

fn component(statement: &[&str]) -> Option<Component> {
    Some(Component {
        kind: (*statement.get(2)?).to_owned(),
        at: place(statement, "PLACED")?,
    })
}

/// The point after a word: `PLACED ( x y )`.
fn place(statement: &[&str], after: &str) -> Option<(i64, i64)> {
    let start = statement.iter().position(|word| *word == after)?;
    match statement.get(start + 1..start + 5)? {
        ["(", x, y, ")"] => Some((x.parse().ok()?, y.parse().ok()?)),
        _ => None,
    }
}

/// The wires of a supply that have a length: `NEW layer width ( x y ) ( * y )`; the others are but places of vias.
fn stripes(statement: &[&str]) -> Vec<Segment> {
    let wires = statement.windows(10).filter_map(|words| match *words {
        ["NEW" | "FIXED", layer, _, "(", x, y, ")", "(", "*", end] => Some(Segment {
            layer: layer.to_owned(),
            from: (x.parse().ok()?, y.parse().ok()?),
            to: (x.parse().ok()?, end.parse().ok()?),
        }),
        _ => None,
    });
    wires.collect()
}

/// `- name ( cell pin ) ... + ROUTED layer ( x y ) ( x * ) via NEW layer ...`
fn net(statement: &[&str]) -> Option<Net> {
    let mut net = Net {
        name: (*statement.get(1)?).to_owned(),
        ..Net::default()
    };
    let start = statement.iter().position(|word| *word == "ROUTED")?;
    let mut words = statement[start..].iter();
    let (mut layer, mut last) = ("", None);
    while let Some(&word) = words.next() {
        match word {
            "ROUTED" | "NEW" => (layer, last) = (*words.next()?, None),
            "(" => {
                let point: Vec<&str> = words
                    .by_ref()
                    .take_while(|word| **word != ")")
                    .copied()
                    .collect();
                let number = |place: usize, before: Option<i64>| match point.get(place) {
                    Some(&"*") => before,
                    Some(number) => number.parse().ok(),
                    None => None,
                };
                let here = (
                    number(0, last.map(|(x, _)| x))?,
                    number(1, last.map(|(_, y)| y))?,
                );
                if let Some(from) = last {
                    net.segments.push(Segment {
                        layer: layer.to_owned(),
                        from,
                        to: here,
                    });
                }
                last = Some(here);
            }
            "+" => break,
            _ => net.vias += 1,
        }
    }
    Some(net)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_wires_and_vias_are_read() {
        let text = "VERSION 5.6 ;
UNITS DISTANCE MICRONS 100 ;
DIEAREA ( -320 -300 ) ( 680 700 ) ;
COMPONENTS 2 ;
- FILL_0 FILL + PLACED ( 40 50 ) S ;
- INVX1_1 INVX1 + PLACED ( 120 50 ) N ;
END COMPONENTS
PINS 2 ;
- vdd + NET vdd
  + LAYER metal6 ( -80 -40 ) ( 80 40 ) + PLACED ( 5360 -260 ) N ;
- a + NET a
  + LAYER metal2 ( -10 -10 ) ( 10 10 ) + PLACED ( 0 0 ) N ;
END PINS
NETS 2 ;
- a
  ( INVX1_1 A )
  ( PIN a )
+ ROUTED metal1 ( 100 200 ) M2_M1
  NEW metal2 ( 100 200 ) ( * 500 ) ( 300 * ) M3_M2 ;
- b ( INVX1_1 Y ) ;
END NETS
SPECIALNETS 2 ;
- a + ROUTED metal1 40 ( 100 215 ) ( * 200 ) ;
- vdd
+ FIXED metal1 40 ( 360 50 ) ( * * ) viagen21_post
  NEW metal6 160 ( 360 -300 ) ( * 700 )
 ;
END SPECIALNETS
END DESIGN
";
        let def = Def::parse(text).unwrap();
        assert_eq!(def.die_um(), (10.0, 10.0));
        assert_eq!((def.components.len(), def.nets.len()), (2, 1));
        assert_eq!(def.components[1].at, (120, 50));
        assert_eq!((def.cells().count(), &def.pins[..]), (1, &[(0, 0)][..]));
        assert_eq!(def.stripes.len(), 1);
        assert_eq!(
            (def.stripes[0].length(), &*def.stripes[0].layer),
            (1000, "metal6")
        );
        let net = &def.nets[0];
        assert_eq!((net.vias, net.segments.len()), (2, 2));
        assert_eq!(def.wires_um()["metal2"], 5.0);
        assert!(Def::parse("VERSION 5.6 ;").is_err());
    }
}
