use std::fmt;
use std::time::Duration;

use super::Located;
use crate::units::Quantity;

/// What follows the comparison; each at most once.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Clauses {
    /// `during 5s..25s`: only these intervals count.
    pub during: Option<Located<During>>,
    /// `for each …`: one comparison for each.
    pub each: Option<Located<Each>>,
    /// `for 95% of 1s windows`: so many of the windows must hold.
    pub windows: Option<Located<Windows>>,
}

/// A span of time from the start of the streams.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct During {
    /// Its start.
    pub from: Quantity,
    /// Its end, after the start.
    pub to: Quantity,
}

/// What gets a comparison of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Each {
    /// Each connection of the flow.
    Stream,
    /// Each flow of the test.
    Flow,
    /// Each recorded interval.
    Interval,
}

/// A share of windows of equal length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Windows {
    /// The share that must hold, a percentage above 0 and at most 100.
    pub share: Quantity,
    /// Length of a window, a multiple of the recorded interval.
    pub length: Quantity,
}

impl Windows {
    /// The length, to the nanosecond.
    #[must_use]
    pub fn length(&self) -> Duration {
        Duration::try_from_secs_f64(self.length.si()).unwrap_or(Duration::MAX)
    }
}

impl fmt::Display for During {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "during {}..{}", self.from, self.to)
    }
}

impl fmt::Display for Each {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stream => "for each stream",
            Self::Flow => "for each flow",
            Self::Interval => "for each interval",
        })
    }
}

impl fmt::Display for Windows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "for {} of {} windows", self.share, self.length)
    }
}

/// Each clause with a space before it.
impl fmt::Display for Clauses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(during) = &self.during {
            write!(f, " {during}")?;
        }
        if let Some(each) = &self.each {
            write!(f, " {each}")?;
        }
        if let Some(windows) = &self.windows {
            write!(f, " {windows}")?;
        }
        Ok(())
    }
}
