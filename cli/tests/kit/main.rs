//! Kits: what they name is documented, and the tools that can be run here take them as they are.

#![allow(clippy::unwrap_used)] // a test that cannot go on panics

mod documented;
mod floorplan;
mod folders;
mod made;
mod tools;
