use linerate_schema::results::{Severity, Verdict};

use super::fixtures::{external, failed, item, tcp};
use crate::verdict::judge_case;

#[test]
fn a_case_is_as_bad_as_its_worst_part() {
    let good = || tcp("upload", &[40.0; 10]);
    let of = |texts: &[&str], flow| {
        let items: Vec<_> = texts.iter().map(|text| item(text)).collect();
        judge_case(&items, "wan.yaml", &[flow]).0
    };
    let (pass, fail) = ("throughput > 1 Mbit/s", "throughput > 1 Gbit/s");
    assert_eq!(of(&[], good()), Verdict::Pass);
    assert_eq!(of(&[pass], good()), Verdict::Pass);
    assert_eq!(of(&[pass, fail], good()), Verdict::Fail);
    assert_eq!(of(&[pass, "p99(throughput) > 1 Mbit/s"], good()), Verdict::Inconclusive);
    assert_eq!(of(&[fail, "p99(throughput) > 1 Mbit/s"], good()), Verdict::Fail);
    assert_eq!(of(&[pass, "latency < 1 s"], good()), Verdict::Error);
    assert_eq!(of(&[], failed(good())), Verdict::Error);
    assert_eq!(of(&[fail], failed(good())), Verdict::Error, "a partial figure fails nothing");
    assert_eq!(of(&[pass], external(good(), "192.0.2.9")), Verdict::Error);
}

#[test]
fn a_warning_is_reported_and_changes_nothing() {
    let mut warning = item("throughput > 1 Gbit/s");
    warning.severity = Severity::Warn;
    warning.because = Some("SLA".to_owned());
    let (verdict, results) = judge_case(&[warning], "wan.yaml", &[tcp("upload", &[40.0; 10])]);
    assert_eq!(verdict, Verdict::Pass);
    assert_eq!((results[0].verdict, results[0].because.as_deref()), (Verdict::Fail, Some("SLA")));
}

#[test]
fn a_case_without_flows_measured_nothing() {
    assert_eq!(judge_case(&[], "wan.yaml", &[]).0, Verdict::Error);
}
