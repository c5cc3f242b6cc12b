//! The book of `docs`, built with mdBook into `target/book`.
//!
//! Its pages link to reports, sources and Verilog. So the book is built from a copy of the repository that has all that
//! they link to: what is Markdown becomes a page of the book, other files lie beside it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::links::{self, Files};
use crate::steps::succeed;
use crate::{python, root};

/// The page that lists the others.
pub const SUMMARY: &str = "docs/SUMMARY.md";

/// The front page.
pub const README: &str = "README.md";

/// Builds the book, and prints where it begins.
///
/// # Errors
/// If there is no mdBook and it cannot be installed, or the book has a mistake.
pub fn run() -> Result<ExitCode, String> {
    let (pages, links) = build(&python::mdbook()?, &folder())?;
    println!("{pages} pages, {links} links");
    println!("{}", folder().join("index.html").display());
    Ok(ExitCode::SUCCESS)
}

/// Where the book is built.
pub fn folder() -> PathBuf {
    root().join("target/book")
}

/// Builds the book whole or not at all, and gives the numbers of its pages and links.
///
/// # Errors
/// If mdBook has an error or a warning, or a link of what it built leads nowhere.
pub fn build(mdbook: &Path, folder: &Path) -> Result<(usize, usize), String> {
    build_of(&root(), mdbook, folder)
}

fn build_of(root: &Path, mdbook: &Path, folder: &Path) -> Result<(usize, usize), String> {
    let files = links::closed(root, &[SUMMARY.to_owned(), README.to_owned()], &[])?;
    let parent = folder.parent().unwrap_or(folder);
    let unwritable = |error| format!("{} cannot be written ({error})", folder.display());
    fs::create_dir_all(parent).map_err(unwritable)?;
    let made = tempfile::tempdir_in(parent).map_err(unwritable)?;
    let (source, built) = (made.path().join("source"), made.path().join("built"));
    let mut pages = files;
    pages.insert("SUMMARY.md".to_owned(), summary(&pages)?.into_bytes());
    links::write(&source.join("src"), &pages)?;
    fs::copy(root.join("docs/book.toml"), source.join("book.toml")).map_err(unwritable)?;
    let mut build = Command::new(mdbook);
    build
        .arg("build")
        .arg(&source)
        .arg("--dest-dir")
        .arg(&built);
    // Of its messages only warnings and errors are printed; the second variable is that of versions before 0.5.
    build.env("MDBOOK_LOG", "warn").env("RUST_LOG", "warn");
    succeed(build.env("MDBOOK_BOOK__SRC", "src"), true)?;
    // The front page is called otherwise than links to it have it.
    fs::copy(built.join("index.html"), built.join("README.html")).map_err(unwritable)?;
    let counts = links::check(&built)?;
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(unwritable)?;
    }
    fs::rename(&built, folder).map_err(unwritable)?;
    Ok(counts)
}

/// The list of the book's pages: README, the pages of `docs` in their order, and what they link to, by folders.
fn summary(files: &Files) -> Result<String, String> {
    let listed = files
        .get(SUMMARY)
        .map(|bytes| String::from_utf8_lossy(bytes));
    let listed = listed.ok_or_else(|| format!("there is no {SUMMARY}"))?;
    let listed = listed.strip_prefix("# Summary\n").unwrap_or(&listed);
    // README links to the list, so that is a page, too.
    let mut text = format!("# Summary\n\n[Faultline]({README})\n[Contents]({SUMMARY})\n");
    text.push_str(&listed.replace("](", "](docs/"));
    let mut heading = "";
    let pages = files.keys().filter(|path| path.ends_with(".md"));
    let pages = pages.map(|path| path.rsplit_once('/').unwrap_or(("Repository", path)));
    // The order of the paths would have a file of a folder between those of the folders in it.
    let mut pages: Vec<(&str, &str)> = pages.collect();
    pages.sort_by_key(|(folder, name)| (*folder != "Repository", *folder, *name));
    for (folder, name) in pages {
        let path = match folder {
            "Repository" => name.to_owned(),
            folder => format!("{folder}/{name}"),
        };
        if text.contains(&format!("]({path})")) {
            continue;
        }
        if folder != heading {
            text.push_str(&format!("\n# {folder}\n\n"));
            heading = folder;
        }
        let title = name.trim_end_matches(".md");
        text.push_str(&format!("- [{title}]({path})\n"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(files: &[(&str, &str)]) -> Files {
        files
            .iter()
            .map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()))
            .collect()
    }

    const PAGES: [(&str, &str); 9] = [
        (
            "README.md",
            "# F\n\n[a](docs/a.md) [s](synth/reports/s.md) [b](docs/SUMMARY.md)",
        ),
        ("CHANGELOG.md", "# C"),
        (SUMMARY, "# Summary\n\n- [A](a.md)\n"),
        (
            "docs/a.md",
            "# A\n\n[f](../README.md#f) [k](../hw/k.rs) [hw](../hw) [c](../CHANGELOG.md)",
        ),
        ("docs/book.toml", "[book]\nsrc = \".\"\n"),
        ("hw/k.rs", "fn k() {}"),
        ("synth/reports/s.md", "# Cost\n\n[t](t.md)"),
        ("synth/reports/t.md", "# Cost\n\n![x](x.svg)"),
        ("synth/reports/x.svg", "<svg/>"),
    ];

    #[test]
    fn linked_pages_are_listed_by_folders() {
        let list = "# Summary\n\n[Faultline](README.md)\n[Contents](docs/SUMMARY.md)\n\n- [A](docs/a.md)\n\n\
                    # Repository\n\n- [CHANGELOG](CHANGELOG.md)\n\n\
                    # synth/reports\n\n- [s](synth/reports/s.md)\n- [t](synth/reports/t.md)\n";
        assert_eq!(summary(&files(&PAGES)).unwrap(), list);
    }

    #[test]
    fn book_has_what_its_pages_link_to() {
        let Some(mdbook) = python::installed_mdbook() else {
            faultline_ledger::missing("mdBook is not installed");
            return;
        };
        let folder = tempfile::tempdir().unwrap();
        let (root, book) = (folder.path().join("root"), folder.path().join("book"));
        links::write(&root, &files(&PAGES)).unwrap();
        let (pages, links) = build_of(&root, &mdbook, &book).unwrap();
        assert!(pages >= 5 && links > 20, "{pages} pages, {links} links");
        let page = fs::read_to_string(book.join("docs/a.html")).unwrap();
        assert!(page.contains("<code>hw</code>"), "{page}");
        for path in [
            "index.html",
            "hw/k.rs",
            "synth/reports/t.html",
            "synth/reports/x.svg",
        ] {
            assert!(book.join(path).is_file(), "no {path}");
        }
        // A warning is a failure, and leaves the book that was there.
        fs::write(root.join("docs/a.md"), "# A\n\n<unclosed>\n").unwrap();
        let error = build_of(&root, &mdbook, &book).unwrap_err();
        assert!(error.contains("unclosed"), "{error}");
        fs::write(root.join("docs/a.md"), "# A\n\n[b](#b)\n").unwrap();
        let error = build_of(&root, &mdbook, &book).unwrap_err();
        assert!(error.contains("#b of docs/a.html"), "{error}");
        assert!(book.join("hw/k.rs").is_file());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
