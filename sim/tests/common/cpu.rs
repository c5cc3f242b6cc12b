//! CUDA programs on the CPU: the same source as C++, by `sim/programs/cpu.h`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use faultline_sim::launch_file::{Argument, Launch, LaunchFile, Placed};

/// The most dynamic shared memory of a block, in bytes.
const SHARED: u32 = 48 << 10;

/// The folder of the programs.
pub fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("programs")
}

/// A program of this project and its launch file, with buffers in place.
pub fn program(name: &str) -> (PathBuf, LaunchFile, Placed) {
    let path = programs().join(name);
    let toml = path.with_extension("toml");
    let text = std::fs::read_to_string(&toml).unwrap();
    let file =
        LaunchFile::read(&text, &format!("{name}.toml")).unwrap_or_else(|error| panic!("{error}"));
    let placed = file
        .place(&programs())
        .unwrap_or_else(|error| panic!("{error}"));
    (path.with_extension("cu"), file, placed)
}

/// The bytes of every buffer after the launches of a program, by name. Each launch names its kernel.
///
/// It panics without a C++ compiler, or if the program is no C++.
pub fn run(source: &Path, file: &LaunchFile, placed: &Placed) -> BTreeMap<String, Vec<u8>> {
    let folder = Folder::new();
    let source = std::fs::canonicalize(source).unwrap();
    let code = std::fs::read_to_string(&source).unwrap();
    folder.write("main.cpp", main(&source, file, placed).as_bytes());
    folder.write("shared.cpp", dynamic(&code).as_bytes());
    for (number, buffer) in placed.buffers.iter().enumerate() {
        folder.write(&format!("b{number}"), &buffer.read(&placed.memory));
    }
    for symbol in &placed.symbols {
        folder.write(&format!("symbol_{}", symbol.name), &symbol.bytes);
    }
    let options = [
        "-std=c++14",
        "-O1",
        "-ffp-contract=off",
        "-w",
        "-o",
        "run",
        "main.cpp",
        "shared.cpp",
    ];
    folder.call(Command::new("c++").args(options).arg("-I").arg(programs()));
    folder.call(&mut Command::new(folder.0.join("run")));
    let read = |number: usize| std::fs::read(folder.0.join(format!("b{number}"))).unwrap();
    let buffers = placed.buffers.iter().enumerate();
    buffers
        .map(|(number, buffer)| (buffer.name.clone(), read(number)))
        .collect()
}

/// The program that reads the buffers, launches the kernels, and writes the buffers back.
fn main(source: &Path, file: &LaunchFile, placed: &Placed) -> String {
    let mut text = format!(
        "#include \"cpu.h\"\n#include \"{}\"\nint main() {{\n",
        source.display()
    );
    let number = |name: &str| {
        placed
            .buffers
            .iter()
            .position(|buffer| buffer.name == name)
            .unwrap()
    };
    for place in 0..placed.buffers.len() {
        writeln!(text, "cpu::Buffer b{place}(\"b{place}\");").unwrap();
    }
    for symbol in &placed.symbols {
        let name = &symbol.name;
        writeln!(text, "cpu::set({name}, \"symbol_{name}\");").unwrap();
    }
    for texture in &placed.textures {
        let buffer = placed
            .buffers
            .iter()
            .find(|buffer| buffer.address == texture.address);
        let (buffer, name) = (number(&buffer.unwrap().name), &texture.name);
        let (width, height, normalized) = (texture.width, texture.height, texture.normalized);
        writeln!(
            text,
            "cpu::bind({name}, b{buffer}, {width}, {height}, {normalized});"
        )
        .unwrap();
    }
    for Launch {
        entry,
        grid: [gx, gy, gz],
        block: [x, y, z],
        blocks,
        arguments,
        ..
    } in file.launches()
    {
        let (entry, first, end) = (entry.as_deref().unwrap(), blocks.start, blocks.end);
        write!(
            text,
            "cpu::launch({entry}, dim3({gx}, {gy}, {gz}), dim3({x}, {y}, {z}), {first}, {end}"
        )
        .unwrap();
        for argument in arguments {
            match argument {
                Argument::Buffer { name, offset } => {
                    write!(text, ", b{}.at({offset})", number(name))
                }
                Argument::Integer(integer) => write!(text, ", {integer}LL"),
                Argument::Float(float) => write!(text, ", {float:?}"),
                Argument::Bytes(bytes) => {
                    let bytes: Vec<_> = bytes.iter().map(u8::to_string).collect();
                    write!(text, ", cpu::Bytes({{{}}})", bytes.join(", "))
                }
            }
            .unwrap();
        }
        text.push_str(");\n");
    }
    for place in 0..placed.buffers.len() {
        writeln!(text, "b{place}.write();").unwrap();
    }
    text + "}\n"
}

/// Defines what a program declares as dynamic shared memory.
fn dynamic(code: &str) -> String {
    let mut text = String::new();
    for declared in code.split("extern __shared__").skip(1) {
        let before = declared.split('[').next().unwrap();
        let name = before.split_whitespace().last().unwrap();
        let line = format!("thread_local char {name}[{SHARED}] __attribute__((aligned(16)));\n");
        if !text.contains(&line) {
            text.push_str(&line);
        }
    }
    text
}

/// A folder that is gone afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("faultline-cpu-{}-{count}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.0.join(name), bytes).unwrap();
    }

    /// Runs a command in the folder to its success.
    fn call(&self, command: &mut Command) {
        let output = command.current_dir(&self.0).output();
        let output = output.unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command:?}: {told}");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}
