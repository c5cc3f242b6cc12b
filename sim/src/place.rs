//! How an error names a place in a file.

/// The file, and the line if there is one: lines count from 1, and 0 is the file as a whole.
pub(crate) fn place(file: &str, line: u64) -> String {
    match line {
        0 => shown(file),
        _ => format!("{}:{line}", shown(file)),
    }
}

/// The line of a byte of a text, from 1 on.
pub(crate) fn line_at(text: &str, byte: usize) -> usize {
    text[..byte.min(text.len())].matches('\n').count() + 1
}

/// A message of a parser in one line.
pub(crate) fn one_sentence(message: &str) -> String {
    message.trim().replace('\n', ", ")
}

/// At most 60 characters of what stands in a file, without control characters.
pub(crate) fn shown(text: &str) -> String {
    const LIMIT: usize = 60;
    let mut short: String = text
        .chars()
        .take(LIMIT)
        .flat_map(char::escape_debug)
        .collect();
    if text.chars().nth(LIMIT).is_some() {
        short.push_str("...");
    }
    short
}
