//! The JSON Schemas of the two documents, for editors and for tools; they are checked in beside this crate.
//!
//! The descriptions are the documentation of the types. A scenario may have a template where the types want a number,
//! a word or a truth value, so there the schema accepts the text of a template too.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::results::RunResult;
use crate::scenario::ScenarioDocument;

/// The schema of a scenario file.
#[must_use]
pub fn scenario_schema() -> Value {
    let mut schema = schema_of::<ScenarioDocument>("linerate scenario");
    as_written(&mut schema);
    // An empty file is no scenario.
    schema["type"] = json!("object");
    schema["$defs"]["Template"] = json!({
        "description": "A text with a template, whose value is used.",
        "type": "string",
        "pattern": r"\{\{[\s\S]*\}\}",
    });
    schema
}

/// The schema of `results.json`.
#[must_use]
pub fn results_schema() -> Value {
    schema_of::<RunResult>("linerate results")
}

fn schema_of<T: JsonSchema>(title: &str) -> Value {
    let generator = SchemaSettings::draft2020_12().into_generator();
    let mut schema = generator.into_root_schema_for::<T>().to_value();
    schema["title"] = json!(title);
    unwrap_descriptions(&mut schema);
    schema
}

/// Doc comments are broken into lines for the reader of the source only.
fn unwrap_descriptions(schema: &mut Value) {
    match schema {
        Value::Object(keywords) => {
            for (keyword, value) in keywords {
                match value {
                    Value::String(text) if keyword == "description" => {
                        let paragraphs = text.split("\n\n").map(|text| text.replace('\n', " "));
                        *text = paragraphs.collect::<Vec<_>>().join("\n\n");
                    }
                    _ => unwrap_descriptions(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(unwrap_descriptions),
        _ => {}
    }
}

/// Turns the schema of what a type holds into that of what may be written for it.
fn as_written(schema: &mut Value) {
    let Value::Object(keywords) = schema else { return };
    for places in ["properties", "$defs"] {
        if let Some(Value::Object(places)) = keywords.get_mut(places) {
            places.values_mut().for_each(as_written);
        }
    }
    for place in ["items", "additionalProperties"] {
        if let Some(place) = keywords.get_mut(place) {
            as_written(place);
        }
    }
    // Artefacts of the types.
    for keyword in ["default", "format"] {
        keywords.remove(keyword);
    }
    refuse_null(keywords);
    let is_demanding = keywords.contains_key("required");
    let is_word =
        ["pattern", "enum", "const"].iter().any(|keyword| keywords.contains_key(*keyword));
    match keywords.get_mut("type") {
        // `sink:` with nothing behind it is an empty mapping.
        Some(kind) if *kind == json!("object") && !is_demanding => {
            *kind = json!(["object", "null"]);
        }
        Some(kind) if *kind == json!("object") => {}
        // A name may be written as a number, without quotes.
        Some(kind) if *kind == json!("string") && !is_word => {
            *kind = json!(["string", "number", "boolean"]);
            bound_digits(keywords);
        }
        Some(kind) if *kind == json!("array") || holds(kind, "string") => {}
        Some(_) => accept_template(keywords),
        None => accept_template_as_choice(keywords),
    }
}

/// A number is as long as its digits.
fn bound_digits(keywords: &mut Map<String, Value>) {
    let length = keywords.get("minLength").and_then(Value::as_u64);
    if let Some(least) =
        length.and_then(|length| 10_u64.checked_pow(u32::try_from(length.saturating_sub(1)).ok()?))
    {
        keywords.insert("minimum".to_owned(), json!(least));
    }
}

/// An absent key has no value; a key that is there must have one.
fn refuse_null(keywords: &mut Map<String, Value>) {
    if let Some(Value::Array(choices)) = keywords.get_mut("anyOf") {
        choices.retain(|choice| *choice != json!({ "type": "null" }));
        if let [Value::Object(only)] = choices.as_slice() {
            let only = only.clone();
            keywords.remove("anyOf");
            keywords.extend(only);
        }
    }
    if let Some(Value::Array(kinds)) = keywords.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [only] = kinds.as_slice() {
            let only = only.clone();
            keywords.insert("type".to_owned(), only);
        }
    }
}

fn holds(kind: &Value, name: &str) -> bool {
    match kind {
        Value::Array(kinds) => kinds.iter().any(|kind| kind == name),
        kind => kind == name,
    }
}

/// Makes what a number or a truth value must be one of two choices; the other is a template.
fn accept_template(keywords: &mut Map<String, Value>) {
    let described = ["title", "description", "examples"];
    let (outer, demands): (Map<_, _>, Map<_, _>) = std::mem::take(keywords)
        .into_iter()
        .partition(|(key, _)| described.contains(&key.as_str()));
    *keywords = outer;
    keywords.insert("anyOf".to_owned(), json!([demands, template()]));
}

/// Adds a template to choices of which none is any text.
fn accept_template_as_choice(keywords: &mut Map<String, Value>) {
    let choices = keywords.remove("oneOf").or_else(|| keywords.remove("anyOf"));
    let Some(Value::Array(mut choices)) = choices else { return };
    let takes_text = |choice: &Value| choice["type"] == "string" && choice.get("const").is_none();
    if !choices.iter().any(takes_text) {
        choices.push(template());
    }
    keywords.insert("anyOf".to_owned(), Value::Array(choices));
}

fn template() -> Value {
    json!({ "$ref": "#/$defs/Template" })
}
