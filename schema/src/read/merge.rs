use crate::scenario::{ClientOptions, ServerOptions};

/// The options of an entry over those that apply where it gives none.
///
/// `time` and `bytes` are one choice, as are `tos` and `dscp`: giving one of them drops the other of the base.
pub(super) fn client_over(own: ClientOptions, base: ClientOptions) -> ClientOptions {
    let ends = own.time.is_some() || own.bytes.is_some();
    let marks = own.tos.is_some() || own.dscp.is_some();
    ClientOptions {
        r#use: own.r#use.or(base.r#use),
        host: own.host.or(base.host),
        server: own.server.or(base.server),
        port: own.port.or(base.port),
        transport: own.transport.or(base.transport),
        direction: own.direction.or(base.direction),
        time: own.time.or(base.time.filter(|_| !ends)),
        bytes: own.bytes.or(base.bytes.filter(|_| !ends)),
        bitrate: own.bitrate.or(base.bitrate),
        length: own.length.or(base.length),
        parallel: own.parallel.or(base.parallel),
        interval: own.interval.or(base.interval),
        window: own.window.or(base.window),
        mss: own.mss.or(base.mss),
        nodelay: own.nodelay.or(base.nodelay),
        congestion: own.congestion.or(base.congestion),
        tos: own.tos.or(base.tos.filter(|_| !marks)),
        dscp: own.dscp.or(base.dscp.filter(|_| !marks)),
        ttl: own.ttl.or(base.ttl),
        bind: own.bind.or(base.bind),
        increment: own.increment.or(base.increment),
        ipv6: own.ipv6.or(base.ipv6),
        trip_times: own.trip_times.or(base.trip_times),
        permit_key: own.permit_key.or(base.permit_key),
        connect: own.connect.or(base.connect),
        start: own.start.or(base.start),
    }
}

/// The options of a server over the defaults of all servers.
pub(super) fn server_over(own: ServerOptions, base: ServerOptions) -> ServerOptions {
    ServerOptions {
        host: own.host.or(base.host),
        port: own.port.or(base.port),
        transport: own.transport.or(base.transport),
        length: own.length.or(base.length),
        window: own.window.or(base.window),
        mss: own.mss.or(base.mss),
        congestion: own.congestion.or(base.congestion),
        tos: own.tos.or(base.tos),
        bind: own.bind.or(base.bind),
        ipv6: own.ipv6.or(base.ipv6),
        interval: own.interval.or(base.interval),
    }
}
