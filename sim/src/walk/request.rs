//! A file of requests: a virtual address, an access and a mode a line.

use std::path::Path;

use super::lines::{Fault, LineError, Lines, hexadecimal};
use super::{Access, Request};
use crate::place::shown;

/// Reads requests: a line is `ADDRESS read|write|execute user|supervisor`, the address hexadecimal; `#` begins a comment.
///
/// # Errors
/// If the file cannot be read, or a line is something else.
pub fn read_requests(path: &Path) -> Result<Vec<Request>, LineError> {
    let mut lines = Lines::open(path)?;
    let mut requests = Vec::new();
    while let Some(line) = lines.next()? {
        let line = line.to_owned();
        requests.push(request(&line).map_err(|fault| lines.error(fault))?);
    }
    Ok(requests)
}

fn request(line: &str) -> Result<Request, Fault> {
    let fields: Vec<_> = line.split_whitespace().collect();
    let [address, access, mode] = fields[..] else {
        return Err(Fault::Fields {
            found: fields.len(),
            expected: "three, an address, an access and a mode",
        });
    };
    let word = |field, text: &str, expected| Fault::Word {
        field,
        text: shown(text),
        expected,
    };
    Ok(Request {
        address: hexadecimal(address).ok_or_else(|| Fault::Number {
            field: "address",
            text: shown(address),
        })?,
        access: Access::ALL
            .into_iter()
            .find(|known| known.name() == access)
            .ok_or_else(|| word("access", access, "read, write or execute"))?,
        user: match mode {
            "user" => true,
            "supervisor" => false,
            _ => return Err(word("mode", mode, "user or supervisor")),
        },
    })
}
