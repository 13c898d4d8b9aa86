//! YAML text as a tree in which every key and every value knows its place.
//!
//! Nothing here knows what a scenario is. Everything that YAML allows and a scenario does not (tags, several documents,
//! keys that are not text) is refused here, as are duplicate keys and documents that unfold without bound.

mod build;
mod core_schema;
mod node;

pub(crate) use build::parse;
pub(crate) use core_schema::resolve_plain;
pub(crate) use node::{Document, Entry, Extent, Node, NodeId, NodeKind, Scalar, ScalarValue};
