//! Finds and runs the programs that this crate stands on.

use crate::error::{Error, one_line};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A program that a figure needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tool {
    /// The command.
    pub program: &'static str,
    /// The Debian package that carries it.
    pub package: &'static str,
    /// The option that prints its version.
    version_option: &'static str,
}

/// Logic synthesis.
pub const YOSYS: Tool = Tool {
    program: "yosys",
    package: "yosys",
    version_option: "-V",
};

/// Comparison of logic; in Debian it is a package of its own, which that of Yosys brings along.
pub const ABC: Tool = Tool {
    program: "yosys-abc",
    package: "yosys",
    // It has none but that of Yosys.
    version_option: "-h",
};

/// Static timing.
pub const OPENSTA: Tool = Tool {
    program: "sta",
    package: "opensta",
    version_option: "-version",
};

/// Simulation of Verilog. It is built into the command by its feature `verilog`.
pub const VERILATOR: Tool = Tool {
    program: "verilator",
    package: "verilator",
    version_option: "--version",
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
