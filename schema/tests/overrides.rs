//! Variables from the command line, the environment and files take the place of those of the scenario.

use linerate_schema::diagnostic::{Coloring, Level};
use linerate_schema::scenario::Scenario;
use linerate_schema::{Overrides, UNKNOWN_OVERRIDE, read_text};

const SCENARIO: &str = "\
linerate: 1
vars:
  rate: 5 Mbit/s
  streams: 1
  double: '{{ 2 * streams }}'
  sizes: [64]
tests:
  - name: '{{ streams }} of {{ rate }}'
    matrix: { size: '{{ sizes }}' }
    client: { server: {}, bitrate: '{{ rate }}', parallel: '{{ double }}', length: '{{ size }}K' }
";

fn scenario(overrides: &Overrides) -> Scenario {
    let outcome = read_text("a.yaml", SCENARIO, overrides);
    outcome.scenario.unwrap_or_else(|| panic!("{:?}", outcome.diagnostics))
}

fn ids(overrides: &Overrides) -> Vec<String> {
    scenario(overrides).cases.into_iter().map(|case| case.id).collect()
}

#[test]
fn an_override_is_seen_by_the_variables_after_it() {
    let mut overrides = Overrides::default();
    overrides.set("streams", "4", "--var sets");
    let scenario = scenario(&overrides);
    assert_eq!(scenario.cases[0].test, "4 of 5 Mbit/s");
    let parallel = scenario.cases[0].flows[0].options.parallel.as_ref();
    assert_eq!(parallel.map(|parallel| parallel.value), Some(8));
}

#[test]
fn what_is_set_later_wins() {
    let mut overrides = Overrides::default();
    let environment =
        [("PATH", "/bin"), ("LINERATE_VAR_rate", "6m"), ("LINERATE_VAR_streams", "2")];
    overrides.set_from_environment(environment.map(|(name, value)| (name.into(), value.into())));
    assert_eq!(ids(&overrides), ["2 of 6m [size=64]"]);
    overrides.set("rate", "7m", "--var sets");
    assert_eq!(ids(&overrides), ["2 of 7m [size=64]"]);
}

#[test]
fn a_file_may_set_lists() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("vars.yaml");
    std::fs::write(&path, "sizes: [1, 2]\nrate: 8m\n").unwrap();
    let mut overrides = Overrides::default();
    overrides.set_from_file(&path).unwrap();
    assert_eq!(ids(&overrides), ["1 of 8m [size=1]", "1 of 8m [size=2]"]);
}

#[test]
fn a_file_of_variables_shows_all_its_problems() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("vars.yaml");
    std::fs::write(&path, "rate: 1\nrate: 2\nsize: '{{ x }}'\n").unwrap();
    let (diagnostics, source) = Overrides::default().set_from_file(&path).unwrap_err();
    let found: Vec<_> = diagnostics.iter().map(|d| (d.code, d.span.unwrap().line)).collect();
    assert_eq!(found, [("duplicate-key", 2), ("undefined-variable", 3)]);
    assert_eq!(source.name(), path.display().to_string());

    std::fs::write(&path, "- rate\n").unwrap();
    assert!(Overrides::default().set_from_file(&path).is_err());
    assert!(Overrides::default().set_from_file(folder.path()).is_err());
}

#[test]
fn an_override_without_its_variable_is_an_error_with_a_suggestion() {
    let mut overrides = Overrides::default();
    overrides.set("rat", "5m", "--var sets");
    let outcome = read_text("a.yaml", SCENARIO, &overrides);
    insta::assert_snapshot!(outcome.render(Coloring::Plain), @r"
    error[unknown-override]: --var sets rat, but the scenario has no variable of this name
    --> a.yaml
     = help: did you mean `rate`?
    ");
    assert!(outcome.scenario.is_none());

    overrides.tolerate_unknown();
    let outcome = read_text("a.yaml", SCENARIO, &overrides);
    assert_eq!(outcome.diagnostics[0].code, UNKNOWN_OVERRIDE);
    assert_eq!(outcome.diagnostics[0].level, Level::Warning);
    assert!(outcome.scenario.is_some());
}

#[test]
fn text_that_looks_like_a_number_keeps_its_spelling_where_text_is_wanted() {
    let mut overrides = Overrides::default();
    overrides.set("rate", "1e7", "--var sets");
    assert_eq!(ids(&overrides), ["1 of 1e7 [size=64]"]);
}

#[test]
fn a_variable_of_a_matrix_is_not_set_from_outside() {
    let mut overrides = Overrides::default();
    overrides.set("size", "7", "--var sets");
    let outcome = read_text("a.yaml", SCENARIO, &overrides);
    assert!(outcome.scenario.is_none());
    let picture = outcome.render(Coloring::Plain);
    assert!(picture.contains("--var sets size, but this is a variable of a matrix"), "{picture}");
    assert!(picture.contains("declare its list under `vars`"), "{picture}");
}

#[test]
fn a_file_may_set_mappings() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("vars.yaml");
    std::fs::write(&path, "rate: { slow: 8m }\n").unwrap();
    let mut overrides = Overrides::default();
    overrides.set_from_file(&path).unwrap();
    let text = SCENARIO.replace("{{ rate }}", "{{ rate.slow }}");
    let scenario = read_text("a.yaml", &text, &overrides).scenario.expect("it is fine");
    assert_eq!(scenario.cases[0].test, "1 of 8m");
    let outcome = read_text("a.yaml", SCENARIO, &overrides);
    let messages: Vec<_> = outcome.diagnostics.iter().map(|d| d.message.as_str()).collect();
    assert!(messages.iter().all(|message| message.contains("map")), "{messages:?}");
}
