use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use linerate_schema::is_meant_as_scenario;

use super::CommandError;

/// The scenario files that a command line names.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ScenarioFiles {
    /// The files, each once, in the order of the command line; those of a folder by name.
    pub(super) files: Vec<PathBuf>,
    /// YAML files of folders that do not look like scenarios.
    pub(super) left_out: Vec<PathBuf>,
    /// Whether the command line names one file, or may name several.
    pub(super) naming: Naming,
}

/// How the command line names scenarios. Decided by its form and not by the number of files, so that the names in
/// reports stay the same when a folder gains its second scenario.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Naming {
    /// By a single file.
    #[default]
    OneFile,
    /// By a folder, or by several paths.
    Several,
}

impl ScenarioFiles {
    /// Finds the scenarios of `paths`. A folder stands for the files `*.yaml` and `*.yml` directly in it that are meant
    /// as scenarios, broken ones included; its subfolders and hidden files are not looked at.
    pub(super) fn find(paths: &[PathBuf]) -> Result<Self, CommandError> {
        let mut found = Self::default();
        let mut seen = HashSet::new();
        let several = paths.len() > 1 || paths.iter().any(|path| path.is_dir());
        found.naming = if several { Naming::Several } else { Naming::OneFile };
        for path in paths {
            let (files, left_out) = if path.is_dir() {
                folder(path).map_err(|error| CommandError::Folder {
                    path: path.clone(),
                    reason: error.to_string(),
                })?
            } else {
                (vec![path.clone()], Vec::new())
            };
            if files.is_empty() {
                return Err(CommandError::EmptyFolder { path: path.clone() });
            }
            let identity = |file: &PathBuf| fs::canonicalize(file).unwrap_or_else(|_| file.clone());
            found.files.extend(files.into_iter().filter(|file| seen.insert(identity(file))));
            found.left_out.extend(left_out);
        }
        Ok(found)
    }
}

/// The scenarios of a folder, and its other YAML files.
fn folder(path: &Path) -> io::Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(path)? {
        let file = entry?.path();
        let hidden = file.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        let yaml = file.extension().is_some_and(|ending| {
            ["yaml", "yml"].iter().any(|name| ending.eq_ignore_ascii_case(name))
        });
        if yaml && !hidden && !file.is_dir() {
            files.push(file);
        }
    }
    files.sort();
    Ok(files.into_iter().partition(|file| is_meant_as_scenario(file)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("inside the folder")).expect("writable");
            fs::write(path, text).expect("writable");
        }
        folder
    }

    fn names(files: &[PathBuf], folder: &Path) -> Vec<String> {
        let relative =
            |file: &PathBuf| file.strip_prefix(folder).expect("inside").display().to_string();
        files.iter().map(relative).collect()
    }

    #[test]
    fn a_folder_gives_its_scenarios_by_name_and_tells_which_files_are_none() {
        let folder = tree(&[
            ("b.yaml", "# comment\nlinerate: 1\n"),
            ("a.yml", "{\"linerate\": 1}"),
            ("hosts.yaml", "hosts: {}\nvars:\n  linerate: 1\n"),
            ("LOUD.YAML", "linerate: 1\n"),
            ("notes.txt", "linerate: 1"),
            (".hidden.yaml", "linerate: 1"),
            ("deeper/c.yaml", "linerate: 1"),
        ]);
        let found = ScenarioFiles::find(&[folder.path().to_owned()]).expect("readable");
        assert_eq!(names(&found.files, folder.path()), ["LOUD.YAML", "a.yml", "b.yaml"]);
        assert_eq!(names(&found.left_out, folder.path()), ["hosts.yaml"]);
        assert_eq!(found.naming, Naming::Several);
    }

    #[test]
    fn a_file_that_is_named_twice_runs_once() {
        let folder = tree(&[("a.yaml", "linerate: 1"), ("b.yaml", "linerate: 1")]);
        let paths = [folder.path().join("b.yaml"), folder.path().to_owned()];
        let found = ScenarioFiles::find(&paths).expect("readable");
        assert_eq!(names(&found.files, folder.path()), ["b.yaml", "a.yaml"]);
    }

    #[test]
    fn a_single_file_is_taken_whatever_it_is_called() {
        let folder = tree(&[("scenario.txt", "tests: []")]);
        let found = ScenarioFiles::find(&[folder.path().join("scenario.txt")]).expect("readable");
        assert_eq!(names(&found.files, folder.path()), ["scenario.txt"]);
        assert_eq!(found.naming, Naming::OneFile);
    }

    #[test]
    fn a_folder_without_scenarios_is_an_error() {
        let folder = tree(&[("hosts.yaml", "hosts: {}")]);
        let error = ScenarioFiles::find(&[folder.path().to_owned()]).expect_err("nothing to run");
        assert!(matches!(error, CommandError::EmptyFolder { .. }));
    }
}
