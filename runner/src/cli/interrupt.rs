use std::io;
use std::thread;

use linerate_engine::cancel::Cancel;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::exit_code::ExitCode;

/// Turns SIGINT and SIGTERM into a request to stop; a second one ends the process at once.
///
/// `first` is called after the first signal, on a thread of its own: it may write to a stream that blocks without
/// keeping the second signal from being heard.
///
/// # Errors
/// When the system gives no thread or does not let signals be received.
pub(super) fn watch(cancel: Cancel, first: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let (interrupt, terminate) = {
        let _entered = runtime.enter();
        (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?)
    };
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        runtime.block_on(async move {
            let mut signals = (interrupt, terminate);
            next(&mut signals).await;
            cancel.cancel();
            thread::spawn(first);
            next(&mut signals).await;
            leave_at_once();
        });
    })?;
    Ok(())
}

async fn next((interrupt, terminate): &mut (Signal, Signal)) {
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}

#[expect(clippy::exit, reason = "the user does not want to wait for anything")]
fn leave_at_once() -> ! {
    std::process::exit(i32::from(ExitCode::Interrupted.as_u8()))
}
