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
    let read = |path: &Path| fs::read_to_string(path).map_err(|error| failed(path, error));
    let folder = folder
        .canonicalize()
        .map_err(|error| failed(folder, error))?;
    let mut lists: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(&folder).map_err(|error| failed(&folder, error))? {
        let path = entry.map_err(|error| failed(&folder, error))?.path();
        if path.extension().is_some_and(|extension| extension == "f") {
            lists.push(path);
        }
    }
    lists.sort();
    let design = |list: &PathBuf| {
        let names = read(list)?;
        let files: Vec<PathBuf> = names.lines().map(|name| folder.join(name)).collect();
        let top = files
            .first()
            .ok_or(format!("{}: it names no file", list.display()))?;
        design(&files, &read(top)?).map_err(|error| format!("{}: {error}", top.display()))
    };
    lists.iter().map(design).collect()
}

/// A design of these files, from the text of the first one, its top: it says `// Block B, configuration C; ...`, and has the
/// ports.
fn design(files: &[PathBuf], text: &str) -> Result<Design, String> {
    let block = text
        .lines()
        .find_map(|line| line.strip_prefix("// Block ")?.split(',').next())
        .ok_or("no line says what block it is")?;
    let name = files[0].file_stem().unwrap_or_default().to_string_lossy();
    let header = text
        .split_once(&format!("\nmodule {name} (\n"))
        .and_then(|(_, rest)| rest.split_once(");"))
        .ok_or_else(|| format!("there is no module {name} with ports"))?
        .0;
    let declared = header
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    let ports: Option<Vec<Port>> = declared.map(port).collect();
    // As the tag `Large` has it: it takes minutes to compile, and one copy of a warp's code has to do for all.
    let large = block == "sm_pipeline" && name.contains("_64");
    let repeated = text
        .lines()
        .find_map(|line| Some(line.split_once(" warp [")?.0.trim()));
    Ok(Design {
        block: block.to_owned(),
        module: Module {
            name: name.clone().into_owned(),
            files: files.to_vec(),
            ports: ports.ok_or("its header has a line that is no port")?,
            repeated: repeated.filter(|_| large).map(str::to_owned),
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
