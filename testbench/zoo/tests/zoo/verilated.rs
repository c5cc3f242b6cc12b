//! Verilated modules behind a program that reads inputs and writes outputs.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use faultline_hw::registry::Export;
use faultline_hw::verilog::Port;

use crate::{Words, succeed};

/// Several modules in one program; each is fed by itself.
pub struct Verilated {
    program: PathBuf,
    exports: Vec<Export>,
}

impl Verilated {
    /// Verilates the modules, whose files are in the folder.
    pub fn new(exports: Vec<Export>, folder: &Path) -> Self {
        let made = folder.join("verilated");
        std::fs::create_dir_all(&made).unwrap();
        let mut main = String::from(
            "#include \"Vzoo.h\"\n#include <cstdint>\n#include <cstdio>\n#include <cstring>\n",
        );
        let mut zoo = String::new();
        let mut pins = Vec::new();
        let mut cases = String::new();
        for (number, export) in exports.iter().enumerate() {
            let name = &export.name;
            let clocked = export.ports.iter().any(|port| port.name == "clock");
            let mut connected: Vec<String> = clocked
                .then(|| ".clock(clock)".to_owned())
                .into_iter()
                .collect();
            for port in data(export) {
                let direction = if port.input {
                    "input  wire"
                } else {
                    "output wire"
                };
                pins.push(format!(
                    "    {direction} [{}:0] {name}__{}",
                    port.bits - 1,
                    port.name
                ));
                connected.push(format!(".{0}({name}__{0})", port.name));
            }
            let _ = writeln!(zoo, "    {name} the_{name} ({});", connected.join(", "));
            let _ = writeln!(
                cases,
                "        if (number == {number}) {{\n{}        }}",
                cycle(export)
            );
        }
        let zoo = format!(
            "module zoo (\n    input  wire clock,\n{}\n);\n{zoo}endmodule\n",
            pins.join(",\n")
        );
        std::fs::write(folder.join("zoo.v"), zoo).unwrap();
        let _ = write!(
            main,
            "int main(int, char** arguments) {{
    VerilatedContext context;
    Vzoo top{{&context}};
    const int number = std::atoi(arguments[1]);
    static uint64_t words[4096];
    for (;;) {{
{cases}        top.clock = 1;
        top.eval();
    }}
}}
"
        );
        std::fs::write(made.join("main.cpp"), main).unwrap();
        let quiet = [
            "-Wno-fatal",
            "-Wno-lint",
            "--x-assign",
            "0",
            "--x-initial",
            "0",
            "--noassert",
        ];
        succeed(
            Command::new("verilator")
                .args(["--cc", "-O3", "--top-module", "zoo", "-y"])
                .arg(folder)
                .args(quiet)
                .arg("--Mdir")
                .arg(&made)
                .arg(folder.join("zoo.v")),
        );
        let root = succeed(Command::new("verilator").args(["--getenv", "VERILATOR_ROOT"]));
        let root = Path::new(root.trim()).join("include");
        // All of it as one translation unit: most of the time goes into the headers.
        let mut unit = String::new();
        for entry in std::fs::read_dir(&made).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "cpp") {
                let _ = writeln!(unit, "#include {path:?}");
            }
        }
        std::fs::write(made.join("unit.cc"), unit).unwrap();
        let program = made.join("zoo");
        succeed(
            Command::new("g++")
                .args([
                    "-std=c++17",
                    "-O1",
                    "-w",
                    "-DVM_TRACE=0",
                    "-DVM_COVERAGE=0",
                    "-pthread",
                ])
                .args([
                    Path::new("-I"),
                    &made,
                    Path::new("-I"),
                    &root,
                    Path::new("-I"),
                ])
                .arg(root.join("vltstd"))
                .arg(made.join("unit.cc"))
                .args([
                    root.join("verilated.cpp"),
                    root.join("verilated_threads.cpp"),
                ])
                .arg("-o")
                .arg(&program),
        );
        Self { program, exports }
    }

    /// The widths of a module's ports but the clock.
    pub fn ports(&self, name: &str) -> Vec<usize> {
        let export = self.exports.iter().find(|export| export.name == name);
        data(export.unwrap()).map(|port| port.bits).collect()
    }

    /// Outputs of a module for the inputs of each cycle, all fresh from power-on.
    pub fn run(&self, name: &str, inputs: &[Vec<Words>]) -> Vec<Vec<Words>> {
        let number = self
            .exports
            .iter()
            .position(|export| export.name == name)
            .unwrap();
        let mut child = Command::new(&self.program)
            .arg(number.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let bytes: Vec<u8> = inputs
            .iter()
            .flatten()
            .flatten()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        let mut stdin = child.stdin.take().unwrap();
        let feeder = std::thread::spawn(move || stdin.write_all(&bytes));
        let output = child.wait_with_output().unwrap();
        feeder.join().unwrap().unwrap();
        let mut words = output
            .stdout
            .chunks_exact(8)
            .map(|bytes| u64::from_le_bytes(bytes.try_into().unwrap()));
        let widths: Vec<usize> = data(&self.exports[number])
            .filter(|port| !port.input)
            .map(|port| port.bits.div_ceil(64))
            .collect();
        inputs
            .iter()
            .map(|_| {
                widths
                    .iter()
                    .map(|count| words.by_ref().take(*count).collect())
                    .collect()
            })
            .collect()
    }
}

/// The ports but the clock.
pub fn data(export: &Export) -> impl Iterator<Item = &Port> {
    export.ports.iter().filter(|port| port.name != "clock")
}

/// C++ for a cycle before its edge: read, settle, write.
fn cycle(export: &Export) -> String {
    let words = |input| -> usize {
        data(export)
            .filter(|port| port.input == input)
            .map(|port| port.bits.div_ceil(64))
            .sum()
    };
    let copies = |input| {
        let mut text = String::new();
        let mut place = 0;
        for port in data(export).filter(|port| port.input == input) {
            let wire = format!("top.{}__{}", export.name, port.name).replace("__", "___05F");
            let bytes = 4 * port.bits.div_ceil(32);
            let _ = match (port.bits > 64, input) {
                (true, true) => writeln!(
                    text,
                    "            std::memcpy(&{wire}, words + {place}, {bytes});"
                ),
                (true, false) => writeln!(
                    text,
                    "            std::memcpy(words + {place}, &{wire}, {bytes});"
                ),
                (false, true) => writeln!(text, "            {wire} = words[{place}];"),
                (false, false) => writeln!(text, "            words[{place}] = {wire};"),
            };
            place += port.bits.div_ceil(64);
        }
        text
    };
    format!(
        "            if (std::fread(words, 8, {0}, stdin) != {0}) return 0;
{1}            top.clock = 0;
            top.eval();
            std::memset(words, 0, sizeof words);
{2}            std::fwrite(words, 8, {3}, stdout);
",
        words(true),
        copies(true),
        copies(false),
        words(false)
    )
}
