//! The archive for those who use the Verilog without Rust: `target/dist/faultline-<version>.tar.gz`.

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use crate::links::{self, below};
use crate::{book, cargo, python, root};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What the archive has whole, besides what its pages link to.
const FOLDERS: [&str; 5] = [
    "rtl-out",
    "examples/verilog_only",
    "synth/reports",
    "sim/reports",
    "testbench/reports",
];

/// When each file was changed last, so that the same files give the same archive: the first second of 1980.
const CHANGED: &str = "--mtime=@315532800";

/// Makes the archive whole or not at all, and prints its path, size and SHA-256.
///
/// # Errors
/// If the test benches cannot be made, the book has a mistake, or a file cannot be read or written.
pub fn run(cycles: u64, json: bool) -> Result<ExitCode, String> {
    let folder = root().join("target/dist");
    let unwritable = |error| format!("{} cannot be written ({error})", folder.display());
    fs::create_dir_all(&folder).map_err(unwritable)?;
    let made = tempfile::tempdir_in(&folder).map_err(unwritable)?;
    let top = made.path().join(format!("faultline-{VERSION}"));
    let mdbook = python::installed_mdbook();
    if let Some(mdbook) = &mdbook {
        book::build(mdbook, &top.join("book"))?;
    }
    test_benches(&top.join("cocotb"), cycles)?;
    copy(&root(), &top)?;
    let readme = readme(cycles, mdbook.is_some(), commit().as_deref());
    fs::write(top.join("README.md"), readme).map_err(unwritable)?;
    let archive = folder.join(format!("faultline-{VERSION}.tar.gz"));
    let (bytes, digest) = pack(&top, &archive)?;
    let path = archive.display();
    if json {
        let path = format!("{path}").replace('\\', "\\\\").replace('"', "\\\"");
        let has_book = mdbook.is_some();
        println!(
            "{{\"path\": \"{path}\", \"bytes\": {bytes}, \"sha256\": \"{digest}\", \"book\": {has_book}}}"
        );
    } else {
        println!("{path}: {bytes} bytes, SHA-256 {digest}");
        if mdbook.is_none() {
            println!(
                "The archive has the book as Markdown alone, because mdBook is not installed."
            );
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Has the command write a test bench of each design.
fn test_benches(folder: &Path, cycles: u64) -> Result<(), String> {
    let mut command = cargo();
    command.args(["run", "--quiet", "--release", "--package", "faultline"]);
    command.args(["--", "cocotb", "--cycles", &cycles.to_string(), "--out"]);
    let status = command.arg(folder).stdout(Stdio::null()).status();
    let status = status.map_err(|error| format!("cargo does not start ({error})"))?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("\"faultline cocotb\" failed ({status})")),
    }
}

/// Copies the Verilog, the reports, the pages and what they link to. README is called ABOUT, as the archive has its own.
fn copy(root: &Path, top: &Path) -> Result<(), String> {
    let mut files = [book::SUMMARY, book::README, "CHANGELOG.md"]
        .map(str::to_owned)
        .to_vec();
    for folder in FOLDERS {
        let inside = below(&root.join(folder))?;
        files.extend(inside.iter().map(|path| format!("{folder}/{path}")));
    }
    files.extend(["LICENSE-MIT", "LICENSE-APACHE"].map(str::to_owned));
    let mut files = links::closed(root, &files, &FOLDERS)?;
    if let Some(about) = files.remove(book::README) {
        files.insert("ABOUT.md".to_owned(), about);
    }
    links::write(top, &files)
}

/// The commit that the archive is made of, if git knows it.
fn commit() -> Option<String> {
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        let output = git.args(arguments).current_dir(root()).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    let commit = git(&["rev-parse", "HEAD"])?;
    Some(match git(&["status", "--porcelain"])?.is_empty() {
        true => format!("commit {commit}"),
        false => format!("commit {commit} with changes"),
    })
}

/// The first page of the archive.
fn readme(cycles: u64, has_book: bool, commit: Option<&str>) -> String {
    let book = match has_book {
        true => "| [book](book/index.html) | The documentation, to be read in a browser |\n",
        false => "",
    };
    let commit = commit.map_or(String::new(), |commit| format!("\nMade of {commit}.\n"));
    format!(
        "# Faultline {VERSION}

Synthesizable page-fault hardware for GPUs in Verilog-2005, with test benches, reports and documentation. Nothing here needs \
Rust.

## Two commands

With Icarus Verilog, in seconds: a load faults, is replayed and commits. It prints `PASS`.

```
cd rtl-out
iverilog -g2005 -o ../replay.vvp -f replay_queue_64.f ../examples/verilog_only/replay.v
vvp ../replay.vvp
```

With Icarus Verilog and cocotb (`pip install cocotb`): every output of a design is compared with its reference model in \
{cycles} cycles of random traffic.

```
make -C cocotb/replay_queue_64
```

## Contents

| | |
|---|---|
| [rtl-out](rtl-out) | The Verilog, a folder for each block. `rtl-out/<design>.f` lists the files of a design, by names relative to the list |
| [cocotb](cocotb) | A test bench of each design, which needs no other folder; each has a README |
| [examples/verilog_only](examples/verilog_only) | A test bench in plain Verilog |
{book}| [docs](docs/SUMMARY.md) | The documentation in Markdown: a page for each block with its ports, guarantees and timing |
| [synth/reports](synth/reports), [sim/reports](sim/reports), [testbench/reports](testbench/reports) | Area, clock and power; performance; verification |
| [ABOUT.md](ABOUT.md) | The README of the repository. Commands with `cargo` need the repository |
| [CHANGELOG.md](CHANGELOG.md) | The changes |
| [LICENSE-MIT](LICENSE-MIT), [LICENSE-APACHE](LICENSE-APACHE) | The licences, of which either applies |

The other folders have the files that the documentation links to. They are not the whole of the sources.
{commit}"
    )
}

/// Packs a folder, and gives the size of the archive and its SHA-256. The same files give the same archive.
fn pack(top: &Path, archive: &Path) -> Result<(u64, String), String> {
    let unwritable =
        |error: io::Error| format!("{} cannot be written ({error})", archive.display());
    let parent = |path: &Path| path.parent().unwrap_or(path).to_owned();
    let mut tar = Command::new("tar");
    // Neither a name nor a time is in the header of the compressed stream.
    tar.args([
        "--create",
        "--use-compress-program=gzip -n",
        "--format=ustar",
    ]);
    tar.args([
        "--sort=name",
        CHANGED,
        "--owner=0",
        "--group=0",
        "--numeric-owner",
    ]);
    tar.args(["--mode=u=rwX,go=rX", "--directory"]);
    tar.arg(parent(top))
        .arg(top.file_name().unwrap_or_default());
    let file = tempfile::NamedTempFile::new_in(parent(archive)).map_err(unwritable)?;
    let status = tar
        .stdout(file.reopen().map_err(unwritable)?)
        .status()
        .map_err(|error| format!("tar does not start ({error})"))?;
    if !status.success() {
        return Err(format!(
            "tar failed ({status}); its own message stands above"
        ));
    }
    let found = digest(file.path())?;
    readable(file.path()).map_err(unwritable)?;
    file.persist(archive)
        .map_err(|error| unwritable(error.error))?;
    Ok(found)
}

/// Lets everybody read a file that was temporary.
fn readable(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(0o644))?;
    }
    Ok(())
}

/// The size of a file and its SHA-256.
fn digest(path: &Path) -> Result<(u64, String), String> {
    let unreadable = |error: io::Error| format!("{} cannot be read ({error})", path.display());
    let bytes = fs::metadata(path).map_err(unreadable)?.len();
    let output = Command::new("sha256sum").arg(path).output();
    let output = output.map_err(|error| format!("sha256sum does not start ({error})"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let digest = text
        .split_whitespace()
        .next()
        .filter(|word| word.len() == 64);
    let digest = digest.ok_or_else(|| format!("sha256sum says {text:?}"))?;
    Ok((bytes, digest.to_owned()))
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::path::PathBuf;

    use super::*;
    use crate::setup;

    fn unpacked(archive: &Path, folder: &Path) -> PathBuf {
        let mut tar = Command::new("tar");
        tar.arg("-xzf").arg(archive).arg("-C").arg(folder);
        assert!(tar.status().unwrap().success());
        folder.join(format!("faultline-{VERSION}"))
    }

    #[test]
    fn same_files_give_the_same_archive() {
        let folder = tempfile::tempdir().unwrap();
        let archive = folder.path().join("x.tar.gz");
        let found = ["a", "b"].map(|place| {
            let top = folder
                .path()
                .join(place)
                .join(format!("faultline-{VERSION}"));
            fs::create_dir_all(top.join("sub")).unwrap();
            let names = ["z", "sub/y", "a"];
            let order: Vec<_> = match place {
                "a" => names.to_vec(),
                _ => names.iter().rev().copied().collect(),
            };
            for name in order {
                fs::write(top.join(name), name).unwrap();
            }
            let age = std::time::Duration::from_secs(u64::from(place.as_bytes()[0]));
            let file = File::options().write(true).open(top.join("z")).unwrap();
            file.set_modified(std::time::UNIX_EPOCH + age).unwrap();
            pack(&top, &archive).unwrap()
        });
        assert_eq!(found[0], found[1]);
        assert_eq!(found[0].0, fs::metadata(&archive).unwrap().len());
        let top = unpacked(&archive, folder.path());
        assert_eq!(fs::read_to_string(top.join("sub/y")).unwrap(), "sub/y");
    }

    #[test]
    fn nothing_is_left_of_what_cannot_be_packed() {
        let folder = tempfile::tempdir().unwrap();
        let archive = folder.path().join("x.tar.gz");
        let error = pack(&folder.path().join("nothing"), &archive).unwrap_err();
        assert!(error.starts_with("tar failed"), "{error}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    /// The first commands of README print in the unpacked archive that the replay is right, and its links lead somewhere.
    #[test]
    fn unpacked_archive_has_what_its_readme_says() {
        let folder = tempfile::tempdir().unwrap();
        let packed = folder.path().join(format!("packed/faultline-{VERSION}"));
        copy(&root(), &packed).unwrap();
        let text = readme(10, false, Some("commit 0"));
        assert!(text.ends_with("\nMade of commit 0.\n"));
        fs::write(packed.join("README.md"), &text).unwrap();
        // Only `faultline cocotb` makes these.
        fs::create_dir(packed.join("cocotb")).unwrap();
        let archive = folder.path().join("x.tar.gz");
        pack(&packed, &archive).unwrap();
        let top = unpacked(&archive, folder.path());
        let kept = [&FOLDERS[..], &["cocotb"]].concat();
        let pages = ["README.md", "ABOUT.md"].map(str::to_owned);
        let closed = links::closed(&top, &pages, &kept).unwrap();
        let about = String::from_utf8_lossy(&closed["ABOUT.md"]);
        assert!(about.starts_with("# Faultline\n"), "{about}");
        assert!(closed.contains_key("docs/blocks/replay_queue.md"));
        if !setup::is_file_on_path("iverilog") {
            faultline_ledger::missing("Icarus is not installed");
            return;
        }
        let commands = text.split("```").nth(1).unwrap();
        let mut shell = Command::new("sh");
        shell.args(["-e", "-c", commands]).current_dir(&top);
        let output = shell.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && text.lines().any(|line| line == "PASS"),
            "{output:?}"
        );
    }
}
