//! What Yosys has made, kept for the next time: the largest designs take it up to twenty minutes, and power, equivalence and
//! layout start from the netlist that the cost table was made of. A netlist is found again by the hash of all that it was made
//! from: the programs, every file that the flow gives them, and the form in which it is kept.

use crate::error::Error;
use crate::tool::{self, ABC, YOSYS};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Once;

/// The variable that names the folder; if it is empty, nothing is kept.
const FOLDER: &str = "FAULTLINE_CACHE";

/// The form of what is kept; another one begins anew.
const FORM: &str = "2";

/// The files that Yosys has written.
#[derive(Serialize, Deserialize)]
pub(super) struct Made {
    /// Structural Verilog.
    pub netlist: String,
    /// How often each cell is used.
    pub cells: BTreeMap<String, usize>,
    /// What `fsm_recode` told; empty without state machines.
    pub states: String,
    /// Pairs of names of one net.
    pub aliases: Vec<(String, String)>,
    /// Pairs of names of which one was the complement of the other.
    pub complements: Vec<(String, String)>,
}

/// Where a netlist is kept.
pub(super) struct Place(PathBuf);

impl Place {
    /// The place of what is made from these files, each with its name and text; `None` if nothing is to be kept.
    ///
    /// # Errors
    /// If Yosys is missing.
    pub fn of(files: &[(&str, &str)]) -> Result<Option<Self>, Error> {
        YOSYS.check()?;
        Ok(folder().map(|folder| Self(folder.join(name(&programs(), files)))))
    }

    /// What was made before. A file that cannot be read is as good as none.
    pub fn read(&self) -> Option<Made> {
        let file = BufReader::new(File::open(&self.0).ok()?);
        serde_json::from_reader(BufReader::new(GzDecoder::new(file))).ok()
    }

    /// Keeps what was made. Where that is not possible it is made again the next time, which standard error is told once.
    pub fn write(&self, made: &Made) {
        static TOLD: Once = Once::new();
        if let Err(error) = self.try_write(made) {
            TOLD.call_once(|| {
                let folder = self.0.parent().unwrap_or(&self.0).display();
                eprintln!(
                    "netlists are not kept: {folder}: {error}; set {FOLDER} to a folder that can be written, or to nothing"
                );
            });
        }
    }

    fn try_write(&self, made: &Made) -> std::io::Result<()> {
        let folder = self.0.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let whole = tempfile::NamedTempFile::new_in(folder)?;
        let mut packed = GzEncoder::new(BufWriter::new(whole), Compression::fast());
        serde_json::to_writer(&mut packed, made)?;
        let mut file = packed.finish()?;
        file.flush()?;
        file.into_inner()?.persist(&self.0)?;
        Ok(())
    }
}

/// The user's folder for what can be made again.
fn folder() -> Option<PathBuf> {
    let [chosen, caches] = [FOLDER, "XDG_CACHE_HOME"].map(std::env::var_os);
    folder_of(chosen, caches, std::env::home_dir())
}

/// The chosen folder, or that in the folder of caches, if its path is absolute, or in the home's.
fn folder_of(
    chosen: Option<OsString>,
    caches: Option<OsString>,
    home: Option<PathBuf>,
) -> Option<PathBuf> {
    if let Some(chosen) = chosen {
        return (!chosen.is_empty()).then(|| chosen.into());
    }
    let caches = caches
        .map(PathBuf::from)
        .filter(|folder| folder.is_absolute());
    let caches = caches.or_else(|| Some(home?.join(".cache")));
    caches.map(|folder| folder.join("faultline"))
}

/// What tells Yosys and its ABC from others: a new package has new files.
fn programs() -> String {
    let known = [YOSYS, ABC].map(|tool| {
        let path = tool::find(OsStr::new(tool.program)).unwrap_or_default();
        let path = path.canonicalize().unwrap_or(path);
        let file = path.metadata().ok();
        let size = file.as_ref().map(fs::Metadata::len);
        let time = file.and_then(|file| file.modified().ok());
        format!("{} {size:?} {time:?}", path.display())
    });
    known.join("\n")
}

/// A name for what these programs make from these files.
fn name(programs: &str, files: &[(&str, &str)]) -> String {
    let mut hash = Sha256::new();
    for (name, text) in [(FORM, programs)].iter().chain(files) {
        // With their lengths no two lists of files are one text.
        for part in [name, text] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
    }
    let hash: String = hash
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("{hash}.netlist.json.gz")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made() -> Made {
        Made {
            netlist: "module a; endmodule".to_owned(),
            cells: BTreeMap::from([("INV_X1".to_owned(), 3)]),
            states: String::new(),
            aliases: vec![("a".to_owned(), "b".to_owned())],
            complements: Vec::new(),
        }
    }

    #[test]
    fn what_is_kept_is_found_and_what_is_damaged_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place(folder.path().join("deep").join("a"));
        assert!(place.read().is_none());
        place.write(&made());
        let found = place.read().unwrap();
        assert_eq!(
            (found.netlist, found.aliases),
            (made().netlist, made().aliases)
        );
        let bytes = fs::read(&place.0).unwrap();
        fs::write(&place.0, &bytes[..bytes.len() / 2]).unwrap();
        assert!(place.read().is_none());
    }

    #[test]
    fn the_folder_is_the_chosen_one_or_in_that_of_caches() {
        let folder = |chosen: Option<&str>, caches: Option<&str>, home: Option<&str>| {
            let found = folder_of(
                chosen.map(Into::into),
                caches.map(Into::into),
                home.map(Into::into),
            );
            found.map(|folder| folder.display().to_string())
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(folder(Some("kept"), Some("/c"), Some("/h")), some("kept"));
        assert_eq!(folder(Some(""), Some("/c"), Some("/h")), None);
        assert_eq!(folder(None, Some("/c"), Some("/h")), some("/c/faultline"));
        for relative in [None, Some("c"), Some("")] {
            let home = some("/h/.cache/faultline");
            assert_eq!(folder(None, relative, Some("/h")), home);
            assert_eq!(folder(None, relative, None), None);
        }
    }

    #[test]
    fn every_part_of_what_a_netlist_is_made_from_changes_its_name() {
        let files = [("design.v", "module a;"), ("flow.ys", "synth")];
        let names = [
            name("yosys, abc", &files),
            name("another", &files),
            name("yosys, abc", &files[..1]),
            name("yosys, abc", &[files[0], ("flow.ys", "synth ")]),
            name("yosys, abc", &[files[0], ("flow.y", "ssynth")]),
        ];
        for (place, name) in names.iter().enumerate() {
            assert!(!names[..place].contains(name), "{place}");
        }
    }
}
