//! A kernel as independent processes.
//!
//! In a kernel every statement sees what the ones above it wrote. Statements that write the same signal stay together,
//! in their order; the others become processes of their own, which is the same as long as nobody reads a signal before
//! its last write. A kernel that does is refused.

use std::collections::{BTreeMap, BTreeSet};

use rust_hdl::prelude::ast::{
    VerilogBlock, VerilogBlockOrConditional, VerilogConditional, VerilogExpression, VerilogLoop,
    VerilogMatch, VerilogStatement,
};

use super::collect::BlockTree;
use super::expression::{Context, Offset};
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

    let mut group: Vec<usize> = (0..items.len()).collect();
    for later in 0..items.len() {
        for earlier in 0..later {
            if !items[earlier].writes.is_disjoint(&items[later].writes) {
                let (from, to) = (group[later], group[earlier]);
                group
                    .iter_mut()
                    .filter(|g| **g == from)
                    .for_each(|g| *g = to);
            }
        }
    }
    for (at, item) in items.iter().enumerate() {
        for wire in &item.reads {
            let writers: Vec<usize> = (0..items.len())
                .filter(|w| items[*w].writes.contains(wire))
                .collect();
            let (Some(first), Some(last)) = (writers.first(), writers.last()) else {
                continue;
            };
            let ordered = if group[*first] == group[at] {
                *first <= at
            } else {
                *last < at
            };
            if !ordered {
                return refuse(format!(
                    "kernel of `{}` reads `{wire}` before it is written",
                    module.name
                ));
            }
        }
    }
    let mut result = Vec::new();
    for leader in 0..items.len() {
        let members: Vec<&Item> = (0..items.len())
            .filter(|at| group[*at] == leader)
            .map(|at| &items[at])
            .collect();
        if !members.is_empty() {
            result.push(process(module, &members)?);
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
                for part in split_loop(each, body) {
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

/// Splits a loop into one for each group of statements that need each other within an iteration.
fn split_loop(each: &VerilogLoop, body: Vec<Item>) -> Vec<Vec<Item>> {
    let mut group: Vec<usize> = (0..body.len()).collect();
    let own_element = format!("[{}]", each.index);
    for reader in 0..body.len() {
        for writer in 0..body.len() {
            let shares = !body[reader].writes.is_disjoint(&body[writer].writes);
            // Reading what an earlier statement of this iteration wrote to this iteration's element can be apart.
            let needs = body[reader]
                .reads
                .intersection(&body[writer].writes)
                .next()
                .is_some()
                && (writer >= reader
                    || !only_own_elements(&body[reader], &body[writer], &own_element));
            if shares || (needs && reader != writer) {
                let (from, to) = (
                    group[reader].max(group[writer]),
                    group[reader].min(group[writer]),
                );
                group
                    .iter_mut()
                    .filter(|g| **g == from)
                    .for_each(|g| *g = to);
            }
        }
    }
    let mut parts: BTreeMap<usize, Vec<Item>> = BTreeMap::new();
    for (at, item) in body.into_iter().enumerate() {
        parts.entry(group[at]).or_default().push(item);
    }
    parts.into_values().collect()
}

/// Every name of both statements that means a shared wire is indexed by the loop's own index and nothing else.
fn only_own_elements(reader: &Item, writer: &Item, own_element: &str) -> bool {
    let shared: BTreeSet<&String> = reader.reads.intersection(&writer.writes).collect();
    let mut plain = true;
    for item in [reader, writer] {
        names_in(&item.statement, &mut |name, _| {
            let wire = name
                .strip_suffix("$next")
                .unwrap_or(name)
                .replace(own_element, "")
                .replace('$', "_");
            let indexed = name.contains(own_element);
            let stripped = wire.split('[').next().unwrap_or_default().to_owned();
            let means_shared = shared
                .iter()
                .any(|shared| **shared == wire || **shared == stripped);
            if means_shared && (!indexed || wire.contains('[')) {
                plain = false;
            }
        });
    }
    plain
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
    if let VerilogStatement::Loop(each) = statement {
        loops.push(each.index.clone());
        each.block
            .iter()
            .for_each(|inner| collect_loops(inner, loops));
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

fn names_of(expression: &VerilogExpression, written: bool, found: &mut dyn FnMut(&str, bool)) {
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
        let is_child = !module
            .signals
            .iter()
            .any(|signal| names::plain(&signal.name) == target.wire);
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
                let broadcast = source.is_whole()
                    && module.children.iter().any(|child| {
                        child.count.is_some()
                            && target.wire.starts_with(&format!("{}_", child.name))
                    });
                let elementwise = source.total == target.total && source.offset == target.offset;
                *index == each.index && all && (broadcast || elementwise)
            }
            _ => false,
        };
        if is_child && only_writer && unread && joins && source.width == target.width {
            found.insert(target.wire, source.wire);
        }
    }
    Ok(found)
}

fn process(module: &BlockTree, members: &[&Item]) -> Result<Process> {
    let mut context = Context::new(module);
    let mut lines = Vec::new();
    for member in members {
        statement(&mut context, &member.statement, 2, &mut lines)?;
    }
    let targets: BTreeSet<String> = members
        .iter()
        .flat_map(|member| member.writes.clone())
        .collect();
    let plain = members.iter().all(|member| {
        matches!(
            member.statement,
            VerilogStatement::Assignment(..) | VerilogStatement::SliceAssignment { .. }
        ) && member.reads.is_disjoint(&targets)
    });
    let places: BTreeSet<&str> = lines
        .iter()
        .filter_map(|line| line.split(" = ").next())
        .collect();
    let continuous = plain && context.helpers.is_empty() && places.len() == lines.len();
    let mut text = String::new();
    if continuous {
        for line in &lines {
            text += &format!("    assign {}\n", line.trim_start());
        }
    } else {
        let name = first_target(&context, &members[0].statement)?;
        text += &format!("    always @* begin : {name}_process\n");
        let mut indices = BTreeSet::new();
        for member in members {
            let mut loops = Vec::new();
            nested_loops(&member.statement, &mut loops);
            indices.extend(loops);
        }
        for index in indices {
            text += &format!("        integer {index};\n");
        }
        for (helper, width) in &context.helpers {
            let range = range(*width);
            let space = if range.is_empty() { "" } else { " " };
            text += &format!("        reg {range}{space}{helper};\n");
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

fn nested_loops(statement: &VerilogStatement, loops: &mut Vec<String>) {
    match statement {
        VerilogStatement::Loop(each) => {
            loops.push(each.index.clone());
            each.block
                .iter()
                .for_each(|inner| nested_loops(inner, loops));
        }
        VerilogStatement::If(conditional) => {
            conditional
                .then
                .iter()
                .for_each(|inner| nested_loops(inner, loops));
            match &conditional.otherwise {
                VerilogBlockOrConditional::Block(block) => {
                    block.iter().for_each(|inner| nested_loops(inner, loops))
                }
                VerilogBlockOrConditional::Conditional(inner) => nested_loops(inner, loops),
                VerilogBlockOrConditional::None => {}
            }
        }
        VerilogStatement::Match(choice) => {
            choice
                .cases
                .iter()
                .flat_map(|case| &case.block)
                .for_each(|inner| nested_loops(inner, loops));
        }
        VerilogStatement::Macro(block) => block.iter().for_each(|inner| nested_loops(inner, loops)),
        _ => {}
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
            let (index, from, to) = (&each.index, each.from.as_usize(), each.to.as_usize());
            let open = indent(depth);
            lines.push(format!(
                "{open}for ({index} = {from}; {index} < {to}; {index} = {index} + 1) begin\n"
            ));
            context.loops.push(index.clone());
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
    let VerilogExpression::Signal(name) = target else {
        return refuse(format!(
            "kernel of `{}` assigns to an expression",
            context.module.name
        ));
    };
    let Some(place) = context.place(name)? else {
        return refuse(format!(
            "kernel of `{}` assigns to `{name}`, which is no signal",
            context.module.name
        ));
    };
    let place = match part {
        None => place,
        Some((width, VerilogExpression::Literal(offset))) => place.part(offset.as_usize(), width),
        Some(_) => {
            return refuse(format!(
                "kernel of `{}` writes bits at a variable place",
                context.module.name
            ));
        }
    };
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
    let mut complete = false;
    for case in &choice.cases {
        let label = if case.condition == "default" {
            complete = true;
            "default".to_owned()
        } else {
            context.label(&case.condition, test.width)?
        };
        lines.push(format!("{open}    {label}: begin\n"));
        block(context, &case.block, depth + 2, lines)?;
        lines.push(format!("{open}    end\n"));
    }
    if !complete {
        lines.push(format!("{open}    default: ;\n"));
    }
    lines.push(format!("{open}endcase\n"));
    Ok(())
}
