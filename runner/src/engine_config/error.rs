use std::fmt;

/// Why options make no configuration. `Display` names the option and says what to write instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigError {
    /// An option that only TCP has, on a UDP flow.
    TcpOnly {
        /// The option's key.
        option: &'static str,
    },
    /// An option that only UDP has, on a TCP flow.
    UdpOnly {
        /// The option's key.
        option: &'static str,
    },
    /// Two options that exclude each other.
    Conflict {
        /// One option's key.
        first: &'static str,
        /// The other option's key.
        second: &'static str,
        /// What to do.
        help: &'static str,
    },
    /// A value that the protocol or the system cannot hold.
    OutOfRange {
        /// The option's key.
        option: &'static str,
        /// What was given.
        given: String,
        /// What is possible.
        possible: String,
    },
    /// A text that is no address.
    NotAnAddress {
        /// The option's key.
        option: &'static str,
        /// What was given.
        given: String,
    },
    /// An address of the wrong family.
    WrongFamily {
        /// The option's key.
        option: &'static str,
        /// What was given.
        given: String,
    },
    /// An option without the one that it builds on.
    Needs {
        /// The option's key.
        option: &'static str,
        /// What is missing.
        needs: &'static str,
    },
    /// A fresh key for a server that nobody here starts.
    KeyForExternalServer,
    /// A flow on a host where nothing of ours runs.
    ClientOnExternalHost {
        /// The host's name.
        host: String,
    },
    /// A host that the scenario does not name.
    UnknownHost {
        /// The host's name.
        host: String,
    },
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TcpOnly { option } => {
                write!(f, "{option} is a TCP option: remove it, or use transport: tcp")
            }
            Self::UdpOnly { option } => {
                write!(f, "{option} is a UDP option: remove it, or use transport: udp")
            }
            Self::Conflict { first, second, help } => {
                write!(f, "{first} and {second} exclude each other: {help}")
            }
            Self::OutOfRange { option, given, possible } => {
                write!(f, "{option} cannot be {given}: use {possible}")
            }
            Self::NotAnAddress { option, given } => write!(
                f,
                "{option} {given:?} is no address: write an IP address of this host, with a port or an interface if \
                 needed (192.0.2.1, 192.0.2.1:6001, [2001:db8::1]:6001, 192.0.2.1%eth1, %eth1)"
            ),
            Self::WrongFamily { option, given } => write!(
                f,
                "{option} {given} and the server's address are of different families: give both as IPv4 or both as \
                 IPv6"
            ),
            Self::Needs { option, needs } => write!(f, "{option} needs {needs}"),
            Self::KeyForExternalServer => f.write_str(
                "permit-key: auto needs a server that linerate starts: write the key that the external server has",
            ),
            Self::ClientOnExternalHost { host } => write!(
                f,
                "host {host} is external and runs no client: run the flow on another host and use {host} as its server"
            ),
            Self::UnknownHost { host } => {
                write!(f, "host {host} is not in the scenario: add it under hosts")
            }
        }
    }
}

impl std::error::Error for ConfigError {}
