//! `RLIMIT_NOFILE`: how many files and sockets the process may have open.

use std::sync::Once;

/// Raises the limit on open files to the most that the system allows this process: a flow may have a thousand sockets at
/// each end, which is more than the usual limit of 1024. Does so once; where the system refuses, nothing changes.
pub fn raise_limit() {
    static RAISED: Once = Once::new();
    RAISED.call_once(|| {
        if let Some((soft, hard)) = limits()
            && soft < hard
        {
            let raised = libc::rlimit { rlim_cur: hard, rlim_max: hard };
            // SAFETY: the kernel only reads the structure, which lives through the call.
            let _ = unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const raised) };
        }
    });
}

/// The limit in force, and how far it can be raised.
fn limits() -> Option<(libc::rlim_t, libc::rlim_t)> {
    let mut limits = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the kernel writes one structure of this type, which lives through the call.
    let result = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limits) };
    (result == 0).then_some((limits.rlim_cur, limits.rlim_max))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_in_force_is_the_highest_possible() {
        raise_limit();
        let (soft, hard) = limits().unwrap();
        assert_eq!(soft, hard);
    }
}
