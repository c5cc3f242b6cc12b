//! Speed of each back end, on traffic that was made beforehand.
fn main() {}
