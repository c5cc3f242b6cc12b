//! Bits and parts of expressions.

use rust_hdl::prelude::ast::VerilogExpression;

use super::context::{Context, Sized, Value};
use super::place::{Offset, Place};
use super::{Result, refuse};

impl Context<'_> {
    /// One bit. The kernel panics beyond the width, so any value will do there.
    pub fn bit(&mut self, inner: &VerilogExpression, index: &VerilogExpression) -> Result<Sized> {
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
    pub fn slice(
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

    pub fn replace(
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
