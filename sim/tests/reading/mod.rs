//! The instructions of a trace, for all tests of traces.

use faultline_sim::trace::{Event, Instruction, Reader};

/// Reads all instructions, or gives the error's sentence.
pub fn instructions(text: &(impl AsRef<[u8]> + ?Sized)) -> Result<Vec<Instruction>, String> {
    let reader = Reader::new(text.as_ref(), "t").map_err(|error| error.to_string())?;
    let mut all = Vec::new();
    for event in reader {
        if let Event::Instruction(instruction) = event.map_err(|error| error.to_string())? {
            all.push(instruction);
        }
    }
    Ok(all)
}
