use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::forward_to_deserialize_any;

/// The keys of a struct, in the spelling of the file; empty for anything else.
pub(super) fn fields_of<T: Deserialize<'static>>() -> &'static [&'static str] {
    match T::deserialize(Probe) {
        Ok(_) => &[],
        Err(Answer(fields)) => fields,
    }
}

/// Answers the question for a struct with an error that carries the struct's fields.
struct Probe;

#[derive(Debug)]
struct Answer(&'static [&'static str]);

impl<'de> Deserializer<'de> for Probe {
    type Error = Answer;

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Answer> {
        Err(Answer(&[]))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        _visitor: V,
    ) -> Result<V::Value, Answer> {
        Err(Answer(fields))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

impl Error for Answer {
    fn custom<T: fmt::Display>(_message: T) -> Self {
        Self(&[])
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the fields are {:?}", self.0)
    }
}

impl std::error::Error for Answer {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{ConnectOptions, ServerReference};

    #[test]
    fn only_structs_have_fields() {
        assert_eq!(fields_of::<ConnectOptions>(), ["timeout"]);
        assert!(fields_of::<ServerReference>().is_empty());
        assert!(fields_of::<String>().is_empty());
    }
}
