//! What a file must fulfil beyond the types of its values.

use super::array::Array;
use super::launch::{Extent, Launch, LaunchTable};
use super::{Argument, Element, Error, LaunchFile};

/// The most bytes of a buffer.
const MOST_BYTES: u64 = 1 << 32;
/// The most threads of a block, in all and in x, y and z.
const MOST_THREADS: u32 = 1024;
const BLOCK: [u32; 3] = [1024, 1024, 64];
/// The most blocks of a grid, in all and in x, y and z.
const MOST_BLOCKS: u64 = (1 << 31) - 1;
const GRID: [u32; 3] = [(1 << 31) - 1, 65535, 65535];
/// The most bytes of shared memory of a block.
const MOST_SHARED: u32 = 48 << 10;
/// The most times that launches are repeated.
const MOST_TIMES: u32 = 1 << 16;
/// The most bytes of a kernel's parameters.
const MOST_PARAMETERS: usize = 4096;

impl LaunchFile {
    /// Checks the file; returns its launches.
    pub(super) fn checked(&self) -> Result<Vec<Launch>, Error> {
        if self.text.trim().is_empty() {
            return Err(self.wrong(&[], "the file is empty; give grid, block and arguments"));
        }
        let tables = &self.tables;
        for (name, array) in &tables.buffers {
            self.check_array(&["buffers", name], array)?;
            let is_of_a_file = |one: char| one.is_alphanumeric() || "_-.".contains(one);
            if !name.starts_with(is_of_a_file)
                || name.starts_with('.')
                || !name.chars().all(is_of_a_file)
            {
                let sentence = "a buffer's name has letters, digits, _, - and . alone, and no . first, for `--outputs` \
                                makes it a file's; rename it";
                return Err(self.wrong(&["buffers", name], sentence));
            }
        }
        for (name, array) in &tables.symbols {
            self.check_array(&["symbols", name], array)?;
            let keys = [
                ("output", array.output),
                ("expected", array.expected.is_some()),
                ("tolerance", array.tolerance.is_some()),
            ];
            if let Some((key, _)) = keys.into_iter().find(|(_, is_given)| *is_given) {
                let sentence = format!("{key} is for buffers alone; remove it");
                return Err(self.wrong(&["symbols", name, key], sentence));
            }
        }
        for name in tables.textures.keys() {
            self.check_texture(name)?;
        }
        let top = LaunchTable {
            entry: tables.entry.clone(),
            grid: tables.grid,
            block: tables.block,
            shared: tables.shared,
            registers: tables.registers,
            blocks: tables.blocks,
            recorded: tables.recorded,
            arguments: tables.arguments.clone(),
            ..LaunchTable::default()
        };
        if tables.launches.is_empty() {
            return Ok(vec![self.launch(&[], &top, &top, (0, None))?]);
        }
        let mut all = Vec::new();
        for (place, own) in tables.launches.iter().enumerate() {
            let place = place.to_string();
            self.repeat(&["launches", &place], own, &top, &mut all)?;
        }
        Ok(all)
    }

    /// Adds the launches of a table, which these keys lead to, as often as it says.
    fn repeat(
        &self,
        keys: &[&str],
        own: &LaunchTable,
        top: &LaunchTable,
        all: &mut Vec<Launch>,
    ) -> Result<(), Error> {
        let at = |key| [keys, &[key]].concat();
        let times = own.times.unwrap_or(1);
        if !(1..=MOST_TIMES).contains(&times) {
            let sentence = format!("times is {times}; give 1 to {MOST_TIMES}");
            return Err(self.wrong(&at("times"), sentence));
        }
        if own.launches.is_empty() {
            let first = all.len();
            for time in 0..times {
                let launch = self.launch(keys, own, top, (time, all.get(first)))?;
                all.push(launch);
            }
            return Ok(());
        }
        let (over, first) = (own.over(top), all.len());
        for time in 0..times {
            for (place, of_turn) in own.launches.iter().enumerate() {
                let name = place.to_string();
                let keys = [keys, &["launches", &name]].concat();
                if of_turn.times.is_some() || !of_turn.launches.is_empty() {
                    let sentence =
                        "a launch that is repeated in turn is one; remove its times and launches";
                    return Err(self.wrong(&keys, sentence));
                }
                let launched = all.get(first + place).filter(|_| time > 0);
                let launch = self.launch(&keys, of_turn, &over, (time, launched))?;
                all.push(launch);
            }
        }
        Ok(())
    }

    /// Checks a launch at a time: the keys that lead to it, what it says itself, what holds for the rest, and the launch of the first
    /// time, whose lines are its own.
    fn launch(
        &self,
        table: &[&str],
        own: &LaunchTable,
        top: &LaunchTable,
        (time, before): (u32, Option<&Launch>),
    ) -> Result<Launch, Error> {
        // Where a key stands: in the launch if it says it, or else in what it belongs to, or at the top.
        let at = |is_own: bool, keys: &[&'static str]| match is_own {
            true => [table, keys].concat(),
            false => self.first_with(table, keys),
        };
        let extent =
            |key: &'static str, own: Option<Extent>, top: Option<Extent>, most: [u32; 3]| {
                let Some(extent) = own.or(top) else {
                    return Err(self.wrong(
                        table,
                        format!("the launch has no {key}; add {key} = [x, y, z]"),
                    ));
                };
                let sizes = extent.at(time);
                let in_range = |(size, most): (&u32, u32)| (1..=most).contains(size);
                if !sizes.iter().zip(most).all(in_range) {
                    let [x, y, z] = most;
                    let when = match time {
                        0 => String::new(),
                        time => format!(" at time {}", time + 1),
                    };
                    let sentence =
                        format!("{key} is not from 1 to {x}, {y} and {z} in x, y and z{when}");
                    return Err(self.wrong(&at(own.is_some(), &[key]), sentence));
                }
                Ok(sizes)
            };
        let grid = extent("grid", own.grid, top.grid, GRID)?;
        let block = extent("block", own.block, top.block, BLOCK)?;
        let threads: u32 = block.iter().product();
        if threads > MOST_THREADS {
            let sentence = format!("a block of {threads} threads has more than {MOST_THREADS}");
            return Err(self.wrong(&at(own.block.is_some(), &["block"]), sentence));
        }
        let all = grid
            .iter()
            .fold(1u64, |all, &size| all.saturating_mul(size.into()));
        if all > MOST_BLOCKS {
            let sentence = format!("a grid of {all} thread blocks has more than {MOST_BLOCKS}");
            return Err(self.wrong(&at(own.grid.is_some(), &["grid"]), sentence));
        }
        let shared = own.shared.or(top.shared).unwrap_or(0);
        if shared > MOST_SHARED {
            let sentence = format!("shared is {shared} bytes; a block has at most {MOST_SHARED}");
            return Err(self.wrong(&at(own.shared.is_some(), &["shared"]), sentence));
        }
        let registers = own.registers.or(top.registers).unwrap_or(32);
        if !(1..=255).contains(&registers) {
            let sentence = format!("registers is {registers}; a thread has 1 to 255");
            return Err(self.wrong(&at(own.registers.is_some(), &["registers"]), sentence));
        }
        let [first, end] = own.blocks.or(top.blocks).unwrap_or([0, all as u32]);
        if first >= end || u64::from(end) > all {
            let sentence = format!(
                "the blocks {first} to {end} are no range of the grid's {all}; give [first, end] with first < end <= {all}"
            );
            return Err(self.wrong(&at(own.blocks.is_some(), &["blocks"]), sentence));
        }
        let arguments = own.arguments.as_ref().or(top.arguments.as_ref());
        let arguments = arguments.into_iter().flatten();
        let arguments: Vec<_> = arguments.map(|given| given.at(time)).collect();
        let (line, argument_lines) = match before {
            Some(before) => (before.line, before.argument_lines.clone()),
            None => {
                let list = at(own.arguments.is_some(), &["arguments"]);
                let mut lines = Vec::new();
                for (place, argument) in arguments.iter().enumerate() {
                    let place = place.to_string();
                    let keys = [&*list, &[&*place]].concat();
                    self.check_argument(&keys, argument)?;
                    lines.push(self.line_of(&keys));
                }
                (self.line_of(table), lines)
            }
        };
        Ok(Launch {
            entry: own.entry.as_ref().or(top.entry.as_ref()).cloned(),
            grid,
            block,
            shared,
            registers,
            blocks: first..end,
            is_recorded: own.recorded.or(top.recorded).unwrap_or(false),
            arguments,
            line,
            argument_lines,
        })
    }

    /// Where a key stands that a launch does not say itself: in what the launch belongs to, or at the top.
    fn first_with<'key>(&self, table: &[&'key str], keys: &[&'key str]) -> Vec<&'key str> {
        let owner = &table[..table.len().min(2)];
        let owned = [owner, keys].concat();
        match self.found(&owned).0 == owned.len() {
            true => owned,
            false => keys.to_vec(),
        }
    }

    fn check_argument(&self, keys: &[&str], argument: &Argument) -> Result<(), Error> {
        match argument {
            Argument::Buffer { name, offset } => {
                let Some(array) = self.tables.buffers.get(name) else {
                    return Err(self.wrong(keys, self.no_buffer(name)));
                };
                // The size of a buffer that is a file is known when it is placed.
                match array.size() {
                    Some(bytes) if *offset >= bytes => {
                        let sentence = format!(
                            "the buffer {name} has {bytes} bytes; reduce the offset {offset}"
                        );
                        Err(self.wrong(keys, sentence))
                    }
                    _ => Ok(()),
                }
            }
            Argument::Bytes(bytes) if bytes.is_empty() || bytes.len() > MOST_PARAMETERS => {
                let sentence = format!(
                    "{} bytes are no structure; give 1 to {MOST_PARAMETERS}",
                    bytes.len()
                );
                Err(self.wrong(keys, sentence))
            }
            _ => Ok(()),
        }
    }

    /// That there is no such buffer.
    fn no_buffer(&self, name: &str) -> String {
        let all: Vec<&str> = self.tables.buffers.keys().map(String::as_str).collect();
        match all.is_empty() {
            true => format!("there is no buffer {name}; add a table [buffers.{name}]"),
            false => format!(
                "there is no buffer {name}; there are {}; add a table [buffers.{name}], or check its spelling",
                all.join(", ")
            ),
        }
    }

    fn check_texture(&self, name: &str) -> Result<(), Error> {
        let Some(texture) = self.tables.textures.get(name) else {
            return Ok(());
        };
        let keys = ["textures", name];
        let at = |key| [&keys[..], &[key]].concat();
        let Some(array) = self.tables.buffers.get(&texture.buffer) else {
            return Err(self.wrong(&at("buffer"), self.no_buffer(&texture.buffer)));
        };
        let channels = texture.channels.unwrap_or(1);
        if ![1, 2, 4].contains(&channels) {
            let sentence =
                format!("a texel of {channels} elements is not possible; give 1, 2 or 4");
            return Err(self.wrong(&at("channels"), sentence));
        }
        let height = texture.height.unwrap_or(1);
        for (key, size) in [("width", texture.width), ("height", height)] {
            if !(1..=1 << 27).contains(&size) {
                let sentence = format!("{key} is {size}; give 1 to {}", 1 << 27);
                return Err(self.wrong(&at(key), sentence));
            }
        }
        let needed = texture.width * height * channels;
        match array.elements() {
            Some(there) if needed > there => {
                let sentence = format!(
                    "the texture takes {needed} elements of the buffer {}, which has {there}; reduce width or height",
                    texture.buffer
                );
                Err(self.wrong(&at("width"), sentence))
            }
            _ => Ok(()),
        }
    }

    fn check_array(&self, keys: &[&str], array: &Array) -> Result<(), Error> {
        let at = |key| [keys, &[key]].concat();
        let ways = array.ways();
        if let [first, second, ..] = *ways {
            let sentence =
                format!("{second} and {first} both say what it holds; remove one of them");
            return Err(self.wrong(&at(second), sentence));
        }
        if let (Some(values), Some(count)) = (&array.values, array.count) {
            let there = values.len();
            if there as u64 != count {
                let sentence = format!(
                    "there are {there} values for {count} elements; make count {there}, or remove it"
                );
                return Err(self.wrong(&at("count"), sentence));
            }
        }
        match array.elements() {
            None if array.file.is_none() => {
                let sentence = "it has no count; add count, the number of elements";
                return Err(self.wrong(keys, sentence));
            }
            Some(0) => {
                let key = if array.count.is_some() {
                    "count"
                } else {
                    "values"
                };
                return Err(self.wrong(&at(key), "it has no elements; give at least one"));
            }
            _ => {}
        }
        if array.size().is_some_and(|bytes| bytes > MOST_BYTES) {
            return Err(self.wrong(&at("count"), "it has more than 4 GiB; reduce count"));
        }
        if array.tolerance.is_some() && array.expected.is_none() {
            let sentence =
                "there is nothing to compare with; add expected = \"file\", or remove tolerance";
            return Err(self.wrong(&at("tolerance"), sentence));
        }
        if let Some(Err(sentence)) = array.tolerance.map(super::Tolerance::check) {
            return Err(self.wrong(&at("tolerance"), sentence));
        }
        let key = ways.first().copied().unwrap_or("count");
        let Err((place, sentence)) = array.check_contents() else {
            return Ok(());
        };
        let place = place.map(|place| place.to_string());
        let keys = match &place {
            Some(place) => [keys, &[key, place]].concat(),
            None => at(key),
        };
        Err(self.wrong(&keys, sentence))
    }

    /// Whether a buffer may have so many bytes.
    pub(super) const fn is_possible(bytes: u64) -> bool {
        bytes <= MOST_BYTES
    }
}

impl Array {
    /// How many elements it has, if the launch file says it.
    pub(super) fn elements(&self) -> Option<u64> {
        let values = self.values.as_ref().map(|values| values.len() as u64);
        self.count.or(values)
    }

    /// Its bytes, if the launch file says them.
    pub(super) fn size(&self) -> Option<u64> {
        self.elements()
            .map(|count| count.saturating_mul(self.element.bytes()))
    }

    /// The keys that say what it holds.
    fn ways(&self) -> Vec<&'static str> {
        let ways = [
            ("fill", self.fill.is_some()),
            ("values", self.values.is_some()),
            ("file", self.file.is_some()),
            ("random", self.random.is_some()),
            ("ramp", self.ramp.is_some()),
            ("sums", self.sums.is_some()),
            ("permutation", self.permutation.is_some()),
        ];
        let given = ways.into_iter().filter(|(_, is_given)| *is_given);
        given.map(|(key, _)| key).collect()
    }
}

impl super::Tolerance {
    /// Whether both numbers are possible.
    fn check(self) -> Result<(), &'static str> {
        let is_possible = |number: f64| number.is_finite() && number >= 0.0;
        match is_possible(self.absolute) && is_possible(self.relative) {
            true => Ok(()),
            false => Err("a tolerance is a number from 0 on; give such for absolute and relative"),
        }
    }
}

impl Element {
    /// Whether every whole number below this fits.
    pub(super) fn holds_below(self, end: u64) -> bool {
        let last = super::Number::Integer(end.saturating_sub(1).into());
        self.encode(last).is_ok()
    }
}
