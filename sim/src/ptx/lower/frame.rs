//! A kernel with the functions that it calls in the places of the calls.

use std::collections::{BTreeMap, HashMap};

use super::LowerError;
use super::code::{Code, Line, Source, Target, Virtual};
use super::layout::{DYNAMIC, Layout};
use crate::ptx::module::{Function, Instruction, Module, Operand, Register, Symbol, Variable};
use crate::ptx::words::{Opcode, Space, Type};
use crate::simt::{Arithmetic, Condition, Operation, Whole};

/// Calls inside of calls; more is a recursion.
const DEPTH: usize = 64;
/// Instructions after inlining.
const MOST_LINES: usize = crate::simt::MOST_INSTRUCTIONS;

/// A parameter or result of a function that was inlined: the registers that hold it, by their place in bytes.
#[derive(Clone, Debug, Default)]
pub struct Passed(BTreeMap<u64, (Virtual, u32)>);

/// A function in the place of a call.
#[derive(Clone, Debug)]
pub struct Frame<'tree> {
    pub number: usize,
    pub function: &'tree Function,
    /// Its first register.
    registers: Virtual,
    /// Its labels.
    labels: Vec<Target>,
    /// Where it ends; the kernel ends its lanes.
    pub end: Option<Target>,
    /// Its variables that are passed, by number: their places in [`Lowering::passed`].
    passed: HashMap<usize, usize>,
    /// The addresses of the kernel's parameters.
    parameters: Vec<u64>,
    /// Where its variables in local memory lie.
    local: HashMap<usize, u64>,
}

/// A kernel while it is lowered.
pub struct Lowering<'tree> {
    pub module: &'tree Module,
    pub layout: Layout<'tree>,
    pub code: Code,
    passed: Vec<Passed>,
    calls: Vec<usize>,
    /// Calls that were inlined.
    inlined: usize,
    /// The line that is translated.
    pub line: u32,
    /// The register of the carry, once an instruction has named it.
    pub carry: Option<Virtual>,
    /// The next access stays in its order: a fence stands before it, or it is volatile.
    pub is_ordered: bool,
}

impl<'tree> Lowering<'tree> {
    pub fn new(module: &'tree Module, layout: Layout<'tree>) -> Self {
        Self {
            module,
            layout,
            code: Code::default(),
            passed: Vec::new(),
            calls: Vec::new(),
            inlined: 0,
            line: 0,
            carry: None,
            is_ordered: false,
        }
    }

    /// An error at the line that is translated.
    pub fn wrong(&self, what: impl Into<String>) -> LowerError {
        LowerError::at(self.line, what)
    }

    /// The code, in which all addresses are known.
    pub fn ended(mut self) -> (Code, Layout<'tree>) {
        let dynamic = self.layout.dynamic();
        for source in self
            .code
            .lines
            .iter_mut()
            .flat_map(|line| &mut line.sources)
        {
            if let Source::Address(Space::Shared, address) = source
                && DYNAMIC.abs_diff(*address) < 1 << 40
            {
                *address = address.wrapping_sub(DYNAMIC).wrapping_add(dynamic);
            }
        }
        self.code.local = self.layout.local_bytes();
        (self.code, self.layout)
    }

    /// Lowers the kernel itself.
    pub fn kernel(&mut self, number: usize) -> Result<(), LowerError> {
        let function = self.function(number)?;
        let parameters = self
            .layout
            .parameters(function.line, function.parameters())?;
        let mut frame = self.frame(number, function, None);
        frame.parameters = parameters;
        self.body(&mut frame)?;
        let end = self.code.lines.len();
        let has_ended = self
            .code
            .lines
            .last()
            .is_some_and(|line| line.operation == Operation::Exit);
        if !has_ended || self.code.targets.contains(&end) {
            self.emit(Operation::Exit, None, []);
        }
        Ok(())
    }

    fn function(&self, number: usize) -> Result<&'tree Function, LowerError> {
        let function = self.module.functions.get(number);
        let function = function.ok_or_else(|| self.wrong("there is no such function"))?;
        let mut items = self.module.unsupported.iter();
        match items.find(|item| item.function == Some(number)) {
            Some(item) => Err(LowerError::at(
                item.line,
                format!("{}: {}", item.text, item.reason),
            )),
            None => Ok(function),
        }
    }

    fn frame(
        &mut self,
        number: usize,
        function: &'tree Function,
        end: Option<Target>,
    ) -> Frame<'tree> {
        let registers = Virtual(self.code.registers());
        let wide = function.registers.iter().map(|ty| ty.bits() > 32);
        self.code.wide.extend(wide);
        Frame {
            number,
            function,
            registers,
            labels: function.labels.iter().map(|_| self.code.target()).collect(),
            end,
            passed: HashMap::new(),
            parameters: Vec::new(),
            local: HashMap::new(),
        }
    }

    fn body(&mut self, frame: &mut Frame<'tree>) -> Result<(), LowerError> {
        let function = frame.function;
        let mut labels: Vec<_> = function.labels.iter().zip(frame.labels.clone()).collect();
        labels.sort_by_key(|(label, _)| label.target);
        let mut labels = labels.into_iter().peekable();
        for (place, instruction) in function.body.iter().enumerate() {
            while let Some((_, target)) = labels.next_if(|(label, _)| label.target <= place) {
                self.code.land(target);
            }
            self.line = instruction.line;
            self.guarded(frame, instruction)?;
            if self.code.lines.len() > MOST_LINES {
                return Err(self.wrong(format!(
                    "the kernel has more than {MOST_LINES} instructions when its calls are inlined"
                )));
            }
        }
        for (_, target) in labels {
            self.code.land(target);
        }
        Ok(())
    }

    /// An instruction behind a branch if it has a guard; a branch has it itself.
    fn guarded(
        &mut self,
        frame: &mut Frame<'tree>,
        instruction: &'tree Instruction,
    ) -> Result<(), LowerError> {
        let guard = instruction.guard.map(|(register, is_negated)| {
            (Source::Register(self.register(frame, register)), is_negated)
        });
        if instruction.opcode == Opcode::Bra {
            let Some(Operand::Label(label)) = instruction.operands.first() else {
                return Err(self.wrong("the branch has no label"));
            };
            let target = frame.labels.get(*label).copied();
            self.branch(guard, target);
            return Ok(());
        }
        let over = guard.map(|(guard, is_negated)| {
            let over = self.code.target();
            self.branch(Some((guard, !is_negated)), Some(over));
            over
        });
        match instruction.opcode {
            Opcode::Exit => self.emit(Operation::Exit, None, []),
            Opcode::Ret => match frame.end {
                Some(end) => self.branch(None, Some(end)),
                None => self.emit(Operation::Exit, None, []),
            },
            Opcode::Call => self.call(frame, instruction)?,
            _ => self.instruction(frame, instruction)?,
        }
        if let Some(over) = over {
            self.code.land(over);
        }
        Ok(())
    }

    /// A branch of all lanes, or of those whose guard holds.
    fn branch(&mut self, guard: Option<(Source, bool)>, target: Option<Target>) {
        let (condition, source) = match guard {
            None => (Condition::Always, Source::None),
            Some((guard, false)) => (Condition::NotZero, guard),
            Some((guard, true)) => (Condition::Zero, guard),
        };
        let mut line = Line::new(self.line, Operation::Branch(condition));
        line.sources[0] = source;
        line.target = target;
        self.code.lines.push(line);
    }

    /// Puts a function in the place of its call.
    fn call(
        &mut self,
        frame: &mut Frame<'tree>,
        instruction: &'tree Instruction,
    ) -> Result<(), LowerError> {
        let [
            Operand::Function(number),
            Operand::Vector(results),
            Operand::Vector(arguments),
        ] = instruction.operands.as_slice()
        else {
            return Err(self.wrong("the call has no function"));
        };
        if self.calls.contains(number) || self.calls.len() >= DEPTH {
            return Err(self.wrong("a recursion is not supported; write it as a loop"));
        }
        let function = self.function(*number)?;
        let end = self.code.target();
        let mut callee = self.frame(*number, function, Some(end));
        self.inlined += 1;
        if self.inlined > MOST_LINES {
            return Err(self.wrong(format!("the kernel makes more than {MOST_LINES} calls")));
        }
        for (place, operand) in results.iter().chain(arguments).enumerate() {
            let passed = match operand {
                // The caller has a result when the function has ended.
                _ if place < results.len() => self.pass(BTreeMap::new()),
                Operand::Variable(Symbol::Function(variable)) => self.passed_of(frame, *variable),
                Operand::Variable(Symbol::Module(_)) => {
                    return Err(self.wrong("a variable of the module cannot be passed"));
                }
                // It stands in a register of the caller.
                Operand::Register(register) => {
                    let bytes = frame.function.registers.get(register.0 as usize);
                    let bytes = bytes.map_or(0, |ty| ty.bytes());
                    let register = self.register(frame, *register);
                    self.pass([(0, (register, bytes))].into())
                }
                Operand::Immediate(value) => {
                    let variable = function.variables.get(place);
                    let bytes = variable.map_or(8, |variable| variable.bytes.min(8) as u32);
                    let value = match variable.map(|variable| variable.ty) {
                        // A number with a point is read as a double.
                        Some(Type::F32) => (f64::from_bits(*value) as f32).to_bits().into(),
                        _ => value & u64::MAX >> (u64::BITS - 8 * bytes.max(1)),
                    };
                    let register = self.code.register(bytes > 4);
                    self.emit(Operation::Move, Some(register), [Source::Immediate(value)]);
                    self.pass([(0, (register, bytes))].into())
                }
                _ => self.pass(BTreeMap::new()),
            };
            callee.passed.insert(place, passed);
        }
        let line = self.line;
        self.calls.push(*number);
        self.body(&mut callee)?;
        self.calls.pop();
        self.line = line;
        self.code.land(end);
        for (place, operand) in results.iter().enumerate() {
            let passed = callee.passed.get(&place).copied();
            let parts = passed.and_then(|passed| self.passed.get(passed)).cloned();
            for (at, (from, bytes)) in parts.unwrap_or_default().0 {
                let to = match operand {
                    Operand::Variable(Symbol::Function(variable)) => {
                        self.part(frame, *variable, at, bytes)?
                    }
                    Operand::Register(register) if at == 0 => self.register(frame, *register),
                    _ => continue,
                };
                self.emit(Operation::Move, Some(to), [Source::Register(from)]);
            }
        }
        Ok(())
    }

    fn pass(&mut self, registers: BTreeMap<u64, (Virtual, u32)>) -> usize {
        self.passed.push(Passed(registers));
        self.passed.len() - 1
    }

    /// The place of a variable that is passed in [`Lowering::passed`].
    fn passed_of(&mut self, frame: &mut Frame<'tree>, variable: usize) -> usize {
        if let Some(passed) = frame.passed.get(&variable) {
            return *passed;
        }
        let passed = self.pass(BTreeMap::new());
        frame.passed.insert(variable, passed);
        passed
    }

    /// The register that holds so many bytes of a variable that is passed.
    pub fn part(
        &mut self,
        frame: &mut Frame<'tree>,
        variable: usize,
        at: u64,
        bytes: u32,
    ) -> Result<Virtual, LowerError> {
        let passed = self.passed_of(frame, variable);
        let name = frame.function.variables.get(variable);
        let name = name.map_or("a parameter", |variable| &*variable.name);
        let mixed = self.wrong(format!(
            "{name} is accessed in parts of different sizes, which is not supported"
        ));
        let new = Virtual(self.code.registers());
        let parts = self.passed.get_mut(passed).map(|passed| &mut passed.0);
        let Some(parts) = parts else {
            return Err(mixed);
        };
        let before = parts.range(..=at).next_back();
        let after = parts.range(at..).next();
        match (before, after) {
            (Some((&place, &(register, size))), _) if place == at => {
                if size == bytes {
                    Ok(register)
                } else {
                    Err(mixed)
                }
            }
            (Some((place, (_, size))), _) if place + u64::from(*size) > at => Err(mixed),
            (_, Some((place, _))) if at.saturating_add(bytes.into()) > *place => Err(mixed),
            _ => {
                parts.insert(at, (new, bytes));
                self.code.wide.push(bytes > 4);
                Ok(new)
            }
        }
    }

    /// What a load of so many bytes of a variable that is passed reads: those that are the low ones of a larger part too, as the
    /// compiler passes a byte in 32 bits.
    pub fn part_read(
        &mut self,
        frame: &mut Frame<'tree>,
        variable: usize,
        at: u64,
        bytes: u32,
    ) -> Result<Source, LowerError> {
        let passed = self.passed_of(frame, variable);
        let parts = self.passed.get(passed).map(|passed| &passed.0);
        match parts.and_then(|parts| parts.get(&at)).copied() {
            Some((register, size)) if size > bytes => {
                let low = Whole::of_bits(8 * bytes);
                let cut = Operation::Arithmetic(Arithmetic::exact(low, low));
                Ok(self.computed(cut, [Source::Register(register)]))
            }
            _ => Ok(Source::Register(self.part(frame, variable, at, bytes)?)),
        }
    }

    /// A register of the function.
    pub fn register(&self, frame: &Frame<'tree>, register: Register) -> Virtual {
        Virtual(frame.registers.0 + register.0)
    }

    /// The type of a register.
    pub fn type_of(frame: &Frame<'tree>, register: Register) -> Type {
        let ty = frame.function.registers.get(register.0 as usize);
        ty.copied().unwrap_or(Type::B64)
    }

    /// A variable that an instruction names.
    pub fn variable(
        &self,
        frame: &Frame<'tree>,
        symbol: Symbol,
    ) -> Result<&'tree Variable, LowerError> {
        let variable = self.module.variable(frame.function, symbol);
        variable.ok_or_else(|| self.wrong("there is no such variable"))
    }

    /// The address of a variable in its state space; that of a kernel's parameter is one in constant memory.
    pub fn address(
        &mut self,
        frame: &mut Frame<'tree>,
        symbol: Symbol,
    ) -> Result<Source, LowerError> {
        let variable = self.variable(frame, symbol)?;
        let (space, address) = match (variable.space, symbol) {
            (Space::Param, Symbol::Function(number)) => {
                let address = frame.parameters.get(number);
                let address = address.ok_or_else(|| {
                    self.wrong("the address of what a function is passed is not supported")
                })?;
                (Space::Const, *address)
            }
            (Space::Local, Symbol::Function(number)) => {
                let known = frame.local.get(&number).copied();
                let address = match known {
                    Some(known) => known,
                    None => self.layout.local(variable)?,
                };
                frame.local.insert(number, address);
                (Space::Local, address)
            }
            (Space::Local, Symbol::Module(_)) => {
                return Err(self.wrong("local memory outside of a function is not supported"));
            }
            (space, _) => (space, self.layout.address(frame.number, symbol, variable)?),
        };
        Ok(Source::Address(space, address))
    }

    /// The bytes of a parameter of the kernel that a load of it gets.
    pub fn parameter(
        &self,
        frame: &Frame<'tree>,
        number: usize,
        at: u64,
        bytes: u32,
    ) -> Option<u64> {
        let address = frame.parameters.get(number)?.checked_add(at)?;
        let mut value = [0; 8];
        let part = self.layout.constant(address, bytes as usize)?;
        value.get_mut(..part.len())?.copy_from_slice(part);
        Some(u64::from_le_bytes(value))
    }

    /// Adds an instruction.
    pub fn emit<const N: usize>(
        &mut self,
        operation: Operation,
        destination: Option<Virtual>,
        sources: [Source; N],
    ) {
        let mut line = Line::new(self.line, operation);
        line.destination = destination;
        for (to, from) in line.sources.iter_mut().zip(sources) {
            *to = from;
        }
        self.code.lines.push(line);
    }

    /// Adds an instruction that writes a register of its own.
    pub fn computed<const N: usize>(
        &mut self,
        operation: Operation,
        sources: [Source; N],
    ) -> Source {
        let register = self.code.register(Line::is_wide(operation));
        self.emit(operation, Some(register), sources);
        Source::Register(register)
    }
}
