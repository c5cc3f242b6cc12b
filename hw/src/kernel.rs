//! Reads the text that `#[logic]` makes of a kernel: words of a syntax tree, operators before their operands.

use rust_hdl::prelude::Verilog;
use rust_hdl::prelude::ast::{
    VerilogBlock, VerilogBlockOrConditional, VerilogCase, VerilogConditional, VerilogExpression,
    VerilogLiteral, VerilogLoop, VerilogMatch, VerilogOp, VerilogOpUnary, VerilogStatement,
};

use crate::part::About;

/// The syntax tree of a kernel, from its text and the numbers of an instance; its first statement is a comment with what the
/// struct says. A text that is none gives no tree, which the exporter refuses.
#[must_use]
pub fn read(about: &About, text: &'static str, numbers: &[usize]) -> Verilog {
    let mut reader = Reader {
        words: text.split(' ').peekable(),
        numbers,
    };
    let Some(mut block) = reader.block() else {
        return Verilog::Empty;
    };
    let lines = about.ports.iter().flat_map(|(name, text)| [*name, *text]);
    let lines: Vec<&str> = [about.path, about.text].into_iter().chain(lines).collect();
    block.insert(0, VerilogStatement::Comment(lines.join("\n")));
    Verilog::Combinatorial(block)
}

struct Reader<'a> {
    words: std::iter::Peekable<std::str::Split<'static, char>>,
    numbers: &'a [usize],
}

impl Reader<'_> {
    /// What stands between braces, each read by `one`.
    fn braces<T>(&mut self, one: fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        self.words.next_if_eq(&"{")?;
        let mut found = Vec::new();
        while self.words.next_if_eq(&"}").is_none() {
            found.push(one(self)?);
        }
        Some(found)
    }

    fn block(&mut self) -> Option<VerilogBlock> {
        self.braces(Self::statement)
    }

    fn statement(&mut self) -> Option<VerilogStatement> {
        Some(match self.words.next()? {
            "=" => VerilogStatement::Assignment(self.expression()?, self.expression()?),
            "[=" => VerilogStatement::SliceAssignment {
                base: self.expression()?,
                width: self.number()?,
                offset: self.expression()?,
                replacement: self.expression()?,
            },
            "?" => self.condition()?,
            "match" => VerilogStatement::Match(VerilogMatch {
                test: self.expression()?,
                cases: self.braces(|reader| {
                    let condition = reader.words.next()?.to_owned();
                    let block = reader.block()?;
                    Some(VerilogCase { condition, block })
                })?,
            }),
            "for" => VerilogStatement::Loop(VerilogLoop {
                index: self.words.next()?.to_owned(),
                from: self.literal()?,
                to: self.literal()?,
                block: self.block()?,
            }),
            _ => return None,
        })
    }

    fn condition(&mut self) -> Option<VerilogStatement> {
        Some(VerilogStatement::If(VerilogConditional {
            test: self.expression()?,
            then: self.block()?,
            otherwise: match self.words.next()? {
                "." => VerilogBlockOrConditional::None,
                ":" => VerilogBlockOrConditional::Block(self.block()?),
                "?" => VerilogBlockOrConditional::Conditional(Box::new(self.condition()?)),
                _ => return None,
            },
        }))
    }

    /// A number of this instance.
    fn number(&mut self) -> Option<usize> {
        let place: usize = self.words.next()?.strip_prefix('%')?.parse().ok()?;
        self.numbers.get(place).copied()
    }

    fn literal(&mut self) -> Option<VerilogLiteral> {
        if self.words.peek()?.starts_with('%') {
            return Some(self.number()?.into());
        }
        Some(match self.words.next()? {
            "false" => false.into(),
            "true" => true.into(),
            digits => match digits.split_once('u') {
                Some((digits, "8")) => digits.parse::<u8>().ok()?.into(),
                Some((digits, "16")) => digits.parse::<u16>().ok()?.into(),
                Some((digits, "32")) => digits.parse::<u32>().ok()?.into(),
                Some((digits, "64")) => digits.parse::<u64>().ok()?.into(),
                Some((digits, "128")) => digits.parse::<u128>().ok()?.into(),
                Some(_) => return None,
                None => digits.parse::<i32>().ok()?.into(),
            },
        })
    }

    fn boxed(&mut self) -> Option<Box<VerilogExpression>> {
        self.expression().map(Box::new)
    }

    fn expression(&mut self) -> Option<VerilogExpression> {
        let word = self.words.next()?;
        if let Some(operator) = binary(word) {
            return Some(VerilogExpression::Binary(
                self.boxed()?,
                operator,
                self.boxed()?,
            ));
        }
        if let Some(operator) = unary(word) {
            return Some(VerilogExpression::Unary(operator, self.boxed()?));
        }
        Some(match word {
            "s" => VerilogExpression::Signal(self.words.next()?.to_owned()),
            "n" => VerilogExpression::Literal(self.literal()?),
            "(" => VerilogExpression::Paren(self.boxed()?),
            "bit" => VerilogExpression::Index(self.boxed()?, self.boxed()?),
            "with" => VerilogExpression::IndexReplace(self.boxed()?, self.boxed()?, self.boxed()?),
            "cast" => {
                let width = self.number()?;
                VerilogExpression::Cast(self.boxed()?, width)
            }
            "slice" => {
                let width = self.number()?;
                let offset = self.boxed()?;
                VerilogExpression::Slice(self.boxed()?, width, offset)
            }
            _ => return None,
        })
    }
}

fn binary(word: &str) -> Option<VerilogOp> {
    Some(match word {
        "+" => VerilogOp::Add,
        "-" => VerilogOp::Sub,
        "*" => VerilogOp::Mul,
        "&&" => VerilogOp::LogicalAnd,
        "||" => VerilogOp::LogicalOr,
        "^" => VerilogOp::BitXor,
        "&" => VerilogOp::BitAnd,
        "|" => VerilogOp::BitOr,
        "<<" => VerilogOp::Shl,
        ">>" => VerilogOp::Shr,
        "==" => VerilogOp::Eq,
        "!=" => VerilogOp::Ne,
        "<" => VerilogOp::Lt,
        "<=" => VerilogOp::Le,
        ">=" => VerilogOp::Ge,
        ">" => VerilogOp::Gt,
        _ => return None,
    })
}

fn unary(word: &str) -> Option<VerilogOpUnary> {
    Some(match word {
        "not" => VerilogOpUnary::Not,
        "neg" => VerilogOpUnary::Neg,
        "all" => VerilogOpUnary::All,
        "any" => VerilogOpUnary::Any,
        "xor" => VerilogOpUnary::Xor,
        _ => return None,
    })
}
