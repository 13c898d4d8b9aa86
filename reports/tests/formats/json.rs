use linerate_reports::{Format, ReadResultsError, parse_results};
use linerate_schema::results::{FlowFailureKind, ReceiverSource, RunResult};

use crate::fixtures;

fn render(run: &RunResult) -> String {
    String::from_utf8(Format::Json.render(run).expect("renders")).expect("is UTF-8")
}

#[test]
fn what_was_written_reads_back_equal() {
    for (name, run) in fixtures::small() {
        assert_eq!(parse_results(&render(&run)), Ok(run), "{name}");
    }
}

#[test]
fn absent_values_are_left_out_rather_than_null() {
    for (name, run) in fixtures::small() {
        assert!(!render(&run).contains("null"), "{name}");
    }
}

#[test]
fn numbers_that_are_none_never_reach_a_file() {
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut run = fixtures::rich();
        run.duration_seconds = value;
        for flow in run.cases.iter_mut().flat_map(|case| &mut case.flows) {
            for measured in flow.sender.iter_mut().chain(&mut flow.receiver) {
                measured.throughput_bits_per_second = value;
                measured.jitter_seconds = Some(value);
                if let Some(latency) = &mut measured.latency {
                    latency.mean_seconds = value;
                }
            }
        }
        let json = render(&run);
        serde_json::from_str::<serde_json::Value>(&json).expect("is strict JSON");
        assert!(json.contains("\"throughput_bits_per_second\": null"));
        assert!(matches!(parse_results(&json), Err(ReadResultsError::Content { .. })));
        for format in Format::ALL {
            let bytes = format.render(&run).expect("renders");
            let text = String::from_utf8(bytes).expect("is UTF-8");
            for word in ["NaN", "inf,", "inf ", "Infinity"] {
                assert!(!text.contains(word), "{format} holds {word}");
            }
        }
    }
}

#[test]
fn a_document_that_was_cut_anywhere_is_refused() {
    let json = render(&fixtures::rich());
    let text = json.trim_end();
    for end in (0..text.len()).step_by(997).filter(|end| text.is_char_boundary(*end)) {
        let error = parse_results(&text[..end]).expect_err("is cut");
        assert!(matches!(error, ReadResultsError::Syntax { .. }), "{end}: {error}");
    }
}

#[test]
fn reports_and_results_use_the_same_words() {
    use FlowFailureKind as Kind;
    let kinds = [
        Kind::ServerStart,
        Kind::Refused,
        Kind::ConnectTimeout,
        Kind::Unreachable,
        Kind::KeyRefused,
        Kind::PeerVanished,
        Kind::NoData,
        Kind::NoReport,
        Kind::Timeout,
        Kind::Interrupted,
        Kind::Protocol,
        Kind::System,
    ];
    for kind in kinds {
        assert_eq!(serde_json::to_value(kind).expect("serializes"), kind.as_str());
    }
    for source in [ReceiverSource::Measured, ReceiverSource::ServerReport] {
        assert_eq!(serde_json::to_value(source).expect("serializes"), source.as_str());
    }
}
