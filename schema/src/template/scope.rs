use std::collections::HashSet;
use std::sync::Arc;

use minijinja::Value;
use minijinja::value::Object;

/// The variables that a template can see.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scope {
    layer: Arc<Layer>,
    refused: Arc<HashSet<String>>,
    /// Variables that are declared, but whose turn has not come.
    pending: Arc<Vec<String>>,
}

/// Variables over those of an outer layer.
#[derive(Debug, Clone, Default)]
struct Layer {
    outer: Option<Arc<Layer>>,
    variables: Vec<(String, Value)>,
}

impl Scope {
    /// Adds a variable to this scope.
    pub(crate) fn define(&mut self, name: &str, value: Value) {
        Arc::make_mut(&mut self.layer).variables.push((name.to_owned(), value));
    }

    /// Tells which variables are still to come, the next one first.
    pub(crate) fn announce(&mut self, names: impl IntoIterator<Item = String>) {
        self.pending = Arc::new(names.into_iter().collect());
    }

    /// Declares a variable whose definition was reported as wrong: uses of it are not reported again.
    pub(crate) fn refuse(&mut self, name: &str) {
        Arc::make_mut(&mut self.refused).insert(name.to_owned());
    }

    /// A scope that sees these variables before its own.
    pub(crate) fn with(&self, variables: Vec<(String, Value)>) -> Self {
        let layer = Layer { outer: Some(Arc::clone(&self.layer)), variables };
        let (refused, pending) = (Arc::clone(&self.refused), Arc::clone(&self.pending));
        Self { layer: Arc::new(layer), refused, pending }
    }

    pub(super) fn is_refused(&self, name: &str) -> bool {
        self.refused.contains(name) && !self.contains(name)
    }

    /// The variables that are still to come, the next one first.
    pub(super) fn pending(&self) -> &[String] {
        &self.pending
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.layer.find(name).is_some()
    }

    /// The names of all variables.
    pub(crate) fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        let mut layer = Some(&self.layer);
        while let Some(current) = layer {
            names.extend(current.variables.iter().map(|(name, _)| name.as_str()));
            layer = current.outer.as_ref();
        }
        names
    }

    pub(super) fn as_value(&self) -> Value {
        Value::from_dyn_object(Arc::clone(&self.layer))
    }
}

impl Layer {
    fn find(&self, name: &str) -> Option<&Value> {
        let own = self.variables.iter().rev().find(|(own, _)| own == name);
        match own {
            Some((_, value)) => Some(value),
            None => self.outer.as_deref().and_then(|outer| outer.find(name)),
        }
    }
}

impl Object for Layer {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.find(key.as_str()?).cloned()
    }
}

/// Words of the expression language, which cannot name a variable.
const RESERVED: [&str; 15] = [
    "true", "True", "false", "False", "none", "None", "not", "and", "or", "in", "is", "if", "else",
    "loop", "range",
];

/// Whether an expression can refer to a variable of this name.
pub(crate) fn is_variable_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !RESERVED.contains(&name)
}
