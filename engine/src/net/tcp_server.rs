//! A TCP server: a listener, and one thread for each connection.

use std::io;
use std::net::SocketAddr;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use socket2::{Socket, Type};

use super::client::{EventSink, emit};
use super::server::{Reporting, StreamNumbers};
use super::tcp_report::never_started;
use super::tcp_session::{self, Accepted};
use super::{clock, socket, tcp_options};
use crate::cancel::Cancel;
use crate::config::{ServerConfig, TcpServerOptions};
use crate::error::EngineError;
use crate::event::EventKind;
use crate::protocol::tcp_limits::{MAX_CONNECTIONS, POLL};
use crate::protocol::tcp_request::permit_key;
use crate::sys::poll::{self, Readiness};
use crate::wire::tcp::PermitKey;

const BACKLOG: i32 = 1024;
/// Longest wait between two looks at cancellation: short, as a next server at the same port waits for this one to stop.
const LONGEST_WAIT: Duration = Duration::from_millis(20);

/// What all connections of a server share.
pub(super) struct Shared {
    pub(super) config: ServerConfig,
    pub(super) options: TcpServerOptions,
    pub(super) key: Option<PermitKey>,
    pub(super) sink: EventSink,
    pub(super) cancel: Cancel,
}

/// Listens, and accepts from a thread of its own until it is cancelled.
pub(super) fn start(
    config: ServerConfig,
    options: TcpServerOptions,
    reporting: Reporting,
) -> Result<(SocketAddr, JoinHandle<()>), EngineError> {
    start_with_limit(config, options, reporting, MAX_CONNECTIONS)
}

fn start_with_limit(
    config: ServerConfig,
    options: TcpServerOptions,
    Reporting { sink, cancel, numbers }: Reporting,
    limit: usize,
) -> Result<(SocketAddr, JoinHandle<()>), EngineError> {
    let key = options.permit_key.as_ref().map(|key| permit_key(&key.0)).transpose()?;
    if config.length.bytes() == 0 {
        return Err(EngineError::System {
            operation: "start the server".into(),
            reason: "a read needs at least one byte; choose a longer length".into(),
        });
    }
    let (socket, address, remark) = listen(&config, &options)?;
    let shared = Arc::new(Shared { config, options, key, sink, cancel });
    if let Some(text) = remark {
        emit(&shared.sink, EventKind::Note { stream: None, text });
    }
    let listener =
        Listener { socket, shared, sessions: Vec::new(), limit, numbers, refusing: false };
    let thread = thread::Builder::new()
        .name("tcp-server".into())
        .spawn(move || listener.run())
        .map_err(|error| EngineError::system("start the thread of the server", &error))?;
    Ok((address, thread))
}

fn listen(
    config: &ServerConfig,
    options: &TcpServerOptions,
) -> Result<(Socket, SocketAddr, Option<String>), EngineError> {
    let wanted = SocketAddr::new(config.address, config.port);
    let wanted = socket::within_zone(wanted, config.socket.device.as_deref())?;
    let failed = |error: io::Error| EngineError::system(format!("listen on {wanted}"), &error);
    let socket = socket::create(wanted, Type::STREAM)?;
    let remark = socket::apply(&socket, &config.socket)?;
    tcp_options::apply(&socket, &options.tcp)?;
    socket::bind(&socket, wanted)?;
    socket.listen(BACKLOG).map_err(failed)?;
    socket.set_nonblocking(true).map_err(failed)?;
    let address = socket.local_addr().map_err(failed)?.as_socket().unwrap_or(wanted);
    Ok((socket, address, remark))
}

struct Listener {
    socket: Socket,
    shared: Arc<Shared>,
    sessions: Vec<JoinHandle<()>>,
    /// Most sessions at once.
    limit: usize,
    numbers: StreamNumbers,
    /// Whether connections are being turned away, which is told once.
    refusing: bool,
}

impl Listener {
    fn run(mut self) {
        while !self.shared.cancel.is_cancelled() {
            match poll::wait(self.socket.as_fd(), Readiness::Readable, LONGEST_WAIT) {
                Ok(true) => self.accept(),
                Ok(false) => self.forget_finished(),
                Err(error) => {
                    self.note(format!("the server stopped accepting connections: {error}"));
                    break;
                }
            }
        }
        drop(self.socket);
        for session in self.sessions {
            // A panic was already printed by the runtime; the other sessions are to be waited for all the same.
            let _ = session.join();
        }
    }

    fn accept(&mut self) {
        let socket = match self.socket.accept() {
            Ok((socket, _)) => socket,
            Err(error) if is_of_one_connection(&error) => return,
            Err(error) => {
                self.turn_away(&format!(
                    "the server cannot accept connections at present: {error}"
                ));
                // Out of descriptors or memory: give running streams the time to end.
                thread::sleep(POLL);
                return;
            }
        };
        self.forget_finished();
        if self.sessions.len() >= self.limit {
            self.turn_away(&format!(
                "the server serves {} connections, its limit; further ones are closed at once",
                self.limit
            ));
            return;
        }
        self.refusing = false;
        self.serve(socket);
    }

    fn serve(&mut self, socket: Socket) {
        let Some(stream) = self.numbers.next() else {
            return self.turn_away("the server has no number for another stream: start it anew");
        };
        let accepted = Accepted { stream, socket, at: clock::monotonic() };
        let shared = Arc::clone(&self.shared);
        let thread = thread::Builder::new().name(format!("tcp-server-{}", stream.0));
        match thread.spawn(move || tcp_session::run(&shared, accepted)) {
            Ok(session) => self.sessions.push(session),
            Err(error) => {
                let error = EngineError::system("start a thread for the connection", &error);
                never_started(&self.shared.sink, stream, error);
            }
        }
    }

    fn turn_away(&mut self, text: &str) {
        if !self.refusing {
            self.note(text.into());
        }
        self.refusing = true;
    }

    fn note(&self, text: String) {
        emit(&self.shared.sink, EventKind::Note { stream: None, text });
    }

    fn forget_finished(&mut self) {
        self.sessions.retain(|session| !session.is_finished());
    }
}

/// The client was gone before it was accepted, or a signal came: the next connection may be fine.
fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock
            | io::ErrorKind::Interrupted
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
    )
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::net::{IpAddr, Ipv4Addr, TcpStream};
    use std::num::NonZeroU16;
    use std::sync::mpsc;

    use super::*;
    use crate::config::{Length, ServerTransport, SocketOptions, TcpSocketOptions};

    #[test]
    fn connections_above_the_limit_are_closed_and_told_once() {
        let options = TcpServerOptions {
            tcp: TcpSocketOptions::default(),
            permit_key: None,
            header_timeout: Duration::from_secs(60),
        };
        let config = ServerConfig {
            address: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: 0,
            ports: NonZeroU16::MIN,
            transport: ServerTransport::Tcp(options.clone()),
            length: Length::Default(1_000),
            interval: None,
            socket: SocketOptions::default(),
        };
        let (sender, events) = mpsc::channel();
        let sink: EventSink = Arc::new(move |event| {
            // The receiver outlives the server.
            let _ = sender.send(event.kind);
        });
        let cancel = Cancel::new();
        let numbers = StreamNumbers::default();
        let reporting = Reporting { sink, cancel: cancel.clone(), numbers };
        let (address, thread) = start_with_limit(config, options, reporting, 2).unwrap();
        let served = [TcpStream::connect(address).unwrap(), TcpStream::connect(address).unwrap()];
        for _ in 0..2 {
            let mut refused = TcpStream::connect(address).unwrap();
            assert_eq!(refused.read(&mut [0]).unwrap(), 0);
        }
        cancel.cancel();
        thread.join().unwrap();
        drop(served);
        let notes: Vec<String> = events
            .try_iter()
            .filter_map(|kind| match kind {
                EventKind::Note { text, .. } => Some(text),
                _ => None,
            })
            .collect();
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert!(notes[0].starts_with("the server serves 2 connections"), "{notes:?}");
    }
}
