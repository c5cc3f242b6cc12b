//! What is in a file of PTX.

use std::collections::BTreeMap;

use serde::Serialize;

use super::lower::obstacle;
use super::module::{Class, Function, Module, Operand, Symbol, Variable};
use super::words::{Opcode, Space, Type};

/// What is in a file.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Its version of the ISA.
    pub version: String,
    /// Its architecture.
    pub target: String,
    /// Its kernels, then its device functions with a body.
    pub kernels: Vec<KernelSummary>,
    /// What is not supported: statements, or else what keeps a kernel from being a program, such as a recursion.
    pub unsupported: Vec<UnsupportedSummary>,
}

/// A kernel or a device function.
#[derive(Clone, Debug, Serialize)]
pub struct KernelSummary {
    /// Its name.
    pub name: String,
    /// The line of its name.
    pub line: u32,
    /// It is a kernel.
    pub is_kernel: bool,
    /// Its parameters.
    pub parameters: Vec<ParameterSummary>,
    /// Registers that are declared, by type.
    pub registers: BTreeMap<Type, u64>,
    /// Bytes of shared memory that it declares, and of the module's that it names.
    pub shared_bytes: u64,
    /// It names shared memory whose size the launch gives.
    pub has_dynamic_shared: bool,
    /// Bytes of local memory a thread.
    pub local_bytes: u64,
    /// Bytes of the module's constant memory that it names.
    pub const_bytes: u64,
    /// Instructions.
    pub instructions: u64,
    /// Instructions by class.
    pub classes: BTreeMap<String, u64>,
    /// Branches.
    pub branches: u64,
    /// Branches with a guard.
    pub guarded_branches: u64,
    /// Instructions with a guard that are no branches.
    pub guarded_others: u64,
    /// Performance directives.
    pub performance: Vec<(String, Vec<u64>)>,
    /// Statements in it that are not supported.
    pub unsupported: u64,
}

/// A parameter.
#[derive(Clone, Debug, Serialize)]
pub struct ParameterSummary {
    /// Its name.
    pub name: String,
    /// The type of its elements.
    #[serde(rename = "type")]
    pub ty: Type,
    /// Its size.
    pub bytes: u64,
    /// Its alignment.
    pub align: u32,
}

/// A statement that is not supported.
#[derive(Clone, Debug, Serialize)]
pub struct UnsupportedSummary {
    /// Its line.
    pub line: u32,
    /// The function that it stands in.
    pub function: Option<String>,
    /// The statement; empty if it is not one alone.
    pub text: String,
    /// What is not supported.
    pub reason: String,
}

impl Summary {
    /// Of a file that was read.
    #[must_use]
    pub fn of(module: &Module) -> Self {
        let (major, minor) = module.version;
        let all = || {
            (0..)
                .zip(&module.functions)
                .filter(|(_, function)| function.is_defined)
        };
        let entries = all().filter(|(_, function)| function.is_entry);
        let others = all().filter(|(_, function)| !function.is_entry);
        let kernels = entries
            .chain(others)
            .map(|(number, function)| KernelSummary::of(module, number, function));
        let unsupported = module.unsupported.iter().map(|item| UnsupportedSummary {
            line: item.line,
            function: item
                .function
                .and_then(|number| module.functions.get(number))
                .map(|function| function.name.clone()),
            text: item.text.clone(),
            reason: item.reason.clone(),
        });
        let mut unsupported: Vec<_> = unsupported.collect();
        if unsupported.is_empty() {
            let entries = all().filter(|(_, function)| function.is_entry);
            unsupported.extend(entries.filter_map(|(number, function)| {
                let (line, reason) = obstacle(module, number)?;
                Some(UnsupportedSummary {
                    line,
                    function: Some(function.name.clone()),
                    text: String::new(),
                    reason,
                })
            }));
        }
        Self {
            version: format!("{major}.{minor}"),
            target: module.target.clone(),
            kernels: kernels.collect(),
            unsupported,
        }
    }
}

impl KernelSummary {
    fn of(module: &Module, number: usize, function: &Function) -> Self {
        let parameters = function
            .parameters()
            .iter()
            .map(|parameter| ParameterSummary {
                name: parameter.name.clone(),
                ty: parameter.ty,
                bytes: parameter.bytes,
                align: parameter.align,
            });
        let mut summary = Self {
            name: function.name.clone(),
            line: function.line,
            is_kernel: function.is_entry,
            parameters: parameters.collect(),
            registers: BTreeMap::new(),
            shared_bytes: 0,
            has_dynamic_shared: false,
            local_bytes: 0,
            const_bytes: 0,
            instructions: function.body.len() as u64,
            classes: BTreeMap::new(),
            branches: 0,
            guarded_branches: 0,
            guarded_others: 0,
            performance: function.performance.clone(),
            unsupported: module
                .unsupported
                .iter()
                .filter(|item| item.function == Some(number))
                .count() as u64,
        };
        for &ty in &function.registers {
            *summary.registers.entry(ty).or_default() += 1;
        }
        for variable in own(module, function) {
            match variable.space {
                Space::Shared => summary.shared_bytes += variable.bytes,
                Space::Local => summary.local_bytes += variable.bytes,
                Space::Const => summary.const_bytes += variable.bytes,
                _ => {}
            }
            summary.has_dynamic_shared |= variable.space == Space::Shared && variable.is_extern;
        }
        let mut classes: BTreeMap<Class, u64> = BTreeMap::new();
        for instruction in &function.body {
            *classes.entry(instruction.class()).or_default() += 1;
            let is_branch = instruction.opcode == Opcode::Bra;
            let is_guarded = instruction.guard.is_some();
            summary.branches += u64::from(is_branch);
            summary.guarded_branches += u64::from(is_branch && is_guarded);
            summary.guarded_others += u64::from(!is_branch && is_guarded);
        }
        summary.classes = classes
            .into_iter()
            .map(|(class, number)| (class.to_string(), number))
            .collect();
        summary
    }
}

/// The variables of a function, and those of the module that its instructions name.
fn own<'tree>(
    module: &'tree Module,
    function: &'tree Function,
) -> impl Iterator<Item = &'tree Variable> {
    let mut is_named = vec![false; module.variables.len()];
    for operand in function
        .body
        .iter()
        .flat_map(|instruction| &instruction.operands)
    {
        if let Operand::AddressOf(Symbol::Module(number), _)
        | Operand::Memory(super::Base::Symbol(Symbol::Module(number)), _) = operand
            && let Some(is_named) = is_named.get_mut(*number)
        {
            *is_named = true;
        }
    }
    let named = module
        .variables
        .iter()
        .zip(is_named)
        .filter(|(_, is_named)| *is_named);
    function
        .variables
        .iter()
        .chain(named.map(|(variable, _)| variable))
}
