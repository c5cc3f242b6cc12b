//! A compiled program: PTX with a launch file, as what an SM or a GPU runs.
//!
//! Launches come one after the other. Each finds global memory as the one before has left it in the run without faults.

use std::ops::Range;
use std::path::Path;

use crate::launch_file::{
    self, Argument, Difference, Element, Error, LaunchFile, Placed, PlacedSymbol, PlacedTexture,
};
use crate::machines::sm::{AddressSpace, Work};
use crate::ptx::lower::{
    Bindings, GLOBAL_VARIABLES, LowerError, Lowered, Options, Textured, entry, lower, window_of,
};
use crate::ptx::{Kind, Module, Space, Type, Variable};
use crate::simt::kernels::blocks_per_sm;
use crate::simt::{Execution, LANES, LOCAL_MEMORY, Launch, Memory, Operation, RunError, Width};

/// A launch of a kernel.
#[derive(Clone, Debug)]
pub struct Started {
    /// The kernel's name.
    pub name: String,
    /// The kernel as a program.
    pub lowered: Lowered,
    /// Its size.
    pub launch: Launch,
    /// The thread blocks that run.
    pub blocks: Range<u32>,
    /// On a machine, what its loads return is that of the run without faults.
    pub is_recorded: bool,
    /// Registers of a thread.
    pub registers: u32,
    /// Where it may access global memory, ascending.
    pub ranges: Vec<Range<u64>>,
}

/// A compiled program with its launches.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The file of the PTX, for errors.
    name: String,
    /// Its launches.
    pub launches: Vec<Started>,
    /// Its buffers, in global memory before the first launch.
    pub placed: Placed,
}

/// A run of all launches without a machine.
#[derive(Clone, Debug)]
pub struct Executed {
    /// Global memory at the end.
    pub memory: Memory,
    /// Warp instructions.
    pub instructions: u64,
    /// Where buffers do not hold what they should.
    pub differences: Vec<Difference>,
}

impl Compiled {
    /// Places the buffers of a launch file and lowers the kernels that it starts. Files that it names begin at the folder.
    ///
    /// # Errors
    /// If the file cannot be placed, or a kernel cannot be lowered or does not take what the file gives.
    pub fn new(
        module: &Module,
        name: &str,
        file: &LaunchFile,
        folder: &Path,
        options: Options,
    ) -> Result<Self, Error> {
        let mut placed = file.place(folder)?;
        let launches = file.launches().iter();
        let start = |launch| started(module, name, file, &placed, launch, options);
        let launches: Vec<Started> = launches.map(start).collect::<Result<_, _>>()?;
        if let Some(first) = launches.first() {
            write(
                &mut placed.memory,
                GLOBAL_VARIABLES,
                &first.lowered.variables,
            );
        }
        Ok(Self {
            name: name.to_owned(),
            launches,
            placed,
        })
    }

    /// What an SM or a GPU runs, launch by launch, and where buffers do not hold what they should after the last one.
    ///
    /// # Errors
    /// If a launch does not run to its end, or accesses what is no buffer.
    pub fn works(&self) -> Result<(Vec<Work>, Vec<Difference>), Error> {
        let mut memory = self.placed.memory.clone();
        let mut works = Vec::new();
        for (number, started) in (1..).zip(&self.launches) {
            let after = self.run(started, memory.clone(), &mut 0)?;
            let work = started.work(std::mem::replace(&mut memory, after));
            let mut work = work.map_err(|error| self.failed(started, &error))?;
            if self.launches.len() > 1 {
                work.name = format!("{} #{number}", work.name);
            }
            works.push(work);
        }
        Ok((works, self.placed.compare(&memory)))
    }

    /// What an SM or a GPU runs in the last launch.
    ///
    /// # Errors
    /// As [`Compiled::works`], or if there is no launch.
    pub fn last_work(&self) -> Result<Work, Error> {
        let Some((last, before)) = self.launches.split_last() else {
            return Err(Error {
                file: self.name.clone(),
                line: 1,
                sentence: "no kernel is launched".to_owned(),
            });
        };
        let mut memory = self.placed.memory.clone();
        for started in before {
            memory = self.run(started, memory, &mut 0)?;
        }
        last.work(memory).map_err(|error| self.failed(last, &error))
    }

    /// Executes all launches.
    ///
    /// # Errors
    /// As [`Compiled::works`].
    pub fn execute(&self) -> Result<Executed, Error> {
        let mut memory = self.placed.memory.clone();
        let mut instructions = 0;
        for started in &self.launches {
            memory = self.run(started, memory, &mut instructions)?;
        }
        Ok(Executed {
            differences: self.placed.compare(&memory),
            memory,
            instructions,
        })
    }

    /// Executes a launch, and counts its instructions.
    fn run(
        &self,
        started: &Started,
        memory: Memory,
        instructions: &mut u64,
    ) -> Result<Memory, Error> {
        let execution = Execution::new(&started.lowered.program, started.launch, memory);
        let execution = execution.of_blocks(started.blocks.clone());
        let mut execution = execution.within(started.ranges.clone()).without_steps();
        for warps in &mut execution {
            warps.map_err(|error| self.failed(started, &error))?;
        }
        *instructions += execution.instructions();
        Ok(execution.into_memory())
    }

    /// The error that a run has ended with.
    fn failed(&self, started: &Started, error: &RunError) -> Error {
        let line = error
            .pc()
            .and_then(|pc| started.lowered.lines.get(pc as usize));
        let kept = match *error {
            RunError::Outside { address, .. } => window_of(address).map(|space| (address, space)),
            _ => None,
        };
        let what = match kept {
            Some((address, space)) => format!(
                "{address:#x} is an address of {space} memory that was kept in memory, which is not supported"
            ),
            None => error.to_string(),
        };
        Error {
            file: self.name.clone(),
            line: line.map_or(1, |&line| line as usize),
            sentence: format!("{}: {what}", started.name),
        }
    }
}

impl Started {
    /// What an SM or a GPU runs, with global memory before it.
    ///
    /// # Errors
    /// If it does not run to its end.
    pub fn work(&self, memory: Memory) -> Result<Work, RunError> {
        let program = self.lowered.program.clone();
        let is_ordered = program.instructions().iter().any(|instruction| {
            matches!(instruction.operation, Operation::Atomic(..))
                && instruction.destination.is_some()
        });
        let mut work = Work::of_blocks(program, self.launch, self.blocks.clone(), memory)?;
        if let Some(computation) = &mut work.computation {
            computation.is_ordered = is_ordered;
            computation.is_recorded = self.is_recorded;
        }
        work.name.clone_from(&self.name);
        work.blocks_per_sm = blocks_per_sm(&self.launch, self.registers) as usize;
        work.space = AddressSpace::of_ranges(&self.ranges);
        Ok(work)
    }
}

/// A launch of the file.
fn started(
    module: &Module,
    name: &str,
    file: &LaunchFile,
    placed: &Placed,
    launch: &launch_file::Launch,
    options: Options,
) -> Result<Started, Error> {
    let of_launch = |line: usize, sentence: String| Error {
        file: file.name().to_owned(),
        line,
        sentence,
    };
    let of_ptx = |error: LowerError| match error.line {
        Some(line) => Error {
            file: name.to_owned(),
            line: line as usize,
            sentence: error.what,
        },
        None => of_launch(launch.line, error.what),
    };
    let (number, function) = entry(module, launch.entry.as_deref()).map_err(of_ptx)?;
    let (takes, has) = (function.parameters().len(), launch.arguments.len());
    if takes != has {
        let line = launch.argument_lines.first();
        return Err(of_launch(
            line.copied().unwrap_or(launch.line),
            format!(
                "{} takes {takes} arguments, and there are {has}",
                function.name
            ),
        ));
    }
    let mut parameters = Vec::new();
    let lines = launch
        .argument_lines
        .iter()
        .copied()
        .chain(std::iter::repeat(launch.line));
    for ((argument, line), parameter) in launch
        .arguments
        .iter()
        .zip(lines)
        .zip(function.parameters())
    {
        let bytes = bytes_of(argument, parameter, placed);
        parameters.push(bytes.map_err(|what| of_launch(line, what))?);
    }
    check_names(module, placed).map_err(|(line, what)| of_launch(line, what))?;
    let bindings = Bindings {
        parameters,
        symbols: placed
            .symbols
            .iter()
            .map(|symbol| (symbol.name.clone(), symbol.bytes.clone()))
            .collect(),
        textures: placed
            .textures
            .iter()
            .map(|texture| (texture.name.clone(), textured(texture)))
            .collect(),
        dynamic_shared: launch.shared,
    };
    let lowered = lower(module, number, &bindings, options).map_err(of_ptx)?;
    let launched = Launch {
        grid: launch.grid,
        block: launch.block,
        shared_memory: lowered.shared,
    };
    if blocks_per_sm(&launched, launch.registers) == 0 {
        return Err(of_launch(
            launch.line,
            format!(
                "no thread block of {} fits on an SM: it has {} threads of {} registers and {} bytes of shared memory",
                function.name,
                launched.threads(),
                launch.registers,
                lowered.shared
            ),
        ));
    }
    let mut ranges: Vec<Range<u64>> = placed
        .buffers
        .iter()
        .map(|buffer| buffer.address..buffer.address + buffer.bytes)
        .collect();
    let warps = u64::from(launched.blocks()) * u64::from(launched.warps_per_block());
    let local = u64::from(lowered.local.next_multiple_of(8)) * LANES as u64 * warps;
    ranges.push(GLOBAL_VARIABLES..GLOBAL_VARIABLES + lowered.variables.len() as u64);
    ranges.push(LOCAL_MEMORY..LOCAL_MEMORY + local);
    ranges.retain(|range| !range.is_empty());
    Ok(Started {
        name: function.name.clone(),
        lowered,
        launch: launched,
        blocks: launch.blocks.clone(),
        is_recorded: launch.is_recorded,
        registers: launch.registers,
        ranges,
    })
}

/// Whether the module has the variables and textures that the file names; an error has its line.
fn check_names(module: &Module, placed: &Placed) -> Result<(), (usize, String)> {
    for PlacedSymbol { name, bytes, line } in &placed.symbols {
        let variable = module.variables.iter().find(|one| one.name == *name);
        let what = match variable {
            None => format!("the PTX has no variable {name}"),
            Some(variable) if !matches!(variable.space, Space::Const | Space::Global) => format!(
                "the variable {name} is in .{} memory, which a launch does not fill; remove the table",
                variable.space
            ),
            Some(variable) if bytes.len() as u64 > variable.bytes => format!(
                "the variable {name} has {} bytes, and the table {}",
                variable.bytes,
                bytes.len()
            ),
            Some(_) => continue,
        };
        return Err((*line, what));
    }
    for texture in &placed.textures {
        let name = &texture.name;
        if !module.textures.iter().any(|one| one.name == *name) {
            return Err((
                texture.line,
                format!("the PTX has no texture reference {name}"),
            ));
        }
    }
    Ok(())
}

/// The bytes of a parameter.
fn bytes_of(argument: &Argument, parameter: &Variable, placed: &Placed) -> Result<Vec<u8>, String> {
    let Variable {
        name, ty, bytes, ..
    } = parameter;
    let low = |value: u64| {
        let all = value.to_le_bytes();
        all.into_iter().take(*bytes as usize).collect()
    };
    let is_float = ty.kind() == Kind::Float;
    let is_scalar = u64::from(ty.bytes()) == *bytes;
    let given = match argument {
        Argument::Bytes(given) if given.len() as u64 == *bytes => return Ok(given.clone()),
        Argument::Bytes(given) => format!("{} bytes are given", given.len()),
        _ if !is_scalar => "it is a structure; give its bytes".to_owned(),
        Argument::Buffer { name, offset } => match placed.buffer(name) {
            Some(buffer) if *bytes == 8 && !is_float => return Ok(low(buffer.address + offset)),
            Some(_) => "a buffer is given".to_owned(),
            None => format!("there is no buffer {name}"),
        },
        Argument::Integer(value) if is_float => return Ok(low(float(*value as f64, *ty))),
        Argument::Integer(value) => {
            let bits = ty.bits();
            let fits = (-(1i128 << (bits - 1))..1i128 << bits).contains(value);
            if fits {
                return Ok(low(*value as u64));
            }
            format!("{value} does not fit")
        }
        Argument::Float(value) if is_float => {
            let is_held = ty.bits() == 64 || !value.is_finite() || (*value as f32).is_finite();
            if is_held {
                return Ok(low(float(*value, *ty)));
            }
            format!("{value:e} does not fit")
        }
        Argument::Float(value) => format!("{value} is no whole number"),
    };
    Err(format!(
        "the parameter {name} has the type .{ty} and {bytes} bytes: {given}"
    ))
}

/// The bits of a number in a floating-point type.
fn float(value: f64, ty: Type) -> u64 {
    match ty.bits() {
        32 => (value as f32).to_bits().into(),
        _ => value.to_bits(),
    }
}

fn textured(texture: &PlacedTexture) -> Textured {
    Textured {
        address: texture.address,
        ty: match texture.element {
            Element::U8 => Type::U8,
            Element::I8 => Type::S8,
            Element::U16 => Type::U16,
            Element::I16 => Type::S16,
            Element::U32 => Type::U32,
            Element::I32 => Type::S32,
            Element::U64 => Type::U64,
            Element::I64 => Type::S64,
            Element::F32 => Type::F32,
            Element::F64 => Type::F64,
        },
        channels: texture.channels as u32,
        width: texture.width as u32,
        height: texture.height as u32,
        is_normalized: texture.normalized,
    }
}

/// Writes bytes from an address on, which is a multiple of 8.
fn write(memory: &mut Memory, address: u64, bytes: &[u8]) {
    for (place, chunk) in (0..).zip(bytes.chunks(8)) {
        let mut word = [0; 8];
        for (to, from) in word.iter_mut().zip(chunk) {
            *to = *from;
        }
        let word = u64::from_le_bytes(word);
        if word != 0 {
            memory.write(address + 8 * place, Width::Eight, word);
        }
    }
}
