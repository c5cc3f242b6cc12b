//! Notation of the exporter, whose modules are its own: index expressions, and names that Verilog accepts. These are tests
//! here, not beside what they test, so that the blocks need not be compiled once more for them.

#![allow(clippy::expect_used)] // a test that cannot go on panics

use std::path::Path;

#[path = "../export/src/index.rs"]
mod index;
#[path = "../export/src/names.rs"]
mod names;

#[test]
fn index_expressions_are_evaluated() {
    let indices = index::Indices::from([("i".to_owned(), 3), ("row".to_owned(), 2)]);
    assert_eq!(index::evaluate("i", &indices), Some(3));
    assert_eq!(index::evaluate("2*i+1", &indices), Some(7));
    assert_eq!(index::evaluate("7 - i - row", &indices), Some(2));
    assert_eq!(index::evaluate("2 * (7 - (i - row))", &indices), Some(12));
    assert_eq!(index::evaluate("i-4", &indices), Some(-1));
    assert_eq!(index::evaluate("N-1", &indices), None);
    assert_eq!(index::evaluate("i]", &indices), None);
    assert_eq!(index::evaluate("(i", &indices), None);
}

#[test]
fn keywords_in_an_index_are_renamed() {
    assert_eq!(index::rename("2*(bit - bits)"), "2*(bit_ - bits)");
}

#[test]
fn names_of_an_index_are_found() {
    assert_eq!(index::names("2*(i - 1) + row"), Some(vec!["i", "row"]));
    assert_eq!(index::names("i][j"), None);
    assert_eq!(index::names("i % 2"), None);
}

#[test]
fn keywords_are_escaped() {
    assert_eq!(names::plain("matches"), "matches_");
    assert_eq!(names::plain("release"), "release_");
    assert_eq!(names::plain("released"), "released");
    assert_eq!(names::plain("queue"), "queue_");
    assert_eq!(names::plain("r#type"), "type_");
    assert_eq!(names::joined("entry", "d"), "entry_d");
    assert_eq!(names::constant("ScanState::Idle"), "SCAN_STATE_IDLE");
}

#[test]
fn keywords_of_verilog_ams_are_renamed() {
    for word in [
        "units",
        "access",
        "from",
        "branch",
        "potential",
        "idtmod",
        "zi_nd",
    ] {
        assert_eq!(names::plain(word), format!("{word}_"));
    }
}

#[test]
fn words_are_found_whole_and_with_their_places() {
    let found: Vec<_> = names::words("a_1 <= {b[2], c};").collect();
    assert_eq!(found, [(0, "a_1"), (8, "b"), (10, "2"), (14, "c")]);
    assert_eq!(names::words(" + ").count(), 0);
}

/// In all Verilog of `rtl-out`, that of the primitives too, which the exporter copies.
#[test]
fn no_declared_name_or_instance_is_a_keyword() {
    let kinds = [
        "input",
        "output",
        "wire",
        "reg",
        "integer",
        "genvar",
        "localparam",
        "parameter",
    ];
    let (mut declared, mut instances) = (0, 0);
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../rtl-out");
    let inside = |folder: &Path| {
        let entries = std::fs::read_dir(folder).expect("the folder is there");
        let paths = entries.map(|entry| entry.expect("it can be read").path());
        paths.collect::<Vec<_>>()
    };
    let folders = inside(folder.as_ref())
        .into_iter()
        .filter(|path| path.is_dir());
    for path in folders.flat_map(|folder| inside(&folder)) {
        if path.extension().is_none_or(|extension| extension != "v") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("it can be read");
        for line in text
            .lines()
            .map(|line| line.split("//").next().unwrap_or(""))
        {
            let mut words = line.split_whitespace();
            let first = words.next().unwrap_or("");
            let name = if kinds.contains(&first) {
                declared += 1;
                let before = line.split(" =").next().unwrap_or("");
                before.trim_end_matches([';', ',']).rsplit(' ').next()
            } else if (line.ends_with('(') || line.contains(" (."))
                && !line.contains('=')
                && first != "module"
            {
                instances += 1;
                let head = line.rsplit_once(")) ").map_or(line, |(_, head)| head);
                words = head.split_whitespace();
                words.nth(usize::from(head == line))
            } else {
                None
            };
            if let Some(name) = name {
                assert_eq!(names::plain(name), name, "{}: {line}", path.display());
            }
        }
    }
    assert!(
        declared > 10_000 && instances > 1_000,
        "{declared}, {instances}"
    );
}
