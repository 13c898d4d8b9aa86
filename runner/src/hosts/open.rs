use std::sync::Arc;

use linerate_schema::results::HostFacts;
use linerate_schema::scenario::Host;

use super::engine_host::EngineHost;
use super::local::LocalHost;

/// Opens a host; `None` for one on which nothing of ours runs.
#[must_use]
pub fn open(host: &Host) -> Option<Arc<dyn EngineHost>> {
    match host {
        Host::Local { .. } => Some(Arc::new(LocalHost)),
        Host::External { .. } => None,
    }
}

/// The facts of a host for the results, from the host itself as far as the engine runs there.
#[must_use]
pub fn host_facts(name: &str, host: &Host, engine: Option<&dyn EngineHost>) -> HostFacts {
    HostFacts {
        name: name.to_owned(),
        kind: kind(host).to_owned(),
        address: host.address().map(str::to_owned),
        ..engine.map(EngineHost::facts).unwrap_or_default()
    }
}

fn kind(host: &Host) -> &'static str {
    match host {
        Host::Local { .. } => "local",
        Host::External { .. } => "external",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::at_line_7;

    #[test]
    fn an_external_host_runs_nothing_and_has_only_its_address() {
        let host = Host::External { address: at_line_7("192.0.2.9".to_owned()) };
        assert!(open(&host).is_none());
        let facts = host_facts("legacy", &host, None);
        assert_eq!(
            (facts.kind.as_str(), facts.address.as_deref()),
            ("external", Some("192.0.2.9"))
        );
        assert_eq!(facts.kernel, None);
    }

    #[test]
    fn the_local_host_says_what_it_is() {
        let host = Host::Local { address: None };
        let engine = open(&host).expect("the engine runs here");
        let facts = host_facts("lan", &host, Some(&*engine));
        assert_eq!((facts.name.as_str(), facts.kind.as_str()), ("lan", "local"));
        assert!(facts.cpus.is_some_and(|cpus| cpus > 0));
        assert_eq!(facts.engine_version.as_deref(), Some(env!("CARGO_PKG_VERSION")));
    }
}
