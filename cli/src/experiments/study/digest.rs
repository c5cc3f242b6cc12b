//! What decides a run, as a hash.

use std::fmt::Write as _;
use std::io::{self, Read};

use sha2::{Digest as _, Sha256};

/// What decides a run, part by part.
#[derive(Clone, Default)]
pub struct Digest(Sha256);

impl Digest {
    /// Adds a text. Its length is a part of it, so what follows cannot pass for its end.
    pub fn text(&mut self, kind: &str, text: &str) {
        let length = text.len();
        self.0.update(format!("{kind} {length}\n"));
        self.0.update(text);
    }

    /// Adds what a file holds.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn file(&mut self, file: &mut impl Read) -> io::Result<()> {
        let mut own = Sha256::new();
        let mut part = vec![0; 1 << 16];
        loop {
            match file.read(&mut part)? {
                0 => break,
                length => own.update(&part[..length]),
            }
        }
        self.text("file", &hexadecimal(&own.finalize()));
        Ok(())
    }

    /// The hash, in hexadecimal.
    pub fn hash(self) -> String {
        hexadecimal(&self.0.finalize())
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // A text takes all that is written to it.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(parts: &[(&str, &str)]) -> String {
        let mut digest = Digest::default();
        for (kind, text) in parts {
            digest.text(kind, text);
        }
        digest.hash()
    }

    #[test]
    fn each_part_counts_with_its_length() {
        let hash = of(&[("a", "bc"), ("d", "e")]);
        assert_eq!(hash.len(), 64);
        assert_eq!(hash, of(&[("a", "bc"), ("d", "e")]));
        for other in [
            of(&[("a", "b"), ("d", "e")]),
            of(&[("a", "bcd 1\ne")]),
            of(&[("a", "bc"), ("d", "f")]),
        ] {
            assert_ne!(hash, other);
        }
        let mut digest = Digest::default();
        digest.file(&mut &b"abc"[..]).unwrap();
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest.hash(), of(&[("file", abc)]));
    }
}
