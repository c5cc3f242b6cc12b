//! What the operand log costs in the paper: Tanasic et al., MICRO-50 2017, Table 2 and §5.2.

use serde::Serialize;

/// Area of one streaming multiprocessor, mm² (40 nm).
pub const SM_AREA_MM2: f64 = 16.0;
/// Area of the GPU, mm².
pub const GPU_AREA_MM2: f64 = 561.0;
/// Streaming multiprocessors of the GPU.
pub const SMS: f64 = 16.0;
/// Power of one streaming multiprocessor, W.
pub const SM_POWER_W: f64 = 5.7;
/// Power of the GPU, W.
pub const GPU_POWER_W: f64 = 130.0;
/// Clock, GHz: the table counts one log write per cycle.
pub const CLOCK_GHZ: f64 = 1.0;
/// The factor on the SRAM's area and power by which the paper allows for control.
pub const CONTROL_FACTOR: f64 = 1.5;
/// Bytes of a log entry: 32 lanes of 8 bytes (§3.3).
pub const ENTRY_BYTES: usize = 256;

/// A row of Table 2: overheads in percent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Overhead {
    /// Share of the area of a streaming multiprocessor.
    pub sm_area_percent: f64,
    /// Share of the GPU's area.
    pub gpu_area_percent: f64,
    /// Share of the power of a streaming multiprocessor.
    pub sm_power_percent: f64,
    /// Share of the GPU's power.
    pub gpu_power_percent: f64,
}

const fn overhead(sm_area: f64, gpu_area: f64, sm_power: f64, gpu_power: f64) -> Overhead {
    Overhead {
        sm_area_percent: sm_area,
        gpu_area_percent: gpu_area,
        sm_power_percent: sm_power,
        gpu_power_percent: gpu_power,
    }
}

/// Table 2: bytes of the log, and what they cost.
pub const TABLE_2: [(usize, Overhead); 4] = [
    (8 * 1024, overhead(1.04, 0.47, 1.82, 1.28)),
    (16 * 1024, overhead(1.47, 0.67, 2.34, 1.64)),
    (20 * 1024, overhead(1.67, 0.76, 2.61, 1.83)),
    (32 * 1024, overhead(2.36, 1.08, 3.38, 2.37)),
];

/// The row of Table 2 for a log of that many bytes, if the paper has one.
pub fn table_2(bytes: usize) -> Option<Overhead> {
    TABLE_2.iter().find(|row| row.0 == bytes).map(|row| row.1)
}
