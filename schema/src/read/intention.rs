use std::path::Path;

use crate::diagnostic::Findings;
use crate::document::{self, NodeKind};
use crate::source_file::SourceFile;
use crate::suggest::did_you_mean;

/// Whether the YAML file at `path` is meant to be a scenario, perhaps one with mistakes.
///
/// It is when it has the key `linerate`, one that is nearly that, or `tests`. A file that cannot be read, is empty or is
/// not YAML may have been one: taking it for something else would hide the mistake.
#[must_use]
pub fn is_meant_as_scenario(path: &Path) -> bool {
    SourceFile::read(path).map_or(true, |source| is_meant(&source))
}

fn is_meant(source: &SourceFile) -> bool {
    let Some(document) = document::parse(source, &Findings::default()) else { return true };
    let NodeKind::Mapping(entries) = &document.node(document.root()).kind else { return false };
    entries.iter().any(|entry| {
        let key = entry.key.as_str();
        key == "tests" || key == "linerate" || did_you_mean(key, ["linerate"]).is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_with_a_mistake_is_still_meant_as_one() {
        for text in [
            "linerate: 1",
            "\u{feff}\"linerate\" : 1",
            "{ name: x, linerate: 1 }",
            "linrate: 1",
            "Linerate: 1",
            "lineraet: 1\ntests: []",
            "name: x\ntests: []",
            "linerate: 1\ntests: [",
            "",
            "# only a comment\n",
        ] {
            assert!(is_meant(&SourceFile::new("a.yaml", text)), "{text:?}");
        }
    }

    #[test]
    fn another_document_is_none() {
        for text in ["hosts: {}\nvars: { linerate: 1 }", "[1, 2]", "text", "{}", "line: 1"] {
            assert!(!is_meant(&SourceFile::new("a.yaml", text)), "{text:?}");
        }
    }

    #[test]
    fn a_file_that_cannot_be_read_may_be_one() {
        assert!(is_meant_as_scenario(Path::new("/nonexistent/a.yaml")));
    }
}
