//! Files that a command writes: refused early when they cannot be written, and never left half-written.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Finds out whether [`write()`] could write `path` now, and creates the folders it needs. Leaves no file behind.
pub(super) fn check(path: &Path) -> io::Result<()> {
    let folder = folder_of(path);
    fs::create_dir_all(folder)?;
    match fs::metadata(path) {
        Ok(existing) if existing.is_dir() => {
            Err(io::Error::new(io::ErrorKind::IsADirectory, "this is a folder"))
        }
        // Opening a pipe could wait for its reader; whether a device takes the data shows when it is written.
        Ok(existing) if !existing.is_file() => Ok(()),
        Ok(_) => OpenOptions::new().write(true).open(path).map(drop),
        Err(error) if error.kind() == io::ErrorKind::NotFound => temporary_file(folder).map(drop),
        Err(error) => Err(error),
    }
}

/// Writes a file as a whole: a reader sees the old content or the new one, nothing in between.
///
/// A device or pipe is written to directly, and so is a file that cannot be replaced, such as one that is mounted into
/// a container on its own.
pub(super) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // Replacing a link by a file would leave the file it points to as it was.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    match fs::metadata(&target) {
        Ok(existing) if !existing.is_file() => write_in_place(&target, bytes),
        Ok(existing) => replace(&target, bytes, Some(existing.permissions()))
            .or_else(|_| write_in_place(&target, bytes)),
        Err(_) => replace(&target, bytes, None),
    }
}

fn replace(target: &Path, bytes: &[u8], permissions: Option<Permissions>) -> io::Result<()> {
    let mut temporary = temporary_file(folder_of(target))?;
    temporary.write_all(bytes)?;
    if let Some(permissions) = permissions {
        temporary.as_file().set_permissions(permissions)?;
    }
    temporary.persist(target).map(drop).map_err(|error| error.error)
}

fn write_in_place(target: &Path, bytes: &[u8]) -> io::Result<()> {
    OpenOptions::new().write(true).truncate(true).open(target)?.write_all(bytes)
}

/// A file that removes itself, with the permissions that the user's umask leaves.
fn temporary_file(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    tempfile::Builder::new()
        .prefix(".linerate-")
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(folder)
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A form of `path` in which two spellings of the same file are equal, also when it does not exist yet.
pub(super) fn identity(path: &Path) -> PathBuf {
    let folder = fs::canonicalize(folder_of(path));
    match (fs::canonicalize(path), folder, path.file_name()) {
        (Ok(path), ..) => path,
        (Err(_), Ok(folder), Some(name)) => folder.join(name),
        _ => std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(folder: &Path) -> usize {
        fs::read_dir(folder).expect("readable").count()
    }

    #[test]
    fn checking_creates_the_folder_and_leaves_no_file() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("new/folder/junit.xml");
        check(&path).expect("writable");
        assert_eq!(entries(path.parent().expect("inside")), 0);
    }

    #[test]
    fn checking_keeps_an_earlier_report() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("junit.xml");
        fs::write(&path, "earlier").expect("writable");
        check(&path).expect("writable");
        assert_eq!(fs::read(&path).expect("still there"), b"earlier");
        assert_eq!(entries(folder.path()), 1);
    }

    #[test]
    fn a_folder_in_the_place_of_the_file_is_refused() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        assert!(check(folder.path()).is_err());
        assert!(check(&folder.path().join("file/inside")).is_ok());
        fs::write(folder.path().join("plain"), "").expect("writable");
        assert!(check(&folder.path().join("plain/inside")).is_err());
    }

    #[test]
    fn writing_replaces_the_file_behind_a_link_and_keeps_its_permissions() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "a longer text than the new one").expect("writable");
        fs::set_permissions(&file, Permissions::from_mode(0o640)).expect("ours");
        std::os::unix::fs::symlink(&file, &link).expect("writable");
        write(&link, b"new").expect("writable");
        assert_eq!(fs::read(&file).expect("readable"), b"new");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        let mode = fs::metadata(&file).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        assert_eq!(entries(folder.path()), 2);
    }

    #[test]
    fn a_device_is_written_to_and_not_replaced() {
        check(Path::new("/dev/null")).expect("a device");
        write(Path::new("/dev/null"), b"text").expect("a device");
        assert!(!fs::metadata("/dev/null").expect("there").is_file());
    }

    #[test]
    fn two_spellings_of_a_file_that_does_not_exist_are_the_same() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let direct = folder.path().join("a.xml");
        let detour = folder.path().join(".").join("a.xml");
        assert_eq!(identity(&direct), identity(&detour));
    }
}
