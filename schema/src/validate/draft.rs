use std::time::Duration;

use indexmap::IndexMap;

use crate::Span;
use crate::scenario::{
    ClientOptions, Direction, Flow, FlowServer, Host, TrafficClass, Transport, sending_time,
};

/// A flow whose parts may have been refused.
#[derive(Debug)]
pub(crate) struct DraftFlow {
    pub(crate) name: String,
    pub(crate) span: Span,
    /// Where it runs; none when that was reported as wrong.
    pub(crate) host: Option<String>,
    /// What it connects to; none when that was reported as wrong.
    pub(crate) server: Option<FlowServer>,
    /// Whether nothing about the server was reported.
    pub(crate) server_is_sound: bool,
    pub(crate) options: ClientOptions,
    /// Keys that the user gave, with values that were refused.
    unsure: Vec<&'static str>,
}

/// Keys whose value decides whether others are right.
const DECISIVE: [&str; 9] =
    ["host", "server", "transport", "direction", "time", "bytes", "interval", "trip-times", "ipv6"];

impl DraftFlow {
    pub(crate) fn new(name: &str, span: Span, options: ClientOptions) -> Self {
        Self {
            name: name.to_owned(),
            span,
            host: None,
            server: None,
            server_is_sound: false,
            options,
            unsure: Vec::new(),
        }
    }

    /// Notes which decisive keys have no value although `has_key` finds them in the file; when the options are not
    /// complete, any key may be missing.
    pub(crate) fn note_refused(&mut self, has_key: impl Fn(&str) -> bool, is_complete: bool) {
        let options = &self.options;
        self.unsure = DECISIVE
            .into_iter()
            .filter(|key| {
                let is_given = match *key {
                    "host" => options.host.is_some(),
                    "server" => options.server.is_some(),
                    "transport" => options.transport.is_some(),
                    "direction" => options.direction.is_some(),
                    "time" => options.time.is_some(),
                    "bytes" => options.bytes.is_some(),
                    "interval" => options.interval.is_some(),
                    "trip-times" => options.trip_times.is_some(),
                    _ => options.ipv6.is_some(),
                };
                !is_given && (has_key(key) || !is_complete)
            })
            .collect();
    }

    /// Whether the user gave this key, or may have given it, and its value is not known.
    pub(crate) fn is_unsure_of(&self, key: &str) -> bool {
        self.unsure.contains(&key)
    }

    /// A client that gives no transport uses that of its server.
    pub(crate) fn inherit_transport(&mut self) {
        if let Some(server) = &self.server
            && self.options.transport.is_none()
            && !self.is_unsure_of("transport")
        {
            self.options.transport.clone_from(&server.options.transport);
        }
    }

    /// The transport, if it is known.
    pub(crate) fn transport(&self) -> Option<Transport> {
        let is_known = self.options.transport.is_some()
            || (!self.is_unsure_of("transport") && self.server_is_sound);
        is_known.then(|| self.options.transport.as_ref().map(|t| t.value).unwrap_or_default())
    }

    /// How long it sends, if that is known.
    pub(crate) fn sending_time(&self) -> Option<Duration> {
        // An amount that was refused is not known to be there.
        let is_known = self.options.time.is_some() || !self.is_unsure_of("time");
        sending_time(&self.options).filter(|_| is_known && !self.is_unsure_of("bytes"))
    }

    /// Length of its intervals at both ends, if that is known.
    fn interval(&self, server: &FlowServer) -> Option<Duration> {
        let own = self.options.interval.as_ref()?.value.0;
        let of_server = server.options.interval.as_ref().map(|interval| interval.value.0);
        Some(own).filter(|_| of_server.is_none_or(|of_server| of_server == own))
    }

    /// Who sends.
    pub(crate) fn direction(&self) -> Direction {
        self.options.direction.as_ref().map(|direction| direction.value).unwrap_or_default()
    }

    /// The finished flow.
    pub(crate) fn finish(self) -> Option<Flow> {
        Some(Flow {
            name: self.name,
            host: self.host?,
            server: self.server?,
            options: self.options,
            span: self.span,
        })
    }

    /// The facts that decide which metrics the flow has, if the transport is known. Whatever else is not known is what
    /// allows most.
    pub(crate) fn traffic_class(&self, hosts: &IndexMap<String, Host>) -> Option<TrafficClass> {
        let trip_times = self.options.trip_times.as_ref().is_some_and(|t| t.value);
        let host = self.server.as_ref().and_then(|server| hosts.get(&server.host));
        let is_external = matches!(host, Some(Host::External { .. }));
        Some(TrafficClass {
            transport: self.transport()?,
            direction: self.direction(),
            trip_times: trip_times || self.is_unsure_of("trip-times"),
            intervals: self.options.interval.is_some() || self.is_unsure_of("interval"),
            interval: self.server.as_ref().and_then(|server| self.interval(server)),
            time: self.sending_time(),
            external_server: is_external && !self.is_unsure_of("direction"),
        })
    }
}
