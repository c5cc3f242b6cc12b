//! Names and what they mean.

use std::collections::HashMap;

use super::error::{Fault, Stop};
use super::lexer::Token;
use super::module::{Register, Symbol};
use crate::numbers::unsigned;

/// What a name means.
#[derive(Clone, Copy, Debug)]
pub(super) enum Name {
    Register(Register),
    Variable(Symbol),
    Function(usize),
    Texture(usize),
    Label(usize),
    /// What an unsupported statement declares.
    Unsupported,
}

/// Registers of one declaration, such as `%r<5>`, whose names end with their numbers.
#[derive(Clone, Copy)]
struct Family {
    first: u32,
    count: u32,
    line: u32,
    is_supported: bool,
}

/// The names of a scope, with the lines of their declarations.
#[derive(Default)]
pub(super) struct Names<'text> {
    names: HashMap<&'text str, (Name, u32)>,
    families: HashMap<&'text str, Family>,
}

impl<'text> Names<'text> {
    /// What a name means, and the line that says so.
    pub fn get(&self, name: &str) -> Option<(Name, u32)> {
        let family = || {
            let digits = name.len()
                - name
                    .trim_end_matches(|last: char| last.is_ascii_digit())
                    .len();
            (1..=digits.min(9)).find_map(|digits| {
                let (prefix, number) = name.split_at(name.len() - digits);
                let family = self.families.get(prefix)?;
                let is_plain = number == "0" || !number.starts_with('0');
                let number = unsigned::<u32>(number, 10)
                    .filter(|&number| is_plain && number < family.count)?;
                let meaning = match family.is_supported {
                    true => Name::Register(Register(family.first + number)),
                    false => Name::Unsupported,
                };
                Some((meaning, family.line))
            })
        };
        self.names.get(name).copied().or_else(family)
    }

    /// Makes a name known.
    pub fn declare(&mut self, name: Token<'text>, meaning: Name) -> Result<(), Stop> {
        match self.get(name.text) {
            Some((_, first)) => Err(twice(name, first)),
            None => {
                self.names.insert(name.text, (meaning, name.line));
                Ok(())
            }
        }
    }

    /// Makes the names of `count` registers known; without a first one they are not supported.
    pub fn declare_family(
        &mut self,
        prefix: Token<'text>,
        first: Option<u32>,
        count: u32,
    ) -> Result<(), Stop> {
        let line = prefix.line;
        let family = Family {
            first: first.unwrap_or_default(),
            count,
            line,
            is_supported: first.is_some(),
        };
        let overlaps = |(other, known): (&&str, &Family)| {
            continues(prefix.text, count, other, known.count)
                || continues(other, known.count, prefix.text, count)
        };
        let mut families = self.families.iter();
        let known = families.find(|&(other, known)| overlaps((other, known)));
        if let Some((_, known)) = known {
            return Err(twice(prefix, known.line));
        }
        if let Some(known) = self.families.insert(prefix.text, family) {
            return Err(twice(prefix, known.line));
        }
        // A name that was known before may be one of the family's.
        let known = self.names.iter().find(|(name, _)| {
            let number = name
                .strip_prefix(prefix.text)
                .and_then(|number| unsigned::<u32>(number, 10));
            number.is_some_and(|number| number < count)
        });
        known.map_or(Ok(()), |(_, &(_, line))| Err(twice(prefix, line)))
    }

    /// Makes a name known as one that is not supported, if it is not known.
    pub fn unsupported(&mut self, name: Token<'text>) {
        self.names
            .entry(name.text)
            .or_insert((Name::Unsupported, name.line));
    }
}

/// Whether the first name of a family, such as `%r10` of `%r1<5>`, is also one of another family, such as `%r<20>`.
fn continues(short: &str, count: u32, long: &str, others: u32) -> bool {
    let digits = long.strip_prefix(short).unwrap_or_default();
    let number = unsigned::<u32>(digits, 10).filter(|_| !digits.starts_with('0'));
    others > 0 && number.is_some_and(|number| u64::from(number) * 10 < count.into())
}

fn twice(name: Token, first: u32) -> Stop {
    Fault::Twice {
        name: name.text.to_owned(),
        first,
    }
    .at(name.line)
}
