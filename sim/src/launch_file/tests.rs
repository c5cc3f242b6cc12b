//! Files that are right, and those whose folder is not.

mod errors;

use std::path::Path;

use super::*;
use crate::simt::Width;

/// Starts a kernel with a buffer `a`; tables follow from line 4 on.
const HEAD: &str = "grid = [2]\nblock = [32]\narguments = [\"a\"]\n";

fn read(text: &str) -> LaunchFile {
    LaunchFile::read(text, "run.toml").unwrap()
}

/// A file with one buffer, `a`, of which these lines tell.
fn array(lines: &str) -> String {
    format!("{HEAD}[buffers.a]\n{lines}\n")
}

/// The elements of a buffer.
fn elements(lines: &str) -> Vec<Number> {
    let placed = read(&array(lines)).place(Path::new(".")).unwrap();
    let buffer = &placed.buffers[0];
    let bytes = buffer.read(&placed.memory);
    let chunks = bytes.chunks(buffer.element.bytes() as usize);
    chunks.map(|chunk| buffer.element.decode(chunk)).collect()
}

fn integers(lines: &str) -> Vec<i64> {
    let whole = elements(lines).into_iter().map(|number| match number {
        Number::Integer(number) => i64::try_from(number).unwrap(),
        Number::Float(number) => panic!("{number} is not whole"),
    });
    whole.collect()
}

fn floats(lines: &str) -> Vec<f64> {
    elements(lines).into_iter().map(Number::as_f64).collect()
}

#[test]
fn a_launch_says_how_a_kernel_starts() {
    let text = "entry = \"k\"\ngrid = [4, 2]\nblock = [16, 2, 3]\nshared = 512\nregisters = 20\nblocks = [2, 7]\n\
        arguments = [\"a\", \"a+0x10\", \"a + 8\", -3, 0.5, { bytes = [1, 2] }]\n[buffers.a]\ntype = \"u8\"\ncount = 24\n";
    let file = read(text);
    let buffer = |offset| Argument::Buffer {
        name: "a".to_owned(),
        offset,
    };
    let expected = Launch {
        entry: Some("k".to_owned()),
        grid: [4, 2, 1],
        block: [16, 2, 3],
        shared: 512,
        registers: 20,
        blocks: 2..7,
        is_recorded: false,
        arguments: vec![
            buffer(0),
            buffer(16),
            buffer(8),
            Argument::Integer(-3),
            Argument::Float(0.5),
            Argument::Bytes(vec![1, 2]),
        ],
        line: 1,
        argument_lines: vec![7; 6],
    };
    assert_eq!(file.launches(), std::slice::from_ref(&expected));
    assert_eq!(expected.threads(), 96);
    let least = read("grid = [3]\nblock = [32]\n");
    let least = &least.launches()[0];
    assert_eq!(
        (&least.entry, least.shared, least.registers),
        (&None, 0, 32)
    );
    assert_eq!((&least.blocks, least.arguments.len()), (&(0..3), 0));
}

#[test]
fn launches_say_what_differs_from_the_top() {
    let text = "entry = \"first\"\ngrid = [4]\nblock = [32]\narguments = [1]\n\
        [[launches]]\n[[launches]]\nentry = \"second\"\ngrid = [2]\nblocks = [1, 2]\narguments = [\n  2,\n  3,\n]\n";
    let file = read(text);
    let [first, second] = file.launches() else {
        panic!("there are two launches");
    };
    assert_eq!((first.entry.as_deref(), first.line), (Some("first"), 5));
    assert_eq!(
        (first.blocks.clone(), &*first.argument_lines),
        (0..4, &[4][..])
    );
    assert_eq!((second.entry.as_deref(), second.line), (Some("second"), 6));
    assert_eq!((second.grid, second.block), ([2, 1, 1], [32, 1, 1]));
    assert_eq!(
        (second.blocks.clone(), &*second.argument_lines),
        (1..2, &[11, 12][..])
    );
}

#[test]
fn launches_are_repeated_with_numbers_that_differ() {
    let text = "block = [32]\n[[launches]]\ntimes = 3\nentry = \"once\"\ngrid = [{ from = 3, step = -1 }, 2]\n\
        arguments = [{ from = 0, step = 16 }, 0.5]\n\
        [[launches]]\ntimes = 2\ngrid = [5]\n[[launches.launches]]\nentry = \"first\"\n\
        [[launches.launches]]\nentry = \"second\"\ngrid = [7]\narguments = [\n{ from = -1, step = 1 },\n]\n";
    let file = read(text);
    let all: Vec<_> = file
        .launches()
        .iter()
        .map(|launch| {
            let entry = launch.entry.as_deref().unwrap();
            (
                entry,
                launch.grid,
                launch.arguments.first().cloned(),
                launch.line,
            )
        })
        .collect();
    let number = |number| Some(Argument::Integer(number));
    let expected = [
        ("once", [3, 2, 1], number(0), 2),
        ("once", [2, 2, 1], number(16), 2),
        ("once", [1, 2, 1], number(32), 2),
        ("first", [5, 1, 1], None, 10),
        ("second", [7, 1, 1], number(-1), 12),
        ("first", [5, 1, 1], None, 10),
        ("second", [7, 1, 1], number(0), 12),
    ];
    assert_eq!(all, expected);
    let lines = file
        .launches()
        .iter()
        .map(|launch| launch.argument_lines.clone());
    let lines: Vec<_> = lines.collect();
    assert_eq!((&*lines[2], &*lines[6]), (&[6, 6][..], &[16][..]));
}

#[test]
fn every_buffer_has_regions_of_its_own() {
    let text = "grid = [1]\nblock = [1]\n[buffers]\nc = { type = \"i16\", values = [-2, 3, 4] }\n\
        b = { type = \"u8\", count = 65537, fill = 1 }\na = { type = \"f64\", count = 1, output = true }\n";
    let placed = read(text).place(Path::new(".")).unwrap();
    let places: Vec<_> = placed
        .buffers
        .iter()
        .map(|buffer| {
            (
                &*buffer.name,
                buffer.address,
                buffer.bytes,
                buffer.is_output,
            )
        })
        .collect();
    let expected = [
        ("a", 0x1_0000_0000, 8, true),
        ("b", 0x1_0001_0000, 65537, false),
        ("c", 0x1_0003_0000, 6, false),
    ];
    assert_eq!(places, expected);
    let memory = &placed.memory;
    assert_eq!(memory.read(0x1_0003_0000, Width::Eight), 0x4_0003_fffe);
    assert_eq!(memory.read(0x1_0002_0000, Width::Eight), 1);
    assert_eq!(
        placed.buffer("c").unwrap().read(memory),
        [0xfe, 0xff, 3, 0, 4, 0]
    );
}

#[test]
fn arrays_hold_what_the_file_says() {
    assert_eq!(integers("type = \"u8\"\ncount = 3\nfill = 255"), [255; 3]);
    assert_eq!(integers("type = \"i32\"\ncount = 2"), [0, 0]);
    assert_eq!(integers("type = \"i64\"\nvalues = [-1, 2.0]"), [-1, 2]);
    assert_eq!(
        integers("type = \"u16\"\ncount = 4\nramp = { from = 7, step = -2 }"),
        [7, 5, 3, 1]
    );
    assert_eq!(
        integers("type = \"u32\"\ncount = 4\nramp = { from = 2, step = 0.5 }"),
        [2, 2, 3, 3]
    );
    assert_eq!(
        elements("type = \"u64\"\nvalues = [9223372036854775808, 18446744073709551615]"),
        [1 << 63, u64::MAX.into()].map(Number::Integer)
    );
    assert_eq!(floats("type = \"f32\"\ncount = 3\nfill = 0.5"), [0.5; 3]);
    assert_eq!(floats("type = \"f32\"\nvalues = [inf]"), [f64::INFINITY]);
    assert_eq!(
        floats("type = \"f64\"\ncount = 3\nramp = { from = 1, step = 0.25 }"),
        [1.0, 1.25, 1.5]
    );
    let single = floats("type = \"f32\"\nvalues = [16777217, 0.1]");
    assert_eq!(single, [16_777_216.0, f64::from(0.1f32)]);
}

#[test]
fn random_numbers_are_those_of_their_seed() {
    let with = |seed: u64| {
        let lines =
            format!("type = \"i8\"\ncount = 500\nrandom = {{ from = -2, to = 3, seed = {seed} }}");
        integers(&lines)
    };
    assert_eq!(with(3), with(3));
    assert_ne!(with(3), with(4));
    let mut seen = with(3);
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen, [-2, -1, 0, 1, 2]);
    let whole = "type = \"u8\"\ncount = 9\nrandom = { from = 0, to = 256 }";
    assert_eq!(integers(whole).len(), 9);
    let singles = floats("type = \"f32\"\ncount = 500\nrandom = { from = 1, to = 1.00000012 }");
    assert!(
        singles
            .iter()
            .all(|single| (1.0..1.000_000_12).contains(single))
    );
    let doubles = floats("type = \"f64\"\ncount = 500\nrandom = { from = -1, to = 1 }");
    assert!(doubles.iter().all(|double| (-1.0..1.0).contains(double)));
    assert!(
        doubles.iter().any(|double| *double < -0.5) && doubles.iter().any(|double| *double > 0.5)
    );
}

#[test]
fn sums_and_permutations_make_indices() {
    let sums = integers("type = \"u32\"\ncount = 100\nsums = { from = 1, to = 4, seed = 2 }");
    assert_eq!(sums[0], 0);
    assert!(
        sums.windows(2)
            .all(|pair| (1..4).contains(&(pair[1] - pair[0])))
    );
    let order = integers("type = \"u8\"\ncount = 256\npermutation = { seed = 5 }");
    assert_ne!(order, (0..256).collect::<Vec<_>>());
    let mut sorted = order;
    sorted.sort_unstable();
    assert_eq!(sorted, (0..256).collect::<Vec<_>>());
}

#[test]
fn symbols_and_textures_are_placed() {
    let text = array(
        "type = \"u32\"\ncount = 64\n[symbols.step]\ntype = \"i16\"\nvalues = [1, -1]\n\
         [textures.picture]\nbuffer = \"a\"\nwidth = 4\nheight = 8\nchannels = 2\nnormalized = true",
    );
    let placed = read(&text).place(Path::new(".")).unwrap();
    let symbol = PlacedSymbol {
        name: "step".to_owned(),
        bytes: vec![1, 0, 255, 255],
        line: 7,
    };
    assert_eq!(placed.symbols, [symbol]);
    let texture = PlacedTexture {
        name: "picture".to_owned(),
        address: 0x1_0000_0000,
        element: Element::U32,
        channels: 2,
        width: 4,
        height: 8,
        normalized: true,
        line: 10,
    };
    assert_eq!(placed.textures, [texture]);
}

/// A folder that is gone after the test.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let name = format!("faultline-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.0.join(name), bytes).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

#[test]
fn files_hold_the_bytes_of_arrays() {
    let folder = Folder::new("arrays");
    folder.write("a.bin", &[1, 0, 2, 0, 3, 1]);
    folder.write("none.bin", &[]);
    let place = |lines: &str| read(&array(lines)).place(&folder.0);
    let placed =
        place("type = \"u16\"\nfile = \"a.bin\"\n[symbols.s]\ntype = \"u16\"\nfile = \"a.bin\"")
            .unwrap();
    assert_eq!(placed.buffers[0].bytes, 6);
    assert_eq!(
        placed.memory.read(0x1_0000_0000, Width::Eight),
        0x103_0002_0001
    );
    assert_eq!(placed.symbols[0].bytes, [1, 0, 2, 0, 3, 1]);
    for (lines, told) in [
        (
            "type = \"u16\"\ncount = 4\nfile = \"a.bin\"",
            "7: a.bin has 6 bytes, and count asks for 8; make count 3",
        ),
        (
            "type = \"u32\"\nfile = \"a.bin\"",
            "6: a.bin has 6 bytes, no multiple of the 4 of u32; give another type or file",
        ),
        (
            "type = \"u32\"\nfile = \"none.bin\"",
            "6: none.bin is empty; give a file with elements",
        ),
        (
            "type = \"u32\"\nfile = \"b.bin\"",
            "6: b.bin cannot be read (",
        ),
        (
            "type = \"u16\"\nfile = \"a.bin\"\n[textures.t]\nbuffer = \"a\"\nwidth = 4",
            "9: the texture takes 8 bytes of the buffer a, which has 6; reduce width or height",
        ),
        (
            "type = \"u16\"\nfile = \"a.bin\"\n[[launches]]\narguments = [\n 1,\n\"a+6\"]",
            "10: the buffer a has 6 bytes; reduce the offset 6",
        ),
        (
            "type = \"u8\"\ncount = 7\n\nexpected = \"a.bin\"",
            "8: a.bin has 6 bytes, and the buffer 7; give a file of the same size",
        ),
        (
            "type = \"u8\"\ncount = 7\nexpected = \"b.bin\"",
            "7: b.bin cannot be read (",
        ),
    ] {
        let error = place(lines).unwrap_err().to_string();
        assert!(error.starts_with(&format!("run.toml:{told}")), "{error}");
    }
}

#[test]
fn what_differs_from_the_expected_is_its_first_element() {
    let folder = Folder::new("expected");
    let singles = [1.0f32, 2.0, f32::NAN, 4.0];
    let bytes: Vec<u8> = singles
        .iter()
        .flat_map(|single| single.to_le_bytes())
        .collect();
    folder.write("a.bin", &bytes);
    let with = |values: &str, tolerance: &str| {
        let lines = format!("type = \"f32\"\nvalues = {values}\nexpected = \"a.bin\"\n{tolerance}");
        let placed = read(&array(&lines)).place(&folder.0).unwrap();
        let told = placed.compare(&placed.memory);
        told.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let none: [&str; 0] = [];
    assert_eq!(with("[1, 2, nan, 4]", ""), none);
    assert_eq!(
        with("[1, 2.5, nan, 5]", ""),
        ["a[1] is 2.5 and should be 2.0 (2 of 4 elements differ)"]
    );
    assert_eq!(
        with(
            "[1.5, 2.5, -nan, 5]",
            "tolerance = { absolute = 0.5, relative = 0.125 }"
        ),
        none
    );
    assert_eq!(
        with("[1, 2, 3, 4.5]", "tolerance = { relative = 0.2 }"),
        ["a[2] is 3.0 and should be NaN (1 of 4 elements differ)"]
    );
}

#[test]
fn the_schema_knows_every_key() {
    let schema = serde_json::to_value(schema()).unwrap();
    let keys = schema["properties"].as_object().unwrap();
    for key in [
        "entry",
        "grid",
        "block",
        "shared",
        "registers",
        "blocks",
        "arguments",
    ] {
        assert!(keys.contains_key(key), "{key}");
    }
    assert!(schema.get("required").is_none(), "{schema}");
    let array = &schema["$defs"]["Array"];
    assert_eq!(array["required"], serde_json::json!(["type"]));
    assert_eq!(array["additionalProperties"], false);
    assert!(array["properties"]["permutation"].is_object());
}

#[cfg(unix)]
#[test]
fn a_file_without_an_end_is_read_as_far_as_is_needed() {
    let place = |lines: &str| {
        let placed = read(&array(lines)).place(Path::new("."));
        placed.map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(
        place("type = \"u8\"\ncount = 64\nfile = \"/dev/zero\""),
        Err("run.toml:7: /dev/zero has more than the 64 bytes that count asks for; give a shorter file, or increase count".to_owned())
    );
    assert_eq!(
        place("type = \"u8\"\nfile = \"/dev/zero\""),
        Err(
            "run.toml:6: /dev/zero is no regular file; add count, the number of elements"
                .to_owned()
        )
    );
    assert_eq!(
        place("type = \"u8\"\ncount = 8\nexpected = \"/dev/zero\""),
        Err(
            "run.toml:7: /dev/zero has 9 bytes, and the buffer 8; give a file of the same size"
                .to_owned()
        )
    );
}
