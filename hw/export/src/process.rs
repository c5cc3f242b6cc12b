//! A kernel as independent processes.
//!
//! Statements that write the same wire stay together, in their order; the others become processes of their own. Between
//! processes the order does not matter, because kernel and Verilog both settle; within a process it does, and
//! `order` looks after that.

use std::collections::{BTreeMap, BTreeSet};

use rust_hdl::prelude::AtomKind;
use rust_hdl::prelude::ast::{VerilogBlock, VerilogExpression, VerilogLoop, VerilogStatement};

use super::collect::{BlockTree, Vector};
use super::constant::{overlap, taken_apart};
use super::context::Context;
use super::order::{self, Written};
use super::place::{Offset, Place};
use super::statement::statement;
use super::walk::{collect_loops, names_in};
use super::{Result, names, range, refuse, sentence};

/// A group of statements that become one `always` block, or continuous assignments.
pub struct Process {
    pub targets: BTreeSet<String>,
    pub reads: BTreeSet<String>,
    /// Wires of which bits were cut off, and how many each has.
    pub cut: BTreeMap<String, usize>,
    /// Operands of bitwise operators.
    pub masks: BTreeSet<String>,
    pub continuous: bool,
    pub text: String,
}

/// A statement with the wires that it writes and reads.
struct Item {
    statement: VerilogStatement,
    writes: BTreeSet<String>,
    reads: BTreeSet<String>,
}

/// Splits a kernel into processes, and finds the child inputs that are wired straight to a signal.
pub fn processes(
    module: &BlockTree,
    kernel: &VerilogBlock,
) -> Result<(Vec<Process>, BTreeMap<String, String>)> {
    let mut items = Vec::new();
    flatten(module, kernel, &[], &mut items)?;
    let mut connections = connections(module, &items)?;
    connections.extend(clock_and_reset(module, &items));
    items.retain(|item| {
        !item
            .writes
            .iter()
            .any(|wire| connections.contains_key(wire))
    });

    let group = groups(&items);
    let mut surely = Written::default();
    let mut result = Vec::new();
    for leader in 0..items.len() {
        let members: Vec<&Item> = (0..items.len())
            .filter(|at| group[*at] == leader)
            .map(|at| &items[at])
            .collect();
        if !members.is_empty() {
            result.push(process(module, &members, &mut surely)?);
        }
    }
    for wire in module.driven() {
        if !connections.contains_key(&wire) && !surely.covers(&wire) {
            return refuse(format!(
                "kernel of `{}` does not write every bit of `{wire}` in every case; give it a value first",
                module.name
            ));
        }
    }
    Ok((result, connections))
}

/// The statements one by one; a loop becomes a loop for each group of its statements that write the same wires.
fn flatten(
    module: &BlockTree,
    block: &VerilogBlock,
    loops: &[&String],
    items: &mut Vec<Item>,
) -> Result<()> {
    for statement in block {
        match statement {
            VerilogStatement::Comment(_) => {}
            VerilogStatement::Macro(inner) => flatten(module, inner, loops, items)?,
            VerilogStatement::Link(_) => {
                return refuse(format!("kernel of `{}` joins interfaces", module.name));
            }
            VerilogStatement::Loop(each) => {
                let mut body = Vec::new();
                let inside: Vec<&String> = loops.iter().copied().chain([&each.index]).collect();
                flatten(module, &each.block, &inside, &mut body)?;
                for part in split_loop(body) {
                    let block = part.iter().map(|item| item.statement.clone()).collect();
                    items.push(Item {
                        statement: VerilogStatement::Loop(VerilogLoop {
                            block,
                            ..each.clone()
                        }),
                        writes: part.iter().flat_map(|item| item.writes.clone()).collect(),
                        reads: part.iter().flat_map(|item| item.reads.clone()).collect(),
                    });
                }
            }
            other => items.push(item(module, other, loops)?),
        }
    }
    Ok(())
}

/// Splits a loop into one for each group of statements that write the same wires.
fn split_loop(body: Vec<Item>) -> Vec<Vec<Item>> {
    let group = groups(&body);
    let mut parts: BTreeMap<usize, Vec<Item>> = BTreeMap::new();
    for (item, group) in body.into_iter().zip(group) {
        parts.entry(group).or_default().push(item);
    }
    parts.into_values().collect()
}

/// For each statement the first one that it shares a written wire with, directly or through others.
fn groups(items: &[Item]) -> Vec<usize> {
    let mut group: Vec<usize> = (0..items.len()).collect();
    for later in 0..items.len() {
        for earlier in 0..later {
            if !items[earlier].writes.is_disjoint(&items[later].writes) {
                let (one, other) = (group[later], group[earlier]);
                group
                    .iter_mut()
                    .filter(|g| **g == one || **g == other)
                    .for_each(|g| *g = one.min(other));
            }
        }
    }
    group
}

fn item(module: &BlockTree, statement: &VerilogStatement, loops: &[&String]) -> Result<Item> {
    let mut context = Context::new(module);
    context.loops = loops.iter().map(|index| (*index).clone()).collect();
    collect_loops(statement, &mut context.loops);
    let mut item = Item {
        statement: statement.clone(),
        writes: BTreeSet::new(),
        reads: BTreeSet::new(),
    };
    let mut failure = None;
    names_in(statement, &mut |name, written| match context.place(name) {
        Ok(Some(place)) if written => {
            item.writes.insert(place.wire);
        }
        Ok(Some(place)) => {
            item.reads.insert(place.wire);
        }
        Ok(None) if written => {
            failure.get_or_insert(format!(
                "kernel of `{}` assigns to `{name}`, which is no signal",
                module.name
            ));
        }
        Ok(None) => {}
        Err(error) => {
            failure.get_or_insert(error.0);
        }
    });
    match failure {
        Some(reason) => refuse(reason),
        None => Ok(item),
    }
}

/// Child inputs that one plain assignment wires to a whole signal: they need no wire of their own.
fn connections(module: &BlockTree, items: &[Item]) -> Result<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    for item in items {
        let (assignment, each) = match &item.statement {
            VerilogStatement::Loop(each) if each.block.len() == 1 => (&each.block[0], Some(each)),
            other => (other, None),
        };
        let VerilogStatement::Assignment(
            VerilogExpression::Signal(target),
            VerilogExpression::Signal(source),
        ) = assignment
        else {
            continue;
        };
        let mut context = Context::new(module);
        context.loops.extend(each.map(|each| each.index.clone()));
        let (Some(target), Some(source)) = (context.place(target)?, context.place(source)?) else {
            continue;
        };
        let child = module.port(&target.wire).map(|(child, _)| child);
        let is_array = child.is_some_and(|child| child.count.is_some());
        let is_constant = |vector: &Vector| {
            vector.kind == AtomKind::Constant && names::constant(&vector.name) == source.wire
        };
        if module.signals.iter().any(is_constant) {
            continue;
        }
        let only_writer = items
            .iter()
            .filter(|other| other.writes.contains(&target.wire))
            .count()
            == 1;
        let unread = items
            .iter()
            .all(|other| !other.reads.contains(&target.wire));
        let joins = match (each, &target.offset) {
            (None, _) => target.is_whole() && source.is_whole(),
            (
                Some(each),
                Offset::Element {
                    index,
                    stride,
                    plus: 0,
                },
            ) => {
                let all = each.from.as_usize() == 0 && each.to.as_usize() * stride == target.total;
                let broadcast = source.is_whole() && is_array;
                let elementwise = source.total == target.total && source.offset == target.offset;
                *index == names::plain(&each.index) && all && (broadcast || elementwise)
            }
            _ => false,
        };
        if child.is_some() && only_writer && unread && joins && source.width == target.width {
            found.insert(target.wire, source.wire);
        }
    }
    Ok(found)
}

/// Clocks and resets of children that the kernel does not drive: they are those of the block, as `Part` wires them.
fn clock_and_reset(module: &BlockTree, items: &[Item]) -> Vec<(String, String)> {
    let has = |block: &BlockTree, name: &str| {
        let mut signals = block.signals.iter();
        signals.any(|signal| signal.name == name && signal.kind == AtomKind::InputParameter)
    };
    let wires = module.children.iter().flat_map(|child| {
        let names = ["clock", "reset"].into_iter();
        let names = names.filter(|name| has(module, name) && has(&child.module, name));
        names.map(|name| (names::joined(&child.name, name), name.to_owned()))
    });
    let is_driven = |wire: &str| items.iter().any(|item| item.writes.contains(wire));
    wires.filter(|(wire, _)| !is_driven(wire)).collect()
}

fn process(module: &BlockTree, members: &[&Item], surely: &mut Written) -> Result<Process> {
    let statements: Vec<_> = members.iter().map(|member| &member.statement).collect();
    surely.unite(order::check(&mut Context::new(module), &statements)?);

    let mut context = Context::new(module);
    let mut lines = Vec::new();
    for each in &statements {
        statement(&mut context, each, 2, &mut lines)?;
    }
    let targets: BTreeSet<String> = members
        .iter()
        .flat_map(|member| member.writes.clone())
        .collect();
    let constants: Vec<String> = module
        .signals
        .iter()
        .filter(|signal| signal.kind == AtomKind::Constant)
        .map(|signal| names::constant(&signal.name))
        .collect();
    let wakes = |wire: &String| !targets.contains(wire) && !constants.contains(wire);
    // Bits that are masked away or shifted out are not read.
    let printed = lines.concat();
    let printed_words: BTreeSet<&str> = names::words(&printed).map(|(_, word)| word).collect();
    context
        .reads
        .retain(|wire| printed_words.contains(wire.as_str()));
    let mut text = String::new();
    let mut continuous = true;
    if let Some(lines) = assignments(&context, &statements, &lines)? {
        for line in lines {
            text += &format!("    assign {}\n", line.trim());
        }
    } else if !context.reads.iter().any(wakes) {
        // Nothing would ever wake an `always @*` that reads no wire.
        context = Context::new(module);
        for line in taken_apart(&mut context, &statements)? {
            text += &format!("    assign {line}\n");
        }
    } else {
        continuous = false;
        let driven = in_order(&statements, &targets);
        text += &sentence::comment(module, &driven, &context.reads);
        text += &format!("    always @* begin : {}\n", sentence::name(&driven));
        let mut indices = BTreeSet::new();
        for statement in &statements {
            let mut loops = Vec::new();
            collect_loops(statement, &mut loops);
            indices.extend(loops.iter().map(|index| names::plain(index)));
        }
        for index in indices {
            text += &format!("        integer {index};\n");
        }
        for helper in &context.helpers {
            let range = range(helper.width);
            let space = if range.is_empty() { "" } else { " " };
            text += &format!("        reg {range}{space}{};\n", helper.name);
        }
        // A variable without a value in some case would be a latch.
        for helper in context.helpers.iter().filter(|helper| helper.in_branch) {
            text += &format!("        {} = {}'d0;\n", helper.name, helper.width);
        }
        text += &printed;
        text += "    end\n";
    }
    Ok(Process {
        targets,
        reads: context.reads,
        cut: context.cut,
        masks: context.masks,
        continuous,
        text,
    })
}

/// The printed lines, if they can stand as continuous assignments: plain ones to bits that do not overlap.
fn assignments<'a>(
    context: &Context,
    statements: &[&VerilogStatement],
    lines: &'a [String],
) -> Result<Option<&'a [String]>> {
    let mut places: Vec<Place> = Vec::new();
    for statement in statements {
        let place = match statement {
            VerilogStatement::Assignment(target, _) => context.target(target, None)?,
            VerilogStatement::SliceAssignment {
                base,
                width,
                offset,
                ..
            } => context.target(base, Some((*width, offset)))?,
            _ => return Ok(None),
        };
        if places.iter().any(|other| overlap(other, &place)) {
            return Ok(None);
        }
        places.push(place);
    }
    Ok(context.helpers.is_empty().then_some(lines))
}

/// The wires that the statements write, in the order of their first writes.
fn in_order(statements: &[&VerilogStatement], targets: &BTreeSet<String>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for statement in statements {
        names_in(statement, &mut |name, written| {
            let segments = name.strip_suffix("$next").unwrap_or(name).split('$');
            let without_indices: Vec<&str> = segments
                .map(|segment| segment.split('[').next().unwrap_or(segment))
                .collect();
            let wire = names::plain(&without_indices.join("$"));
            if written && targets.contains(&wire) && !found.contains(&wire) {
                found.push(wire);
            }
        });
    }
    found
}
