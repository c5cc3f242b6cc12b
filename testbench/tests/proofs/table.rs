//! The table of what has been proved, `testbench/proofs/proved.tsv`: a row for each run of ABC, with the SHA-256 of its
//! circuit, its script and the version of its program. What is in the table is not run again, but for the tenth of the
//! rows whose turn it is. `cargo xtask test` alone writes the table; it says whose turn it is, and where the tests leave
//! the rows that they have looked up or shown.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::{LazyLock, Mutex};

use sha2::{Digest as _, Sha256};

/// The file to which the rows of this run are added.
const ROWS: &str = "FAULTLINE_PROVED_ROWS";
/// Rows are run again whose hash has this remainder.
const TURN: &str = "FAULTLINE_PROVED_TURN";
/// Parts into which the rows fall, one of which is run again each time.
const PARTS: u8 = 10;

/// The hashes of the committed table.
static KNOWN: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("proofs/proved.tsv");
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let hashes = text.lines().filter_map(|row| row.rsplit('\t').next());
    hashes.map(str::to_owned).collect()
});

/// The version of Yosys, of which ABC is a part.
static VERSION: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let output = Command::new("yosys").arg("-V").output();
    output.expect("yosys starts").stdout
});

static FILE: LazyLock<Option<Mutex<File>>> = LazyLock::new(|| {
    let path = std::env::var_os(ROWS)?;
    let file = OpenOptions::new().append(true).create(true).open(path);
    Some(Mutex::new(file.expect("the file of rows can be written")))
});

/// A run of ABC.
pub struct Row {
    hash: String,
    turn: u8,
    name: String,
}

impl Row {
    /// The run of a script on a circuit, and what it shows of which design.
    pub fn new(name: String, circuit: &[u8], script: &str) -> Self {
        let mut hasher = Sha256::new();
        for part in [circuit, script.as_bytes(), &VERSION] {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        let digest = hasher.finalize();
        Self {
            hash: digest.iter().map(|byte| format!("{byte:02x}")).collect(),
            turn: digest[0] % PARTS,
            name,
        }
    }

    /// It was shown before, and need not be shown again this time.
    pub fn is_known(&self) -> bool {
        let turn = std::env::var(TURN).ok().and_then(|turn| turn.parse().ok());
        KNOWN.contains(&self.hash) && turn != Some(self.turn)
    }

    /// It is shown, now or before.
    pub fn keep(&self) {
        if let Some(file) = &*FILE {
            let row = format!("{}\t{}\n", self.name, self.hash);
            let mut file = file.lock().expect("no test panics here");
            file.write_all(row.as_bytes())
                .expect("the file of rows can be written");
        }
    }
}
