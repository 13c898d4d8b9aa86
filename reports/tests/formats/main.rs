//! Every report format against the same finished runs, including hostile and very large ones.

mod bounds;
mod csv;
mod fixtures;
mod hostile_names;
mod json;
mod junit;
mod snapshots;
mod xml;
