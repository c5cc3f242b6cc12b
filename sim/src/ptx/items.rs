//! What stands outside of functions: directives, variables, headers of functions.

use super::body::Body;
use super::cursor::Parser;
use super::error::{Fault, PtxError, Stop};
use super::lexer::{BEGINNING, Token, TokenKind};
use super::module::{Function, Module, Symbol, Texture, Unsupported};
use super::scope::Name;

impl<'text> Parser<'text> {
    /// Reads the whole file.
    pub fn module(mut self) -> Result<Module, PtxError> {
        let mut is_begun = false;
        while !is_begun || self.peek().kind != TokenKind::End {
            let start = self.at;
            let read = if is_begun { self.item() } else { self.header() };
            is_begun = true;
            match read {
                Ok(()) => {}
                Err(Stop::Wrong(error)) => return Err(error),
                Err(Stop::Unsupported(reason)) => self.skip_item(start, reason)?,
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
            return Err(self.unexpected(BEGINNING));
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
            _ => Err(self.directive("a directive such as .global or .entry")),
        }
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
        if !self.skip_directive()? && self.peek().kind == TokenKind::Word {
            return Err(self.directive("the body of the function, or a semicolon,"));
        }
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
}
