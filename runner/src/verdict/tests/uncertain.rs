use super::fixtures::*;
use linerate_schema::results::{DatagramCounts, FlowResult, ReceiverSource, Verdict};

/// An external server's report about 1000 datagrams.
fn reported(lost: u64, out_of_order: u64) -> FlowResult {
    let mut flow = udp("it", &[lost]);
    flow.receiver_source = Some(ReceiverSource::ServerReport);
    let receiver = flow.streams[0].receiver.as_mut().unwrap();
    let counts = receiver.datagrams.unwrap();
    receiver.datagrams =
        Some(DatagramCounts { out_of_order: Some(out_of_order), duplicates: None, ..counts });
    flow
}

fn dropping(lost: u64, dropped: u64) -> FlowResult {
    let mut flow = udp("it", &[lost]);
    let counts = flow.streams[0].receiver.as_mut().unwrap().datagrams.as_mut().unwrap();
    counts.dropped_by_host = Some(dropped);
    flow
}

fn sending(sent: u64, unsent: Option<u64>) -> FlowResult {
    let mut flow = udp("it", &[0]);
    let sender = flow.streams[0].sender.as_mut().unwrap();
    sender.datagrams = Some(DatagramCounts { sent, unsent, ..DatagramCounts::default() });
    sender.transfer_bytes = sent * 1250;
    sender.duration_seconds = 10.0;
    flow
}

fn verdicts(flow: &FlowResult, texts: &[&str]) -> Vec<Verdict> {
    texts.iter().map(|text| judge(text, std::slice::from_ref(flow)).verdict).collect()
}

#[test]
fn duplicates_in_a_report_leave_the_loss_open_between_two_values() {
    let it = reported(0, 20);
    let texts = ["loss < 1%", "loss < 3%", "lost == 10", "lost <= 20", "loss > 3%"];
    assert_eq!(
        verdicts(&it, &texts),
        [Verdict::Inconclusive, Verdict::Pass, Verdict::Inconclusive, Verdict::Pass, Verdict::Fail]
    );
    let texts = ["out-of-order == 0", "out-of-order <= 20", "datagrams >= 990", "datagrams >= 980"];
    assert_eq!(
        verdicts(&it, &texts),
        [Verdict::Inconclusive, Verdict::Pass, Verdict::Inconclusive, Verdict::Pass]
    );
    let message = judge("loss < 1%", &[it]).message;
    assert!(message.contains("counts duplicates as out of order"), "{message}");
    assert!(message.contains("from 0% to 2%"), "{message}");
    assert_eq!(verdicts(&reported(0, 0), &["loss < 1%"]), [Verdict::Pass]);
    assert_eq!(verdicts(&udp("it", &[0]), &["loss < 1%"]), [Verdict::Pass]);
}

#[test]
fn what_our_own_receive_buffer_dropped_decides_no_assertion() {
    let it = dropping(100, 60);
    let texts = ["loss < 5%", "loss < 3%", "loss < 11%", "lost between 50 and 70"];
    assert_eq!(
        verdicts(&it, &texts),
        [Verdict::Inconclusive, Verdict::Fail, Verdict::Pass, Verdict::Inconclusive]
    );
    let message = judge("loss < 5%", &[it]).message;
    assert!(message.contains("60 datagrams were dropped by the receive buffer"), "{message}");
    let windows = ["loss < 1% for each interval", "loss < 1% during 0s..10s"];
    assert_eq!(
        verdicts(&dropping(100, 100), &windows),
        [Verdict::Inconclusive, Verdict::Inconclusive]
    );
}

#[test]
fn a_sender_that_did_not_send_what_was_asked_for_lets_nothing_pass() {
    let texts = ["loss < 1%", "throughput > 1 Mbit/s", "loss < 1% for each interval"];
    let short = sending(1000, Some(20));
    assert_eq!(verdicts(&short, &texts), [Verdict::Inconclusive; 3]);
    let message = judge("loss < 1%", &[short]).message;
    assert!(message.contains("20 of 1020 datagrams were due and not sent"), "{message}");
    assert_eq!(verdicts(&sending(1000, Some(10)), &texts), [Verdict::Pass; 3]);
    assert_eq!(verdicts(&sending(1000, None), &texts), [Verdict::Pass; 3]);
}

#[test]
fn a_sender_far_below_the_rate_asked_for_lets_nothing_pass() {
    let at = |rate: &str| {
        let mut flow = sending(1000, None);
        flow.options.insert("bitrate".to_owned(), rate.to_owned());
        judge("loss < 1%", &[flow])
    };
    assert_eq!(at("1 Mbit/s").verdict, Verdict::Pass);
    assert_eq!(at("0").verdict, Verdict::Pass);
    assert_eq!(at("100 pps").verdict, Verdict::Pass);
    let slow = at("1.1 Mbit/s");
    assert_eq!(slow.verdict, Verdict::Inconclusive);
    assert!(
        slow.message.contains("1000 datagrams in 10.00 s, where 1100 were due"),
        "{}",
        slow.message
    );
    assert_eq!(at("110 pps").verdict, Verdict::Inconclusive);
}

#[test]
fn bytes_of_a_server_with_a_shorter_buffer_are_no_transfer() {
    let mut it = reported(0, 0);
    let receiver = it.streams[0].receiver.as_mut().unwrap();
    receiver.transfer_bytes /= 2;
    let result = judge("throughput > 1 kbit/s", &[it.clone()]);
    assert_eq!(result.verdict, Verdict::Error);
    assert!(result.message.contains("iperf -s -u -l"), "{}", result.message);
    assert_eq!(verdicts(&it, &["transfer > 1 kB", "loss < 1%"]), [Verdict::Error, Verdict::Pass]);
}
