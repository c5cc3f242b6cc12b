//! The syntax tree. Registers, labels, variables and functions are numbers.

use std::ops::Range;

use super::words::{Kind, Modifier, Modifiers, Opcode, Space, Special, Type};

/// A file of PTX (PTX ISA 4.1, 11.1).
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// Major and minor number of the ISA.
    pub version: (u32, u32),
    /// The architecture, such as `sm_35`.
    pub target: String,
    /// Bits of an address, 32 or 64.
    pub address_bits: u32,
    /// Variables of the module in global, constant and shared memory.
    pub variables: Vec<Variable>,
    /// The texture references.
    pub textures: Vec<Texture>,
    /// Kernels and device functions, in the order of their first declaration.
    pub functions: Vec<Function>,
    /// Statements that are well formed and not supported, in the order of their lines.
    pub unsupported: Vec<Unsupported>,
}

impl Module {
    /// The variable that a symbol names in a function.
    #[must_use]
    pub fn variable<'tree>(
        &'tree self,
        function: &'tree Function,
        symbol: Symbol,
    ) -> Option<&'tree Variable> {
        match symbol {
            Symbol::Module(number) => self.variables.get(number),
            Symbol::Function(number) => function.variables.get(number),
        }
    }
}

/// A statement that is well formed and not supported. It is no part of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// Its line.
    pub line: u32,
    /// The statement.
    pub text: String,
    /// What is not supported.
    pub reason: String,
    /// The function that it stands in.
    pub function: Option<usize>,
}

/// A variable or parameter (PTX ISA 5.4).
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// The line of its declaration.
    pub line: u32,
    /// Its name.
    pub name: String,
    /// Where it lies.
    pub space: Space,
    /// The type of an element.
    pub ty: Type,
    /// Its size in bytes; 0 for an array whose size the launch or another module gives.
    pub bytes: u64,
    /// Its alignment in bytes.
    pub align: u32,
    /// Its first bytes, in little-endian order; zeros follow. Without an initializer they are undefined but in global and
    /// constant memory, which PTX initializes to zero.
    pub initial: Option<Vec<u8>>,
    /// It is declared here and defined elsewhere; in shared memory the launch gives its size.
    pub is_extern: bool,
}

/// A texture reference (PTX ISA 5.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texture {
    /// The line of its declaration.
    pub line: u32,
    /// Its name.
    pub name: String,
}

/// A kernel or a device function (PTX ISA 5.1.6, 11.2).
#[derive(Clone, Debug, Default)]
pub struct Function {
    /// The line of its name.
    pub line: u32,
    /// Its name.
    pub name: String,
    /// It is a kernel.
    pub is_entry: bool,
    /// It has a body here.
    pub is_defined: bool,
    /// Results, then parameters, then all other variables of the function.
    pub variables: Vec<Variable>,
    /// How many of the variables are results.
    pub results: usize,
    /// How many of the variables are parameters.
    pub parameters: usize,
    /// The types of the registers. Each declaration makes registers of its own, also in nested scopes.
    pub registers: Vec<Type>,
    /// The labels.
    pub labels: Vec<Label>,
    /// The instructions.
    pub body: Vec<Instruction>,
    /// Performance directives (PTX ISA 11.4) with their numbers, such as `maxntid`.
    pub performance: Vec<(String, Vec<u64>)>,
}

impl Function {
    /// Its results.
    #[must_use]
    pub fn results(&self) -> &[Variable] {
        self.part(0..self.results)
    }

    /// Its parameters.
    #[must_use]
    pub fn parameters(&self) -> &[Variable] {
        self.part(self.results..self.results + self.parameters)
    }

    fn part(&self, range: Range<usize>) -> &[Variable] {
        self.variables.get(range).unwrap_or_default()
    }
}

/// A label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Its line.
    pub line: u32,
    /// Its name.
    pub name: String,
    /// The instruction that follows; the number of instructions at the end of the body.
    pub target: usize,
}

/// An instruction (PTX ISA 9).
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    /// Its line.
    pub line: u32,
    /// The predicate register without which it does nothing, and whether it is negated.
    pub guard: Option<(Register, bool)>,
    /// What it does.
    pub opcode: Opcode,
    /// Its type. Of two types it is that of the destination.
    pub ty: Option<Type>,
    /// The second type of `cvt`, `set`, `slct` and `tex`: that of the source, of the comparison or of the coordinates.
    pub second: Option<Type>,
    /// Where memory is accessed; generic also where there is no access.
    pub space: Space,
    /// Its modifiers.
    pub modifiers: Modifiers,
    /// Destinations, then sources. A vector is one operand.
    pub operands: Vec<Operand>,
}

/// A register's number in [`Function::registers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Register(pub u32);

/// A variable's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// In [`Module::variables`].
    Module(usize),
    /// In [`Function::variables`].
    Function(usize),
}

/// What an address counts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// A register.
    Register(Register),
    /// A variable.
    Symbol(Symbol),
    /// Zero.
    Zero,
}

/// An operand (PTX ISA 6).
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A register.
    Register(Register),
    /// A predicate register whose value is negated.
    Not(Register),
    /// The bits of a number in the type of the operand.
    Immediate(u64),
    /// A special register.
    Special(Special),
    /// The address of a variable, with an offset, in the variable's state space.
    AddressOf(Symbol, i64),
    /// A place in memory: a base and an offset.
    Memory(Base, i64),
    /// The elements of a vector, or the two destinations of `setp` or `shfl`.
    Vector(Vec<Operand>),
    /// `_`: a result that is dropped.
    Sink,
    /// A texture in [`Module::textures`], and its coordinates.
    Texture(usize, Vec<Operand>),
    /// A label in [`Function::labels`].
    Label(usize),
    /// A variable that a call passes.
    Variable(Symbol),
    /// The function of a call, in [`Module::functions`].
    Function(usize),
}

impl Instruction {
    /// Elements of the vector that it loads or stores; 1 without a vector.
    #[must_use]
    pub fn elements(&self) -> u32 {
        match self.modifiers.among(&[Modifier::V2, Modifier::V4]) {
            Some(Modifier::V2) => 2,
            Some(_) => 4,
            None => 1,
        }
    }

    /// Its class.
    #[must_use]
    pub fn class(&self) -> Class {
        match self.opcode {
            Opcode::Ld => Class::Load(self.space),
            Opcode::St => Class::Store(self.space),
            Opcode::Atom | Opcode::Red => Class::Atomic(self.space),
            Opcode::Tex => Class::Texture,
            Opcode::Bar | Opcode::Membar => Class::Barrier,
            Opcode::Bra | Opcode::Call | Opcode::Ret | Opcode::Exit => Class::Control,
            Opcode::Mov | Opcode::Cvta => Class::Move,
            Opcode::Cvt => Class::Conversion,
            Opcode::Rcp | Opcode::Sqrt | Opcode::Rsqrt => Class::Special,
            Opcode::Ex2 | Opcode::Lg2 | Opcode::Sin | Opcode::Cos => Class::Special,
            Opcode::Vote | Opcode::Shfl => Class::Lanes,
            // A comparison is of the type that it compares.
            Opcode::Set => Class::of(self.second),
            _ => Class::of(self.ty),
        }
    }
}

/// What an instruction occupies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// A load from a state space.
    Load(Space),
    /// A store to one.
    Store(Space),
    /// A read and a write at once.
    Atomic(Space),
    /// A texture fetch.
    Texture,
    /// Integer, logic and predicate arithmetic.
    Integer,
    /// Arithmetic of 32-bit floats.
    Single,
    /// Arithmetic of 64-bit floats.
    Double,
    /// Reciprocals, roots, powers and angles.
    Special,
    /// Votes and shuffles, which read other lanes.
    Lanes,
    /// Moves and addresses.
    Move,
    /// Conversions between types.
    Conversion,
    /// Branches, calls and ends.
    Control,
    /// Barriers and fences.
    Barrier,
}

impl Class {
    fn of(ty: Option<Type>) -> Self {
        match ty {
            Some(ty) if ty.kind() == Kind::Float && ty.bits() == 32 => Self::Single,
            Some(ty) if ty.kind() == Kind::Float => Self::Double,
            _ => Self::Integer,
        }
    }
}

impl std::fmt::Display for Class {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Load(space) => write!(formatter, "{space} load"),
            Self::Store(space) => write!(formatter, "{space} store"),
            Self::Atomic(space) => write!(formatter, "{space} atomic"),
            Self::Texture => formatter.write_str("texture"),
            Self::Integer => formatter.write_str("integer"),
            Self::Single => formatter.write_str("f32"),
            Self::Double => formatter.write_str("f64"),
            Self::Special => formatter.write_str("special function"),
            Self::Lanes => formatter.write_str("vote and shuffle"),
            Self::Move => formatter.write_str("move"),
            Self::Conversion => formatter.write_str("conversion"),
            Self::Control => formatter.write_str("control"),
            Self::Barrier => formatter.write_str("barrier"),
        }
    }
}
