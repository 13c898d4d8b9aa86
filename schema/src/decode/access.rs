use serde::Deserialize;
use serde::de::{DeserializeSeed, MapAccess, SeqAccess};

use super::Context;
use super::decoder::Decoder;
use super::error::DecodeError;
use super::shape::Input;
use crate::Span;
use crate::template::Scope;

/// The elements of a list. An element that cannot be decoded is reported and skipped.
pub(super) struct Elements<'c, 't, I> {
    pub(super) context: &'c Context<'t>,
    pub(super) scope: &'c Scope,
    pub(super) inputs: I,
}

impl<'c, 't, I: Iterator<Item = Input>> SeqAccess<'t> for Elements<'c, 't, I> {
    type Error = DecodeError;

    fn next_element_seed<T: DeserializeSeed<'t>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, DecodeError> {
        let Some(input) = self.inputs.next() else { return Ok(None) };
        seed.deserialize(Decoder { context: self.context, scope: self.scope, input }).map(Some)
    }

    fn next_element<T: Deserialize<'t>>(&mut self) -> Result<Option<T>, DecodeError> {
        for input in self.inputs.by_ref() {
            if self.context.findings.is_full() {
                break;
            }
            let span = input.span(self.context);
            match T::deserialize(Decoder { context: self.context, scope: self.scope, input }) {
                Ok(value) => return Ok(Some(value)),
                Err(error) => self.context.report(error.in_list(), span),
            };
        }
        Ok(None)
    }
}

/// The entries of a mapping. Unknown keys are reported and skipped; a value that cannot be decoded is reported and then
/// absent.
pub(super) struct Entries<'c, 't, I> {
    pub(super) context: &'c Context<'t>,
    pub(super) scope: &'c Scope,
    pub(super) entries: I,
    pub(super) value: Option<Input>,
    /// The key of the value.
    pub(super) key: String,
}

/// The key and the value of an entry.
pub(super) type EntryInput = ((String, Span), Input);

impl<'c, 't, I: Iterator<Item = EntryInput>> Entries<'c, 't, I> {
    fn decoder(&self, input: Input) -> Decoder<'c, 't> {
        Decoder { context: self.context, scope: self.scope, input }
    }
}

impl<'c, 't, I: Iterator<Item = EntryInput>> MapAccess<'t> for Entries<'c, 't, I> {
    type Error = DecodeError;

    fn next_key_seed<K: DeserializeSeed<'t>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, DecodeError> {
        let Some(((key, span), value)) = self.entries.next() else { return Ok(None) };
        self.value = Some(value);
        seed.deserialize(self.decoder(Input::Key(key, span))).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'t>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, DecodeError> {
        let input = self.value.take().unwrap_or(Input::Absent);
        seed.deserialize(self.decoder(input))
    }

    fn next_key<K: Deserialize<'t>>(&mut self) -> Result<Option<K>, DecodeError> {
        while let Some(((key, span), value)) = self.entries.next() {
            if self.context.findings.is_full() {
                break;
            }
            self.key.clone_from(&key);
            match K::deserialize(self.decoder(Input::Key(key, span))) {
                Ok(key) => {
                    self.value = Some(value);
                    return Ok(Some(key));
                }
                Err(error) => self.context.report(error, span),
            };
        }
        Ok(None)
    }

    fn next_value<V: Deserialize<'t>>(&mut self) -> Result<V, DecodeError> {
        let input = self.value.take().unwrap_or(Input::Absent);
        let span = input.span(self.context);
        match V::deserialize(self.decoder(input)) {
            Ok(value) => Ok(value),
            Err(error) => {
                self.context.report(error.about(&self.key), span);
                V::deserialize(self.decoder(Input::Absent))
            }
        }
    }

    fn next_entry<K: Deserialize<'t>, V: Deserialize<'t>>(
        &mut self,
    ) -> Result<Option<(K, V)>, DecodeError> {
        while let Some(key) = self.next_key()? {
            match self.next_value() {
                Ok(value) => return Ok(Some((key, value))),
                Err(_) => continue,
            }
        }
        Ok(None)
    }
}

/// A value with its place, as the five elements that [`crate::Spanned`] reads.
pub(super) struct SpannedParts<'c, 't> {
    decoder: Option<Decoder<'c, 't>>,
    numbers: std::array::IntoIter<u64, 4>,
}

impl<'c, 't> SpannedParts<'c, 't> {
    pub(super) fn new(decoder: Decoder<'c, 't>) -> Self {
        let span = decoder.input.span(decoder.context);
        let numbers = [span.start as u64, span.end as u64, span.line.into(), span.column.into()];
        Self { decoder: Some(decoder), numbers: numbers.into_iter() }
    }
}

impl<'t> SeqAccess<'t> for SpannedParts<'_, 't> {
    type Error = DecodeError;

    fn next_element_seed<T: DeserializeSeed<'t>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, DecodeError> {
        use serde::de::IntoDeserializer;
        if let Some(number) = self.numbers.next() {
            let number: serde::de::value::U64Deserializer<DecodeError> = number.into_deserializer();
            return seed.deserialize(number).map(Some);
        }
        self.decoder.take().map(|decoder| seed.deserialize(decoder)).transpose()
    }
}
