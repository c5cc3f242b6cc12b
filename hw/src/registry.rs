//! The designs that are exported: every block at every size that is measured, and at the small size that is proved.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::ports::Hardware;
use crate::primitives::memory::MemoryUse;
use crate::verilog::{self, ExportError, Port};

/// What a design is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// The size that is meant where the block alone is named: the paper's, or a smaller one that is quicker to run.
    Default,
    /// It is given to flows as a whole.
    Top,
    /// A kit is made for it where none is named, as for the tops.
    Kit,
    /// It is small enough for proofs.
    Proof,
    /// Rules are tried in it; what it costs is of no interest.
    Trial,
    /// It takes minutes to compile when it is Verilated, which is only done where it is asked for.
    Large,
    /// It is much like another one, and exported only where it is named.
    Alike,
}

/// A block at one size.
pub struct Design {
    /// Module name and file stem, such as `replay_queue_64`.
    pub name: &'static str,
    /// The block, such as `replay_queue`.
    pub block: &'static str,
    /// The size, such as `64`.
    pub config: &'static str,
    /// What it is for.
    pub tags: &'static [Tag],
    /// Makes one, ready to be simulated.
    pub build: fn() -> Box<dyn Hardware>,
}

impl Design {
    /// Whether the design has this tag.
    #[must_use]
    pub fn is(&self, tag: Tag) -> bool {
        self.tags.contains(&tag)
    }

    /// Whether its cost is of interest: not that of a size for proofs, or of one in which rules are tried.
    #[must_use]
    pub fn is_measured(&self) -> bool {
        !self.is(Tag::Proof) && !self.is(Tag::Trial)
    }
}

/// A file of one module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its folder: the block that it belongs to, `primitives` or `memories`.
    pub folder: String,
    /// Its name, such as `replay_queue_64.v`.
    pub name: String,
    /// Its text.
    pub text: String,
}

impl Export {
    /// The files one after the other, as one text.
    pub fn verilog(&self) -> String {
        self.files
            .iter()
            .map(|file| file.text.as_str())
            .collect::<Vec<_>>()
            .join("\n")
    }
}

/// A design as Verilog.
#[derive(Clone, Debug)]
pub struct Export {
    /// Name of the top module.
    pub name: String,
    /// The top module and every module below it, in files of their own.
    pub files: Vec<File>,
    /// Ports of the top module, the clock among them.
    pub ports: Vec<Port>,
    /// Memories inside that a flow may swap for macros.
    pub memories: Vec<MemoryUse>,
}

impl File {
    /// Its path in `rtl-out`, such as `replay_queue/replay_queue_64.v`.
    #[must_use]
    pub fn path(&self) -> String {
        format!("{}/{}", self.folder, self.name)
    }

    fn of(module: verilog::Module, top: Option<&Known>) -> Self {
        let folder = match module.family {
            Some(block) => block,
            None if is_memory(&module.name) => "memories".to_owned(),
            None => "primitives".to_owned(),
        };
        let of = match top {
            Some(top) => format!(
                "// Block {0}, configuration {1}; its page is docs/blocks/{0}.md.\n",
                top.block, top.config
            ),
            None => String::new(),
        };
        Self {
            folder,
            text: format!("{BANNER}{of}\n{}", module.text),
            name: module.name + ".v",
        }
    }
}

/// A memory, for which a flow may take a macro, or several of them side by side.
fn is_memory(module: &str) -> bool {
    module.starts_with("sram_") || module.starts_with("memory_")
}

/// The modules of designs, and the ports of each. What a module is called depends on all of them.
type Library = LazyLock<Result<Modules, ExportError>>;

/// Of the designs that are exported where none is named.
static COMMON: Library = LazyLock::new(|| {
    let mut designs = designs();
    designs.retain(|design| !design.is(Tag::Alike));
    Modules::of(&designs)
});

/// Of all designs. Those that are much like another one are large, so they are translated only where one of them is asked for, and
/// they come last, so that no other module is named after them.
static ALL: Library = LazyLock::new(|| {
    let mut designs = designs();
    designs.sort_by_key(|design| design.is(Tag::Alike));
    Modules::of(&designs)
});

#[derive(Default)]
struct Modules {
    library: verilog::Library,
    designs: BTreeMap<&'static str, Known>,
}

/// What is known of a design whose modules are in the library.
struct Known {
    block: &'static str,
    config: &'static str,
    ports: Vec<Port>,
    memories: Vec<MemoryUse>,
}

impl Modules {
    fn of(designs: &[Design]) -> Result<Self, ExportError> {
        let mut modules = Self::default();
        for design in designs {
            let block = (design.build)();
            let ports = modules.library.add(block.as_ref(), design.name)?;
            let (block, config, memories) = (design.block, design.config, block.memories());
            let known = Known {
                block,
                config,
                ports,
                memories,
            };
            modules.designs.insert(design.name, known);
        }
        Ok(modules)
    }
}

/// The first lines of every file.
const BANNER: &str = concat!(
    "// Generated by Faultline ",
    env!("CARGO_PKG_VERSION"),
    " (faultline export); do not edit. MIT OR Apache-2.0.\n"
);

impl Design {
    /// Exports the design.
    ///
    /// # Errors
    /// If its kernel uses something whose meaning Verilog does not share.
    pub fn export(&self) -> Result<Export, ExportError> {
        let library = if self.is(Tag::Alike) { &ALL } else { &COMMON };
        let of_registry = library.as_ref().map_err(Clone::clone)?;
        let own; // the modules of a design that is not in the registry
        let modules = match of_registry.designs.contains_key(self.name) {
            true => of_registry,
            false => {
                own = Modules::of(std::slice::from_ref(self))?;
                &own
            }
        };
        let (ports, memories) = match modules.designs.get(self.name) {
            Some(known) => (known.ports.clone(), known.memories.clone()),
            None => Default::default(),
        };
        let files = modules.library.modules(self.name);
        Ok(Export {
            name: self.name.to_owned(),
            files: files
                .into_iter()
                .map(|module| {
                    let top = modules.designs.get(module.name.as_str());
                    File::of(module, top)
                })
                .collect(),
            ports,
            memories,
        })
    }
}

/// Every design, block after block.
#[must_use]
pub fn designs() -> Vec<Design> {
    crate::designs::all()
}
