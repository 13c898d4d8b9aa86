//! One connection of a TCP server: what the client wants, and whether it may have it.

use std::time::{Duration, Instant};

use socket2::{Socket, TcpKeepalive};

use super::client::emit;
use super::tcp_connection::{Read, TcpConnection};
use super::tcp_report::{never_started, note};
use super::tcp_server::Shared;
use super::{clock, socket, tcp_options, tcp_serving};
use crate::error::EngineError;
use crate::event::{EventKind, StreamId};
use crate::protocol::tcp_answer::{acknowledgement, check_key};
use crate::protocol::tcp_end::vanished;
use crate::protocol::tcp_limits::MAX_KEY;
use crate::protocol::tcp_service::Service;
use crate::wire::WireTime;
use crate::wire::tcp::{FirstWord, KeyPolicy, TestHeader};

const FIRST_WORD: usize = 4;

/// How long a silent client's system may take to answer before it counts as gone: it is asked after 15 s of silence, then
/// every 5 s. Without this a client that lost its power would keep its thread for ever.
const KEEPALIVE: TcpKeepalive = TcpKeepalive::new()
    .with_time(Duration::from_secs(15))
    .with_interval(Duration::from_secs(5))
    .with_retries(4);

/// A connection as it was accepted.
pub(super) struct Accepted {
    pub(super) stream: StreamId,
    pub(super) socket: Socket,
    /// When it was accepted.
    pub(super) at: Instant,
}

/// A connection whose client may have what it wants.
pub(super) struct Admitted {
    pub(super) stream: StreamId,
    pub(super) connection: TcpConnection,
    pub(super) service: Service,
    /// The client's header; without it the first bytes are data.
    pub(super) header: Option<TestHeader>,
    /// Bytes read so far that count as data: the header's, or the first ones of plain data.
    pub(super) received: usize,
    /// When the connection was accepted.
    pub(super) accepted: Instant,
}

/// Serves a connection to its end.
pub(super) fn run(shared: &Shared, accepted: Accepted) {
    let stream = accepted.stream;
    match admit(shared, accepted) {
        Ok(Some(admitted)) => tcp_serving::run(shared, &admitted),
        Ok(None) => {}
        Err(error) => never_started(&shared.sink, stream, error),
    }
}

/// Reads what the client wants; `None` when it closed without wanting anything.
fn admit(shared: &Shared, accepted: Accepted) -> Result<Option<Admitted>, EngineError> {
    let Accepted { stream, socket, at } = accepted;
    prepare(&socket)?;
    let connection = TcpConnection::of_socket(socket)?;
    let entrance = Entrance {
        shared,
        connection: &connection,
        deadline: clock::later(at, shared.options.header_timeout),
    };
    let mut word = [0; FIRST_WORD];
    let Some(length) = entrance.first_word(&mut word)? else {
        let text = format!("{} connected and closed without sending anything", connection.peer());
        emit(&shared.sink, EventKind::Note { stream: Some(stream), text });
        return Ok(None);
    };
    let header = match length {
        Some(length) => Some(entrance.header(word, length)?),
        None => None,
    };
    let header_came = clock::wall();
    let service = match &header {
        Some(header) => Service::of_header(header, header_came, shared.config.length)?,
        None => Service::without_header(),
    };
    service.notes.iter().for_each(|text| note(&shared.sink, stream, text.clone()));
    if let Some(header) = &header {
        apply(shared, stream, &connection, &service)?;
        acknowledge(shared, &connection, &service, (header, header_came))?;
    }
    let received = length.unwrap_or(FIRST_WORD);
    Ok(Some(Admitted { stream, connection, service, header, received, accepted: at }))
}

fn prepare(socket: &Socket) -> Result<(), EngineError> {
    let prepared =
        socket.set_nonblocking(false).and_then(|()| socket.set_tcp_keepalive(&KEEPALIVE));
    prepared.map_err(|error| EngineError::system("set up the connection", &error))
}

/// Reads from a client that has not said yet what it wants.
struct Entrance<'a> {
    shared: &'a Shared,
    connection: &'a TcpConnection,
    deadline: Instant,
}

impl Entrance<'_> {
    /// Reads the first word. Gives the length of the header that it begins, or `Some(None)` when there is no header;
    /// `None` when the client closes without a byte.
    #[expect(
        clippy::option_option,
        reason = "no client, and a client without header, are two things"
    )]
    fn first_word(
        &self,
        word: &mut [u8; FIRST_WORD],
    ) -> Result<Option<Option<usize>>, EngineError> {
        let (count, read) = self.read(word)?;
        match read {
            Read::Bytes(_) => {}
            Read::End if count == 0 => return Ok(None),
            other => return Err(self.missing(other, count, FIRST_WORD)),
        }
        let keys = if self.shared.key.is_some() { KeyPolicy::KeyRequired } else { KeyPolicy::Open };
        match FirstWord::classify(*word, keys) {
            FirstWord::Header { length } => Ok(Some(Some(length))),
            FirstWord::Malformed { declared } => Err(protocol(format!(
                "the client's test header declares a length of {declared} bytes"
            ))),
            // They would pass by the key.
            FirstWord::Legacy | FirstWord::Bounceback if self.shared.key.is_some() => {
                Err(EngineError::KeyRefused)
            }
            FirstWord::Legacy => Ok(Some(None)),
            FirstWord::Bounceback => {
                Err(protocol("bounceback tests are not served yet; use another mode"))
            }
        }
    }

    /// Reads the rest of the header, and the key behind it, and checks the key.
    fn header(&self, word: [u8; FIRST_WORD], length: usize) -> Result<TestHeader, EngineError> {
        let mut bytes = vec![0; length];
        bytes[..FIRST_WORD].copy_from_slice(&word);
        self.read_all(&mut bytes[FIRST_WORD..])?;
        let header = TestHeader::decode(&bytes).map_err(|error| match self.shared.key {
            Some(_) => EngineError::KeyRefused,
            None => protocol(error.to_string()),
        })?;
        let key = match header.key_length {
            Some(length) if length > MAX_KEY => return Err(EngineError::KeyRefused),
            Some(length) => {
                let mut key = vec![0; length.into()];
                self.read_all(&mut key)?;
                Some(key)
            }
            None => None,
        };
        check_key(self.shared.key.as_ref(), key.as_deref())?;
        Ok(header)
    }

    fn read_all(&self, buffer: &mut [u8]) -> Result<(), EngineError> {
        match self.read(buffer)? {
            (_, Read::Bytes(_)) => Ok(()),
            (count, other) => Err(self.missing(other, count, buffer.len())),
        }
    }

    fn read(&self, buffer: &mut [u8]) -> Result<(usize, Read), EngineError> {
        self.connection.read_exact(buffer, self.deadline, &self.shared.cancel, &mut |_| {})
    }

    fn missing(&self, read: Read, count: usize, wanted: usize) -> EngineError {
        match read {
            Read::Nothing if count == 0 => {
                EngineError::NoData { after: self.shared.options.header_timeout }
            }
            Read::Nothing => vanished("it fell silent inside its test header"),
            Read::Broken(seen) => vanished(format!("{seen} before its test header was complete")),
            Read::End | Read::Bytes(_) => vanished(format!(
                "it closed inside its test header, {} bytes before the end",
                wanted - count
            )),
        }
    }
}

/// Applies what the client wants to be in force from the acknowledgement on.
fn apply(
    shared: &Shared,
    stream: StreamId,
    connection: &TcpConnection,
    service: &Service,
) -> Result<(), EngineError> {
    if let Some(tos) = shared.config.socket.tos.or(service.tos) {
        socket::set_tos(connection.socket(), tos)?;
    }
    if let Some(name) = &service.congestion_control
        && let Err(error) =
            tcp_options::set_congestion_control(connection.socket(), name.as_bytes())
    {
        let name = name.as_bytes().escape_ascii();
        let text = format!(
            "the client asks for the congestion control {name}, which the system refuses: {error}"
        );
        note(&shared.sink, stream, text);
    }
    Ok(())
}

fn acknowledge(
    shared: &Shared,
    connection: &TcpConnection,
    service: &Service,
    (header, header_came): (&TestHeader, Duration),
) -> Result<(), EngineError> {
    let received = WireTime::from_since_epoch(header_came);
    let now = WireTime::from_since_epoch(clock::wall());
    let Some(bytes) = acknowledgement(header, service.stamps(), received, now) else {
        return Ok(());
    };
    connection.write_message("acknowledgement", &bytes, &shared.cancel)
}

fn protocol(reason: impl Into<String>) -> EngineError {
    EngineError::Protocol { reason: reason.into() }
}
