//! Traces that are wrong get one sentence with file and line.

#[path = "../examples/write_traces/assemble.rs"]
mod assemble;
#[path = "../examples/write_traces/kernels.rs"]
mod kernels;
mod reading;

use std::io::Cursor;
use std::path::Path;

use faultline_sim::trace::{SAXPY, Summary, Trace};
use reading::instructions;

#[test]
fn every_truncation_is_an_error_with_its_line() {
    let text = kernels::files()[3].1.clone().into_bytes();
    // What follows the last block's end is white space, and may be missing.
    let whole = text.trim_ascii_end().len();
    assert_eq!(
        instructions(&text[..whole]).map(|all| all.len()),
        instructions(&text).map(|all| all.len())
    );
    assert!(
        text.windows(7)
            .filter(|window| window == b"#END_TB")
            .count()
            > 1
    );
    for end in 0..whole {
        let result = instructions(&text[..end]).map(|_| ());
        let sentence = result.expect_err("a cut trace");
        let lines = text[..end].iter().filter(|&&byte| byte == b'\n').count();
        let line: usize = sentence.split(':').nth(1).unwrap().parse().unwrap();
        assert!(
            (lines..=lines + 1).contains(&line) || end == 0,
            "cut at {end}: {sentence}"
        );
        assert!(!sentence.contains('\n'), "{sentence}");
    }
}

#[test]
fn a_trace_cut_between_thread_blocks_says_how_many_are_missing() {
    let lines: Vec<&str> = SAXPY.lines().collect();
    let ends: Vec<usize> = (1..=lines.len())
        .filter(|&end| lines[end - 1] == "#END_TB")
        .collect();
    assert_eq!(ends.len(), 8);
    for (whole, end) in (1..).zip(&ends) {
        let result = instructions(lines[..*end].join("\n").as_bytes());
        let expected = match 8 - whole {
            0 => {
                assert!(result.is_ok());
                continue;
            }
            1 => "the grid's last thread block".to_owned(),
            missing => format!("{missing} more thread blocks of the grid"),
        };
        let expected = format!("t:{end}: the file ends where {expected} should follow");
        let sentence = result.expect_err("a cut trace");
        assert!(sentence.starts_with(&expected), "{sentence}");
    }
}

/// A trace whose line `number` is replaced.
fn with_line(number: usize, line: &str) -> String {
    let mut lines: Vec<&str> = SAXPY.lines().collect();
    lines[number - 1] = line;
    lines.join("\n")
}

#[test]
fn wrong_fields_are_named_with_file_and_line() {
    // Line 21 holds `warp = 0`, line 22 `insts = ...`, line 23 the first instruction.
    let cases = [
        (3, "-grid dim = (0,1,1)", "t:3: the grid is \"(0,1,1)\""),
        (
            3,
            "-grid dim = (4294967295,4294967295,4294967295)",
            "t:3: the grid is \"(4294967295,4294967295,4294967295)\", but should be three sizes whose product is below 2^63;",
        ),
        (
            4,
            "-block dim = (1025,1,1)",
            "t:4: the thread block is \"(1025,1,1)\", but should be three sizes whose product is 1024 at most;",
        ),
        (
            5,
            "-shmem = 99999999",
            "t:5: the shared memory is 99999999, and at most 16777216",
        ),
        (
            6,
            "-nregs = 70000",
            "t:6: the number of registers is 70000, and at most 256",
        ),
        (
            12,
            "-accelsim tracer version = 7",
            "t:12: tracer version 7 is not known",
        ),
        // Without a version, each instruction starts with coordinates.
        (
            12,
            "-accelsim = 5",
            "t:23: block y (the header names no tracer version of 3 or more) is \"ffffffff\"",
        ),
        (15, "what", "t:15: \"what\" stands where a header line"),
        (
            19,
            "thread block = 8,0,0",
            "t:19: the thread block is \"8,0,0\"",
        ),
        (21, "warp = 4", "t:21: the warp number is 4, and at most 3"),
        (
            22,
            "insts = 1000000000000",
            "t:77: \"warp = 1\" stands where an instruction of the warp should, 999999999947 short of",
        ),
        (
            22,
            "insts = 99999999999999999999",
            "t:22: the number of instructions is \"99999999999999999999\"",
        ),
        (
            22,
            "insts = -1",
            "t:22: the number of instructions is \"-1\"",
        ),
        (
            23,
            "0000 1ffffffff 1 R1 MOV 0 0 0",
            "t:23: the lane mask is \"1ffffffff\"",
        ),
        (
            23,
            "0000 00000003 1 R1 LDG.E 1 R2 4 1 0x1000007c 2 0",
            "t:23: lane 1 accesses 4 bytes at 0x1000007e, across the end of a line",
        ),
        (
            23,
            "0000 ffffffff 1 R256 MOV 0 0 0",
            "t:23: the destination register is \"R256\"",
        ),
        (
            23,
            "0000 ffffffff 9 R1 MOV 0 0 0",
            "t:23: the number of destinations is 9, and at most 8",
        ),
        (
            23,
            "0000 ffffffff 1 R1 MOV 4000000000 0 0",
            "t:23: the number of sources is 4000000000",
        ),
        (
            23,
            "0000 ffffffff 1 R1 MOV 0 0",
            "t:23: the line ends before the immediate",
        ),
        (
            23,
            "0000 ffffffff 1 R1 MOV 0 0 0 0",
            "t:23: \"0\" follows the last field",
        ),
        (
            23,
            "0000 ffffffff 1 R1 LDG.E 1 R2 4 3 0 0",
            "t:23: the address mode is 3, and at most 2",
        ),
        (
            23,
            "0000 ffffffff 1 R1 FOO 1 R2 4 1 0x0 4 0",
            "t:23: FOO has addresses, and is no memory operation that is known; correct the opcode",
        ),
        (
            23,
            "0000 00000005 1 R1 LDG.E 1 R2 4 1 0x0 4 0",
            "t:23: address mode 1 needs active lanes",
        ),
        (
            23,
            "0000 00000003 1 R1 LDG.E 1 R2 4 1 0x0 -4 0",
            "t:23: the address of lane 1 does not fit",
        ),
        (
            23,
            "0000 1 1 R1 LDG.E 1 R2 4 0 0xfffffffffffffffd 0",
            "t:23: the address of lane 0 does not",
        ),
        (
            23,
            "0000 1 1 R1 LDG.E 1 R2 4 2 0x10000000000000000 0",
            "t:23: the base address is",
        ),
    ];
    for (number, line, expected) in cases {
        let sentence = instructions(with_line(number, line).as_bytes()).expect_err(line);
        assert!(
            sentence.starts_with(expected),
            "{sentence}\nshould start with\n{expected}"
        );
        assert!(
            !sentence.contains('\n') && sentence.len() < 200,
            "{sentence}"
        );
    }
}

/// They have addresses, and access nothing.
#[test]
fn addresses_without_an_access_are_read() {
    for opcode in ["CCTL.IVALL", "QSPC.E.S"] {
        let line = format!("0000 ffffffff 1 R1 {opcode} 1 R2 4 1 0x0 4 0");
        let read = instructions(with_line(23, &line).as_bytes()).unwrap();
        assert_eq!(read[0].class.space(), None, "{opcode}");
    }
}

#[test]
fn files_that_are_no_traces_get_a_sentence() {
    let long = [b"-kernel name = ".to_vec(), vec![b'x'; 70_000]].concat();
    let cases: [(&[u8], &str); 9] = [
        (b"", "t:1: the file is empty"),
        (b"\n \n\n", "t:3: the file is empty"),
        (
            b"\x7fELF\x02\x01\x01\0\0",
            "t:1: this is no text (byte 0x7f in column 1)",
        ),
        (
            b"-kernel name = \xff\xfe",
            "t:1: this is no text (byte 0xff in column 16)",
        ),
        (b"\xfd7zXZ\0", "t:1: the file is compressed with xz"),
        (b"\x1f\x8b\x08", "t:1: the file is compressed with gzip"),
        (b"BZh9", "t:1: the file is compressed with bzip2"),
        (&long, "t:1: the line is longer than 65536 bytes"),
        (b"hello\n", "t:1: \"hello\" stands where a header line"),
    ];
    for (bytes, expected) in cases {
        let sentence = instructions(bytes).expect_err(expected);
        assert!(sentence.starts_with(expected), "{sentence}");
        let list = Trace::read(Cursor::new(bytes), Path::new("t"));
        assert!(list.is_err() || bytes.starts_with(b"-"), "{expected}");
    }
    let sentence = Summary::of(Path::new("/nonexistent/x"), |_, _| {})
        .unwrap_err()
        .to_string();
    assert!(
        sentence.starts_with("/nonexistent/x: the file cannot be opened"),
        "{sentence}"
    );
    let sentence = Summary::of(Path::new("/"), |_, _| {})
        .unwrap_err()
        .to_string();
    assert!(sentence.starts_with("/: this is a folder"), "{sentence}");
}

#[test]
fn a_list_names_its_wrong_line() {
    let cases = [
        (
            "MemcpyHtoD,0x10\nkernel-1.traceg",
            "t:1: the line ends before the copy's size",
        ),
        (
            "MemcpyHtoD,0xzz,1\nkernel-1.traceg",
            "t:1: the copy's address is \"0xzz\"",
        ),
        (
            "MemcpyHtoD,0x10,5\n",
            "t:1: the file ends where a kernel's file name",
        ),
        ("run me\nand me", "t:1: \"run me\" stands where"),
        ("MemcpyHtoD,0x10,5\nrun me", "t:2: the file ends where"),
    ];
    for (text, expected) in cases {
        let sentence = Trace::read(Cursor::new(text), Path::new("t"))
            .unwrap_err()
            .to_string();
        assert!(sentence.starts_with(expected), "{sentence}");
    }
    let text = "MemcpyHtoD,0x10,5\n\nkernel-9.traceg\n";
    let list = Trace::read(Cursor::new(text), Path::new("/nonexistent/list.g")).unwrap();
    let sentence = list.readers().next().unwrap().err().unwrap().to_string();
    let expected = "/nonexistent/list.g:3: the kernel's file kernel-9.traceg cannot be opened";
    assert!(sentence.starts_with(expected), "{sentence}");
    let text = "MemcpyHtoD,0x10,5\nMemcpyDtoH,0x10,5\nkernel-1.traceg\nkernel-2.traceg\n";
    let list = Trace::read(Cursor::new(text), Path::new("folder/kernelslist.g")).unwrap();
    assert_eq!(list.copies.len(), 1);
    assert_eq!(
        list.kernels,
        [
            Path::new("folder/kernel-1.traceg"),
            Path::new("folder/kernel-2.traceg")
        ]
    );
}
