use std::ops::RangeInclusive;

/// The numbers that an option takes whose type could hold more.
const RANGES: &[(&str, RangeInclusive<u32>)] =
    &[("linerate", 1..=1), ("mss", 88..=65_495), ("parallel", 1..=1000), ("ttl", 1..=255)];

/// The numbers that the option of this name takes.
pub(super) fn range_of(key: &str) -> Option<&'static RangeInclusive<u32>> {
    RANGES.iter().find(|(name, _)| *name == key).map(|(_, range)| range)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::RANGES;
    use crate::json_schema::scenario_schema;

    #[test]
    fn the_ranges_are_those_of_the_schema() {
        let schema = scenario_schema();
        for (key, range) in RANGES {
            let property = match *key {
                "linerate" => &schema["properties"][key],
                _ => &schema["$defs"]["ClientOptions"]["properties"][key],
            };
            let choice = &property["anyOf"][0];
            assert_eq!(choice["minimum"], json!(range.start()), "{key}");
            assert_eq!(choice["maximum"], json!(range.end()), "{key}");
        }
    }
}
