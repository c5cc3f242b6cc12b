//! Files that appear whole or not at all.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// A file cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("{path}: cannot write: {reason}; check the path and its permissions", path = .path.display())]
pub struct FileError {
    path: PathBuf,
    reason: io::Error,
}

impl FileError {
    /// What the system says, without the place that tempfile adds: a temporary file, which the user has not asked for.
    fn new(path: &Path, cause: &io::Error) -> Self {
        let kind = cause.kind();
        let reason = if kind == io::ErrorKind::NotFound && !folder_of(path).exists() {
            io::Error::new(kind, "its folder is not there")
        } else {
            let told = cause.to_string();
            io::Error::new(kind, told.split(" at path ").next().unwrap_or_default())
        };
        let path = path.to_owned();
        Self { path, reason }
    }
}

/// The folder that a file lies in.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Says before a long run whether a file could be written after it.
///
/// # Errors
/// If it is a folder or may not be written, or its folder is not there.
pub fn check_writable(path: &Path) -> Result<(), FileError> {
    let check = || match fs::metadata(path) {
        Ok(known) if known.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(known) if known.is_file() => {
            OpenOptions::new().write(true).open(path)?;
            tempfile::tempfile_in(folder_of(&path.canonicalize()?)).map(drop)
        }
        Ok(_) => Ok(()),
        Err(_) => tempfile::tempfile_in(folder_of(path)).map(drop),
    };
    check().map_err(|cause| FileError::new(path, &cause))
}

/// Writes a file that appears whole or not at all. A link stays one, and what is no regular file, such as a device, is
/// written as it is.
///
/// # Errors
/// If it cannot be written.
pub fn write_whole(path: &Path, content: impl AsRef<[u8]>) -> Result<(), FileError> {
    write(path, content.as_ref()).map_err(|cause| FileError::new(path, &cause))
}

fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    let (target, permissions) = match fs::metadata(path) {
        Ok(known) if known.is_file() => {
            OpenOptions::new().write(true).open(path)?;
            (path.canonicalize()?, known.permissions())
        }
        Ok(_) => return fs::write(path, content),
        Err(_) => (path.to_owned(), Permissions::from_mode(0o644)),
    };
    let mut file = tempfile::Builder::new()
        .permissions(permissions)
        .tempfile_in(folder_of(&target))?;
    file.write_all(content)?;
    file.persist(&target)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a test that cannot go on panics

    use super::*;

    #[test]
    fn link_stays_a_link_and_permissions_stay() {
        let folder = tempfile::tempdir().unwrap();
        let [real, link] = ["real", "link"].map(|name| folder.path().join(name));
        write_whole(&real, b"one").unwrap();
        fs::set_permissions(&real, Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        check_writable(&link).unwrap();
        write_whole(&link, b"two").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&real).unwrap(), b"two");
        let mode = fs::metadata(&real).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
    }

    #[test]
    fn device_stays_a_device() {
        let device = Path::new("/dev/null");
        check_writable(device).unwrap();
        write_whole(device, b"gone").unwrap();
        assert!(!fs::metadata(device).unwrap().is_file());
    }

    #[test]
    fn folder_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert!(check_writable(folder.path()).is_err());
        assert!(write_whole(folder.path(), b"").is_err());
        assert!(check_writable(&folder.path().join("no/file")).is_err());
    }

    #[test]
    fn missing_folder_is_distinguished_from_one_that_takes_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let told = |path: &Path| check_writable(path).unwrap_err().to_string();
        let missing = told(&folder.path().join("no/file"));
        assert!(missing.contains("its folder is not there"), "{missing}");
        // What the system says of it depends on the user.
        let taken = told(Path::new("/proc/file"));
        assert!(taken.contains("cannot write: "), "{taken}");
        assert!(!taken.contains("its folder is not there"), "{taken}");
        assert!(!taken.contains("tmp"), "{taken}");
    }
}
