//! Before the traffic of a case: addresses, servers, and the configuration of its clients.

use std::collections::HashMap;
use std::fmt;
use std::net::SocketAddr;
use std::num::NonZeroU16;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

use linerate_engine::config::{ClientConfig, PermitKey, ServerConfig, ServerTransport};
use linerate_engine::error::EngineError;
use linerate_engine::net::EventSink;
use linerate_schema::results::{FlowFailure, FlowFailureKind};
use linerate_schema::scenario::PortRange;
use rand::rngs::StdRng;

use super::client_thread::Message;
use super::open_hosts::OpenHosts;
use crate::engine_config::{ClientNeeds, ServerNeeds, client_config, server_config};
use crate::hosts::{ResolveError, RunningServer, resolve, zone};
use crate::plan::{AddressFamily, PlannedCase, PlannedServer};
use crate::record::what_to_do;

/// How long the system's resolver may take for a name.
const RESOLVE_TIMEOUT: Duration = Duration::from_secs(5);

/// The servers and clients of a case, ready to go, or why not.
pub(super) struct SetUp {
    /// In the order of the plan; absent where no flow needs it or it could not start.
    pub(super) servers: Vec<Option<StartedServer>>,
    /// In the order of the plan.
    pub(super) clients: Vec<Result<ClientConfig, FlowFailure>>,
}

/// A server of ours that listens.
pub(super) struct StartedServer {
    pub(super) config: ServerConfig,
    pub(super) running: Box<dyn RunningServer>,
}

type Targets = Vec<Result<SocketAddr, FlowFailure>>;

/// Starts the servers that a case needs, and completes the configuration of its clients.
pub(super) fn set_up(
    case: &PlannedCase,
    hosts: &OpenHosts,
    random: &mut StdRng,
    messages: &Sender<Message>,
) -> SetUp {
    let targets = resolve_targets(case);
    let servers: Vec<Result<Option<StartedServer>, FlowFailure>> = case
        .servers
        .iter()
        .enumerate()
        .map(|(position, server)| {
            let key = server.permit_key.as_ref().map(|choice| choice.key(random));
            start_server(case, position, &targets, key, hosts, messages)
        })
        .collect();
    let clients = targets.into_iter().enumerate();
    let clients = clients.map(|(position, target)| client(case, position, target?, &servers));
    let clients = clients.collect();
    SetUp { servers: servers.into_iter().map(|server| server.ok().flatten()).collect(), clients }
}

/// The address of every flow's server, with the port as far as it is known, else 0.
fn resolve_targets(case: &PlannedCase) -> Targets {
    let mut known: HashMap<(&str, AddressFamily), Result<SocketAddr, ResolveError>> =
        HashMap::new();
    let targets = case.flows.iter().map(|flow| {
        if let Some(problem) = &flow.problem {
            return Err(cannot_run(problem));
        }
        let address = flow.target.address.as_str();
        let resolved = known
            .entry((address, flow.family))
            .or_insert_with(|| resolve(address, 0, flow.family, RESOLVE_TIMEOUT));
        match resolved {
            Ok(found) => {
                let mut server = *found;
                server.set_port(flow.target.first_port().unwrap_or(0));
                Ok(server)
            }
            Err(error) => Err(cannot_run(error)),
        }
    });
    targets.collect()
}

/// Starts a server of the case; `None` when none of its flows can run anyway.
fn start_server(
    case: &PlannedCase,
    position: usize,
    targets: &Targets,
    permit_key: Option<PermitKey>,
    hosts: &OpenHosts,
    messages: &Sender<Message>,
) -> Result<Option<StartedServer>, FlowFailure> {
    let planned = &case.servers[position];
    let users = case.flows.iter().zip(targets).filter_map(|(flow, target)| {
        (flow.target.started == Some(position)).then_some(target.as_ref().ok()).flatten()
    });
    let users: Vec<&SocketAddr> = users.collect();
    if users.is_empty() {
        return Ok(None);
    }
    let needs = ServerNeeds {
        transport: planned.transport,
        port: planned.port,
        ipv6: planned.family == AddressFamily::Ipv6 || users.iter().any(|user| user.is_ipv6()),
        interval: planned.interval,
        longest_gap: planned.longest_gap,
        permit_key,
    };
    let options = &case.case.flows[planned.first_flow].server.options;
    let config = server_config(options, needs).map_err(|error| no_server(planned, &error))?;
    let Some(host) = hosts.engine(&planned.host) else {
        return Err(no_server(planned, &"nothing of linerate runs there"));
    };
    let messages = messages.clone();
    // The case may be over by then; nobody reads the events any more.
    let sink: EventSink =
        Arc::new(move |event| drop(messages.send(Message::Server(position, event))));
    match host.start_server(&config, sink) {
        Ok(running) => Ok(Some(StartedServer { config, running })),
        Err(error) => Err(no_server(planned, &StartError(&error))),
    }
}

/// The configuration of the client of the flow at `position`.
fn client(
    case: &PlannedCase,
    position: usize,
    mut server: SocketAddr,
    servers: &[Result<Option<StartedServer>, FlowFailure>],
) -> Result<ClientConfig, FlowFailure> {
    let flow = &case.flows[position];
    let options = &case.case.flows[position].options;
    let mut permit_key = options.permit_key.as_ref().map(|key| PermitKey(key.value.clone()));
    if let Some(started) = flow.target.started
        && let Some(listening) = servers[started].as_ref().map_err(Clone::clone)?
    {
        permit_key = listening.permit_key();
        if flow.target.ports.is_none() {
            server.set_port(listening.running.address().port());
        }
    }
    let needs = ClientNeeds {
        server,
        zone: zone(&flow.target.address),
        ports: flow.target.ports.map_or(NonZeroU16::MIN, PortRange::count),
        transport: flow.transport,
        permit_key,
    };
    client_config(options, needs).map_err(|error| cannot_run(&error))
}

impl StartedServer {
    fn permit_key(&self) -> Option<PermitKey> {
        match &self.config.transport {
            ServerTransport::Tcp(options) => options.permit_key.clone(),
            ServerTransport::Udp(_) => None,
        }
    }
}

fn cannot_run(reason: &impl fmt::Display) -> FlowFailure {
    FlowFailure { kind: FlowFailureKind::System, message: reason.to_string() }
}

fn no_server(server: &PlannedServer, reason: &impl fmt::Display) -> FlowFailure {
    let name = server.name.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
    FlowFailure {
        kind: FlowFailureKind::ServerStart,
        message: format!("the server{name} could not start on host {}: {reason}", server.host),
    }
}

/// Why a server did not start, with what to do about it.
struct StartError<'a>(&'a EngineError);

impl fmt::Display for StartError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)?;
        match self.0 {
            EngineError::System { reason, .. } if reason.to_lowercase().contains("in use") => {
                f.write_str(": end the program that listens on this port, or use port: auto")
            }
            EngineError::System { reason, .. } => write!(f, ": {}", what_to_do(reason)),
            _ => Ok(()),
        }
    }
}
