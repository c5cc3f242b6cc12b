//! `faultline completions` and `faultline man`: what a shell and a manual know of the command.

use std::path::PathBuf;

use clap_complete::Shell;
use miette::{Result, miette};

use crate::Global;

/// Print a script that completes subcommands and options in a shell
#[derive(clap::Args, Debug)]
pub struct Completions {
    /// The shell
    shell: Shell,
}

/// Print the manual page, or write those of all subcommands to a folder
#[derive(clap::Args, Debug)]
pub struct Man {
    /// Folder to write to, which is made if it is not there
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Prints the script.
///
/// # Errors
/// If standard output cannot be written.
pub fn completions(args: &Completions, global: &Global) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut crate::command(), "faultline", &mut script);
    global.print(&String::from_utf8_lossy(&script))
}

/// Prints the page, or writes the pages.
///
/// # Errors
/// If standard output or the folder cannot be written.
pub fn man(args: &Man, global: &Global) -> Result<()> {
    let Some(folder) = &args.out else {
        let mut page = Vec::new();
        let written = clap_mangen::Man::new(crate::command()).render(&mut page);
        written.map_err(|error| miette!("the page cannot be made ({error})"))?;
        return global.print(&String::from_utf8_lossy(&page));
    };
    let written = std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(crate::command(), folder));
    written.map_err(|error| {
        let folder = folder.display();
        miette!("{folder}: the pages cannot be written ({error}); check the folder and the disk it is on")
    })
}
