//! From a kernel in PTX to a program of [`simt`](crate::simt).
//!
//! Functions that are called are inlined. A register of PTX is one of the program, of 32 bits a lane if it holds less, such as
//! a predicate. Parameters are known, so they are constants of the program.
//!
//! What hardware does otherwise: a vector access is an access for each of its elements; a fence is nothing, for a warp
//! accesses memory in its order; an instruction under a guard that is no branch stands behind a branch.

mod booleans;
mod carry;
mod code;
mod frame;
mod lanes;
mod layout;
mod memory;
mod registers;
mod spaces;
#[cfg(test)]
mod tests;
mod texture;
mod tidy;
mod translate;
mod variants;

use thiserror::Error;

pub use layout::{GLOBAL_VARIABLES, Textured, window_of};
pub use registers::Order;

use super::module::{Function, Module, Operand, Texture};
use super::words::Type;
use crate::simt::{Program, ProgramError};
use frame::Lowering;
use layout::Layout;

/// Why a kernel cannot be lowered, without its file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{what}")]
pub struct LowerError {
    /// The line in the file, if it is one's fault.
    pub line: Option<u32>,
    /// What is wrong, and what to do.
    pub what: String,
}

impl LowerError {
    pub(super) fn at(line: u32, what: impl Into<String>) -> Self {
        Self {
            line: Some(line),
            what: what.into(),
        }
    }

    fn of(what: impl Into<String>) -> Self {
        Self {
            line: None,
            what: what.into(),
        }
    }
}

/// What a launch says of a kernel.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    /// The bytes of each parameter.
    pub parameters: Vec<Vec<u8>>,
    /// The contents of variables of the module, by name; zeros follow.
    pub symbols: Vec<(String, Vec<u8>)>,
    /// What textures are bound to, by name.
    pub textures: Vec<(String, Textured)>,
    /// Bytes of shared memory besides what the kernel declares.
    pub dynamic_shared: u32,
}

/// What back ends do differently. The kernel's results are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Which of the free registers is taken.
    pub order: Order,
    /// Loads of a block stand as early in it as they can, if there are registers enough for what they read.
    pub hoists: bool,
    /// Accesses have no offsets: each address is computed in a register of its own.
    pub without_offsets: bool,
}

impl Options {
    /// A kernel in the ways that are compared: as it is, and with each option changed alone.
    pub const COMPARED: [(&'static str, Self); 4] = {
        let plain = Self {
            order: Order::Lowest,
            hoists: false,
            without_offsets: false,
        };
        [
            ("as compiled", plain),
            (
                "oldest register",
                Self {
                    order: Order::Oldest,
                    ..plain
                },
            ),
            (
                "loads hoisted",
                Self {
                    hoists: true,
                    ..plain
                },
            ),
            (
                "no offsets",
                Self {
                    without_offsets: true,
                    ..plain
                },
            ),
        ]
    };
}

/// A kernel as a program.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The program. Its constant memory holds the parameters, and then the module's constants.
    pub program: Program,
    /// The line of each of its instructions.
    pub lines: Vec<u32>,
    /// Bytes of shared memory of a thread block.
    pub shared: u32,
    /// Bytes of local memory of a thread.
    pub local: u32,
    /// The module's variables in global memory, which begin at [`GLOBAL_VARIABLES`].
    pub variables: Vec<u8>,
}

/// The kernel of a name, or the only one.
///
/// # Errors
/// If there is none, or more than one without a name.
pub fn entry<'tree>(
    module: &'tree Module,
    name: Option<&str>,
) -> Result<(usize, &'tree Function), LowerError> {
    let entries = || {
        let all = module.functions.iter().enumerate();
        all.filter(|(_, function)| function.is_entry && function.is_defined)
    };
    let names = || -> Vec<_> { entries().map(|(_, function)| &*function.name).collect() };
    match name {
        Some(name) => entries()
            .find(|(_, function)| function.name == name)
            .ok_or_else(|| {
                LowerError::of(format!(
                    "there is no kernel {name}; there are: {}",
                    names().join(", ")
                ))
            }),
        None => match (entries().next(), names().len()) {
            (Some(only), 1) => Ok(only),
            (None, _) => Err(LowerError::of("there is no kernel in the file")),
            (Some(_), _) => Err(LowerError::of(format!(
                "the file has several kernels; name one of them: {}",
                names().join(", ")
            ))),
        },
    }
}

/// What keeps a kernel from being lowered whatever the launch: the line, and what is wrong. Of a kernel with statements that
/// are not [supported](Module::unsupported) nothing more is said.
pub(super) fn obstacle(module: &Module, kernel: usize) -> Option<(u32, String)> {
    let function = module.functions.get(kernel)?;
    let bound = |texture: &Texture, ty| {
        let texture_of = Textured {
            address: 0,
            ty,
            channels: 1,
            width: 1,
            height: 1,
            is_normalized: false,
        };
        (texture.name.clone(), texture_of)
    };
    let fetched = |place| {
        let all = module.functions.iter().flat_map(|function| &function.body);
        let mut all = all.filter(|instruction| {
            let named = instruction.operands.iter();
            named
                .into_iter()
                .any(|operand| matches!(operand, Operand::Texture(number, _) if *number == place))
        });
        all.next().and_then(|fetch| fetch.ty)
    };
    let textures = module.textures.iter().enumerate();
    let bindings = Bindings {
        parameters: function
            .parameters()
            .iter()
            .map(|parameter| vec![0; parameter.bytes as usize])
            .collect(),
        textures: textures
            .map(|(place, texture)| bound(texture, fetched(place).unwrap_or(Type::F32)))
            .collect(),
        ..Bindings::default()
    };
    let error = lower(module, kernel, &bindings, Options::default()).err()?;
    Some((error.line.unwrap_or(function.line), error.what))
}

/// Lowers a kernel, by its number in [`Module::functions`].
///
/// # Errors
/// If the kernel, or a function that it calls, holds what is not supported, or needs more registers than there are.
pub fn lower(
    module: &Module,
    kernel: usize,
    bindings: &Bindings,
    options: Options,
) -> Result<Lowered, LowerError> {
    let mut lowering = Lowering::new(module, Layout::new(module, bindings)?);
    lowering.kernel(kernel)?;
    let (mut code, layout) = lowering.ended();
    spaces::resolve(&mut code)?;
    booleans::keep(&mut code);
    tidy::tidy(&mut code);
    if options.without_offsets {
        variants::without_offsets(&mut code);
    }
    let mut given = registers::given(&code, options.order);
    if options.hoists {
        let mut hoisted = code.clone();
        variants::hoist(&mut hoisted);
        // Values that come early are alive for longer.
        if let Ok(enough) = registers::given(&hoisted, options.order) {
            (code, given) = (hoisted, Ok(enough));
        }
    }
    let given = given?;
    let lines = code.lines.iter().map(|line| line.number).collect();
    let program =
        Program::new(registers::allocated(&code, &given)).map_err(|error: ProgramError| {
            LowerError::of(format!("the kernel is no program: {error}"))
        })?;
    Ok(Lowered {
        program: program
            .with_constants(layout.constants())
            .with_narrow(given.narrow),
        lines,
        shared: layout.shared_bytes(),
        local: layout.local_bytes(),
        variables: layout.variables(),
    })
}
