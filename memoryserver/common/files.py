"""Files that survive crashes and many writers: atomic replacement, whole appended lines, bounded locks."""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Iterator
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

TEMPORARY_SUFFIX = ".tmp"
LONGEST_PAUSE = 0.05  # seconds between two tries for a lock
_PRIVATE_FOLDER = 0o700
_PRIVATE_FILE = 0o600


class LockTimeoutError(Exception):
    """A lock was held by somebody else for longer than the caller wanted to wait; the text says by whom."""


def make_folder(folder: Path, *, ignored_by_git: bool = False) -> Path:
    """`folder` made with its parents where missing (mode 0700); folders that exist keep their mode.

    With `ignored_by_git` it gets a `.gitignore` of `*` where it has none, so that an agent's
    `git add -A` does not commit what lies in it. Raises OSError, FileExistsError where a file is in the way.
    """
    for missing in reversed([path for path in (folder, *folder.parents) if not path.is_dir()]):
        missing.mkdir(mode=_PRIVATE_FOLDER, exist_ok=True)
        sync_folder(missing.parent)
    if ignored_by_git and not (folder / ".gitignore").exists():
        write_atomic(folder / ".gitignore", b"*\n")
    return folder


def write_atomic(path: Path, content: bytes | str, *, mode: int = _PRIVATE_FILE, durable: bool = True) -> None:
    """Put `content` at `path` so that a reader, or a crash at any moment, sees the old or the new whole.

    Temporary file in the same folder (name unique per process and call), fsync, `os.replace`, fsync of
    the folder. Without `durable` nothing is fsynced: only a power cut can then lose or empty the file.
    Raises OSError; the old content is then still in place and the temporary file is gone.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}{TEMPORARY_SUFFIX}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        try:
            _write_all(descriptor, data, path)
            if durable:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    if durable:
        sync_folder(path.parent)


def append_line(path: Path, line: bytes | str, *, durable: bool = True) -> None:
    """Append `line` (which holds no line break) to the JSONL file `path`; see `append_lines`."""
    append_lines(path, [line], durable=durable)


def append_lines(path: Path, lines: Sequence[bytes | str], *, durable: bool = True) -> None:
    """Append `lines` (which hold no line breaks) to the JSONL file `path` in one write.

    A torn last line, left by a crash, is closed first, so that one bad line never eats a good one.
    With `durable` the data and the file's name are fsynced, also where there are no lines: a crash may have come
    between another writer's data and its fsync. Writers that can meet hold a `lock`.
    Raises OSError; what was written of the lines is then taken back, as far as the disk still lets us.
    """
    data = b"".join((line.encode("utf-8") if isinstance(line, str) else line) + b"\n" for line in lines)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, _PRIVATE_FILE)
    try:
        end = os.lseek(descriptor, 0, os.SEEK_END)
        torn = bool(data) and end > 0 and _read_byte(descriptor, end - 1) != b"\n"
        try:
            _write_all(descriptor, (b"\n" if torn else b"") + data, path)
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(descriptor, end)
            raise
        if durable:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
    if durable and (end == 0 or not data):
        sync_folder(path.parent)


def write_at(path: Path, place: int, content: bytes | str, *, durable: bool = True) -> None:
    """Write `content` into the file `path`, which exists, from its byte `place` on.

    A crash at any moment leaves what is before `place` as it was. With `durable` the whole file is fsynced, also where
    there is no content. Raises OSError, FileNotFoundError for a file that is missing.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    descriptor = os.open(path, os.O_WRONLY)
    try:
        os.lseek(descriptor, place, os.SEEK_SET)
        _write_all(descriptor, data, path)
        if durable:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_object(path: Path, max_bytes: int = 1 << 20) -> dict[str, Any]:
    """Return the JSON object in an optional file; {} if it is missing, damaged or longer than `max_bytes`."""
    import json  # most importers of this module count or append, and a hook pays for each import

    try:
        with open(path, "rb") as file:
            value = json.loads(file.read(max_bytes))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def sync_folder(folder: Path) -> None:
    """Make a rename or unlink in `folder` durable, where the system lets a folder be opened."""
    if os.name == "nt":  # Windows neither needs nor allows it
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some network file systems
            raise
    finally:
        os.close(descriptor)


def sweep_temporaries(folder: Path) -> None:
    """Remove what crashed writers left in `folder`: temporary files older than an hour."""
    limit = time.time() - 3_600
    for path in folder.glob(f".*{TEMPORARY_SUFFIX}"):
        with contextlib.suppress(FileNotFoundError):
            if path.stat().st_mtime < limit:
                path.unlink()


def make_room(folder: Path, most: int) -> None:
    """Remove the older half of the files in `folder` if there are `most` or more, such as those of old sessions."""
    paths = [entry.path for entry in os.scandir(folder)]
    if len(paths) < most:
        return
    aged: list[tuple[float, str]] = []
    for path in paths:
        with contextlib.suppress(OSError):  # another process may remove it at the same time
            aged.append((os.stat(path).st_mtime, path))
    for _, path in sorted(aged)[: most // 2]:
        with contextlib.suppress(OSError):
            os.unlink(path)


@contextlib.contextmanager
def lock(path: Path, *, timeout: float = 10.0, sleep: Callable[[float], object] = time.sleep) -> Iterator[None]:
    """Hold the exclusive lock file `path`, among processes and threads, for the length of the block.

    Waits at most `timeout` seconds, then raises LockTimeoutError naming the holder. The lock goes with
    its process, so a crash never leaves it held; the file itself stays. `sleep` waits so many seconds
    between two attempts; what it raises ends the wait.
    """
    deadline = time.monotonic() + timeout
    pause = 0.001
    while (descriptor := try_lock(path)) is None:
        if time.monotonic() >= deadline:
            raise _lock_timeout(path, timeout)
        sleep(pause)
        pause = min(pause * 2, LONGEST_PAUSE)
    try:
        yield
    finally:
        os.close(descriptor)


def try_lock(path: Path) -> int | None:
    """Take the lock file `path` without waiting: a descriptor, or None while somebody else holds it.

    The lock is held until the descriptor is closed. Raises OSError where the file cannot be opened.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, _PRIVATE_FILE)
    try:
        if _try_lock(descriptor):
            _name_holder(descriptor)
            return descriptor
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def _name_holder(descriptor: int) -> None:
    """Write this process into its lock file, for messages alone: a full disk keeps nobody from the lock."""
    try:
        os.write(descriptor, b"%-10d\n" % os.getpid())  # in place: a truncation would slow the next fsync
    except OSError:
        os.ftruncate(descriptor, 0)  # it would name another process


def _lock_timeout(path: Path, timeout: float) -> LockTimeoutError:
    """Return the error of a wait of `timeout` seconds for the lock file `path`; its text names the holder."""
    holder = ""
    with contextlib.suppress(OSError):  # Windows does not let a locked file be read
        holder = path.read_bytes()[:10].decode("ascii", "replace").strip()
    since = f"has been locked for more than {timeout:g} s" if timeout else "is locked"
    return LockTimeoutError(f"{path} {since} by process {holder or 'unknown'}; wait for it or end it, then try again")


def _try_lock(descriptor: int) -> bool:
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EAGAIN, errno.EACCES, errno.EDEADLK):
            return False
        raise
    return True


def _read_byte(descriptor: int, offset: int) -> bytes:
    os.lseek(descriptor, offset, os.SEEK_SET)
    return os.read(descriptor, 1)


def _write_all(descriptor: int, data: bytes, path: Path) -> None:
    """Write `data`; the OSError of a full disk names `path`, which the system does not know."""
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(descriptor, view) :]
    except OSError as error:
        error.filename = str(path)
        raise
