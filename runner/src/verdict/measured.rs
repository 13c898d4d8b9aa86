//! The value of a metric for some streams of a flow.

use linerate_schema::assertion::{
    During, Measure, Metric, OverStreams, Samples, Side, Stat, Traffic,
};
use linerate_schema::results::{Distribution, FlowResult, Measurement, StreamResult, StreamWay};
use linerate_schema::scenario::{Transport, Way};
use linerate_schema::units::Dimension;

use super::figure::{Figure, count, figure, over_streams};
use super::limit::Limit;
use super::mark_values::MarkValues;
use super::series::{Part, Series};
use super::trust;
use super::uncertainty::{self, Uncertainty};

/// A value, and whether it can be trusted.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Measured {
    /// In the metric's SI unit.
    pub(super) value: f64,
    /// Number of samples behind it, when it is a statistic.
    pub(super) samples: Option<u64>,
    /// Why it cannot be trusted, and what to do.
    pub(super) doubt: Option<String>,
    /// Between which values it lies, where the figures leave that open.
    pub(super) range: Option<Range>,
    /// Where every datagram is compared: their marks, of which `value` is the most frequent one.
    pub(super) each: Option<MarkValues>,
}

/// The values between which a figure lies.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Range {
    pub(super) low: f64,
    pub(super) high: f64,
    /// Why it is not known better, and what to do.
    pub(super) why: String,
}

/// Some streams of a flow, seen as one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Subject<'a> {
    pub(super) flow: &'a FlowResult,
    pub(super) streams: Streams<'a>,
    /// The way of the data that is meant.
    pub(super) way: Way,
}

/// Which streams.
#[derive(Debug, Clone, Copy)]
pub(super) enum Streams<'a> {
    All,
    One(&'a StreamResult),
}

/// The value or, as text, why there is none and what to do.
pub(super) type Answer = Result<Measured, String>;

impl<'a> Subject<'a> {
    /// These streams of `flow`, seen as `measure` looks at them, or why that is not clear.
    pub(super) fn of(
        measure: &Measure,
        flow: &'a FlowResult,
        streams: Streams<'a>,
    ) -> Result<Self, String> {
        let way = match (measure.side(), measure.way.or(flow.direction.only_way())) {
            (_, Some(way)) => way,
            // What only the client knows is the same both ways.
            (None, None) => Way::Forward,
            (Some(_), None) => {
                return Err(format!(
                    "`{}` sends both ways and `{measure}` does not say which is meant: write `forward.` or `reverse.`",
                    flow.name
                ));
            }
        };
        if !flow.direction.ways().contains(&way) {
            return Err(format!("no {way} data goes over `{}`", flow.name));
        }
        Ok(Self { flow, streams, way })
    }

    /// The streams as a list.
    fn list(self) -> Vec<&'a StreamResult> {
        match self.streams {
            Streams::All => self.flow.streams.iter().collect(),
            Streams::One(stream) => vec![stream],
        }
    }

    /// The data of the streams as a list.
    fn ways(self) -> Vec<StreamWay<'a>> {
        let of_stream = |stream: &'a StreamResult| stream.way(self.way, self.flow.direction);
        self.list().into_iter().filter_map(of_stream).collect()
    }

    /// The value over the whole run, or over the intervals inside `during`, with what is doubtful about it.
    pub(super) fn measure(self, measure: &Measure, during: Option<&During>) -> Answer {
        let mut measured = self.told(measure, during)?;
        for uncertainty in uncertainty::of(self.flow, self.way) {
            let possible = uncertainty.possible_flow(self.flow, self.way);
            let streams = match self.streams {
                Streams::All => Some(Streams::All),
                Streams::One(one) => {
                    let mut streams = possible.streams.iter();
                    streams.find(|stream| stream.stream == one.stream).map(Streams::One)
                }
            };
            let subject =
                streams.map(|streams| Subject { flow: &possible, streams, way: self.way });
            let other = subject.and_then(|subject| subject.told(measure, during).ok());
            measured.widen(other, &uncertainty);
        }
        Ok(measured.doubting(trust::sender_fell_short(self.flow, self.way)))
    }

    /// The value as the figures tell it.
    fn told(self, measure: &Measure, during: Option<&During>) -> Answer {
        let metric = measure.metric;
        let Some(side) = measure.side() else { return self.connect_time(measure.stat) };
        if metric.facts().samples == Samples::Intervals
            && let Some(stat) = measure.stat
        {
            return self.over_intervals(metric, side, stat, during);
        }
        let figures = match during {
            None => self.whole_run(metric, side)?,
            Some(_) => {
                let whole = self.series(side, during)?.whole();
                let part = whole.ok_or_else(|| format!("`{}` has no interval", self.flow.name))?;
                self.part_figures(metric, side, &part)?
            }
        };
        self.conclude(measure, side, figures)
    }

    /// The value in this part of the run, with what is doubtful about it.
    pub(super) fn measure_part(self, measure: &Measure, part: &Part) -> Answer {
        let mut measured = self.told_part(measure, part)?;
        for uncertainty in uncertainty::of(self.flow, self.way) {
            let streams = part.streams.iter().map(|streams| uncertainty.possible(streams));
            let possible = Part { start: part.start, end: part.end, streams: streams.collect() };
            measured.widen(self.told_part(measure, &possible).ok(), &uncertainty);
        }
        Ok(measured.doubting(trust::sender_fell_short(self.flow, self.way)))
    }

    fn told_part(self, measure: &Measure, part: &Part) -> Answer {
        let side = measure.side().ok_or_else(|| self.absent(measure.metric, Side::Sender))?;
        let figures = self.part_figures(measure.metric, side, part)?;
        self.conclude(measure, side, figures)
    }

    /// The recorded intervals, inside `during`.
    pub(super) fn series(self, side: Side, during: Option<&During>) -> Result<Series<'a>, String> {
        self.check_side(side)?;
        let mut series = Series::of(self.flow, &self.ways(), side)?;
        if let Some(during) = during {
            series.keep(during.from.si(), during.to.si())?;
        }
        Ok(series)
    }

    /// An end that nobody measured says nothing.
    fn check_side(self, side: Side) -> Result<(), String> {
        let whole = self.flow.way(self.way).and_then(|way| match side {
            Side::Sender => way.sender,
            Side::Receiver => way.receiver,
        });
        whole.map(|_| ()).ok_or_else(|| self.unknown_end(side))
    }

    fn unknown_end(self, side: Side) -> String {
        let name = &self.flow.name;
        match side {
            Side::Receiver => format!(
                "nothing is known of the receiver of `{name}`, and the sender's figures do not stand in for it: run the \
                 server with linerate, or judge what was written with `sender.`"
            ),
            Side::Sender => format!(
                "nothing is known of the sender of `{name}`: run the server with linerate, or judge `receiver.`"
            ),
        }
    }

    fn whole_run(self, metric: Metric, side: Side) -> Result<Vec<Figure>, String> {
        self.check_side(side)?;
        if side == Side::Receiver && matches!(metric, Metric::Throughput | Metric::Transfer) {
            trust::check_whole_datagrams(self.flow, self.way)?;
        }
        let list = self.ways();
        let of_stream = |stream: &StreamWay<'a>| {
            let measurement = match side {
                Side::Sender => stream.sender,
                Side::Receiver => stream.receiver,
            };
            measurement.ok_or_else(|| {
                format!(
                    "nothing is known of the {side} of stream {} of `{}`, so the flow has no whole figure: look at the \
                     failure of that stream",
                    stream.stream, self.flow.name
                )
            })
        };
        let measurements: Vec<&Measurement> =
            list.iter().map(of_stream).collect::<Result<_, _>>()?;
        if measurements.is_empty() {
            return Err(format!("`{}` has no streams, so nothing was measured", self.flow.name));
        }
        if measurements.iter().all(|measurement| measurement.transfer_bytes == 0) {
            return Err(format!(
                "the {side} of `{}` moved no data, so there is nothing to judge",
                self.flow.name
            ));
        }
        if let Some(whole) = self.over_the_flow(metric, side) {
            let figure = figure(metric, side, whole).ok_or_else(|| self.absent(metric, side))?;
            return Ok(vec![figure]);
        }
        let figures = measurements.iter().map(|measurement| figure(metric, side, measurement));
        figures.collect::<Option<_>>().ok_or_else(|| self.absent(metric, side))
    }

    /// The flow's own figures, for what is measured over its whole time: streams that did not run at the same time have rates
    /// that do not add.
    fn over_the_flow(self, metric: Metric, side: Side) -> Option<&'a Measurement> {
        let whole = match side {
            Side::Sender => self.flow.sender.as_ref(),
            Side::Receiver => self.flow.receiver.as_ref(),
        };
        let is_of_time = matches!(metric, Metric::Throughput | Metric::Pps | Metric::Duration);
        whole.filter(|_| is_of_time && self.list().len() == self.flow.streams.len())
    }

    /// What each stream says about a part of the run. A stream without datagrams in that time has no latency or loss
    /// to add to those of the others; but a sum with an unknown part is no sum.
    fn part_figures(self, metric: Metric, side: Side, part: &Part) -> Result<Vec<Figure>, String> {
        let figures: Vec<Figure> = part
            .streams
            .iter()
            .filter_map(|measurement| figure(metric, side, measurement))
            .collect();
        let complete = figures.len() == part.streams.len();
        if figures.is_empty() || (metric.facts().over_streams == OverStreams::Sum && !complete) {
            return Err(self.absent(metric, side));
        }
        Ok(figures)
    }

    fn absent(self, metric: Metric, side: Side) -> String {
        let hint = match (metric.facts().traffic, self.flow.transport, metric) {
            (Traffic::Udp, Transport::Tcp, _) => "it needs a UDP flow",
            (Traffic::Tcp, Transport::Udp, _) => "it needs a TCP flow",
            (Traffic::TripTimes, ..) => "set `trip-times: true`, and send until something arrives",
            (.., Metric::Duplicates) => {
                "an iperf server reports them together with `out-of-order`; run the server with linerate"
            }
            (.., Metric::ReceivedDscp | Metric::ReceivedEcnCe | Metric::ReceivedTtl) => {
                "run that end with linerate on a system that tells how datagrams are marked"
            }
            (.., Metric::Jitter) => "it needs at least two datagrams, so send for longer or faster",
            (.., Metric::Throughput | Metric::Pps) => "a rate needs time, so send for longer",
            (.., Metric::Loss) => "no datagram was due in that time, so send for longer or faster",
            _ => "run that end with linerate",
        };
        format!("the {side} of `{}` measured no {metric}: {hint}", self.flow.name)
    }

    /// One value from the figures of the streams, with the statistic of its samples.
    fn conclude(self, measure: &Measure, side: Side, figures: Vec<Figure>) -> Answer {
        let metric = measure.metric;
        let absent = || self.absent(metric, side);
        let joined = over_streams(metric, figures).ok_or_else(absent)?;
        if let Some(marks) = joined.marks() {
            return Ok(of_marks(measure.stat, marks));
        }
        let Some(samples) = joined.samples() else {
            let value = joined.scalar().ok_or_else(absent)?;
            return Ok(Measured { value, samples: None, doubt: None, range: None, each: None });
        };
        let stat = measure.stat.unwrap_or(Stat::Mean);
        let value = of_distribution(stat, samples).ok_or_else(|| {
            format!(
                "only mean, min, max and stdev of the {metric} of `{}` are known, not {stat}: run the server with \
                 linerate",
                self.flow.name
            )
        })?;
        let doubt = trust::doubtful_clocks(self.flow, self.way, samples)
            .or_else(|| trust::too_few(stat, samples.samples));
        Ok(Measured { value, samples: Some(samples.samples), doubt, range: None, each: None })
    }

    /// A statistic in which each recorded interval is a sample.
    fn over_intervals(
        self,
        metric: Metric,
        side: Side,
        stat: Stat,
        during: Option<&During>,
    ) -> Answer {
        let parts = self.series(side, during)?.intervals();
        let plain = Measure { stat: None, flow: None, way: None, side: Some(side), metric };
        let values = parts.iter().map(|part| {
            self.told_part(&plain, part)
                .map(|measured| measured.value)
                .map_err(|why| format!("{why} ({:.2} to {:.2} s)", part.start, part.end))
        });
        of_values(stat, values.collect::<Result<_, _>>()?).ok_or_else(|| {
            format!("`{}` ran for less than one interval: run longer", self.flow.name)
        })
    }

    /// Known per connection, whichever way the data goes.
    fn connect_time(self, stat: Option<Stat>) -> Answer {
        let list = self.list();
        let times: Option<Vec<f64>> = list.iter().map(|stream| stream.connect_seconds).collect();
        let times = times.filter(|times| !times.is_empty()).ok_or_else(|| {
            format!(
                "the connect time of `{}` was not measured: it needs a TCP connection",
                self.flow.name
            )
        })?;
        let slowest = || Measured {
            value: times.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            samples: None,
            doubt: None,
            range: None,
            each: None,
        };
        match stat {
            None => Ok(slowest()),
            Some(stat) => of_values(stat, times.clone())
                .ok_or_else(|| format!("`{}` has no connections", self.flow.name)),
        }
    }
}

/// Without a statistic every datagram is compared.
fn of_marks(stat: Option<Stat>, marks: &MarkValues) -> Measured {
    let samples = Some(marks.total());
    match stat {
        None => {
            let value = marks.most_frequent();
            Measured { value, samples, doubt: None, range: None, each: Some(marks.clone()) }
        }
        Some(stat) => {
            let doubt = trust::too_few(stat, marks.total());
            Measured { value: marks.statistic(stat), samples, doubt, range: None, each: None }
        }
    }
}

impl Measured {
    /// Takes the value that the same figures would have if they were told otherwise.
    fn widen(&mut self, other: Option<Self>, uncertainty: &Uncertainty) {
        let Some(other) = other.filter(|other| other.value != self.value) else { return };
        let range = self.range.take();
        let (low, high) = range.map_or((self.value, self.value), |range| (range.low, range.high));
        self.range = Some(Range {
            low: low.min(other.value),
            high: high.max(other.value),
            why: uncertainty.to_string(),
        });
    }

    fn doubting(self, doubt: Option<String>) -> Self {
        Self { doubt: self.doubt.or(doubt), ..self }
    }

    /// Why nothing can be said about this limit: a doubt about the figure, or a range that the limit divides.
    pub(super) fn doubt_about(&self, limit: &Limit, dimension: Dimension) -> Option<String> {
        self.doubt.clone().or_else(|| {
            let range =
                self.range.as_ref().filter(|range| !limit.settles(range.low, range.high))?;
            let (low, high) = (dimension.format(range.low), dimension.format(range.high));
            Some(format!("{}: it may be anything from {low} to {high}", range.why))
        })
    }

    /// The value that decides about a limit: where every datagram is compared, the worst one.
    pub(super) fn against(&self, limit: &Limit) -> f64 {
        let each = self.each.as_ref().map(|marks| marks.values());
        let worst = each.and_then(|values| {
            values.reduce(|worst, value| if limit.is_worse(value, worst) { value } else { worst })
        });
        worst.unwrap_or(self.value)
    }
}

/// `None` when the histogram is missing.
fn of_distribution(stat: Stat, samples: &Distribution) -> Option<f64> {
    match stat {
        Stat::Mean => Some(samples.mean_seconds),
        Stat::Min => Some(samples.min_seconds),
        Stat::Max => Some(samples.max_seconds),
        Stat::Stdev => Some(samples.stdev_seconds),
        Stat::Median => samples.percentile(50.0),
        Stat::Percentile(percent) => samples.percentile(percent),
    }
}

/// A statistic of exact values, percentiles by nearest rank; `None` without values.
fn of_values(stat: Stat, mut values: Vec<f64>) -> Option<Measured> {
    values.sort_by(f64::total_cmp);
    let n = count(values.len() as u64);
    let mean = values.iter().sum::<f64>() / n;
    let squares = || values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    let (min, max) = (*values.first()?, *values.last()?);
    let value = match stat {
        Stat::Mean => mean,
        Stat::Min => min,
        Stat::Max => max,
        Stat::Stdev => (squares() / (n - 1.0).max(1.0)).sqrt(),
        Stat::Median => *nearest_rank(&values, 50.0)?,
        Stat::Percentile(percent) => *nearest_rank(&values, percent)?,
    };
    let samples = values.len() as u64;
    let doubt = trust::too_few(stat, samples);
    Some(Measured { value, samples: Some(samples), doubt, range: None, each: None })
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the rank is not negative; a cast from f64 saturates"
)]
fn nearest_rank(sorted: &[f64], percent: f64) -> Option<&f64> {
    // The tolerance keeps 0.95 · 20 from becoming rank 20.
    let rank = (percent / 100.0 * count(sorted.len() as u64) - 1e-9).ceil() as usize;
    sorted.get(rank.clamp(1, sorted.len().max(1)) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_of_values_match_hand_computed_ones() {
        // NIST: mean 5, sum of squared deviations 32, n = 8.
        let values = vec![2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        let of = |stat| of_values(stat, values.clone()).unwrap();
        assert_eq!(of(Stat::Mean).value, 5.0);
        assert!((of(Stat::Stdev).value - (32.0_f64 / 7.0).sqrt()).abs() < 1e-12);
        assert_eq!((of(Stat::Min).value, of(Stat::Max).value), (2.0, 9.0));
        assert_eq!(of(Stat::Median).value, 4.0);
        assert_eq!(of(Stat::Percentile(75.0)).value, 5.0);
        assert_eq!(of(Stat::Percentile(75.1)).value, 7.0);
        assert_eq!(of(Stat::Mean).samples, Some(8));
        assert!(of(Stat::Median).doubt.is_none());
        assert!(
            of(Stat::Percentile(95.0))
                .doubt
                .unwrap()
                .starts_with("p95 needs at least 20 samples and there are 8")
        );
        assert!(of_values(Stat::Mean, Vec::new()).is_none());
        let single = of_values(Stat::Stdev, vec![1.0]).unwrap();
        assert_eq!(single.value, 0.0);
        assert!(single.doubt.is_some());
    }

    #[test]
    fn ranks_are_not_moved_by_rounding() {
        let values: Vec<f64> = (1..=20).map(f64::from).collect();
        assert_eq!(nearest_rank(&values, 95.0), Some(&19.0));
        assert_eq!(nearest_rank(&values, 5.0), Some(&1.0));
        assert_eq!(nearest_rank(&values, 100.0), Some(&20.0));
        assert_eq!(nearest_rank(&[], 50.0), None);
    }
}
