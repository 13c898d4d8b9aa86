use std::fmt;

use super::Expression;

/// What the metric is compared with.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// `operator limit`.
    Compare(Operator, Expression),
    /// `between low and high`, both included.
    Between(Expression, Expression),
}

/// A comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
}

impl Operator {
    pub(super) const ALL: [Self; 6] = [
        Self::Less,
        Self::LessOrEqual,
        Self::Greater,
        Self::GreaterOrEqual,
        Self::Equal,
        Self::NotEqual,
    ];

    /// As it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Equal => "==",
            Self::NotEqual => "!=",
        }
    }

    /// Whether `measured` and `limit` are in this relation; never with a number that is not one.
    #[must_use]
    #[expect(
        clippy::float_cmp,
        reason = "`==` is exact by definition; it is meant for counts and sizes"
    )]
    pub fn holds(self, measured: f64, limit: f64) -> bool {
        match self {
            _ if measured.is_nan() || limit.is_nan() => false,
            Self::Less => measured < limit,
            Self::LessOrEqual => measured <= limit,
            Self::Greater => measured > limit,
            Self::GreaterOrEqual => measured >= limit,
            Self::Equal => measured == limit,
            Self::NotEqual => measured != limit,
        }
    }
}

impl Condition {
    /// The expressions on the right side.
    pub fn expressions(&self) -> impl Iterator<Item = &Expression> {
        let (first, second) = match self {
            Self::Compare(_, limit) => (limit, None),
            Self::Between(low, high) => (low, Some(high)),
        };
        std::iter::once(first).chain(second)
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Compare(operator, limit) => write!(f, "{operator} {limit}"),
            Self::Between(low, high) => write!(f, "between {low} and {high}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_compare_exactly() {
        use Operator::*;
        let table = [
            (Less, [true, false, false]),
            (LessOrEqual, [true, true, false]),
            (Greater, [false, false, true]),
            (GreaterOrEqual, [false, true, true]),
            (Equal, [false, true, false]),
            (NotEqual, [true, false, true]),
        ];
        for (operator, expected) in table {
            assert_eq!([1.0, 2.0, 3.0].map(|measured| operator.holds(measured, 2.0)), expected);
            assert!(!operator.holds(f64::NAN, 2.0) && !operator.holds(2.0, f64::NAN));
        }
    }
}
