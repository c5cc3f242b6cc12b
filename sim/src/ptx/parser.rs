//! What stands outside of functions: directives, variables, headers of functions.

use super::body::Body;
use super::error::{Fault, PtxError, Stop};
use super::lexer::{Token, TokenKind, tokens};
use super::module::{Function, Module, Symbol, Texture, Unsupported, Variable};
use super::scope::{Name, Names};
use super::words::{OTHER_TYPES, Space, Type};

pub(super) struct Parser<'text> {
    text: &'text str,
    tokens: Vec<Token<'text>>,
    at: usize,
    pub module: Module,
    /// The names of the module.
    pub names: Names<'text>,
    /// Calls of functions that may be defined later: the statement, and the function.
    pub calls: Vec<(Unsupported, usize)>,
}

impl<'text> Parser<'text> {
    pub fn new(text: &'text str) -> Result<Self, Stop> {
        Ok(Self {
            text,
            tokens: tokens(text)?,
            at: 0,
            module: Module::default(),
            names: Names::default(),
            calls: Vec::new(),
        })
    }

    /// The next token; the last one, which is the end, stays.
    pub fn peek(&self) -> Token<'text> {
        self.ahead(0)
    }

    pub fn ahead(&self, tokens: usize) -> Token<'text> {
        let last = self.tokens.len().saturating_sub(1);
        let end = Token {
            line: 1,
            start: 0,
            text: "",
            kind: TokenKind::End,
        };
        let token = self.tokens.get((self.at + tokens).min(last));
        token.copied().unwrap_or(end)
    }

    pub fn next(&mut self) -> Token<'text> {
        let token = self.peek();
        self.at += usize::from(token.kind != TokenKind::End);
        token
    }

    /// Takes a mark if it comes next.
    pub fn mark(&mut self, mark: u8) -> bool {
        let is_next = self.peek().kind == TokenKind::Mark(mark);
        self.at += usize::from(is_next);
        is_next
    }

    /// Takes a directive if it comes next.
    fn word(&mut self, word: &str) -> bool {
        let is_next = self.peek().kind == TokenKind::Word && self.peek().text == word;
        self.at += usize::from(is_next);
        is_next
    }

    pub fn expect(&mut self, mark: u8, expected: &str) -> Result<(), Stop> {
        match self.mark(mark) {
            true => Ok(()),
            false => Err(self.unexpected(expected)),
        }
    }

    /// The error that the next token is something else.
    pub fn unexpected(&self, expected: &str) -> Stop {
        let token = self.peek();
        let (text, expected) = (token.text.to_owned(), expected.to_owned());
        Fault::Unexpected { text, expected }.at(token.line)
    }

    pub fn name(&mut self, expected: &str) -> Result<Token<'text>, Stop> {
        match self.peek().kind {
            TokenKind::Name => Ok(self.next()),
            _ => Err(self.unexpected(expected)),
        }
    }

    pub fn integer(&mut self, expected: &str) -> Result<u64, Stop> {
        match self.peek().kind {
            TokenKind::Integer(value) => {
                self.next();
                Ok(value)
            }
            _ => Err(self.unexpected(expected)),
        }
    }

    /// Reads the whole file.
    pub fn module(mut self) -> Result<Module, PtxError> {
        let read = self.header().and_then(|()| {
            while self.peek().kind != TokenKind::End {
                let start = self.at;
                match self.item() {
                    Err(Stop::Unsupported(reason)) => self.skip_item(start, reason)?,
                    other => other?,
                }
            }
            Ok(())
        });
        match read {
            Ok(()) => {}
            Err(Stop::Wrong(error)) => return Err(error),
            Err(Stop::Unsupported(reason)) => {
                let expected = format!("something else, for {reason},");
                let text = self.peek().text.to_owned();
                let fault = Fault::Unexpected { text, expected };
                return Err(PtxError {
                    line: self.peek().line,
                    fault,
                });
            }
        }
        let mut module = self.module;
        let undefined = |(_, function): &(Unsupported, usize)| {
            module
                .functions
                .get(*function)
                .is_some_and(|function| !function.is_defined)
        };
        let calls: Vec<_> = self
            .calls
            .into_iter()
            .filter(undefined)
            .map(|(call, _)| call)
            .collect();
        module.unsupported.extend(calls);
        module.unsupported.sort_by_key(|item| item.line);
        Ok(module)
    }

    /// `.version`, `.target` and `.address_size` (PTX ISA 11.1).
    fn header(&mut self) -> Result<(), Stop> {
        if !self.word(".version") {
            return Err(self.unexpected("the directive .version, with which PTX begins,"));
        }
        let numbers = self.peek().text.split_once('.');
        let version =
            numbers.and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
        self.module.version = version.ok_or_else(|| self.unexpected("a version such as 7.8"))?;
        self.next();
        if !self.word(".target") {
            return Err(self.unexpected("the directive .target, which follows the version,"));
        }
        self.module.target = self.name("an architecture such as sm_35")?.text.to_owned();
        while self.mark(b',') {
            self.name("a target such as texmode_unified")?;
        }
        self.module.address_bits = 32;
        if self.word(".address_size") {
            self.module.address_bits = match self.integer("32 or 64")? {
                64 => 64,
                32 => 32,
                _ => {
                    self.at -= 1;
                    return Err(self.unexpected("32 or 64"));
                }
            };
        }
        Ok(())
    }

    /// A declaration, a function, or a directive that says nothing about the program.
    fn item(&mut self) -> Result<(), Stop> {
        if self.skip_directive()? || self.mark(b';') {
            return Ok(());
        }
        let mut is_extern = false;
        while let ".visible" | ".weak" | ".common" | ".extern" = self.peek().text {
            is_extern |= self.next().text == ".extern";
        }
        let token = self.peek();
        match token.text {
            ".entry" | ".func" => self.function(),
            ".tex" => {
                self.next();
                Err(Stop::Unsupported(
                    "a texture by .tex is not supported; declare it as .global .texref".to_owned(),
                ))
            }
            ".global" | ".const" | ".shared" => {
                if token.text == ".global" && self.ahead(1).text == ".texref" {
                    self.at += 2;
                    return self.textures();
                }
                let mut variables = self.variables(is_extern)?;
                for (name, variable) in variables.drain(..) {
                    let symbol = Symbol::Module(self.module.variables.len());
                    self.names.declare(name, Name::Variable(symbol))?;
                    self.module.variables.push(variable);
                }
                Ok(())
            }
            _ if token.kind == TokenKind::Word => Err(Stop::Unsupported(format!(
                "the directive {} is not supported here",
                token.text
            ))),
            _ => Err(self.unexpected("a directive such as .global or .entry")),
        }
    }

    /// Goes over debugging information and hints (PTX ISA 11.5); tells whether there was some.
    pub fn skip_directive(&mut self) -> Result<bool, Stop> {
        let token = self.peek();
        match token.text {
            ".loc" | ".file" => {
                while self.peek().line == token.line && self.peek().kind != TokenKind::End {
                    self.next();
                }
            }
            ".pragma" => {
                while !matches!(self.next().kind, TokenKind::Mark(b';') | TokenKind::End) {}
            }
            ".section" => {
                while !matches!(self.next().kind, TokenKind::Mark(b'}') | TokenKind::End) {}
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Names of texture references.
    fn textures(&mut self) -> Result<(), Stop> {
        loop {
            let name = self.name("the name of a texture")?;
            let texture = Name::Texture(self.module.textures.len());
            self.names.declare(name, texture)?;
            self.module.textures.push(Texture {
                line: name.line,
                name: name.text.to_owned(),
            });
            if self.peek().kind == TokenKind::Mark(b'=') {
                return Err(Stop::Unsupported(
                    "the initializer of a texture is not supported".to_owned(),
                ));
            }
            if !self.mark(b',') {
                return self.expect(b';', "a semicolon");
            }
        }
    }

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
    fn variable(&mut self, is_extern: bool) -> Result<(Token<'text>, Variable), Stop> {
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
        let token = self.next();
        let single = |value: f32| if negative { -value } else { value };
        let double = |value: f64| if negative { -value } else { value };
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
            (TokenKind::Single(bits), Type::F32 | Type::B32) => {
                Some(single(f32::from_bits(bits)).to_bits().into())
            }
            (TokenKind::Single(bits), Type::F64) => {
                Some(double(f32::from_bits(bits).into()).to_bits())
            }
            (TokenKind::Double(value), Type::F64 | Type::B64) => Some(double(value).to_bits()),
            (TokenKind::Double(value), Type::F32) => Some(single(value as f32).to_bits().into()),
            _ => None,
        };
        bits.ok_or_else(|| {
            self.at = start;
            self.unexpected(&format!("{expected} of type .{ty}"))
        })
    }

    /// A kernel or a device function, from `.entry` or `.func`.
    fn function(&mut self) -> Result<(), Stop> {
        let is_entry = self.next().text == ".entry";
        let mut function = Function {
            is_entry,
            ..Function::default()
        };
        let mut names = Vec::new();
        if !is_entry && self.mark(b'(') {
            names = self.parameters(&mut function)?;
            function.results = function.variables.len();
        }
        let name = self.name("the name of a function")?;
        (function.line, function.name) = (name.line, name.text.to_owned());
        if self.mark(b'(') {
            names.extend(self.parameters(&mut function)?);
            function.parameters = function.variables.len() - function.results;
        }
        while let ".maxnreg" | ".maxntid" | ".reqntid" | ".minnctapersm" | ".maxnctapersm"
        | ".noreturn" = self.peek().text
        {
            let directive = self.next().text.trim_start_matches('.').to_owned();
            let mut numbers = Vec::new();
            while let TokenKind::Integer(number) = self.peek().kind {
                self.next();
                numbers.push(number);
                self.mark(b',');
            }
            function.performance.push((directive, numbers));
        }
        self.skip_directive()?;
        let number = self.declare_function(name, &function)?;
        if self.mark(b';') {
            return Ok(());
        }
        self.expect(b'{', "the body of the function, or a semicolon,")?;
        function.is_defined = true;
        let mut body = Body::new(function, number);
        for (place, token) in names.into_iter().enumerate() {
            body.declare(token, Name::Variable(Symbol::Function(place)))?;
        }
        let function = self.body(body)?;
        if let Some(place) = self.module.functions.get_mut(number) {
            *place = function;
        }
        Ok(())
    }

    /// Makes a function known, so that it can be called before its body. It may be declared once more before it has one.
    fn declare_function(&mut self, name: Token<'text>, function: &Function) -> Result<usize, Stop> {
        if let Some((Name::Function(number), line)) = self.names.get(name.text)
            && let Some(known) = self.module.functions.get(number)
        {
            let sizes = |function: &Function| {
                let all = function.variables.iter().map(|variable| variable.bytes);
                (function.is_entry, function.results, all.collect::<Vec<_>>())
            };
            return match !known.is_defined && sizes(known) == sizes(function) {
                true => Ok(number),
                false => Err(Fault::Twice {
                    name: name.text.to_owned(),
                    first: line,
                }
                .at(name.line)),
            };
        }
        let number = self.module.functions.len();
        self.names.declare(name, Name::Function(number))?;
        self.module.functions.push(function.clone());
        Ok(number)
    }

    /// Parameters up to the parenthesis; gives their names.
    fn parameters(&mut self, function: &mut Function) -> Result<Vec<Token<'text>>, Stop> {
        let mut names = Vec::new();
        while !self.mark(b')') {
            if self.peek().text == ".reg" {
                return Err(Stop::Unsupported(
                    "a parameter in a register is not supported".to_owned(),
                ));
            }
            let (name, variable) = self.variable(false)?;
            names.push(name);
            function.variables.push(variable);
            if self.peek().kind != TokenKind::Mark(b')') {
                self.expect(b',', "a comma or the end of the parameters")?;
            }
        }
        Ok(names)
    }

    /// Records a statement that is not supported, from this token to its semicolon. What it declares may be named later.
    pub fn skip_statement(
        &mut self,
        start: usize,
        reason: String,
        function: Option<usize>,
    ) -> Result<(), Stop> {
        self.at = start;
        let mut depth = 0u32;
        loop {
            match self.peek().kind {
                TokenKind::End => return Err(self.unexpected("a semicolon")),
                TokenKind::Mark(b'}') if depth == 0 => return Err(self.unexpected("a semicolon")),
                TokenKind::Mark(b'{') => depth += 1,
                TokenKind::Mark(b'}') => depth -= 1,
                TokenKind::Mark(b';') if depth == 0 => break,
                _ => {}
            }
            self.at += 1;
        }
        self.at += 1;
        self.record(start, reason, function);
        Ok(())
    }

    /// Records an item of the module that is not supported, with the body of a function.
    fn skip_item(&mut self, start: usize, reason: String) -> Result<(), Stop> {
        self.at = start;
        let mut depth = 0u32;
        loop {
            let token = self.next();
            match token.kind {
                TokenKind::End => return Err(self.unexpected("the end of this declaration")),
                TokenKind::Mark(b'{') => depth += 1,
                TokenKind::Mark(b'}') => {
                    depth = depth.saturating_sub(1);
                    // An initializer ends with a semicolon, a body does not.
                    if depth == 0 && self.peek().kind != TokenKind::Mark(b';') {
                        break;
                    }
                }
                TokenKind::Mark(b';') if depth == 0 => break,
                TokenKind::Name if depth == 0 => self.names.unsupported(token),
                _ => {}
            }
        }
        self.record(start, reason, None);
        Ok(())
    }

    fn record(&mut self, start: usize, reason: String, function: Option<usize>) {
        let item = self.unsupported(start, reason, function);
        self.module.unsupported.push(item);
    }

    /// A statement from this token to the place that is reached, in one line of bounded length.
    pub fn unsupported(
        &self,
        start: usize,
        reason: String,
        function: Option<usize>,
    ) -> Unsupported {
        const LONGEST: usize = 100;
        let first = self
            .tokens
            .get(start)
            .copied()
            .unwrap_or_else(|| self.peek());
        let last = self
            .tokens
            .get(self.at.saturating_sub(1))
            .copied()
            .unwrap_or(first);
        let text = self
            .text
            .get(first.start..last.start + last.text.len())
            .unwrap_or_default();
        let words: String = text
            .split_whitespace()
            .flat_map(|word| [" ", word])
            .skip(1)
            .collect();
        let short = words
            .char_indices()
            .nth(LONGEST)
            .map(|(end, _)| format!("{}...", &words[..end]));
        Unsupported {
            line: first.line,
            text: short.unwrap_or(words),
            reason,
            function,
        }
    }

    /// The number of the next token.
    pub fn place(&self) -> usize {
        self.at
    }

    /// The token of a number.
    pub fn token(&self, place: usize) -> Token<'text> {
        let token = self.tokens.get(place).copied();
        token.unwrap_or_else(|| self.peek())
    }
}
