use std::cell::{Cell, OnceCell};

use minijinja::{Environment, UndefinedBehavior, Value};

use super::Scope;
use super::compile::{Template, TemplateError};
use super::split::has_template;
use crate::document::{Document, NodeId};

/// Work that one evaluation may cause, in the engine's units: one for an instruction, one for 64 bytes.
const FUEL: u64 = 20_000;

/// The expression language: arithmetic, comparisons, `a if b else c`, and functions of values.
pub(crate) fn environment<'t>() -> Environment<'t> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(FUEL));
    environment.set_debug(true);
    environment.set_recursion_limit(20);
    for name in ["debug", "namespace", "dict"] {
        environment.remove_global(name);
    }
    environment
}

/// A scalar's template; none for a scalar that holds none.
type Compilation<'t> = Option<Result<Template<'t>, Vec<TemplateError>>>;

/// Most templates in a document.
const MAX_TEMPLATES: usize = 50_000;

/// The templates of a document, each compiled when it is first needed.
pub(crate) struct Templates<'t> {
    environment: &'t Environment<'t>,
    compiled: Vec<OnceCell<Compilation<'t>>>,
    count: Cell<usize>,
}

impl<'t> Templates<'t> {
    pub(crate) fn new(environment: &'t Environment<'t>, document: &Document) -> Self {
        let compiled = (0..document.len()).map(|_| OnceCell::new()).collect();
        Self { environment, compiled, count: Cell::new(0) }
    }

    /// The value of a scalar's text in a scope; none when the text holds no template.
    pub(crate) fn evaluate(
        &self,
        node: NodeId,
        text: &'t str,
        scope: &Scope,
    ) -> Option<Result<Value, Vec<TemplateError>>> {
        let template = self.compiled[node.index()]
            .get_or_init(|| has_template(text).then(|| self.compile(text)));
        match template {
            None => None,
            Some(Ok(template)) => Some(template.evaluate(scope)),
            Some(Err(errors)) => Some(Err(errors.clone())),
        }
    }

    fn compile(&self, text: &'t str) -> Result<Template<'t>, Vec<TemplateError>> {
        self.count.set(self.count.get() + 1);
        if self.count.get() > MAX_TEMPLATES + 1 {
            return Err(vec![TemplateError::ReportedBefore]);
        }
        if self.count.get() > MAX_TEMPLATES {
            return Err(vec![TemplateError::Problem {
                code: "too-complex",
                range: 0..text.len(),
                message: format!("the file has more than {MAX_TEMPLATES} templates"),
                help: Some("split the scenario into several files".to_owned()),
            }]);
        }
        Template::compile(self.environment, text)
    }
}
