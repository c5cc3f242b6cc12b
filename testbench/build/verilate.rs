// Verilates modules and compiles them with an `extern "C"` shim that is made from their port list.
// A build script takes this in with `#[path]`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// What each file of C++ includes first.
const HEADER: &str = "faultline_verilated.h";

/// A port of a module.
pub struct Port {
    pub name: String,
    pub input: bool,
    pub bits: usize,
}

/// A module to Verilate: its name, its file and those of the modules below it, and its ports. The clock is called `clock`.
pub struct Module {
    pub name: String,
    pub files: Vec<PathBuf>,
    pub ports: Vec<Port>,
    /// The module below it of which it has an array so large that one copy of its code must do for all.
    pub repeated: Option<String>,
}

/// Makes `designs.rs` in the output folder, and links the compiled modules. A module whose files did not change since it was
/// compiled there is not compiled again.
pub fn verilate(modules: &[Module]) -> Result<(), String> {
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo gives no OUT_DIR")?);
    let verilator = Verilator::found()?;
    let mut compiler = cc::Build::new();
    compiler
        .cpp(true)
        .std("c++17")
        .debug(false)
        .warnings(false)
        .define("VM_TRACE", "0")
        .define("VM_COVERAGE", "0")
        .include(verilator.root.join("include"))
        .include(verilator.root.join("include/vltstd"));
    // What runs once needs no optimisation; what runs every cycle gains little beyond the first level, and a sixth from that
    // level, which takes half of the compilation. The copy of a large design's code that does for many instances gains a tenth,
    // without what makes it longer.
    let mut once = compiler.clone();
    once.opt_level(0);
    let mut large = compiler.clone();
    large
        .opt_level(2)
        .flag("-fno-tree-vectorize")
        .flag("-fno-gcse");
    let is_release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    compiler.opt_level_str(if is_release { "1" } else { "g" });
    let mut runtime = compiler.clone();
    runtime.file(verilator.root.join("include/verilated_threads.cpp"));
    let mut objects = runtime.try_compile_intermediates().map_err(text)?;

    let (mut changed, mut starts, mut cycles, mut larges) = (vec![], vec![], vec![], vec![]);
    for module in modules {
        let (stamp, inputs) = (
            out.join(format!("{}.stamp", module.name)),
            module.inputs(&verilator)?,
        );
        if let Some(known) = compiled(&stamp, &inputs) {
            objects.extend(known);
            continue;
        }
        let folder = out.join(&module.name);
        let (slow, fast): (Vec<_>, Vec<_>) =
            verilate_one(module, &folder)?
                .into_iter()
                .partition(|file| {
                    let name = file.to_string_lossy();
                    name.contains("Slow") || name.contains("__Syms")
                });
        let shim = out.join(format!("{}_shim.cpp", module.name));
        write(&shim, &shim_of(module, &fast))?;
        let (cycles, build) = match module.repeated {
            Some(_) => (&mut larges, &mut large),
            None => (&mut cycles, &mut compiler),
        };
        build.include(&folder).file(shim);
        cycles.push(changed.len());
        let start = out.join(format!("{}_once.cpp", module.name));
        write(&start, &includes_of(&slow))?;
        once.include(&folder).file(start);
        starts.push(changed.len());
        changed.push((stamp, inputs, vec![]));
    }
    // Each build compiles its files on all cores, and gives the objects in their order.
    for (name, mut build, numbers) in [
        ("once", once, starts),
        ("large", large, larges),
        ("cycle", compiler, cycles),
    ] {
        if !numbers.is_empty() {
            compile_header(&mut build, &out.join(name))?;
        }
        let made = build.try_compile_intermediates().map_err(text)?;
        for (number, object) in numbers.into_iter().zip(made) {
            changed[number].2.push(object);
        }
    }
    for (stamp, inputs, made) in changed {
        let names: Vec<String> = made
            .iter()
            .map(|object| object.display().to_string())
            .collect();
        write(&stamp, &format!("{}\n{inputs}", names.join("\t")))?;
        objects.extend(made);
    }
    let package = env::var("CARGO_PKG_NAME")
        .unwrap_or_default()
        .replace('-', "_");
    let mut library = cc::Build::new();
    library.cpp(true).objects(&objects);
    library
        .try_compile(&format!("{package}_verilated"))
        .map_err(text)?;
    write(&out.join("designs.rs"), &table_of(modules))
}

/// Compiles what all files include first for the options of a build, and has the build find it: to read it again takes as long
/// as a small module. GCC takes what was compiled; another compiler reads the header.
fn compile_header(build: &mut cc::Build, folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let header = folder.join(HEADER);
    write(
        &header,
        "#include <cstddef>\n#include <cstdint>\n#include <cstring>\n#include \"verilated.h\"\n",
    )?;
    let mut compile = build.try_get_compiler().map_err(text)?.to_command();
    compile.args(["-x", "c++-header", "-o"]);
    compile
        .arg(folder.join(format!("{HEADER}.gch")))
        .arg(&header);
    let status = compile
        .status()
        .map_err(|error| format!("the C++ compiler: {error}"))?;
    if !status.success() {
        return Err(format!(
            "{}: the C++ compiler failed ({status})",
            header.display()
        ));
    }
    build.include(folder);
    Ok(())
}

fn text(error: cc::Error) -> String {
    error.to_string()
}

/// The objects of a module that was compiled from these inputs.
fn compiled(stamp: &Path, inputs: &str) -> Option<Vec<PathBuf>> {
    let text = fs::read_to_string(stamp).ok()?;
    let (objects, before) = text.split_once('\n')?;
    let objects: Vec<PathBuf> = objects.split('\t').map(PathBuf::from).collect();
    let there = before == inputs && objects.iter().all(|object| object.is_file());
    there.then_some(objects)
}

impl Module {
    /// All that its objects depend on: its Verilog, this file, and Verilator.
    fn inputs(&self, verilator: &Verilator) -> Result<String, String> {
        let read = |file: &Path| {
            fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))
        };
        let mut text = format!("{}\n{}", verilator.version, include_str!("verilate.rs"));
        for file in &self.files {
            text += &read(file)?;
        }
        Ok(text)
    }
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

/// The Verilator that is installed.
struct Verilator {
    root: PathBuf,
    version: String,
}

impl Verilator {
    fn found() -> Result<Self, String> {
        let says = |arguments: &[&str]| {
            let missing = "Verilator is missing; install it (`apt-get install verilator`), or build without the feature verilog";
            let output = Command::new("verilator").args(arguments).output();
            let output = output.map_err(|error| format!("{missing} ({error})"))?;
            Ok::<_, String>(String::from_utf8_lossy(&output.stdout).trim().to_owned())
        };
        Ok(Self {
            root: says(&["--getenv", "VERILATOR_ROOT"])?.into(),
            version: says(&["--version"])?,
        })
    }
}

/// Gives the C++ files of a module.
fn verilate_one(module: &Module, folder: &Path) -> Result<Vec<PathBuf>, String> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    fs::create_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let bench = folder.join(format!("{}_bench.v", module.name));
    write(&bench, &bench_of(module))?;
    let settings = match &module.repeated {
        Some(repeated) => {
            let file = folder.join("settings.vlt");
            write(&file, &settings_of(module, repeated)?)?;
            Some(file)
        }
        None => None,
    };
    // State that nothing has written is 0, as it is in the other back ends.
    let options = [
        "--cc",
        "-O3",
        "--x-assign",
        "0",
        "--x-initial",
        "0",
        "--noassert",
        "--unroll-count",
        "256",
        // Longer vectors would be joined by functions that copy what is joined already for each new part.
        "--expand-limit",
        "256",
    ];
    let output = Command::new("verilator")
        .args(options)
        .args(["--prefix", &format!("V{}", module.name)])
        .args(["--top-module", &format!("{}_bench", module.name)])
        .arg("--Mdir")
        .arg(folder)
        .args(settings)
        .arg(&bench)
        .args(&module.files)
        .output()
        .map_err(|error| format!("verilator: {error}"))?;
    if !output.status.success() {
        let report = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{}: Verilator refuses it:\n{report}", module.name));
    }
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<_> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "cpp"))
        .collect();
    files.sort();
    Ok(files)
}

/// Has Verilator make one copy of the code of the module `repeated`, for every instance of it. Where they all become
/// part of the module above, 64 copies of a warp are a megabyte that the processor has to decode in every cycle. The
/// copies are found to be equal as long as none depends on its instance: so ports that differ between instances are kept
/// as variables of the instance, and expressions of the module above are not moved into them.
fn settings_of(module: &Module, repeated: &str) -> Result<String, String> {
    let read = |file: &Path| {
        fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))
    };
    let file = |name: &str| {
        let mut files = module.files.iter();
        let found = files.find(|file| file.file_stem().is_some_and(|stem| stem == name));
        found.ok_or_else(|| format!("{} has no module {name}", module.name))
    };
    let above = read(file(&module.name)?)?;
    let below = read(file(repeated)?)?;
    let pins = above
        .split_once(&format!("\n    {repeated} "))
        .and_then(|(_, rest)| rest.split_once("\n    );"))
        .map(|(pins, _)| pins)
        .ok_or_else(|| format!("{} has no `{repeated}`", module.name))?;
    let (wires, ports) = (ranges(&above), ranges(&below));
    let mut settings = format!("`verilator_config\nno_inline -module \"{repeated}\"\n");
    let pins = pins.lines().filter_map(|line| {
        let pin = line.trim().strip_prefix('.')?.trim_end_matches([',', ')']);
        pin.split_once('(')
    });
    for (port, wire) in pins {
        if ports.get(port) != wires.get(wire) {
            let _ = writeln!(
                settings,
                "public_flat_rd -module \"{repeated}\" -var \"{port}\""
            );
        }
    }
    Ok(settings)
}

/// The ports and wires of a module with their ranges, such as `[7:0]`; that of a single bit is empty.
fn ranges(text: &str) -> BTreeMap<&str, &str> {
    text.lines()
        .filter_map(|line| {
            let line = line.trim().trim_end_matches([',', ';']);
            let (kind, name) = line.rsplit_once(' ')?;
            ["input ", "output ", "wire ", "reg "]
                .iter()
                .any(|start| kind.starts_with(start))
                .then(|| (name, kind.find('[').map_or("", |at| kind[at..].trim())))
        })
        .collect()
}

/// What is Verilated: the module, with its inputs in registers that `apply` loads. Verilator evaluates what depends on
/// an input whenever it is asked to evaluate anything; behind registers that happens once a cycle: the edge of `apply`
/// that brings the inputs of a cycle is also the edge of `clock` that ends the cycle before. Only the first cycle has
/// none before it.
fn bench_of(module: &Module) -> String {
    let name = &module.name;
    let (mut ports, mut registers, mut loads, mut pins) =
        (String::new(), String::new(), String::new(), String::new());
    for Port { name, input, bits } in module.ports.iter().filter(|port| port.name != "clock") {
        let last = bits - 1;
        if *input {
            let _ = write!(ports, ",\n    input wire [{last}:0] {name}");
            let _ = writeln!(registers, "    reg [{last}:0] applied_{name};");
            let _ = writeln!(loads, "        applied_{name} <= {name};");
            let _ = write!(pins, ",\n        .{name}(applied_{name})");
        } else {
            let _ = write!(ports, ",\n    output wire [{last}:0] {name}");
            let _ = write!(pins, ",\n        .{name}({name})");
        }
    }
    format!(
        "module {name}_bench (\n    input wire clock,\n    input wire apply{ports}\n);
{registers}    always @(posedge apply) begin\n{loads}    end
    {name} under_test (\n        .clock(clock){pins}\n    );
endmodule
"
    )
}

fn inputs(module: &Module) -> impl Iterator<Item = &Port> {
    module
        .ports
        .iter()
        .filter(|port| port.input && port.name != "clock")
}

fn outputs(module: &Module) -> impl Iterator<Item = &Port> {
    module.ports.iter().filter(|port| !port.input)
}

/// The shim, which takes in the Verilated files: ports beyond 64 bits are arrays of 32-bit words, lowest first.
fn shim_of(module: &Module, files: &[PathBuf]) -> String {
    let name = &module.name;
    let mut set = String::new();
    let mut get = String::new();
    for (place, port) in inputs(module).enumerate() {
        let port_name = &port.name;
        let line = if port.bits > 64 {
            let bytes = 4 * port.bits.div_ceil(32);
            format!("std::memcpy(&top.{port_name}, in + offsets[{place}], {bytes});")
        } else {
            format!("top.{port_name} = in[offsets[{place}]];")
        };
        let _ = writeln!(set, "        {line}");
    }
    let verilated = includes_of(files);
    let first = inputs(module).count();
    for (place, port) in outputs(module).enumerate() {
        let (port_name, place, last) = (&port.name, first + place, port.bits.div_ceil(64) - 1);
        let line = if port.bits > 64 {
            let bytes = 4 * port.bits.div_ceil(32);
            format!(
                "out[offsets[{place}] + {last}] = 0; std::memcpy(out + offsets[{place}], &top.{port_name}, {bytes});"
            )
        } else {
            format!("out[offsets[{place}]] = top.{port_name};")
        };
        let _ = writeln!(get, "        {line}");
    }
    format!(
        "{verilated}#include \"V{name}.h\"
namespace {{
struct Simulation {{
    VerilatedContext context;
    V{name} top{{&context}};
    bool started = false;
    // Verilator sees an edge only from a level that it has seen before.
    Simulation() {{ top.eval(); }}
    ~Simulation() {{ top.final(); }}
}};
}}
extern \"C\" void* {name}_create() {{ return new Simulation; }}
extern \"C\" void {name}_destroy(void* simulation) {{ delete static_cast<Simulation*>(simulation); }}
extern \"C\" void {name}_run(void* simulation, const size_t* offsets, const uint64_t* in, size_t in_words,
                            uint64_t* out, size_t out_words, size_t cycles) {{
    V{name}& top = static_cast<Simulation*>(simulation)->top;
    bool& started = static_cast<Simulation*>(simulation)->started;
    for (; cycles > 0; --cycles, in += in_words, out += out_words) {{
{set}        top.clock = started;
        top.apply = 1;
        top.eval();
{get}        top.clock = 0;
        top.apply = 0;
        top.eval();
        started = true;
    }}
}}
"
    )
}

/// One C++ file for many, so that Verilator's long headers are read once.
fn includes_of(files: &[PathBuf]) -> String {
    let first = format!("#include \"{HEADER}\"\n");
    files.iter().fold(first, |text, file| {
        format!("{text}#include \"{}\"\n", file.display())
    })
}

/// The Rust side: declarations of the shims, and a table of the modules.
fn table_of(modules: &[Module]) -> String {
    let list = |ports: &mut dyn Iterator<Item = &Port>| {
        ports
            .map(|port| format!("({:?}, {})", port.name, port.bits))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let mut externs = String::new();
    let mut table = String::new();
    for module in modules {
        let name = &module.name;
        let _ = writeln!(
            externs,
            "    fn {name}_create() -> *mut c_void;
    fn {name}_destroy(simulation: *mut c_void);
    fn {name}_run(
        simulation: *mut c_void, offsets: *const usize, inputs: *const u64, input_words: usize, outputs: *mut u64,
        output_words: usize, cycles: usize,
    );"
        );
        let _ = writeln!(
            table,
            "    Compiled {{
        name: {name:?},
        inputs: &[{}],
        outputs: &[{}],
        functions: Functions {{ create: {name}_create, destroy: {name}_destroy, run: {name}_run }},
    }},",
            list(&mut inputs(module)),
            list(&mut outputs(module)),
        );
    }
    format!(
        "unsafe extern \"C\" {{\n{externs}}}\n\n/// Every Verilated design.\npub static DESIGNS: &[Compiled] = &[\n{table}];\n"
    )
}
