//! How a kernel is started.

use std::borrow::Cow;
use std::ops::Range;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

use super::Argument;

/// The size of a grid or block in x, y and z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Vec<u32>")]
pub struct Extent(pub [u32; 3]);

impl TryFrom<Vec<u32>> for Extent {
    type Error = String;

    fn try_from(sizes: Vec<u32>) -> Result<Self, String> {
        match *sizes {
            [x] => Ok(Self([x, 1, 1])),
            [x, y] => Ok(Self([x, y, 1])),
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

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "array", "minItems": 1, "maxItems": 3, "items": { "type": "integer", "minimum": 1 }
        })
    }
}

/// A launch of several: what it leaves out is as at the top level.
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
    pub arguments: Option<Vec<Argument>>,
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
