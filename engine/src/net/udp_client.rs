use super::client::EventSink;
use crate::cancel::Cancel;
use crate::config::ClientConfig;

pub(super) fn run(_config: &ClientConfig, _sink: &EventSink, _cancel: &Cancel) {}
