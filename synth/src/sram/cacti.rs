//! Runs CACTI on one macro and reads its answer.

use super::{Macro, Shape, TEMPERATURE_K};
use crate::error::{Error, one_line};
use crate::tool;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A CACTI 7 that is installed.
#[derive(Clone, Debug)]
pub struct Cacti {
    program: PathBuf,
    /// CACTI reads its technology files relative to the folder in which it runs.
    folder: PathBuf,
}

impl Cacti {
    /// The CACTI of the environment variable `CACTI`, else the one on `PATH`.
    ///
    /// # Errors
    /// If there is none.
    pub fn find() -> Result<Self, Error> {
        let name = std::env::var_os("CACTI").unwrap_or_else(|| OsString::from("cacti"));
        let program = tool::find(&name)
            .and_then(|found| found.canonicalize().ok())
            .ok_or(Error::CactiMissing)?;
        let folder = program
            .parent()
            .map(Path::to_owned)
            .ok_or(Error::CactiMissing)?;
        Ok(Self { program, folder })
    }

    /// Where it was found.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// What it calls itself, from the heading of its output.
    ///
    /// # Errors
    /// If it does not run.
    pub fn version(&self) -> Result<String, Error> {
        let shape = Shape {
            setting: super::Setting::SinglePort,
            node_nm: 45,
            words: 64,
            bits: 64,
        };
        let output = self.run(&shape)?;
        let version = output
            .split_once("CACTI (version ")
            .and_then(|(_, rest)| rest.split_once(')'))
            .map(|(version, _)| version);
        Ok(format!("CACTI {}", version.unwrap_or("of unknown version")))
    }

    /// Asks for one macro. `shape.bits` must be whole bytes.
    ///
    /// # Errors
    /// If CACTI fails or its answer lacks a figure.
    pub fn measure(&self, shape: &Shape) -> Result<Macro, Error> {
        let output = self.run(shape)?;
        parse(&output)
            .map_err(|missing| failure(shape, &format!("its output has no \"{missing}\"")))
    }

    fn run(&self, shape: &Shape) -> Result<String, Error> {
        let scratch = tool::scratch()?;
        let input = scratch.path().join("macro.cfg");
        tool::write(&input, &configuration(shape))?;
        let output = Command::new(&self.program)
            .arg("-infile")
            .arg(&input)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .output()
            .map_err(|source| Error::file(&self.program, "start", source))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            let complaint = text.lines().find(|line| line.starts_with("ERROR"));
            let status = output.status.to_string();
            return Err(failure(shape, complaint.unwrap_or(&status)));
        }
        Ok(text)
    }
}

fn failure(shape: &Shape, reason: &str) -> Error {
    Error::Tool {
        program: "cacti",
        design: format!(
            "an SRAM of {} words x {} bits ({}, {} nm)",
            shape.words,
            shape.bits,
            shape.setting.name(),
            shape.node_nm
        ),
        reason: one_line(reason),
    }
}

/// CACTI's input. It insists on the settings of caches and DRAM too; those have no effect here.
fn configuration(shape: &Shape) -> String {
    let (read_write, read, write) = shape.setting.ports();
    let (cells, periphery) = shape.setting.devices();
    let block = shape.bits / 8;
    let size = shape.words * block;
    let micrometres = f64::from(shape.node_nm) / 1000.0;
    let bits = shape.bits;
    format!(
        r#"-size (bytes) {size}
-block size (bytes) {block}
-output/input bus width {bits}
-read-write port {read_write}
-exclusive read port {read}
-exclusive write port {write}
-single ended read ports 0
-technology (u) {micrometres:.3}
-operating temperature (K) {TEMPERATURE_K}
-Data array cell type - "{cells}"
-Data array peripheral type - "{periphery}"
-Tag array cell type - "{cells}"
-Tag array peripheral type - "{periphery}"
{FIXED}"#
    )
}

/// The settings that are the same for every macro.
const FIXED: &str = r#"-cache type "ram"
-access mode (normal, sequential, fast) - "fast"
-associativity 1
-tag size (b) "default"
-UCA bank count 1
-Cache model (NUCA, UCA)  - "UCA"
-design objective (weight delay, dynamic power, leakage power, cycle time, area) 0:0:0:100:0
-deviate (delay, dynamic power, leakage power, cycle time, area) 20:100000:100000:100000:100000
-Optimize ED or ED^2 (ED, ED^2, NONE): "ED^2"
-Wire signaling (fullswing, lowswing, default) - "Global_30"
-Wire inside mat - "semi-global"
-Wire outside mat - "semi-global"
-Interconnect projection - "conservative"
-Add ECC - "false"
-Array Power Gating - "false"
-WL Power Gating - "false"
-CL Power Gating - "false"
-Bitline floating - "false"
-Interconnect Power Gating - "false"
-Power Gating Performance Loss 0.01
-Print level (DETAILED, CONCISE) - "DETAILED"
-Print input parameters - "true"
-Force cache config - "false"
-Ndwl 1
-Ndbl 1
-Nspd 0
-Ndcm 1
-Ndsam1 0
-Ndsam2 0
-NUCAdesign objective (weight delay, dynamic power, leakage power, cycle time, area) 100:100:0:0:100
-NUCAdeviate (delay, dynamic power, leakage power, cycle time, area) 10:10000:10000:10000:10000
-NUCA bank count 0
-Core count 8
-Cache level (L2/L3) - "L3"
-page size (bits) 8192
-burst length 8
-internal prefetch width 8
-dram_type "DDR3"
-io state "WRITE"
-addr_timing 1.0
-mem_density 4 Gb
-bus_freq 800 MHz
-duty_cycle 1.0
-activity_dq 1.0
-activity_ca 0.5
-num_dq 72
-num_dqs 18
-num_ca 25
-num_clk 2
-num_mem_dq 2
-mem_data_width 8
-rtt_value 10000
-ron_value 34
-tflight_value
-num_bobs 1
-capacity 80
-num_channels_per_bob 1
-first metric "Cost"
-second metric "Bandwidth"
-third metric "Energy"
-DIMM model "ALL"
-mirror_in_bob "F"
"#;

/// Reads CACTI's report; the error is the label that was not found.
fn parse(output: &str) -> Result<Macro, &'static str> {
    let figure = |label: &'static str| {
        output
            .split_once(label)
            .and_then(|(_, rest)| rest.split_whitespace().next())
            .and_then(|number| number.parse::<f64>().ok())
            .filter(|number| number.is_finite() && *number >= 0.0)
            .ok_or(label)
    };
    // CACTI prints six digits; nanojoules become picojoules without losing any of them.
    let pico = |nano: f64| (nano * 1e9).round() / 1e6;
    Ok(Macro {
        area_mm2: figure("Data array: Area (mm2):")?,
        leakage_mw: figure("Total leakage power of a bank (mW):")?,
        gate_leakage_mw: figure("Total gate leakage power of a bank (mW):")?,
        read_pj: pico(figure("Total dynamic read energy per access (nJ):")?),
        write_pj: pico(figure("Total dynamic write energy per access (nJ):")?),
        access_ns: figure("Access time (ns):")?,
        cycle_ns: figure("Cycle time (ns):")?,
        setup_ns: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "    Access time (ns): 0.165603\n    Cycle time (ns):  0.134506\n    Total dynamic read energy per access (nJ): 0.000943592\n    Total dynamic write energy per access (nJ): 0.00150195\n    Total leakage power of a bank (mW): 0.388685\n    Total gate leakage power of a bank (mW): 0.030927\n  Data array: Area (mm2): 0.00169678\n";

    #[test]
    fn report_is_read_in_the_units_of_the_table() {
        let figures = parse(OUTPUT).unwrap();
        assert_eq!(figures.area_mm2, 0.00169678);
        assert_eq!(figures.read_pj, 0.943592);
        assert_eq!(figures.write_pj, 1.50195);
        assert_eq!(figures.access_ns, 0.165603);
        assert_eq!(figures.cycle_ns, 0.134506);
    }

    #[test]
    fn missing_figure_is_named() {
        let output = OUTPUT.replace("Cycle", "Circle");
        assert_eq!(parse(&output), Err("Cycle time (ns):"));
        let output = OUTPUT.replace("0.388685", "nan");
        assert_eq!(parse(&output), Err("Total leakage power of a bank (mW):"));
    }
}
