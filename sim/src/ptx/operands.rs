//! Instructions and their operands (PTX ISA 6, 9).

use super::body::Body;
use super::error::{Fault, Stop};
use super::lexer::{Token, TokenKind};
use super::module::{Base, Instruction, Operand, Symbol, Variable};
use super::parser::Parser;
use super::scope::Name;
use super::table::{Row, decode};
use super::words::{Kind, Modifier, OTHER_SPECIALS, Opcode, Space, Special, Type};

/// An instruction while it is read.
struct Reading<'body, 'text> {
    body: &'body mut Body<'text>,
    /// The mnemonic with its suffixes.
    text: String,
    instruction: Instruction,
}

impl Reading<'_, '_> {
    fn ty(&self) -> Type {
        self.instruction.ty.unwrap_or(Type::B32)
    }

    /// The instruction's type, at twice its width under `.wide`.
    fn wide(&self) -> Type {
        let ty = self.ty();
        let is_wide = self.instruction.modifiers.has(Modifier::Wide);
        let wide = is_wide
            .then(|| Type::of(ty.kind(), 2 * ty.bits()))
            .flatten();
        wide.unwrap_or(ty)
    }

    /// Whether registers may be wider than the type (PTX ISA 9.5.1).
    fn takes_wider(&self) -> bool {
        matches!(
            self.instruction.opcode,
            Opcode::Ld | Opcode::St | Opcode::Cvt
        )
    }
}

impl<'text> Parser<'text> {
    /// Reads an instruction with its guard.
    pub fn instruction(&mut self, body: &mut Body<'text>) -> Result<(), Stop> {
        let start = self.place();
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
        body.function.body.push(instruction);
        Ok(())
    }

    /// The error that an instruction has another number of operands.
    fn count(&self, instruction: &str, operands: usize) -> Stop {
        let takes = match operands {
            0 => "no operand".to_owned(),
            1 => "1 operand".to_owned(),
            _ => format!("{operands} operands"),
        };
        let instruction = instruction.to_owned();
        Fault::Operands { instruction, takes }.at(self.peek().line)
    }

    /// The operands that a row lists.
    fn operands(&mut self, row: &Row, reading: &mut Reading<'_, 'text>) -> Result<(), Stop> {
        let modifiers = reading.instruction.modifiers;
        let is_there = |slot: &char| match slot {
            'n' => modifiers.among(Modifier::COMBINATIONS).is_some(),
            'c' => modifiers.has(Modifier::Cas),
            _ => true,
        };
        let slots: Vec<char> = row.operands.chars().filter(is_there).collect();
        for (place, &slot) in slots.iter().enumerate() {
            let is_end = self.peek().kind == TokenKind::Mark(b';');
            if is_end && slot == 'o' {
                break;
            }
            if is_end || (place > 0 && !self.mark(b',')) {
                return Err(match is_end {
                    true => self.count(&reading.text, slots.len()),
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
            'Q' => self.predicates(reading),
            'V' | 'v' => self.vector(reading, slot == 'V'),
            'w' => self.source(reading, wide),
            'x' => self.source(reading, second),
            'u' | 'o' => self.source(reading, Type::U32),
            'p' => self.source(reading, Type::Pred),
            'n' if self.mark(b'!') => match self.source(reading, Type::Pred)? {
                Operand::Register(register) => Ok(Operand::Not(register)),
                Operand::Immediate(bit) => Ok(Operand::Immediate(bit ^ 1)),
                other => Ok(other),
            },
            'n' => self.source(reading, Type::Pred),
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

    fn sink(&mut self) -> bool {
        let is_next = self.peek().text == "_";
        if is_next {
            self.next();
        }
        is_next
    }

    /// A register of a type that is written.
    fn destination(&mut self, reading: &Reading<'_, 'text>, ty: Type) -> Result<Operand, Stop> {
        let name = self.name("a destination register")?;
        self.typed(reading, name, ty)
    }

    /// The register of a name, whose type belongs to this one.
    fn typed(
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
    fn source(&mut self, reading: &Reading<'_, 'text>, ty: Type) -> Result<Operand, Stop> {
        let token = self.peek();
        match token.kind {
            TokenKind::Name if token.text == "WARP_SZ" => {
                self.next();
                Ok(Operand::Immediate(32))
            }
            TokenKind::Name if reading.body.knows(token.text) || !token.text.starts_with('%') => {
                self.next();
                self.typed(reading, token, ty)
            }
            TokenKind::Name => self.special(reading, ty),
            TokenKind::Mark(b'(') => Err(Stop::Unsupported(
                "a constant expression is not supported".to_owned(),
            )),
            _ => self
                .number(ty, "a register or a number")
                .map(Operand::Immediate),
        }
    }

    /// A special register, which `mov` and `cvt` read.
    fn special(&mut self, reading: &Reading<'_, 'text>, ty: Type) -> Result<Operand, Stop> {
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
    fn predicates(&mut self, reading: &Reading<'_, 'text>) -> Result<Operand, Stop> {
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

    /// A value of the type, or as many as the modifiers say in braces.
    fn vector(&mut self, reading: &Reading<'_, 'text>, is_written: bool) -> Result<Operand, Stop> {
        let elements = reading.instruction.elements() as usize;
        match (elements, is_written) {
            (1, true) => self.destination(reading, reading.ty()),
            (1, false) => self.source(reading, reading.ty()),
            _ => self.elements(reading, reading.ty(), elements, is_written),
        }
    }

    /// So many values in braces.
    fn elements(
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
    fn memory(&mut self, reading: &Reading<'_, 'text>) -> Result<Operand, Stop> {
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
                    let (operand, instruction) = (token.text.to_owned(), reading.text.clone());
                    return Err(Fault::Mismatch {
                        operand,
                        has,
                        instruction,
                        wants,
                    }
                    .at(token.line));
                }
            }
            Base::Zero => offset = self.integer("an address")?.cast_signed(),
        }
        let offset = self.offset()?.wrapping_add(offset);
        self.expect(b']', "the bracket that ends the address")?;
        Ok(Operand::Memory(base, offset))
    }

    fn variable_of<'tree>(
        &'tree self,
        reading: &'tree Reading<'_, 'text>,
        symbol: Symbol,
    ) -> Option<&'tree Variable> {
        self.module.variable(&reading.body.function, symbol)
    }

    /// A source, or the address of a variable, of which `mov` and `cvta` take the value.
    fn value_or_address(&mut self, reading: &Reading<'_, 'text>) -> Result<Operand, Stop> {
        let (token, ty) = (self.peek(), reading.ty());
        let is_special = token.text.starts_with('%') && !reading.body.knows(token.text);
        if token.kind != TokenKind::Name || is_special || token.text == "WARP_SZ" {
            return self.source(reading, ty);
        }
        match self.resolve(reading.body, token)? {
            Name::Variable(symbol) => {
                self.next();
                if ty.bits() < 32 || matches!(ty.kind(), Kind::Float) {
                    let (operand, instruction) = (token.text.to_owned(), reading.text.clone());
                    let has = "a variable, of which an instruction takes the address".to_owned();
                    let wants = format!("a value of type .{ty}");
                    return Err(Fault::Mismatch {
                        operand,
                        has,
                        instruction,
                        wants,
                    }
                    .at(token.line));
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
    fn texture(&mut self, reading: &Reading<'_, 'text>) -> Result<Operand, Stop> {
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
            _ => {
                let (text, expected) = (name.text.to_owned(), "the name of a texture".to_owned());
                return Err(Fault::Unexpected { text, expected }.at(name.line));
            }
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

    /// The operands of `mov`: a value, an address, or the parts of a value (PTX ISA 9.7.8).
    fn moved(&mut self, reading: &mut Reading<'_, 'text>) -> Result<(), Stop> {
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
    fn called(&mut self, reading: &mut Reading<'_, 'text>, start: usize) -> Result<(), Stop> {
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
            _ => {
                let (text, expected) = (name.text.to_owned(), "the name of a function".to_owned());
                return Err(Fault::Unexpected { text, expected }.at(name.line));
            }
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
                    "{} parameters and gives {} results",
                    function.parameters, function.results
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
                let (operand, instruction) = (token.text.to_owned(), name.text.to_owned());
                return Err(Fault::Mismatch {
                    operand,
                    has,
                    instruction,
                    wants,
                }
                .at(token.line));
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
