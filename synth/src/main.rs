//! `faultline-synth`: the table of costs from the committed Verilog. It needs neither the kernels nor the models, so
//! `cargo xtask report` shows it while they are compiled; `faultline cost` has the options.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::thread;

use faultline_synth::Error;
use faultline_synth::cost::{self, Costed, Flow, Measured, Subject};
use faultline_synth::designs::{self, DEFAULT};
use faultline_synth::library::Library;
use faultline_synth::sram::{Setting, Sram, Table};
use faultline_synth::yosys::{Mapping, TARGET_PS};

fn main() -> ExitCode {
    let verilog = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rtl-out");
    match measured(&verilog) {
        Ok(measured) => {
            // A reader that has gone has seen what it wanted.
            let _ = write!(std::io::stdout(), "{}", measured.terminal());
            ExitCode::SUCCESS
        }
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measured(verilog: &Path) -> Result<Measured, Error> {
    let mut listed = designs::read(verilog)?;
    listed.retain(|design| DEFAULT.contains(&design.design.as_str()));
    let subjects = listed.iter().map(|design| design.subject(verilog));
    let subjects = subjects.collect::<Result<Vec<_>, _>>()?;
    let library = Library::embedded()?;
    let sram = Sram::Table(Table::embedded()?);
    let mapping = Mapping::Balanced;
    let flow = Flow {
        library: &library,
        sram: &sram,
        compiled: None,
        node_nm: None,
        target_ps: TARGET_PS,
        mapping,
    };
    let costed = side_by_side(&subjects, |subject| {
        cost::costed(subject, &flow, &Setting::ALL, None)
    })?;
    let name = format!("{} (embedded)", library.name());
    let command = format!(
        "faultline cost {} --sram both --target {TARGET_PS} --mapping {}",
        DEFAULT.join(" "),
        mapping.name()
    );
    Ok(Measured::new(costed, name, &sram, None, command))
}

/// Does something with all subjects, two at a time, and shows on a terminal how many are done.
fn side_by_side(
    subjects: &[Subject],
    job: impl Fn(&Subject) -> Result<Costed, Error> + Sync,
) -> Result<Vec<Costed>, Error> {
    let left = Mutex::new(subjects.iter().enumerate());
    let done = Mutex::new(Vec::new());
    let worker = || loop {
        let next = left.lock().ok().and_then(|mut left| left.next());
        let Some((place, subject)) = next else { break };
        let costed = job(subject);
        if let Ok(mut done) = done.lock() {
            done.push((place, costed));
            let mut shown = std::io::stderr();
            if shown.is_terminal() {
                let _ = write!(
                    shown,
                    "\rsynthesized: {} of {}\r",
                    done.len(),
                    subjects.len()
                );
            }
        }
    };
    thread::scope(|scope| {
        scope.spawn(worker);
        scope.spawn(worker);
    });
    let mut done = done.into_inner().unwrap_or_default();
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, costed)| costed).collect()
}
