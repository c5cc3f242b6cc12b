//! Votes and shuffles, which read other lanes (PTX ISA 9.7.8.5 and 9.7.12).

use super::LowerError;
use super::code::Source;
use super::frame::{Frame, Lowering};
use crate::ptx::module::{Instruction, Operand, Register};
use crate::ptx::words::{Modifier, Opcode};
use crate::simt::{Operation, Shuffle, Vote};

impl<'tree> Lowering<'tree> {
    /// `vote`.
    pub fn votes(
        &mut self,
        frame: &mut Frame<'tree>,
        instruction: &Instruction,
    ) -> Result<(), LowerError> {
        self.of_all_lanes(frame, instruction, 2)?;
        let to = self.written(frame, instruction.operands.first());
        let predicate = self.source_at(frame, instruction, 1)?;
        let modifiers = instruction.modifiers;
        let vote = match modifiers.among(Modifier::VOTES) {
            Some(Modifier::All) => Vote::All,
            Some(Modifier::Any) => Vote::Any,
            Some(_) => Vote::Uniform,
            None => Vote::Ballot,
        };
        self.emit(Operation::Vote(vote), to, [predicate]);
        Ok(())
    }

    /// `shfl`, with its predicate first: no source is one.
    pub fn shuffles(
        &mut self,
        frame: &mut Frame<'tree>,
        instruction: &Instruction,
    ) -> Result<(), LowerError> {
        self.of_all_lanes(frame, instruction, 4)?;
        let (to, inside) = match instruction.operands.first() {
            Some(Operand::Vector(both)) => (both.first(), both.get(1)),
            other => (other, None),
        };
        let to = self.written(frame, to);
        let inside = self.written(frame, inside);
        let value = self.source_at(frame, instruction, 1)?;
        let by = self.source_at(frame, instruction, 2)?;
        let limits = self.source_at(frame, instruction, 3)?;
        let shuffle = match instruction.modifiers.among(Modifier::SHUFFLES) {
            Some(Modifier::Up) => Shuffle::Up,
            Some(Modifier::Down) => Shuffle::Down,
            Some(Modifier::Butterfly) => Shuffle::Butterfly,
            _ => Shuffle::Index,
        };
        if inside.is_some() {
            self.emit(Operation::ShuffleRange(shuffle), inside, [by, limits]);
        }
        self.emit(Operation::Shuffle(shuffle), to, [value, by, limits]);
        Ok(())
    }

    /// Refuses a `.sync` whose mask is not that of all lanes: the lanes that are there at once take part.
    fn of_all_lanes(
        &mut self,
        frame: &mut Frame<'tree>,
        instruction: &Instruction,
        place: usize,
    ) -> Result<(), LowerError> {
        if !instruction.modifiers.has(Modifier::Sync) {
            return Ok(());
        }
        let mask = match (
            instruction.operands.get(place),
            self.source_at(frame, instruction, place)?,
        ) {
            // What a register holds is known if nothing else writes it.
            (Some(Operand::Register(named)), Source::Register(register)) => {
                let body = frame.function.body.iter();
                let is_only = body.filter(|one| writes(one, *named)).count() == 1;
                let mut written = self.code.lines.iter().rev();
                let line = written.find(|line| line.destination == Some(register));
                line.filter(|line| is_only && line.operation == Operation::Move)
                    .map_or(Source::None, |line| line.sources[0])
            }
            (_, other) => other,
        };
        match mask {
            Source::Immediate(mask) if mask as u32 == u32::MAX => Ok(()),
            _ => Err(self.wrong(format!(
                "{}.sync is supported for all lanes alone, with the mask 0xffffffff",
                instruction.opcode
            ))),
        }
    }
}

/// Whether an instruction writes a register.
fn writes(instruction: &Instruction, register: Register) -> bool {
    let place = usize::from(instruction.opcode == Opcode::Call);
    match instruction.operands.get(place) {
        Some(Operand::Register(written)) => *written == register,
        Some(Operand::Vector(all)) => all.contains(&Operand::Register(register)),
        _ => false,
    }
}
