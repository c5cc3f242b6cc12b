//! The sources that a result depends on: some files, and what these name, and so on.
//!
//! A file names modules by paths (`crate::sm::l1_tlb`, `super::Tables`, `faultline_sim::walk`), by `mod x;`, and files by
//! string literals (`include_str!`, `#[path]`). Of a module that is only a *list*, with no item but `mod x;`, the modules
//! count that are named; of any other one all do, for an `impl` in a module needs no name.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// These count where they are named, and what they name does not. The Verilog of a kernel stands for the kernel, and a kit
/// for what made it. The others hold a table of all blocks, or the benches of all: whoever runs one block names its sources.
const ENDS: [&str; 4] = [
    "hw",
    "synth",
    "testbench/src/blocks.rs",
    "testbench/src/support.rs",
];

/// This lists all designs, and does not count: whoever runs a design names its Verilog, and one more is no other input.
const LIST: &str = "hw/src/registry.rs";

/// Gives these files of a workspace and all that they name, by their paths in it.
///
/// # Panics
/// If one cannot be read, or is no module.
#[must_use]
pub fn sources(root: &Path, files: &[&str]) -> BTreeSet<PathBuf> {
    let mut search = Search {
        root,
        read: BTreeMap::new(),
        found: BTreeSet::new(),
        open: Vec::new(),
    };
    for file in files {
        let (file, module) = (Path::new(file), Module::of(root, Path::new(file)));
        search.visit(&module);
        // It may be a list of tests.
        let names = search.names(file);
        if names.is_list && search.found.insert(file.to_owned()) {
            let modules = names.modules.iter().map(|name| module.join(name));
            search.open.extend(modules);
        }
        assert!(search.found.contains(file), "{}", file.display());
    }
    while let Some(module) = search.open.pop() {
        search.visit(&module);
    }
    search.found
}

/// A place in a crate: its root file, and a path of modules, which may end with others that are in a file.
#[derive(Clone)]
struct Module {
    root: PathBuf,
    path: Vec<String>,
}

impl Module {
    /// That of a file. A test is its own root, or the `main.rs` of its folder is.
    fn of(workspace: &Path, file: &Path) -> Self {
        let is_file = |path: &Path| workspace.join(path).is_file();
        let in_crate = file
            .ancestors()
            .find(|folder| folder.ends_with("src"))
            .map(|folder| folder.join("lib.rs"))
            .filter(|root| is_file(root));
        let main = file.with_file_name("main.rs");
        let root = in_crate.or_else(|| is_file(&main).then_some(main));
        let Some((root, below)) = root.and_then(|root| {
            let below = file.strip_prefix(root.parent()?).ok()?.with_extension("");
            (root != file).then_some((root, below))
        }) else {
            return Self::alone(file);
        };
        let names = below
            .iter()
            .map(|name| name.to_string_lossy().into_owned())
            .filter(|name| name != "mod");
        Self {
            root,
            path: names.collect(),
        }
    }

    fn alone(file: &Path) -> Self {
        Self {
            root: file.to_owned(),
            path: Vec::new(),
        }
    }

    fn join(&self, names: &[String]) -> Self {
        let mut module = self.clone();
        module.path.extend_from_slice(names);
        module
    }

    /// The files of its modules from the root on, as far as there are any.
    fn files(&self, workspace: &Path) -> Vec<PathBuf> {
        let mut files = vec![self.root.clone()];
        let mut folder = self.root.with_file_name("");
        for name in &self.path {
            folder.push(name);
            let candidates = [folder.with_extension("rs"), folder.join("mod.rs")];
            match candidates
                .into_iter()
                .find(|file| workspace.join(file).is_file())
            {
                Some(file) => files.push(file),
                None => break,
            }
        }
        files
    }
}

struct Search<'a> {
    root: &'a Path,
    read: BTreeMap<PathBuf, Rc<Names>>,
    found: BTreeSet<PathBuf>,
    open: Vec<Module>,
}

impl Search<'_> {
    fn names(&mut self, file: &Path) -> Rc<Names> {
        let path = self.root.join(file);
        let names = self.read.entry(file.to_owned());
        names.or_insert_with(|| Rc::new(Names::read(&path))).clone()
    }

    /// Adds the files of a module from the root on, and what they name to what is open.
    fn visit(&mut self, module: &Module) {
        let files = module.files(self.root);
        let last = files.len() - 1;
        for (place, file) in files.iter().enumerate() {
            let (above, below) = module.path.split_at(place);
            let here = Module::alone(&module.root).join(above);
            if ENDS.iter().any(|end| file.starts_with(end)) {
                if place == last {
                    if file != Path::new(LIST) {
                        self.found.insert(file.clone());
                    }
                    self.through(&here, file, below);
                }
                continue;
            }
            let names = self.names(file);
            if !names.is_list {
                if self.found.insert(file.clone()) {
                    self.follow(&here, file, &names);
                }
            } else if place == last && below.first().is_some_and(|name| name == "*") {
                let modules = names.modules.iter().map(|name| here.join(name));
                self.open.extend(modules);
            }
        }
    }

    /// What is named through a file that ends the search may be from elsewhere.
    fn through(&mut self, here: &Module, file: &Path, rest: &[String]) {
        let Some((name, below)) = rest.split_first() else {
            return;
        };
        let names = self.names(file);
        if let Some(path) = names.uses.get(name) {
            let whole = [path, below].concat();
            self.open
                .extend(self.absolute(here, &[], &whole, &BTreeMap::new()));
        }
    }

    fn follow(&mut self, here: &Module, file: &Path, names: &Names) {
        let modules = names.modules.iter().map(|name| here.join(name));
        self.open.extend(modules);
        for (inline, path) in &names.paths {
            self.open
                .extend(self.absolute(here, inline, path, &names.uses));
        }
        for text in &names.texts {
            let path = clean(&file.with_file_name("").join(text));
            if !self.root.join(&path).is_file() {
                continue;
            }
            match path.extension().is_some_and(|extension| extension == "rs") {
                true => self.open.push(Module::alone(&path)),
                false => _ = self.found.insert(path),
            }
        }
    }

    /// The module of a path that is written in another one; none if it is of a crate from elsewhere, or a name.
    fn absolute(
        &self,
        here: &Module,
        inline: &[String],
        path: &[String],
        uses: &BTreeMap<String, Vec<String>>,
    ) -> Option<Module> {
        let (first, rest) = path.split_first()?;
        let own = here.join(inline);
        match first.as_str() {
            "crate" => Some(Module::alone(&here.root).join(rest)),
            "self" => Some(own.join(rest)),
            "super" => {
                let above = path.iter().take_while(|name| *name == "super").count();
                let mut module = own;
                let left = module.path.len().saturating_sub(above);
                module.path.truncate(left);
                Some(module.join(&path[above..]))
            }
            other => {
                let member = other.strip_prefix("faultline_").unwrap_or_default();
                let root = Path::new(member).join("src/lib.rs");
                if !member.is_empty() && self.root.join(&root).is_file() {
                    return Some(Module::alone(&root).join(rest));
                }
                // A name that was brought in; each stands for others only.
                let mut others = uses.clone();
                let longer = others.remove(other)?;
                self.absolute(here, inline, &[&longer, rest].concat(), &others)
            }
        }
    }
}

/// A path without `..`.
fn clean(path: &Path) -> PathBuf {
    path.iter().fold(PathBuf::new(), |mut clean, name| {
        match name == ".." {
            true => _ = clean.pop(),
            false => clean.push(name),
        }
        clean
    })
}

/// What a file names.
#[derive(Default)]
struct Names {
    /// The modules `mod x;`, with those around them that are in the file.
    modules: Vec<Vec<String>>,
    /// Whether it has these and nothing else.
    is_list: bool,
    /// The paths, and the modules of the file in which they are.
    paths: Vec<(Vec<String>, Vec<String>)>,
    /// What `use` brings in, by name.
    uses: BTreeMap<String, Vec<String>>,
    /// The string literals.
    texts: Vec<String>,
}

impl Names {
    fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path);
        let text = text.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let tokens: TokenStream = text
            .parse()
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut names = Self::default();
        names.scan(tokens.clone(), &[]);
        names.is_list = !names.modules.is_empty() && is_list(tokens);
        names
    }

    fn scan(&mut self, tokens: TokenStream, inline: &[String]) {
        let tokens: Vec<_> = tokens.into_iter().collect();
        let mut rest = tokens.as_slice();
        while let Some((first, after)) = rest.split_first() {
            rest = after;
            match first {
                TokenTree::Ident(word) if word == "mod" => {
                    if let [TokenTree::Ident(name), body, ..] = rest {
                        let module = [inline, &[plain(name)]].concat();
                        match body {
                            TokenTree::Group(group) => self.scan(group.stream(), &module),
                            _ => self.modules.push(module),
                        }
                        rest = &rest[2..];
                    }
                }
                TokenTree::Ident(word) if word == "use" => {
                    let end = rest.iter().position(|token| is(token, ';'));
                    let (tree, after) = rest.split_at(end.unwrap_or(rest.len()));
                    self.tree(tree, &[], inline);
                    rest = after;
                }
                TokenTree::Ident(word) => {
                    let mut path = vec![plain(word)];
                    while let [colon, other, TokenTree::Ident(name), ..] = rest {
                        if !is(colon, ':') || !is(other, ':') {
                            break;
                        }
                        path.push(plain(name));
                        rest = &rest[3..];
                    }
                    if path.len() > 1 {
                        self.paths.push((inline.to_vec(), path));
                    }
                }
                TokenTree::Group(group) => self.scan(group.stream(), inline),
                TokenTree::Literal(literal) => {
                    let text = literal.to_string();
                    let text = text
                        .strip_prefix('"')
                        .and_then(|text| text.strip_suffix('"'));
                    self.texts.extend(text.map(str::to_owned));
                }
                TokenTree::Punct(_) => (),
            }
        }
    }

    /// The paths of a `use`.
    fn tree(&mut self, tokens: &[TokenTree], before: &[String], inline: &[String]) {
        for branch in tokens.split(|token| is(token, ',')) {
            let (mut path, mut name) = (before.to_vec(), None);
            let mut renamed = false;
            for token in branch {
                match token {
                    TokenTree::Ident(word) if word == "as" => renamed = true,
                    TokenTree::Ident(word) if renamed => name = Some(plain(word)),
                    TokenTree::Ident(word) if word == "self" && !path.is_empty() => (),
                    TokenTree::Ident(word) => path.push(plain(word)),
                    TokenTree::Group(group) => {
                        let inner: Vec<_> = group.stream().into_iter().collect();
                        self.tree(&inner, &path, inline);
                        path.clear();
                    }
                    token if is(token, '*') => path.push("*".to_owned()),
                    _ => (),
                }
            }
            if let Some(last) = path.last() {
                let name = name.unwrap_or_else(|| last.clone());
                self.uses.insert(name, path.clone());
                self.paths.push((inline.to_vec(), path));
            }
        }
    }
}

fn plain(word: &proc_macro2::Ident) -> String {
    word.to_string().trim_start_matches("r#").to_owned()
}

fn is(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign)
}

/// Whether a file has no item but `mod x;`.
fn is_list(tokens: TokenStream) -> bool {
    let tokens: Vec<_> = tokens.into_iter().collect();
    let mut words = Vec::new();
    for (place, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Ident(word) => words.push(plain(word)),
            // An attribute, or `pub(super)`.
            TokenTree::Group(group) => {
                let before = place.checked_sub(1).map(|place| &tokens[place]);
                let of_attribute = group.delimiter() == Delimiter::Bracket
                    && before.is_some_and(|token| is(token, '#') || is(token, '!'));
                let of_pub = matches!(before, Some(TokenTree::Ident(word)) if word == "pub");
                if !of_attribute && !of_pub {
                    return false;
                }
            }
            token if is(token, ';') => {
                let visible = words.first().is_some_and(|word| word == "pub");
                if !matches!(&words[usize::from(visible)..], [word, _] if word == "mod") {
                    return false;
                }
                words.clear();
            }
            token if is(token, '#') || is(token, '!') => (),
            _ => return false,
        }
    }
    words.is_empty()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a test that cannot go on panics

    use super::*;

    /// A workspace of these files; what the first one depends on.
    fn of(files: &[(&str, &str)]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let found = sources(folder.path(), &[files[0].0]);
        let mut found: Vec<_> = found
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        found.sort();
        found
    }

    const SIM: (&str, &str) = (
        "sim/src/lib.rs",
        "//! Models.\npub mod page;\npub mod sm;\n",
    );
    const SM: (&str, &str) = ("sim/src/sm.rs", "pub mod log;\npub mod queue;\n");

    #[test]
    fn of_a_list_the_modules_that_are_named_count() {
        let found = of(&[
            (
                "testbench/src/blocks/log.rs",
                "use faultline_sim::sm::log::Log;",
            ),
            ("testbench/src/lib.rs", "pub mod blocks;"),
            ("testbench/src/blocks.rs", "pub mod log;"),
            SIM,
            SM,
            (
                "sim/src/sm/log.rs",
                "use crate::page; mod interface; /// As crate::sm::queue.\nstruct Log;",
            ),
            (
                "sim/src/sm/log/interface.rs",
                "use super::{Log, Entry as Row};",
            ),
            ("sim/src/sm/queue.rs", "use super::log;"),
            ("sim/src/page.rs", "struct Page;"),
        ]);
        let expected = [
            "sim/src/page.rs",
            "sim/src/sm/log.rs",
            "sim/src/sm/log/interface.rs",
            "testbench/src/blocks/log.rs",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn each_way_to_name_a_module_counts() {
        for text in [
            "use crate::sm::{self, queue::{Entry, Queue}};",
            "use crate::sm; type Q = sm::queue::Queue;",
            "use crate::sm as models; use models::queue as q;",
            "use super::queue;",
            "use super::*;",
            "fn f(queue: super::queue::Queue) {}",
            "mod tests { use super::super::queue; }",
            "macro_rules! m { () => { $crate::sm::queue::Queue } }",
            "const A: &[u8] = include_bytes!(\"queue.rs\");",
            "mod own { pub use super::super::queue::Queue; }",
            "type Q = <Log as crate::sm::queue::Of>::Queue;",
        ] {
            let found = of(&[
                ("sim/src/sm/log.rs", text),
                SIM,
                SM,
                ("sim/src/sm/queue.rs", ""),
                ("sim/src/page.rs", ""),
            ]);
            let queue = "sim/src/sm/queue.rs".to_owned();
            assert!(found.contains(&queue), "{text}: {found:?}");
            assert!(!found.contains(&"sim/src/page.rs".to_owned()), "{text}");
        }
    }

    #[test]
    fn the_modules_and_files_of_a_test_count_and_no_other_test() {
        let found = of(&[
            (
                "cli/tests/kit/tools.rs",
                "use crate::made::kits; const SIZES: &str = \"../../sizes.py\";",
            ),
            ("cli/tests/kit/main.rs", "mod made;\nmod tools;\nmod other;"),
            ("cli/tests/kit/made.rs", "mod common;\nfn kits() {}"),
            ("cli/tests/kit/made/common/mod.rs", ""),
            ("cli/tests/kit/other.rs", ""),
            ("cli/sizes.py", ""),
        ]);
        let expected = [
            "cli/sizes.py",
            "cli/tests/kit/made.rs",
            "cli/tests/kit/made/common/mod.rs",
            "cli/tests/kit/tools.rs",
        ];
        assert_eq!(found, expected);
        let found = of(&[
            ("cli/tests/power.rs", "mod common;"),
            ("cli/tests/common/mod.rs", ""),
            ("cli/tests/gmmu.rs", "mod common;"),
        ]);
        assert_eq!(found, ["cli/tests/common/mod.rs", "cli/tests/power.rs"]);
    }

    #[test]
    fn the_list_of_all_designs_does_not_count() {
        let found = of(&[
            (
                "testbench/tests/walk.rs",
                "use faultline_hw::{part::Part, registry::designs};",
            ),
            ("hw/src/lib.rs", "pub mod part; pub mod registry;"),
            ("hw/src/part.rs", ""),
            ("hw/src/registry.rs", ""),
        ]);
        assert_eq!(found, ["hw/src/part.rs", "testbench/tests/walk.rs"]);
    }

    #[test]
    fn a_table_of_blocks_counts_and_gives_on_what_is_named_through_it() {
        let found = of(&[
            (
                "testbench/tests/walk.rs",
                "use faultline_testbench::blocks::{self, Log};",
            ),
            ("testbench/src/lib.rs", "pub mod blocks;"),
            (
                "testbench/src/blocks.rs",
                "pub mod log; pub use faultline_sim::sm::log::Log; pub use faultline_sim::sm::queue::Queue;",
            ),
            SIM,
            SM,
            ("sim/src/sm/log.rs", ""),
            ("sim/src/sm/queue.rs", ""),
        ]);
        let expected = [
            "sim/src/sm/log.rs",
            "testbench/src/blocks.rs",
            "testbench/tests/walk.rs",
        ];
        assert_eq!(found, expected);
    }
}
