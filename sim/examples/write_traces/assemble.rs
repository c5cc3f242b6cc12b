//! Writes kernels in the format of Accel-Sim's tracer.

use std::fmt::Write;

/// How addresses are written where base and stride do not do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Irregular {
    /// Mode 0: every address.
    List,
    /// Mode 2: a base and deltas.
    Deltas,
}

/// A kernel's header.
pub struct Kernel {
    pub name: &'static str,
    pub id: u32,
    pub blocks: u32,
    pub threads: u32,
    pub registers: u32,
    pub shared_memory: u32,
    pub binary_version: u32,
    pub tracer_version: u32,
    pub line_info: bool,
    pub irregular: Irregular,
}

/// One warp's instructions, as text.
pub struct Warp<'kernel> {
    kernel: &'kernel Kernel,
    text: String,
    count: u32,
}

/// An instruction's place in the program: program counter and source line.
#[derive(Clone, Copy)]
pub struct At(pub u32, pub u32);

impl Kernel {
    /// The whole file; `program` writes the instructions of warp w of block b.
    pub fn trace(&self, program: impl Fn(u32, u32, &mut Warp)) -> String {
        let mut text = format!(
            "-kernel name = {}\n-kernel id = {}\n-grid dim = ({},1,1)\n-block dim = ({},1,1)\n\
             -shmem = {}\n-nregs = {}\n-binary version = {}\n-cuda stream id = 0\n\
             -shmem base_addr = 0x00007f4ad4000000\n-local mem base_addr = 0x00007f4ad2000000\n\
             -nvbit version = none\n-accelsim tracer version = {}\n-enable lineinfo = {}\n\n\
             #written for this project, not traced on a GPU\n",
            self.name,
            self.id,
            self.blocks,
            self.threads,
            self.shared_memory,
            self.registers,
            self.binary_version,
            self.tracer_version,
            u32::from(self.line_info),
        );
        for block in 0..self.blocks {
            let _ = write!(text, "\n#BEGIN_TB\n\nthread block = {block},0,0\n");
            for number in 0..self.threads.div_ceil(32) {
                let mut warp = Warp {
                    kernel: self,
                    text: String::new(),
                    count: 0,
                };
                program(block, number, &mut warp);
                let _ = write!(
                    text,
                    "\nwarp = {number}\ninsts = {}\n{}",
                    warp.count, warp.text
                );
            }
            text.push_str("\n#END_TB\n");
        }
        text
    }
}

impl Warp<'_> {
    /// An instruction without addresses; `registers` are the destination, if any, and the sources,
    /// as in `"R4 <- R2 R3"`.
    pub fn plain(&mut self, at: At, mask: u32, opcode: &str, registers: &str) {
        self.begin(at, mask, opcode, registers);
        self.text.push_str(" 0");
        self.end();
    }

    /// A memory instruction; `address` gives the address of each lane.
    pub fn memory(
        &mut self,
        at: At,
        mask: u32,
        opcode: &str,
        registers: &str,
        address: impl Fn(u32) -> u64,
    ) {
        self.begin(at, mask, opcode, registers);
        let lanes: Vec<u32> = (0..32).filter(|lane| mask >> lane & 1 == 1).collect();
        let addresses: Vec<u64> = lanes.iter().map(|&lane| address(lane)).collect();
        let deltas: Vec<i64> = addresses
            .windows(2)
            .map(|pair| pair[1].wrapping_sub(pair[0]) as i64)
            .collect();
        let neighbours = lanes.windows(2).all(|pair| pair[1] == pair[0] + 1);
        let even = deltas.windows(2).all(|pair| pair[0] == pair[1]);
        let base = addresses.first().copied().unwrap_or(0);
        self.text.push_str(" 4");
        if neighbours && even {
            let stride = deltas.first().copied().unwrap_or(0);
            let _ = write!(self.text, " 1 {base:#x} {stride}");
        } else if self.kernel.irregular == Irregular::Deltas {
            let _ = write!(self.text, " 2 {base:#x}");
            for delta in deltas {
                let _ = write!(self.text, " {delta}");
            }
        } else {
            self.text.push_str(" 0");
            for address in addresses {
                let _ = write!(self.text, " {address:#x}");
            }
        }
        self.end();
    }

    fn begin(&mut self, At(pc, line): At, mask: u32, opcode: &str, registers: &str) {
        let (destination, sources) = registers.split_once("<-").unwrap_or(("", registers));
        if self.kernel.line_info {
            let _ = write!(self.text, "{line} ");
        }
        let _ = write!(self.text, "{pc:04x} {mask:08x}");
        self.registers(destination);
        let _ = write!(self.text, " {opcode}");
        self.registers(sources);
    }

    fn registers(&mut self, registers: &str) {
        let names: Vec<&str> = registers.split_whitespace().collect();
        let _ = write!(self.text, " {}", names.len());
        for name in names {
            let _ = write!(self.text, " {name}");
        }
    }

    fn end(&mut self) {
        self.text.push_str(if self.kernel.tracer_version >= 5 {
            " 0 \n"
        } else {
            " \n"
        });
        self.count += 1;
    }
}
