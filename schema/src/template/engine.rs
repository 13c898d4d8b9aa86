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

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of an expression with `n` = 4 and `list` = [1, 2] in scope, or what is wrong with it.
    fn evaluated(text: &str) -> Result<String, String> {
        let environment = environment();
        let mut scope = Scope::default();
        scope.define("n", Value::from(4));
        scope.define("list", Value::from(vec![1, 2]));
        scope.refuse("wrong");
        let template = Template::compile(&environment, text).map_err(first)?;
        template.evaluate(&scope).map(|value| format!("{value:?}")).map_err(first)
    }

    fn first(errors: Vec<TemplateError>) -> String {
        match errors.into_iter().next() {
            Some(TemplateError::Problem { message, range, .. }) => format!("{range:?} {message}"),
            Some(TemplateError::ReportedBefore) => "reported before".to_owned(),
            None => "no error".to_owned(),
        }
    }

    #[test]
    fn one_expression_keeps_its_type_and_more_is_text() {
        for (text, value) in [
            ("{{ n }}", "4"),
            (" {{ n }}\n", "4"),
            ("{{ n }}s", "'4s'"),
            ("{{ n > 3 }}", "True"),
            ("{{ n > 3 }}!", "'true!'"),
            ("{{ list }}", "[1, 2]"),
            ("{{ list | join('-') }}", "'1-2'"),
            ("{{ 'a' if n == 4 else 'b' }}", "'a'"),
            ("{{ missing | default(7) }}", "7"),
            ("{{ range(3) | list }}", "[0, 1, 2]"),
            ("{{ none }}", "None"),
        ] {
            assert_eq!(evaluated(text), Ok(value.to_owned()), "{text}");
        }
    }

    #[test]
    fn what_has_no_value_is_named_at_its_place() {
        for (text, problem) in [
            ("{{ missing }}", "3..10 there is no variable `missing`"),
            ("{{ range(missing) }}", "9..16 there is no variable `missing`"),
            ("a {{ n + missing.x }}", "9..16 there is no variable `missing`"),
            ("{{ nn ~ n ~ nx }}", "3..5 there is no variable `nn`"),
            ("{{ n.x }}", "3..6 the value of this expression is undefined"),
            ("{{ wrong + 1 }}", "reported before"),
            ("a {{ list }}", "5..9 a sequence cannot be a part of a text"),
            ("{{ namespace() }}", "3..14 the expression has no value: namespace is unknown"),
        ] {
            assert_eq!(evaluated(text), Err(problem.to_owned()), "{text}");
        }
    }
}
