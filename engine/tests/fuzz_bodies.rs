//! The bodies of the fuzz targets over their seeds, the recorded captures and random bytes.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[path = "../fuzz/src/bodies.rs"]
mod bodies;
mod captures;

use std::fs;
use std::path::PathBuf;

use captures::bytes;
use proptest::prelude::*;

type Body = fn(&[u8]);

/// The seeds of a fuzz target, which libFuzzer starts from as well.
fn seeds(target: &str) -> Vec<Vec<u8>> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus")).join(target);
    let seeds: Vec<_> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| fs::read(entry.unwrap().path()).unwrap())
        .collect();
    assert!(!seeds.is_empty(), "{target} has no seeds");
    seeds
}

/// Runs a body over bytes, over all their prefixes, and with each byte of the first 160 replaced.
fn run_around(body: Body, data: &[u8]) {
    for length in 0..=data.len().min(256) {
        body(&data[..length]);
    }
    let mut changed = data.to_vec();
    for index in 0..changed.len().min(160) {
        for value in [0x00, 0x01, 0x7f, 0x80, 0xff] {
            let kept = std::mem::replace(&mut changed[index], value);
            body(&changed);
            changed[index] = kept;
        }
    }
}

#[test]
fn seeds_and_their_neighbours_break_no_decoder() {
    let targets: [(&str, Body); 4] = [
        ("tcp_stream", bodies::tcp_stream),
        ("udp_datagram", bodies::udp_datagram),
        ("fin_answer", bodies::fin_answer),
        ("sequence_numbers", bodies::sequence_numbers),
    ];
    for (target, body) in targets {
        for seed in seeds(target) {
            run_around(body, &seed);
        }
    }
}

#[test]
fn recorded_datagrams_break_no_decoder() {
    for capture in captures::all("udp-") {
        let datagrams = capture.content["datagrams"].as_array().unwrap();
        assert!(!datagrams.is_empty(), "{}", capture.name);
        for datagram in datagrams {
            let recorded = bytes(&datagram["hex"]);
            bodies::udp_datagram(&recorded);
            bodies::fin_answer(&recorded);
        }
    }
}

#[test]
fn recorded_streams_break_no_decoder() {
    for capture in captures::all("tcp-") {
        for direction in ["client_to_server_hex", "server_to_client_hex"] {
            bodies::tcp_stream(&bytes(&capture.content[direction]));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn random_bytes_break_no_decoder(data in prop::collection::vec(any::<u8>(), 0..300)) {
        bodies::tcp_stream(&data);
        bodies::udp_datagram(&data);
        bodies::fin_answer(&data);
        bodies::sequence_numbers(&data);
    }

    #[test]
    fn random_bytes_behind_a_plausible_first_word_break_no_decoder(
        word in prop_oneof![
            Just(0x4001_0000_u32), Just(0x5001_0000), Just(0x0080_0000), Just(0x8000_0000), Just(0x4000_0000),
        ],
        length in 0_u32..256,
        rest in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        let mut data = (word | length << 1).to_be_bytes().to_vec();
        data.extend(&rest);
        bodies::tcp_stream(&data);
        let mut datagram = vec![0; 16];
        datagram.extend(&data);
        bodies::udp_datagram(&datagram);
        bodies::fin_answer(&datagram);
    }
}
