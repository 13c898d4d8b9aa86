//! Derived figures of queueing theory.

/// How much is in progress in the network: Little's law, L = λ · W (Little, *A Proof for the Queuing Formula: L = λW*,
/// Operations Research 9, 1961).
///
/// `rate_per_second` is the arrival rate λ in any unit (bytes, datagrams, bursts), `mean_delay_seconds` the mean time W
/// that each spends on the way; the result is in the unit of the rate. iperf prints it as `inP`.
#[must_use]
pub fn in_progress(rate_per_second: f64, mean_delay_seconds: f64) -> f64 {
    rate_per_second * mean_delay_seconds
}

/// Network power: throughput over delay (Kleinrock, *Power and deterministic rules of thumb for probabilistic problems in
/// computer communications*, 1979). Grows with throughput and falls with queueing; best where both are balanced.
///
/// In the unit of iperf's `NetPwr`: bytes per second, over seconds, in millions. `None` for a delay that is not above zero,
/// for which there is no power.
#[must_use]
pub fn network_power(bytes_per_second: f64, delay_seconds: f64) -> Option<f64> {
    (delay_seconds > 0.0).then(|| bytes_per_second / delay_seconds * 1e-6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ninety_datagrams_a_second_for_a_second_each_are_ninety_on_the_way() {
        assert!((in_progress(90.0, 1.0) - 90.0).abs() < 1e-12);
    }

    #[test]
    fn power_is_throughput_over_delay_in_millions() {
        let power = network_power(125_000_000.0, 0.005).unwrap();
        assert!((power - 25_000.0).abs() < 1e-6);
    }

    #[test]
    fn no_delay_gives_no_power() {
        assert_eq!(network_power(1.0, 0.0), None);
        assert_eq!(network_power(1.0, -0.001), None);
        assert_eq!(network_power(1.0, f64::NAN), None);
    }
}
