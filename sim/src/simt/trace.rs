//! Writes runs as traces in Accel-Sim's format (tracer version 4), which [`crate::trace`] reads.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::arithmetic::{Arithmetic, Number, Real, RealOperation, WholeOperation};
use super::instruction::{Instruction, Operand, ZERO_REGISTER};
use super::kernels::Kernel;
use super::operation::{Operation, Relation, Space, Width};
use super::run::{Execution, Run, RunError, Step, WarpRun};
use super::warp::Lanes;

/// Bytes from an instruction to the next.
const INSTRUCTION_BYTES: u32 = 16;
/// The instruction set whose names the opcodes bear.
const BINARY_VERSION: u32 = 80;

/// Why traces were not written.
#[derive(Debug, Error)]
pub enum WriteError {
    /// A kernel does not run to its end.
    #[error("{0} cannot be traced: {1}")]
    Run(&'static str, RunError),
    /// A file cannot be written.
    #[error("{}: the file cannot be written ({error}); check the folder and the disk it is on", .path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
}

/// Runs kernels one after the other, each on its own memory, and writes a `kernel-N.traceg` for each
/// and the `kernelslist.g`, which names the copies of their inputs too. The folder is made if it is
/// not there. Gives the path of the list.
///
/// # Errors
/// If a kernel does not come to its end, or a file cannot be written.
pub fn write_traces(folder: &Path, kernels: &[Kernel]) -> Result<PathBuf, WriteError> {
    let at = |path: &Path| {
        let path = path.to_owned();
        |error| WriteError::File { path, error }
    };
    fs::create_dir_all(folder).map_err(at(folder))?;
    let mut list = String::new();
    for (place, kernel) in kernels.iter().enumerate() {
        let id = place + 1;
        let name = format!("kernel-{id}.traceg");
        let path = folder.join(&name);
        let file = File::create(&path).map_err(at(&path))?;
        let mut file = BufWriter::new(file);
        write_header(&mut file, kernel, id).map_err(at(&path))?;
        let memory = kernel.memory.clone();
        for block in Execution::new(&kernel.program, kernel.launch, memory) {
            let block = block.map_err(|error| WriteError::Run(kernel.name, error))?;
            write_block(&mut file, kernel, &block).map_err(at(&path))?;
        }
        file.flush().map_err(at(&path))?;
        for region in kernel.regions.iter().filter(|region| region.is_input) {
            list += &format!("MemcpyHtoD,{:#x},{}\n", region.address, region.bytes);
        }
        list += &format!("{name}\n");
    }
    // Last, so that a list names only what is there.
    let path = folder.join("kernelslist.g");
    fs::write(&path, list).map_err(at(&path))?;
    Ok(path)
}

/// Writes the trace of one run of a kernel, which has the number `id` in its list.
///
/// # Errors
/// If writing fails.
pub fn write_trace(to: &mut impl Write, kernel: &Kernel, id: usize, run: &Run) -> io::Result<()> {
    write_header(to, kernel, id)?;
    let mut blocks = run
        .warps
        .chunk_by(|left, right| left.place.block == right.place.block);
    blocks.try_for_each(|block| write_block(to, kernel, block))
}

fn write_header(to: &mut impl Write, kernel: &Kernel, id: usize) -> io::Result<()> {
    let sizes = |[x, y, z]: [u32; 3]| format!("({x},{y},{z})");
    write!(
        to,
        "-kernel name = {}\n-kernel id = {id}\n-grid dim = {}\n-block dim = {}\n-shmem = {}\n\
         -nregs = {}\n-binary version = {BINARY_VERSION}\n-cuda stream id = 0\n\
         -shmem base_addr = 0x00007f4ad4000000\n-local mem base_addr = 0x00007f4ad2000000\n\
         -nvbit version = none\n-accelsim tracer version = 4\n-enable lineinfo = 0\n\n\
         #written by Faultline, not traced on a GPU\n",
        kernel.name,
        sizes(kernel.launch.grid),
        sizes(kernel.launch.block),
        kernel.launch.shared_memory,
        kernel.registers,
    )
}

fn write_block(to: &mut impl Write, kernel: &Kernel, block: &[WarpRun]) -> io::Result<()> {
    for (number, warp) in block.iter().enumerate() {
        if number == 0 {
            let [x, y, z] = kernel.launch.block_at(warp.place.block);
            write!(to, "\n#BEGIN_TB\n\nthread block = {x},{y},{z}\n")?;
        }
        let count = warp.steps.len();
        write!(to, "\nwarp = {}\ninsts = {count}\n", warp.place.warp)?;
        for step in &warp.steps {
            write_step(to, kernel.program.at(step.pc), step)?;
        }
    }
    write!(to, "\n#END_TB\n")
}

fn write_step(to: &mut impl Write, instruction: &Instruction, step: &Step) -> io::Result<()> {
    write!(to, "{:04x} {:08x}", step.pc * INSTRUCTION_BYTES, step.mask)?;
    match (instruction.destination, instruction.operation) {
        (Some(register), _) => write!(to, " 1 R{register}")?,
        // The hardware's instruction has one, even if it is never read, and Accel-Sim counts none without.
        (None, Operation::Atomic(_, _, Space::Shared)) => write!(to, " 1 R{ZERO_REGISTER}")?,
        (None, _) => write!(to, " 0")?,
    }
    write!(to, " {}", opcode(instruction))?;
    let memory = instruction.operation.memory();
    let sources: Vec<u8> = instruction
        .operands()
        .iter()
        .filter_map(|operand| match operand {
            Operand::Register(register) => Some(*register),
            // The first source of an access is its address and the second its data, always.
            _ => memory.map(|_| ZERO_REGISTER),
        })
        .collect();
    write!(to, " {}", sources.len())?;
    for register in sources {
        write!(to, " R{register}")?;
    }
    match (memory, &step.addresses) {
        (Some((_, width)), Some(addresses)) => {
            write!(to, " {}", width.bytes())?;
            write_addresses(to, step.mask, addresses)?;
        }
        _ => write!(to, " 0")?,
    }
    writeln!(to)
}

/// Base and stride where that says it all, and else every address: Accel-Sim's own parser misreads
/// a base with deltas.
fn write_addresses(to: &mut impl Write, mask: u32, addresses: &Lanes) -> io::Result<()> {
    let lanes = (0..addresses.len()).filter(|lane| mask >> lane & 1 == 1);
    let active: Vec<u64> = lanes.map(|lane| addresses[lane]).collect();
    let base = active.first().copied().unwrap_or(0);
    let stride = match active.get(1) {
        Some(second) => second.wrapping_sub(base).cast_signed(),
        None => 0,
    };
    let together = mask.count_ones() + mask.leading_zeros() + mask.trailing_zeros() == u32::BITS;
    let even = |pair: &[u64]| pair[0].checked_add_signed(stride) == Some(pair[1]);
    if together && active.windows(2).all(even) {
        return write!(to, " 1 {base:#x} {stride}");
    }
    write!(to, " 0")?;
    active
        .iter()
        .try_for_each(|address| write!(to, " {address:#x}"))
}

/// The name of an instruction of sm_80 that does nearly the same. There, comparisons of integers write predicates alone;
/// the trace keeps the register, on which later instructions depend.
fn opcode(instruction: &Instruction) -> String {
    let name = match instruction.operation {
        Operation::Move => "MOV",
        Operation::Add | Operation::Subtract => "IADD3",
        Operation::Multiply | Operation::MultiplyAdd => "IMAD",
        // A division is a sequence of instructions around the reciprocal.
        Operation::Divide | Operation::Remainder => "MUFU.RCP",
        Operation::Minimum | Operation::Maximum => "IMNMX",
        Operation::And | Operation::Or | Operation::Xor => "LOP3.LUT",
        Operation::ShiftLeft => "SHF.L",
        Operation::ShiftRight => "SHF.R",
        Operation::Compare(relation) => return format!("ISETP.{}", suffix(relation)),
        Operation::Select => "SEL",
        Operation::FloatAdd | Operation::FloatSubtract => "FADD",
        Operation::FloatMultiply => "FMUL",
        Operation::FloatMultiplyAdd => "FFMA",
        Operation::FloatMinimum | Operation::FloatMaximum => "FMNMX",
        Operation::FloatCompare(relation) => return format!("FSET.{}", suffix(relation)),
        Operation::ToFloat => "I2F",
        Operation::ToInteger => "F2I",
        Operation::Reciprocal => "MUFU.RCP",
        Operation::SquareRoot => "MUFU.SQRT",
        Operation::InverseSquareRoot => "MUFU.RSQ",
        Operation::Sine => "MUFU.SIN",
        Operation::Cosine => "MUFU.COS",
        Operation::Exponential => "MUFU.EX2",
        Operation::Logarithm => "MUFU.LG2",
        Operation::Load(space, width) => return sized(&format!("LD{}", letter(space)), width),
        Operation::Store(space, width) => return sized(&format!("ST{}", letter(space)), width),
        Operation::Atomic(atomic, number, space) => {
            let name = match (space, instruction.destination) {
                (Space::Shared, _) => "ATOMS",
                (_, Some(_)) => "ATOMG.E",
                (_, None) => "RED.E",
            };
            let atomic = atomic.word().to_uppercase();
            return sized(&format!("{name}.{atomic}"), Width::of(number));
        }
        Operation::Vote(_) => "VOTE",
        Operation::Shuffle(_) | Operation::ShuffleRange(_) => "SHFL",
        Operation::Arithmetic(arithmetic) => typed(arithmetic),
        Operation::Trap => "BPT.TRAP",
        Operation::Branch(_) => "BRA",
        Operation::Barrier => "BAR.SYNC",
        Operation::Exit => "EXIT",
    };
    name.to_owned()
}

fn sized(name: &str, width: Width) -> String {
    let suffix = match width {
        Width::One => ".U8",
        Width::SignedOne => ".S8",
        Width::Two => ".U16",
        Width::SignedTwo => ".S16",
        Width::Four | Width::SignedFour => "",
        Width::Eight => ".64",
    };
    format!("{name}{suffix}")
}

/// The letter of a memory in the name of an access; of global memory with its suffix for addresses of 64 bits.
const fn letter(space: Space) -> &'static str {
    match space {
        Space::Global => "G.E",
        Space::Shared => "S",
        Space::Local => "L",
        Space::Constant => "C",
    }
}

/// The instruction that does nearly what arithmetic by type does.
fn typed(arithmetic: Arithmetic) -> &'static str {
    use RealOperation as R;
    use WholeOperation as W;
    match arithmetic {
        Arithmetic::Whole(operation, _) => match operation {
            W::Add | W::AddSaturated | W::Subtract | W::SubtractSaturated | W::Negate => "IADD3",
            W::Absolute => "IABS",
            W::Divide | W::Remainder => "MUFU.RCP",
            W::Minimum | W::Maximum => "IMNMX",
            W::And | W::Or | W::Xor | W::Not | W::Insert => "LOP3.LUT",
            W::IsZero => "ISETP.EQ",
            W::CountOnes => "POPC",
            W::Reverse => "BREV",
            W::CountLeadingZeros | W::HighestBit | W::HighestBitShift => "FLO",
            W::ShiftLeft => "SHF.L",
            W::ShiftRight | W::Extract => "SHF.R",
            _ => "IMAD",
        },
        Arithmetic::Real(operation, Real::F32, _) => match operation {
            R::Add | R::Subtract | R::Absolute | R::Negate => "FADD",
            R::Multiply => "FMUL",
            R::MultiplyAdd => "FFMA",
            R::Minimum | R::Maximum => "FMNMX",
            R::CopySign => "LOP3.LUT",
            R::Divide | R::QuickDivide | R::Reciprocal => "MUFU.RCP",
            R::SquareRoot => "MUFU.SQRT",
            R::InverseSquareRoot => "MUFU.RSQ",
            R::Exponential => "MUFU.EX2",
            R::Logarithm => "MUFU.LG2",
            R::Sine => "MUFU.SIN",
            R::Cosine => "MUFU.COS",
        },
        Arithmetic::Real(operation, Real::F64, _) => match operation {
            R::Multiply => "DMUL",
            R::MultiplyAdd => "DFMA",
            R::Minimum | R::Maximum => "DSETP",
            R::Divide | R::QuickDivide | R::Reciprocal => "MUFU.RCP64H",
            R::SquareRoot | R::InverseSquareRoot => "MUFU.RSQ64H",
            _ => "DADD",
        },
        Arithmetic::Compare { of, .. } => match of {
            Number::Whole(_) => "ISETP",
            Number::Real(Real::F32) => "FSETP",
            Number::Real(Real::F64) => "DSETP",
        },
        Arithmetic::Test(..) => "FCHK",
        Arithmetic::Convert { to, from, .. } => match (to, from) {
            (Number::Whole(_), Number::Whole(_)) => "PRMT",
            (Number::Whole(_), Number::Real(_)) => "F2I",
            (Number::Real(_), Number::Whole(_)) => "I2F",
            (Number::Real(_), Number::Real(_)) => "F2F",
        },
        Arithmetic::Join(_) => "MOV",
    }
}

const fn suffix(relation: Relation) -> &'static str {
    match relation {
        Relation::Equal => "EQ",
        Relation::NotEqual => "NE",
        Relation::Less => "LT",
        Relation::LessEqual => "LE",
        Relation::Greater => "GT",
        Relation::GreaterEqual => "GE",
    }
}
