use std::fmt;
use std::path::PathBuf;

use linerate_reports::Format;

use crate::exit_code::ExitCode;

/// Why a command could not do what it should. `Display` says what happened and what to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandError {
    /// Scenarios or variable files have mistakes; they were shown.
    Invalid {
        /// Number of mistakes.
        errors: usize,
    },
    /// A folder cannot be listed.
    Folder {
        /// The folder.
        path: PathBuf,
        /// The system's words.
        reason: String,
    },
    /// A folder has no scenario.
    EmptyFolder {
        /// The folder.
        path: PathBuf,
    },
    /// A document and another report are to go to standard output.
    MixedStdout {
        /// The document.
        document: Format,
    },
    /// Two reports are to go to the same file.
    SharedFile {
        /// The file.
        path: PathBuf,
        /// The same file, perhaps spelled otherwise.
        other: PathBuf,
    },
    /// A report is to replace a file that the command reads.
    OverwritesInput {
        /// The file.
        path: PathBuf,
    },
    /// A file cannot be written.
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The system's words.
        reason: String,
    },
    /// A results file cannot be read.
    UnreadableResults {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Standard output cannot be written.
    Stdout {
        /// The system's words.
        reason: String,
    },
    /// A report cannot be made.
    Render {
        /// What the format's writer says.
        reason: String,
    },
    /// Signals cannot be received.
    Signals {
        /// The system's words.
        reason: String,
    },
}

impl CommandError {
    /// The exit code of a command that ends with this error.
    #[must_use]
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Invalid { .. }
            | Self::Folder { .. }
            | Self::EmptyFolder { .. }
            | Self::MixedStdout { .. }
            | Self::SharedFile { .. }
            | Self::OverwritesInput { .. }
            | Self::Unwritable { .. }
            | Self::UnreadableResults { .. } => ExitCode::Usage,
            Self::Stdout { .. } | Self::Render { .. } | Self::Signals { .. } => {
                ExitCode::CouldNotRun
            }
        }
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid { errors: 1 } => f.write_str("1 mistake; nothing was sent"),
            Self::Invalid { errors } => write!(f, "{errors} mistakes; nothing was sent"),
            Self::Folder { path, reason } => {
                write!(f, "cannot list the folder {}: {reason}", path.display())
            }
            Self::EmptyFolder { path } => write!(
                f,
                "no scenario in {}: a scenario is a file *.yaml or *.yml directly in the folder with the key \
                 `linerate: 1`; subfolders are not searched, name them too",
                path.display()
            ),
            Self::MixedStdout { document } => write!(
                f,
                "the {document} report cannot share standard output with another report: \
                 send it to a file with --report {document}=FILE"
            ),
            Self::SharedFile { path, other } if path == other => {
                write!(f, "two reports go to {}: give each its own file", path.display())
            }
            Self::SharedFile { path, other } => write!(
                f,
                "two reports go to one file, {} and {}: give each its own file",
                other.display(),
                path.display()
            ),
            Self::OverwritesInput { path } => write!(
                f,
                "a report would overwrite {}, which this command reads: give the report another file",
                path.display()
            ),
            Self::Unwritable { path, reason } => write!(
                f,
                "cannot write {}: {reason}; choose another place or change its permissions",
                path.display()
            ),
            Self::UnreadableResults { path, reason } => {
                write!(f, "cannot use {}: {reason}", path.display())
            }
            Self::Stdout { reason } => write!(f, "cannot write to standard output: {reason}"),
            Self::Render { reason } => f.write_str(reason),
            Self::Signals { reason } => write!(f, "cannot receive signals: {reason}"),
        }
    }
}

impl std::error::Error for CommandError {}
