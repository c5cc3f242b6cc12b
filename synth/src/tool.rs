//! Finds and runs the programs that this crate stands on.

use crate::error::{Error, one_line};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// A program that a figure needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tool {
    /// The command.
    pub program: &'static str,
    /// The Debian package that carries it.
    pub package: &'static str,
    /// The option that prints its version.
    version_option: &'static str,
    /// The versions whose figures were compared with each other, where figures depend on it; none if any will do.
    tried: &'static [&'static str],
}

/// Logic synthesis.
pub const YOSYS: Tool = Tool {
    program: "yosys",
    package: "yosys",
    version_option: "-V",
    tried: &[],
};

/// Comparison of logic; in Debian it is a package of its own, which that of Yosys brings along.
pub const ABC: Tool = Tool {
    program: "yosys-abc",
    package: "yosys",
    // It has none but that of Yosys.
    version_option: "-h",
    tried: &[],
};

/// Static timing.
pub const OPENSTA: Tool = Tool {
    program: "sta",
    package: "opensta",
    version_option: "-version",
    tried: &["2.0.17", "3.1.0"],
};

/// Simulation of Verilog. It is built into the command by its feature `verilog`.
pub const VERILATOR: Tool = Tool {
    program: "verilator",
    package: "verilator",
    version_option: "--version",
    tried: &[],
};

impl Tool {
    /// The version, or `None` if the program is not there.
    pub fn version(&self) -> Option<String> {
        let output = Command::new(self.program)
            .arg(self.version_option)
            .stdin(Stdio::null())
            .output()
            .ok()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let line = text.lines().find(|line| !line.trim().is_empty())?;
        // Yosys and Verilator print their names and a commit, OpenSTA the bare number.
        line.split_whitespace()
            .find(|word| word.starts_with(|first: char| first.is_ascii_digit()))
            .map(str::to_owned)
    }

    /// The version as pages show it, with a note if its figures were never compared with those of a version that is known;
    /// "unknown" if the program is not there.
    pub fn shown_version(&self) -> String {
        self.version()
            .map_or_else(|| "unknown".to_owned(), |version| self.noted(version))
    }

    fn noted(&self, version: String) -> String {
        match self.tried.is_empty() || self.tried.contains(&version.as_str()) {
            true => version,
            false => format!("{version} (not tried; {} were)", self.tried.join(" and ")),
        }
    }

    /// Whether the program is there.
    ///
    /// # Errors
    /// If it is not.
    pub fn check(&self) -> Result<(), Error> {
        match self.version() {
            Some(_) => Ok(()),
            None => Err(Error::ToolMissing {
                program: self.program.to_owned(),
                package: self.package,
            }),
        }
    }

    /// Runs the program in `folder` and returns what it printed, whatever its exit code.
    ///
    /// # Errors
    /// If the program is missing or cannot be started.
    pub(crate) fn run<I>(&self, folder: &Path, arguments: I) -> Result<Output, Error>
    where
        I: IntoIterator,
        I::Item: AsRef<OsStr>,
    {
        Command::new(self.program)
            .args(arguments)
            .current_dir(folder)
            // What the program itself puts aside lies there too, and vanishes with it.
            .env("TMPDIR", folder)
            .stdin(Stdio::null())
            .output()
            .map_err(|source| match source.kind() {
                io::ErrorKind::NotFound => Error::ToolMissing {
                    program: self.program.to_owned(),
                    package: self.package,
                },
                _ => Error::file(Path::new(self.program), "start", source),
            })
    }

    /// The error of a run that went wrong.
    pub(crate) fn failure(&self, design: &str, reason: &str) -> Error {
        Error::Tool {
            program: self.program,
            design: design.to_owned(),
            reason: one_line(reason),
        }
    }
}

/// A folder for the files of a run, which vanishes with it.
///
/// Yosys hands the folder's path to ABC's command line, which takes a blank for its end. Where the system's folder for such
/// files has a path with a letter that some program splits at, another one is taken.
///
/// # Errors
/// If no folder can be made.
pub(crate) fn scratch() -> Result<TempDir, Error> {
    let chosen = std::env::temp_dir();
    let plain = |path: &PathBuf| {
        let letters = |letter: char| letter.is_ascii_alphanumeric() || "/._-+".contains(letter);
        path.is_absolute() && path.to_string_lossy().chars().all(letters)
    };
    let others = ["/tmp", "/var/tmp"].map(PathBuf::from);
    let folders = [chosen.clone()].into_iter().chain(others);
    let mut failure = io::Error::from(io::ErrorKind::NotFound);
    for folder in folders.filter(plain) {
        match tempfile::tempdir_in(folder) {
            Ok(made) => return Ok(made),
            Err(error) => failure = error,
        }
    }
    Err(Error::file(&chosen, "write", failure))
}

/// Looks a program up on `PATH`; a name with a slash is taken as it is.
pub(crate) fn find(program: &OsStr) -> Option<PathBuf> {
    let path = Path::new(program);
    if path.components().count() > 1 {
        return path.is_file().then(|| path.to_owned());
    }
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join(program))
        .find(|candidate| candidate.is_file())
}

/// Writes a file of a scratch folder.
pub(crate) fn write(path: &Path, content: &str) -> Result<(), Error> {
    std::fs::write(path, content).map_err(|source| Error::file(path, "write", source))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_that_was_not_tried_is_named_as_that() {
        assert_eq!(OPENSTA.noted("3.1.0".to_owned()), "3.1.0");
        assert_eq!(
            OPENSTA.noted("2.7.0".to_owned()),
            "2.7.0 (not tried; 2.0.17 and 3.1.0 were)"
        );
        assert_eq!(YOSYS.noted("9.0".to_owned()), "9.0");
    }
}
