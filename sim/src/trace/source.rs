//! The text of a trace's file, whatever it is compressed with.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;
use lzma_rust2::XzReader;
use ruzstd::decoding::StreamingDecoder;

use super::tracez::Tracez;
use super::{Fault, TraceError};

/// The text of a trace.
pub type Text<'text> = Box<dyn BufRead + Send + 'text>;

/// The size of the buffers before and behind a decoder, bytes.
const BUFFER: usize = 1 << 16;
/// The memory that an xz decoder may take, KiB: the largest preset of xz takes 65 MiB.
const XZ_KIB: u32 = 128 << 10;

/// An opened file.
pub(super) struct Source {
    /// Its text.
    pub text: Text<'static>,
    /// Its name in errors.
    pub file: String,
    /// The bytes of the file, compressed or not, that were read so far.
    pub read: Arc<AtomicU64>,
}

/// Opens a file. The first bytes say whether gzip, xz or zstd compressed it; the name alone says whether it is a
/// `.tracez`, as in Accel-Sim.
pub(super) fn open(path: &Path) -> Result<Source, TraceError> {
    let file = path.display().to_string();
    let read = Arc::new(AtomicU64::new(0));
    match text(path, read.clone()) {
        Ok(text) => Ok(Source { text, file, read }),
        Err(fault) => {
            let line = 0;
            Err(TraceError { file, line, fault })
        }
    }
}

fn text(path: &Path, read: Arc<AtomicU64>) -> Result<Text<'static>, Fault> {
    let file = File::open(path).map_err(Fault::Open)?;
    // A folder can be opened, but not read.
    if file.metadata().map_err(Fault::Open)?.is_dir() {
        return Err(Fault::Folder);
    }
    let mut file = BufReader::with_capacity(BUFFER, Counted { file, read });
    if path
        .extension()
        .is_some_and(|extension| extension == "tracez")
    {
        let text = Tracez::open(file).map_err(Fault::reading)?;
        return Ok(Box::new(BufReader::with_capacity(BUFFER, text)));
    }
    let first = file.fill_buf().map_err(Fault::Read)?;
    let decoder: Box<dyn Read + Send> = match first {
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => {
            Box::new(XzReader::new_mem_limit(file, true, XZ_KIB))
        }
        [0x1f, 0x8b, ..] => Box::new(MultiGzDecoder::new(file)),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => {
            let damaged = |error| Fault::Damaged(io::Error::other(error));
            Box::new(StreamingDecoder::new(file).map_err(damaged)?)
        }
        _ => return Ok(Box::new(file)),
    };
    Ok(Box::new(BufReader::with_capacity(BUFFER, decoder)))
}

/// A file whose bytes are counted as they are read.
pub(super) struct Counted {
    file: File,
    read: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.file.read(buffer)?;
        self.read.fetch_add(bytes as u64, Ordering::Relaxed);
        Ok(bytes)
    }
}

impl Seek for Counted {
    fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
        self.file.seek(place)
    }
}
