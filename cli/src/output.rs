//! How every subcommand writes: results on standard output, progress on standard error.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use faultline_sim::trace::Trace;
use faultline_testbench::file;
use indicatif::{ProgressBar, ProgressStyle};
use miette::{IntoDiagnostic, WrapErr};
use serde::Serialize;

pub use faultline_synth::table::terminal::{fitted, right, table, tables, width};

/// Options of all subcommands.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct Global {
    /// Print JSON instead of tables
    #[arg(long, global = true)]
    pub json: bool,
}

impl Global {
    /// Writes a text to standard output, with a line end. A reader that has gone (`| head`) has seen
    /// what it wanted, so the command ends quietly.
    ///
    /// # Errors
    /// If standard output cannot be written for another reason, such as a full disk.
    pub fn print(&self, text: &str) -> miette::Result<()> {
        let mut output = std::io::stdout().lock();
        let written = writeln!(output, "{}", text.trim_end()).and_then(|()| output.flush());
        match written {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => crate::ending::leave(),
            Err(error) => Err(miette::miette!(
                "standard output cannot be written ({error})"
            )),
            Ok(()) => Ok(()),
        }
    }

    /// Writes a value to standard output as JSON.
    ///
    /// # Errors
    /// As [`Global::print`].
    pub fn print_json(&self, value: &impl Serialize) -> miette::Result<()> {
        let text = serde_json::to_string_pretty(value);
        self.print(
            &text
                .into_diagnostic()
                .wrap_err("the result cannot be written as JSON")?,
        )
    }
}

/// Prints to standard error what was skipped. If it is closed, the note is lost.
pub fn note(text: &impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr(), "note: {text}");
}

/// Opens a trace, and tells what of its list was skipped.
///
/// # Errors
/// If it cannot be read.
pub fn open_trace(path: &Path) -> miette::Result<Trace> {
    let trace = Trace::open(path).map_err(|error| miette::miette!("{error}"))?;
    trace.notes.iter().for_each(note);
    Ok(trace)
}

/// A file for a picture, which is SVG whatever it is called.
///
/// # Errors
/// If its name says something else.
pub fn svg_file(name: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(name);
    let extension = path
        .extension()
        .map(|extension| extension.to_ascii_lowercase());
    match extension.is_some_and(|extension| extension == "svg") {
        true => Ok(path),
        false => Err("the picture is SVG, so give a name that ends in .svg".to_owned()),
    }
}

/// A file for a waveform, which is FST whatever it is called.
///
/// # Errors
/// If its name says something else.
pub fn wave_file(name: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(name);
    // A device takes anything.
    let is_device = path.exists() && !path.is_file() && !path.is_dir();
    let extension = path
        .extension()
        .map(|extension| extension.to_ascii_lowercase());
    match is_device || extension.is_some_and(|extension| extension == "fst") {
        true => Ok(path),
        false => Err("the waveform is FST, so give a name that ends in .fst".to_owned()),
    }
}

/// The file that a path leads to, whether it is there or not.
fn target(path: &Path) -> Option<PathBuf> {
    if let Ok(known) = path.canonicalize() {
        return Some(known);
    }
    // A link to what is not there yet.
    if let Ok(leads) = path.read_link() {
        return target(&path.parent()?.join(leads));
    }
    let whole = std::path::absolute(path).ok()?;
    let folder = whole.parent()?.canonicalize().ok()?;
    Some(folder.join(whole.file_name()?))
}

/// A word as a shell takes it: in quotes where it has to be.
pub fn quoted(word: impl std::fmt::Display) -> String {
    let word = word.to_string();
    let is_plain = |letter: char| letter.is_alphanumeric() || "_-./,:=+@%".contains(letter);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word,
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// What was typed after the program's name, with FILE for the file of a report.
pub fn command() -> String {
    let typed = std::env::args().skip(1).map(quoted);
    let mut words: Vec<String> = typed.collect();
    if let Some(place) = words.iter().position(|word| word == "--markdown")
        && let Some(file) = words.get_mut(place + 1)
    {
        "FILE".clone_into(file);
    }
    words.join(" ")
}

/// Refuses two options that name one file, however they spell it: one of the two would be lost. So would a file that the
/// command reads, if it is named as one that it writes. A device may be named twice.
///
/// # Errors
/// If two do, or if anything else on the command line names the file of one.
pub fn distinct_files(files: &[(&str, Option<&Path>)]) -> miette::Result<()> {
    let typed = std::env::args_os().skip(1);
    let typed: Vec<_> = typed
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    distinct_among(files, &typed)
}

/// Refuses what [`distinct_files`] does, and files that cannot be written.
///
/// # Errors
/// If two options name one file, the command reads one of the files, or one cannot be written.
pub fn check_files(files: &[(&str, Option<&Path>)]) -> miette::Result<()> {
    distinct_files(files)?;
    for path in files.iter().filter_map(|(_, path)| *path) {
        file::check_writable(path).map_err(|error| miette::miette!("{error}"))?;
    }
    Ok(())
}

fn distinct_among(files: &[(&str, Option<&Path>)], typed: &[String]) -> miette::Result<()> {
    let named: Vec<(&str, PathBuf)> = files
        .iter()
        .filter_map(|(option, path)| Some((*option, target((*path)?)?)))
        .filter(|(_, path)| path.is_file() || !path.exists())
        .collect();
    for (place, (option, path)) in named.iter().enumerate() {
        let earlier = named[..place].iter().find(|(_, other)| other == path);
        if let Some((other, _)) = earlier {
            return Err(miette::miette!(
                "{other} and {option} both name {}; give each a file of its own",
                path.display()
            ));
        }
        // The file is typed once, for this option, or again, as one that is read.
        let words = typed.iter().flat_map(|word| word.split([',', '=']));
        let same =
            words.filter(|word| path.is_file() && target(Path::new(word)).as_ref() == Some(path));
        if same.count() > 1 {
            return Err(miette::miette!(
                "{option} would overwrite {}, which the command reads; give it a file of its own",
                path.display()
            ));
        }
    }
    Ok(())
}

/// A progress bar on standard error, for what takes seconds; invisible where that is no terminal.
pub fn progress(length: u64, template: &str) -> ProgressBar {
    let bar = ProgressBar::new(length);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("=> "));
    }
    bar
}

/// A whole number with commas between thousands.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number and its noun.
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!(
        "{} {}",
        grouped(number),
        if number == 1 { one } else { many }
    )
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{distinct_among, distinct_files, grouped, quoted, wave_file};

    #[test]
    fn one_file_is_not_written_twice_however_it_is_spelled() {
        let folder = tempfile::tempdir().unwrap();
        let there = |name: &str| folder.path().join(name);
        std::fs::create_dir(there("sub")).unwrap();
        let spelled = [there("a"), there("./a"), there("sub/../a")];
        for other in &spelled {
            let files = [
                ("--saif", Some(spelled[0].as_path())),
                ("--csv", Some(other.as_path())),
            ];
            let sentence = distinct_files(&files).unwrap_err().to_string();
            assert!(
                sentence.starts_with("--saif and --csv both name "),
                "{sentence}"
            );
        }
        let other = there("b");
        let files = [
            ("--saif", Some(spelled[0].as_path())),
            ("--csv", Some(other.as_path())),
            ("--markdown", None),
        ];
        assert!(distinct_files(&files).is_ok());
        // A file that is there and is read.
        std::fs::write(&other, "library").unwrap();
        let typed = |words: &[&str]| -> Vec<String> {
            let word = |word: &&str| word.replace('@', other.to_str().unwrap());
            words.iter().map(word).collect()
        };
        let files = [("--markdown", Some(other.as_path()))];
        for words in [
            ["--liberty", "@", "--markdown=@"],
            ["a,@", "--markdown", "@"],
        ] {
            let sentence = distinct_among(&files, &typed(&words))
                .unwrap_err()
                .to_string();
            assert!(
                sentence.starts_with("--markdown would overwrite "),
                "{sentence}"
            );
        }
        assert!(distinct_among(&files, &typed(&["a", "--markdown", "@"])).is_ok());
        let device = Path::new("/dev/null");
        assert!(distinct_files(&[("--saif", Some(device)), ("--csv", Some(device))]).is_ok());
    }

    #[test]
    fn words_are_quoted_where_a_shell_would_take_them_apart() {
        assert_eq!(quoted("a/b-1.lib"), "a/b-1.lib");
        assert_eq!(quoted("a b/it's.lib"), r"'a b/it'\''s.lib'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn a_waveform_is_called_what_it_is() {
        assert!(wave_file("a.fst").is_ok() && wave_file("/dev/null").is_ok());
        for name in ["x.vcd", "x", "x.fst.gz"] {
            assert!(wave_file(name).unwrap_err().contains(".fst"), "{name}");
        }
    }

    #[test]
    fn thousands_are_grouped() {
        let numbers = [0, 999, 1000, 26_601, 1_234_567];
        assert_eq!(
            numbers.map(grouped),
            ["0", "999", "1,000", "26,601", "1,234,567"]
        );
    }
}
