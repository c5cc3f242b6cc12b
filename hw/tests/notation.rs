//! Notation of the exporter, whose modules are its own: index expressions, and names that Verilog accepts. These are tests
//! here, not beside what they test, so that the blocks need not be compiled once more for them.

#[path = "../src/verilog/index.rs"]
mod index;
#[path = "../src/verilog/names.rs"]
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
