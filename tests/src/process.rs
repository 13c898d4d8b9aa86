//! Child processes that never outlive their test, with their output collected and their time bounded.

use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A program that was started. Dropping it kills it.
#[derive(Debug)]
pub struct Running {
    name: String,
    child: Child,
    stdout: Collector,
    stderr: Collector,
}

/// A program that has ended.
#[derive(Debug)]
pub struct Finished {
    /// How it ended.
    pub status: ExitStatus,
    /// What it wrote to standard output.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
}

#[derive(Debug)]
struct Collector {
    text: Arc<Mutex<Vec<u8>>>,
    thread: Option<JoinHandle<()>>,
}

impl Collector {
    fn start(mut source: impl Read + Send + 'static) -> Self {
        let text = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&text);
        let thread = std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = source.read(&mut buffer) {
                sink.lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .extend_from_slice(&buffer[..count]);
            }
        });
        Self { text, thread: Some(thread) }
    }

    fn so_far(&self) -> String {
        let text = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&text).into_owned()
    }

    fn whole(&mut self) -> String {
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the reader does not panic");
        }
        self.so_far()
    }
}

impl Running {
    /// Starts a command with its outputs collected and without input.
    ///
    /// # Panics
    /// When it cannot be started.
    #[must_use]
    pub fn start(command: &mut Command) -> Self {
        let name = format!("{command:?}");
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("failed to start {name}: {error}"));
        let stdout = Collector::start(child.stdout.take().expect("piped"));
        let stderr = Collector::start(child.stderr.take().expect("piped"));
        Self { name, child, stdout, stderr }
    }

    /// Process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// What it wrote to standard output until now.
    #[must_use]
    pub fn stdout_so_far(&self) -> String {
        self.stdout.so_far()
    }

    /// Waits for its end.
    ///
    /// # Panics
    /// When it is still running after `limit`; the message has what it wrote.
    #[must_use]
    pub fn finish_within(mut self, limit: Duration) -> Finished {
        let deadline = Instant::now() + limit;
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a child of ours") {
                break status;
            }
            assert!(
                Instant::now() < deadline,
                "{} still runs after {limit:?}\nstdout:\n{}\nstderr:\n{}",
                self.name,
                self.stdout.so_far(),
                self.stderr.so_far()
            );
            std::thread::sleep(Duration::from_millis(5));
        };
        Finished { status, stdout: self.stdout.whole(), stderr: self.stderr.whole() }
    }

    /// Waits until `seen` holds for its standard output.
    ///
    /// # Panics
    /// When that does not happen within `limit`.
    pub fn wait_for_stdout(&mut self, limit: Duration, seen: impl Fn(&str) -> bool) {
        self.wait_until(limit, |running| seen(&running.stdout.so_far()));
    }

    /// Waits until `seen` holds for its standard error.
    ///
    /// # Panics
    /// When that does not happen within `limit`.
    pub fn wait_for_stderr(&mut self, limit: Duration, seen: impl Fn(&str) -> bool) {
        self.wait_until(limit, |running| seen(&running.stderr.so_far()));
    }

    fn wait_until(&mut self, limit: Duration, reached: impl Fn(&Self) -> bool) {
        let deadline = Instant::now() + limit;
        while !reached(self) {
            let ended = self.child.try_wait().expect("a child of ours").is_some();
            assert!(
                Instant::now() < deadline && !ended,
                "{} did not print what was awaited\nstdout:\n{}\nstderr:\n{}",
                self.name,
                self.stdout.so_far(),
                self.stderr.so_far()
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Asks it to end (SIGINT), waits, and gives what it wrote.
    ///
    /// # Panics
    /// When it does not end within `limit`.
    #[must_use]
    pub fn interrupt(self, limit: Duration) -> Finished {
        self.signal("INT");
        self.finish_within(limit)
    }

    /// Sends it a signal by name, such as `TERM`.
    ///
    /// # Panics
    /// When it has ended already.
    pub fn signal(&self, name: &str) {
        let status = Command::new("kill")
            .args([&format!("-{name}"), &self.child.id().to_string()])
            .status()
            .expect("kill is part of every system");
        assert!(status.success(), "{} was gone before it got the signal", self.name);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already; then there is nothing to kill.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
