//! The mutants of a design, and one netlist that holds them all.

use std::fmt::Write as _;
use std::path::Path;

use faultline_hw::registry::Design;
use tempfile::TempDir;

use crate::tool;

/// The input that chooses a mutant; 0 is the design as it is.
pub const SELECT: &str = "mutant";
/// Its bits.
pub const SELECT_BITS: usize = 16;

/// One fault.
pub struct Mutant {
    /// What Yosys is told: mode, cell, port, bit.
    arguments: String,
}

impl Mutant {
    /// The Yosys command that applies it for good.
    pub fn command(&self) -> String {
        format!("mutate {}", self.arguments)
    }

    /// The Yosys command that applies it where the input has its number.
    fn selected_by(&self, number: usize) -> String {
        format!(
            "mutate -ctrl {SELECT} {SELECT_BITS} {number} {}",
            self.arguments
        )
    }

    /// The values of an option.
    fn values(&self, option: &str) -> impl Iterator<Item = &str> {
        let words = self.arguments.split_whitespace();
        let values = words.clone().skip(1);
        words
            .zip(values)
            .filter_map(move |(word, value)| (word == option).then_some(value))
    }

    fn value(&self, option: &str) -> &str {
        self.values(option).next().unwrap_or("")
    }

    /// The clock is not logic of the block, and the lockstep has no time between edges in which to tell its mutants.
    fn is_of_clock(&self) -> bool {
        ["CLK", "clock"].contains(&self.value("-port"))
    }

    /// What is wrong, such as `const0 of Y[3]`.
    pub fn fault(&self) -> String {
        let (mode, port, bit) = (
            self.value("-mode"),
            self.value("-port"),
            self.value("-portbit"),
        );
        let control = match self.value("-ctrlbit") {
            "" => String::new(),
            bit => format!(" by [{bit}]"),
        };
        format!("{mode} of {port}[{bit}]{control}")
    }

    /// The signal, or the cell if the signal has no name.
    pub fn place(&self) -> String {
        match self.value("-wire") {
            "" => self.value("-cell").to_owned(),
            wire => format!("{wire}[{}]", self.value("-wirebit")),
        }
    }

    /// The line of the Verilog, such as `any_of_64.v:8`.
    pub fn source(&self) -> &str {
        // The last one is the innermost: `file:line.column-line.column`.
        let span = self.values("-src").last().unwrap_or("");
        let line = span
            .split_once(':')
            .and_then(|(file, rest)| Some(file.len() + 1 + rest.find('.')?));
        line.and_then(|end| span.get(..end)).unwrap_or(span)
    }
}

/// A design in a folder of its own, with its mutants.
pub struct Netlist {
    folder: TempDir,
    /// Number 1 comes first.
    pub mutants: Vec<Mutant>,
}

impl Netlist {
    /// Draws so many mutants of a design.
    ///
    /// # Errors
    /// If the design's files are not there, or Yosys fails.
    pub fn new(design: &Design, count: usize, seed: u64) -> Result<Self, String> {
        let folder = tool::scratch()?;
        let files = copy_files(design.name, folder.path())?;
        // More than are needed, because those of clocks are left out.
        let drawn = count + count / 8 + 8;
        // Memories stay modules of their own: a flow swaps them for macros, so that their pins are what can be wrong.
        let script = format!(
            "read_verilog -noautowire {files}; hierarchy -check -top {0}; setattr -mod -set keep_hierarchy 1 sram_*; \
             proc; flatten; opt -full {0}; opt_clean; select {0}; mutate -list {drawn} -seed {seed} -o drawn.txt; \
             select -clear; write_rtlil prepared.il",
            design.name
        );
        tool::run(folder.path(), "yosys", &["-q", "-p", &script])?;
        let drawn = tool::read(&folder.path().join("drawn.txt"))?;
        let mutants: Vec<_> = drawn
            .lines()
            .filter_map(|line| line.strip_prefix("mutate "))
            .map(|arguments| Mutant {
                arguments: arguments.to_owned(),
            })
            .filter(|mutant| !mutant.is_of_clock())
            .take(count)
            .collect();
        let netlist = Self { folder, mutants };
        let mut script = String::from("read_rtlil prepared.il\n");
        for (place, mutant) in netlist.mutants.iter().enumerate() {
            let _ = writeln!(script, "{}", mutant.selected_by(place + 1));
        }
        // Wires whose parts have different drivers look like loops to Verilator unless they are split.
        script += "opt_clean\nsplitnets -driver\nwrite_verilog -noattr -simple-lhs mutated.v\n";
        tool::write(&netlist.path().join("mutated.ys"), &script)?;
        tool::run(netlist.path(), "yosys", &["-q", "-s", "mutated.ys"])?;
        Ok(netlist)
    }

    /// The folder with `prepared.il`, which has no mutation, and `mutated.v`, which has them all.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Copies the committed files of a design, so that Yosys names cells after files without a folder, and gives their
/// names.
fn copy_files(design: &str, folder: &Path) -> Result<String, String> {
    let files = committed(design)?;
    for (name, text) in &files {
        tool::write(&folder.join(name), text)?;
    }
    let names: Vec<_> = files.into_iter().map(|(name, _)| name).collect();
    Ok(names.join(" "))
}

/// The committed files of a design, each with its name, without its folder.
///
/// # Errors
/// If one is not there.
pub fn committed(design: &str) -> Result<Vec<(String, String)>, String> {
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rtl-out");
    let list = committed.join(format!("{design}.f"));
    let names = tool::read(&list)
        .map_err(|sentence| format!("{sentence}; run `cargo run --release -- export`"))?;
    let file = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        Ok((name.to_owned(), tool::read(&committed.join(path))?))
    };
    names.lines().map(file).collect()
}
