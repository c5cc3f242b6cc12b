//! What a process drives: its name, and the sentence above it.

use std::collections::BTreeSet;

use rust_hdl::prelude::{AtomKind, Verilog};

use super::collect::BlockTree;
use super::names;

/// As many characters as a name may have.
const NAME: usize = 60;
/// As many wires as a sentence names as those that a process reads.
const READ: usize = 6;
/// As many characters as a line may have.
const LINE: usize = 100;

/// A process that drives `targets` is called after them, or after the first if all of them would be too long.
pub fn name(targets: &[String]) -> String {
    let all = format!("drive_{}", targets.join("_and_"));
    match targets {
        [first, rest @ ..] if all.len() > NAME => {
            format!("drive_{first}_and_{}_more", rest.len())
        }
        _ => all,
    }
}

/// What a process drives, and from what if that is short, as lines of comment.
pub fn comment(module: &BlockTree, targets: &[String], reads: &BTreeSet<String>) -> String {
    let mut registers = Vec::new();
    let mut inputs = Vec::new();
    let mut outputs = Vec::new();
    let mut signals = Vec::new();
    for target in targets {
        let is_output = module.signals.iter().any(|signal| {
            signal.kind == AtomKind::OutputParameter && names::plain(&signal.name) == *target
        });
        match module.port(target) {
            Some((child, _)) if is_register(&child.module) => {
                registers.push(names::plain(&child.name));
            }
            Some((child, port)) => {
                let (child, port) = (names::plain(&child.name), names::plain(&port.name));
                inputs.push(format!("{child}.{port}"));
            }
            None if is_output => outputs.push(target.clone()),
            None => signals.push(target.clone()),
        }
    }
    let mut driven = Vec::new();
    if !registers.is_empty() {
        let values = plural("next value", &registers);
        let kind = plural("register", &registers);
        driven.push(format!("the {values} of {kind} {}", list(&registers)));
    }
    for (kind, wires) in [
        ("input", &inputs),
        ("output", &outputs),
        ("signal", &signals),
    ] {
        if !wires.is_empty() {
            driven.push(format!("{} {}", plural(kind, wires), list(wires)));
        }
    }
    let from: Vec<String> = reads
        .iter()
        .filter(|wire| !targets.contains(wire) && !is_constant(module, wire))
        .cloned()
        .collect();
    let driven = match driven.as_slice() {
        [only] => only.clone(),
        several => several.join("; "),
    };
    let sentence = if from.is_empty() || from.len() > READ {
        format!("Drives {driven}.")
    } else {
        format!("Drives {driven}, from {}.", list(&from))
    };
    lines(&sentence)
}

fn is_register(module: &BlockTree) -> bool {
    matches!(&module.code, Verilog::Blackbox(primitive) if primitive.name.starts_with("register "))
}

fn is_constant(module: &BlockTree, wire: &str) -> bool {
    let mut signals = module.signals.iter();
    let own = signals
        .any(|signal| signal.kind == AtomKind::Constant && names::constant(&signal.name) == wire);
    own || (module.discriminants.keys()).any(|name| names::constant(name) == wire)
}

fn plural(noun: &str, of: &[String]) -> String {
    let end = if of.len() == 1 { "" } else { "s" };
    format!("{noun}{end}")
}

fn list(words: &[String]) -> String {
    match words {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => words.join(", "),
    }
}

/// A sentence as lines of comment.
pub fn lines(sentence: &str) -> String {
    let mut text = String::new();
    let mut line = String::from("    //");
    for word in sentence.split(' ') {
        if line.len() + 1 + word.len() > LINE {
            text += &line;
            text.push('\n');
            line = String::from("    //");
        }
        line.push(' ');
        line += word;
    }
    text += &line;
    text.push('\n');
    text
}
