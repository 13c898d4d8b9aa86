use minijinja::Value;
use minijinja::value::ValueKind;

/// A value as text, in the spelling of YAML: `true`, not `True`.
pub(crate) fn text_of(value: &Value) -> String {
    match value.kind() {
        ValueKind::Bool if value.is_true() => "true".to_owned(),
        ValueKind::Bool => "false".to_owned(),
        ValueKind::None => "null".to_owned(),
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_spelled_as_yaml_spells_them() {
        assert_eq!(text_of(&Value::from(true)), "true");
        assert_eq!(text_of(&Value::from(false)), "false");
        assert_eq!(text_of(&Value::from(())), "null");
        assert_eq!(text_of(&Value::from(1.5)), "1.5");
        assert_eq!(text_of(&Value::from("True")), "True");
    }
}
