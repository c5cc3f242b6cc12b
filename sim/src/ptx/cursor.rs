//! The tokens that are read, one after the other.

use super::error::{PtxError, Stop};
use super::lexer::{Token, TokenKind, tokens};
use super::module::{Module, Unsupported};
use super::scope::Names;
use super::words::OTHER_DIRECTIVES;

/// What ends a statement at a constant that is computed.
pub(super) fn expression() -> Stop {
    Stop::Unsupported("a constant expression is not supported".to_owned())
}

/// A file while it is read.
pub(super) struct Parser<'text> {
    text: &'text str,
    tokens: Vec<Token<'text>>,
    pub at: usize,
    pub module: Module,
    /// The names of the module.
    pub names: Names<'text>,
    /// Calls of functions that may be defined later: the statement, and the function.
    pub calls: Vec<(Unsupported, usize)>,
}

impl<'text> Parser<'text> {
    pub fn new(text: &'text str) -> Result<Self, PtxError> {
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

    /// The token of a number.
    pub fn token(&self, place: usize) -> Token<'text> {
        let token = self.tokens.get(place).copied();
        token.unwrap_or_else(|| self.peek())
    }

    /// Takes a mark if it comes next.
    pub fn mark(&mut self, mark: u8) -> bool {
        let is_next = self.peek().kind == TokenKind::Mark(mark);
        self.at += usize::from(is_next);
        is_next
    }

    /// Takes a directive if it comes next.
    pub fn word(&mut self, word: &str) -> bool {
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
    pub fn wrong(&self, expected: &str) -> PtxError {
        self.peek().wrong(expected)
    }

    /// As [`Parser::wrong`], where a statement may also be one that is not supported.
    pub fn unexpected(&self, expected: &str) -> Stop {
        Stop::Wrong(self.wrong(expected))
    }

    /// What ends a statement at a directive that has no meaning here.
    pub fn directive(&self, expected: &str) -> Stop {
        let word = self.peek().text;
        match OTHER_DIRECTIVES.contains(&word.trim_start_matches('.')) {
            true => Stop::Unsupported(format!("the directive {word} is not supported here")),
            false => self.unexpected(expected),
        }
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

    /// After a constant: what continues it to an expression is not supported (PTX ISA 4.5.5).
    pub fn constant_ends(&self) -> Result<(), Stop> {
        match self.peek().kind {
            TokenKind::Mark(mark) if b"+-*/%<>=!&|^?~".contains(&mark) => Err(expression()),
            _ => Ok(()),
        }
    }

    /// Goes over what `.loc` and `.file` have behind them on their line: numbers, names of files and of a label.
    fn skip_position(&mut self, line: u32) {
        let mut is_label = false;
        while self.peek().line == line {
            let Token { kind, text, .. } = self.peek();
            match kind {
                TokenKind::Integer(_) | TokenKind::Text | TokenKind::Mark(b',' | b'+') => {}
                TokenKind::Name if is_label => is_label = false,
                TokenKind::Name if text == "function_name" => is_label = true,
                TokenKind::Name if text == "inlined_at" => {}
                _ => return,
            }
            self.next();
        }
    }

    /// Goes over debugging information and hints (PTX ISA 11.5); gives whether there was some.
    pub fn skip_directive(&mut self) -> Result<bool, Stop> {
        let token = self.peek();
        match token.text {
            ".loc" | ".file" => {
                self.next();
                self.skip_position(token.line);
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
    pub fn skip_item(&mut self, start: usize, reason: String) -> Result<(), PtxError> {
        self.at = start;
        let mut depth = 0u32;
        loop {
            let token = self.next();
            match token.kind {
                TokenKind::End => return Err(self.wrong("the end of this declaration")),
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
}
