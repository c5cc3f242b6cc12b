//! Waveforms of a lockstep: FST files that GTKWave and Surfer show, each with a view for either.

use std::io::Cursor;
use std::ops::Range;
use std::path::{Path, PathBuf};

use faultline_sim::ports::Port;
use fst_writer::{
    FstBodyWriter, FstFileType, FstHeaderWriter, FstInfo, FstScopeType, FstSignalId, FstSignalType,
    FstVarDirection, FstVarType,
};

use crate::backend::Kind;
use crate::file::{self, FileError};
use crate::layout::Layout;
use crate::view::{self, View};

/// A waveform cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum WaveError {
    /// It cannot be made.
    #[error("{path}: the waveform cannot be made ({reason})", path = .path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What the writer says.
        reason: String,
    },
    /// Its file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// The cycles of a lockstep that are kept.
pub struct Recording<'a> {
    /// The number of the first cycle to write.
    pub start: u64,
    /// The cycles to write, among those that are kept.
    pub span: Range<usize>,
    /// Packed inputs of all kept cycles.
    pub inputs: &'a [u64],
    /// Packed outputs of all kept cycles, for each back end.
    pub outputs: &'a [(Kind, &'a [u64])],
    /// The cycle in which two back ends differ, and the port.
    pub mismatch: Option<(u64, &'a str)>,
}

/// The files that are written beside a waveform: GTKWave's save file, and Surfer's commands.
#[must_use]
pub fn views(wave: &Path) -> [PathBuf; 2] {
    ["gtkw", "sucl"].map(|extension| wave.with_extension(extension))
}

/// Signals of one scope, and where their values are.
struct Scope<'a> {
    signals: Vec<(FstSignalId, &'a Port)>,
    words: &'a [u64],
    words_per_cycle: usize,
}

/// Writes every port of every back end, and beside a file that can be opened its views. A cycle takes 2 ns, with the rising
/// edge in the middle.
///
/// # Errors
/// If a file cannot be written; it is not there then.
pub fn write(
    path: &Path,
    design: &str,
    layout: &Layout,
    recording: &Recording<'_>,
) -> Result<(), WaveError> {
    let bytes = waveform(design, layout, recording).map_err(|cause| WaveError::Format {
        path: path.to_owned(),
        reason: cause.to_string(),
    })?;
    file::write_whole(path, bytes)?;
    if !path.is_file() {
        return Ok(());
    }
    let kinds: Vec<Kind> = recording.outputs.iter().map(|(kind, _)| *kind).collect();
    let view = View::new(design, layout, &kinds, recording.start, recording.mismatch);
    let [gtkwave, surfer] = views(path);
    file::write_whole(&gtkwave, view.gtkwave(path))?;
    Ok(file::write_whole(&surfer, view.surfer(path))?)
}

fn waveform(
    design: &str,
    layout: &Layout,
    recording: &Recording<'_>,
) -> fst_writer::Result<Vec<u8>> {
    let info = FstInfo {
        start_time: 0, // what viewers add to every time
        timescale_exponent: -9,
        version: concat!("Faultline ", env!("CARGO_PKG_VERSION")).to_owned(),
        date: String::new(),
        file_type: FstFileType::Verilog,
    };
    let mut header = FstHeaderWriter::write_to_mem(&info)?;
    header.scope(design, design, FstScopeType::Module)?;
    let clock = signal(&mut header, view::CLOCK, 1)?;
    let differs = signal(&mut header, view::DIFFERS, 1)?;
    let mut scopes = vec![scope(
        &mut header,
        view::INPUTS,
        &layout.inputs,
        recording.inputs,
    )?];
    for (kind, words) in recording.outputs {
        let name = view::scope(*kind);
        scopes.push(scope(&mut header, &name, &layout.outputs, words)?);
    }
    header.up_scope()?;
    let mut body = header.finish()?;
    for (number, cycle) in recording.span.clone().enumerate() {
        let time = view::CYCLE * (recording.start + number as u64);
        body.time_change(time)?;
        body.signal_change(clock, b"0")?;
        let words = layout.output_words();
        let of = |outputs: &[u64]| outputs[cycle * words..(cycle + 1) * words].to_vec();
        let different = recording
            .outputs
            .windows(2)
            .any(|pair| of(pair[0].1) != of(pair[1].1));
        body.signal_change(differs, if different { b"1" } else { b"0" })?;
        for scope in &scopes {
            scope.write(&mut body, cycle)?;
        }
        body.time_change(time + view::CYCLE / 2)?;
        body.signal_change(clock, b"1")?;
    }
    Ok(body.finish()?.into_inner())
}

type Header = FstHeaderWriter<Cursor<Vec<u8>>>;
type Body = FstBodyWriter<Cursor<Vec<u8>>>;

fn signal(header: &mut Header, name: &str, bits: usize) -> fst_writer::Result<FstSignalId> {
    let bits = FstSignalType::bit_vec(u32::try_from(bits).unwrap_or(u32::MAX));
    header.var(
        name,
        bits,
        FstVarType::Wire,
        FstVarDirection::Implicit,
        None,
    )
}

fn scope<'a>(
    header: &mut Header,
    name: &str,
    ports: &'a [Port],
    words: &'a [u64],
) -> fst_writer::Result<Scope<'a>> {
    header.scope(name, name, FstScopeType::Module)?;
    let mut signals = Vec::new();
    for port in ports {
        signals.push((signal(header, port.name, port.bits)?, port));
    }
    header.up_scope()?;
    Ok(Scope {
        signals,
        words,
        words_per_cycle: ports.iter().map(Port::words).sum(),
    })
}

impl Scope<'_> {
    fn write(&self, body: &mut Body, cycle: usize) -> fst_writer::Result<()> {
        let mut words = &self.words[cycle * self.words_per_cycle..];
        for (signal, port) in &self.signals {
            let digit = |bit: usize| b'0' + ((words[bit / 64] >> (bit % 64)) & 1) as u8;
            let digits: Vec<u8> = (0..port.bits).rev().map(digit).collect();
            body.signal_change(*signal, &digits)?;
            words = &words[port.words()..];
        }
        Ok(())
    }
}
