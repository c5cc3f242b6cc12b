//! The block tree as plain data: signals, children, and the kernel's syntax tree.

use std::collections::BTreeMap;

use rust_hdl::prelude::ast::VerilogStatement;
use rust_hdl::prelude::*;

use super::process::Process;
use super::{Result, names, refuse};

/// A signal, or an array of signals of one width.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector {
    pub name: String,
    pub kind: AtomKind,
    /// Bits of an element.
    pub width: usize,
    /// Elements, for an array.
    pub count: Option<usize>,
    /// Values of a constant, or of an array of them.
    pub values: Vec<u128>,
}

impl Vector {
    pub fn is_port(&self) -> bool {
        self.kind.is_parameter()
    }
    pub fn bits(&self) -> usize {
        self.width * self.count.unwrap_or(1)
    }
}

/// A block inside a block, or an array of equal ones.
#[derive(Debug)]
pub struct Child {
    pub name: String,
    pub count: Option<usize>,
    pub module: BlockTree,
}

/// What the struct of a block says of it.
#[derive(Debug, Default)]
pub struct About {
    /// Path of the struct.
    pub path: String,
    /// The first sentence of its doc comment.
    pub sentence: String,
    /// Doc comments of the ports that have one, by their names.
    pub ports: BTreeMap<String, String>,
}

impl About {
    /// What stands in the comment that a kernel begins with.
    fn of(code: &Verilog) -> Self {
        let Verilog::Combinatorial(kernel) = code else {
            return Self::default();
        };
        let Some(VerilogStatement::Comment(text)) = kernel.first() else {
            return Self::default();
        };
        let mut lines = text.lines();
        let path = lines.next().unwrap_or_default().to_owned();
        let text = lines.next().unwrap_or_default();
        let end = text.find(". ").map_or(text.len(), |end| end + 1);
        let mut ports = BTreeMap::new();
        while let (Some(name), Some(text)) = (lines.next(), lines.next()) {
            ports.insert(name.to_owned(), text.to_owned());
        }
        Self {
            path,
            sentence: text[..end].to_owned(),
            ports,
        }
    }

    /// The block that the struct belongs to, by the module that it stands in: the third part of its path.
    pub fn family(&self) -> Option<&str> {
        let mut parts = self.path.strip_prefix("faultline_hw::")?.split("::");
        parts.nth(1)
    }

    /// The struct's own name in snake case, such as `replay_queue`.
    pub fn kernel(&self) -> String {
        let name = self.path.rsplit("::").next().unwrap_or_default();
        names::constant(name).to_lowercase()
    }
}

/// A block.
#[derive(Debug)]
pub struct BlockTree {
    pub name: String,
    pub signals: Vec<Vector>,
    pub children: Vec<Child>,
    pub code: Verilog,
    /// The syntax tree as text: equal trees have equal texts.
    pub code_text: String,
    pub about: About,
    /// Discriminants by the name that the syntax tree gives them.
    pub discriminants: BTreeMap<String, Discriminant>,
}

/// The value of an enum's variant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Discriminant {
    pub value: u128,
    pub bits: usize,
    /// No other enum gives the name another value.
    pub unique: bool,
}

impl BlockTree {
    /// The wires that the kernel must drive.
    pub fn driven(&self) -> Vec<String> {
        let own = self
            .signals
            .iter()
            .filter(|s| matches!(s.kind, AtomKind::LocalSignal | AtomKind::OutputParameter))
            .map(|signal| names::plain(&signal.name));
        let of_children = self.children.iter().flat_map(|child| {
            let ports = child.module.signals.iter();
            ports
                .filter(|port| port.kind == AtomKind::InputParameter)
                .map(|port| names::joined(&child.name, &port.name))
        });
        own.chain(of_children).collect()
    }

    /// The child, and its port, that a wire of this name is at.
    pub fn port(&self, wire: &str) -> Option<(&Child, &Vector)> {
        let near = |child: &&Child| wire.starts_with(child.name.trim_start_matches("r#"));
        self.children.iter().filter(near).find_map(|child| {
            let mut ports = child.module.signals.iter();
            let is_it =
                |port: &&Vector| port.is_port() && names::joined(&child.name, &port.name) == wire;
            ports.find(is_it).map(|port| (child, port))
        })
    }

    /// Constants and discriminants that some process names: values and bits of each.
    pub fn used_constants(&self, processes: &[Process]) -> Vec<(String, Vec<u128>, usize)> {
        let constants = self
            .signals
            .iter()
            .filter(|signal| signal.kind == AtomKind::Constant)
            .map(|signal| {
                (
                    names::constant(&signal.name),
                    signal.values.clone(),
                    signal.width,
                )
            });
        let discriminants = self
            .discriminants
            .iter()
            .map(|(name, variant)| (names::constant(name), vec![variant.value], variant.bits));
        constants
            .chain(discriminants)
            .filter(|(name, _, _)| processes.iter().any(|process| process.reads.contains(name)))
            .collect()
    }
}

/// Value and bits of a literal, read from its hexadecimal form: its fields are private.
pub fn literal(literal: &VerilogLiteral) -> Result<(u128, usize)> {
    let text = format!("{literal:x}");
    let parsed = text.split_once("'h").and_then(|(bits, value)| {
        Some((u128::from_str_radix(value, 16).ok()?, bits.parse().ok()?))
    });
    match parsed {
        Some(parsed) => Ok(parsed),
        None => refuse(format!(
            "literal `{text}` is negative or wider than 128 bits"
        )),
    }
}

/// Walks a block.
pub fn collect(block: &dyn Block, name: &str) -> Result<BlockTree> {
    let mut collector = Collector {
        stack: Vec::new(),
        top: None,
        error: None,
    };
    block.accept(name, &mut collector);
    match (collector.error, collector.top) {
        (Some(error), _) => refuse(error),
        (None, Some(top)) => Ok(top),
        (None, None) => refuse(format!("block `{name}` is empty")),
    }
}

struct Collector {
    stack: Vec<BlockTree>,
    top: Option<BlockTree>,
    error: Option<String>,
}

/// `slot$3` is element 3 of `slot`.
fn element(name: &str) -> (String, Option<usize>) {
    match name.rsplit_once('$') {
        Some((base, index)) => match index.parse() {
            Ok(index) => (base.to_owned(), Some(index)),
            Err(_) => (name.to_owned(), None),
        },
        None => (name.to_owned(), None),
    }
}

/// Drops the loops that are run through no time: those over arrays without elements, which are not there.
fn drop_empty_loops(block: &mut Vec<VerilogStatement>) -> Result<()> {
    let mut kept = Vec::with_capacity(block.len());
    for mut statement in block.drain(..) {
        if let VerilogStatement::Loop(each) = &mut statement {
            let ((from, _), (to, _)) = (literal(&each.from)?, literal(&each.to)?);
            if from < to {
                drop_empty_loops(&mut each.block)?;
            }
            if from >= to || each.block.is_empty() {
                continue;
            }
        }
        kept.push(statement);
    }
    *block = kept;
    Ok(())
}

fn add_discriminant(module: &mut BlockTree, name: &str, found: Discriminant) {
    let known = module.discriminants.entry(name.to_owned()).or_insert(found);
    known.unique &= found.unique && (known.value, known.bits) == (found.value, found.bits);
}

fn add_discriminants(module: &mut BlockTree, descriptor: &TypeDescriptor) {
    match &descriptor.kind {
        TypeKind::Enum(variants) => {
            for (value, variant) in variants.iter().enumerate() {
                let found = Discriminant {
                    value: value as u128,
                    bits: clog2(variants.len()),
                    unique: true,
                };
                add_discriminant(module, &variant.replace("::", "$"), found);
            }
        }
        TypeKind::Composite(fields) => {
            for field in fields {
                add_discriminants(module, &field.kind);
            }
        }
        _ => {}
    }
}

impl Collector {
    fn fail(&mut self, reason: String) {
        self.error.get_or_insert(reason);
    }
}

impl Probe for Collector {
    fn visit_start_scope(&mut self, name: &str, node: &dyn Block) {
        let mut code = node.hdl();
        if let Verilog::Combinatorial(kernel) = &mut code
            && let Err(error) = drop_empty_loops(kernel)
        {
            self.fail(error.0);
        }
        self.stack.push(BlockTree {
            name: name.to_owned(),
            signals: Vec::new(),
            children: Vec::new(),
            about: About::of(&code),
            code_text: format!("{code:?}"),
            code,
            discriminants: BTreeMap::new(),
        });
    }

    fn visit_start_namespace(&mut self, name: &str, _node: &dyn Block) {
        self.fail(format!("`{name}` is an interface, and interfaces are not exported: give the block plain signals"));
    }

    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        let (base, index) = element(name);
        let descriptor = signal.descriptor();
        if matches!(descriptor.kind, TypeKind::Signed(_)) {
            self.fail(format!(
                "`{name}` is signed, and signed signals are not exported"
            ));
        }
        if signal.bits() == 0 {
            return self.fail(format!(
                "`{name}` has no bits, and Verilog has no such signals"
            ));
        }
        let mut values = Vec::new();
        if signal.kind() == AtomKind::Constant {
            match literal(&signal.verilog()) {
                Ok((value, _)) => values.push(value),
                Err(error) => return self.fail(error.0),
            }
        }
        let vector = Vector {
            name: base,
            kind: signal.kind(),
            width: signal.bits(),
            count: index.map(|index| index + 1),
            values,
        };
        let Some(module) = self.stack.last_mut() else {
            return;
        };
        add_discriminants(module, &descriptor);
        match module.signals.last_mut() {
            Some(last) if last.name == vector.name && last.count.is_some() => {
                last.count = vector.count;
                last.values.extend(vector.values);
            }
            _ => module.signals.push(vector),
        }
    }

    fn visit_end_scope(&mut self, name: &str, _node: &dyn Block) {
        let Some(mut module) = self.stack.pop() else {
            return;
        };
        let Some(parent) = self.stack.last_mut() else {
            self.top = Some(module);
            return;
        };
        for (name, found) in &module.discriminants {
            add_discriminant(parent, name, *found);
        }
        let (base, index) = element(name);
        module.name.clone_from(&base);
        match parent.children.last_mut() {
            Some(last) if index.is_some() && last.name == base => {
                let same_code = last.module.code_text == module.code_text;
                if last.module.signals == module.signals && same_code {
                    last.count = index.map(|index| index + 1);
                } else {
                    self.fail(format!("the elements of the array `{base}` differ"));
                }
            }
            _ => parent.children.push(Child {
                name: base,
                count: index.map(|index| index + 1),
                module,
            }),
        }
    }
}
