//! Texture fetches (PTX ISA 9.7.9): the nearest element, with coordinates limited to the array.

use super::LowerError;
use super::code::Source;
use super::frame::{Frame, Lowering};
use super::layout::Textured;
use crate::ptx::module::{Instruction, Operand};
use crate::ptx::words::{Kind, Type};
use crate::simt::{
    Arithmetic, ConversionRounding, Mode, Number, Operation, Real, RealOperation, Rounding, Space,
    Whole, WholeOperation, Width,
};

const S32: Number = Number::Whole(Whole::S32);
const F32: Number = Number::Real(Real::F32);

const fn of_whole(operation: WholeOperation, whole: Whole) -> Operation {
    Operation::Arithmetic(Arithmetic::Whole(operation, whole))
}

impl<'tree> Lowering<'tree> {
    /// A fetch is a load for each channel that is read. Channels that the array has not are 0.
    pub fn fetch(
        &mut self,
        frame: &mut Frame<'tree>,
        instruction: &Instruction,
    ) -> Result<(), LowerError> {
        let (Some(Operand::Vector(channels)), Some(Operand::Texture(number, coordinates))) =
            (instruction.operands.first(), instruction.operands.get(1))
        else {
            return Err(self.wrong("a texture fetch has a vector and a texture"));
        };
        let texture = self.module.textures.get(*number);
        let texture = texture.ok_or_else(|| self.wrong("there is no such texture"))?;
        let bound = self.layout.texture(&texture.name).ok_or_else(|| {
            let name = &texture.name;
            self.wrong(format!(
                "the texture {name} is bound to no buffer; name one in the launch"
            ))
        })?;
        let is_float = |ty: Type| ty.kind() == Kind::Float;
        let result = instruction.ty.unwrap_or(Type::F32);
        if bound.ty.bits() > 32 || is_float(bound.ty) != is_float(result) {
            let (name, has) = (&texture.name, bound.ty);
            return Err(self.wrong(format!(
                "the texture {name} is bound to elements of type .{has}, and the fetch gives .{result}; bind it to such"
            )));
        }
        let ty = instruction.second.unwrap_or(Type::S32);
        let mut element = Source::Immediate(0);
        let sizes = [bound.width, bound.height];
        for (axis, (coordinate, size)) in coordinates.iter().zip(sizes).enumerate() {
            let coordinate = self.source(frame, coordinate)?;
            let place = self.coordinate(coordinate, ty, size, bound.is_normalized);
            element = match axis {
                0 => place,
                _ => {
                    let row = Source::Immediate(bound.width.into());
                    let mad = of_whole(WholeOperation::MultiplyAdd, Whole::S32);
                    self.computed(mad, [place, row, element])
                }
            };
        }
        self.channels(frame, &bound, element, channels);
        Ok(())
    }

    /// Loads the channels of an element.
    fn channels(
        &mut self,
        frame: &Frame<'tree>,
        bound: &Textured,
        element: Source,
        channels: &[Operand],
    ) {
        let bytes = u64::from(bound.ty.bytes());
        let pitch = Source::Immediate(bytes * u64::from(bound.channels));
        let base = Source::Immediate(bound.address);
        let wide = of_whole(WholeOperation::MultiplyAddWide, Whole::U32);
        let address = self.computed(wide, [element, pitch, base]);
        let is_signed = bound.ty.kind() == Kind::Signed;
        let width = match (bytes, is_signed) {
            (1, true) => Width::SignedOne,
            (1, false) => Width::One,
            (2, true) => Width::SignedTwo,
            (2, false) => Width::Two,
            _ => Width::Four,
        };
        for (channel, operand) in (0u64..).zip(channels) {
            let Some(to) = self.written(frame, Some(operand)) else {
                continue;
            };
            if channel >= u64::from(bound.channels) {
                self.emit(Operation::Move, Some(to), [Source::Immediate(0)]);
                continue;
            }
            self.emit(Operation::Load(Space::Global, width), Some(to), [address]);
            if let Some(line) = self.code.lines.last_mut() {
                line.offset = (channel * bytes).cast_signed();
            }
        }
    }

    /// The place along an axis of so many elements.
    fn coordinate(
        &mut self,
        coordinate: Source,
        ty: Type,
        size: u32,
        is_normalized: bool,
    ) -> Source {
        let mut place = coordinate;
        if ty == Type::F32 {
            if is_normalized {
                let mode = Mode {
                    rounding: Rounding::Nearest,
                    flushes: false,
                    saturates: false,
                };
                let multiply = Arithmetic::Real(RealOperation::Multiply, Real::F32, mode);
                let factor = Source::Immediate((size as f32).to_bits().into());
                place = self.computed(Operation::Arithmetic(multiply), [place, factor]);
            }
            let floor = Arithmetic::Convert {
                to: S32,
                from: F32,
                rounding: ConversionRounding::ToWhole(Rounding::Down),
                flushes: false,
                saturates: false,
            };
            place = self.computed(Operation::Arithmetic(floor), [place]);
        }
        let zero = Source::Immediate(0);
        let last = Source::Immediate(size.saturating_sub(1).into());
        let place = self.computed(of_whole(WholeOperation::Maximum, Whole::S32), [place, zero]);
        self.computed(of_whole(WholeOperation::Minimum, Whole::S32), [place, last])
    }
}
