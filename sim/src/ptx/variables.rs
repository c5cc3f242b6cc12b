//! Declarations of variables (PTX ISA 5.4).

use super::cursor::{Parser, expression};
use super::error::{Fault, Stop};
use super::lexer::{Token, TokenKind};
use super::module::Variable;
use super::words::{OTHER_TYPES, Space, Type};

impl<'text> Parser<'text> {
    /// A type, which may be one that is not supported.
    pub fn ty(&mut self) -> Result<Type, Stop> {
        let word = self.peek().text.strip_prefix('.').unwrap_or_default();
        let ty = Type::of_word(word).filter(|_| self.peek().kind == TokenKind::Word);
        match ty {
            Some(ty) => {
                self.next();
                Ok(ty)
            }
            None if OTHER_TYPES.contains(&word) || ["v2", "v4"].contains(&word) => Err(
                Stop::Unsupported(format!("a variable of type .{word} is not supported")),
            ),
            None => Err(self.unexpected("a type such as .u32")),
        }
    }

    /// Variables of one declaration, from their state space to the semicolon.
    pub fn variables(&mut self, is_extern: bool) -> Result<Vec<(Token<'text>, Variable)>, Stop> {
        let mut variables = Vec::new();
        let mut variable = self.variable(is_extern)?;
        loop {
            if self.mark(b'=') {
                self.initializer(&mut variable.1)?;
            }
            variables.push(variable.clone());
            if !self.mark(b',') {
                self.expect(b';', "a semicolon")?;
                return Ok(variables);
            }
            self.declarator(&mut variable)?;
        }
    }

    /// One variable, without an initializer: state space, alignment, type, name, sizes.
    pub fn variable(&mut self, is_extern: bool) -> Result<(Token<'text>, Variable), Stop> {
        let token = self.next();
        let space = token.text.strip_prefix('.').and_then(Space::of_word);
        let Some(space) = space.filter(|&space| space != Space::Generic) else {
            self.at -= usize::from(token.kind != TokenKind::End);
            return Err(self.unexpected("a state space such as .param"));
        };
        let mut align = self.alignment()?;
        let ty = self.ty()?;
        if ty == Type::Pred {
            return Err(Stop::Unsupported(
                "a predicate in memory is not supported".to_owned(),
            ));
        }
        // What a pointer points to is only a hint (PTX ISA 5.1.6.2).
        if self.word(".ptr") {
            while Space::of_word(self.peek().text.trim_start_matches('.')).is_some() {
                self.next();
            }
            self.alignment()?;
        }
        align = align.or(self.alignment()?);
        let variable = Variable {
            line: token.line,
            name: String::new(),
            space,
            ty,
            bytes: 0,
            align: align.unwrap_or_else(|| ty.bytes()),
            initial: None,
            is_extern,
        };
        let mut declared = (token, variable);
        self.declarator(&mut declared)?;
        Ok(declared)
    }

    /// The name of a variable and the sizes of its dimensions; everything else is as declared before it.
    fn declarator(&mut self, declared: &mut (Token<'text>, Variable)) -> Result<(), Stop> {
        const LIMIT: u64 = 1 << 40;
        let name = self.name("the name of a variable")?;
        declared.0 = name;
        let variable = &mut declared.1;
        (variable.line, variable.name) = (name.line, name.text.to_owned());
        variable.initial = None;
        variable.bytes = u64::from(variable.ty.bytes());
        while self.mark(b'[') {
            let size = match self.peek().kind {
                TokenKind::Mark(b']') => 0,
                _ => self.integer("the size of a dimension")?,
            };
            self.constant_ends()?;
            self.expect(b']', "the bracket that ends the size")?;
            let bytes = variable
                .bytes
                .checked_mul(size)
                .filter(|&bytes| bytes <= LIMIT);
            let what = "the size of this variable in bytes";
            variable.bytes =
                bytes.ok_or_else(|| Fault::TooMany { what, limit: LIMIT }.at(name.line))?;
        }
        Ok(())
    }

    fn alignment(&mut self) -> Result<Option<u32>, Stop> {
        if !self.word(".align") {
            return Ok(None);
        }
        let align = self.integer("an alignment, a power of two,")?;
        self.constant_ends()?;
        let align = u32::try_from(align)
            .ok()
            .filter(|align| align.is_power_of_two());
        align.map(Some).ok_or_else(|| {
            self.at -= 1;
            self.unexpected("an alignment, a power of two,")
        })
    }

    /// A number, or numbers in braces (PTX ISA 5.4.4).
    fn initializer(&mut self, variable: &mut Variable) -> Result<(), Stop> {
        let mut bytes = Vec::new();
        let is_list = self.mark(b'{');
        loop {
            match self.peek().kind {
                TokenKind::Name => {
                    return Err(Stop::Unsupported(
                        "an address as an initial value is not supported".to_owned(),
                    ));
                }
                TokenKind::Mark(b'{') => {
                    return Err(Stop::Unsupported(
                        "braces inside of an initializer are not supported".to_owned(),
                    ));
                }
                _ => {}
            }
            let value = self.number(variable.ty, "a number")?;
            self.constant_ends()?;
            let size = variable.ty.bytes() as usize;
            bytes.extend(value.to_le_bytes().into_iter().take(size));
            if !is_list || !self.mark(b',') {
                break;
            }
        }
        if variable.bytes == 0 {
            variable.bytes = bytes.len() as u64;
        }
        if bytes.len() as u64 > variable.bytes {
            return Err(
                self.unexpected("the end of the initializer, which is longer than the variable,")
            );
        }
        variable.initial = Some(bytes);
        match is_list {
            true => self.expect(b'}', "a comma or the brace that ends the initializer"),
            false => Ok(()),
        }
    }

    /// A number as bits of a type (PTX ISA 4.5). An integer keeps its lowest bits.
    pub fn number(&mut self, ty: Type, expected: &str) -> Result<u64, Stop> {
        let start = self.at;
        let negative = self.mark(b'-');
        if let TokenKind::Mark(b'(' | b'~' | b'!' | b'+' | b'-') = self.peek().kind {
            return Err(expression());
        }
        let token = self.next();
        let signed = |value: f64| if negative { -value } else { value };
        let bits = match (token.kind, ty) {
            (TokenKind::Integer(value), Type::Pred) => Some(u64::from(value != 0)),
            (TokenKind::Integer(value), _) if !matches!(ty, Type::F32 | Type::F64) => {
                let value = if negative {
                    value.wrapping_neg()
                } else {
                    value
                };
                Some(value & (u64::MAX >> (64 - ty.bits())))
            }
            // The bits of a float have no sign before them.
            (TokenKind::Single(_), _) if negative => None,
            (TokenKind::Single(bits), Type::F32 | Type::B32) => Some(bits.into()),
            (TokenKind::Single(bits), Type::F64) => Some(f64::from(f32::from_bits(bits)).to_bits()),
            (TokenKind::Double(value), Type::F64 | Type::B64) => Some(signed(value).to_bits()),
            (TokenKind::Double(value), Type::F32) => Some((signed(value) as f32).to_bits().into()),
            _ => None,
        };
        bits.ok_or_else(|| {
            self.at = start;
            self.unexpected(&format!("{expected} of type .{ty}"))
        })
    }
}
