//! Files that a command writes: refused early when they cannot be written, and never left half-written.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// As many links in a row as Linux follows.
const MAX_LINKS: usize = 40;

/// Names of files that are open already: what they stand for must not be replaced or removed.
const OPEN_FILES: [&str; 4] = ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"];

/// Finds out whether [`write()`] could write `path` now, and creates the folders it needs. Leaves no file behind.
pub(super) fn check(path: &Path) -> io::Result<()> {
    let target = target_of(path);
    let folder = folder_of(&target);
    fs::create_dir_all(folder).map_err(|error| without_folder(folder, error))?;
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

/// Removes what an earlier command wrote, so that nobody takes it for the outcome of this one. A link stays and its file
/// goes; a file that cannot be removed is emptied.
pub(super) fn remove_earlier(path: &Path) -> io::Result<()> {
    if !fs::metadata(path).is_ok_and(|existing| existing.is_file()) {
        return Ok(());
    }
    let empty = || OpenOptions::new().write(true).truncate(true).open(path).map(drop);
    if is_open_file(path) { empty() } else { fs::remove_file(target_of(path)).or_else(|_| empty()) }
}

/// Writes a file as a whole: a reader sees the old content or the new one, nothing in between.
///
/// A link is followed, also to a file that does not exist yet. A device or pipe is written to directly, and so is a file that cannot be replaced, such as one that is mounted into
/// a container on its own.
pub(super) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // Replacing a link by a file would leave the file it points to as it was.
    let target = target_of(path);
    match fs::metadata(&target) {
        Ok(_) if is_open_file(path) => write_in_place(&target, bytes),
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
        .map_err(without_name)
}

/// The error without the name of the temporary file, which means nothing to the user.
fn without_name(error: io::Error) -> io::Error {
    let text = error.to_string();
    match text.split_once(" at path \"") {
        Some((reason, _)) => io::Error::new(error.kind(), reason.to_owned()),
        None => error,
    }
}

/// Why a folder cannot be made: most often, something else has its name.
fn without_folder(folder: &Path, error: io::Error) -> io::Error {
    let obstacle = folder.ancestors().find(|part| fs::metadata(part).is_ok_and(|m| !m.is_dir()));
    match obstacle {
        Some(file) => io::Error::new(
            io::ErrorKind::NotADirectory,
            format!("{} is not a folder", file.display()),
        ),
        None => error,
    }
}

fn is_open_file(path: &Path) -> bool {
    OPEN_FILES.iter().any(|name| path.starts_with(name))
}

/// The file that is written for `path`: behind all links, whether it exists or not.
fn target_of(path: &Path) -> PathBuf {
    if fs::metadata(path).is_ok() {
        return fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    }
    let mut target = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(next) = fs::read_link(&target) else { break };
        target = folder_of(&target).join(next);
    }
    target
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// What two spellings of the same file have in common: paths, links and hard links to it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Identity {
    /// A file that exists, by its device and number.
    Existing(u64, u64),
    /// One that does not exist yet.
    New(PathBuf),
}

impl Identity {
    pub(super) fn of(path: &Path) -> Self {
        if let Ok(existing) = fs::metadata(path) {
            return Self::Existing(existing.dev(), existing.ino());
        }
        let target = target_of(path);
        Self::New(match (fs::canonicalize(folder_of(&target)), target.file_name()) {
            (Ok(folder), Some(name)) => folder.join(name),
            _ => std::path::absolute(&target).unwrap_or(target),
        })
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
        let error = check(&folder.path().join("plain/inside/deeper")).expect_err("in a file");
        assert!(error.to_string().ends_with("/plain is not a folder"), "{error}");
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
        assert_eq!(Identity::of(&direct), Identity::of(&detour));
        assert_ne!(Identity::of(&direct), Identity::of(&folder.path().join("b.xml")));
    }

    #[test]
    fn links_are_the_file_that_they_point_to_whether_it_exists_or_not() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let [file, link, second, hard] =
            ["file", "link", "second", "hard"].map(|name| folder.path().join(name));
        std::os::unix::fs::symlink("file", &link).expect("writable");
        std::os::unix::fs::symlink("link", &second).expect("writable");
        assert_eq!(Identity::of(&file), Identity::of(&second));
        check(&second).expect("writable");
        write(&second, b"text").expect("writable");
        assert_eq!(fs::read(&file).expect("behind the links"), b"text");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        fs::hard_link(&file, &hard).expect("writable");
        assert_eq!(Identity::of(&second), Identity::of(&hard));
    }

    #[test]
    fn an_earlier_file_is_removed_and_the_link_to_it_stays() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "earlier").expect("writable");
        std::os::unix::fs::symlink("file", &link).expect("writable");
        remove_earlier(&link).expect("removable");
        assert!(!file.exists());
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        for nothing in [file.as_path(), folder.path(), Path::new("/dev/null")] {
            remove_earlier(nothing).expect("nothing to do");
        }
        assert!(Path::new("/dev/null").exists());
    }

    #[test]
    fn errors_do_not_tell_the_name_of_a_temporary_file() {
        let error = temporary_file(Path::new("/proc/none")).expect_err("no such folder");
        assert!(!error.to_string().contains("linerate"), "{error}");
    }
}
