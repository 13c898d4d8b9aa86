use std::net::SocketAddr;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};

use linerate_engine::cancel::Cancel;
use linerate_engine::config::ClientConfig;
use linerate_schema::results::{FlowFailure, FlowFailureKind, FlowResult};
use linerate_schema::scenario::{PortChoice, Transport};
use rand::rngs::StdRng;

use super::client_thread::{Message, spawn_client};
use super::external_silence::ExternalSilence;
use super::live::LiveView;
use super::open_hosts::OpenHosts;
use super::set_up::{SetUp, StartedServer, set_up};
use super::settings::Settings;
use super::stopping::StoppingServers;
use super::time_limit::{latest_end, with_grace};
use crate::event::RunEventKind;
use crate::plan::{Plan, PlannedCase, PlannedServer};
use crate::record::{CaseRecord, CutShort, ServerProgress};

/// How often the run's cancellation is looked at while nothing else happens.
const CANCEL_CHECK: Duration = Duration::from_millis(50);
/// How often it is checked whether servers have stopped.
const STOP_CHECK: Duration = Duration::from_millis(5);
/// The most messages that are taken at once.
const BATCH: usize = 10_000;
/// How long a client or a server may take to end after it was stopped; then its thread is left to itself.
pub(super) const STOP_PATIENCE: Duration = Duration::from_secs(3);
/// How long to wait for a stream that a client had, but that never showed at its server.
const ARRIVAL_PATIENCE: Duration = Duration::from_secs(1);
/// How long a server may go on with streams whose client failed or was stopped.
const ORPHAN_PATIENCE: Duration = Duration::from_millis(300);

/// What a case needs from the run that it is part of.
pub(super) struct Surroundings<'a> {
    pub(super) plan: &'a Plan,
    pub(super) hosts: &'a OpenHosts,
    pub(super) settings: &'a Settings,
    pub(super) cancel: &'a Cancel,
    pub(super) tell: &'a dyn Fn(RunEventKind),
}

/// Runs the traffic of the case at `index` of the plan and returns what came of its flows.
pub(super) fn run_flows(
    around: &Surroundings<'_>,
    index: usize,
    random: &mut StdRng,
    (stopping, silence): (&mut StoppingServers, &mut ExternalSilence),
) -> Vec<FlowResult> {
    let needs_its_port = |server: &PlannedServer| server.port != PortChoice::Auto;
    if around.plan.cases[index].servers.iter().any(needs_its_port) {
        stopping.wait(STOP_PATIENCE);
    }
    let mut run = CaseRun::new(around, index, random, silence);
    run.drive_clients();
    run.await_servers();
    run.stop_servers(stopping);
    run.record.finish()
}

/// A case while it runs.
struct CaseRun<'a> {
    around: &'a Surroundings<'a>,
    case: &'a PlannedCase,
    record: CaseRecord<'a>,
    live: LiveView<'a>,
    servers: Vec<Option<StartedServer>>,
    clients: Vec<ClientState>,
    /// The server of each flow to a UDP server that somebody else runs.
    external: Vec<Option<SocketAddr>>,
    silence: &'a mut ExternalSilence,
    began: Instant,
    /// From `began`.
    limit: Duration,
    /// Asks the clients of this case to stop.
    traffic: Cancel,
    stopped: Option<Instant>,
    sender: Sender<Message>,
    receiver: Receiver<Message>,
}

/// Where the client of a flow stands.
enum ClientState {
    /// It starts at its time from the start of the case.
    Waiting(Box<ClientConfig>),
    Running,
    Over,
}

impl<'a> CaseRun<'a> {
    /// Starts the servers; nothing else runs yet.
    fn new(
        around: &'a Surroundings<'a>,
        index: usize,
        random: &mut StdRng,
        silence: &'a mut ExternalSilence,
    ) -> Self {
        let case = &around.plan.cases[index];
        let (sender, receiver) = mpsc::channel();
        let mut record = CaseRecord::new(case, &around.plan.scenario.file);
        let SetUp { servers, clients } = set_up(case, around.hosts, random, &sender);
        for (position, server) in servers.iter().enumerate() {
            if let Some(server) = server {
                record.server_listens(position, server.config.clone(), server.running.address());
            }
        }
        let ends = clients.iter().zip(&case.flows).filter_map(|(config, flow)| {
            config.as_ref().ok().map(|config| latest_end(flow.start, config))
        });
        let limit = with_grace(ends.max().unwrap_or_default(), around.settings.grace);
        let external = clients.iter().zip(&case.flows).map(|(config, flow)| {
            let config = config.as_ref().ok()?;
            let is_external = flow.target.started.is_none() && flow.transport == Transport::Udp;
            is_external.then_some(config.server)
        });
        let external = external.collect();
        let clients = clients.into_iter().enumerate().map(|(flow, config)| match config {
            Ok(config) => ClientState::Waiting(Box::new(config)),
            Err(failure) => {
                record.flow_fails(flow, failure);
                ClientState::Over
            }
        });
        Self {
            around,
            case,
            live: LiveView::new(case, index),
            servers,
            clients: clients.collect(),
            external,
            silence,
            record,
            began: Instant::now(),
            limit,
            traffic: Cancel::new(),
            stopped: None,
            sender,
            receiver,
        }
    }

    /// Runs every client at its time, until all are over.
    fn drive_clients(&mut self) {
        loop {
            self.start_due_clients();
            if self.clients.iter().all(|client| matches!(client, ClientState::Over)) {
                return;
            }
            match self.stopped {
                Some(stopped) if stopped.elapsed() > STOP_PATIENCE => return,
                Some(_) => {}
                None if self.around.cancel.is_cancelled() => {
                    self.stop_clients(CutShort::Interrupted)
                }
                None if self.began.elapsed() > self.limit => {
                    self.stop_clients(CutShort::TimeLimit(self.limit));
                }
                None => {}
            }
            self.handle_next_within(self.time_to_next_start().min(CANCEL_CHECK));
        }
    }

    fn start_due_clients(&mut self) {
        let elapsed = self.began.elapsed();
        for flow in 0..self.clients.len() {
            if self.case.flows[flow].start > elapsed || !self.silence_left(flow).is_zero() {
                continue;
            }
            let client = &mut self.clients[flow];
            if let ClientState::Waiting(_) = client
                && let ClientState::Waiting(config) =
                    std::mem::replace(client, ClientState::Running)
            {
                self.start_client(flow, *config);
            }
        }
    }

    fn start_client(&mut self, flow: usize, config: ClientConfig) {
        // What its server has seen until now is not the client's.
        self.handle_pending();
        self.record.client_starts(flow, config.clone());
        let started = match self.around.hosts.engine(&self.case.flows[flow].host) {
            Some(host) => {
                let (host, traffic) = (host.clone(), self.traffic.clone());
                spawn_client(flow, host, config, self.sender.clone(), traffic)
                    .map_err(|error| format!("no thread for the client: {error}; use fewer flows"))
            }
            None => Err("nothing of linerate runs on the client's host".to_owned()),
        };
        if let Err(message) = started {
            self.record.flow_fails(flow, FlowFailure { kind: FlowFailureKind::System, message });
            self.clients[flow] = ClientState::Over;
        }
    }

    fn time_to_next_start(&self) -> Duration {
        let elapsed = self.began.elapsed();
        let flows = self.clients.iter().zip(&self.case.flows).enumerate();
        let waiting = flows.filter(|(_, (client, _))| matches!(client, ClientState::Waiting(_)));
        let times = waiting.map(|(position, (_, flow))| {
            flow.start.saturating_sub(elapsed).max(self.silence_left(position))
        });
        times.min().unwrap_or(CANCEL_CHECK)
    }

    /// How long the server of a flow must be left alone before it.
    fn silence_left(&self, flow: usize) -> Duration {
        let server = self.external[flow];
        server.map_or(Duration::ZERO, |server| self.silence.time_left(server, Instant::now()))
    }

    /// Asks every client that is not over to stop, and says why.
    fn stop_clients(&mut self, why: CutShort) {
        for (flow, client) in self.clients.iter_mut().enumerate() {
            match client {
                ClientState::Over => {}
                ClientState::Running => self.record.flow_is_cut_short(flow, why),
                ClientState::Waiting(config) => {
                    self.record.client_starts(flow, (**config).clone());
                    self.record.flow_is_cut_short(flow, CutShort::InterruptedBeforeStart);
                    *client = ClientState::Over;
                }
            }
        }
        self.traffic.cancel();
        self.stopped = Some(Instant::now());
    }

    /// Waits until the servers have seen the end of every stream: they may be a little behind their clients, or a lot
    /// when full buffers drain over a slow link.
    fn await_servers(&mut self) {
        let began = Instant::now();
        let limit = self.limit.saturating_sub(self.began.elapsed()).max(STOP_PATIENCE);
        loop {
            let patience = match self.record.server_progress() {
                ServerProgress::Done => return,
                ServerProgress::Orphaned => ORPHAN_PATIENCE,
                _ if self.stopped.is_some() => ORPHAN_PATIENCE,
                ServerProgress::Running => limit,
                ServerProgress::Missing => ARRIVAL_PATIENCE,
            };
            if began.elapsed() >= patience {
                return;
            }
            if self.stopped.is_none() && self.around.cancel.is_cancelled() {
                for flow in self.record.flows_in_progress() {
                    self.record.flow_is_cut_short(flow, CutShort::Interrupted);
                }
                return;
            }
            self.handle_next_within(patience.saturating_sub(began.elapsed()).min(CANCEL_CHECK));
        }
    }

    /// Stops all servers; waits for their last words if some streams have not ended yet.
    fn stop_servers(&mut self, stopping: &mut StoppingServers) {
        let began = Instant::now();
        for server in self.servers.drain(..).flatten() {
            stopping.stop(server.running);
        }
        if self.record.server_progress() == ServerProgress::Done {
            return;
        }
        while !stopping.are_all_stopped() && began.elapsed() < STOP_PATIENCE {
            self.handle_next_within(STOP_CHECK);
        }
        self.handle_pending();
    }

    /// Waits for a message, and takes those that have come with it.
    fn handle_next_within(&mut self, wait: Duration) {
        // This run holds a sender itself, so the channel stays open and an error is only a lack of messages.
        if let Ok(message) = self.receiver.recv_timeout(wait) {
            self.handle(message);
            self.handle_pending();
        }
    }

    /// Takes what has come until now; no more than a batch, so that limits are kept whatever comes.
    fn handle_pending(&mut self) {
        for _ in 0..BATCH {
            let Ok(message) = self.receiver.try_recv() else { return };
            self.handle(message);
        }
    }

    fn handle(&mut self, message: Message) {
        match message {
            Message::Client(flow, event) => {
                let shown = self.live.of_client(flow, &event.kind);
                self.record.handle_client(flow, event);
                shown.into_iter().for_each(self.around.tell);
            }
            Message::Server(server, event) => {
                let shown = self.live.of_server(server, &event.kind, &self.record);
                self.record.handle_server(server, event);
                shown.into_iter().for_each(self.around.tell);
            }
            Message::ClientOver(flow) => {
                self.clients[flow] = ClientState::Over;
                if let Some(server) = self.external[flow] {
                    self.silence.flow_ends(server, Instant::now());
                }
            }
        }
    }
}
