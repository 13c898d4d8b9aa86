//! linerate
fn main() {}
