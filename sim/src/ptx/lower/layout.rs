//! Where variables lie.

use std::collections::HashMap;

use super::{Bindings, LowerError};
use crate::ptx::module::{Module, Symbol, Variable};
use crate::ptx::words::{Space, Type};

/// Where the module's variables in global memory begin.
pub const GLOBAL_VARIABLES: u64 = 0x6000_0000_0000;
/// A variable in global memory begins at a multiple of it.
const GLOBAL_ALIGN: u64 = 256;
/// Bytes of constant memory, with the parameters (CUDA C Programming Guide, technical specifications).
const MOST_CONSTANTS: u64 = (64 << 10) + 4096;

/// Bytes of a variable in shared memory, of local memory of a thread, and of a variable in global memory.
const MOST_SHARED: u64 = 1 << 20;
const MOST_LOCAL: u64 = 512 << 10;
const MOST_GLOBAL: u64 = 4 << 30;

/// Bytes of the part of the generic addresses in which a state space that is not global lies.
pub const WINDOW: u64 = 1 << 24;

/// Where a state space lies in the generic addresses (PTX ISA 5.1, `cvta`): no address in a window is null, and none of global
/// memory is in one.
pub const fn window(space: Space) -> u64 {
    match space {
        Space::Shared => WINDOW,
        Space::Local => 2 * WINDOW,
        Space::Const => 3 * WINDOW,
        Space::Generic | Space::Global | Space::Param => 0,
    }
}

/// The state space whose window an address is in, if it is in one.
#[must_use]
pub fn window_of(address: u64) -> Option<Space> {
    let spaces = [Space::Shared, Space::Local, Space::Const];
    let is_inside = |&space: &Space| {
        address
            .checked_sub(window(space))
            .is_some_and(|at| at < WINDOW)
    };
    spaces.into_iter().find(is_inside)
}

/// An array that a texture shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Textured {
    /// Its address in global memory.
    pub address: u64,
    /// The type of a channel.
    pub ty: Type,
    /// Channels of an element, 1 to 4.
    pub channels: u32,
    /// Elements of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Coordinates run from 0 to 1.
    pub is_normalized: bool,
}

/// A memory that is filled from its beginning.
#[derive(Clone, Debug, Default)]
struct Filled(Vec<u8>);

impl Filled {
    /// Puts bytes at the next multiple of an alignment; zeros follow up to their size.
    fn put(&mut self, bytes: &[u8], size: u64, align: u64) -> u64 {
        let at = (self.0.len() as u64).next_multiple_of(align.max(1));
        self.0.resize(at as usize, 0);
        self.0.extend(bytes);
        self.0.resize((at + size) as usize, 0);
        at
    }
}

/// The places of all variables that are named.
#[derive(Clone, Debug)]
pub struct Layout<'tree> {
    bindings: &'tree Bindings,
    constants: Filled,
    globals: Filled,
    shared: u64,
    local: u64,
    /// Variables of the module, and variables in shared memory of functions, by function.
    known: HashMap<(Option<usize>, usize), u64>,
    /// Shared memory whose size the launch gives is named.
    is_dynamic: bool,
    /// The alignment of that memory.
    dynamic_align: u64,
}

impl<'tree> Layout<'tree> {
    /// # Errors
    /// If a symbol or a texture has no name in the module.
    pub fn new(module: &'tree Module, bindings: &'tree Bindings) -> Result<Self, LowerError> {
        for (name, bytes) in &bindings.symbols {
            let mut variables = module.variables.iter();
            let variable = variables.find(|variable| variable.name == *name);
            let variable = variable
                .ok_or_else(|| LowerError::of(format!("there is no variable {name} to be set")))?;
            if bytes.len() as u64 > variable.bytes {
                let (has, bytes) = (variable.bytes, bytes.len());
                return Err(LowerError::at(
                    variable.line,
                    format!("{name} has {has} bytes, and the launch sets {bytes}"),
                ));
            }
        }
        for (name, _) in &bindings.textures {
            if !module.textures.iter().any(|texture| texture.name == *name) {
                return Err(LowerError::of(format!(
                    "there is no texture reference {name} to be bound"
                )));
            }
        }
        let mut layout = Self {
            bindings,
            constants: Filled::default(),
            globals: Filled::default(),
            shared: 0,
            local: 0,
            known: HashMap::new(),
            is_dynamic: false,
            dynamic_align: 16,
        };
        // Those in global memory lie at the same places for all kernels of the module.
        for (number, variable) in module.variables.iter().enumerate() {
            if variable.space == Space::Global && !variable.is_extern {
                layout.address(0, Symbol::Module(number), variable)?;
            }
        }
        Ok(layout)
    }

    /// Puts the kernel's parameters into constant memory; gives their addresses.
    ///
    /// # Errors
    /// If the launch has another number of them, or one of another size.
    pub fn parameters(
        &mut self,
        line: u32,
        parameters: &[Variable],
    ) -> Result<Vec<u64>, LowerError> {
        let values = &self.bindings.parameters;
        if values.len() != parameters.len() {
            let (takes, has) = (parameters.len(), values.len());
            return Err(LowerError::at(
                line,
                format!("the kernel has {takes} parameters, and the launch gives {has}"),
            ));
        }
        let mut places = Vec::new();
        for (parameter, value) in parameters.iter().zip(values) {
            if value.len() as u64 != parameter.bytes {
                let Variable {
                    line, name, bytes, ..
                } = parameter;
                return Err(LowerError::at(
                    *line,
                    format!(
                        "{name} has {bytes} bytes, and the launch gives {}",
                        value.len()
                    ),
                ));
            }
            let align = u64::from(parameter.align);
            places.push(self.constants.put(value, parameter.bytes, align));
        }
        Ok(places)
    }

    /// The bytes of constant memory from an address on.
    pub fn constant(&self, address: u64, bytes: usize) -> Option<&[u8]> {
        let start = address as usize;
        self.constants.0.get(start..start.checked_add(bytes)?)
    }

    /// The address of a variable of the module or in shared memory.
    ///
    /// # Errors
    /// If it is defined elsewhere, or there is no room.
    pub fn address(
        &mut self,
        function: usize,
        symbol: Symbol,
        variable: &Variable,
    ) -> Result<u64, LowerError> {
        let key = match symbol {
            Symbol::Module(number) => (None, number),
            Symbol::Function(number) => (Some(function), number),
        };
        if let Some(address) = self.known.get(&key) {
            return Ok(*address);
        }
        let Variable {
            name, line, bytes, ..
        } = variable;
        let align = u64::from(variable.align);
        let is_dynamic = variable.space == Space::Shared && (variable.is_extern || *bytes == 0);
        if variable.is_extern && !is_dynamic {
            return Err(LowerError::at(
                *line,
                format!("{name} is defined in another module; link the modules first"),
            ));
        }
        let most = match variable.space {
            Space::Const => MOST_CONSTANTS,
            Space::Shared => MOST_SHARED,
            _ => MOST_GLOBAL,
        };
        if *bytes > most || self.shared + bytes > MOST_GLOBAL {
            return Err(LowerError::at(
                *line,
                format!("{name} has {bytes} bytes, and at most {most} are possible"),
            ));
        }
        let set = self
            .bindings
            .symbols
            .iter()
            .find(|(known, _)| known == name);
        let initial = set
            .map(|(_, bytes)| bytes.as_slice())
            .or(variable.initial.as_deref())
            .unwrap_or_default();
        let address = match variable.space {
            Space::Const => self.constants.put(initial, *bytes, align),
            Space::Shared if is_dynamic => {
                self.is_dynamic = true;
                self.dynamic_align = self.dynamic_align.max(align);
                DYNAMIC
            }
            Space::Shared => {
                let at = self.shared.next_multiple_of(align.max(1));
                self.shared = at + bytes;
                at
            }
            _ => GLOBAL_VARIABLES + self.globals.put(initial, *bytes, align.max(GLOBAL_ALIGN)),
        };
        if self.constants.0.len() as u64 > MOST_CONSTANTS {
            return Err(LowerError::at(
                *line,
                format!("constant memory has no room for {name}; it has 64 KB"),
            ));
        }
        self.known.insert(key, address);
        Ok(address)
    }

    /// Room in the local memory of a thread.
    ///
    /// # Errors
    /// If there is none.
    pub fn local(&mut self, variable: &Variable) -> Result<u64, LowerError> {
        let at = self
            .local
            .next_multiple_of(u64::from(variable.align.max(1)));
        self.local = at + variable.bytes;
        match self.local <= MOST_LOCAL {
            true => Ok(at),
            false => Err(LowerError::at(
                variable.line,
                format!(
                    "a thread has more than {MOST_LOCAL} bytes of local memory with {}",
                    variable.name
                ),
            )),
        }
    }

    /// What a texture is bound to.
    pub fn texture(&self, name: &str) -> Option<Textured> {
        let mut textures = self.bindings.textures.iter();
        textures
            .find(|(known, _)| known == name)
            .map(|(_, textured)| *textured)
    }

    /// Where shared memory whose size the launch gives begins: behind all other.
    pub fn dynamic(&self) -> u64 {
        self.shared.next_multiple_of(self.dynamic_align)
    }

    pub fn constants(&self) -> Vec<u8> {
        self.constants.0.clone()
    }

    pub fn variables(&self) -> Vec<u8> {
        self.globals.0.clone()
    }

    pub fn local_bytes(&self) -> u32 {
        self.local as u32
    }

    pub fn shared_bytes(&self) -> u32 {
        let dynamic = self.bindings.dynamic_shared;
        match self.is_dynamic || dynamic > 0 {
            true => self.dynamic() as u32 + dynamic,
            false => self.shared as u32,
        }
    }
}

/// Stands for the address of shared memory whose size the launch gives, until all other is known.
pub const DYNAMIC: u64 = 1 << 48;
