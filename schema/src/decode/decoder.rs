use std::borrow::Cow;

use serde::de::{IntoDeserializer, Visitor};

use super::access::{Elements, Entries, SpannedParts};
use super::error::{DecodeError, OUT_OF_RANGE};
use super::shape::{Input, Shape};
use super::{Context, DEFERRED, SPANNED};
use crate::document::{NodeKind, ScalarValue};
use crate::template::Scope;

/// Decodes one value.
pub(super) struct Decoder<'c, 't> {
    pub(super) context: &'c Context<'t>,
    pub(super) scope: &'c Scope,
    pub(super) input: Input,
}

impl<'c, 't> Decoder<'c, 't> {
    /// Evaluates the template, if the value is one.
    fn settled(mut self) -> Result<Self, DecodeError> {
        if let Input::Node(node) = self.input
            && let NodeKind::Scalar(scalar) = &self.context.document.node(node).kind
            && let Some(value) = self.context.evaluate(node, scalar, self.scope)
        {
            let value = value.map_err(|_| DecodeError::Reported)?;
            self.input = Input::Value(value, self.context.document.span(node));
        }
        Ok(self)
    }

    fn shape(self) -> Result<Shape<'t>, DecodeError> {
        let Self { context, input, .. } = self.settled()?;
        match input {
            Input::Node(node) => Shape::of_node(context, node),
            Input::Value(value, span) => Shape::of_value(&value, span),
            Input::Key(key, _) => Ok(Shape::text(key)),
            Input::Absent => Err(DecodeError::Absent),
        }
    }

    /// A collection that was reported as wrong has nothing in it.
    fn shape_or_empty(self) -> Result<Shape<'t>, DecodeError> {
        match self.input {
            Input::Absent => {
                Ok(Shape::Scalar { value: ScalarValue::Null, text: Cow::Borrowed("") })
            }
            _ => self.shape(),
        }
    }

    /// A whole number in a range.
    fn integer(self, min: i128, max: i128) -> Result<i128, DecodeError> {
        match self.shape()? {
            Shape::Scalar { value: ScalarValue::Integer(number), .. }
                if (min..=max).contains(&number) =>
            {
                Ok(number)
            }
            Shape::Scalar { value: ScalarValue::Integer(number), .. } => {
                let message = format!("{number}{OUT_OF_RANGE}");
                let help = format!("write {min} to {max}");
                Err(DecodeError::problem("out-of-range", message).help(help))
            }
            other => Err(other.wrong_type("a whole number")),
        }
    }

    fn sequence<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let Self { context, scope, .. } = self;
        let inputs = match self.shape_or_empty()? {
            Shape::Sequence(inputs) => inputs,
            Shape::Scalar { value: ScalarValue::Null, .. } => Vec::new(),
            other => return Err(other.wrong_type("a list")),
        };
        visitor.visit_seq(Elements { context, scope, inputs: inputs.into_iter() })
    }

    fn mapping<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let Self { context, scope, .. } = self;
        let entries = match self.shape_or_empty()? {
            Shape::Mapping(entries) => entries,
            Shape::Scalar { value: ScalarValue::Null, .. } => Vec::new(),
            other => return Err(other.wrong_type("a mapping")),
        };
        let entries = entries.into_iter();
        visitor.visit_map(Entries { context, scope, entries, value: None, key: String::new() })
    }

    fn text(self) -> Result<Cow<'t, str>, DecodeError> {
        match self.shape()? {
            Shape::Scalar { value, text } if value != ScalarValue::Null => Ok(text),
            other => Err(other.wrong_type("text")),
        }
    }
}

macro_rules! integers {
    ($($method:ident $visit:ident $type:ty)*) => {
        $(
            fn $method<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, DecodeError> {
                let number = self.integer(<$type>::MIN.into(), <$type>::MAX.into())?;
                match <$type>::try_from(number) {
                    Ok(number) => visitor.$visit(number),
                    Err(error) => Err(serde::de::Error::custom(error)),
                }
            }
        )*
    };
}

impl<'t> serde::Deserializer<'t> for Decoder<'_, 't> {
    type Error = DecodeError;

    fn deserialize_any<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let Self { context, scope, .. } = self;
        match self.shape()? {
            Shape::Scalar { value, text } => match value {
                ScalarValue::Null => Err(Shape::Scalar { value, text }.wrong_type("a value")),
                ScalarValue::Refused => Err(DecodeError::Reported),
                ScalarValue::Bool(value) => visitor.visit_bool(value),
                ScalarValue::Integer(number) => visit_integer(number, text, visitor),
                ScalarValue::Float(number) => visitor.visit_f64(number),
                ScalarValue::Text => visit_text(text, visitor),
            },
            Shape::Sequence(inputs) => {
                visitor.visit_seq(Elements { context, scope, inputs: inputs.into_iter() })
            }
            Shape::Mapping(entries) => visitor.visit_map(Entries {
                context,
                scope,
                entries: entries.into_iter(),
                value: None,
                key: String::new(),
            }),
        }
    }

    fn deserialize_bool<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.shape()? {
            Shape::Scalar { value: ScalarValue::Bool(value), .. } => visitor.visit_bool(value),
            other => Err(other.wrong_type("`true` or `false`")),
        }
    }

    integers! {
        deserialize_i8 visit_i8 i8
        deserialize_i16 visit_i16 i16
        deserialize_i32 visit_i32 i32
        deserialize_i64 visit_i64 i64
        deserialize_u8 visit_u8 u8
        deserialize_u16 visit_u16 u16
        deserialize_u32 visit_u32 u32
        deserialize_u64 visit_u64 u64
    }

    fn deserialize_f32<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_f64<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.shape()? {
            Shape::Scalar { value: ScalarValue::Integer(number), text } => {
                visit_integer(number, text, visitor)
            }
            Shape::Scalar { value: ScalarValue::Float(number), .. } => visitor.visit_f64(number),
            other => Err(other.wrong_type("a number")),
        }
    }

    fn deserialize_str<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visit_text(self.text()?, visitor)
    }

    fn deserialize_string<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_char<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bytes<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_byte_buf<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_str(visitor)
    }

    /// A template whose result is `none` stands for a key that is not there, and is visited as a unit; a value that was
    /// reported as wrong is visited as none.
    fn deserialize_option<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let settled = self.settled()?;
        match &settled.input {
            Input::Absent => visitor.visit_none(),
            Input::Value(value, _) if value.is_none() => visitor.visit_unit(),
            Input::Node(_) | Input::Value(..) | Input::Key(..) => visitor.visit_some(settled),
        }
    }

    fn deserialize_unit<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.shape()? {
            Shape::Scalar { value: ScalarValue::Null, .. } => visitor.visit_unit(),
            other => Err(other.wrong_type("no value")),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'t>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'t>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        if name == SPANNED {
            let settled = self.settled()?;
            return match settled.input {
                Input::Absent => Err(DecodeError::Absent),
                _ => visitor.visit_seq(SpannedParts::new(settled)),
            };
        }
        if name == DEFERRED {
            return match self.input {
                Input::Node(node) => visitor.visit_u32(node.number()),
                Input::Absent => Err(DecodeError::Absent),
                Input::Value(..) | Input::Key(..) => {
                    Err(DecodeError::problem("template-error", "a template cannot stand here")
                        .help("write the keys here; each value may be a template"))
                }
            };
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.sequence(visitor)
    }

    fn deserialize_tuple<V: Visitor<'t>>(
        self,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.sequence(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'t>>(
        self,
        _name: &'static str,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.sequence(visitor)
    }

    fn deserialize_map<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.mapping(visitor)
    }

    fn deserialize_struct<V: Visitor<'t>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.mapping(visitor)
    }

    /// The format's choices are words.
    fn deserialize_enum<V: Visitor<'t>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        let word = self.text()?;
        visitor.visit_enum(word.as_ref().into_deserializer())
    }

    fn deserialize_ignored_any<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_unit()
    }
}

fn visit_text<'t, V: Visitor<'t>>(text: Cow<'t, str>, visitor: V) -> Result<V::Value, DecodeError> {
    match text {
        Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
        Cow::Owned(text) => visitor.visit_string(text),
    }
}

/// A number that no integer of 64 bits holds is visited as its text.
fn visit_integer<'t, V: Visitor<'t>>(
    number: i128,
    text: Cow<'t, str>,
    visitor: V,
) -> Result<V::Value, DecodeError> {
    if let Ok(number) = u64::try_from(number) {
        visitor.visit_u64(number)
    } else if let Ok(number) = i64::try_from(number) {
        visitor.visit_i64(number)
    } else {
        visit_text(text, visitor)
    }
}
