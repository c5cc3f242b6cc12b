//! Programs as text in the notation of the paper.

use std::fmt::Display;
use std::path::Path;

use faultline_sim::machines::sm::Work;
use faultline_sim::simt::{AssemblyError, Launch, Memory, Program, ProgramError, assemble};
use faultline_sim::trace::{Fault, no_text};
use miette::{Report, Result, miette};

/// A program with the text that it was assembled from.
pub struct Source {
    /// What errors call it.
    pub name: String,
    /// Its instructions; but for an exit that was added, each is on a line.
    pub program: Program,
    /// The lines with instructions.
    pub lines: Vec<Line>,
    /// An exit at its end was added.
    pub is_completed: bool,
}

impl Source {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be opened, or is no program.
    pub fn read(path: &Path) -> Result<Self> {
        Self::new(
            path.display().to_string(),
            &text(path, "give a program, an instruction a line")?,
        )
    }

    /// Reads a text.
    ///
    /// # Errors
    /// If it is no program.
    pub fn new(name: String, text: &str) -> Result<Self> {
        let lines = lines(text);
        if lines.is_empty() {
            return Err(miette!("{name}: the program has no instruction"));
        }
        let assembled = assembled(text);
        let (program, is_completed) =
            assembled.map_err(|error| wrong(&name, error.line(), &error))?;
        Ok(Self {
            name,
            program,
            lines,
            is_completed,
        })
    }

    /// Its run on a memory of zeros.
    ///
    /// # Errors
    /// If it does not come to its end.
    pub fn work(&self, launch: Launch) -> Result<Work> {
        let work = Work::of_program(self.program.clone(), launch, Memory::new());
        work.map_err(|error| {
            let line = error.pc().and_then(|pc| self.lines.get(pc as usize));
            wrong(&self.name, line.map(|line| line.number), &error)
        })
    }
}

/// What is wrong with a program, at its line if it is one.
fn wrong(name: &str, line: Option<usize>, what: &impl Display) -> Report {
    match line {
        Some(line) => miette!("{name}:{line}: {what}"),
        None => miette!("{name}: {what}"),
    }
}

/// The text of a file, without a byte-order mark; what to give instead ends the error that it is none, or a folder.
///
/// # Errors
/// If it cannot be read, or is no text.
pub fn text(path: &Path, give: &str) -> Result<String> {
    let name = path.display();
    if path.is_dir() {
        return Err(miette!("{name}: this is a folder; {give}"));
    }
    let bytes = std::fs::read(path).map_err(|error| miette!("{name}: {}", Fault::Open(error)))?;
    for (number, line) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
        if let Some(place) = no_text(line) {
            return Err(miette!(
                "{name}:{number}: this is no text (byte 0x{:02x} in column {}); {give}",
                line[place],
                place + 1
            ));
        }
    }
    let text = String::from_utf8(bytes)
        .map_err(|error| miette!("{name}: the file is no text ({error})"))?;
    Ok(text.trim_start_matches('\u{feff}').to_owned())
}

/// Assembles a program, with an exit at its end if it lacks one; tells whether it did.
fn assembled(text: &str) -> std::result::Result<(Program, bool), AssemblyError> {
    match assemble(text) {
        Err(AssemblyError::Program(ProgramError::Endless)) => {
            assemble(&format!("{text}\nexit")).map(|program| (program, true))
        }
        other => other.map(|program| (program, false)),
    }
}

/// A line with an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub number: usize,
    pub text: String,
    /// What it is called, by itself or by lines before it that are labels alone.
    pub labels: Vec<String>,
}

impl Line {
    /// How options may name it.
    pub fn name(&self) -> String {
        let number = self.number;
        let label = self.labels.first();
        label.map_or(number.to_string(), |label| {
            format!("{label} (line {number})")
        })
    }
}

/// The lines with instructions.
fn lines(text: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut labels = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let text = line.split('#').next().unwrap_or_default().trim();
        let (before, instruction) = text.rsplit_once(':').unwrap_or(("", text));
        let own = before.split(':').map(str::trim);
        labels.extend(own.filter(|label| !label.is_empty()).map(str::to_owned));
        if !instruction.trim().is_empty() {
            lines.push(Line {
                number,
                text: text.to_owned(),
                labels: std::mem::take(&mut labels),
            });
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_that_hold_instructions() {
        let text = "# comment\n\nA: R1 <- mov 1 # one\nalone:\nB: C: exit\n";
        let line = |number, text: &str, labels: &[&str]| Line {
            number,
            text: text.to_owned(),
            labels: labels.iter().map(|&label| label.to_owned()).collect(),
        };
        let expected = [
            line(3, "A: R1 <- mov 1", &["A"]),
            line(5, "B: C: exit", &["alone", "B", "C"]),
        ];
        assert_eq!(lines(text), expected);
    }
}
