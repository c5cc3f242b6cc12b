//! Parses Liberty text. The parser of `liberty-db` is generic and large: here it is compiled once, and not with each
//! change of what uses it. [`Text`] brings what vendors write into the form that this parser and other readers take.

mod text;
mod tree;

pub use text::{Text, decode};
pub use tree::Tree;

/// A Liberty library, with all its groups.
pub type Library = liberty_db::Library<liberty_db::DefaultCtx>;

/// Parses the text of a Liberty library.
///
/// # Errors
/// If it is none: the parser's reason, with the place.
pub fn parse(text: &str) -> Result<Library, String> {
    Library::parse_lib(text, None).map_err(|error| error.to_string())
}
