use super::client::EventSink;
use crate::cancel::Cancel;
use crate::config::{ClientConfig, TcpClientOptions};

pub(super) fn run(
    _config: &ClientConfig,
    _options: &TcpClientOptions,
    _sink: &EventSink,
    _cancel: &Cancel,
) {
}
