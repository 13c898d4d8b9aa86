use std::io::{self, ErrorKind, Write};

use anstyle::AnsiColor;

use super::CommandError;
use crate::display::{Color, ColorChoice, Surface};

/// The standard streams of this process.
///
/// Standard output carries what was asked for, standard error everything else. A reader that closes standard output
/// early (`| head`) has seen enough: the rest is dropped without a word and changes no exit code.
#[derive(Debug, Clone, Copy)]
pub(super) struct Console {
    pub(super) stdout: Surface,
    pub(super) stderr: Surface,
}

impl Console {
    pub(super) fn new(choice: ColorChoice) -> Self {
        Self { stdout: Surface::stdout(choice), stderr: Surface::stderr(choice) }
    }

    /// Writes to standard output.
    pub(super) fn print(&self, bytes: impl AsRef<[u8]>) -> Result<(), CommandError> {
        let mut stdout = io::stdout().lock();
        match stdout.write_all(bytes.as_ref()).and_then(|()| stdout.flush()) {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                Err(CommandError::Stdout { reason: error.to_string() })
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Writes a line to standard error. What cannot be written there can be told nowhere.
    pub(super) fn remark(&self, text: &str) {
        let _ = writeln!(io::stderr(), "{text}");
    }

    /// Tells why a command did not do what it should.
    pub(super) fn complain(&self, error: &CommandError) {
        let style = AnsiColor::Red.on_default().bold();
        let label = match self.stderr.color {
            Color::Ansi => format!("{style}error{style:#}"),
            Color::Plain => "error".to_owned(),
        };
        self.remark(&format!("{label}: {error}"));
    }
}

/// A value as indented JSON with a final line break.
pub(super) fn json_text(value: &impl serde::Serialize) -> Result<String, CommandError> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| CommandError::Render { reason: error.to_string() })?;
    Ok(text + "\n")
}
