use std::fmt;

use super::{Located, Metric, Side, Stat};
use crate::scenario::Way;
use crate::units::{Dimension, Dscp, Quantity};

/// A metric as an assertion names it: `p95(call.reverse.receiver.latency)`.
#[derive(Debug, Clone, PartialEq)]
pub struct Measure {
    /// The statistic.
    pub stat: Option<Stat>,
    /// The flow; absent when the test has only one, or with `for each flow`.
    pub flow: Option<Located<String>>,
    /// The way that the data goes, as written; a flow that sends both ways needs it.
    pub way: Option<Way>,
    /// The end, as written.
    pub side: Option<Side>,
    /// The metric.
    pub metric: Metric,
}

/// The right side of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub enum Expression {
    /// A number with its unit.
    Quantity(Located<Quantity>),
    /// A DSCP; never part of a calculation.
    Dscp(Located<Dscp>),
    /// Another metric.
    Measure(Located<Measure>),
    /// The largest of several; at least two.
    Max(Vec<Expression>),
    /// The smallest of several; at least two.
    Min(Vec<Expression>),
    /// `a + b`.
    Sum(Box<Expression>, Box<Expression>),
    /// `a - b`.
    Difference(Box<Expression>, Box<Expression>),
    /// A plain number or percentage times something.
    Product(Located<Quantity>, Box<Expression>),
}

impl Measure {
    /// The end whose figure is meant; `None` for what only the client knows.
    #[must_use]
    pub fn side(&self) -> Option<Side> {
        self.side.or(self.metric.default_side())
    }
}

impl Expression {
    /// The metrics in it, left to right.
    #[must_use]
    pub fn measures(&self) -> Vec<&Located<Measure>> {
        match self {
            Self::Quantity(_) | Self::Dscp(_) => Vec::new(),
            Self::Measure(measure) => vec![measure],
            Self::Max(items) | Self::Min(items) => items.iter().flat_map(Self::measures).collect(),
            Self::Sum(a, b) | Self::Difference(a, b) => [a.measures(), b.measures()].concat(),
            Self::Product(_, operand) => operand.measures(),
        }
    }

    /// Its value in SI units when it names no metric.
    #[must_use]
    pub fn constant(&self) -> Option<f64> {
        self.evaluate(&mut |_| Err(())).ok()
    }

    /// Its value in SI units, with the value of each metric from `measured`; the first error ends it.
    ///
    /// # Errors
    /// What `measured` returns.
    pub fn evaluate<E>(
        &self,
        measured: &mut impl FnMut(&Measure) -> Result<f64, E>,
    ) -> Result<f64, E> {
        Ok(match self {
            Self::Quantity(quantity) => quantity.si(),
            Self::Dscp(dscp) => f64::from(dscp.number()),
            Self::Measure(measure) => measured(measure)?,
            Self::Max(items) => {
                let mut values = items.iter().map(|item| item.evaluate(measured));
                values.try_fold(f64::NEG_INFINITY, |max, value| value.map(|v| max.max(v)))?
            }
            Self::Min(items) => {
                let mut values = items.iter().map(|item| item.evaluate(measured));
                values.try_fold(f64::INFINITY, |min, value| value.map(|v| min.min(v)))?
            }
            Self::Sum(a, b) => a.evaluate(measured)? + b.evaluate(measured)?,
            Self::Difference(a, b) => a.evaluate(measured)? - b.evaluate(measured)?,
            Self::Product(factor, operand) => factor.si() * operand.evaluate(measured)?,
        })
    }

    /// Whether it must be put in brackets as an operand of `*`, or behind `-`.
    fn is_sum(&self) -> bool {
        matches!(self, Self::Sum(..) | Self::Difference(..))
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(stat) = self.stat {
            write!(f, "{stat}(")?;
        }
        if let Some(flow) = &self.flow {
            write!(f, "{flow}.")?;
        }
        if let Some(way) = self.way {
            write!(f, "{way}.")?;
        }
        if let Some(side) = self.side {
            write!(f, "{side}.")?;
        }
        write!(f, "{}", self.metric)?;
        if self.stat.is_some() { f.write_str(")") } else { Ok(()) }
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Quantity(quantity) => quantity.fmt(f),
            Self::Dscp(dscp) => dscp.fmt(f),
            Self::Measure(measure) => measure.fmt(f),
            Self::Max(items) => call(f, "max", items),
            Self::Min(items) => call(f, "min", items),
            Self::Sum(a, b) => write!(f, "{a} + {}", Operand(b)),
            Self::Difference(a, b) => write!(f, "{a} - {}", Operand(b)),
            Self::Product(factor, operand) => write!(f, "{factor} * {}", Operand(operand)),
        }
    }
}

fn call(f: &mut fmt::Formatter<'_>, name: &str, items: &[Expression]) -> fmt::Result {
    let items: Vec<String> = items.iter().map(Expression::to_string).collect();
    write!(f, "{name}({})", items.join(", "))
}

/// An expression behind an operator that binds at least as tightly.
struct Operand<'a>(&'a Expression);

impl fmt::Display for Operand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_sum() { write!(f, "({})", self.0) } else { self.0.fmt(f) }
    }
}

/// Where a quantity of another dimension than wanted stands in an expression.
pub(super) enum Mismatch<'a> {
    /// A number, with or without unit.
    Quantity(&'a Located<Quantity>),
    /// A metric.
    Measure(&'a Located<Measure>),
}

impl Expression {
    /// The first part whose dimension is not `wanted`.
    pub(super) fn mismatch(&self, wanted: Dimension) -> Option<Mismatch<'_>> {
        match self {
            Self::Quantity(quantity) => {
                (quantity.dimension() != wanted).then_some(Mismatch::Quantity(quantity))
            }
            // Only a DSCP is compared with one.
            Self::Dscp(_) => None,
            Self::Measure(measure) => {
                (measure.metric.dimension() != wanted).then_some(Mismatch::Measure(measure))
            }
            Self::Max(items) | Self::Min(items) => {
                items.iter().find_map(|item| item.mismatch(wanted))
            }
            Self::Sum(a, b) | Self::Difference(a, b) => {
                a.mismatch(wanted).or_else(|| b.mismatch(wanted))
            }
            Self::Product(_, operand) => operand.mismatch(wanted),
        }
    }
}
