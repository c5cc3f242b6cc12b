// What the headers of exported files say: block and ports. A build script takes this in with `#[path]`; it needs no
// kernel for it, which would have to be compiled first.

use std::fs;
use std::path::{Path, PathBuf};

use crate::verilate::{Module, Port};

/// A design of a folder.
pub struct Design {
    /// Its block, such as `replay_queue`.
    pub block: String,
    pub module: Module,
}

/// The designs of a folder, each of which has a list of its files, `NAME.f`; in the order of their names.
pub fn designs(folder: &Path) -> Result<Vec<Design>, String> {
    let failed = |path: &Path, error| format!("{}: {error}", path.display());
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| failed(folder, error))? {
        let path = entry.map_err(|error| failed(folder, error))?.path();
        if path.extension().is_some_and(|extension| extension == "f") {
            files.push(path.with_extension("v"));
        }
    }
    files.sort();
    let design = |file: &PathBuf| {
        let file = file.canonicalize().map_err(|error| failed(file, error))?;
        let text = fs::read_to_string(&file).map_err(|error| failed(&file, error))?;
        read(&file, &text).map_err(|error| format!("{}: {error}", file.display()))
    };
    files.iter().map(design).collect()
}

/// Reads the second line, `// Block B, configuration C; ...`, and the ports.
fn read(file: &Path, text: &str) -> Result<Design, String> {
    let block = text
        .lines()
        .find_map(|line| line.strip_prefix("// Block ")?.split(',').next())
        .ok_or("no line says what block it is")?;
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    let header = text
        .split_once(&format!("\nmodule {name} (\n"))
        .and_then(|(_, rest)| rest.split_once(");"))
        .ok_or_else(|| format!("there is no module {name} with ports"))?
        .0;
    let ports: Option<Vec<Port>> = header.lines().map(port).collect();
    // As the tag `Large` has it: it takes minutes to compile, and one copy of a warp's code has to do for all.
    let large = block == "sm_pipeline" && name.contains("_64");
    Ok(Design {
        block: block.to_owned(),
        module: Module {
            name: name.clone().into_owned(),
            file: file.to_owned(),
            ports: ports.ok_or("its header has a line that is no port")?,
            repeated: large.then(|| format!("{name}_warp")),
        },
    })
}

/// Reads `input  wire   [5:0] insert_warp,`.
fn port(line: &str) -> Option<Port> {
    let words: Vec<&str> = line
        .trim()
        .trim_end_matches(',')
        .split_whitespace()
        .collect();
    let (direction, range, name) = match words[..] {
        [direction, _, name] => (direction, None, name),
        [direction, _, range, name] => (direction, Some(range), name),
        _ => return None,
    };
    let bits = match range {
        Some(range) => {
            range
                .strip_prefix('[')?
                .strip_suffix(":0]")?
                .parse::<usize>()
                .ok()?
                + 1
        }
        None => 1,
    };
    Some(Port {
        name: name.to_owned(),
        input: match direction {
            "input" => true,
            "output" => false,
            _ => return None,
        },
        bits,
    })
}
