//! Operands (PTX ISA 6).

use super::cursor::Parser;
use super::error::{Fault, Stop};
use super::instruction::Reading;
use super::lexer::{Token, TokenKind};
use super::module::{Base, Operand, Symbol, Variable};
use super::scope::Name;
use super::words::{Kind, Modifier, OTHER_SPECIALS, Opcode, Space, Special, Type};

impl<'text> Parser<'text> {
    pub fn sink(&mut self) -> bool {
        let is_next = self.peek().text == "_";
        if is_next {
            self.next();
        }
        is_next
    }

    /// A register of a type that is written.
    pub fn destination(&mut self, reading: &Reading<'_, 'text>, ty: Type) -> Result<Operand, Stop> {
        let name = self.name("a destination register")?;
        self.typed(reading, name, ty)
    }

    /// The register of a name, whose type belongs to this one.
    pub fn typed(
        &self,
        reading: &Reading<'_, 'text>,
        name: Token<'text>,
        ty: Type,
    ) -> Result<Operand, Stop> {
        let register = self.register(reading.body, name)?;
        let has = reading.body.type_of(register);
        match ty.takes(has, reading.takes_wider()) {
            true => Ok(Operand::Register(register)),
            false => {
                Err(Fault::mismatch(name.text, has, &reading.text, &format!(".{ty}")).at(name.line))
            }
        }
    }

    /// A register or a number of a type, or a special register where it may stand.
    pub fn source(&mut self, reading: &Reading<'_, 'text>, ty: Type) -> Result<Operand, Stop> {
        let token = self.peek();
        match token.kind {
            TokenKind::Mark(b'!') if ty == Type::Pred => {
                self.next();
                let name = self.name("a predicate register")?;
                Ok(match self.typed(reading, name, ty)? {
                    Operand::Register(register) => Operand::Not(register),
                    other => other,
                })
            }
            TokenKind::Name if token.text == "WARP_SZ" => {
                self.next();
                self.constant_ends()?;
                Ok(Operand::Immediate(32))
            }
            TokenKind::Name if reading.body.knows(token.text) || !token.text.starts_with('%') => {
                self.next();
                self.typed(reading, token, ty)
            }
            TokenKind::Name => self.special(reading, ty),
            _ => {
                let number = self.number(ty, "a register or a number")?;
                self.constant_ends()?;
                Ok(Operand::Immediate(number))
            }
        }
    }

    /// A special register, which `mov` and `cvt` read.
    pub fn special(&mut self, reading: &Reading<'_, 'text>, ty: Type) -> Result<Operand, Stop> {
        let name = self.next();
        let family = name.text.trim_start_matches('%');
        let stem = family.trim_end_matches(|last: char| last.is_ascii_digit());
        let mut text = name.text.to_owned();
        if self.peek().kind == TokenKind::Word {
            text += self.next().text;
        }
        let special = Special::of_word(&text);
        let is_read = matches!(reading.instruction.opcode, Opcode::Mov | Opcode::Cvt);
        match special {
            Some(_) if !is_read || !ty.takes(Type::U32, false) => Err(Fault::mismatch(
                &text,
                Type::U32,
                &reading.text,
                "a register; read it with mov.u32",
            )
            .at(name.line)),
            Some(special) => Ok(Operand::Special(special)),
            None if OTHER_SPECIALS.contains(&family) || OTHER_SPECIALS.contains(&stem) => Err(
                Stop::Unsupported(format!("the special register {text} is not supported")),
            ),
            None => Err(Fault::Unknown(text).at(name.line)),
        }
    }

    /// The one or two destinations of `setp`, `p|q`.
    pub fn predicates(&mut self, reading: &Reading<'_, 'text>) -> Result<Operand, Stop> {
        let mut both = Vec::new();
        loop {
            both.push(match self.sink() {
                true => Operand::Sink,
                false => self.destination(reading, Type::Pred)?,
            });
            if both.len() == 2 || !self.mark(b'|') {
                break;
            }
        }
        match both[..] {
            [Operand::Register(register)] => Ok(Operand::Register(register)),
            [_] => Err(self.unexpected("a second destination after _")),
            _ => Ok(Operand::Vector(both)),
        }
    }

    /// The destination of `shfl`, and perhaps a predicate, `d|p`.
    pub fn with_predicate(
        &mut self,
        reading: &Reading<'_, 'text>,
        ty: Type,
    ) -> Result<Operand, Stop> {
        let first = self.destination(reading, ty)?;
        if !self.mark(b'|') {
            return Ok(first);
        }
        let second = self.destination(reading, Type::Pred)?;
        Ok(Operand::Vector(vec![first, second]))
    }

    /// A value of the type, or as many as the modifiers say in braces.
    pub fn vector(
        &mut self,
        reading: &Reading<'_, 'text>,
        is_written: bool,
    ) -> Result<Operand, Stop> {
        let elements = reading.instruction.elements() as usize;
        match (elements, is_written) {
            (1, true) => self.destination(reading, reading.ty()),
            (1, false) => self.source(reading, reading.ty()),
            _ => self.elements(reading, reading.ty(), elements, is_written),
        }
    }

    /// So many values in braces.
    pub fn elements(
        &mut self,
        reading: &Reading<'_, 'text>,
        ty: Type,
        count: usize,
        is_written: bool,
    ) -> Result<Operand, Stop> {
        self.expect(b'{', "a vector in braces")?;
        let mut elements = Vec::new();
        for place in 0..count {
            if place > 0 {
                self.expect(
                    b',',
                    &format!("a comma, for the vector has {count} elements,"),
                )?;
            }
            elements.push(match is_written {
                true if self.sink() => Operand::Sink,
                true => self.destination(reading, ty)?,
                false => self.source(reading, ty)?,
            });
        }
        self.expect(
            b'}',
            &format!("the brace that ends a vector of {count} elements"),
        )?;
        Ok(Operand::Vector(elements))
    }

    /// An address in brackets.
    pub fn memory(&mut self, reading: &Reading<'_, 'text>) -> Result<Operand, Stop> {
        self.expect(b'[', "an address, such as [%rd1+16],")?;
        let token = self.peek();
        let base = self.base(reading.body)?;
        let mut offset = 0;
        match base {
            Base::Register(register) => {
                let ty = reading.body.type_of(register);
                if ty.bits() < 32
                    || !matches!(ty.kind(), Kind::Bits | Kind::Unsigned | Kind::Signed)
                {
                    let wants = "an integer of 32 or 64 bits";
                    return Err(
                        Fault::mismatch(token.text, ty, &reading.text, wants).at(token.line)
                    );
                }
            }
            Base::Symbol(symbol) => {
                let space = self
                    .variable_of(reading, symbol)
                    .map(|variable| variable.space);
                if reading.instruction.space == Space::Generic {
                    return Err(Stop::Unsupported(
                        "a variable's name as a generic address is not supported".to_owned(),
                    ));
                }
                if space != Some(reading.instruction.space) {
                    let has = space.map_or(String::new(), |space| format!("in .{space}"));
                    let wants = format!("a variable in .{}", reading.instruction.space);
                    return Err(token.mismatch(has, &reading.text, wants));
                }
            }
            Base::Zero => offset = self.integer("an address")?.cast_signed(),
        }
        let offset = self.offset()?.wrapping_add(offset);
        self.expect(b']', "the bracket that ends the address")?;
        Ok(Operand::Memory(base, offset))
    }

    pub fn variable_of<'tree>(
        &'tree self,
        reading: &'tree Reading<'_, 'text>,
        symbol: Symbol,
    ) -> Option<&'tree Variable> {
        self.module.variable(&reading.body.function, symbol)
    }

    /// A source, or the address of a variable, of which `mov` and `cvta` take the value.
    pub fn value_or_address(&mut self, reading: &Reading<'_, 'text>) -> Result<Operand, Stop> {
        let (token, ty) = (self.peek(), reading.ty());
        let is_special = token.text.starts_with('%') && !reading.body.knows(token.text);
        if token.kind != TokenKind::Name || is_special || token.text == "WARP_SZ" {
            return self.source(reading, ty);
        }
        match self.resolve(reading.body, token)? {
            Name::Variable(symbol) => {
                self.next();
                if ty.bits() < 32 || matches!(ty.kind(), Kind::Float) {
                    let has = "a variable, of which an instruction takes the address".to_owned();
                    let wants = format!("a value of type .{ty}");
                    return Err(token.mismatch(has, &reading.text, wants));
                }
                let offset = self.offset()?;
                Ok(Operand::AddressOf(symbol, offset))
            }
            Name::Function(_) => Err(Stop::Unsupported(
                "the address of a function is not supported".to_owned(),
            )),
            Name::Texture(_) => Err(Stop::Unsupported(
                "the address of a texture is not supported".to_owned(),
            )),
            _ => self.source(reading, ty),
        }
    }

    /// A texture and its coordinates, `[texture, {x, y}]` (PTX ISA 9.7.9).
    pub fn texture(&mut self, reading: &Reading<'_, 'text>) -> Result<Operand, Stop> {
        let ty = reading.instruction.second.unwrap_or(Type::S32);
        self.expect(b'[', "a texture in brackets")?;
        let name = self.name("a texture")?;
        let texture = match self.resolve(reading.body, name)? {
            Name::Texture(texture) => texture,
            Name::Register(_) => {
                return Err(Stop::Unsupported(
                    "a texture by an object in a register is not supported".to_owned(),
                ));
            }
            _ => return Err(name.unexpected("the name of a texture")),
        };
        self.expect(b',', "a comma and the coordinates")?;
        if self.peek().kind == TokenKind::Name && self.ahead(1).kind == TokenKind::Mark(b',') {
            return Err(Stop::Unsupported(
                "a texture with a sampler of its own is not supported".to_owned(),
            ));
        }
        let is_line = reading.instruction.modifiers.has(Modifier::OneDimension);
        let coordinates = match (is_line, self.peek().kind) {
            (true, TokenKind::Mark(b'{')) => self.elements(reading, ty, 1, false)?,
            (true, _) => self.source(reading, ty)?,
            (false, _) => self.elements(reading, ty, 2, false)?,
        };
        self.expect(b']', "the bracket that ends the texture's coordinates")?;
        let coordinates = match coordinates {
            Operand::Vector(coordinates) => coordinates,
            other => vec![other],
        };
        Ok(Operand::Texture(texture, coordinates))
    }
}
