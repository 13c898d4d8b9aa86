//! Network namespaces joined by a virtual Ethernet pair, deleted when they go out of scope.

use std::net::Ipv4Addr;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// Two namespaces with one link between them.
#[derive(Debug)]
pub struct Pair {
    /// Name of the first namespace.
    pub left: String,
    /// Name of the second.
    pub right: String,
    /// Address of the first namespace's end.
    pub left_address: Ipv4Addr,
    /// Address of the second namespace's end.
    pub right_address: Ipv4Addr,
    /// Name of the link's end in each namespace.
    pub device: &'static str,
}

impl Pair {
    /// Builds the namespaces and the link.
    ///
    /// # Panics
    /// When a step fails: these tests need root and iproute2, and do not skip.
    #[must_use]
    pub fn new() -> Self {
        static COUNTER: AtomicU32 = AtomicU32::new(0);
        let unique = format!("{}-{}", std::process::id(), COUNTER.fetch_add(1, Ordering::Relaxed));
        let pair = Self {
            left: format!("lrt-{unique}-l"),
            right: format!("lrt-{unique}-r"),
            left_address: Ipv4Addr::new(10, 77, 0, 1),
            right_address: Ipv4Addr::new(10, 77, 0, 2),
            device: "link0",
        };
        run(&["ip", "netns", "add", &pair.left]);
        run(&["ip", "netns", "add", &pair.right]);
        run(&[
            "ip",
            "link",
            "add",
            pair.device,
            "netns",
            &pair.left,
            "type",
            "veth",
            "peer",
            "name",
            pair.device,
            "netns",
            &pair.right,
        ]);
        for (namespace, address) in
            [(&pair.left, pair.left_address), (&pair.right, pair.right_address)]
        {
            let address = format!("{address}/24");
            for arguments in [
                &["link", "set", "lo", "up"][..],
                &["address", "add", &address, "dev", pair.device],
                &["link", "set", pair.device, "up"],
            ] {
                run(&[&["ip", "-n", namespace][..], arguments].concat());
            }
        }
        pair
    }

    /// A command that runs inside a namespace.
    #[must_use]
    pub fn command(namespace: &str, program: &str) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", namespace, program]);
        command
    }

    /// Runs a command inside a namespace to its end.
    ///
    /// # Panics
    /// When it fails.
    pub fn run_in(namespace: &str, arguments: &[&str]) {
        run(&[&["ip", "netns", "exec", namespace][..], arguments].concat());
    }
}

impl Default for Pair {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Pair {
    fn drop(&mut self) {
        for namespace in [&self.left, &self.right] {
            // Deleting the namespace deletes its end of the link, and with it the other.
            let _ = Command::new("ip").args(["netns", "delete", namespace]).output();
        }
    }
}

fn run(arguments: &[&str]) {
    let output = Command::new(arguments[0])
        .args(&arguments[1..])
        .output()
        .unwrap_or_else(|error| panic!("failed to run {arguments:?}: {error}"));
    assert!(
        output.status.success(),
        "{arguments:?} failed (network namespaces need root): {}",
        String::from_utf8_lossy(&output.stderr)
    );
}
