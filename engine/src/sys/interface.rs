//! `if_nametoindex`: network interfaces by their name.

use std::ffi::CString;
use std::io;
use std::num::NonZeroU32;

/// The index of the network interface `name`, which may also be the number itself.
///
/// # Errors
/// When there is no such interface.
pub fn index(name: &str) -> io::Result<NonZeroU32> {
    let text = CString::new(name).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
    // SAFETY: `text` is a string that ends with a zero byte and lives through the call.
    let found = unsafe { libc::if_nametoindex(text.as_ptr()) };
    let error = io::Error::last_os_error();
    NonZeroU32::new(found).or_else(|| name.parse().ok()).ok_or(error)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn interfaces_are_found_by_name_and_by_number() {
        let loopback = index("lo").unwrap();
        assert_eq!(index(&loopback.to_string()).unwrap(), loopback);
        for name in ["no-such-device", "", "0", "a\0b"] {
            assert!(index(name).is_err(), "{name:?}");
        }
    }
}
