//! A UDP client's stream that sends and receives at the same time, over one socket.

use std::sync::OnceLock;
use std::thread;

use super::udp_client::ClientStream;
use super::{udp_client_forward, udp_client_reverse, udp_socket};
use crate::error::EngineError;
use crate::event::Role;
use crate::protocol::udp_reverse::Asking;
use crate::protocol::udp_sender::Finish;

pub(super) fn run(stream: &ClientStream<'_>) {
    let ready = match udp_socket::client(stream.config, stream.addresses) {
        Ok(ready) => ready,
        Err(error) => return stream.fail(error),
    };
    stream.note_all(&ready.remarks);
    let no_server = OnceLock::new();
    thread::scope(|scope| {
        let spawned = thread::Builder::new()
            .name(format!("udp client {} receiver", stream.index + 1))
            .spawn_scoped(scope, || {
                let received = udp_client_reverse::receive(stream, &ready, Asking::OwnData);
                if let Err(error @ (EngineError::Refused | EngineError::Unreachable { .. })) =
                    received
                {
                    // This thread alone sets it, once.
                    let _ = no_server.set(error);
                }
            });
        match spawned {
            Ok(_) => udp_client_forward::send(stream, &ready, Finish::Announce, Some(&no_server)),
            Err(error) => {
                let error = EngineError::system("start a thread", &error);
                stream.fail_as(Role::Receiver, error.clone(), None);
                stream.fail_as(Role::Sender, error, None);
            }
        }
    });
}
