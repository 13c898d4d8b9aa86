use std::net::SocketAddr;
use std::thread::JoinHandle;

use super::client::EventSink;
use crate::cancel::Cancel;
use crate::config::{ServerConfig, UdpServerOptions};
use crate::error::EngineError;

pub(super) fn start(
    _config: ServerConfig,
    _options: UdpServerOptions,
    _sink: EventSink,
    _cancel: Cancel,
) -> Result<(SocketAddr, JoinHandle<()>), EngineError> {
    Err(EngineError::Protocol { reason: "not written".into() })
}
