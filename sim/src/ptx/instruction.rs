//! Instructions (PTX ISA 9).

use super::body::Body;
use super::cursor::Parser;
use super::decode::{WIDE_SWAP, decode};
use super::error::{Fault, Stop};
use super::lexer::TokenKind;
use super::module::{Instruction, Operand};
use super::table::Row;
use super::words::{Modifier, Opcode, Space, Type};

/// An instruction while it is read.
pub(super) struct Reading<'body, 'text> {
    pub body: &'body mut Body<'text>,
    /// The mnemonic with its suffixes.
    pub text: String,
    pub instruction: Instruction,
}

impl Reading<'_, '_> {
    pub fn ty(&self) -> Type {
        self.instruction.ty.unwrap_or(Type::B32)
    }

    /// The instruction's type, at twice its width under `.wide`.
    pub fn wide(&self) -> Type {
        let ty = self.ty();
        let is_wide = self.instruction.modifiers.has(Modifier::Wide);
        let wide = is_wide
            .then(|| Type::of(ty.kind(), 2 * ty.bits()))
            .flatten();
        wide.unwrap_or(ty)
    }

    /// Whether registers may be wider than the type (PTX ISA 9.5.1).
    pub fn takes_wider(&self) -> bool {
        matches!(
            self.instruction.opcode,
            Opcode::Ld | Opcode::St | Opcode::Cvt
        )
    }
}

impl<'text> Parser<'text> {
    /// Reads an instruction with its guard.
    pub fn instruction(&mut self, body: &mut Body<'text>) -> Result<(), Stop> {
        let start = self.at;
        let mut guard = None;
        if self.mark(b'@') {
            let negated = self.mark(b'!');
            let name = self.name("a predicate register")?;
            let register = self.register(body, name)?;
            let ty = body.type_of(register);
            if ty != Type::Pred {
                return Err(Fault::mismatch(name.text, ty, "a guard", "a predicate").at(name.line));
            }
            guard = Some((register, negated));
        }
        let name = self.name("an instruction")?;
        let mut words = Vec::new();
        while self.peek().kind == TokenKind::Word {
            words.push(self.next().text.trim_start_matches('.'));
        }
        let (row, mut instruction) = decode(name.text, &words, name.line)?;
        instruction.guard = guard;
        words.insert(0, name.text);
        let mut reading = Reading {
            body,
            text: words.join("."),
            instruction,
        };
        match row.operands {
            "M" => self.moved(&mut reading)?,
            "C" => self.called(&mut reading, start)?,
            _ => self.operands(row, &mut reading)?,
        }
        let Reading {
            instruction,
            text,
            body,
        } = reading;
        if !self.mark(b';') {
            return Err(match self.peek().kind {
                TokenKind::Mark(b',') => self.count(&text, row.operands.len()),
                _ => self.unexpected("a semicolon"),
            });
        }
        check(&instruction)?;
        body.function.body.push(instruction);
        Ok(())
    }

    /// The error that an instruction has another number of operands.
    pub fn count(&self, instruction: &str, operands: usize) -> Stop {
        let takes = counted(operands, "operand");
        let instruction = instruction.to_owned();
        Fault::Operands { instruction, takes }.at(self.peek().line)
    }

    /// The operands that a row lists.
    fn operands(&mut self, row: &Row, reading: &mut Reading<'_, 'text>) -> Result<(), Stop> {
        let modifiers = reading.instruction.modifiers;
        let is_there = |slot: &char| match slot {
            'n' => modifiers.among(Modifier::COMBINATIONS).is_some(),
            'c' => modifiers.has(Modifier::Cas),
            'k' => modifiers.has(Modifier::Sync),
            _ => true,
        };
        let slots: Vec<char> = row.operands.chars().filter(is_there).collect();
        let needed = slots.iter().filter(|&&slot| slot != 'o').count();
        for (place, &slot) in slots.iter().enumerate() {
            let is_end = self.peek().kind == TokenKind::Mark(b';');
            if is_end && slot == 'o' {
                break;
            }
            if is_end || (place > 0 && !self.mark(b',')) {
                return Err(match is_end {
                    true => self.count(&reading.text, needed),
                    false => self.unexpected("a comma and another operand"),
                });
            }
            let operand = self.operand(slot, reading)?;
            reading.instruction.operands.push(operand);
        }
        match self.peek().kind {
            TokenKind::Mark(b',') => Err(self.count(&reading.text, slots.len())),
            _ => Ok(()),
        }
    }

    /// The operand that a letter of [`Row`] stands for.
    fn operand(&mut self, slot: char, reading: &mut Reading<'_, 'text>) -> Result<Operand, Stop> {
        let (ty, wide) = (reading.ty(), reading.wide());
        let second = reading.instruction.second.unwrap_or(ty);
        match slot {
            'D' => self.destination(reading, ty),
            'S' if self.sink() => Ok(Operand::Sink),
            'S' => self.destination(reading, ty),
            'W' => self.destination(reading, wide),
            'P' => self.destination(reading, Type::Pred),
            'U' => self.destination(reading, Type::U32),
            'R' => self.with_predicate(reading, ty),
            'Q' => self.predicates(reading),
            'V' | 'v' => self.vector(reading, slot == 'V'),
            'w' => self.source(reading, wide),
            'x' => self.source(reading, second),
            'u' | 'o' | 'k' => self.source(reading, Type::U32),
            'p' | 'n' => self.source(reading, Type::Pred),
            'm' => self.memory(reading),
            's' => self.value_or_address(reading),
            't' => self.texture(reading),
            'l' => {
                let label = self.name("a label")?;
                reading.body.branch(label);
                Ok(Operand::Label(0))
            }
            _ => self.source(reading, ty),
        }
    }
}

/// A number with its noun.
pub(super) fn counted(number: usize, noun: &str) -> String {
    match number {
        0 => format!("no {noun}"),
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}

/// What is well formed and not supported, by its operands.
fn check(instruction: &Instruction) -> Result<(), Stop> {
    let reason = match (instruction.opcode, instruction.operands.as_slice()) {
        (Opcode::Bar, [Operand::Immediate(0)]) => return Ok(()),
        (Opcode::Bar, [_]) => "only barrier 0 is supported",
        (Opcode::Bar, _) => "a barrier of some threads is not supported; use bar.sync 0",
        (Opcode::Atom, _)
            if instruction.space == Space::Global
                && instruction.modifiers.has(Modifier::Cas)
                && instruction.ty == Some(Type::B64) =>
        {
            WIDE_SWAP
        }
        _ => return Ok(()),
    };
    Err(Stop::Unsupported(reason.to_owned()))
}
