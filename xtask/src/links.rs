//! The links of the documents: of pages in Markdown, of which a closed set is made, and of the book in HTML, in which each
//! has to lead somewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::Path;

/// Files by their paths in the repository.
pub type Files = BTreeMap<String, Vec<u8>>;

/// An inline link of a page, as places in its text.
struct Link {
    /// From the bracket to the parenthesis.
    whole: Range<usize>,
    label: Range<usize>,
    target: Range<usize>,
}

/// These pages and files, and all that their links lead to, as paths in the repository. A link to a folder becomes its
/// path as code, unless the folder is one of `folders`. So no link of what is returned leads to what is not there.
///
/// # Errors
/// If a file cannot be read, or a link leads out of the repository or to nothing.
pub fn closed(root: &Path, files: &[String], folders: &[&str]) -> Result<Files, String> {
    let mut found = Files::new();
    let mut due = files.to_vec();
    while let Some(path) = due.pop() {
        if found.contains_key(&path) {
            continue;
        }
        let bytes = fs::read(root.join(&path))
            .map_err(|error| format!("{path} cannot be read ({error})"))?;
        let bytes = if path.ends_with(".md") {
            let text = String::from_utf8(bytes).map_err(|_| format!("{path} is not UTF-8"))?;
            let text = followed(&text, &path, |linked| {
                let place = root.join(linked);
                if place.is_file() {
                    due.push(linked.to_owned());
                }
                match place.is_dir() {
                    true => Ok(folders.contains(&linked)),
                    false if place.is_file() => Ok(true),
                    false => Err(format!("{path} links to {linked}, which is not there")),
                }
            })?;
            text.into_bytes()
        } else {
            bytes
        };
        found.insert(path, bytes);
    }
    Ok(found)
}

/// The text of a page, in which each link into the repository that is not kept is its path as code.
fn followed(
    text: &str,
    page: &str,
    mut is_kept: impl FnMut(&str) -> Result<bool, String>,
) -> Result<String, String> {
    let mut result = String::new();
    let mut copied = 0;
    for link in links(text) {
        let target = &text[link.target];
        let path = target.split('#').next().unwrap_or_default();
        if path.is_empty() || target.contains("://") || target.starts_with("mailto:") {
            continue;
        }
        let path = resolved(page, path)
            .ok_or_else(|| format!("{page} links to {target}, which is not in the repository"))?;
        if is_kept(&path)? {
            continue;
        }
        result.push_str(&text[copied..link.whole.start]);
        let label = &text[link.label];
        if label.trim_matches('`') == path {
            result.push_str(&format!("`{path}`"));
        } else {
            result.push_str(&format!("{label} (`{path}`)"));
        }
        copied = link.whole.end;
    }
    result.push_str(&text[copied..]);
    Ok(result)
}

/// The path in the repository that a page's link leads to, if it does not leave the repository.
fn resolved(page: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// The inline links of a page that stand in no code.
fn links(text: &str) -> Vec<Link> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut open = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        // A letter has more than one byte where it is not of ASCII.
        let Some(rest) = text.get(at..) else {
            at += 1;
            continue;
        };
        match bytes[at] {
            b'\\' => at += 1,
            b'`' => {
                let ticks = rest.len() - rest.trim_start_matches('`').len();
                let is_fence = ticks >= 3 && text[..at].ends_with('\n');
                at += ticks + code(&rest[ticks..], ticks, is_fence);
                continue;
            }
            b'[' => open.push(at),
            b']' => {
                let target = rest.strip_prefix("](").and_then(|rest| {
                    let target = rest.split(')').next()?;
                    (target.len() < rest.len() && !target.contains('\n')).then_some(target)
                });
                if let (Some(start), Some(target)) = (open.pop(), target) {
                    let from = at + "](".len();
                    let end = from + target.len() + ")".len();
                    let path = target.split(' ').next().unwrap_or_default();
                    found.push(Link {
                        whole: start..end,
                        label: start + 1..at,
                        target: from..from + path.len(),
                    });
                    at = end;
                    continue;
                }
            }
            b'\n' if rest.starts_with("\n\n") => open.clear(),
            _ => {}
        }
        at += 1;
    }
    found
}

/// How long the code is that so many backticks begin, with those that end it; 0 if none do.
fn code(rest: &str, ticks: usize, is_fence: bool) -> usize {
    let paragraph = if is_fence {
        rest.len()
    } else {
        rest.find("\n\n").unwrap_or(rest.len())
    };
    let mut at = 0;
    while let Some(next) = rest[at..paragraph].find('`') {
        let start = at + next;
        let run = rest[start..].len() - rest[start..].trim_start_matches('`').len();
        at = start + run;
        if run == ticks && (!is_fence || rest[..start].ends_with('\n')) {
            return at;
        }
    }
    if is_fence { rest.len() } else { 0 }
}

/// Looks at every link of the pages in a folder with HTML, and gives the numbers of pages and links.
///
/// # Errors
/// If a page cannot be read, or a link leads to a file or a place in a page that is not there.
pub fn check(folder: &Path) -> Result<(usize, usize), String> {
    let mut pages = BTreeMap::new();
    let mut others = BTreeSet::new();
    for path in below(folder)? {
        // A server shows the page of errors in any folder.
        if path.ends_with(".html") && path != "404.html" {
            let text = fs::read_to_string(folder.join(&path))
                .map_err(|error| format!("{path} of the book cannot be read ({error})"))?;
            pages.insert(path, attributes(&text));
        } else {
            others.insert(path);
        }
    }
    let mut broken = BTreeSet::new();
    let mut count = 0;
    for (page, found) in &pages {
        for target in &found.links {
            let has_scheme = ["mailto:", "data:", "javascript:"];
            if target.contains("://") || has_scheme.iter().any(|scheme| target.starts_with(scheme))
            {
                continue;
            }
            count += 1;
            let (path, place) = target.split_once('#').unwrap_or((target, ""));
            let path = if path.is_empty() {
                Some(page.clone())
            } else {
                resolved(page, path)
            };
            let there = path.is_some_and(|path| match pages.get(&path) {
                Some(linked) => place.is_empty() || linked.places.contains(place),
                None => others.contains(&path),
            });
            if !there {
                broken.insert(format!("{target} of {page}"));
            }
        }
    }
    if broken.is_empty() {
        return Ok((pages.len(), count));
    }
    let list: Vec<String> = broken.into_iter().collect();
    Err(format!(
        "{} links of the built book lead nowhere: {}",
        list.len(),
        list.join(", ")
    ))
}

/// What a page in HTML links to, and the places in it that links can name.
#[derive(Default)]
struct Attributes {
    links: Vec<String>,
    places: BTreeSet<String>,
}

/// Reads the tags of a page, and nothing between them.
fn attributes(html: &str) -> Attributes {
    let mut found = Attributes::default();
    let mut rest = html;
    while let Some((_, from)) = rest.split_once('<') {
        let is_markup = from.starts_with(|letter: char| letter.is_ascii_alphabetic());
        if from.starts_with("!--") {
            rest = from.split_once("-->").map_or("", |(_, rest)| rest);
            continue;
        }
        if !is_markup {
            rest = from;
            continue;
        }
        let mut quoted = false;
        let end = from.find(|letter| {
            quoted ^= letter == '"';
            letter == '>' && !quoted
        });
        let (tag, after) = from.split_at(end.unwrap_or(from.len()));
        // Within quotes are the values, before each the name of its attribute.
        let mut parts = tag.split('"');
        while let (Some(name), Some(value)) = (parts.next(), parts.next()) {
            match name.rsplit(char::is_whitespace).next() {
                Some("href=" | "src=") => found.links.push(value.replace("&amp;", "&")),
                Some("id=") => {
                    found.places.insert(value.to_owned());
                }
                _ => {}
            }
        }
        rest = after;
        for (start, stop) in [("script", "</script"), ("style", "</style")] {
            if tag.starts_with(start) {
                rest = rest.find(stop).map_or("", |at| &rest[at..]);
            }
        }
    }
    found
}

/// The files below a folder, as paths in it, in order.
///
/// # Errors
/// If a folder cannot be read.
pub fn below(folder: &Path) -> Result<Vec<String>, String> {
    let mut files = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(within) = folders.pop() {
        let place = folder.join(&within);
        let unreadable = |error| format!("{} cannot be read ({error})", place.display());
        for entry in fs::read_dir(&place).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = match within.is_empty() {
                true => name,
                false => format!("{within}/{name}"),
            };
            match entry.path().is_dir() {
                true => folders.push(path),
                false => files.push(path),
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Writes files into a folder, which is made if it is not there.
///
/// # Errors
/// If one cannot be written.
pub fn write(folder: &Path, files: &Files) -> Result<(), String> {
    files.iter().try_for_each(|(path, bytes)| {
        let place = folder.join(path);
        let made = place.parent().map_or(Ok(()), fs::create_dir_all);
        made.and_then(|()| fs::write(&place, bytes))
            .map_err(|error| format!("{} cannot be written ({error})", place.display()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let files = files
            .iter()
            .map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
        write(folder.path(), &files.collect()).unwrap();
        folder
    }

    #[test]
    fn links_are_found_outside_of_code_alone() {
        let text = "[a](a.md#x) · \\· ![b](b.svg) and [[c] `]`](c \"d\")\n`[no](no)` ``[no`](no)`` \\[no](no)\n\n\
                    ```text\n[no](no)\n```\n[d]\n(no) ` [e](e.md)\n\n`";
        let found = links(text);
        let targets: Vec<_> = found
            .iter()
            .map(|link| &text[link.target.clone()])
            .collect();
        assert_eq!(targets, ["a.md#x", "b.svg", "c", "e.md"]);
        let labels: Vec<_> = found.iter().map(|link| &text[link.label.clone()]).collect();
        assert_eq!(labels, ["a", "b", "[c] `]`", "e"]);
    }

    #[test]
    fn linked_files_come_along_and_folders_become_code() {
        let folder = files(&[
            (
                "docs/a.md",
                "[b](../b.md#b) [k](../hw/k.rs) [hw](../hw) [the hardware](../hw) [rtl](../rtl)",
            ),
            ("b.md", "[a](docs/a.md) https://x [x](https://x) [here](#b)"),
            ("hw/k.rs", "[no](link)"),
            ("rtl/x.v", ""),
        ]);
        let closed = closed(folder.path(), &["docs/a.md".to_owned()], &["rtl"]).unwrap();
        let paths: Vec<_> = closed.keys().collect();
        assert_eq!(paths, ["b.md", "docs/a.md", "hw/k.rs"]);
        let page = "[b](../b.md#b) [k](../hw/k.rs) `hw` the hardware (`hw`) [rtl](../rtl)";
        assert_eq!(String::from_utf8_lossy(&closed["docs/a.md"]), page);
    }

    #[test]
    fn links_to_nothing_are_named() {
        for (text, sentence) in [
            (
                "[b](b.md)",
                "docs/a.md links to docs/b.md, which is not there",
            ),
            (
                "[b](../../b)",
                "docs/a.md links to ../../b, which is not in the repository",
            ),
        ] {
            let folder = files(&[("docs/a.md", text)]);
            let found = closed(folder.path(), &["docs/a.md".to_owned()], &[]);
            assert_eq!(found.unwrap_err(), sentence);
        }
        let found = closed(Path::new("/nonexistent"), &["a.md".to_owned()], &[]);
        assert!(found.unwrap_err().starts_with("a.md cannot be read"));
    }

    #[test]
    fn links_of_html_are_read_from_its_tags() {
        let html = "<!-- <a href=\"no\"> --><h1 class=\"a>b\" id=\"top\"><a\nhref=\"x?a&amp;b\">2 < 3</a></h1>\
                    <code>a href=\"no\"</code><script src=\"s.js\">\"<a href=\"no\">\"</script><img src=\"i.svg\">";
        let found = attributes(html);
        assert_eq!(found.links, ["x?a&b", "s.js", "i.svg"]);
        assert_eq!(found.places.into_iter().collect::<Vec<_>>(), ["top"]);
    }

    #[test]
    fn broken_links_of_a_book_are_named() {
        let good = "<h1 id=\"a\"><a href=\"sub/b.html#b\">b</a><a href=\"#a\"></a><a href=\"https://x\"></a>";
        let back = "<p id=\"b\"><a href=\"../a.html#a\">a</a><img src=\"../x.svg\">";
        let folder = files(&[("a.html", good), ("sub/b.html", back), ("x.svg", "")]);
        assert_eq!(check(folder.path()), Ok((2, 4)));
        let bad = "<a href=\"a.html#b\"></a><a href=\"sub\"></a><a href=\"../c.html\"></a>";
        write(
            folder.path(),
            &Files::from([("c.html".to_owned(), bad.as_bytes().to_vec())]),
        )
        .unwrap();
        assert_eq!(
            check(folder.path()).unwrap_err(),
            "3 links of the built book lead nowhere: ../c.html of c.html, a.html#b of c.html, sub of c.html"
        );
    }
}
