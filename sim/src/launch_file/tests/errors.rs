//! Every error of a text, with its line.

use super::{HEAD, array};
use crate::launch_file::LaunchFile;

#[track_caller]
fn refused(text: &str, told: &str) {
    let error = LaunchFile::read(text, "run.toml").unwrap_err().to_string();
    assert!(error.starts_with(&format!("run.toml:{told}")), "{error}");
}

#[track_caller]
fn refused_array(lines: &str, told: &str) {
    refused(&array(lines), told);
}

#[test]
fn what_is_no_launch_file_is_one_sentence_with_its_line() {
    refused("", "1: the file is empty; give grid, block and arguments");
    refused("\n\n", "1: the file is empty");
    refused("grid = [1]\nblock = \n", "2: ");
    refused("grid = [1]\n\u{0}", "2: ");
    refused(
        "\ngrids = [1]\n",
        "2: unknown field `grids`, expected one of `entry`",
    );
    refused(
        "grid = [1]\n",
        "1: the launch has no block; add block = [x, y, z]",
    );
    refused(
        "block = [1]\n\n[[launches]]\n",
        "3: the launch has no grid; add grid = [x, y, z]",
    );
    refused(
        "block = [1]\ngrid = []\n",
        "2: 0 numbers are no size; give 1 to 3, in x, y and z",
    );
    refused(
        "block = [1]\ngrid = [1, 1, 1, 1]\n",
        "2: 4 numbers are no size",
    );
    refused("block = [1]\ngrid = [-1]\n", "2: invalid value");
    refused("block = [1]\ngrid = \"1\"\n", "2: invalid type");
    refused(
        "block = [1]\ngrid = [1, 0]\n",
        "2: grid is not from 1 to 2147483647, 65535 and 65535 in x, y and z",
    );
    refused(
        "block = [1]\ngrid = [65536, 65535]\n",
        "2: a grid of 4294901760 thread blocks has more than 2147483647",
    );
    refused(
        "grid = [1]\nblock = [1, 1, 65]\n",
        "2: block is not from 1 to 1024, 1024 and 64 in x, y and z",
    );
    refused("grid = [1]\nblock = [0]\n", "2: block is not from 1");
    refused(
        "grid = [1]\nblock = [33, 32]\n",
        "2: a block of 1056 threads has more than 1024",
    );
    refused(
        "grid = [1]\nblock = [1]\n[[launches]]\n[[launches]]\nblock = [1025]\n",
        "5: block is not",
    );
    let start = "grid = [4]\nblock = [1]\n";
    refused(
        &format!("{start}shared = 49153\n"),
        "3: shared is 49153 bytes; a block has at most 49152",
    );
    refused(
        &format!("{start}registers = 0\n"),
        "3: registers is 0; a thread has 1 to 255",
    );
    let blocks = "are no range of the grid's 4; give [first, end] with first < end <= 4";
    refused(
        &format!("{start}blocks = [1, 5]\n"),
        &format!("3: the blocks 1 to 5 {blocks}"),
    );
    refused(&format!("{start}blocks = [1, 1]\n"), "3: the blocks 1 to 1");
    refused(&format!("{start}blocks = [1]\n"), "3: invalid length 1");
    refused(
        &format!("{start}[[launches]]\nblock = [2]\nsharde = 3\n"),
        "5: unknown field `sharde`",
    );
}

#[test]
fn an_argument_is_a_buffer_a_number_or_bytes() {
    let with =
        |argument: &str| format!("grid = [1]\nblock = [1]\narguments = [\n7,\n{argument}]\n");
    refused(
        &with("\"b\""),
        "5: there is no buffer b; add a table [buffers.b]",
    );
    let known = format!("{}[buffers.a]\ntype = \"u8\"\ncount = 8\n", with("\"b\""));
    refused(
        &known,
        "5: there is no buffer b; there are a; add a table [buffers.b], or check its spelling",
    );
    refused(
        &known.replace("\"b\"", "\"a+8\""),
        "5: the buffer a has 8 bytes; reduce the offset 8",
    );
    for text in ["a+", "a+-1", "+4", "", "a+1+1"] {
        let told = format!("5: \"{text}\" is no buffer with an offset; write \"name+bytes\"");
        refused(&with(&format!("\"{text}\"")), &told);
    }
    refused(
        &with("true"),
        "5: invalid type: boolean `true`, expected the name of a buffer, a number, { bytes = [..] } or { from, step }",
    );
    refused(
        &with("{ bytes = [] }"),
        "5: 0 bytes are no structure; give 1 to 4096",
    );
    refused(&with("{ bytes = [256] }"), "5: invalid value");
    refused(&with("{ byte = [1] }"), "5: unknown field `byte`");
    for table in ["{}", "{ from = 1 }", "{ bytes = [1], from = 1, step = 1 }"] {
        refused(&with(table), "5: give { bytes = [..] } or { from, step }");
    }
}

#[test]
fn launches_are_repeated_as_often_as_is_possible() {
    let head = "grid = [1]\nblock = [1]\n[[launches]]\n";
    refused(
        &format!("{head}times = 0\n"),
        "4: times is 0; give 1 to 65536",
    );
    refused(
        &format!("{head}times = 65537\n"),
        "4: times is 65537; give 1 to 65536",
    );
    refused(
        &format!("{head}times = 3\nblock = [{{ from = 2, step = -1 }}]\n"),
        "5: block is not from 1 to 1024, 1024 and 64 in x, y and z at time 3",
    );
    refused(
        &format!("{head}times = 2\ngrid = [{{ from = 2 }}]\n"),
        "5: missing field `step`",
    );
    refused(
        &format!("{head}times = 2\n[[launches.launches]]\n[[launches.launches]]\ntimes = 2\n"),
        "6: a launch that is repeated in turn is one; remove its times and launches",
    );
    // What is wrong stands in the launches that belong together, not at the top.
    refused(
        &format!("{head}grid = [0]\ntimes = 2\n[[launches.launches]]\n"),
        "4: grid is not from 1",
    );
}

#[test]
fn an_array_says_once_what_it_holds() {
    refused_array("count = 3", "4: missing field `type`");
    refused_array(
        "type = \"f16\"\ncount = 1",
        "5: unknown variant `f16`, expected one of `u8`",
    );
    refused_array("type = \"u8\"\nfil = 1", "6: unknown field `fil`");
    refused_array(
        "type = \"u8\"\ncount = 2\nfill = 1\nvalues = [1]",
        "8: values and fill both say what it holds; remove one",
    );
    refused_array(
        "type = \"u8\"\ncount = 2\nvalues = [1]",
        "6: there are 1 values for 2 elements; make count 1, or remove it",
    );
    refused_array(
        "type = \"u8\"\nfill = 1",
        "4: it has no count; add count, the number of elements",
    );
    refused_array(
        "type = \"u8\"\ncount = 0",
        "6: it has no elements; give at least one",
    );
    refused_array("type = \"u8\"\nvalues = []", "6: it has no elements");
    refused_array("type = \"u8\"\ncount = -1", "6: invalid value");
    refused_array(
        "type = \"u16\"\ncount = 2147483649",
        "6: it has more than 4 GiB; reduce count",
    );
    refused_array(
        "type = \"u64\"\ncount = 9223372036854775807",
        "6: it has more than 4 GiB",
    );
    refused_array(
        "type = \"u8\"\ncount = 1\ntolerance = {}",
        "7: there is nothing to compare with; add expected",
    );
    let negative = "type = \"u8\"\ncount = 1\nexpected = \"a\"\ntolerance = { absolute = -1 }";
    refused_array(negative, "8: a tolerance is a number from 0 on");
    for name in ["a+b", " a", "", "../a", "a/b", ".a"] {
        refused(
            &format!("{HEAD}[buffers.\"{name}\"]\ntype = \"u8\"\ncount = 1\n"),
            "4: a buffer's name has letters, digits, _, - and . alone",
        );
    }
    let symbol = "type = \"u8\"\ncount = 1\n[symbols.s]\ntype = \"u8\"\ncount = 1\noutput = true";
    refused_array(symbol, "10: output is for buffers alone; remove it");
    refused_array(
        &symbol.replace("count = 1\noutput = true", ""),
        "7: it has no count",
    );
}

#[test]
fn numbers_fit_the_type_of_their_array() {
    refused_array(
        "type = \"u8\"\ncount = 1\nfill = 256",
        "7: 256 is no u8; give numbers from 0 to 255, or another type",
    );
    refused_array(
        "type = \"i32\"\ncount = 1\nfill = 0.5",
        "7: 0.5 is no i32; give whole numbers, or another type",
    );
    refused_array(
        "type = \"i8\"\nvalues = [\n1,\n-129,\n]",
        "8: -129 is no i8; give numbers from -128 to 127",
    );
    let random =
        |ty: &str, range: &str| format!("type = \"{ty}\"\ncount = 3\nrandom = {{ {range} }}");
    refused_array(
        &random("f32", "from = 1, to = 1"),
        "7: no number is from 1 to below 1; give a larger to",
    );
    refused_array(
        &random("f32", "from = 1, to = nan"),
        "7: no number is from 1 to below NaN",
    );
    refused_array(&random("u8", "from = 0, to = 257"), "7: 256 is no u8");
    refused_array(&random("u8", "from = -1, to = 2"), "7: -1 is no u8");
    refused_array(
        &random("u8", "from = 0, to = 1.5"),
        "7: 1.5 is no whole number",
    );
    refused_array(&random("u8", "from = 0"), "7: missing field `to`");
    refused_array(
        &random("u8", "from = 0, to = 1, seeds = 2"),
        "7: unknown field `seeds`",
    );
    refused_array(
        "type = \"u8\"\ncount = 3\nramp = { from = 0, step = -1 }",
        "7: -2 is no u8",
    );
    let sums =
        |ty: &str, range: &str| format!("type = \"{ty}\"\ncount = 200\nsums = {{ {range} }}");
    refused_array(
        &sums("u8", "from = 0, to = 2"),
        "7: the sums may reach 400, which is no u8; reduce to, or give another type",
    );
    refused_array(
        &sums("i32", "from = -1, to = 2"),
        "7: from is -1; sums are of numbers from 0 on",
    );
    refused_array(
        &sums("f32", "from = 0, to = 2"),
        "7: f32 is no type of whole numbers; give another type",
    );
    refused_array(
        "type = \"f32\"\ncount = 3\npermutation = {}",
        "7: f32 is no type of whole numbers",
    );
    refused_array(
        "type = \"u8\"\ncount = 257\npermutation = {}",
        "7: 257 numbers do not fit into u8; reduce count, or give another type",
    );
}

#[test]
fn a_texture_lies_in_a_buffer() {
    let with = |lines: &str| array(&format!("type = \"u8\"\ncount = 12\n[textures.t]\n{lines}"));
    refused(
        &with("buffer = \"b\"\nwidth = 1"),
        "8: there is no buffer b; there are a;",
    );
    refused(&with("width = 1"), "7: missing field `buffer`");
    refused(
        &with("buffer = \"a\"\nwidth = 0"),
        "9: width is 0; give 1 to 134217728",
    );
    refused(
        &with("buffer = \"a\"\nwidth = 1\nheight = 0"),
        "10: height is 0",
    );
    refused(
        &with("buffer = \"a\"\nwidth = 1\nchannels = 3"),
        "10: a texel of 3 elements is not possible; give 1, 2 or 4",
    );
    refused(
        &with("buffer = \"a\"\nwidth = 4\nheight = 4"),
        "9: the texture takes 16 elements of the buffer a, which has 12; reduce width or height",
    );
}

/// Whatever a text is, it is read or refused, and an error names one of its lines.
#[test]
fn no_text_ends_the_reader() {
    let whole = array(
        "type = \"u32\"\ncount = 64\nsums = { from = 1, to = 4, seed = 2 }\n[buffers.b]\ntype = \"i8\"\nvalues = [1, -1]\n\
         [textures.picture]\nbuffer = \"a\"\nwidth = 4\nheight = 8\n[[launches]]\ngrid = [4]\nblocks = [1, 3]\n\
         [buffers.c]\ntype = \"f32\"\ncount = 9\nramp = { from = 0, step = 1e3 }\noutput = true",
    );
    assert!(LaunchFile::read(&whole, "run.toml").is_ok());
    let mut random = fastrand::Rng::with_seed(7);
    let (mut refused, mut read) = (0, 0);
    for _ in 0..3000 {
        let mut bytes = whole.as_bytes().to_vec();
        for _ in 0..random.usize(1..4) {
            let place = random.usize(..bytes.len());
            match random.u8(..3) {
                0 => bytes[place] = b"{}[],.=-+0179eaZ\" \n"[random.usize(..19)],
                1 => drop(bytes.remove(place)),
                _ => bytes.insert(place, b"0179-."[random.usize(..6)]),
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        match LaunchFile::read(&text, "run.toml") {
            Ok(file) => {
                read += 1;
                assert!(!file.launches().is_empty());
            }
            Err(error) => {
                refused += 1;
                assert!(
                    (1..=text.lines().count() + 1).contains(&error.line),
                    "{error}"
                );
                assert!(!error.sentence.is_empty());
            }
        }
    }
    assert!(refused > 300 && read > 50, "{refused} {read}");
}

#[test]
fn a_number_that_a_single_does_not_hold_is_refused() {
    refused_array(
        "type = \"f32\"\ncount = 1\nfill = 1e300",
        "7: 1e300 is no f32, whose largest is 3.4028235e38; give a smaller number",
    );
    refused_array(
        "type = \"u64\"\ncount = 1\nfill = -1",
        "7: -1 is no u64; give numbers from 0 to 18446744073709551615",
    );
    refused_array(
        "type = \"f32\"\ncount = 1\nrandom = { from = 0, to = 1e39 }",
        "7: 1e39 is no f32",
    );
}
