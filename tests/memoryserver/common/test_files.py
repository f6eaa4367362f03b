"""Files that survive: crashes are real exits of real processes, and so are the many writers."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
from multiprocessing import get_context
from pathlib import Path

import pytest

from memoryserver.common import files
from tests.support.laptops.durability import inodes, record_syncs


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_written_file_has_the_content_and_is_its_owners_alone(tmp_path: Path) -> None:
    files.write_atomic(tmp_path / "f", "grüße")

    assert (tmp_path / "f").read_bytes() == "grüße".encode()
    assert mode(tmp_path / "f") == 0o600


def test_writing_leaves_no_temporary_file(tmp_path: Path) -> None:
    files.write_atomic(tmp_path / "f", b"1")
    files.write_atomic(tmp_path / "f", b"2")

    assert [path.name for path in tmp_path.iterdir()] == ["f"]


def test_failed_write_keeps_the_old_content_and_leaves_no_temporary_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.write_atomic(tmp_path / "f", b"old")

    def full(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        files.write_atomic(tmp_path / "f", b"new")

    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("f", b"old")]


@pytest.mark.parametrize("call", ["write", "fsync", "replace"])
def test_process_that_dies_at_any_step_leaves_the_old_or_the_new_whole(tmp_path: Path, call: str) -> None:
    files.write_atomic(tmp_path / "f", b"old")
    script = (
        "import os, sys; from pathlib import Path; from memoryserver.common import files;"
        f"os.{call} = lambda *a, **k: os._exit(9); files.write_atomic(Path(sys.argv[1]), b'new' * 1000)"
    )

    died = subprocess.run([sys.executable, "-c", script, str(tmp_path / "f")], check=False)

    assert died.returncode == 9
    assert (tmp_path / "f").read_bytes() == b"old"


def test_written_file_and_its_name_are_durable_unless_the_caller_can_do_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced = record_syncs(monkeypatch)
    files.write_atomic(tmp_path / "f", b"1")
    assert synced == inodes(tmp_path / "f", tmp_path)
    files.write_atomic(tmp_path / "f", b"2", durable=False)
    assert len(synced) == 2


def test_made_folders_are_durable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced = record_syncs(monkeypatch)
    files.make_folder(tmp_path / "a" / "b")
    assert synced == inodes(tmp_path, tmp_path / "a")


def test_what_dead_writers_left_is_swept_when_it_is_old(tmp_path: Path) -> None:
    for name in (".f.1.aa.tmp", ".g.2.bb.tmp", "kept.tmp"):
        (tmp_path / name).touch()
    os.utime(tmp_path / ".f.1.aa.tmp", (1, 1))

    files.sweep_temporaries(tmp_path)

    assert sorted(path.name for path in tmp_path.iterdir()) == [".g.2.bb.tmp", "kept.tmp"]


def test_appended_lines_are_whole_lines(tmp_path: Path) -> None:
    files.append_line(tmp_path / "f", "one")
    files.append_line(tmp_path / "f", b"two")

    assert (tmp_path / "f").read_bytes() == b"one\ntwo\n"


def test_line_after_a_torn_one_starts_a_new_line(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b'{"half')

    files.append_line(tmp_path / "f", '{"whole": 1}')

    assert (tmp_path / "f").read_bytes() == b'{"half\n{"whole": 1}\n'


def test_made_folder_is_its_owners_alone_and_its_parents_too(tmp_path: Path) -> None:
    files.make_folder(tmp_path / "a" / "b")

    assert (mode(tmp_path / "a"), mode(tmp_path / "a" / "b")) == (0o700, 0o700)


def test_folder_that_is_there_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a").chmod(0o755)

    files.make_folder(tmp_path / "a" / "b")

    assert mode(tmp_path / "a") == 0o755


def test_folder_that_git_is_to_ignore_says_so(tmp_path: Path) -> None:
    files.make_folder(tmp_path / "a", ignored_by_git=True)

    assert (tmp_path / "a" / ".gitignore").read_text() == "*\n"


def test_lock_held_elsewhere_for_too_long_names_the_holder(tmp_path: Path) -> None:
    script = (
        "import sys, time; from pathlib import Path; from memoryserver.common import files\n"
        "with files.lock(Path(sys.argv[1])):\n    print('held', flush=True); time.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", script, str(tmp_path / "l")], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        started = time.monotonic()
        with pytest.raises(files.LockTimeoutError) as caught, files.lock(tmp_path / "l", timeout=0.2):
            pass
        waited = time.monotonic() - started
        with pytest.raises(files.LockTimeoutError) as at_once, files.lock(tmp_path / "l", timeout=0):
            pass
        holder.kill()

    assert str(caught.value) == (
        f"{tmp_path / 'l'} has been locked for more than 0.2 s by process {holder.pid}; "
        "wait for it or end it, then try again"
    )
    assert waited >= 0.2
    assert str(at_once.value) == (
        f"{tmp_path / 'l'} is locked by process {holder.pid}; wait for it or end it, then try again"
    )


def test_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    script = (
        "import os, sys; from pathlib import Path; from memoryserver.common import files\n"
        "with files.lock(Path(sys.argv[1])):\n    os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path / "l")], check=False)

    with files.lock(tmp_path / "l", timeout=0):
        assert (tmp_path / "l").exists()


def test_lock_is_held_though_the_holder_cannot_be_written_and_nobody_else_is_named(tmp_path: Path) -> None:
    script = (
        "import resource, sys; from pathlib import Path; from memoryserver.common import files\n"
        "path = Path(sys.argv[1])\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
        "with files.lock(path):\n"
        "    try:\n        with files.lock(path, timeout=0): pass\n"
        "    except files.LockTimeoutError as error: sys.stderr.write(str(error))"
    )
    (tmp_path / "l").write_bytes(b"99999     \n")

    done = subprocess.run([sys.executable, "-c", script, str(tmp_path / "l")], stderr=subprocess.PIPE, check=False)

    said = f"{tmp_path / 'l'} is locked by process unknown; wait for it or end it, then try again"
    assert (done.returncode, done.stderr.decode()) == (0, said)


def _count(path: Path, times: int) -> None:
    for _ in range(times):
        with files.lock(path / "lock", timeout=60):
            number = int((path / "n").read_text())
            files.write_atomic(path / "n", str(number + 1))
            files.append_line(path / "lines", f"{number}", durable=False)


def test_many_processes_that_count_under_the_lock_lose_nothing(tmp_path: Path) -> None:
    (tmp_path / "n").write_text("0")
    workers = [get_context("spawn").Process(target=_count, args=(tmp_path, 50)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    assert (tmp_path / "n").read_text() == "200"
    assert (tmp_path / "lines").read_text().split() == [str(number) for number in range(200)]


@pytest.mark.parametrize("is_new", [True, False], ids=["new file", "file that exists"])
def test_appended_lines_are_durable_and_so_is_the_name_of_a_new_file(
    is_new: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not is_new:
        (tmp_path / "f").write_text("before\n")
    synced = record_syncs(monkeypatch)
    files.append_lines(tmp_path / "f", ["one", b"two"])
    durable = inodes(tmp_path / "f", tmp_path) if is_new else inodes(tmp_path / "f")
    assert synced == durable
    files.append_line(tmp_path / "other", "one", durable=False)
    assert synced == durable


@pytest.mark.parametrize("durable", [True, False])
def test_content_is_written_from_its_place_on(durable: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    path = tmp_path / "seen"
    path.write_bytes(b"abcdefgh")
    files.write_at(path, 4, "12", durable=durable)
    files.write_at(path, 8, b"34", durable=durable)
    files.write_at(path, 2, "", durable=durable)

    assert path.read_bytes() == b"abcd12gh34"
    assert len(synced) == (3 if durable else 0)
    with pytest.raises(FileNotFoundError):
        files.write_at(tmp_path / "missing", 0, "x")
    assert not (tmp_path / "missing").exists()


def test_line_that_a_full_disk_cuts_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "f"
    files.append_line(path, "whole")
    write = os.write

    def cut(descriptor: int, data: bytes | memoryview) -> int:
        if len(data) < 5:
            raise OSError(28, "No space left on device")
        return write(descriptor, data[:3])

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", cut)
        with pytest.raises(OSError, match="No space left") as caught:
            files.append_line(path, "second")
    assert caught.value.filename == str(path)
    assert path.read_bytes() == b"whole\n"
    files.append_line(path, "third")
    assert path.read_bytes() == b"whole\nthird\n"


@pytest.mark.parametrize(("timeout", "said"), [(0.0, "is locked by process"), (0.2, "for more than 0.2 s")])
def test_lock_is_waited_for_as_long_as_the_caller_says(timeout: float, said: str, tmp_path: Path) -> None:
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        time.sleep(seconds)

    with (
        files.lock(tmp_path / "lock"),
        pytest.raises(files.LockTimeoutError, match=said),
        files.lock(tmp_path / "lock", timeout=timeout, sleep=pause),
    ):
        pass
    assert (sum(pauses) > 0) == (timeout > 0)
    assert max(pauses, default=0.0) <= files.LONGEST_PAUSE


def test_older_half_of_the_files_makes_room_once_there_are_too_many(tmp_path: Path) -> None:
    for number in range(5):
        path = tmp_path / f"{number}"
        path.touch()
        os.utime(path, (number, number))

    files.make_room(tmp_path, most=6)
    assert len(list(tmp_path.iterdir())) == 5
    files.make_room(tmp_path, most=5)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["2", "3", "4"]
