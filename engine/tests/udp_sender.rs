//! What a UDP sender does when its host, the system or the network do not do what they should.

use std::time::Duration;

use linerate_engine::config::{Amount, Rate};
use linerate_engine::error::EngineError;
use linerate_engine::event::StreamId;
use linerate_engine::protocol::udp_rejections::Rejection;
use linerate_engine::protocol::udp_sender::{
    Finish, Outgoing, SendFailure, SenderAction, SenderEnd, UdpSender, UdpSenderSettings,
};

const MS: Duration = Duration::from_millis(1);
const START: Duration = Duration::from_secs(5);
const LENGTH: usize = 200;

/// A sender of one second, by default with a datagram every ten milliseconds.
fn sender(rate: Rate, finish: Finish) -> UdpSender {
    UdpSender::new(UdpSenderSettings {
        stream: StreamId(1),
        amount: Amount::Time(1000 * MS),
        rate,
        length: LENGTH,
        header_length: 0,
        finish,
        interval: None,
    })
}

fn paced() -> UdpSender {
    sender(Rate::PacketsPerSecond(100.0), Finish::AwaitReport)
}

fn outgoing(sender: &mut UdpSender, now: Duration) -> Option<Outgoing> {
    match sender.poll(now) {
        SenderAction::Send(outgoing) => Some(outgoing),
        _ => None,
    }
}

/// Sends what is due at `now`; returns the numbers.
fn send_all(sender: &mut UdpSender, now: Duration) -> Vec<i64> {
    let mut numbers = Vec::new();
    while let Some(outgoing) = outgoing(sender, now) {
        // One at a time, as a caller may that cannot send more.
        sender.record_sent(&outgoing, 1, now);
        numbers.push(outgoing.sequence);
    }
    numbers
}

fn end(sender: &mut UdpSender, now: Duration) -> SenderEnd {
    match sender.poll(now) {
        SenderAction::End(end) => end,
        other => panic!("no end: {other:?}"),
    }
}

fn sent(sender: &UdpSender) -> u64 {
    sender.totals().figures.datagrams.expect("counts").sent
}

#[test]
fn a_datagram_that_was_refused_leaves_its_number_to_the_next_attempt() {
    let mut sender = paced();
    let first = outgoing(&mut sender, START).expect("due");
    sender.record_failure(SendFailure::Busy, START);
    assert_eq!(sender.poll(START), SenderAction::Wait(START + Duration::from_micros(200)));
    let again = outgoing(&mut sender, START + MS).expect("due");
    assert_eq!((first.sequence, again.sequence), (1, 1));
    sender.record_sent(&again, 1, START + MS);
    assert_eq!((sent(&sender), sender.totals().figures.errors), (1, 1));
}

#[test]
fn the_error_of_an_earlier_datagram_delays_nothing_but_a_series_does() {
    let mut sender = paced();
    send_all(&mut sender, START);
    let now = START + 10 * MS;
    let refused = || SendFailure::Rejected(Rejection::Refused);
    assert!(outgoing(&mut sender, now).is_some());
    sender.record_failure(refused(), now);
    assert!(outgoing(&mut sender, now).is_some());
    sender.record_failure(refused(), now);
    assert!(matches!(sender.poll(now), SenderAction::Wait(_)));
}

#[test]
fn an_error_that_cannot_pass_ends_the_flow() {
    let mut sender = paced();
    send_all(&mut sender, START);
    let now = START + 10 * MS;
    let error = EngineError::System { operation: "send".into(), reason: "bad file".into() };
    sender.record_failure(SendFailure::Fatal(error.clone()), now);
    assert_eq!(end(&mut sender, now), SenderEnd::Failed(error));
    assert_eq!(sender.totals().duration, 10 * MS);
}

#[test]
fn refusals_for_a_second_end_the_flow() {
    let mut sender = sender(Rate::PacketsPerSecond(10.0), Finish::AwaitReport);
    let mut now = START;
    let end = loop {
        match sender.poll(now) {
            SenderAction::Send(outgoing) => {
                sender.record_sent(&outgoing, 1, now);
                sender.record_rejection(Rejection::Refused, now);
            }
            SenderAction::Wait(until) => now = until,
            SenderAction::End(end) => break end,
            SenderAction::Report(_) => {}
        }
    };
    assert_eq!(end, SenderEnd::Failed(EngineError::Refused));
    assert_eq!(now, START + 1000 * MS);
}

#[test]
fn a_late_host_catches_up_at_once() {
    let mut sender = paced();
    assert_eq!(send_all(&mut sender, START), [1]);
    assert_eq!(send_all(&mut sender, START + 45 * MS), [2, 3, 4, 5]);
}

#[test]
fn a_host_that_is_late_at_the_end_still_sends_what_was_due() {
    let mut sender = paced();
    send_all(&mut sender, START + 950 * MS);
    let start = START + 950 * MS;
    send_all(&mut sender, start + 900 * MS);
    // A wake-up 50 ms after the end: nine are due, and then comes the FIN.
    let numbers = send_all(&mut sender, start + 1050 * MS);
    assert_eq!(numbers, [92, 93, 94, 95, 96, 97, 98, 99, 100, -101]);
    assert_eq!(sender.shortfall(), None);
    assert_eq!(sender.totals().duration, 1050 * MS);
}

#[test]
fn a_host_that_cannot_keep_the_rate_stops_in_time_and_says_so() {
    let mut sender = sender(Rate::PacketsPerSecond(100_000.0), Finish::AwaitReport);
    send_all(&mut sender, START);
    // It sends only one for each millisecond.
    for millisecond in 1..1000 {
        let outgoing = outgoing(&mut sender, START + MS * millisecond).expect("due");
        sender.record_sent(&outgoing, 1, START + MS * millisecond);
    }
    let fin = outgoing(&mut sender, START + 1000 * MS).expect("the end");
    assert!(fin.sequence < 0, "{fin:?}");
    let shortfall = sender.shortfall().expect("a remark");
    assert!(shortfall.starts_with("this host did not keep the rate: 98"), "{shortfall}");
}

#[test]
fn an_unlimited_sender_stops_in_time() {
    let mut sender = sender(Rate::Unlimited, Finish::AwaitReport);
    for millisecond in 0..1000 {
        let outgoing = outgoing(&mut sender, START + MS * millisecond).expect("always");
        sender.record_sent(&outgoing, outgoing.count, START + MS * millisecond);
    }
    assert!(outgoing(&mut sender, START + 1000 * MS).expect("the end").sequence < 0);
    assert_eq!(sender.shortfall(), None);
}

#[test]
fn a_refusal_after_the_announced_end_is_a_receiver_that_has_gone_as_it_should() {
    let refused_at = |millisecond: u32| {
        let mut sender = sender(Rate::PacketsPerSecond(100.0), Finish::Announce);
        for passed in (0..=millisecond).step_by(10) {
            send_all(&mut sender, START + MS * passed);
        }
        let now = START + MS * millisecond;
        sender.record_rejection(Rejection::Refused, now);
        end(&mut sender, now)
    };
    assert_eq!(refused_at(1000), SenderEnd::Finished);
    let vanished = refused_at(500);
    assert!(
        matches!(vanished, SenderEnd::Failed(EngineError::PeerVanished { .. })),
        "{vanished:?}"
    );
}

#[test]
fn an_announced_end_is_told_three_times() {
    let mut sender = sender(Rate::PacketsPerSecond(100.0), Finish::Announce);
    for passed in (0..1000).step_by(10) {
        send_all(&mut sender, START + MS * passed);
    }
    let end_of_data = START + 1000 * MS;
    for repetition in 0..3 {
        let now = end_of_data + UdpSender::FIN_PERIOD * repetition;
        assert_eq!(send_all(&mut sender, now), [-101]);
    }
    assert_eq!(end(&mut sender, end_of_data + UdpSender::FIN_PERIOD * 2), SenderEnd::Finished);
    // Counted once.
    assert_eq!(sender.totals().figures.bytes, 101 * LENGTH as u64);
}

#[test]
fn a_cancelled_flow_can_tell_its_receiver_the_end() {
    let mut sender = paced();
    send_all(&mut sender, START);
    sender.stop(EngineError::Cancelled, START + 5 * MS);
    assert_eq!(sender.fin(), Outgoing { sequence: -2, count: 1, length: LENGTH });
    assert_eq!(end(&mut sender, START + 5 * MS), SenderEnd::Failed(EngineError::Cancelled));
    assert_eq!(sent(&sender), 1);
}

#[test]
fn a_report_before_the_end_of_the_data_stops_nothing_and_is_the_answer_after_it() {
    let mut sender = paced();
    send_all(&mut sender, START);
    let mut report = [0; 128];
    report[16] = 0x88;
    sender.handle_answer(&report, START + MS);
    assert!(sender.is_sending());
    assert_eq!(sender.received_report().map(|report| report.datagrams), Some(0));
    sender.stop(EngineError::Cancelled, START + 5 * MS);
    assert_eq!(end(&mut sender, START + 5 * MS), SenderEnd::Failed(EngineError::Cancelled));
    assert!(sender.received_report().is_some());
    assert_eq!(sender.sent_flow().reported_after, MS);
}
