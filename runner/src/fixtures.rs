//! Small scenarios for the tests of this crate.

use indexmap::IndexMap;
use linerate_schema::scenario::{
    Case, ClientOptions, Flow, FlowServer, Host, PortRange, Scenario, ServerOptions,
};
use linerate_schema::{Span, Spanned};

/// A value that was written at line 7.
pub(crate) fn at_line_7<T>(value: T) -> Spanned<T> {
    Spanned::new(value, SPAN)
}

/// A given option.
pub(crate) fn given<T>(value: T) -> Option<Spanned<T>> {
    Some(at_line_7(value))
}

/// A port, or a range of them.
pub(crate) fn ports(text: &str) -> PortRange {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

const SPAN: Span = Span { start: 100, end: 110, line: 7, column: 5 };

/// A flow on the local host to a server of its own there, all options at their defaults.
pub(crate) fn flow(name: &str) -> Flow {
    flow_with(name, ClientOptions::default())
}

/// The same with options.
pub(crate) fn flow_with(name: &str, options: ClientOptions) -> Flow {
    Flow {
        name: name.to_owned(),
        host: "local".to_owned(),
        server: server(None, "local", ServerOptions::default()),
        options,
        span: SPAN,
    }
}

/// A server, named under `servers` or in place.
pub(crate) fn server(name: Option<&str>, host: &str, options: ServerOptions) -> FlowServer {
    FlowServer { name: name.map(str::to_owned), host: host.to_owned(), options }
}

/// A case without assertions.
pub(crate) fn case(id: &str, flows: Vec<Flow>) -> Case {
    Case {
        id: id.to_owned(),
        test: id.split(" [").next().unwrap_or(id).to_owned(),
        description: None,
        tags: Vec::new(),
        matrix: Vec::new(),
        flows,
        assertions: Vec::new(),
        span: SPAN,
    }
}

/// A scenario with the hosts `local` (this machine) and `legacy` (external, 192.0.2.9).
pub(crate) fn scenario(cases: Vec<Case>) -> Scenario {
    let legacy = Host::External { address: at_line_7("192.0.2.9".to_owned()) };
    Scenario {
        file: "scenario.yaml".to_owned(),
        name: "fixture".to_owned(),
        description: None,
        tags: Vec::new(),
        hosts: IndexMap::from([
            ("local".to_owned(), Host::Local { address: None }),
            ("legacy".to_owned(), legacy),
        ]),
        cases,
    }
}
