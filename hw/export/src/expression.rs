//! Expressions with their widths.
//!
//! Every operand of an operator has exactly the width of its result, every literal takes the width of its partner, and
//! widths change only through concatenations and part-selects. Then Verilog's context-determined widths are all equal
//! and no sum keeps a carry that the kernel has cut.

use rust_hdl::prelude::ast::{VerilogExpression, VerilogOp, VerilogOpUnary};

use super::collect::literal;
use super::context::{Context, Value};
use super::sized::{Sized, is_bitwise};
use super::{Result, refuse};

impl Context<'_> {
    pub fn value(&mut self, expression: &VerilogExpression) -> Result<Value> {
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
        if is_bitwise(symbol) && left.width > 1 {
            let places = [&left, &right].map(Sized::as_place);
            self.masks
                .extend(places.into_iter().flatten().map(|place| place.wire.clone()));
        }
        if !compares {
            return Ok(Sized::both(left, symbol, right));
        }
        for side in [&mut left, &mut right] {
            side.atom |=
                ["&&", "||"].contains(&symbol) && only_operator(&side.text) == Some(symbol);
        }
        Ok(Sized::operator(
            format!("{} {symbol} {}", left.operand(), right.operand()),
            1,
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
        if let Some(amount) = self.fixed(right)?
            && let Some(shifted) = shifted(&left, symbol, amount)
        {
            self.cut_off(&left);
            return Ok(shifted);
        }
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
        Ok(match operator {
            VerilogOpUnary::Not => inner.inverted(text),
            // A reduction beside a binary `&` or `|` would be hard to read without parentheses.
            _ => Sized::operator(text, width),
        })
    }
}

/// A shift by a number as a concatenation of zeros and a part, if the part needs no variable.
fn shifted(left: &Sized, symbol: &str, amount: u128) -> Option<Sized> {
    let amount = usize::try_from(amount).unwrap_or(usize::MAX);
    if amount >= left.width {
        return Some(Sized::number(0, left.width));
    }
    let kept = left.width - amount;
    match symbol {
        "<<" => Some(left.cut(0, kept)?.padded(amount, left.width)),
        _ => Some(left.cut(amount, kept)?.padded(0, left.width)),
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
