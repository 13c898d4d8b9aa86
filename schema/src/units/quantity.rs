use std::fmt;

use super::{Dimension, Unit, number};

/// A number with its spelled-out unit, as assertions have it; without unit it is a plain number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quantity {
    /// The number as written.
    pub number: f64,
    /// The unit as written.
    pub unit: Option<&'static Unit>,
}

impl Quantity {
    /// What it measures.
    #[must_use]
    pub fn dimension(self) -> Dimension {
        self.unit.map_or(Dimension::Count, Unit::dimension)
    }

    /// The value in the SI unit of its dimension.
    #[must_use]
    pub fn si(self) -> f64 {
        self.unit.map_or(self.number, |unit| unit.to_si(self.number))
    }
}

/// As it is written in an assertion: `50 Mbit/s`, `5%`, `3`.
impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = number::decimal(self.number, 0);
        match self.unit {
            None => f.pad(&number),
            Some(unit) if unit.dimension() == Dimension::Ratio => f.pad(&format!("{number}{unit}")),
            Some(unit) => f.pad(&format!("{number} {unit}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantity_knows_its_si_value_and_prints_as_written() {
        let table = [
            (50.0, Some("Mbit/s"), 50e6, "50 Mbit/s"),
            (0.1, Some("%"), 0.001, "0.1%"),
            (3.0, None, 3.0, "3"),
            (-5.0, Some("ms"), -0.005, "-5 ms"),
        ];
        for (number, symbol, si, text) in table {
            let quantity = Quantity { number, unit: symbol.and_then(Unit::find) };
            assert_eq!((quantity.si(), quantity.to_string().as_str()), (si, text));
        }
    }
}
