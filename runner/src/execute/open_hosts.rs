use std::sync::Arc;

use indexmap::IndexMap;
use linerate_schema::results::HostFacts;
use linerate_schema::scenario::Host;

use crate::hosts::{EngineHost, host_facts};
use crate::plan::Plan;

/// Opens a host, as [`open`](crate::hosts::open) does.
pub type OpenHost<'a> = &'a dyn Fn(&Host) -> Option<Arc<dyn EngineHost>>;

/// The hosts that take part in a run.
pub(super) struct OpenHosts {
    hosts: IndexMap<String, (Host, Option<Arc<dyn EngineHost>>)>,
}

impl OpenHosts {
    /// Opens every host that a selected case of the plan uses, in the order of the scenario.
    pub(super) fn of_plan(plan: &Plan, open: OpenHost<'_>) -> Self {
        let flows = || plan.selected().flat_map(|(_, case)| &case.flows);
        let takes_part =
            |name: &str| flows().any(|flow| flow.host == name || flow.target.host == name);
        let hosts = plan.hosts.iter().filter(|(name, _)| takes_part(name));
        let hosts = hosts.map(|(name, host)| (name.clone(), (host.clone(), open(host))));
        Self { hosts: hosts.collect() }
    }

    /// The engine on a host; `None` when nothing of ours runs there.
    pub(super) fn engine(&self, name: &str) -> Option<&Arc<dyn EngineHost>> {
        self.hosts.get(name)?.1.as_ref()
    }

    pub(super) fn facts(&self) -> Vec<HostFacts> {
        let hosts = self.hosts.iter();
        hosts.map(|(name, (host, engine))| host_facts(name, host, engine.as_deref())).collect()
    }
}
