//! Sound export to Verilog-2005.
//!
//! The exporter of `rust-hdl` prints operators without parentheses and literals as 32 bits, so its Verilog may compute
//! something else than the kernel. This one walks the same block tree (`collect`) and the same syntax tree, gives
//! every expression its width, and refuses what it cannot print with exactly the kernel's meaning (`expression`).
//! A statement that writes signals which no other statement writes becomes a process of its own (`process`), loops
//! stay loops, and blocks of one type and parameters share one module.

mod collect;
mod constant;
mod context;
mod expression;
mod index;
mod library;
mod names;
mod order;
mod part;
mod place;
mod process;
mod sentence;
mod sized;
mod statement;
mod unused;
mod walk;

pub use library::Library;
pub use names::words;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use rust_hdl::prelude::{AtomKind, Block};

use collect::{BlockTree, Vector};
use process::Process;

/// Why a block has no sound Verilog: one sentence that names the block and the construct.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportError(pub(crate) String);

impl std::fmt::Display for ExportError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ExportError {}

pub(crate) type Result<T> = std::result::Result<T, ExportError>;

pub(crate) fn refuse<T>(reason: impl Into<String>) -> Result<T> {
    Err(ExportError(reason.into()))
}

/// A port of an exported module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Its name in the Verilog.
    pub name: String,
    /// An input, else an output.
    pub input: bool,
    /// Its whole width in bits; arrays are packed, element 0 lowest.
    pub bits: usize,
}

/// Exports a block as the module `name`, followed by every module that it instantiates, each once.
///
/// # Errors
/// If the kernel uses something whose meaning Verilog does not share.
pub fn verilog(block: &dyn Block, name: &str) -> Result<(Vec<Module>, Vec<Port>)> {
    let mut library = Library::default();
    let ports = library.add(block, name)?;
    Ok((library.modules(name), ports))
}

/// A Verilog module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// Its name, and the stem of its file.
    pub name: String,
    /// What it belongs to: the block of its kernel, such as `page_walker`; nothing for a primitive.
    pub family: Option<String>,
    /// Its text, without a banner.
    pub text: String,
}

/// Refuses names that would meet in the Verilog, or that it cannot hold.
fn check_names(module: &BlockTree) -> Result<()> {
    let own = module.signals.iter().map(|signal| match signal.kind {
        AtomKind::Constant => names::constant(&signal.name),
        _ => names::plain(&signal.name),
    });
    let of_children = module.children.iter().flat_map(|child| {
        let ports = child.module.signals.iter().filter(|port| port.is_port());
        ports
            .map(|port| names::joined(&child.name, &port.name))
            .chain([names::plain(&child.name)])
    });
    let variants = module
        .discriminants
        .keys()
        .map(|name| names::constant(name));
    let mut known = BTreeSet::new();
    for name in own.chain(of_children).chain(variants) {
        if !name
            .chars()
            .all(|character| character.is_ascii_alphanumeric() || character == '_')
        {
            return refuse(format!(
                "block `{}`: `{name}` is no Verilog name; use letters, digits and `_`",
                module.name
            ));
        }
        if !known.insert(name.clone()) {
            return refuse(format!(
                "block `{}`: two things would be called `{name}` in its Verilog; rename one",
                module.name
            ));
        }
    }
    Ok(())
}

/// `[7:0] ` or nothing for a single bit.
fn range(bits: usize) -> String {
    if bits == 1 {
        String::new()
    } else {
        format!("[{}:0]", bits - 1)
    }
}

/// Breaks lines of long code before their outermost operators or behind commas, as far as that goes; a comment stays whole.
fn wrapped(text: &str) -> String {
    let mut broken = String::new();
    text.lines().for_each(|line| wrap(line, &mut broken));
    broken
}

fn wrap(line: &str, text: &mut String) {
    const LIMIT: usize = 110;
    let indent = line.len() - line.trim_start().len();
    let mut rest = line.to_owned();
    while rest.find("//").unwrap_or(rest.len()) > LIMIT {
        let mut depth = 0_i32;
        let mut best: Option<(i32, usize)> = None;
        for (at, character) in rest.char_indices().take_while(|(at, _)| *at < LIMIT) {
            depth += match character {
                '(' | '{' | '[' => 1,
                ')' | '}' | ']' => -1,
                _ => 0,
            };
            let operators = [" && ", " || ", " & ", " | ", " ^ "];
            let breaks = operators
                .iter()
                .any(|operator| rest[at..].starts_with(operator))
                || rest[..at].ends_with(',');
            if breaks && at > indent + 8 && best.is_none_or(|(least, _)| depth <= least) {
                best = Some((depth, at));
            }
        }
        let Some((_, at)) = best else { break };
        let _ = writeln!(text, "{}", &rest[..at]);
        rest = format!("{}    {}", " ".repeat(indent), rest[at..].trim_start());
    }
    text.push_str(&rest);
    text.push('\n');
}

/// Everything of a module after its name.
fn body(
    module: &BlockTree,
    children: &BTreeMap<String, String>,
    processes: &mut [Process],
    connections: &BTreeMap<String, String>,
) -> Result<String> {
    let by_process: Vec<&str> = processes
        .iter()
        .filter(|process| !process.continuous)
        .flat_map(|process| process.targets.iter().map(String::as_str))
        .collect();
    let storage = |name: &str| {
        if by_process.contains(&name) {
            "reg"
        } else {
            "wire"
        }
    };

    // An output of a child that nobody reads says so in the name of its wire, as lint tools want it.
    let read: BTreeSet<String> = processes
        .iter()
        .flat_map(|process| process.reads.iter().cloned())
        .chain(connections.values().cloned())
        .collect();
    let read_or_unused = |port: &Vector, wire: String| {
        if port.kind == AtomKind::OutputParameter && !read.contains(&wire) {
            format!("unused_{wire}")
        } else {
            wire
        }
    };

    let mut text = String::from("(\n");
    let ports: Vec<_> = module
        .signals
        .iter()
        .filter(|signal| signal.is_port())
        .collect();
    for (at, port) in ports.iter().enumerate() {
        let name = names::plain(&port.name);
        let kind = match port.kind {
            AtomKind::InputParameter => "input  wire".to_owned(),
            AtomKind::OutputParameter => format!("output {:<4}", storage(&name)),
            _ => {
                return refuse(format!(
                    "port `{}` of `{}` is bidirectional",
                    port.name, module.name
                ));
            }
        };
        let comma = if at + 1 == ports.len() { "" } else { "," };
        if let Some(doc) = module.about.ports.get(&port.name) {
            text.push_str(&sentence::lines(&doc.replace('`', "")));
        }
        let _ = writeln!(text, "    {kind} {:>8} {name}{comma}", range(port.bits()));
    }
    text.push_str(");\n");

    let mut wrote = false;
    for (name, values, bits) in module.used_constants(processes) {
        let is_mask = processes
            .iter()
            .any(|process| process.masks.contains(&name));
        let hexadecimal = values
            .iter()
            .any(|value| *value >= if is_mask { 10 } else { 256 });
        let number = |value: &u128| {
            if hexadecimal {
                format!("{bits}'h{value:x}")
            } else {
                format!("{bits}'d{value}")
            }
        };
        let words: Vec<String> = values.iter().rev().map(number).collect();
        let value = if words.len() == 1 {
            words.concat()
        } else {
            format!("{{{}}}", words.join(", "))
        };
        let _ = writeln!(
            text,
            "    localparam {} {name} = {value};",
            range(bits * words.len())
        );
        wrote = true;
    }
    for signal in module
        .signals
        .iter()
        .filter(|signal| signal.kind == AtomKind::LocalSignal)
    {
        let name = names::plain(&signal.name);
        let _ = writeln!(
            text,
            "    {:<4} {:>8} {name};",
            storage(&name),
            range(signal.bits())
        );
        wrote = true;
    }
    for child in &module.children {
        for port in child
            .module
            .signals
            .iter()
            .filter(|signal| signal.is_port())
        {
            let name = names::joined(&child.name, &port.name);
            if !connections.contains_key(&name) {
                let name = read_or_unused(port, name);
                let bits = port.bits() * child.count.unwrap_or(1);
                let _ = writeln!(text, "    {:<4} {:>8} {name};", storage(&name), range(bits));
                wrote = true;
            }
        }
    }
    if wrote {
        text.push('\n');
    }

    for child in &module.children {
        let array = child
            .count
            .map_or(String::new(), |count| format!(" [{}:0]", count - 1));
        let pins: Vec<String> = child
            .module
            .signals
            .iter()
            .filter(|signal| signal.is_port())
            .map(|port| {
                let name = names::joined(&child.name, &port.name);
                let wire = match connections.get(&name) {
                    Some(wire) => wire.clone(),
                    None => read_or_unused(port, name),
                };
                format!(".{}({wire})", names::plain(&port.name))
            })
            .collect();
        let (kind, name) = (&children[&child.name], names::plain(&child.name));
        let line = format!("    {kind} {name}{array} ({});", pins.join(", "));
        if line.len() <= 120 {
            text.push_str(&line);
        } else {
            let _ = write!(
                text,
                "    {kind} {name}{array} (\n        {}\n    );",
                pins.join(",\n        ")
            );
        }
        text.push('\n');
    }
    let mut continuous = false;
    for process in processes.iter() {
        if !(continuous && process.continuous) {
            text.push('\n');
        }
        continuous = process.continuous;
        text.push_str(&process.text);
    }
    let unused = unused::bits(processes, connections);
    if !unused.is_empty() {
        let bits = unused.join(", ");
        let _ = writeln!(text, "\n    wire unused_bits = &{{1'b0, {bits}}};");
    }
    text.push_str("endmodule\n");
    Ok(text)
}
