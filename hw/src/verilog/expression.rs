//! Expressions with their widths.
//!
//! Every operand of an operator has exactly the width of its result, every literal takes the width of its partner, and
//! widths change only through concatenations and part-selects. Then Verilog's context-determined widths are all equal
//! and no sum keeps a carry that the kernel has cut.

use std::collections::BTreeSet;

use rust_hdl::prelude::AtomKind;
use rust_hdl::prelude::ast::{VerilogExpression, VerilogOp, VerilogOpUnary};

use super::collect::{BlockTree, Discriminant, Vector, literal};
use super::index::{self, Indices, evaluate};
use super::{Result, names, refuse};

/// Bits of a wire: all of it, or a constant or indexed part.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    pub wire: String,
    pub total: usize,
    pub width: usize,
    pub offset: Offset,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Offset {
    At(usize),
    /// Element `index` (an expression of loop indices) of `stride` bits, and `plus` bits on.
    Element {
        index: String,
        stride: usize,
        plus: usize,
    },
}

impl Place {
    pub fn is_whole(&self) -> bool {
        self.offset == Offset::At(0) && self.width == self.total
    }

    pub fn text(&self) -> String {
        let (wire, width) = (&self.wire, self.width);
        match &self.offset {
            Offset::At(0) if width == self.total => wire.clone(),
            // A wire of one bit cannot be indexed.
            Offset::Element { .. } if self.total == 1 => wire.clone(),
            Offset::At(bit) if width == 1 => format!("{wire}[{bit}]"),
            Offset::At(bit) => format!("{wire}[{}:{bit}]", bit + width - 1),
            Offset::Element {
                index,
                stride,
                plus,
            } => {
                let is_name = index
                    .chars()
                    .all(|character| character.is_alphanumeric() || character == '_');
                let index = if is_name {
                    index.clone()
                } else {
                    format!("({index})")
                };
                let start = match (*stride, *plus) {
                    (1, 0) => index,
                    (stride, 0) => format!("{index}*{stride}"),
                    (stride, plus) => format!("{index}*{stride} + {plus}"),
                };
                if width == 1 {
                    format!("{wire}[{start}]")
                } else {
                    format!("{wire}[{start} +: {width}]")
                }
            }
        }
    }

    /// `width` bits from `bit` on.
    pub fn part(&self, bit: usize, width: usize) -> Self {
        let offset = match &self.offset {
            Offset::At(start) => Offset::At(start + bit),
            Offset::Element {
                index,
                stride,
                plus,
            } => Offset::Element {
                index: index.clone(),
                stride: *stride,
                plus: plus + bit,
            },
        };
        Self {
            wire: self.wire.clone(),
            total: self.total,
            width,
            offset,
        }
    }
}

/// An expression of known width.
pub struct Sized {
    pub text: String,
    pub width: usize,
    /// Set when it is bits of a wire, of which parts can be taken.
    place: Option<Place>,
    /// Set when it is a literal.
    number: Option<u128>,
    /// It needs no parentheses as an operand.
    atom: bool,
}

impl Sized {
    fn operator(text: String, width: usize) -> Self {
        Self {
            text,
            width,
            place: None,
            number: None,
            atom: false,
        }
    }
    fn atom(text: String, width: usize) -> Self {
        Self {
            text,
            width,
            place: None,
            number: None,
            atom: true,
        }
    }
    fn number(number: u128, width: usize) -> Self {
        let text = if number < 4096 {
            format!("{width}'d{number}")
        } else {
            format!("{width}'h{number:x}")
        };
        Self {
            number: Some(number),
            ..Self::atom(text, width)
        }
    }
    fn place(place: Place) -> Self {
        Self {
            text: place.text(),
            width: place.width,
            place: Some(place),
            number: None,
            atom: true,
        }
    }
    /// As an operand.
    fn operand(&self) -> String {
        if self.atom {
            self.text.clone()
        } else {
            format!("({})", self.text)
        }
    }
}

/// An expression: literals and loop indices take the width that is asked of them.
enum Value {
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
                    (names::constant(own), vector, None, *index)
                }
                Some(vector) => (names::plain(own), vector, None, *index),
                None => return Ok(None),
            },
            [(child, child_index), (port, port_index)] => {
                let Some(child) = self.module.children.iter().find(|c| c.name == *child) else {
                    return Ok(None);
                };
                let Some(vector) = find(&child.module.signals, port) else {
                    return Ok(None);
                };
                if child.count.is_some() && vector.count.is_some() {
                    return refuse(format!("{}: `{name}` is an array in an array", self.at()));
                }
                (
                    names::joined(&child.name, port),
                    vector,
                    child.count,
                    child_index.or(*port_index),
                )
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
            Some(index) => match evaluate(index, &self.indices) {
                Some(number) => match usize::try_from(number) {
                    Ok(number) if (number + 1) * vector.width <= total => {
                        Offset::At(number * vector.width)
                    }
                    _ => {
                        return refuse(format!("{}: `{name}` has no such element", self.at()));
                    }
                },
                None => Offset::Element {
                    index: self.index(index)?,
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

    fn signal(&mut self, name: &str) -> Result<Value> {
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
        let constant = self
            .module
            .signals
            .iter()
            .find(|s| s.kind == AtomKind::Constant && s.count.is_none() && s.name == name);
        match constant.map(|constant| constant.width) {
            Some(width) => Ok(Value::Sized(self.constant(name, width))),
            None => self.discriminant(name).map(Value::Sized),
        }
    }

    /// A named constant, of which parts can be taken.
    fn constant(&mut self, name: &str, width: usize) -> Sized {
        let wire = names::constant(name);
        self.reads.insert(wire.clone());
        Sized::place(Place {
            wire,
            total: width,
            width,
            offset: Offset::At(0),
        })
    }

    /// An enum's variant.
    fn discriminant(&mut self, name: &str) -> Result<Sized> {
        match self.module.discriminants.get(name) {
            Some(Discriminant {
                bits, unique: true, ..
            }) => {
                let bits = *bits;
                Ok(self.constant(name, bits))
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
    fn fit(&self, value: Value, width: usize) -> Result<Sized> {
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
    fn known(&mut self, expression: &VerilogExpression) -> Result<Sized> {
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
    fn as_place(&mut self, sized: Sized) -> Place {
        let width = sized.width;
        self.part(sized, 0, width)
    }

    /// `width` bits of an expression, which has them; a helper variable if it is not bits of a wire.
    fn part(&mut self, sized: Sized, bit: usize, width: usize) -> Place {
        if let Some(place) = &sized.place {
            return place.part(bit, width);
        }
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
    fn resized(&mut self, sized: Sized, width: usize) -> Sized {
        if sized.width == width {
            sized
        } else if let Some(number) = sized.number {
            let kept = if width < 128 {
                number & ((1 << width) - 1)
            } else {
                number
            };
            Sized::number(kept, width)
        } else if sized.width < width {
            Sized::atom(
                format!("{{{}'d0, {}}}", width - sized.width, sized.text),
                width,
            )
        } else {
            Sized::place(self.part(sized, 0, width))
        }
    }

    fn value(&mut self, expression: &VerilogExpression) -> Result<Value> {
        let sized = match expression {
            VerilogExpression::Signal(name) => return self.signal(name),
            VerilogExpression::Literal(number) => {
                let (value, bits) = literal(number)?;
                if bits > 1 {
                    return Ok(Value::Number(value));
                }
                Sized::atom(format!("1'd{value}"), 1)
            }
            VerilogExpression::Paren(inner) => return self.value(inner),
            VerilogExpression::Cast(inner, bits) => match self.value(inner)? {
                Value::Sized(sized) => self.resized(sized, *bits),
                other => self.fit(other, *bits)?,
            },
            VerilogExpression::Binary(left, operator, right) => {
                self.binary(left, operator, right)?
            }
            VerilogExpression::Unary(operator, inner) => self.unary(operator, inner)?,
            VerilogExpression::Index(inner, index) => self.bit(inner, index)?,
            VerilogExpression::Slice(inner, width, offset) => self.slice(inner, *width, offset)?,
            VerilogExpression::IndexReplace(inner, index, bit) => {
                self.replace(inner, index, bit)?
            }
            VerilogExpression::Signed(_) | VerilogExpression::Unsigned(_) => {
                return refuse(format!("{}: signed arithmetic is not exported", self.at()));
            }
        };
        Ok(Value::Sized(sized))
    }

    fn pair(
        &mut self,
        left: &VerilogExpression,
        right: &VerilogExpression,
    ) -> Result<(Sized, Sized)> {
        match (self.value(left)?, self.value(right)?) {
            (Value::Sized(left), right) => {
                let right = self.fit(right, left.width)?;
                Ok((left, right))
            }
            (left, Value::Sized(right)) => Ok((self.fit(left, right.width)?, right)),
            _ => refuse(format!(
                "{}: an operator has literals on both sides",
                self.at()
            )),
        }
    }

    fn binary(
        &mut self,
        left: &VerilogExpression,
        operator: &VerilogOp,
        right: &VerilogExpression,
    ) -> Result<Sized> {
        let (symbol, compares) = match operator {
            VerilogOp::Shl => return self.shift(left, "<<", right),
            VerilogOp::Shr => return self.shift(left, ">>", right),
            VerilogOp::Mul => return self.product(left, right),
            VerilogOp::Add => ("+", false),
            VerilogOp::Sub => ("-", false),
            VerilogOp::LogicalAnd => ("&&", true),
            VerilogOp::LogicalOr => ("||", true),
            VerilogOp::BitXor => ("^", false),
            VerilogOp::BitAnd => ("&", false),
            VerilogOp::BitOr => ("|", false),
            VerilogOp::Eq => ("==", true),
            VerilogOp::Ne => ("!=", true),
            VerilogOp::Lt => ("<", true),
            VerilogOp::Le => ("<=", true),
            VerilogOp::Ge => (">=", true),
            VerilogOp::Gt => (">", true),
        };
        // A bool and a one-bit vector are one thing here, and a sum with a bool is the kernel's only mixed width.
        let (mut left, mut right) = match (self.value(left)?, self.value(right)?) {
            (Value::Sized(left), Value::Sized(right)) if symbol == "+" && right.width == 1 => {
                let width = left.width;
                (left, self.resized(right, width))
            }
            (Value::Sized(left), right) => {
                let right = self.fit(right, left.width)?;
                (left, right)
            }
            (left, Value::Sized(right)) => (self.fit(left, right.width)?, right),
            _ => {
                return refuse(format!(
                    "{}: an operator has literals on both sides",
                    self.at()
                ));
            }
        };
        // A chain of one associative operator reads better without parentheses.
        for side in [&mut left, &mut right] {
            if ["&&", "||", "&", "|", "^"].contains(&symbol)
                && only_operator(&side.text) == Some(symbol)
            {
                side.atom = true;
            }
        }
        let width = if compares { 1 } else { left.width };
        Ok(Sized::operator(
            format!("{} {symbol} {}", left.operand(), right.operand()),
            width,
        ))
    }

    fn shift(
        &mut self,
        left: &VerilogExpression,
        symbol: &str,
        right: &VerilogExpression,
    ) -> Result<Sized> {
        // The kernel gives a literal that is shifted 64 bits, and shifts it by the low 64 bits of the amount.
        let (left, of_literal) = match self.value(left)? {
            Value::Sized(sized) => (sized, false),
            other => (self.fit(other, 64)?, true),
        };
        let right = match self.value(right)? {
            Value::Sized(sized) if sized.width > 64 && of_literal => self.resized(sized, 64),
            Value::Sized(sized) if sized.width > 64 => {
                return refuse(format!("{}: a shift by more than 64 bits", self.at()));
            }
            Value::Sized(sized) => sized,
            Value::Number(number) if number >= left.width as u128 => {
                return Ok(Sized::number(0, left.width));
            }
            Value::Number(number) => {
                let bits = (128 - number.leading_zeros()).max(1) as usize;
                self.fit(Value::Number(number), bits)?
            }
            index @ Value::Index(_) => self.fit(index, 32)?,
        };
        Ok(Sized::operator(
            format!("{} {symbol} {}", left.operand(), right.operand()),
            left.width,
        ))
    }

    fn product(&mut self, left: &VerilogExpression, right: &VerilogExpression) -> Result<Sized> {
        let (left, right) = self.pair(left, right)?;
        let width = left.width;
        let (left, right) = (
            self.resized(left, 2 * width),
            self.resized(right, 2 * width),
        );
        Ok(Sized::operator(
            format!("{} * {}", left.operand(), right.operand()),
            2 * width,
        ))
    }

    fn unary(&mut self, operator: &VerilogOpUnary, inner: &VerilogExpression) -> Result<Sized> {
        let inner = self.known(inner)?;
        let (symbol, width) = match operator {
            VerilogOpUnary::Not if inner.width == 1 => ("!", 1),
            VerilogOpUnary::Not => ("~", inner.width),
            VerilogOpUnary::All => ("&", 1),
            VerilogOpUnary::Any => ("|", 1),
            VerilogOpUnary::Xor => ("^", 1),
            VerilogOpUnary::Neg => {
                return refuse(format!("{}: signed arithmetic is not exported", self.at()));
            }
        };
        // Verilog has no operator right behind another one.
        let text = if inner.text.starts_with(['!', '~', '&', '|', '^']) {
            format!("{symbol}({})", inner.text)
        } else {
            format!("{symbol}{}", inner.operand())
        };
        // A reduction beside a binary `&` or `|` would be hard to read without parentheses.
        let atom = matches!(operator, VerilogOpUnary::Not);
        Ok(Sized {
            text,
            width,
            place: None,
            number: None,
            atom,
        })
    }

    /// One bit. The kernel panics beyond the width, so any value will do there.
    fn bit(&mut self, inner: &VerilogExpression, index: &VerilogExpression) -> Result<Sized> {
        let inner = self.known(inner)?;
        match self.value(index)? {
            Value::Number(bit) if (bit as usize) < inner.width => {
                Ok(Sized::place(self.part(inner, bit as usize, 1)))
            }
            Value::Number(bit) => {
                refuse(format!("{}: bit {bit} of {} bits", self.at(), inner.width))
            }
            Value::Index(index) => {
                let place = self.as_place(inner);
                if place.is_whole() {
                    let offset = Offset::Element {
                        index,
                        stride: 1,
                        plus: 0,
                    };
                    return Ok(Sized::place(Place {
                        width: 1,
                        offset,
                        ..place
                    }));
                }
                let shifted = Sized::operator(format!("{} >> {index}", place.text()), place.width);
                Ok(Sized::place(self.part(shifted, 0, 1)))
            }
            Value::Sized(index) => {
                let shifted = Sized::operator(
                    format!("{} >> {}", inner.operand(), index.operand()),
                    inner.width,
                );
                Ok(Sized::place(self.part(shifted, 0, 1)))
            }
        }
    }

    /// `width` bits from `offset` on; the kernel shifts zeros in from above.
    fn slice(
        &mut self,
        inner: &VerilogExpression,
        width: usize,
        offset: &VerilogExpression,
    ) -> Result<Sized> {
        let inner = self.known(inner)?;
        match self.value(offset)? {
            Value::Number(offset) => {
                let offset = offset as usize;
                if offset >= inner.width {
                    return Ok(Sized::atom(format!("{width}'d0"), width));
                }
                let available = width.min(inner.width - offset);
                let part = Sized::place(self.part(inner, offset, available));
                Ok(self.resized(part, width))
            }
            offset => {
                let offset = match offset {
                    Value::Sized(offset) => offset,
                    other => self.fit(other, 32)?,
                };
                let shifted = Sized::operator(
                    format!("{} >> {}", inner.operand(), offset.operand()),
                    inner.width,
                );
                Ok(self.resized(shifted, width))
            }
        }
    }

    fn replace(
        &mut self,
        inner: &VerilogExpression,
        index: &VerilogExpression,
        bit: &VerilogExpression,
    ) -> Result<Sized> {
        let inner = self.known(inner)?;
        let width = inner.width;
        let index = match self.value(index)? {
            Value::Sized(index) => index,
            Value::Number(number) => self.fit(Value::Number(number), 32)?,
            index @ Value::Index(_) => self.fit(index, 32)?,
        };
        let bit = self.of_width(bit, 1)?;
        let bit = self.resized(bit, width);
        Ok(Sized::operator(
            format!(
                "({} & ~({width}'d1 << {index})) | ({} << {index})",
                inner.operand(),
                bit.operand(),
                index = index.operand()
            ),
            width,
        ))
    }
}

/// The operator of a text like `a & b & c`, when every operator outside of parentheses is the same one.
fn only_operator(text: &str) -> Option<&str> {
    let mut found = None;
    let mut depth = 0;
    for word in text.split(' ') {
        let opens = word.matches(['(', '{', '[']).count();
        let closes = word.matches([')', '}', ']']).count();
        if depth == 0
            && opens == 0
            && word
                .chars()
                .all(|character| "&|^+-*<>=!~".contains(character))
        {
            match found {
                None => found = Some(word),
                Some(other) if other == word => {}
                Some(_) => return None,
            }
        }
        depth = depth + opens - closes;
    }
    found
}
