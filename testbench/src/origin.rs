//! Names the Verilog that a report was made from.

use std::collections::BTreeMap;

use faultline_hw::registry::Design;
use sha2::{Digest as _, Sha256};

/// The version of Faultline and the SHA-256 of the designs' files, one after the other in the order of their names, as
/// `rtl-out` has them: what a reader needs to see whether a report is of the Verilog at hand.
///
/// # Errors
/// If a design cannot be exported.
pub fn verilog<'a>(designs: impl IntoIterator<Item = &'a Design>) -> Result<String, String> {
    let mut files = BTreeMap::new();
    for design in designs {
        let export = design
            .export()
            .map_err(|error| format!("{}: {error}", design.name))?;
        files.extend(export.files.into_iter().map(|file| (file.name, file.text)));
    }
    let (count, hash) = (files.len(), hash(files.values()));
    let version = env!("CARGO_PKG_VERSION");
    Ok(format!(
        "Faultline {version}; its {count} files of Verilog, in the order of their names, have the SHA-256 `{hash}`"
    ))
}

fn hash<'a>(texts: impl Iterator<Item = &'a String>) -> String {
    let mut hasher = Sha256::new();
    texts.for_each(|text| hasher.update(text));
    let digest = hasher.finalize();
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn hash_is_that_of_the_committed_files() {
        let designs = faultline_hw::registry::designs();
        let design = designs
            .iter()
            .find(|design| design.name == "operand_log_proof")
            .unwrap();
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rtl-out");
        let list = std::fs::read_to_string(folder.join("operand_log_proof.f")).unwrap();
        let mut names: Vec<&str> = list.lines().collect();
        names.sort_unstable();
        let texts: Vec<String> = names
            .iter()
            .map(|name| std::fs::read_to_string(folder.join(name)).unwrap())
            .collect();
        let sentence = verilog([design]).unwrap();
        assert!(sentence.contains(&hash(texts.iter())), "{sentence}");
    }

    #[test]
    fn hash_is_a_sha_256() {
        let text = "abc".to_owned();
        assert!(hash(std::iter::once(&text)).starts_with("ba7816bf8f01cfea"));
    }
}
