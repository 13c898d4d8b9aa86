use std::io::IsTerminal;

/// When to use colors, as chosen with `--color`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless NO_COLOR, CLICOLOR=0 or TERM=dumb is set; elsewhere with CLICOLOR_FORCE=1
    #[default]
    Auto,
    /// Always, also into files and pipes
    Always,
    /// Never
    Never,
}

/// Whether text carries ANSI escape sequences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Color {
    /// It does.
    Ansi,
    /// It does not.
    Plain,
}

/// The characters that a reader's terminal can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charset {
    /// Any.
    Unicode,
    /// Only ASCII.
    Ascii,
}

/// What is at the other end of a stream that we write to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// A person at a terminal that can redraw lines.
    Terminal,
    /// A file, a pipe, or a terminal that only appends.
    Pipe,
}

/// How to write to one of the standard streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Surface {
    /// Colors or none.
    pub color: Color,
    /// The characters that may be used.
    pub charset: Charset,
    /// Who reads.
    pub reader: Reader,
}

impl Surface {
    /// Standard output, as the environment describes it.
    #[must_use]
    pub fn stdout(choice: ColorChoice) -> Self {
        Self::new(std::io::stdout().is_terminal(), choice, variable)
    }

    /// Standard error, as the environment describes it.
    #[must_use]
    pub fn stderr(choice: ColorChoice) -> Self {
        Self::new(std::io::stderr().is_terminal(), choice, variable)
    }

    /// Decides from whether the stream `is_terminal`, the user's choice and environment variables.
    ///
    /// Colors follow `--color`, then <https://no-color.org>, then `CLICOLOR_FORCE` and `CLICOLOR`
    /// (<https://bixense.com/clicolors/>), then the terminal. Characters follow the locale (`LC_ALL`, `LC_CTYPE`,
    /// `LANG`, the first that is set).
    fn new(
        is_terminal: bool,
        choice: ColorChoice,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Self {
        let dumb = variable("TERM").is_some_and(|term| term == "dumb");
        let color = match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto if variable("NO_COLOR").is_some() => false,
            ColorChoice::Auto if variable("CLICOLOR_FORCE").is_some_and(|force| force != "0") => {
                true
            }
            ColorChoice::Auto if variable("CLICOLOR").is_some_and(|wish| wish == "0") => false,
            ColorChoice::Auto => is_terminal && !dumb,
        };
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(&variable);
        let unicode = locale.is_some_and(|locale| {
            let locale = locale.to_ascii_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        });
        Self {
            color: if color { Color::Ansi } else { Color::Plain },
            charset: if unicode { Charset::Unicode } else { Charset::Ascii },
            reader: if is_terminal && !dumb { Reader::Terminal } else { Reader::Pipe },
        }
    }
}

/// An environment variable that is set and not empty.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn surface(is_terminal: bool, choice: ColorChoice, environment: &[(&str, &str)]) -> Surface {
        Surface::new(is_terminal, choice, |name| {
            environment.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn colors_follow_the_option_then_the_environment_then_the_terminal() {
        use ColorChoice::{Always, Auto, Never};
        for (is_terminal, choice, environment, expected) in [
            (true, Auto, &[][..], Color::Ansi),
            (false, Auto, &[], Color::Plain),
            (true, Never, &[], Color::Plain),
            (false, Always, &[("NO_COLOR", "1")], Color::Ansi),
            (true, Auto, &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")], Color::Plain),
            (false, Auto, &[("CLICOLOR_FORCE", "1")], Color::Ansi),
            (false, Auto, &[("CLICOLOR_FORCE", "0")], Color::Plain),
            (true, Auto, &[("CLICOLOR", "0")], Color::Plain),
            (false, Auto, &[("CLICOLOR", "1")], Color::Plain),
            (true, Auto, &[("TERM", "dumb")], Color::Plain),
        ] {
            let found = surface(is_terminal, choice, environment).color;
            assert_eq!(found, expected, "{is_terminal} {choice:?} {environment:?}");
        }
    }

    #[test]
    fn characters_follow_the_first_locale_variable_that_is_set() {
        for (environment, expected) in [
            (&[][..], Charset::Ascii),
            (&[("LANG", "en_GB.UTF-8")], Charset::Unicode),
            (&[("LANG", "C.utf8")], Charset::Unicode),
            (&[("LANG", "en_GB.UTF-8"), ("LC_ALL", "C")], Charset::Ascii),
            (&[("LC_CTYPE", "de_DE.UTF-8"), ("LANG", "C")], Charset::Unicode),
        ] {
            let found = surface(false, ColorChoice::Auto, environment).charset;
            assert_eq!(found, expected, "{environment:?}");
        }
    }

    #[test]
    fn a_dumb_terminal_is_not_redrawn() {
        let reader = surface(true, ColorChoice::Always, &[("TERM", "dumb")]).reader;
        assert_eq!(reader, Reader::Pipe);
    }
}
