//! Both sides of UDP flows over a simulated network: what is reported is what happened.

use std::num::NonZeroU16;
use std::time::Duration;

use linerate_engine::config::{
    Addressing, Amount, ClientConfig, ClientTransport, Direction, Length, Rate, SocketOptions,
};
use linerate_engine::error::EngineError;
use linerate_engine::event::{Datagrams, Interval, StreamId, Totals};
use linerate_engine::protocol::udp_client_request::UdpClientRequest;
use linerate_engine::protocol::udp_receiver::ReceiverEnd;
use linerate_engine::protocol::udp_report::read_report;
use linerate_engine::protocol::udp_sender::{Finish, SenderEnd, UdpSender, UdpSenderSettings};

use crate::forward_simulation::{Outcome, Received, Simulation, report_in};
use crate::network::Path;

const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);

fn config() -> ClientConfig {
    ClientConfig {
        server: "192.0.2.1:5001".parse().expect("an address"),
        bind: None,
        transport: ClientTransport::Udp,
        direction: Direction::Forward,
        amount: Amount::Time(2 * SECOND),
        rate: Rate::PacketsPerSecond(500.0),
        length: Length::Chosen(200),
        parallel: NonZeroU16::MIN,
        interval: None,
        socket: SocketOptions::default(),
        trip_times: false,
        addressing: Addressing::default(),
    }
}

fn simulation(config: &ClientConfig, path: Path, seed: u64) -> Simulation {
    let request = UdpClientRequest::new(config).expect("a valid configuration");
    let sender = UdpSender::new(UdpSenderSettings {
        stream: StreamId(1),
        amount: config.amount,
        rate: config.rate,
        length: config.length.bytes(),
        header_length: request.header_length(),
        finish: Finish::AwaitReport,
        interval: config.interval,
    });
    Simulation::new(sender, &request, config.interval, path, seed)
}

fn run(config: &ClientConfig, path: Path, seed: u64) -> Outcome {
    simulation(config, path, seed).run()
}

fn received(outcome: &Outcome) -> &Received {
    outcome.receiver.as_ref().expect("a flow at the receiver")
}

fn counted(outcome: &Outcome) -> Datagrams {
    received(outcome).totals.figures.datagrams.expect("counts of datagrams")
}

fn reported(outcome: &Outcome) -> Datagrams {
    let SenderEnd::Reported(report) = &outcome.sender_end else {
        panic!("no report: {:?}", outcome.sender_end);
    };
    let read = read_report(report, StreamId(1), &outcome.sent_flow, false).expect("possible");
    assert_eq!(read.failure, None);
    read.totals.figures.datagrams.expect("counts of datagrams")
}

/// The receiver's figures, and those in the report, are what happened to the data.
fn assert_true(outcome: &Outcome, what: &str) {
    let truth = outcome.truth.datagrams();
    assert_eq!(counted(outcome), truth, "{what}");
    assert_eq!(received(outcome).end, ReceiverEnd::Finished, "{what}");
    assert_eq!(received(outcome).remarks, Vec::<String>::new(), "{what}");
    let sender = outcome.sender.figures.datagrams.expect("counts of datagrams");
    assert_eq!(sender.sent, truth.sent, "{what}");
    let fin = 200;
    assert_eq!(
        received(outcome).totals.figures.bytes,
        outcome.truth.data_bytes_delivered + fin,
        "{what}"
    );
    let report = reported(outcome);
    assert_eq!(
        (report.sent, report.received, report.lost),
        (truth.sent, truth.received, truth.lost),
        "{what}"
    );
    assert_eq!(report.out_of_order, outcome.truth.late + outcome.truth.repeated, "{what}");
}

#[test]
fn without_loss_both_ends_count_the_same() {
    let path = Path { delay: 20 * MS, ..Path::default() };
    let outcome = run(&config(), path, 1);
    assert_true(&outcome, "a clean path");
    assert_eq!(outcome.truth.datagrams().sent, 1000);
    let (sender, receiver) = (&outcome.sender.figures, &received(&outcome).totals.figures);
    assert_eq!((sender.bytes, sender.calls), (200_200, 1001));
    assert_eq!((receiver.bytes, receiver.calls), (200_200, 1001));
    assert_eq!(outcome.sender.duration, 2 * SECOND);
    assert_eq!(received(&outcome).totals.duration, 2 * SECOND);
    // The wire has microseconds.
    assert!(receiver.jitter.expect("jitter") < Duration::from_micros(1));
}

#[test]
fn lost_repeated_and_reordered_datagrams_are_told_apart() {
    for seed in 0..60 {
        let one_in = |count: u64| if seed % count == 0 { 0.0 } else { 0.05 };
        let path = Path {
            delay: 30 * MS,
            spread: if seed % 5 == 0 { Duration::ZERO } else { 9 * MS },
            loss: one_in(3),
            duplication: one_in(4),
            ..Path::default()
        };
        let outcome = run(&config(), path, seed);
        assert_true(&outcome, &format!("seed {seed}, {path:?}"));
        let truth = outcome.truth.datagrams();
        assert_eq!(truth.lost > 0, path.loss > 0.0, "seed {seed}");
        assert_eq!(truth.duplicates > Some(0), path.duplication > 0.0, "seed {seed}");
        assert_eq!(truth.out_of_order > 0, !path.spread.is_zero(), "seed {seed}");
    }
}

#[test]
fn data_that_the_end_marker_overtakes_is_not_lost() {
    // Eighty datagrams may arrive after the FIN.
    let path = Path { delay: 5 * MS, spread: 80 * MS, ..Path::default() };
    let config = ClientConfig { rate: Rate::PacketsPerSecond(1000.0), ..config() };
    for seed in 0..20 {
        let outcome = run(&config, path, seed);
        assert_true(&outcome, &format!("seed {seed}"));
    }
}

#[test]
fn a_lost_end_marker_is_not_lost_data() {
    for lost_fins in [1, 2, 5, 50] {
        let path = Path { delay: 10 * MS, lost_fins, ..Path::default() };
        let outcome = run(&config(), path, 1);
        assert_true(&outcome, &format!("{lost_fins} lost"));
        assert_eq!(counted(&outcome).lost, 0);
        assert!(outcome.fins_sent > u64::from(lost_fins));
    }
}

#[test]
fn end_markers_that_are_numbered_like_data_leave_no_false_loss() {
    let path = Path { delay: 10 * MS, lost_fins: 1, ..Path::default() };
    let mut simulation = simulation(&config(), path, 1);
    simulation.numbers_fins = true;
    let outcome = simulation.run();
    assert_eq!(counted(&outcome).lost, 0);
    assert_eq!(reported(&outcome).lost, 0);
}

#[test]
fn doubt_about_a_numbered_end_marker_is_told() {
    let path = Path { delay: 10 * MS, lost_fins: 4, ..Path::default() };
    let mut simulation = simulation(&config(), path, 1);
    simulation.numbers_fins = true;
    let outcome = simulation.run();
    let lost = counted(&outcome).lost;
    assert!((0..=4).contains(&lost), "{lost}");
    if lost > 0 {
        assert!(received(&outcome).remarks[0].contains("may be end markers"));
    }
}

#[test]
fn lost_reports_are_sent_again_as_they_were() {
    let path = Path { delay: 10 * MS, lost_answers: 7, ..Path::default() };
    let outcome = run(&config(), path, 1);
    assert_true(&outcome, "lost answers");
    assert!(outcome.answers.len() > 7);
    assert!(outcome.answers.iter().all(|answer| *answer == outcome.answers[0]));
}

#[test]
fn a_silent_server_fails_the_flow_two_seconds_after_its_end() {
    let outcome = run(&config(), Path { loss: 1.0, ..Path::default() }, 1);
    assert_eq!(outcome.sender_end, SenderEnd::Failed(EngineError::NoReport { after: 2 * SECOND }));
    assert!(outcome.receiver.is_none());
    assert_eq!(outcome.fins_sent, 200);
    // What was sent is told all the same.
    assert_eq!(outcome.sender.figures.datagrams.expect("counts").sent, 1000);
    assert_eq!(outcome.sender.duration, 2 * SECOND);
}

#[test]
fn a_client_that_vanishes_ends_by_the_idle_timeout() {
    let mut simulation = simulation(&config(), Path { delay: 10 * MS, ..Path::default() }, 1);
    simulation.sender_vanishes_at = Some(78 * SECOND);
    let outcome = simulation.run();
    let received = received(&outcome);
    let ReceiverEnd::Failed(error) = &received.end else {
        panic!("{:?}", received.end);
    };
    assert_eq!(error.to_string(), "the peer vanished: nothing came for 20.0 s");
    assert_eq!(received.totals.figures.datagrams, Some(outcome.truth.datagrams()));
    assert_eq!(received.totals.duration, 998 * MS);
    assert_eq!(outcome.answers.len(), 0);
}

#[test]
fn a_client_that_ends_early_is_told_apart_from_one_that_sent_for_its_time() {
    // The request announces ten seconds; the sender stops after two.
    let announced = ClientConfig { amount: Amount::Time(10 * SECOND), ..config() };
    let request = UdpClientRequest::new(&announced).expect("a valid configuration");
    let sender = UdpSender::new(UdpSenderSettings {
        stream: StreamId(1),
        amount: Amount::Time(2 * SECOND),
        rate: announced.rate,
        length: 200,
        header_length: 80,
        finish: Finish::AwaitReport,
        interval: None,
    });
    let outcome = Simulation::new(sender, &request, None, Path::default(), 1).run();
    let reason = "it ended after 2.00 s of 10.00 s".to_owned();
    assert_eq!(received(&outcome).end, ReceiverEnd::Failed(EngineError::PeerVanished { reason }));
    // The client still gets its report.
    assert_eq!(reported(&outcome).sent, 1000);
}

#[test]
fn intervals_are_exact_and_their_sum_is_the_whole() {
    // The last half interval is long enough to be reported.
    let (interval, amount) = (Some(100 * MS), Amount::Time(1950 * MS));
    let config = ClientConfig { interval, amount, ..config() };
    let path =
        Path { delay: 30 * MS, spread: 15 * MS, loss: 0.05, duplication: 0.05, ..Path::default() };
    for seed in 0..20 {
        let outcome = run(&config, path, seed);
        assert_true(&outcome, &format!("seed {seed}"));
        for (intervals, totals) in [
            (&outcome.sender_intervals, &outcome.sender),
            (&outcome.receiver_intervals, &received(&outcome).totals),
        ] {
            assert_eq!(intervals.len(), 20, "seed {seed}");
            for (index, interval) in (0_u32..).zip(intervals) {
                let end = (100 * MS * (index + 1)).min(totals.duration);
                assert_eq!((interval.start, interval.end), (100 * MS * index, end));
            }
            assert_eq!(sum(intervals), in_one(totals), "seed {seed}");
        }
    }
}

fn sum(intervals: &[Interval]) -> (u64, u64, Datagrams) {
    let mut sum = (0, 0, Datagrams::default());
    for Interval { figures, .. } in intervals {
        let (datagrams, all) = (figures.datagrams.expect("counts"), &mut sum.2);
        sum.0 += figures.bytes;
        sum.1 += figures.calls;
        all.sent += datagrams.sent;
        all.received += datagrams.received;
        all.lost += datagrams.lost;
        all.out_of_order += datagrams.out_of_order;
        all.duplicates = datagrams.duplicates.map(|more| all.duplicates.unwrap_or(0) + more);
    }
    sum
}

fn in_one(totals: &Totals) -> (u64, u64, Datagrams) {
    let figures = &totals.figures;
    (figures.bytes, figures.calls, figures.datagrams.expect("counts"))
}

#[test]
fn intervals_without_traffic_are_reported_empty() {
    let config = ClientConfig {
        rate: Rate::PacketsPerSecond(1.0),
        amount: Amount::Time(3 * SECOND),
        interval: Some(250 * MS),
        ..config()
    };
    let outcome = run(&config, Path { delay: 10 * MS, ..Path::default() }, 1);
    for intervals in [&outcome.sender_intervals, &outcome.receiver_intervals] {
        let sent: Vec<_> = intervals
            .iter()
            .map(|interval| interval.figures.datagrams.expect("counts").sent)
            .collect();
        // An event on a boundary belongs to the interval that ends there.
        assert_eq!(sent, [1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0]);
    }
}

#[test]
fn latency_is_the_delay_of_the_path_and_of_the_clocks() {
    let config = ClientConfig { trip_times: true, interval: Some(SECOND), ..config() };
    for (offset, expected) in [(0, 0.025), (100, 0.125), (-100, -0.075)] {
        let path = Path { delay: 25 * MS, clock_offset_milliseconds: offset, ..Path::default() };
        let outcome = run(&config, path, 1);
        let latency = received(&outcome).totals.figures.latency.as_ref().expect("latency");
        assert_eq!(latency.count, 1000);
        assert_eq!(latency.negative, if expected < 0.0 { 1000 } else { 0 });
        for figure in [latency.min, latency.mean, latency.max] {
            assert!((figure - expected).abs() < 2e-6, "{figure} is not {expected}");
        }
        let interval = outcome.receiver_intervals[0].figures.latency.as_ref().expect("latency");
        assert_eq!(interval.count, 501);
        let SenderEnd::Reported(report) = &outcome.sender_end else {
            panic!("{:?}", outcome.sender_end);
        };
        let read = read_report(report, StreamId(1), &outcome.sent_flow, true).expect("possible");
        let read = read.totals.figures.latency.expect("latency");
        assert!((read.mean - expected).abs() < 2e-6, "{}", read.mean);
        assert!(read.stdev < 1e-6);
    }
}

#[test]
fn clocks_that_are_far_apart_measure_no_latency_and_say_so() {
    let config = ClientConfig { trip_times: true, ..config() };
    let path = Path { clock_offset_milliseconds: 700_000, ..Path::default() };
    let outcome = run(&config, path, 1);
    assert_eq!(received(&outcome).totals.figures.latency, None);
    assert!(received(&outcome).remarks[0].starts_with("the clocks of both ends differ"));
}

#[test]
fn an_amount_of_bytes_is_sent_to_the_last_one() {
    let config =
        ClientConfig { amount: Amount::Bytes(20_480), length: Length::Default(1470), ..config() };
    let outcome = run(&config, Path { delay: MS, ..Path::default() }, 1);
    // Thirteen of 1470, one of 1370, and the FIN.
    assert_eq!(counted(&outcome).sent, 14);
    assert_eq!(received(&outcome).totals.figures.bytes, 20_480 + 1470);
    assert_eq!(outcome.sender.figures.bytes, 20_480 + 1470);
}

#[test]
fn the_smallest_datagrams_are_counted_like_all_others() {
    let config = ClientConfig {
        length: Length::Chosen(16),
        rate: Rate::BitsPerSecond(1_000_000),
        ..config()
    };
    let path = Path { delay: 10 * MS, loss: 0.1, ..Path::default() };
    let outcome = run(&config, path, 3);
    assert_eq!(counted(&outcome), outcome.truth.datagrams());
    assert_eq!(outcome.truth.sent, 15_625);
    // The first is stretched to its header.
    assert_eq!(outcome.sender.figures.bytes, 80 + 15_624 * 16 + 16);
}

#[test]
fn a_report_is_what_an_iperf_client_expects() {
    let path =
        Path { delay: 20 * MS, spread: 5 * MS, loss: 0.02, duplication: 0.02, ..Path::default() };
    let outcome = run(&config(), path, 8);
    let report = report_in(&outcome.answers[0]);
    let truth = outcome.truth.datagrams();
    assert_eq!(outcome.answers[0].len(), 128);
    assert_eq!(report.flags.0, 0xc800_0000);
    assert_eq!(report.datagrams, truth.sent + 1);
    assert_eq!(report.lost, truth.lost.unsigned_abs());
    assert_eq!(report.bytes, received(&outcome).totals.figures.bytes);
    let latency = report.latency.expect("latency");
    assert_eq!((u64::from(latency.count), latency.interval_sum), (truth.received, 1));
    assert!((480..=520).contains(&latency.packets_per_second), "{}", latency.packets_per_second);
}
