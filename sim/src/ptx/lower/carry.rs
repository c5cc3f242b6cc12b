//! Integers that are longer than a register: sums, differences and products with a carry (PTX ISA 9.7.2).

use super::LowerError;
use super::code::{Source, Virtual};
use super::frame::{Frame, Lowering};
use super::translate::whole;
use crate::ptx::module::Instruction;
use crate::ptx::words::{Modifier, Opcode, Type};
use crate::simt::{Arithmetic, Comparison, Number, Operation, Relation, Whole, WholeOperation};

impl<'tree> Lowering<'tree> {
    /// An instruction that takes the carry, gives one, or both. Both steps, of the operands and of the carry, may have one.
    pub fn carries(
        &mut self,
        frame: &mut Frame<'tree>,
        instruction: &Instruction,
    ) -> Result<(), LowerError> {
        let to = self.written(frame, instruction.operands.first());
        let mut left = self.source_at(frame, instruction, 1)?;
        let mut right = self.source_at(frame, instruction, 2)?;
        let ty = instruction.ty.unwrap_or(Type::U32);
        let unsigned = Whole::of_bits(ty.bits());
        let of = |operation, whole| Operation::Arithmetic(Arithmetic::Whole(operation, whole));
        if matches!(instruction.opcode, Opcode::Mad | Opcode::Madc) {
            let part = match instruction.modifiers.has(Modifier::Hi) {
                true => WholeOperation::MultiplyHigh,
                false => WholeOperation::Multiply,
            };
            left = self.computed(of(part, whole(ty)), [left, right]);
            right = self.source_at(frame, instruction, 3)?;
        }
        let subtracts = matches!(instruction.opcode, Opcode::Sub | Opcode::Subc);
        let operation = match subtracts {
            true => of(WholeOperation::Subtract, unsigned),
            false => of(WholeOperation::Add, unsigned),
        };
        let less = Operation::Arithmetic(Arithmetic::Compare {
            of: Number::Whole(unsigned),
            comparison: Comparison::Ordered(Relation::Less),
            flushes: false,
        });
        // A sum that is less than a summand has lost a carry; a difference has if it takes more than there is.
        let lost = |left, right, result| match subtracts {
            true => [left, right],
            false => [result, left],
        };
        let mut result = self.computed(operation, [left, right]);
        let mut carry = self.computed(less, lost(left, right, result));
        if matches!(
            instruction.opcode,
            Opcode::Addc | Opcode::Subc | Opcode::Madc
        ) {
            let before = Source::Register(self.carry());
            let exact = Operation::Arithmetic(Arithmetic::exact(unsigned, Whole::U32));
            let taken = self.computed(exact, [before]);
            let first = result;
            result = self.computed(operation, [first, taken]);
            let second = self.computed(less, lost(first, taken, result));
            carry = self.computed(Operation::Or, [carry, second]);
        }
        self.emit(Operation::Move, to, [result]);
        if instruction.modifiers.has(Modifier::Cc) {
            let after = self.carry();
            self.emit(Operation::Move, Some(after), [carry]);
        }
        Ok(())
    }

    /// The register of the carry.
    fn carry(&mut self) -> Virtual {
        match self.carry {
            Some(carry) => carry,
            None => *self.carry.insert(self.code.register(false)),
        }
    }
}
