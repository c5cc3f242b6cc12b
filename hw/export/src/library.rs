//! The modules of several designs, each once: blocks of one kernel whose modules would have one text are one module.
//!
//! A module is named after its kernel, such as `gmmu_response_dispatch`. Where a kernel has several texts, as it has for several sizes, each
//! is named after the first design that has it, one of the kernel's own block if there is one: `far_fault_mshr_16_entries`.

use std::collections::{BTreeMap, BTreeSet};

use rust_hdl::prelude::{AtomKind, Block, Verilog};

use super::collect::{BlockTree, collect};
use super::process::processes;
use super::{Module, Port, Result, body, check_names, names, refuse, sentence, wrapped};

/// A module before it has its name.
#[derive(Clone)]
struct Entry {
    /// What it is called if no other module wants to be called so.
    base: String,
    family: Option<String>,
    /// The design that has it first.
    first: String,
    /// The design whose top module it is.
    top: Option<String>,
    /// What stands before `module`.
    comment: String,
    /// The text after its name, where each instance names its module by a mark. The whole text of a primitive.
    body: String,
    /// The modules that it instantiates, in the order of their first instances.
    children: Vec<usize>,
}

/// The modules of the designs that were added.
#[derive(Default)]
pub struct Library {
    entries: Vec<Entry>,
    by_text: BTreeMap<(String, String), usize>,
    /// By what a text follows from, so that no block is translated twice.
    by_source: BTreeMap<String, usize>,
    tops: BTreeMap<String, usize>,
}

/// What stands in a text for the name of an entry.
fn mark(entry: usize) -> String {
    format!("\u{1}{entry}\u{2}")
}

impl Library {
    /// Adds a design, whose top module gets this name; gives its ports.
    ///
    /// # Errors
    /// If the kernel uses something whose meaning Verilog does not share, or two modules want one name.
    pub fn add(&mut self, block: &dyn Block, name: &str) -> Result<Vec<Port>> {
        let tree = collect(block, name)?;
        let mut top = self.block(&tree, name, name)?;
        if self.entries[top].top.is_some() {
            // Two designs may be the same; each has a top module of its name.
            self.entries.push(self.entries[top].clone());
            top = self.entries.len() - 1;
        }
        self.entries[top].top = Some(name.to_owned());
        self.tops.insert(name.to_owned(), top);
        let ports = tree.signals.iter().filter(|signal| signal.is_port());
        Ok(ports
            .map(|signal| Port {
                name: names::plain(&signal.name),
                input: signal.kind == AtomKind::InputParameter,
                bits: signal.bits(),
            })
            .collect())
    }

    /// The modules of a design that was added, parents before their children.
    #[must_use]
    pub fn modules(&self, design: &str) -> Vec<Module> {
        let names = self.names();
        let mut order = Vec::new();
        if let Some(top) = self.tops.get(design) {
            self.visit(*top, &mut BTreeSet::new(), &mut order);
        }
        let module = |at: &usize| {
            let (entry, name) = (&self.entries[*at], names[*at].clone());
            let mut text = entry.body.clone();
            for child in &entry.children {
                text = text.replace(&mark(*child), &names[*child]);
            }
            if entry.family.is_some() {
                text = wrapped(&format!("{}module {name} {text}", entry.comment));
            }
            let family = entry.family.clone();
            Module { name, family, text }
        };
        order.iter().rev().map(module).collect()
    }

    /// The modules below one, children before their parents.
    fn visit(&self, at: usize, seen: &mut BTreeSet<usize>, order: &mut Vec<usize>) {
        if seen.insert(at) {
            for child in &self.entries[at].children {
                self.visit(*child, seen, order);
            }
            order.push(at);
        }
    }

    /// The names of all modules: those of tops and primitives first, for these are fixed.
    fn names(&self) -> Vec<String> {
        let mut wanted: BTreeMap<&str, usize> = BTreeMap::new();
        for entry in &self.entries {
            *wanted.entry(&entry.base).or_default() += 1;
        }
        let fixed = |entry: &Entry| match &entry.top {
            Some(top) => Some(top.clone()),
            None => entry.family.is_none().then(|| entry.base.clone()),
        };
        let mut taken: BTreeSet<String> = self.entries.iter().filter_map(fixed).collect();
        let mut name = |entry: &Entry| {
            if let Some(name) = fixed(entry) {
                return name;
            }
            let family = entry.family.as_deref().unwrap_or_default();
            let part = entry.base.strip_prefix(family).unwrap_or_default();
            let several = wanted
                .get(entry.base.as_str())
                .is_some_and(|count| *count > 1);
            let name = match several {
                false if !taken.contains(&entry.base) => entry.base.clone(),
                _ if entry.first.starts_with(family) => format!("{}{part}", entry.first),
                _ => format!("{}_{}", entry.first, entry.base),
            };
            let numbered = (2..).map(|number| format!("{name}_{number}"));
            let mut free = std::iter::once(name.clone()).chain(numbered);
            let name = free.find(|name| !taken.contains(name)).unwrap_or(name);
            taken.insert(name.clone());
            name
        };
        self.entries.iter().map(&mut name).collect()
    }

    /// Adds a module; `kind` is what it has in common with those that may be the same one.
    fn insert(&mut self, kind: &str, entry: Entry) -> usize {
        let key = (kind.to_owned(), entry.body.clone());
        if let Some(at) = self.by_text.get(&key) {
            return self.known(*at, &entry.first);
        }
        self.by_text.insert(key, self.entries.len());
        self.entries.push(entry);
        self.entries.len() - 1
    }

    /// A module that `design` has too: a part is rather named after a design of its own block.
    fn known(&mut self, at: usize, design: &str) -> usize {
        let entry = &mut self.entries[at];
        let family = entry.family.as_deref();
        let is_own = |design: &str| family.is_some_and(|family| design.starts_with(family));
        if is_own(design) && !is_own(&entry.first) {
            design.clone_into(&mut entry.first);
        }
        at
    }

    /// Adds a block and what is below it. `path` is the way to it, with underscores: the name of one whose kernel has none.
    fn block(&mut self, tree: &BlockTree, path: &str, design: &str) -> Result<usize> {
        match &tree.code {
            Verilog::Blackbox(primitive) => self.primitive(&primitive.code, design),
            Verilog::Combinatorial(kernel) => {
                let mut kinds = BTreeMap::new();
                let mut children = Vec::new();
                for child in &tree.children {
                    let at =
                        self.block(&child.module, &format!("{path}_{}", child.name), design)?;
                    // A primitive with parameters is instantiated by its name with their values.
                    let values = match &child.module.code {
                        Verilog::Blackbox(primitive) => primitive.name.split_once(' '),
                        _ => None,
                    };
                    let kind = match values {
                        Some((_, values)) => format!("{} {values}", mark(at)),
                        None => mark(at),
                    };
                    kinds.insert(child.name.clone(), kind);
                    if !children.contains(&at) {
                        children.push(at);
                    }
                }
                // What is made of rust-hdl's attributes alone does not say which kernel it has.
                let kind = match tree.about.path.as_str() {
                    "" => design,
                    path => path,
                };
                let source = source(tree, kind, &kinds);
                if let Some(at) = self.by_source.get(&source) {
                    return Ok(self.known(*at, design));
                }
                check_names(tree)?;
                let (mut processes, connections) = processes(tree, kernel)?;
                let body = body(tree, &kinds, &mut processes, &connections)?;
                let kernel = tree.about.kernel();
                let family = tree.about.family().unwrap_or(design);
                let base = match kernel.as_str() {
                    "" => path.to_owned(),
                    _ if kernel.starts_with(family) => kernel,
                    _ => format!("{family}_{kernel}"),
                };
                let comment = match tree.about.sentence.as_str() {
                    "" => String::new(),
                    text => sentence::lines(text).replace("    //", "//"),
                };
                let family = Some(family.to_owned());
                let (first, top) = (design.to_owned(), None);
                let entry = Entry {
                    base,
                    family,
                    first,
                    top,
                    comment,
                    body,
                    children,
                };
                let at = self.insert(kind, entry);
                self.by_source.insert(source, at);
                Ok(at)
            }
            _ => refuse(format!(
                "block `{}` has neither a kernel nor primitive Verilog",
                tree.name
            )),
        }
    }

    /// Adds the modules of a primitive's text; gives the last one, which instantiates those before it.
    fn primitive(&mut self, code: &str, design: &str) -> Result<usize> {
        let mut children = Vec::new();
        for text in split_modules(code) {
            let text = wrapped(&text);
            let base = module_name(&text)?;
            let known = self
                .entries
                .iter()
                .position(|entry| entry.family.is_none() && entry.base == base);
            let at = match known {
                Some(at) if self.entries[at].body == text => at,
                Some(_) => return refuse(format!("two primitives are called `{base}`")),
                None => self.insert(
                    "",
                    Entry {
                        base,
                        family: None,
                        first: design.to_owned(),
                        top: None,
                        comment: String::new(),
                        body: text,
                        children: children.clone(),
                    },
                ),
            };
            children = vec![at];
        }
        children
            .pop()
            .map_or_else(|| refuse("a primitive holds no module"), Ok)
    }
}

/// Everything that the text of a block's module follows from, `kinds` being what each child is an instance of.
fn source(tree: &BlockTree, kind: &str, kinds: &BTreeMap<String, String>) -> String {
    let children = tree.children.iter();
    let children: Vec<_> = children
        .map(|child| (&child.name, child.count, &child.module.signals))
        .collect();
    let (signals, variants) = (&tree.signals, &tree.discriminants);
    let code = &tree.code_text;
    format!("{kind} {kinds:?} {children:?} {signals:?} {variants:?} {code}")
}

/// A primitive may bring several modules; each is kept once.
fn split_modules(code: &str) -> Vec<String> {
    let mut parts: Vec<String> = code
        .split_inclusive("endmodule\n")
        .map(|part| part.trim_start_matches('\n').to_owned())
        .filter(|part| !part.is_empty())
        .collect();
    parts.dedup();
    parts
}

fn module_name(text: &str) -> Result<String> {
    text.lines()
        .find_map(|line| line.strip_prefix("module "))
        .and_then(|rest| rest.split([' ', '(', ';']).next())
        .map(str::to_owned)
        .map_or_else(|| refuse("a primitive holds no module"), Ok)
}
