//! Instructions whose operands have forms of their own: moves and calls.

use super::cursor::Parser;
use super::error::{Fault, Stop};
use super::instruction::{Reading, counted};
use super::lexer::{Token, TokenKind};
use super::module::Operand;
use super::scope::Name;
use super::words::{Kind, Type};

impl<'text> Parser<'text> {
    /// The operands of `mov`: a value, an address, or the parts of a value (PTX ISA 9.7.8).
    pub fn moved(&mut self, reading: &mut Reading<'_, 'text>) -> Result<(), Stop> {
        let ty = reading.ty();
        let both = |parser: &mut Self, is_written: bool| -> Result<Operand, Stop> {
            if parser.peek().kind == TokenKind::Mark(b'{') {
                let is_pair = parser.ahead(4).kind == TokenKind::Mark(b'}');
                let count = if is_pair { 2 } else { 4 };
                let part =
                    Type::of(Kind::Bits, ty.bits() / count).filter(|_| ty.kind() == Kind::Bits);
                let part = part.ok_or_else(|| parser.unexpected("a value that is no vector"))?;
                return parser.elements(reading, part, count as usize, is_written);
            }
            match is_written {
                true => parser.destination(reading, ty),
                false => parser.value_or_address(reading),
            }
        };
        let destination = both(self, true)?;
        if !self.mark(b',') {
            return Err(match self.peek().kind {
                TokenKind::Mark(b';') => self.count(&reading.text, 2),
                _ => self.unexpected("a comma and a source"),
            });
        }
        let source = both(self, false)?;
        if self.peek().kind == TokenKind::Mark(b',') {
            return Err(self.count(&reading.text, 2));
        }
        reading.instruction.operands = vec![destination, source];
        Ok(())
    }

    /// The operands of `call`: results in parentheses, the function, arguments in parentheses (PTX ISA 9.7.12.5). In the
    /// tree the function stands first, then a vector of results and one of arguments.
    pub fn called(&mut self, reading: &mut Reading<'_, 'text>, start: usize) -> Result<(), Stop> {
        let mut results = Vec::new();
        if self.mark(b'(') {
            results = self.passed(reading)?;
            self.expect(b',', "a comma and the function")?;
        }
        let name = self.name("the name of a function")?;
        let number = match self.resolve(reading.body, name)? {
            Name::Function(number) => number,
            Name::Register(_) => {
                return Err(Stop::Unsupported(
                    "a call through a register is not supported".to_owned(),
                ));
            }
            _ => return Err(name.unexpected("the name of a function")),
        };
        let mut arguments = Vec::new();
        if self.mark(b',') {
            self.expect(b'(', "the arguments in parentheses")?;
            arguments = self.passed(reading)?;
        }
        let Some(function) = self.module.functions.get(number) else {
            return Ok(());
        };
        if (results.len(), arguments.len()) != (function.results, function.parameters)
            || function.is_entry
        {
            let takes = match function.is_entry {
                true => "no call, for it is a kernel".to_owned(),
                false => format!(
                    "{} and gives {}",
                    counted(function.parameters, "argument"),
                    counted(function.results, "result")
                ),
            };
            return Err(Fault::Operands {
                instruction: name.text.to_owned(),
                takes,
            }
            .at(name.line));
        }
        let wanted = function
            .variables
            .iter()
            .take(function.results + function.parameters);
        for ((token, operand), wanted) in results.iter().chain(&arguments).zip(wanted) {
            let bytes = match operand {
                Operand::Variable(symbol) => self
                    .variable_of(reading, *symbol)
                    .map(|variable| variable.bytes),
                Operand::Register(register) => Some(reading.body.type_of(*register).bytes().into()),
                _ => None,
            };
            if bytes.is_some_and(|bytes| bytes != wanted.bytes) {
                let has = format!("{} bytes long", bytes.unwrap_or_default());
                let wants = format!("{} bytes", wanted.bytes);
                return Err(token.mismatch(has, name.text, wants));
            }
        }
        if !function.is_defined && number != reading.body.number {
            let reason = format!("the function {} has no body here", function.name);
            let item = self.unsupported(start, reason, Some(reading.body.number));
            self.calls.push((item, number));
        }
        let vector = |all: Vec<(Token, Operand)>| {
            Operand::Vector(all.into_iter().map(|(_, operand)| operand).collect())
        };
        reading.instruction.operands = vec![
            Operand::Function(number),
            vector(results),
            vector(arguments),
        ];
        Ok(())
    }

    /// What a call passes, up to the parenthesis.
    fn passed(
        &mut self,
        reading: &Reading<'_, 'text>,
    ) -> Result<Vec<(Token<'text>, Operand)>, Stop> {
        let mut all = Vec::new();
        while !self.mark(b')') {
            let token = self.peek();
            let operand = match token.kind {
                TokenKind::Name if self.sink() => Operand::Sink,
                TokenKind::Name => {
                    self.next();
                    match self.resolve(reading.body, token)? {
                        Name::Variable(symbol) => Operand::Variable(symbol),
                        _ => self.register(reading.body, token).map(Operand::Register)?,
                    }
                }
                _ => Operand::Immediate(
                    self.number(Type::B64, "a variable, a register or a number")?,
                ),
            };
            all.push((token, operand));
            if self.peek().kind != TokenKind::Mark(b')') {
                self.expect(b',', "a comma or the end of what is passed")?;
            }
        }
        Ok(all)
    }
}
