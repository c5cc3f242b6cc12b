//! What is known while a kernel is printed: names, widths, loop indices, helper variables.

use std::collections::{BTreeMap, BTreeSet};

use rust_hdl::prelude::AtomKind;
use rust_hdl::prelude::ast::VerilogExpression;

use super::collect::{BlockTree, Discriminant, Vector, literal};
use super::index::{self, Indices, evaluate};
use super::place::{Offset, Place, factor};
use super::sized::Sized;
use super::{Result, names, refuse};

/// An expression: literals and loop indices take the width that is asked of them.
pub enum Value {
    Number(u128),
    Index(String),
    Sized(Sized),
}

/// A variable of a process that holds an expression of which a part is taken.
pub struct Helper {
    pub name: String,
    pub width: usize,
    /// It is assigned in some cases only.
    pub in_branch: bool,
}

/// What a process knows while its expressions are printed.
pub struct Context<'a> {
    pub module: &'a BlockTree,
    /// Loop indices in scope.
    pub loops: Vec<String>,
    /// Values of loop indices, where a loop is taken apart.
    pub indices: Indices,
    /// Helper variables of this process.
    pub helpers: Vec<Helper>,
    /// Branches around the statement that is printed.
    pub branches: usize,
    /// Assignments to helpers, to be printed before the statement.
    pub before: Vec<String>,
    /// Wires and constants that were read.
    pub reads: BTreeSet<String>,
    /// Wires of which an operator's part cuts bits off, and how many bits each has.
    pub cut: BTreeMap<String, usize>,
    /// Constants that are masks: operands of a bitwise operator.
    pub masks: BTreeSet<String>,
}

impl<'a> Context<'a> {
    pub fn new(module: &'a BlockTree) -> Self {
        Self {
            module,
            loops: Vec::new(),
            indices: Indices::new(),
            helpers: Vec::new(),
            branches: 0,
            before: Vec::new(),
            reads: BTreeSet::new(),
            cut: BTreeMap::new(),
            masks: BTreeSet::new(),
        }
    }

    /// The beginning of a complaint.
    pub fn at(&self) -> String {
        format!("kernel of `{}`", self.module.name)
    }

    /// Enters a loop; gives the indices around it.
    pub fn enter(&mut self, index: &str) -> Result<Indices> {
        if self.loops.iter().any(|other| other == index) {
            return refuse(format!(
                "{}: a loop over `{index}` lies in another one; rename its index",
                self.at()
            ));
        }
        self.loops.push(index.to_owned());
        Ok(self.indices.clone())
    }

    /// The place that an assignment writes, or a part of it.
    pub fn target(
        &self,
        target: &VerilogExpression,
        part: Option<(usize, &VerilogExpression)>,
    ) -> Result<Place> {
        let place = match target {
            VerilogExpression::Signal(name) => self.place(name)?,
            _ => None,
        };
        match (place, part) {
            (None, _) => refuse(format!(
                "{} assigns to something that is no signal: {target:?}",
                self.at()
            )),
            (Some(place), None) => Ok(place),
            (Some(place), Some((width, VerilogExpression::Literal(offset)))) => {
                Ok(place.part(offset.as_usize(), width))
            }
            (Some(_), Some(_)) => refuse(format!("{} writes bits at a variable place", self.at())),
        }
    }

    /// The wire bits behind a name of the syntax tree such as `slot[i]$d$next`, if it names a signal.
    pub fn place(&self, name: &str) -> Result<Option<Place>> {
        let name = name.strip_suffix("$next").unwrap_or(name);
        let mut segments = Vec::new();
        for segment in name.split('$').filter(|segment| !segment.is_empty()) {
            match segment.split_once('[') {
                Some((base, index)) => segments.push((base, Some(index.trim_end_matches(']')))),
                None => segments.push((segment, None)),
            }
        }
        let find = |signals: &'a [Vector], wanted: &str| {
            signals
                .iter()
                .find(|s| s.name == wanted && (s.kind != AtomKind::Constant || s.count.is_some()))
        };
        let (wire, vector, copies, index) = match segments.as_slice() {
            [(own, index)] => match find(&self.module.signals, own) {
                Some(vector) if vector.kind == AtomKind::Constant => {
                    (names::constant(own), vector, None, index.map(str::to_owned))
                }
                Some(vector) => (names::plain(own), vector, None, index.map(str::to_owned)),
                None => return Ok(None),
            },
            [(child, child_index), (port, port_index)] => {
                let Some(child) = self.module.children.iter().find(|c| c.name == *child) else {
                    return Ok(None);
                };
                let Some(vector) = find(&child.module.signals, port) else {
                    return Ok(None);
                };
                let index = match (vector.count, child.count) {
                    (Some(elements), Some(_)) => nested(*child_index, *port_index, elements),
                    _ => child_index.or(*port_index).map(str::to_owned),
                };
                (names::joined(&child.name, port), vector, child.count, index)
            }
            _ => return Ok(None),
        };
        let total = vector.bits() * copies.unwrap_or(1);
        let offset = match index {
            None if vector.count.is_none() && copies.is_none() => Offset::At(0),
            None => {
                return refuse(format!(
                    "{}: the array `{name}` is used without an index",
                    self.at()
                ));
            }
            Some(index) => match evaluate(&index, &self.indices) {
                Some(number) => match usize::try_from(number) {
                    Ok(number) if (number + 1) * vector.width <= total => {
                        Offset::At(number * vector.width)
                    }
                    _ => {
                        return refuse(format!("{}: `{name}` has no such element", self.at()));
                    }
                },
                None => Offset::Element {
                    index: self.index(&index)?,
                    stride: vector.width,
                    plus: 0,
                },
            },
        };
        Ok(Some(Place {
            wire,
            total,
            width: vector.width,
            offset,
        }))
    }

    /// An index expression as Verilog.
    fn index(&self, text: &str) -> Result<String> {
        let names = index::names(text).unwrap_or_else(|| vec![text]);
        if let Some(unknown) = names
            .iter()
            .find(|name| !self.loops.iter().any(|index| index == *name))
        {
            return refuse(format!(
                "{}: index `{text}` is not made of loop indices and numbers (`{unknown}`)",
                self.at()
            ));
        }
        Ok(index::rename(text))
    }

    pub fn signal(&mut self, name: &str) -> Result<Value> {
        if self.loops.iter().any(|index| index == name) {
            let is_signal = |vector: &Vector| vector.name == name;
            if self.module.signals.iter().any(is_signal) {
                return refuse(format!(
                    "{}: `{name}` is a signal and a loop index; rename one",
                    self.at()
                ));
            }
            return Ok(match self.indices.get(name) {
                Some(value) => Value::Number(*value as u128),
                None => Value::Index(names::plain(name)),
            });
        }
        if let Some(place) = self.place(name)? {
            self.reads.insert(place.wire.clone());
            return Ok(Value::Sized(Sized::place(place)));
        }
        let constant = scalar(self.module, name).map(|found| (found.width, found.values[0]));
        match constant {
            Some((width, value)) => Ok(Value::Sized(self.constant(name, width, value))),
            None => self.discriminant(name).map(Value::Sized),
        }
    }

    /// The value of an expression that is a literal or a named constant.
    pub fn fixed(&mut self, expression: &VerilogExpression) -> Result<Option<u128>> {
        Ok(match expression {
            VerilogExpression::Paren(inner) | VerilogExpression::Cast(inner, _) => {
                self.fixed(inner)?
            }
            VerilogExpression::Signal(name) if !self.loops.contains(name) => {
                scalar(self.module, name).map(|constant| constant.values[0])
            }
            VerilogExpression::Literal(number) => Some(literal(number)?.0),
            _ => None,
        })
    }

    /// A named constant, of which parts can be taken.
    fn constant(&mut self, name: &str, width: usize, value: u128) -> Sized {
        let wire = names::constant(name);
        self.reads.insert(wire.clone());
        let place = Place {
            wire,
            total: width,
            width,
            offset: Offset::At(0),
        };
        Sized::constant(place, value)
    }

    /// An enum's variant.
    fn discriminant(&mut self, name: &str) -> Result<Sized> {
        match self.module.discriminants.get(name) {
            Some(Discriminant {
                value,
                bits,
                unique: true,
            }) => {
                let (value, bits) = (*value, *bits);
                Ok(self.constant(name, bits, value))
            }
            Some(_) => refuse(format!(
                "{}: two enums have a variant `{}`; rename one of them",
                self.at(),
                name.replace('$', "::")
            )),
            None => refuse(format!(
                "{}: `{name}` is no signal, constant or loop index",
                self.at()
            )),
        }
    }

    /// Gives a literal or a loop index its width.
    pub fn fit(&self, value: Value, width: usize) -> Result<Sized> {
        match value {
            Value::Sized(sized) if sized.width == width => Ok(sized),
            Value::Sized(sized) => refuse(format!(
                "{}: `{}` has {} bits where {width} are needed",
                self.at(),
                sized.text,
                sized.width
            )),
            Value::Number(number) if width < 128 && number >> width != 0 => refuse(format!(
                "{}: literal {number} does not fit {width} bits",
                self.at()
            )),
            Value::Number(number) => Ok(Sized::number(number, width)),
            Value::Index(index) if width < 32 => {
                Ok(Sized::atom(format!("{index}[{}:0]", width - 1), width))
            }
            Value::Index(index) if width == 32 => Ok(Sized::atom(index, width)),
            Value::Index(index) => Ok(Sized::atom(
                format!("{{{}'d0, {index}}}", width - 32),
                width,
            )),
        }
    }

    /// An expression of exactly this width.
    pub fn of_width(&mut self, expression: &VerilogExpression, width: usize) -> Result<Sized> {
        let value = self.value(expression)?;
        self.fit(value, width)
    }

    /// An expression whose width its parts must tell.
    pub fn known(&mut self, expression: &VerilogExpression) -> Result<Sized> {
        match self.value(expression)? {
            Value::Sized(sized) => Ok(sized),
            _ => refuse(format!(
                "{}: a literal stands where a width must be known",
                self.at()
            )),
        }
    }

    /// An expression that is chosen by; its parts tell its width.
    pub fn any_width(&mut self, expression: &VerilogExpression) -> Result<Sized> {
        self.known(expression)
    }

    /// A case label: a discriminant, or a bool.
    pub fn label(&mut self, label: &str, width: usize) -> Result<String> {
        let value = match label {
            "true" | "false" => Sized::atom(format!("1'd{}", u8::from(label == "true")), 1),
            name => self.discriminant(name)?,
        };
        Ok(self.fit(Value::Sized(value), width)?.text)
    }

    /// The expression as bits of a wire; a helper variable if it is none.
    pub fn as_place(&mut self, sized: &Sized) -> Place {
        match sized.as_place() {
            Some(place) => place.clone(),
            None => self.held(sized, 0, sized.width),
        }
    }

    /// `width` bits of an expression, which has them: the same expression of its operands' bits, or a helper variable.
    pub fn part(&mut self, sized: &Sized, bit: usize, width: usize) -> Sized {
        match sized.cut(bit, width) {
            Some(part) => {
                if sized.as_place().is_none() {
                    self.cut_off(sized);
                }
                part
            }
            None => Sized::place(self.held(sized, bit, width)),
        }
    }

    /// Remembers of which wires bits are cut off.
    pub fn cut_off(&mut self, sized: &Sized) {
        let is_wire = |place: &&Place| {
            let mut signals = self.module.signals.iter();
            let is_constant = signals.any(|signal| {
                signal.kind == AtomKind::Constant && names::constant(&signal.name) == place.wire
            });
            // A helper is a variable of this process alone, and another one has its name for something else.
            let mut helpers = self.helpers.iter();
            !is_constant && !helpers.any(|helper| helper.name == place.wire)
        };
        let places: Vec<&Place> = sized.places().into_iter().filter(is_wire).collect();
        let wires = places
            .into_iter()
            .map(|place| (place.wire.clone(), place.total));
        self.cut.extend(wires);
    }

    /// A helper variable that holds these bits.
    fn held(&mut self, sized: &Sized, bit: usize, width: usize) -> Place {
        // What is not wanted is named so too: lint tools look for bits that nobody uses.
        let above = sized.width - bit - width;
        let pieces: Vec<String> = [("unused", above), ("part", width), ("unused", bit)]
            .into_iter()
            .filter(|(_, bits)| *bits > 0)
            .map(|(name, bits)| self.helper(name, bits))
            .collect();
        let wire = pieces[usize::from(above > 0)].clone();
        let target = match pieces.as_slice() {
            [only] => only.clone(),
            several => format!("{{{}}}", several.join(", ")),
        };
        self.before.push(format!("{target} = {};", sized.text));
        Place {
            wire,
            total: width,
            width,
            offset: Offset::At(0),
        }
    }

    fn helper(&mut self, name: &str, width: usize) -> String {
        let taken = |wire: &str| {
            let is_signal = self.module.signals.iter().any(|signal| signal.name == wire);
            is_signal || self.helpers.iter().any(|helper| helper.name == wire)
        };
        let wire = (0..)
            .map(|number| format!("{name}_{number}"))
            .find(|wire| !taken(wire))
            .unwrap_or_default();
        self.helpers.push(Helper {
            name: wire.clone(),
            width,
            in_branch: self.branches > 0,
        });
        wire
    }

    /// The low `width` bits, with zeros above if there are fewer.
    pub fn resized(&mut self, sized: Sized, width: usize) -> Sized {
        if sized.width > width {
            self.part(&sized, 0, width)
        } else {
            sized.padded(0, width)
        }
    }
}

/// The constant of this name that is no array.
fn scalar<'a>(module: &'a BlockTree, name: &str) -> Option<&'a Vector> {
    let is_scalar = |signal: &&Vector| {
        signal.kind == AtomKind::Constant && signal.count.is_none() && signal.name == name
    };
    module.signals.iter().find(is_scalar)
}

/// The number of an element of an array port of an array of children, which lie one child after the other.
fn nested(child: Option<&str>, port: Option<&str>, elements: usize) -> Option<String> {
    let (child, port) = (child?, port?);
    Some(match child.parse::<usize>() {
        Ok(0) => port.to_owned(),
        Ok(number) => format!("{} + {port}", number * elements),
        Err(_) => format!("{}*{elements} + {port}", factor(child)),
    })
}
