use proptest::prelude::*;

use super::*;

fn any_figures() -> impl Strategy<Value = Figures> {
    let tcp = (1_u64..1_000_000, 0_u64..1000, 1000_u64..10_000_000, 500_u32..1500);
    (1_u64..1 << 40, 1_u64..1 << 30, 0_u64..1000, 0_u64..1000, tcp, 0_u64..10_000).prop_map(
        |(bytes, calls, received, lost, (rtt, retransmits, window, mss), jitter)| Figures {
            bytes,
            calls,
            errors: lost,
            datagrams: Some(Datagrams {
                sent: received + lost,
                received,
                lost: i64::try_from(lost).unwrap(),
                out_of_order: lost / 2,
                duplicates: Some(lost / 3),
                unsent: lost,
                dropped_by_host: Some(lost),
            }),
            jitter: Some(Duration::from_micros(jitter)),
            latency: Some(Latency {
                count: received + 1,
                negative: 0,
                mean: 0.002,
                min: 0.001,
                max: 0.003,
                stdev: 0.0001,
                bins: vec![(2_000_000, received + 1)],
            }),
            tcp: Some(TcpSample {
                rtt: Duration::from_micros(rtt),
                rtt_variation: Duration::from_micros(rtt / 2),
                retransmits,
                congestion_window: window,
                mss,
            }),
            marks: Some(ReceivedMarks {
                tos: vec![(0, received), (0xbb, 1)],
                ttl: vec![(64, received + 1)],
            }),
        },
    )
}

proptest! {
    #[test]
    fn totals_are_the_sum_of_the_streams(
        streams in prop::collection::vec((any_figures(), 1_u64..100_000), 1..6)
    ) {
        let options = ClientOptions { parallel: given(6), ..ClientOptions::default() };
        let case = planned(vec![flow_with("client", options)]);
        let mut record = record(&case);
        for (stream, (figures, milliseconds)) in (1_u32..).zip(&streams) {
            let local = format!("127.0.0.1:{}", 4000 + stream);
            record.client_tells(0, started(stream, Role::Sender, &local, SERVER));
            record.server_tells(0, started(stream, Role::Receiver, SERVER, &local));
            let duration = Duration::from_millis(*milliseconds);
            for role in [Role::Sender, Role::Receiver] {
                let totals = Totals { stream: StreamId(stream), role, duration, figures: figures.clone() };
                match role {
                    Role::Sender => record.client_tells(0, EventKind::StreamEnded(totals)),
                    Role::Receiver => record.server_tells(0, EventKind::StreamEnded(totals)),
                }
            }
        }
        let flow = record.finish().remove(0);
        let (sender, receiver) = (flow.sender.unwrap(), flow.receiver.unwrap());
        let sum = |of: fn(&Figures) -> u64| streams.iter().map(|(figures, _)| of(figures)).sum::<u64>();

        prop_assert_eq!(receiver.transfer_bytes, sum(|f| f.bytes));
        let longest = streams.iter().map(|(_, milliseconds)| *milliseconds).max().unwrap();
        prop_assert!((receiver.duration_seconds - longest as f64 / 1e3).abs() < 1e-9);
        let rate = receiver.transfer_bytes as f64 * 8.0 / receiver.duration_seconds;
        prop_assert!((receiver.throughput_bits_per_second - rate).abs() <= rate * 1e-12);
        let counts = receiver.datagrams.unwrap();
        prop_assert_eq!(counts.received, Some(sum(|f| f.datagrams.unwrap().received)));
        prop_assert_eq!(counts.lost, Some(sum(|f| f.datagrams.unwrap().lost.unsigned_abs())));
        prop_assert_eq!(counts.sent, counts.received.unwrap() + counts.lost.unwrap());
        prop_assert_eq!(sender.datagrams.unwrap().sent, counts.sent);
        prop_assert_eq!(receiver.latency.unwrap().samples, sum(|f| f.latency.as_ref().unwrap().count));
        let worst = streams.iter().filter_map(|(figures, _)| figures.jitter).max().unwrap();
        prop_assert_eq!(receiver.jitter_seconds, Some(worst.as_secs_f64()));
        prop_assert_eq!(sender.writes, Some(WriteCounts { writes: sum(|f| f.calls), errors: sum(|f| f.errors) }));
        prop_assert_eq!(receiver.reads, Some(sum(|f| f.calls)));
        let TcpState { rtt_seconds, retransmits, congestion_window_bytes, mss_bytes, .. } = sender.tcp.unwrap();
        prop_assert_eq!(retransmits, sum(|f| f.tcp.unwrap().retransmits));
        prop_assert_eq!(congestion_window_bytes, sum(|f| f.tcp.unwrap().congestion_window));
        prop_assert_eq!(u64::from(mss_bytes), streams.iter().map(|(f, _)| u64::from(f.tcp.unwrap().mss)).min().unwrap());
        let mean = streams.iter().map(|(f, _)| f.tcp.unwrap().rtt.as_secs_f64()).sum::<f64>() / streams.len() as f64;
        prop_assert!((rtt_seconds - mean).abs() < 1e-12);
    }
}

// Two streams of 10 s that overlap by 5 s at the client, and follow each other at the server: 15 s and 20 s.
#[test]
fn throughput_of_streams_that_run_at_different_times_is_what_all_moved_over_the_whole_time() {
    let options = ClientOptions { parallel: given(2), ..ClientOptions::default() };
    let case = planned(vec![flow_with("client", options)]);
    let mut record = record(&case);
    for (stream, at_client, at_server) in [(1, 100, 7000), (2, 105, 7010)] {
        let local = format!("127.0.0.1:{}", 4000 + stream);
        let at = Duration::from_secs(at_client);
        record.handle_client(0, Event { at, kind: started(stream, Role::Sender, &local, SERVER) });
        let at = Duration::from_secs(at_server);
        record
            .handle_server(0, Event { at, kind: started(stream, Role::Receiver, SERVER, &local) });
        record.client_tells(0, ended(stream, Role::Sender, bytes(3000)));
        record.server_tells(0, ended(stream, Role::Receiver, bytes(3000)));
    }
    let flow = record.finish().remove(0);
    let figures = |m: Measurement| (m.duration_seconds, m.throughput_bits_per_second);
    assert_eq!(figures(flow.sender.unwrap()), (15.0, 3200.0));
    assert_eq!(figures(flow.receiver.unwrap()), (20.0, 2400.0));
}
