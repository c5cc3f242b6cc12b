//! The container of Accel-Sim's post-processor from tracer version 6 on, `.tracez`, as the text that it stands for.
//!
//! ```text
//! header, a text that ends with a zero byte
//! u32 size of the dictionary, u32 instructions of a chunk, the dictionary
//! for each warp: u32 instructions, u32 chunks, for each chunk: u32 size, a zstd frame
//! index: u32 blocks; for each: ten u32 of coordinates, u32 warps;
//!        for each warp: u32 instructions, u32 chunks, u64 place of the warp, u32 instructions of each chunk
//! u64 place of the index
//! ```
//! All numbers are little-endian. A frame holds the lines of some instructions of one warp.

use std::fmt::Write;
use std::io::{self, BufRead, Cursor, Read, Seek, SeekFrom};

use ruzstd::decoding::{Dictionary, FrameDecoder, StreamingDecoder};

/// The longest header, bytes; a mangled name takes some kilobytes.
const LONGEST_HEADER: u64 = 1 << 20;

/// The text of a `.tracez` file: what `kernel-N.traceg` would contain.
///
/// Nothing that the file claims is believed: a size is compared with the file before it allocates.
pub(super) struct Tracez<R> {
    file: R,
    bytes: u64,
    /// The index of the blocks that are left.
    index: Cursor<Vec<u8>>,
    blocks: u32,
    /// The warps of this block that are left, and the number of the next one.
    warps: u32,
    number: u32,
    /// The chunks of this warp that are left.
    chunks: u32,
    /// A block was begun.
    inside: bool,
    /// Text that was not read yet.
    text: Cursor<Vec<u8>>,
    decoder: Decoder,
}

/// The decoder of zstd, with the file's dictionary.
enum Decoder {
    Idle(Box<FrameDecoder>),
    Busy(Box<StreamingDecoder<Cursor<Vec<u8>>, FrameDecoder>>),
    /// After an error.
    Gone,
}

impl<R: BufRead + Seek> Tracez<R> {
    /// Reads the header, the dictionary and the index.
    pub fn open(mut file: R) -> io::Result<Self> {
        let bytes = file.seek(SeekFrom::End(0))?;
        file.rewind()?;
        let mut header = Vec::new();
        file.by_ref()
            .take(LONGEST_HEADER)
            .read_until(0, &mut header)?;
        if header.pop() != Some(0) {
            return Err(damaged("the header does not end with a zero byte"));
        }
        header.push(b'\n');
        let dictionary = u32_of(&mut file)?;
        u32_of(&mut file)?;
        let mut decoder = FrameDecoder::new();
        if dictionary > 0 {
            let raw = part(&mut file, dictionary.into(), bytes, "the dictionary")?;
            let dictionary = Dictionary::decode_dict(&raw).map_err(io::Error::other)?;
            decoder.add_dict(dictionary).map_err(io::Error::other)?;
        }
        let footer = bytes
            .checked_sub(8)
            .ok_or_else(|| damaged("there is no index"))?;
        file.seek(SeekFrom::Start(footer))?;
        let place = u64_of(&mut file)?;
        let size = footer.checked_sub(place);
        let size = size.ok_or_else(|| damaged("the index is outside the file"))?;
        file.seek(SeekFrom::Start(place))?;
        let mut index = Cursor::new(part(&mut file, size, bytes, "the index")?);
        Ok(Self {
            file,
            bytes,
            blocks: u32_of(&mut index)?,
            index,
            warps: 0,
            number: 0,
            chunks: 0,
            inside: false,
            text: Cursor::new(header),
            decoder: Decoder::Idle(Box::new(decoder)),
        })
    }

    /// Goes to a place, within the buffer if it can, for the next warp is nearly always what follows.
    fn go(&mut self, place: u64) -> io::Result<()> {
        let here = self.file.stream_position()?;
        let way = i128::from(place) - i128::from(here);
        let way = i64::try_from(way).map_err(|_| damaged("a warp is outside the file"))?;
        self.file.seek_relative(way)
    }

    /// Makes the next piece of text; false at the end.
    fn more(&mut self) -> io::Result<bool> {
        let mut text = String::new();
        let ignored = |_| io::Error::other("a text cannot be written");
        if self.chunks > 0 {
            self.chunks -= 1;
            let size = u32_of(&mut self.file)?;
            let frame = part(&mut self.file, size.into(), self.bytes, "a chunk")?;
            let Decoder::Idle(decoder) = std::mem::replace(&mut self.decoder, Decoder::Gone) else {
                return Err(damaged("a chunk follows one that cannot be decoded"));
            };
            let decoder = StreamingDecoder::new_with_decoder(Cursor::new(frame), *decoder);
            let decoder = decoder.map_err(io::Error::other)?;
            self.decoder = Decoder::Busy(Box::new(decoder));
        } else if self.warps > 0 {
            self.warps -= 1;
            let instructions = u32_of(&mut self.index)?;
            self.chunks = u32_of(&mut self.index)?;
            // The place of a warp's first chunk, behind the warp's two numbers.
            let place = u64_of(&mut self.index)?.checked_add(8);
            let place = place.ok_or_else(|| damaged("a warp is outside the file"))?;
            for _ in 0..self.chunks {
                u32_of(&mut self.index)?;
            }
            self.go(place)?;
            write!(text, "warp = {}\ninsts = {instructions}\n", self.number).map_err(ignored)?;
            self.number += 1;
        } else if self.inside {
            self.inside = false;
            text += "#END_TB\n";
        } else if self.blocks > 0 {
            self.blocks -= 1;
            self.inside = true;
            let mut block = [0; 10];
            for number in &mut block {
                *number = u32_of(&mut self.index)?;
            }
            self.warps = u32_of(&mut self.index)?;
            self.number = 0;
            let [x, y, z, id_x, id_y, id_z, cta_x, cta_y, cta_z, rank] = block;
            write!(
                text,
                "#BEGIN_TB\nthread block = {x},{y},{z}\ncluster id = {id_x},{id_y},{id_z}\n\
                 cluster cta = {cta_x},{cta_y},{cta_z}\ncluster rank = {rank}\n"
            )
            .map_err(ignored)?;
        } else {
            return Ok(false);
        }
        self.text = Cursor::new(text.into_bytes());
        Ok(true)
    }
}

impl<R: BufRead + Seek> Read for Tracez<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let bytes = self.text.read(buffer)?;
            if bytes > 0 || buffer.is_empty() {
                return Ok(bytes);
            }
            if let Decoder::Busy(decoder) = &mut self.decoder {
                let bytes = decoder.read(buffer)?;
                if bytes > 0 {
                    return Ok(bytes);
                }
                if let Decoder::Busy(decoder) = std::mem::replace(&mut self.decoder, Decoder::Gone)
                {
                    self.decoder = Decoder::Idle(Box::new(decoder.decoder));
                }
                // No line feed follows the last line of a chunk.
                self.text = Cursor::new(b"\n".to_vec());
            } else if !self.more()? {
                return Ok(0);
            }
        }
    }
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// The next `size` bytes of a file of `bytes` bytes.
fn part(from: &mut impl Read, size: u64, bytes: u64, what: &str) -> io::Result<Vec<u8>> {
    if size > bytes {
        return Err(damaged(&format!("{what} is larger than the file")));
    }
    let mut part = vec![0; size as usize];
    from.read_exact(&mut part)?;
    Ok(part)
}

fn u32_of(from: &mut impl Read) -> io::Result<u32> {
    let mut bytes = [0; 4];
    from.read_exact(&mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

fn u64_of(from: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    from.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}
