//! A kernel as independent processes.
//!
//! Statements that write the same wire stay together, in their order; the others become processes of their own. Between
//! processes the order does not matter, because kernel and Verilog both settle; within a process it does, and
//! [`order`](super::order) looks after that.

use std::collections::{BTreeMap, BTreeSet};

use rust_hdl::prelude::AtomKind;
use rust_hdl::prelude::ast::{
    VerilogBlock, VerilogBlockOrConditional, VerilogConditional, VerilogExpression, VerilogLoop,
    VerilogMatch, VerilogStatement,
};

use super::collect::{BlockTree, Vector};
use super::expression::{Context, Offset, Place};
use super::index::Indices;
use super::order::{self, Written, start_of};
use super::{Result, names, range, refuse};

/// A group of statements that become one `always` block, or continuous assignments.
pub struct Process {
    pub targets: BTreeSet<String>,
    pub reads: BTreeSet<String>,
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
    flatten(module, kernel, &mut items)?;
    let connections = connections(module, &items)?;
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

fn flatten(module: &BlockTree, block: &VerilogBlock, items: &mut Vec<Item>) -> Result<()> {
    for statement in block {
        match statement {
            VerilogStatement::Comment(_) => {}
            VerilogStatement::Macro(inner) => flatten(module, inner, items)?,
            VerilogStatement::Link(_) => {
                return refuse(format!("kernel of `{}` joins interfaces", module.name));
            }
            VerilogStatement::Loop(each) => {
                let mut body = Vec::new();
                flatten_in(module, &each.block, &[&each.index], &mut body)?;
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
            other => items.push(item(module, other, &[])?),
        }
    }
    Ok(())
}

fn flatten_in(
    module: &BlockTree,
    block: &VerilogBlock,
    loops: &[&String],
    items: &mut Vec<Item>,
) -> Result<()> {
    for statement in block {
        match statement {
            VerilogStatement::Comment(_) => {}
            VerilogStatement::Macro(inner) => flatten_in(module, inner, loops, items)?,
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

fn collect_loops(statement: &VerilogStatement, loops: &mut Vec<String>) {
    match statement {
        VerilogStatement::Loop(each) => {
            loops.push(each.index.clone());
            each.block
                .iter()
                .for_each(|inner| collect_loops(inner, loops));
        }
        VerilogStatement::If(conditional) => {
            conditional
                .then
                .iter()
                .for_each(|inner| collect_loops(inner, loops));
            match &conditional.otherwise {
                VerilogBlockOrConditional::Block(block) => {
                    block.iter().for_each(|inner| collect_loops(inner, loops))
                }
                VerilogBlockOrConditional::Conditional(inner) => collect_loops(inner, loops),
                VerilogBlockOrConditional::None => {}
            }
        }
        VerilogStatement::Match(choice) => {
            choice
                .cases
                .iter()
                .flat_map(|case| &case.block)
                .for_each(|inner| collect_loops(inner, loops));
        }
        VerilogStatement::Macro(block) => {
            block.iter().for_each(|inner| collect_loops(inner, loops))
        }
        _ => {}
    }
}

/// Calls `found` with every signal name of a statement, and whether it is written.
fn names_in(statement: &VerilogStatement, found: &mut dyn FnMut(&str, bool)) {
    match statement {
        VerilogStatement::Assignment(target, value) => {
            names_of(target, true, found);
            names_of(value, false, found);
        }
        VerilogStatement::SliceAssignment {
            base,
            offset,
            replacement,
            ..
        } => {
            names_of(base, true, found);
            names_of(offset, false, found);
            names_of(replacement, false, found);
        }
        VerilogStatement::If(conditional) => {
            names_of(&conditional.test, false, found);
            conditional
                .then
                .iter()
                .for_each(|inner| names_in(inner, found));
            match &conditional.otherwise {
                VerilogBlockOrConditional::Block(block) => {
                    block.iter().for_each(|inner| names_in(inner, found))
                }
                VerilogBlockOrConditional::Conditional(inner) => names_in(inner, found),
                VerilogBlockOrConditional::None => {}
            }
        }
        VerilogStatement::Match(choice) => {
            names_of(&choice.test, false, found);
            for case in &choice.cases {
                case.block.iter().for_each(|inner| names_in(inner, found));
            }
        }
        VerilogStatement::Loop(each) => each.block.iter().for_each(|inner| names_in(inner, found)),
        VerilogStatement::Macro(block) => block.iter().for_each(|inner| names_in(inner, found)),
        VerilogStatement::Comment(_) | VerilogStatement::Link(_) => {}
    }
}

pub fn names_of(expression: &VerilogExpression, written: bool, found: &mut dyn FnMut(&str, bool)) {
    match expression {
        VerilogExpression::Signal(name) => found(name, written),
        VerilogExpression::Literal(_) => {}
        VerilogExpression::Cast(a, _)
        | VerilogExpression::Signed(a)
        | VerilogExpression::Unsigned(a)
        | VerilogExpression::Paren(a)
        | VerilogExpression::Unary(_, a) => names_of(a, written, found),
        VerilogExpression::Binary(a, _, b)
        | VerilogExpression::Index(a, b)
        | VerilogExpression::Slice(a, _, b) => {
            names_of(a, written, found);
            names_of(b, false, found);
        }
        VerilogExpression::IndexReplace(a, b, c) => {
            names_of(a, written, found);
            names_of(b, false, found);
            names_of(c, false, found);
        }
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
        let is_child = |array: bool| {
            module
                .children
                .iter()
                .filter(|child| !array || child.count.is_some())
                .flat_map(|child| {
                    let ports = child.module.signals.iter().filter(|port| port.is_port());
                    ports.map(|port| names::joined(&child.name, &port.name))
                })
                .any(|wire| wire == target.wire)
        };
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
                let broadcast = source.is_whole() && is_child(true);
                let elementwise = source.total == target.total && source.offset == target.offset;
                *index == names::plain(&each.index) && all && (broadcast || elementwise)
            }
            _ => false,
        };
        if is_child(false) && only_writer && unread && joins && source.width == target.width {
            found.insert(target.wire, source.wire);
        }
    }
    Ok(found)
}

fn process(module: &BlockTree, members: &[&Item], surely: &mut Written) -> Result<Process> {
    let statements: Vec<_> = members.iter().map(|member| &member.statement).collect();
    surely.unite(&order::check(&mut Context::new(module), &statements)?);

    let mut context = Context::new(module);
    let mut lines = Vec::new();
    for statement in &statements {
        self::statement(&mut context, statement, 2, &mut lines)?;
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
    let mut text = String::new();
    let mut continuous = true;
    if let Some(lines) = assignments(&context, &statements, &lines)? {
        for line in lines {
            text += &format!("    assign {}\n", line.trim_start());
        }
    } else if !members.iter().any(|member| member.reads.iter().any(wakes)) {
        // Nothing would ever wake an `always @*` that reads no wire.
        context = Context::new(module);
        for line in taken_apart(&mut context, &statements)? {
            text += &format!("    assign {line}\n");
        }
    } else {
        continuous = false;
        let name = first_target(&context, &members[0].statement)?;
        text += &format!("    always @* begin : {name}_process\n");
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
        text += &lines.concat();
        text += "    end\n";
    }
    Ok(Process {
        targets,
        reads: context.reads,
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

fn overlap(one: &Place, other: &Place) -> bool {
    let start = |place| start_of(place, &Indices::new());
    match (start(one), start(other)) {
        (Some(a), Some(b)) => one.wire == other.wire && a < b + other.width && b < a + one.width,
        _ => true,
    }
}

/// The assignments of loops over constants, one for each iteration.
fn taken_apart(context: &mut Context, statements: &[&VerilogStatement]) -> Result<Vec<String>> {
    let mut found: Vec<(Place, String)> = Vec::new();
    for statement in statements {
        take_apart(context, statement, &mut found)?;
    }
    Ok(found.into_iter().map(|(_, line)| line).collect())
}

fn take_apart(
    context: &mut Context,
    statement: &VerilogStatement,
    found: &mut Vec<(Place, String)>,
) -> Result<()> {
    let (place, value) = match statement {
        VerilogStatement::Assignment(target, value) => (context.target(target, None)?, value),
        VerilogStatement::SliceAssignment {
            base,
            width,
            offset,
            replacement,
        } => (context.target(base, Some((*width, offset)))?, replacement),
        VerilogStatement::Loop(each) => {
            let outer = context.enter(&each.index)?;
            for value in each.from.as_usize()..each.to.as_usize() {
                context.indices.insert(each.index.clone(), value as i64);
                for inner in &each.block {
                    take_apart(context, inner, found)?;
                }
            }
            context.indices = outer;
            context.loops.pop();
            return Ok(());
        }
        VerilogStatement::Macro(inner) => {
            return inner
                .iter()
                .try_for_each(|inner| take_apart(context, inner, found));
        }
        VerilogStatement::Comment(_) => return Ok(()),
        _ => return refuse(format!("{} branches on constants alone", context.at())),
    };
    let value = context.of_width(value, place.width)?;
    if !context.before.is_empty() {
        return refuse(format!(
            "{} takes a part of an expression of constants; name the value instead",
            context.at()
        ));
    }
    // The last assignment holds.
    found.retain(|(other, _)| !(overlap(other, &place) && other == &place));
    if found.iter().any(|(other, _)| overlap(other, &place)) {
        return refuse(format!(
            "{} gives bits of `{}` two constants; give each bit one",
            context.at(),
            place.wire
        ));
    }
    let line = format!("{} = {};", place.text(), value.text);
    found.push((place, line));
    Ok(())
}

/// The wire that a statement writes first, after which its process is named.
fn first_target(context: &Context, statement: &VerilogStatement) -> Result<String> {
    let mut first = None;
    names_in(statement, &mut |name, written| {
        if written && first.is_none() {
            let without_index = name.split('[').next().unwrap_or(name).to_owned();
            let rest = name.split_once(']').map_or("", |(_, rest)| rest);
            let joined = format!(
                "{without_index}{}",
                rest.strip_suffix("$next").unwrap_or(rest)
            );
            first = Some(names::plain(
                joined.strip_suffix("$next").unwrap_or(&joined),
            ));
        }
    });
    match first {
        Some(name) => Ok(name),
        None => refuse(format!(
            "kernel of `{}` has a statement without effect",
            context.module.name
        )),
    }
}

fn indent(depth: usize) -> String {
    "    ".repeat(depth)
}

fn flush(context: &mut Context, depth: usize, lines: &mut Vec<String>) {
    for line in context.before.drain(..) {
        lines.push(format!("{}{line}\n", indent(depth)));
    }
}

fn block(
    context: &mut Context,
    statements: &VerilogBlock,
    depth: usize,
    lines: &mut Vec<String>,
) -> Result<()> {
    statements
        .iter()
        .try_for_each(|inner| statement(context, inner, depth, lines))
}

fn statement(
    context: &mut Context,
    statement: &VerilogStatement,
    depth: usize,
    lines: &mut Vec<String>,
) -> Result<()> {
    match statement {
        VerilogStatement::Assignment(target, value) => {
            assign(context, target, None, value, depth, lines)
        }
        VerilogStatement::SliceAssignment {
            base,
            width,
            offset,
            replacement,
        } => assign(
            context,
            base,
            Some((*width, offset)),
            replacement,
            depth,
            lines,
        ),
        VerilogStatement::If(conditional) => branch(context, conditional, depth, lines),
        VerilogStatement::Match(choice) => select(context, choice, depth, lines),
        VerilogStatement::Loop(each) => {
            let (index, from, to) = (
                names::plain(&each.index),
                each.from.as_usize(),
                each.to.as_usize(),
            );
            let open = indent(depth);
            lines.push(format!(
                "{open}for ({index} = {from}; {index} < {to}; {index} = {index} + 1) begin\n"
            ));
            context.enter(&each.index)?;
            block(context, &each.block, depth + 1, lines)?;
            context.loops.pop();
            lines.push(format!("{open}end\n"));
            Ok(())
        }
        VerilogStatement::Macro(inner) => block(context, inner, depth, lines),
        VerilogStatement::Comment(_) => Ok(()),
        VerilogStatement::Link(_) => refuse(format!(
            "kernel of `{}` joins interfaces",
            context.module.name
        )),
    }
}

fn assign(
    context: &mut Context,
    target: &VerilogExpression,
    part: Option<(usize, &VerilogExpression)>,
    value: &VerilogExpression,
    depth: usize,
    lines: &mut Vec<String>,
) -> Result<()> {
    let place = context.target(target, part)?;
    let value = context.of_width(value, place.width)?;
    flush(context, depth, lines);
    lines.push(format!(
        "{}{} = {};\n",
        indent(depth),
        place.text(),
        value.text
    ));
    Ok(())
}

fn branch(
    context: &mut Context,
    conditional: &VerilogConditional,
    depth: usize,
    lines: &mut Vec<String>,
) -> Result<()> {
    let test = context.of_width(&conditional.test, 1)?;
    flush(context, depth, lines);
    let open = indent(depth);
    lines.push(format!("{open}if ({}) begin\n", test.text));
    context.branches += 1;
    block(context, &conditional.then, depth + 1, lines)?;
    match &conditional.otherwise {
        VerilogBlockOrConditional::None => lines.push(format!("{open}end\n")),
        VerilogBlockOrConditional::Block(inner) => {
            lines.push(format!("{open}end else begin\n"));
            block(context, inner, depth + 1, lines)?;
            lines.push(format!("{open}end\n"));
        }
        VerilogBlockOrConditional::Conditional(inner) => {
            let mut nested = Vec::new();
            statement(context, inner, depth, &mut nested)?;
            let chained = nested
                .first()
                .and_then(|line| line.trim_start().strip_prefix("if "));
            match chained.map(str::to_owned) {
                Some(rest) => {
                    lines.push(format!("{open}end else if {rest}"));
                    lines.extend(nested.drain(1..));
                }
                None => {
                    lines.push(format!("{open}end else begin\n"));
                    lines.extend(nested.iter().map(|line| format!("    {line}")));
                    lines.push(format!("{open}end\n"));
                }
            }
        }
    }
    context.branches -= 1;
    Ok(())
}

fn select(
    context: &mut Context,
    choice: &VerilogMatch,
    depth: usize,
    lines: &mut Vec<String>,
) -> Result<()> {
    let test = context.any_width(&choice.test)?;
    flush(context, depth, lines);
    let open = indent(depth);
    lines.push(format!("{open}case ({})\n", test.text));
    // The kernel's cases are complete; what no variant stands for may do as the last one does, rather than latch.
    for (at, case) in choice.cases.iter().enumerate() {
        let last = at + 1 == choice.cases.len();
        let label = match case.condition.as_str() {
            "default" => "default".to_owned(),
            variant => {
                let label = context.label(variant, test.width)?;
                if last { "default".to_owned() } else { label }
            }
        };
        lines.push(format!("{open}    {label}: begin\n"));
        context.branches += 1;
        block(context, &case.block, depth + 2, lines)?;
        context.branches -= 1;
        lines.push(format!("{open}    end\n"));
    }
    lines.push(format!("{open}endcase\n"));
    Ok(())
}
