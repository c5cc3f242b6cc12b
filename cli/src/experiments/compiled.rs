//! Compiled programs: files of PTX with their launch files.

use std::path::{Path, PathBuf};

use faultline_sim::compiled::Compiled;
use faultline_sim::launch_file::LaunchFile;
use faultline_sim::ptx::lower::{Options, Order};
use faultline_sim::ptx::{Module, parse};
use miette::{Result, miette};

use super::program::text;

/// Whether a file is called one of PTX.
pub fn is_ptx(name: &str) -> bool {
    let extension = Path::new(name).extension();
    extension.is_some_and(|extension| extension.eq_ignore_ascii_case("ptx"))
}

/// Reads a file of PTX.
///
/// # Errors
/// If it cannot be read, or is no PTX.
pub fn module(path: &Path) -> Result<Module> {
    let text = text(path, "give PTX, as a compiler writes it with -ptx")?;
    parse(&text).map_err(|error| miette!("{}:{}: {error}", path.display(), error.line))
}

/// What another back end would do with PTX.
#[derive(clap::Args, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BackEnd {
    /// Programs of PTX take the register that has been free for the longest time, not the lowest one
    #[arg(long)]
    oldest_register: bool,
    /// Programs of PTX have the loads of each block as early as they can stand
    #[arg(long)]
    hoist_loads: bool,
    /// Programs of PTX compute each address in a register of its own, with no offsets in the accesses
    #[arg(long)]
    no_offsets: bool,
}

impl BackEnd {
    /// The options that were given.
    pub fn given(self) -> impl Iterator<Item = &'static str> {
        let all = [
            ("--oldest-register", self.oldest_register),
            ("--hoist-loads", self.hoist_loads),
            ("--no-offsets", self.no_offsets),
        ];
        let given = all.into_iter().filter(|(_, is_given)| *is_given);
        given.map(|(name, _)| name)
    }

    /// The options of the lowering.
    fn options(self) -> Options {
        Options {
            order: match self.oldest_register {
                true => Order::Oldest,
                false => Order::Lowest,
            },
            hoists: self.hoist_loads,
            without_offsets: self.no_offsets,
        }
    }
}

/// Reads a file of PTX and its launch file, which has the same name with `.toml` if none is given.
///
/// # Errors
/// If one of them cannot be read, or the PTX does not take what the launch file gives.
pub fn read(path: &Path, launch: Option<&PathBuf>, back_end: BackEnd) -> Result<Compiled> {
    let module = module(path)?;
    let launch = launch.map_or_else(|| path.with_extension("toml"), Clone::clone);
    let name = launch.display().to_string();
    if !launch.exists() {
        return Err(miette!(
            "{}: there is no launch file {name}; write one, or give it with --launch",
            path.display()
        ));
    }
    let text = text(&launch, "give a launch file in TOML")?;
    let file = LaunchFile::read(&text, &name).map_err(|error| miette!("{error}"))?;
    let folder = launch.parent().unwrap_or(Path::new("."));
    let ptx = path.display().to_string();
    let compiled = Compiled::new(&module, &ptx, &file, folder, back_end.options());
    compiled.map_err(|error| miette!("{error}"))
}
