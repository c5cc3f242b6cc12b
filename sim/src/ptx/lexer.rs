//! Tokens of PTX (PTX ISA 4).

use super::error::{Fault, PtxError, Stop};
use crate::numbers::unsigned;

/// A token with its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'text> {
    pub line: u32,
    /// Where it begins, in bytes.
    pub start: usize,
    pub text: &'text str,
    pub kind: TokenKind,
}

impl Token<'_> {
    /// The error that it stands where something else should.
    pub fn wrong(&self, expected: &str) -> PtxError {
        let (text, expected) = (self.text.to_owned(), expected.to_owned());
        Fault::Unexpected { text, expected }.on(self.line)
    }

    /// As [`Token::wrong`], where a statement may also be one that is not supported.
    pub fn unexpected(&self, expected: &str) -> Stop {
        Stop::Wrong(self.wrong(expected))
    }

    /// The error that it is an operand which the instruction does not take.
    pub fn mismatch(&self, has: String, instruction: &str, wants: String) -> Stop {
        let (operand, instruction) = (self.text.to_owned(), instruction.to_owned());
        Fault::Mismatch {
            operand,
            has,
            instruction,
            wants,
        }
        .at(self.line)
    }
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum TokenKind {
    /// A name, which may begin with `%`, `_` or `$`.
    Name,
    /// A point with the word after it: a directive, or a part of a mnemonic.
    Word,
    /// An integer of 64 bits.
    Integer(u64),
    /// `0f` with the bits of a float.
    Single(u32),
    /// Any other floating-point number.
    Double(f64),
    /// Text in quotes.
    Text,
    /// A character with a meaning of its own.
    Mark(u8),
    /// The end of the file.
    End,
}

/// What a file begins with.
pub(super) const BEGINNING: &str = "the directive .version, with which PTX begins,";

/// Cuts a text into tokens; the last one is the end.
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, PtxError> {
    let mut lexer = Lexer {
        text,
        at: 0,
        line: 1,
    };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_blank()?;
        let (start, line) = (lexer.at, lexer.line);
        let kind = lexer.token();
        // A file of something else is told by its first token.
        let kind = match tokens.is_empty() {
            true => kind.map_err(|_| {
                lexer.unexpected(text[start..].lines().next().unwrap_or_default(), BEGINNING)
            }),
            false => kind,
        }?;
        let text = &text[start..lexer.at];
        tokens.push(Token {
            line,
            start,
            text,
            kind,
        });
        if kind == TokenKind::End {
            return Ok(tokens);
        }
    }
}

struct Lexer<'text> {
    text: &'text str,
    at: usize,
    line: u32,
}

fn is_inside(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_$".contains(&byte)
}

impl<'text> Lexer<'text> {
    fn rest(&self) -> &'text str {
        &self.text[self.at..]
    }

    fn peek(&self, ahead: usize) -> u8 {
        let bytes = self.text.as_bytes();
        bytes.get(self.at + ahead).copied().unwrap_or_default()
    }

    fn unexpected(&self, text: &str, expected: &str) -> PtxError {
        let (text, expected) = (text.to_owned(), expected.to_owned());
        Fault::Unexpected { text, expected }.on(self.line)
    }

    /// Goes over bytes, and counts their lines.
    fn advance(&mut self, bytes: usize) {
        let passed = self.rest().bytes().take(bytes);
        let lines = passed.filter(|&byte| byte == b'\n').count();
        self.line = self.line.saturating_add(lines as u32);
        self.at += bytes;
    }

    /// Takes the bytes that belong to a word.
    fn word(&mut self, inside: impl Fn(u8) -> bool) -> &'text str {
        let rest = self.rest();
        let end = rest.bytes().position(|byte| !inside(byte));
        let word = &rest[..end.unwrap_or(rest.len())];
        self.at += word.len();
        word
    }

    /// Goes over white space and comments.
    fn skip_blank(&mut self) -> Result<(), PtxError> {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_ascii_start().len();
            if blank > 0 {
                self.advance(blank);
            } else if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                let end = rest.find("*/");
                let end =
                    end.ok_or_else(|| self.unexpected("/*", "a comment that ends with */"))?;
                self.advance(end + 2);
            } else {
                return Ok(());
            }
        }
    }

    fn token(&mut self) -> Result<TokenKind, PtxError> {
        let first = self.peek(0);
        match first {
            0 if self.rest().is_empty() => Ok(TokenKind::End),
            b'0'..=b'9' => self.number(),
            b'.' if is_inside(self.peek(1)) => {
                self.at += 1;
                self.word(|byte| is_inside(byte) || byte == b':');
                Ok(TokenKind::Word)
            }
            b'"' => {
                let end = self.rest()[1..].find(['"', '\n']);
                let closed = end.filter(|&end| self.peek(end + 1) == b'"');
                let end = closed.ok_or_else(|| {
                    self.unexpected("\"", "a text that ends with a quote on its line")
                })?;
                self.at += end + 2;
                Ok(TokenKind::Text)
            }
            _ if is_inside(first) || (first == b'%' && is_inside(self.peek(1))) => {
                self.at += 1;
                self.word(is_inside);
                Ok(TokenKind::Name)
            }
            _ if b"{}()[]<>,;:+-|@!=~*/&^?%".contains(&first) => {
                self.at += 1;
                Ok(TokenKind::Mark(first))
            }
            _ => {
                let letter = self.rest().chars().next().map(String::from);
                Err(self.unexpected(&letter.unwrap_or_default(), "a token of PTX"))
            }
        }
    }

    /// Integer and floating-point constants (PTX ISA 4.5.1, 4.5.2).
    fn number(&mut self) -> Result<TokenKind, PtxError> {
        let start = self.at;
        let word = self.word(|byte| byte.is_ascii_alphanumeric());
        let mut kind = integer(word).map(TokenKind::Integer);
        kind = kind.or_else(|| match word.split_at_checked(2)? {
            ("0f" | "0F", digits) if digits.len() == 8 => {
                unsigned(digits, 16).map(TokenKind::Single)
            }
            ("0d" | "0D", digits) if digits.len() == 16 => {
                unsigned(digits, 16).map(|bits| TokenKind::Double(f64::from_bits(bits)))
            }
            _ => None,
        });
        let has_fraction = self.peek(0) == b'.' && self.peek(1).is_ascii_digit();
        if has_fraction || kind.is_none() {
            if has_fraction {
                self.at += 1;
                self.word(|byte| byte.is_ascii_alphanumeric());
            }
            if self.text[start..self.at].ends_with(['e', 'E']) && b"+-".contains(&self.peek(0)) {
                self.at += 1;
                self.word(|byte| byte.is_ascii_digit());
            }
            kind = self.text[start..self.at]
                .parse()
                .ok()
                .map(TokenKind::Double);
        }
        let text = &self.text[start..self.at];
        kind.ok_or_else(|| {
            self.unexpected(text, "a number of PTX, such as 12, 0x1F or 0f3F800000,")
        })
    }
}

/// Decimal, hexadecimal (0x), octal (0) or binary (0b) digits, perhaps with `U` behind them.
fn integer(word: &str) -> Option<u64> {
    let digits = word.strip_suffix('U').unwrap_or(word);
    match digits.split_at_checked(2) {
        Some(("0x" | "0X", digits)) => unsigned(digits, 16),
        Some(("0b" | "0B", digits)) => unsigned(digits, 2),
        Some((start, _)) if start.starts_with('0') => unsigned(&digits[1..], 8),
        _ => unsigned(digits, 10),
    }
}
