use std::io;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread;

use linerate_engine::cancel::Cancel;
use linerate_engine::config::ClientConfig;
use linerate_engine::event::Event;
use linerate_engine::net::EventSink;

use crate::hosts::EngineHost;

/// What the ends of a case's traffic tell the thread that owns the case.
#[derive(Debug)]
pub(super) enum Message {
    /// An event of the client of a flow.
    Client(usize, Event),
    /// An event of a server.
    Server(usize, Event),
    /// The client of a flow is over.
    ClientOver(usize),
}

/// Starts the client of a flow on a thread of its own; it says [`Message::ClientOver`] at its end, come what may.
pub(super) fn spawn_client(
    flow: usize,
    host: Arc<dyn EngineHost>,
    config: ClientConfig,
    messages: Sender<Message>,
    cancel: Cancel,
) -> io::Result<()> {
    let events = messages.clone();
    // The owner of the case may have given up on this client; nobody reads its events then.
    let sink: EventSink = Arc::new(move |event| drop(events.send(Message::Client(flow, event))));
    thread::Builder::new().name(format!("client {flow}")).spawn(move || {
        let _farewell = Farewell { flow, messages };
        host.run_client(&config, &sink, &cancel);
    })?;
    Ok(())
}

/// Says that the client is over when it is dropped, after a panic as well.
struct Farewell {
    flow: usize,
    messages: Sender<Message>,
}

impl Drop for Farewell {
    fn drop(&mut self) {
        // As above: the owner of the case may be gone.
        let _ = self.messages.send(Message::ClientOver(self.flow));
    }
}
