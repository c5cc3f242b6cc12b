//! Bits and parts of expressions.

use rust_hdl::prelude::ast::VerilogExpression;

use super::context::{Context, Value};
use super::sized::Sized;
use super::{Result, refuse};

impl Context<'_> {
    /// One bit. The kernel panics beyond the width, so any value will do there.
    pub fn bit(&mut self, inner: &VerilogExpression, index: &VerilogExpression) -> Result<Sized> {
        let inner = self.known(inner)?;
        match self.value(index)? {
            Value::Number(bit) if (bit as usize) < inner.width => {
                Ok(self.part(&inner, bit as usize, 1))
            }
            Value::Number(bit) => {
                refuse(format!("{}: bit {bit} of {} bits", self.at(), inner.width))
            }
            Value::Index(index) => Ok(Sized::place(self.as_place(&inner).bit(&index))),
            Value::Sized(index) => {
                let shifted = Sized::operator(
                    format!("{} >> {}", inner.operand(), index.operand()),
                    inner.width,
                );
                Ok(self.part(&shifted, 0, 1))
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
                let part = self.part(&inner, offset, available);
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
        let bit = self.of_width(bit, 1)?;
        let index = match self.value(index)? {
            Value::Number(at) if (at as usize) < width => {
                let at = at as usize;
                let above = (at + 1 < width).then(|| self.part(&inner, at + 1, width - at - 1));
                let below = (at > 0).then(|| self.part(&inner, 0, at));
                let pieces = [above, Some(bit), below];
                return Ok(Sized::joined(pieces.into_iter().flatten()));
            }
            Value::Number(at) => return refuse(format!("{}: bit {at} of {width} bits", self.at())),
            Value::Sized(index) => index,
            index @ Value::Index(_) => self.fit(index, 32)?,
        };
        if bit.is_zero() {
            let text = format!("{} & ~({width}'d1 << {})", inner.operand(), index.operand());
            return Ok(Sized::operator(text, width));
        }
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
