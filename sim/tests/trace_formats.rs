//! Traces as tracers of different versions write them, and as they are compressed.

#![expect(
    clippy::unwrap_used,
    reason = "what helpers write and cut is known to be there"
)]

#[path = "../examples/write_traces/assemble.rs"]
#[expect(dead_code, reason = "the other tests of traces write with all of it")]
mod assemble;
mod reading;

use std::fs;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

use assemble::{At, Irregular, Kernel};
use faultline_sim::trace::{KernelSummary, Reader, SAXPY, Summary, Trace};
use flate2::Compression;
use flate2::write::GzEncoder;
use lzma_rust2::{XzOptions, XzWriter};
use reading::instructions;

/// A trace of one warp, with its instructions.
fn warp(version: &str, lines: &[&str]) -> String {
    let body = block(0, "", lines);
    format!("-grid dim = (1,1,1)\n-block dim = (32,1,1)\n{version}\n{body}")
}

/// A thread block of one warp; `cluster` stands below its coordinates.
fn block(x: u32, cluster: &str, lines: &[&str]) -> String {
    let (count, lines) = (lines.len(), lines.join("\n"));
    format!(
        "#BEGIN_TB\nthread block = {x},0,0\n{cluster}warp = 0\ninsts = {count}\n{lines}\n#END_TB\n"
    )
}

/// An empty folder of this test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn a_header_without_a_version_means_coordinates_on_every_line() {
    for version in [
        "",
        "-accelsim tracer version = 1.2",
        "-accelsim tracer version = 2",
    ] {
        let text = warp(version, &["0 0 0 0 0010 ffffffff 1 R1 MOV 0 0"]);
        assert_eq!(instructions(&text).unwrap()[0].pc, 0x10, "{version}");
    }
    let text = warp("", &["0010 ffffffff 1 R1 MOV 0 0"]);
    let sentence = instructions(&text).unwrap_err();
    assert!(
        sentence.starts_with(
            "t:8: block y (the header names no tracer version of 3 or more) is \"ffffffff\""
        ),
        "{sentence}"
    );
}

#[test]
fn version_4_may_have_immediates() {
    let version = "-accelsim tracer version = 4";
    let lines = [
        "0000 ffffffff 1 R1 MOV 0 0 0x10",
        "0010 ffffffff 0 LDGDEPBAR 0 0",
    ];
    let read = instructions(&warp(version, &lines)).unwrap();
    assert_eq!((read[0].immediate, read[1].immediate), (Some(16), None));
    let sentence = instructions(&warp(version, &["0000 ffffffff 1 R1 MOV 0 0 1 2"])).unwrap_err();
    assert!(
        sentence.starts_with("t:8: \"2\" follows the last field"),
        "{sentence}"
    );
}

#[test]
fn version_6_has_values_and_more_kinds_of_registers() {
    let all = vec!["7f"; 32].join(" ");
    let lines = [
        "0000 ffffffff 1 R1 MOV 0 0 0 0 NoVal".to_owned(),
        // A second immediate came later than the version.
        "0010 ffffffff 0 BAR.SYNC 0 0 5 NoVal".to_owned(),
        "0020 00000003 2 R4 P0 LDG.E.64 3 R2 UR4 UP1 8 1 0x1000 8 0 0 NoVal".to_owned(),
        format!("0030 ffffffff 1 R5 IADD3 2 R4 UR6 0 7 9 Val {all} 1 0xff 1 0"),
        "0040 ffffffff 1 R24 HGMMA.64x64x16.F32 1 UR8 1 0 0 0 NoVal".to_owned(),
        "0050 00000001 0 UTMALDG.2D 2 UR8 UR4 128 0x400 1 3 4096 0 4 0x2000 3 128 -128 0 0 NoVal"
            .to_owned(),
        "0060 00000001 0 UBLKCP 2 UR8 UR4 0 0x400 0 4096 0 3 2 0x2000 0x2080 0 0 NoVal".to_owned(),
    ];
    // 32 values, the number of which comes first.
    let lines = lines.map(|line| line.replace("Val 7f", "Val 32 7f"));
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let version = "-accelsim tracer version = 6";
    let read = instructions(&warp(version, &lines)).unwrap();
    assert_eq!(read.len(), lines.len());
    assert_eq!(
        (&*read[2].destinations, &*read[2].sources),
        (&[4][..], &[2][..])
    );
    assert_eq!(
        read[2].access.as_ref().unwrap().addresses[..2],
        [0x1000, 0x1008]
    );
    assert_eq!(read[3].immediate, Some(7));
    assert!(read[5].access.is_none() && read[6].access.is_none());
    let wrong = [
        (
            "0000 1 1 R1 MOV 0 0 0 0 Value",
            "t:8: the kind of values is \"Value\"",
        ),
        (
            "0000 1 1 R1 MOV 0 0 0 0 Val 2 1 1",
            "t:8: the number of values is \"2\"",
        ),
        (
            "0000 1 1 R1 MOV 0 0 0 0 Val",
            "t:8: the line ends before the number of values",
        ),
        (
            "0000 1 1 R1 MOV 0 0 0 0 Val 1 x",
            "t:8: a register's value is \"x\"",
        ),
        (
            "0000 1 1 Q1 MOV 0 0 0 0 NoVal",
            "t:8: the destination register is \"Q1\"",
        ),
        (
            "0000 1 0 UBLKCP 0 0 0 0 1 0 2 1 0 0 NoVal",
            "t:8: the address mode is \"2\"",
        ),
    ];
    for (line, expected) in wrong {
        let sentence = instructions(&warp(version, &[line])).unwrap_err();
        assert!(sentence.starts_with(expected), "{sentence}");
    }
    let sentence = instructions(&warp(
        "-accelsim tracer version = 5",
        &["0 1 1 UR1 MOV 0 0 0"],
    ));
    assert!(
        sentence
            .unwrap_err()
            .contains("the destination register is \"UR1\"")
    );
}

#[test]
fn the_place_in_a_cluster_is_passed_over() {
    let cluster = "cluster id = 0,0,0\ncluster cta = 1,0,0\ncluster rank = 1\n";
    let body = block(0, cluster, &["0000 1 1 R1 MOV 0 0 0"]);
    let text = warp("-accelsim tracer version = 5", &[]);
    let (header, _) = text.split_once("#BEGIN_TB").unwrap();
    assert_eq!(instructions(&format!("{header}{body}")).unwrap().len(), 1);
    let wrong = body.replace("cluster rank = 1", "cluster rank = x");
    let sentence = instructions(&format!("{header}{wrong}")).unwrap_err();
    assert!(
        sentence.contains("\"cluster rank = x\" stands where \"cluster id"),
        "{sentence}"
    );
}

#[test]
fn a_byte_order_mark_is_skipped() {
    let text = format!("\u{feff}{SAXPY}");
    let read = instructions(&text).unwrap();
    assert_eq!(read.len(), instructions(SAXPY).unwrap().len());
}

/// The lines of saxpy's header, and each of its thread blocks.
fn saxpy() -> (&'static str, Vec<&'static str>) {
    let (header, _) = SAXPY.split_once("#BEGIN_TB").unwrap();
    let blocks = SAXPY[header.len()..].split_inclusive("#END_TB\n");
    (header, blocks.collect())
}

#[test]
fn a_block_that_comes_twice_is_an_error_even_if_the_number_is_right() {
    let (header, mut blocks) = saxpy();
    blocks[3] = blocks[2];
    let sentence = instructions(&format!("{header}{}", blocks.concat())).unwrap_err();
    assert!(
        sentence.contains("thread block 2,0,0 appears a second time"),
        "{sentence}"
    );
}

#[test]
fn a_block_that_is_missing_between_others_was_dropped() {
    let (header, mut blocks) = saxpy();
    blocks.remove(5);
    blocks.remove(2);
    let sentence = instructions(&format!("{header}{}", blocks.concat())).unwrap_err();
    let expected =
        "thread block 2,0,0, of 2 missing in all, is not in the file though later ones are";
    assert!(sentence.contains(expected), "{sentence}");
    // The order of blocks says nothing.
    let (header, mut blocks) = saxpy();
    blocks.reverse();
    assert!(instructions(&format!("{header}{}", blocks.concat())).is_ok());
}

#[test]
fn what_stands_outside_a_block_is_reported_as_that() {
    let (header, blocks) = saxpy();
    let orphan = "warp = 1\ninsts = 1\n0000 ffffffff 1 R1 MOV 0 0 0\n";
    for text in [
        format!("{header}{}{orphan}", blocks[0]),
        format!("{header}{orphan}"),
    ] {
        let sentence = instructions(&text).unwrap_err();
        let expected = "\"warp = 1\" stands outside any thread block; the post-processor dropped";
        assert!(sentence.contains(expected), "{sentence}");
    }
    let raw = format!("{header}0 0 0 0 0000 ffffffff 1 R1 MOV 0 0 0\n");
    let sentence = instructions(&raw).unwrap_err();
    assert!(
        sentence.contains("as in a trace before Accel-Sim's post-processing"),
        "{sentence}"
    );
}

#[test]
fn unknown_lines_of_a_list_are_skipped_with_a_note() {
    let text =
        "MemcpyHtoD,0x10,5\ncudaMalloc,0x10000000,8\nMemcpyDtoH,0x10,5\nkernel-1.traceg\nrun me\n";
    let list = Trace::read(Cursor::new(text), Path::new("list.g")).unwrap();
    assert_eq!((list.copies.len(), list.kernels.len()), (1, 1));
    let notes: Vec<String> = list.notes.iter().map(ToString::to_string).collect();
    let note = |line, text| {
        format!("list.g:{line}: \"{text}\" is neither a copy nor a kernel, and is skipped")
    };
    assert_eq!(
        notes,
        [note(2, "cudaMalloc,0x10000000,8"), note(5, "run me")]
    );
}

/// Writes the text in every way in which a file may be compressed, and gives the names.
fn compressed(folder: &Path, text: &str) -> Vec<String> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(text.as_bytes()).unwrap();
    let mut xz = XzWriter::new(Vec::new(), XzOptions::with_preset(1)).unwrap();
    xz.write_all(text.as_bytes()).unwrap();
    let files = [
        ("kernel-1.traceg", text.as_bytes().to_vec()),
        ("kernel-2.traceg.gz", gzip.finish().unwrap()),
        ("kernel-3.traceg.xz", xz.finish().unwrap()),
        (
            "kernel-4.traceg.zst",
            zstd::encode_all(text.as_bytes(), 3).unwrap(),
        ),
        ("kernel-5.tracez", tracez(text, false)),
        ("kernel-6.tracez", tracez(text, true)),
    ];
    let write = files.map(|(name, bytes)| {
        fs::write(folder.join(name), bytes).unwrap();
        name.to_owned()
    });
    write.to_vec()
}

/// The container that Accel-Sim's post-processor writes, with chunks of up to 20 instructions.
fn tracez(text: &str, with_dictionary: bool) -> Vec<u8> {
    let (header, blocks) = text.split_at(text.find("#BEGIN_TB").unwrap());
    let header: String = header
        .lines()
        .filter(|line| line.starts_with('-'))
        .map(|line| format!("{line}\n"))
        .collect();
    let samples: Vec<&[u8]> = text.lines().map(str::as_bytes).collect();
    let dictionary = match with_dictionary {
        true => zstd::dict::from_samples(&samples, 1 << 12).unwrap(),
        false => Vec::new(),
    };
    let mut compressor = zstd::bulk::Compressor::with_dictionary(3, &dictionary).unwrap();
    let word = |number: usize| u32::try_from(number).unwrap().to_le_bytes();
    let mut bytes = [
        header.as_bytes(),
        &[0],
        &word(dictionary.len()),
        &word(20),
        &dictionary,
    ]
    .concat();
    let mut index = word(blocks.matches("#BEGIN_TB").count()).to_vec();
    for block in blocks.split("#BEGIN_TB").skip(1) {
        let mut warps = block.split("warp = ");
        let place = warps
            .next()
            .unwrap()
            .trim()
            .strip_prefix("thread block = ")
            .unwrap();
        let place = place.split(',').map(|number| number.parse().unwrap());
        let mut fields: Vec<usize> = place.chain([0; 7]).collect();
        fields.push(warps.clone().count());
        index.extend(fields.into_iter().flat_map(word));
        for warp in warps {
            let lines: Vec<&str> = warp
                .lines()
                .skip(2)
                .filter(|line| line.contains(' '))
                .collect();
            let chunks: Vec<&[&str]> = lines.chunks(20).collect();
            index.extend([lines.len(), chunks.len()].into_iter().flat_map(word));
            index.extend(u64::try_from(bytes.len()).unwrap().to_le_bytes());
            bytes.extend([lines.len(), chunks.len()].into_iter().flat_map(word));
            for chunk in chunks {
                index.extend(word(chunk.len()));
                let frame = compressor.compress(chunk.join("\n").as_bytes()).unwrap();
                bytes.extend(word(frame.len()));
                bytes.extend(frame);
            }
        }
    }
    let place = u64::try_from(bytes.len()).unwrap();
    bytes.extend(index);
    bytes.extend(place.to_le_bytes());
    bytes
}

#[test]
fn a_compressed_file_reads_as_its_text() {
    let folder = folder("trace-compressed");
    let names = compressed(&folder, SAXPY);
    let list = folder.join("kernelslist.g");
    fs::write(&list, format!("MemcpyHtoD,0x10,5\n{}\n", names.join("\n"))).unwrap();
    let (mut last, mut all) = (0, 0);
    let summary = Summary::of(&list, |done, size| (last, all) = (done, size)).unwrap();
    assert_eq!(summary.kernels.len(), names.len());
    let plain = Reader::new(Cursor::new(SAXPY), "t").unwrap();
    let plain = KernelSummary::of(plain, "t".to_owned(), |_| {}).unwrap();
    let expected = serde_json::to_value(&plain.counts).unwrap();
    for kernel in &summary.kernels {
        assert_eq!(
            serde_json::to_value(&kernel.counts).unwrap(),
            expected,
            "{}",
            kernel.file
        );
        assert_eq!(kernel.name, plain.name);
    }
    // The progress is that of the files, and not of their text.
    assert!(
        last <= all && all < SAXPY.len() as u64 * 3,
        "{last} of {all}"
    );
    // A list may be compressed too.
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(&fs::read(&list).unwrap()).unwrap();
    let packed = folder.join("kernelslist.g.gz");
    fs::write(&packed, gzip.finish().unwrap()).unwrap();
    assert_eq!(
        Trace::open(&packed).unwrap().kernels,
        Trace::open(&list).unwrap().kernels
    );
}

#[test]
fn a_damaged_file_is_an_error_and_nothing_else() {
    let folder = folder("trace-damaged");
    let short = warp(
        "-accelsim tracer version = 4",
        &["0000 ffffffff 1 R1 LDG.E 1 R2 4 1 0x1000 4"; 30],
    );
    for name in compressed(&folder, &short).iter().skip(1) {
        let whole = fs::read(folder.join(name)).unwrap();
        let path = folder.join(format!("damaged-{name}"));
        let read = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            let reader = Reader::open(&path).map_err(|error| error.to_string())?;
            KernelSummary::of(reader, name.clone(), |_| {}).map_err(|error| error.to_string())
        };
        let expected = read(&whole).unwrap().counts.instructions;
        for end in 0..whole.len() {
            let sentence = read(&whole[..end]).map(|_| ()).unwrap_err();
            assert!(!sentence.contains('\n'), "{name} cut at {end}: {sentence}");
        }
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..300 {
            let mut bytes = whole.clone();
            let at = random.usize(0..bytes.len());
            bytes[at] ^= 1 << random.u32(0..8);
            // Some bits change a text, and some mean nothing; none may panic or make more of it.
            if let Ok(summary) = read(&bytes) {
                assert!(
                    summary.counts.instructions <= expected + 64,
                    "{name}: bit of byte {at}"
                );
            }
        }
    }
}

#[test]
fn versions_and_lines_are_read_alike_from_every_tracer() {
    for (version, line_info) in [(3, false), (4, true), (5, true), (6, false)] {
        let kernel = Kernel {
            name: "_Z1kv",
            id: 1,
            blocks: 2,
            threads: 64,
            registers: 8,
            shared_memory: 0,
            binary_version: 80,
            tracer_version: version,
            line_info,
            irregular: Irregular::Deltas,
        };
        let text = kernel.trace(|_, _, warp| {
            warp.memory(At(0x10, 3), 0x8000_0001, "LDG.E", "R2 <- R4", |lane| {
                u64::from(lane * lane) * 4
            });
        });
        let read = instructions(&text).unwrap();
        assert_eq!(read.len(), 4, "version {version}");
        assert_eq!(read[0].access.as_ref().unwrap().addresses[31], 31 * 31 * 4);
    }
}
