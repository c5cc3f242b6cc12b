//! How a kernel is started.

use std::borrow::Cow;
use std::ops::Range;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

use super::argument::{Argument, Given};
use super::steps::Size;

/// The size of a grid or block in x, y and z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Vec<Size>")]
pub struct Extent(pub [Size; 3]);

impl Extent {
    /// The size at a time; 0 where a number does not fit.
    #[must_use]
    pub fn at(self, time: u32) -> [u32; 3] {
        self.0.map(|size| size.at(time))
    }
}

impl TryFrom<Vec<Size>> for Extent {
    type Error = String;

    fn try_from(sizes: Vec<Size>) -> Result<Self, String> {
        const ONE: Size = Size::Fixed(1);
        match *sizes {
            [x] => Ok(Self([x, ONE, ONE])),
            [x, y] => Ok(Self([x, y, ONE])),
            [x, y, z] => Ok(Self([x, y, z])),
            _ => Err(format!(
                "{} numbers are no size; give 1 to 3, in x, y and z",
                sizes.len()
            )),
        }
    }
}

impl JsonSchema for Extent {
    fn schema_name() -> Cow<'static, str> {
        "Extent".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let size = generator.subschema_for::<Size>();
        json_schema!({ "type": "array", "minItems": 1, "maxItems": 3, "items": size })
    }
}

/// A launch of several, or launches that are repeated: what it leaves out is as at the top level, or as in what it belongs to.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LaunchTable {
    /// The kernel.
    pub entry: Option<String>,
    /// Thread blocks of the grid in x, y and z; what is absent is 1.
    pub grid: Option<Extent>,
    /// Threads of a block in x, y and z; what is absent is 1.
    pub block: Option<Extent>,
    /// Bytes of dynamic shared memory of a block.
    pub shared: Option<u32>,
    /// Registers of a thread, as ptxas counts them.
    pub registers: Option<u32>,
    /// The first of the thread blocks that run, and the one after the last.
    pub blocks: Option<[u32; 2]>,
    /// On a machine, what loads return is that of the run without faults. It is for kernels whose threads read without an
    /// atomic what others of the launch write.
    pub recorded: Option<bool>,
    /// The arguments, in the order of the kernel's parameters.
    pub arguments: Option<Vec<Given>>,
    /// So often, 1 to 65536, one time after the other; a number that is `{ from, step }` differs from time to time. 1 if absent.
    pub times: Option<u32>,
    /// Launches that are repeated in turn in place of one.
    #[serde(default)]
    pub launches: Vec<LaunchTable>,
}

impl LaunchTable {
    /// What it says itself, and for the rest what another one says.
    pub(super) fn over(&self, top: &Self) -> Self {
        Self {
            entry: self.entry.as_ref().or(top.entry.as_ref()).cloned(),
            grid: self.grid.or(top.grid),
            block: self.block.or(top.block),
            shared: self.shared.or(top.shared),
            registers: self.registers.or(top.registers),
            blocks: self.blocks.or(top.blocks),
            recorded: self.recorded.or(top.recorded),
            arguments: self.arguments.as_ref().or(top.arguments.as_ref()).cloned(),
            times: self.times,
            launches: self.launches.clone(),
        }
    }
}

/// A launch.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// The kernel; none if the file names none.
    pub entry: Option<String>,
    /// Thread blocks of the grid in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y and z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory of a block.
    pub shared: u32,
    /// Registers of a thread.
    pub registers: u32,
    /// The thread blocks that run, by number; x counts fastest.
    pub blocks: Range<u32>,
    /// On a machine, what loads return is that of the run without faults.
    pub is_recorded: bool,
    /// The arguments, in the order of the kernel's parameters.
    pub arguments: Vec<Argument>,
    /// The line of the file that an error of this launch names.
    pub line: usize,
    /// The line of each argument.
    pub argument_lines: Vec<usize>,
}

impl Launch {
    /// Threads of a block.
    #[must_use]
    pub fn threads(&self) -> u32 {
        self.block.iter().product()
    }
}
