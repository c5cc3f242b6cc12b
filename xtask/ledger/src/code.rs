//! What a compiler sees of a file.

use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A file without its comments, if it is of Rust or Verilog; all of any other one. Two files have the same code only if a
/// compiler sees the same, but for the lines on which it stands.
pub fn of(path: &Path, text: Vec<u8>) -> Vec<u8> {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let code = str::from_utf8(&text)
        .ok()
        .and_then(|text| match &*extension {
            "rs" => rust(text),
            // We write comments to the end of a line alone.
            "v" | "sv" if !text.contains("/*") => Some(verilog(text)),
            _ => None,
        });
    code.map_or(text, String::into_bytes)
}

/// The tokens, one on a line; none if these are not the tokens of a program.
fn rust(text: &str) -> Option<String> {
    let mut code = String::new();
    tokens(text.parse().ok()?, &mut code);
    Some(code)
}

fn tokens(stream: TokenStream, code: &mut String) {
    let mut rest = stream.into_iter().peekable();
    while let Some(token) = rest.next() {
        match token {
            TokenTree::Punct(sign) if sign.as_char() == '#' => {
                let inner = rest.next_if(|next| matches!(next, TokenTree::Punct(_)));
                // A doc comment is an attribute.
                if rest.next_if(is_doc).is_none() {
                    code.push('#');
                    code.extend(inner.map(|sign| sign.to_string()));
                }
            }
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                code.push_str(open);
                tokens(group.stream(), code);
                code.push_str(close);
            }
            // `a && b` and `a & &b` are not the same.
            TokenTree::Punct(sign) if sign.spacing() == proc_macro2::Spacing::Joint => {
                code.push(sign.as_char());
            }
            token => {
                code.push_str(&token.to_string());
                code.push('\n');
            }
        }
    }
}

/// Whether this is the group of `#[doc = "..."]`.
fn is_doc(token: &TokenTree) -> bool {
    let TokenTree::Group(group) = token else {
        return false;
    };
    let first = group.stream().into_iter().next();
    group.delimiter() == Delimiter::Bracket
        && matches!(first, Some(TokenTree::Ident(word)) if word == "doc")
}

/// The lines without comments; a quoted `//` is none.
fn verilog(text: &str) -> String {
    let code = |line: &str| {
        let comments = line.match_indices("//").map(|(start, _)| &line[..start]);
        let mut before = comments.filter(|before| before.matches('"').count() % 2 == 0);
        before.next().unwrap_or(line).trim().to_owned()
    };
    let mut lines: Vec<String> = text.lines().map(code).collect();
    lines.retain(|line| !line.is_empty());
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a test that cannot go on panics

    use super::*;

    #[test]
    fn comments_and_spaces_of_rust_are_no_code() {
        let text = "//! A.\n#![doc = include_str!(\"a.md\")]\n/// B.\nstruct S; // C.\n";
        assert_eq!(rust(text), rust("/* D. */ struct   S;"));
        assert_ne!(rust("#[cfg(a)] struct S;"), rust("#[cfg(b)] struct S;"));
        assert_ne!(rust("#[cfg(a)] struct S;"), rust("struct S;"));
        assert_ne!(rust("#![allow(a)]"), rust("#[allow(a)]"));
        assert_ne!(rust("a && b"), rust("a & &b"));
        assert_ne!(rust("f(a, b)"), rust("f((a, b))"));
        assert_ne!(rust("\"a // b\""), rust("\"a // c\""));
        assert_eq!(rust("\"no end"), None);
    }

    #[test]
    fn comments_and_empty_lines_of_verilog_are_no_code() {
        let text = "// A.\nmodule m; // B.\n\n  $display(\"// C\"); // D\nendmodule\n";
        let code = "module m;\n$display(\"// C\");\nendmodule";
        assert_eq!(verilog(text), code);
    }

    #[test]
    fn other_files_count_as_they_are() {
        let text = b"a // b".to_vec();
        assert_eq!(of(Path::new("a.toml"), text.clone()), text);
        assert_eq!(of(Path::new("a.v"), text), b"a");
        let text = b"a /* // */ b".to_vec();
        assert_eq!(of(Path::new("a.v"), text.clone()), text);
    }
}
