//! The list of the designs that stands beside their exported Verilog.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::cost::Subject;
use crate::error::Error;
use crate::yosys::{Design, Memory};

/// The name of the list, in the folder of the Verilog.
pub const LIST: &str = "designs.json";

/// The designs of the table of costs, if no others are named: the default queue, and each log beside the paper's Table 2.
pub const DEFAULT: [&str; 5] = [
    "replay_queue_64",
    "operand_log_8k",
    "operand_log_16k",
    "operand_log_20k",
    "operand_log_32k",
];

/// A design of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// Its name, and that of its top module.
    pub design: String,
    /// Its block, such as `operand_log`.
    pub block: String,
    /// Its configuration, such as `16k`.
    pub config: String,
    /// Its files, by names relative to the list.
    pub files: Vec<String>,
    /// Its memories, which a flow may swap for macros.
    pub memories: Vec<Memory>,
}

/// The text of a list.
pub fn list(designs: &[Listed]) -> String {
    // Strings, numbers and lists of them are always JSON.
    serde_json::to_string_pretty(designs).unwrap_or_default() + "\n"
}

/// The list in a folder.
///
/// # Errors
/// If it cannot be read, or is none.
pub fn read(folder: &Path) -> Result<Vec<Listed>, Error> {
    let path = folder.join(LIST);
    serde_json::from_str(&text(&path)?).map_err(|error| Error::List {
        path,
        reason: error.to_string(),
    })
}

impl Listed {
    /// The design as what is synthesized, with its Verilog from the list's folder.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn subject(&self, folder: &Path) -> Result<Subject, Error> {
        let files = self.files.iter().map(|file| text(&folder.join(file)));
        let files = files.collect::<Result<Vec<_>, _>>()?;
        let design = Design {
            top: self.design.clone(),
            verilog: files.join("\n"),
            memories: self.memories.clone(),
        };
        Ok(Subject::new(&self.block, &self.config, design))
    }
}

fn text(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(|source| Error::File {
        path: path.to_owned(),
        action: "read this file",
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_gives_subjects_with_the_text_of_their_files() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        fs::write(folder.join("a.v"), "module a; endmodule\n").unwrap();
        fs::write(folder.join("b.v"), "module b; endmodule\n").unwrap();
        let memory = Memory {
            module: "sram".to_owned(),
            words: 64,
            bits: 64,
            masked: false,
            instances: 32,
        };
        let listed = Listed {
            design: "operand_log_16k".to_owned(),
            block: "operand_log".to_owned(),
            config: "16k".to_owned(),
            files: vec!["a.v".to_owned(), "b.v".to_owned()],
            memories: vec![memory],
        };
        let designs = [listed];
        fs::write(folder.join(LIST), list(&designs)).unwrap();
        assert_eq!(read(folder).unwrap(), designs);
        let [listed] = designs;
        let subject = listed.subject(folder).unwrap();
        assert_eq!(
            subject.design.verilog,
            "module a; endmodule\n\nmodule b; endmodule\n"
        );
        assert_eq!(
            (subject.log_bytes, subject.entries),
            (Some(16_384), Some(64))
        );
        fs::remove_file(folder.join("b.v")).unwrap();
        let sentence = listed.subject(folder).unwrap_err().to_string();
        assert!(sentence.contains("b.v: cannot read"), "{sentence}");
    }

    #[test]
    fn a_list_that_is_none_is_named_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(LIST), "[\n{}]").unwrap();
        let sentence = read(folder.path()).unwrap_err().to_string();
        assert!(sentence.contains("designs.json: not a list"), "{sentence}");
        assert!(sentence.contains("line 2"), "{sentence}");
    }
}
