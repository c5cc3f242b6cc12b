//! The statements of a function.

use super::cursor::Parser;
use super::error::{Fault, Stop};
use super::lexer::{Token, TokenKind};
use super::module::{Base, Function, Label, Operand, Register, Symbol};

use super::scope::{Name, Names};
use super::words::Type;

/// Registers that a function may declare.
const MOST_REGISTERS: u32 = 1 << 18;
/// Scopes in one another that a function may have.
const MOST_SCOPES: usize = 256;

/// A function while it is read.
pub(super) struct Body<'text> {
    pub function: Function,
    /// Its number in the module.
    pub number: usize,
    /// From the function's own scope to the innermost one.
    scopes: Vec<Scope<'text>>,
}

/// What stands between braces.
#[derive(Default)]
struct Scope<'text> {
    names: Names<'text>,
    /// Branches whose labels are not known yet: the instruction, and the label.
    branches: Vec<(usize, Token<'text>)>,
}

impl<'text> Body<'text> {
    pub fn new(function: Function, number: usize) -> Self {
        Self {
            function,
            number,
            scopes: vec![Scope::default()],
        }
    }

    /// Makes a name known in the innermost scope.
    pub fn declare(&mut self, name: Token<'text>, meaning: Name) -> Result<(), Stop> {
        self.scopes
            .last_mut()
            .map_or(Ok(()), |scope| scope.names.declare(name, meaning))
    }

    /// What a name of the function means.
    fn get(&self, name: &str) -> Option<Name> {
        let mut scopes = self.scopes.iter().rev();
        scopes
            .find_map(|scope| scope.names.get(name))
            .map(|(name, _)| name)
    }

    /// Whether a name is the function's.
    pub fn knows(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Remembers that the next instruction branches to a label.
    pub fn branch(&mut self, label: Token<'text>) {
        let instruction = self.function.body.len();
        if let Some(scope) = self.scopes.last_mut() {
            scope.branches.push((instruction, label));
        }
    }

    /// Leaves the innermost scope. Labels that are not in it may be in the scope around it.
    fn close(&mut self) -> Result<(), Stop> {
        let Some(scope) = self.scopes.pop() else {
            return Ok(());
        };
        for (place, label) in scope.branches {
            match (scope.names.get(label.text), self.scopes.last_mut()) {
                (Some((Name::Label(number), _)), _) => {
                    if let Some(instruction) = self.function.body.get_mut(place) {
                        instruction.operands = vec![Operand::Label(number)];
                    }
                }
                (None, Some(outer)) => outer.branches.push((place, label)),
                _ => return Err(Fault::Label(label.text.to_owned()).at(label.line)),
            }
        }
        Ok(())
    }

    /// Registers of a type; gives the number of the first one.
    fn registers(&mut self, ty: Type, count: u32, line: u32) -> Result<u32, Stop> {
        let first = self.function.registers.len();
        let all = first + count as usize;
        if all > MOST_REGISTERS as usize {
            let what = "the number of this function's registers";
            return Err(Fault::TooMany {
                what,
                limit: MOST_REGISTERS.into(),
            }
            .at(line));
        }
        self.function.registers.resize(all, ty);
        Ok(first as u32)
    }

    /// The type of a register.
    pub fn type_of(&self, register: Register) -> Type {
        let ty = self.function.registers.get(register.0 as usize);
        ty.copied().unwrap_or(Type::Pred)
    }
}

impl<'text> Parser<'text> {
    /// Reads a body up to its last brace.
    pub fn body(&mut self, mut body: Body<'text>) -> Result<Function, Stop> {
        while !body.scopes.is_empty() {
            let start = self.at;
            let is_directive = self.peek().kind == TokenKind::Word;
            match self.statement(&mut body) {
                Err(Stop::Unsupported(reason)) => {
                    self.skip_statement(start, reason, Some(body.number))?;
                    if is_directive {
                        self.declare_unsupported(start, &mut body);
                    }
                }
                other => other?,
            }
        }
        Ok(body.function)
    }

    fn statement(&mut self, body: &mut Body<'text>) -> Result<(), Stop> {
        let token = self.peek();
        match token.kind {
            TokenKind::End => Err(self.unexpected("the brace that ends the function")),
            TokenKind::Mark(b'{') => {
                self.next();
                if body.scopes.len() > MOST_SCOPES {
                    let (what, limit) = ("the depth of braces in braces", MOST_SCOPES as u64);
                    return Err(Fault::TooMany { what, limit }.at(token.line));
                }
                body.scopes.push(Scope::default());
                Ok(())
            }
            TokenKind::Mark(b'}') => {
                self.next();
                body.close()
            }
            TokenKind::Mark(b';') => {
                self.next();
                Ok(())
            }
            TokenKind::Word if self.skip_directive()? => Ok(()),
            TokenKind::Word if token.text == ".reg" => self.registers(body),
            TokenKind::Word => match token.text {
                ".local" | ".shared" | ".param" => {
                    for (name, variable) in self.variables(false)? {
                        let symbol = Symbol::Function(body.function.variables.len());
                        body.declare(name, Name::Variable(symbol))?;
                        body.function.variables.push(variable);
                    }
                    Ok(())
                }
                _ => Err(self.directive("an instruction, a label or a directive")),
            },
            TokenKind::Name if self.ahead(1).kind == TokenKind::Mark(b':') => {
                let name = self.next();
                self.next();
                body.declare(name, Name::Label(body.function.labels.len()))?;
                let target = body.function.body.len();
                body.function.labels.push(Label {
                    line: name.line,
                    name: name.text.to_owned(),
                    target,
                });
                Ok(())
            }
            TokenKind::Name | TokenKind::Mark(b'@') => self.instruction(body),
            _ => Err(self.unexpected("an instruction, a label or a directive")),
        }
    }

    /// Registers (PTX ISA 5.1.1), such as `.reg .b32 %r<5>, %total;`.
    fn registers(&mut self, body: &mut Body<'text>) -> Result<(), Stop> {
        self.next();
        let ty = self.ty()?;
        loop {
            let name = self.name("the name of a register")?;
            match self.family()? {
                Some(count) => {
                    let first = body.registers(ty, count, name.line)?;
                    if let Some(scope) = body.scopes.last_mut() {
                        scope.names.declare_family(name, Some(first), count)?;
                    }
                }
                None => {
                    let register = Register(body.registers(ty, 1, name.line)?);
                    body.declare(name, Name::Register(register))?;
                }
            }
            if !self.mark(b',') {
                return self.expect(b';', "a comma or a semicolon");
            }
        }
    }

    /// The number of registers in angle brackets.
    fn family(&mut self) -> Result<Option<u32>, Stop> {
        if !self.mark(b'<') {
            return Ok(None);
        }
        let count = self.integer("a number of registers")?;
        if self.peek().kind != TokenKind::Mark(b'>') {
            self.constant_ends()?;
        }
        self.expect(b'>', "the bracket that ends the number of registers")?;
        Ok(Some(
            u32::try_from(count)
                .unwrap_or(u32::MAX)
                .min(MOST_REGISTERS + 1),
        ))
    }

    /// Makes the names known that an unsupported directive has, from this token to the place that is reached.
    fn declare_unsupported(&mut self, start: usize, body: &mut Body<'text>) {
        let end = self.at;
        for place in start..end {
            let (token, next) = (self.token(place), self.token(place + 1));
            let Some(scope) = body.scopes.last_mut() else {
                return;
            };
            if token.kind == TokenKind::Name {
                match (next.kind, self.token(place + 2).kind) {
                    (TokenKind::Mark(b'<'), TokenKind::Integer(count)) => {
                        let count = u32::try_from(count).unwrap_or(u32::MAX);
                        let _ = scope.names.declare_family(token, None, count);
                    }
                    _ => scope.names.unsupported(token),
                }
            }
        }
    }

    /// What a name means in a function.
    pub fn resolve(&self, body: &Body<'text>, name: Token<'text>) -> Result<Name, Stop> {
        let known = body
            .get(name.text)
            .or_else(|| self.names.get(name.text).map(|(name, _)| name));
        match known {
            Some(Name::Unsupported) => Err(Stop::Unsupported(format!(
                "{} is declared by what is not supported",
                name.text
            ))),
            Some(known) => Ok(known),
            None => Err(Fault::Unknown(name.text.to_owned()).at(name.line)),
        }
    }

    /// The register of this name.
    pub fn register(&self, body: &Body<'text>, name: Token<'text>) -> Result<Register, Stop> {
        match self.resolve(body, name)? {
            Name::Register(register) => Ok(register),
            _ => Err(name.unexpected("a register")),
        }
    }

    /// The offset after a base, such as `+4` or `+-4`; 0 without one.
    pub fn offset(&mut self) -> Result<i64, Stop> {
        if !self.mark(b'+') {
            return Ok(0);
        }
        let is_negative = self.mark(b'-');
        let offset = self.integer("an offset in bytes")?.cast_signed();
        self.constant_ends()?;
        Ok(if is_negative {
            offset.wrapping_neg()
        } else {
            offset
        })
    }

    /// The base of an address.
    pub fn base(&mut self, body: &Body<'text>) -> Result<Base, Stop> {
        let token = self.peek();
        match token.kind {
            TokenKind::Integer(_) => Ok(Base::Zero),
            TokenKind::Name => {
                self.next();
                match self.resolve(body, token)? {
                    Name::Register(register) => Ok(Base::Register(register)),
                    Name::Variable(symbol) => Ok(Base::Symbol(symbol)),
                    _ => Err(token.unexpected("a register or a variable")),
                }
            }
            _ => Err(self.unexpected("a register, a variable or a number")),
        }
    }
}
