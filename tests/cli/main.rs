//! The program as its users see it: arguments in, exit code, standard output, standard error and files out.
//!
//! Traffic stays on the loopback interface. Figures differ from run to run, so transcripts are compared with what was
//! measured masked out; see `bench`. `tests/run.sh` builds the program before these tests; `cargo test -p
//! linerate-tests --test cli` alone needs `cargo build -p linerate` first.

mod bench;
mod documents;
mod exit_codes;
mod help;
mod interruption;
mod mistakes;
mod paths;
mod reports;
mod streams;
mod variables;
