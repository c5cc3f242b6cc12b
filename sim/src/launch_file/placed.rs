//! Buffers in memory, and what they should hold afterwards.

use std::fmt;
use std::io::Read;
use std::path::Path;

use super::array::{Array, Tolerance};
use super::contents::Words;
use super::{Element, Error, LaunchFile, Number};
use crate::simt::{Memory, Width};

/// The address of the first buffer.
const FIRST: u64 = 0x1_0000_0000;
/// Buffers lie at multiples of this, in bytes; no two share such a region.
const REGION: u64 = 64 << 10;

/// What a launch file places. Buffers lie in the order of their names.
#[derive(Clone, Debug, Default)]
pub struct Placed {
    /// Global memory with the buffers.
    pub memory: Memory,
    /// The buffers, by name.
    pub buffers: Vec<PlacedBuffer>,
    /// The contents of variables, by name.
    pub symbols: Vec<PlacedSymbol>,
    /// The textures, by name.
    pub textures: Vec<PlacedTexture>,
}

/// A buffer in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedBuffer {
    /// Its name.
    pub name: String,
    /// Its address, a multiple of 64 KB.
    pub address: u64,
    /// Its size in bytes.
    pub bytes: u64,
    /// The type of an element.
    pub element: Element,
    /// A kernel writes it.
    pub is_output: bool,
    /// The bytes that it should hold after the last launch.
    pub expected: Option<Vec<u8>>,
    /// How far its elements may be off.
    pub tolerance: Tolerance,
}

/// The contents of a variable of the PTX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedSymbol {
    /// Its name.
    pub name: String,
    /// Its bytes, the lowest address first.
    pub bytes: Vec<u8>,
    /// The line of the file that names it.
    pub line: usize,
}

/// A texture in memory, read by points and up to its edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedTexture {
    /// Its name.
    pub name: String,
    /// The address of its first texel.
    pub address: u64,
    /// The type of an element of a texel.
    pub element: Element,
    /// Elements of a texel, 1, 2 or 4.
    pub channels: u64,
    /// Texels of a row, which follow one another.
    pub width: u64,
    /// Rows, which follow one another.
    pub height: u64,
    /// Coordinates run from 0 to 1, not to width and height.
    pub normalized: bool,
    /// The line of the file that names it.
    pub line: usize,
}

/// Where a buffer does not hold what it should: its first such element.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The buffer.
    pub buffer: String,
    /// The element, from 0 on.
    pub index: u64,
    /// What it holds.
    pub value: Number,
    /// What it should hold.
    pub expected: Number,
    /// How many elements are wrong.
    pub wrong: u64,
    /// How many elements the buffer has.
    pub elements: u64,
}

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            buffer,
            index,
            value,
            expected,
            wrong,
            elements,
        } = self;
        write!(
            formatter,
            "{buffer}[{index}] is {value} and should be {expected} ({wrong} of {elements} elements differ)"
        )
    }
}

impl LaunchFile {
    /// Places and fills the buffers. The paths of files begin at this folder, which is that of the launch file.
    ///
    /// # Errors
    /// If a file cannot be read or has not the size that it should, if an argument's offset is beyond a buffer that is a
    /// file, or if a texture is larger than such a buffer.
    pub fn place(&self, folder: &Path) -> Result<Placed, Error> {
        let mut placed = Placed::default();
        let mut address = FIRST;
        for (name, array) in &self.tables.buffers {
            let bytes = match &array.file {
                Some(_) => {
                    let bytes = self.file(folder, &["buffers", name], array)?;
                    let words = words_of(&bytes, array.element);
                    write(&mut placed.memory, address, array.element, words);
                    bytes.len() as u64
                }
                None => {
                    if !array.is_unwritten() {
                        write(&mut placed.memory, address, array.element, array.words());
                    }
                    array.size().unwrap_or(0)
                }
            };
            placed.buffers.push(PlacedBuffer {
                name: name.clone(),
                address,
                bytes,
                element: array.element,
                is_output: array.output,
                expected: self.expected(folder, name, array, bytes)?,
                tolerance: array.tolerance.unwrap_or_default(),
            });
            address += bytes.next_multiple_of(REGION);
        }
        for (name, array) in &self.tables.symbols {
            let bytes = match &array.file {
                Some(_) => self.file(folder, &["symbols", name], array)?,
                None => {
                    let used = array.element.bytes() as usize;
                    let words = array
                        .words()
                        .flat_map(|word| word.to_le_bytes().into_iter().take(used));
                    words.collect()
                }
            };
            placed.symbols.push(PlacedSymbol {
                name: name.clone(),
                bytes,
                line: self.line_of(&["symbols", name]),
            });
        }
        self.place_textures(&mut placed)?;
        self.check_offsets(&placed)?;
        Ok(placed)
    }

    fn place_textures(&self, placed: &mut Placed) -> Result<(), Error> {
        for (name, texture) in &self.tables.textures {
            let Some(buffer) = placed.buffer(&texture.buffer) else {
                continue;
            };
            let height = texture.height.unwrap_or(1);
            let channels = texture.channels.unwrap_or(1);
            let needed = texture.width * height * channels * buffer.element.bytes();
            if needed > buffer.bytes {
                let sentence = format!(
                    "the texture takes {needed} bytes of the buffer {}, which has {}; reduce width or height",
                    buffer.name, buffer.bytes
                );
                return Err(self.wrong(&["textures", name, "width"], sentence));
            }
            placed.textures.push(PlacedTexture {
                name: name.clone(),
                address: buffer.address,
                element: buffer.element,
                channels,
                width: texture.width,
                height,
                normalized: texture.normalized,
                line: self.line_of(&["textures", name]),
            });
        }
        Ok(())
    }

    /// Checks the offsets into buffers whose size a file gives.
    fn check_offsets(&self, placed: &Placed) -> Result<(), Error> {
        for launch in &self.launches {
            for (argument, &line) in launch.arguments.iter().zip(&launch.argument_lines) {
                let super::Argument::Buffer { name, offset } = argument else {
                    continue;
                };
                let bytes = placed.buffer(name).map_or(0, |buffer| buffer.bytes);
                if *offset >= bytes {
                    return Err(Error {
                        file: self.name.clone(),
                        line,
                        sentence: format!(
                            "the buffer {name} has {bytes} bytes; reduce the offset {offset}"
                        ),
                    });
                }
            }
        }
        Ok(())
    }

    /// The bytes that the file of an array holds.
    fn file(&self, folder: &Path, keys: &[&str], array: &Array) -> Result<Vec<u8>, Error> {
        let keys = [keys, &["file"]].concat();
        let Some(name) = &array.file else {
            return Ok(Vec::new());
        };
        let bytes = self.read_bytes(folder, &keys, name, array.size())?;
        let (there, of_one) = (bytes.len() as u64, array.element.bytes());
        let wrong = |sentence: String| Err(self.wrong(&keys, sentence));
        match array.size() {
            Some(size) if size < there => wrong(format!(
                "{name} has more than the {size} bytes that count asks for; give a shorter file, or increase count"
            )),
            Some(size) if size != there => wrong(format!(
                "{name} has {there} bytes, and count asks for {size}; make count {}",
                there / of_one
            )),
            _ if there == 0 => wrong(format!("{name} is empty; give a file with elements")),
            _ if there % of_one != 0 => wrong(format!(
                "{name} has {there} bytes, no multiple of the {of_one} of {}; give another type or file",
                array.element.name()
            )),
            _ => Ok(bytes),
        }
    }

    /// The bytes that a buffer should hold.
    fn expected(
        &self,
        folder: &Path,
        name: &str,
        array: &Array,
        size: u64,
    ) -> Result<Option<Vec<u8>>, Error> {
        let Some(file) = &array.expected else {
            return Ok(None);
        };
        let keys = ["buffers", name, "expected"];
        let bytes = self.read_bytes(folder, &keys, file, Some(size))?;
        let there = bytes.len() as u64;
        if there != size {
            let sentence = format!(
                "{file} has {there} bytes, and the buffer {size}; give a file of the same size"
            );
            return Err(self.wrong(&keys, sentence));
        }
        Ok(Some(bytes))
    }

    /// The bytes of a file, and at most one more than there should be: a device may have no end.
    fn read_bytes(
        &self,
        folder: &Path,
        keys: &[&str],
        name: &str,
        size: Option<u64>,
    ) -> Result<Vec<u8>, Error> {
        let path = folder.join(name);
        let cannot = |error: std::io::Error| {
            self.wrong(
                keys,
                format!("{name} cannot be read ({error}); check the path"),
            )
        };
        let about = std::fs::metadata(&path).map_err(cannot)?;
        let Some(most) = size.or(about.is_file().then_some(about.len())) else {
            let sentence = format!("{name} is no regular file; add count, the number of elements");
            return Err(self.wrong(keys, sentence));
        };
        if !Self::is_possible(most) {
            let sentence = format!("{name} has more than 4 GiB; give a smaller file");
            return Err(self.wrong(keys, sentence));
        }
        let mut bytes = Vec::new();
        let file = std::fs::File::open(&path).map_err(cannot)?;
        file.take(most + 1)
            .read_to_end(&mut bytes)
            .map_err(cannot)?;
        Ok(bytes)
    }
}

impl Placed {
    /// The buffer of a name.
    #[must_use]
    pub fn buffer(&self, name: &str) -> Option<&PlacedBuffer> {
        self.buffers.iter().find(|buffer| buffer.name == name)
    }

    /// What differs from what is expected in a memory after the last launch, buffer by buffer.
    #[must_use]
    pub fn compare(&self, memory: &Memory) -> Vec<Difference> {
        let compared = self.buffers.iter().filter_map(|buffer| {
            let expected = buffer.expected.as_ref()?;
            buffer.difference(&buffer.read(memory), expected)
        });
        compared.collect()
    }
}

impl PlacedBuffer {
    /// Its bytes in a memory.
    #[must_use]
    pub fn read(&self, memory: &Memory) -> Vec<u8> {
        let words = (0..self.bytes.div_ceil(8)).map(|word| self.address + 8 * word);
        let bytes = words.flat_map(|address| memory.read(address, Width::Eight).to_le_bytes());
        bytes.take(self.bytes as usize).collect()
    }

    /// The first element that is further off than its tolerance; both are bytes of a buffer like this.
    #[must_use]
    pub fn difference(&self, bytes: &[u8], expected: &[u8]) -> Option<Difference> {
        let of_one = self.element.bytes() as usize;
        let pairs = bytes.chunks(of_one).zip(expected.chunks(of_one));
        let mut wrong = pairs.enumerate().filter(|(_, (own, expected))| {
            own != expected && !self.tolerance.holds(self.element, own, expected)
        });
        let (index, (own, wanted)) = wrong.next()?;
        Some(Difference {
            buffer: self.name.clone(),
            index: index as u64,
            value: self.element.decode(own),
            expected: self.element.decode(wanted),
            wrong: 1 + wrong.count() as u64,
            elements: self.bytes / self.element.bytes(),
        })
    }
}

impl Tolerance {
    /// Whether an element is near enough to what is expected; numbers that are none are so to each other.
    fn holds(self, element: Element, own: &[u8], expected: &[u8]) -> bool {
        if self == Self::default() {
            return false;
        }
        let [own, expected] = [own, expected].map(|bytes| element.decode(bytes).as_f64());
        let most = self.absolute + self.relative * expected.abs();
        (own.is_nan() && expected.is_nan()) || own == expected || (own - expected).abs() <= most
    }
}

/// The elements in bytes.
fn words_of(bytes: &[u8], element: Element) -> Words<'_> {
    let elements = bytes.chunks(element.bytes() as usize).map(|bytes| {
        let mut word = [0; 8];
        for (to, from) in word.iter_mut().zip(bytes) {
            *to = *from;
        }
        u64::from_le_bytes(word)
    });
    Box::new(elements)
}

/// Writes elements from a multiple of 8 on. Zeros are there already.
fn write(memory: &mut Memory, address: u64, element: Element, elements: Words<'_>) {
    let (mut address, mut word, mut bits) = (address, 0, 0);
    for value in elements {
        word |= value << bits;
        bits += 8 * element.bytes();
        if bits == 64 {
            memory.write(address, Width::Eight, word);
            (address, word, bits) = (address + 8, 0, 0);
        }
    }
    if bits != 0 {
        memory.write(address, Width::Eight, word);
    }
}
