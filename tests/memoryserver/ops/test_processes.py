"""What a child process has called before it executes its program; shown with processes that are really killed."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memoryserver.ops.processes import is_suspended, with_parent

as_root = pytest.mark.skipif(os.getuid() != 0, reason="only root can leave root")

START_CHILD = """
import signal, subprocess, sys, time
from memoryserver.ops.processes import die_with_parent

CHILD = '''
import signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1, signal.SIGTERM])
print("ready", flush=True)
print(signal.sigwait([signal.SIGUSR1, signal.SIGTERM]).name, flush=True)
'''
number = signal.Signals[sys.argv[1]]
subprocess.Popen([sys.executable, "-c", CHILD], preexec_fn=lambda: die_with_parent(number))
time.sleep(600)
"""

LEAVE_ROOT = """
import os, sys
from pathlib import Path
from memoryserver.ops.processes import leave_root

leave_root()
Path(sys.argv[1]).write_text("written")
print(os.getuid(), os.getgid())
"""

LEAVE_ROOT_TWICE = """
import errno
from pathlib import Path
from memoryserver.ops.processes import leave_root

leave_root()
Path("/proc/sys/user/max_user_namespaces").write_text("0")
try:
    leave_root()
except OSError as error:
    print(errno.errorcode[error.errno], error.strerror)
"""


@pytest.mark.parametrize("name", ["SIGUSR1", "SIGTERM"])
def test_child_gets_its_signal_when_the_parent_is_killed(name: str) -> None:
    with subprocess.Popen([sys.executable, "-c", START_CHILD, name], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        ready = parent.stdout.readline()
        parent.kill()
        rest = parent.stdout.read()  # the child has the pipe too, so this waits for its end

    assert (ready, rest) == ("ready\n", f"{name}\n")


@as_root
def test_process_that_left_root_has_another_id_inside_and_writes_as_root_outside(tmp_path: Path) -> None:
    target = tmp_path / "file"

    process = subprocess.run(
        [sys.executable, "-c", LEAVE_ROOT, str(target)], capture_output=True, text=True, check=True
    )

    assert process.stdout == "1000 1000\n"
    assert (target.stat().st_uid, target.read_text()) == (0, "written")


@as_root
def test_process_that_may_not_leave_root_gets_an_os_error() -> None:
    """As in a container that allows no user namespaces: here their number is limited to none."""
    process = subprocess.run([sys.executable, "-c", LEAVE_ROOT_TWICE], capture_output=True, text=True, check=True)

    assert process.stdout == "ENOSPC no user namespace\n"


PARENT = (
    "import subprocess, sys, time; from memoryserver.ops.processes import with_parent;"
    "child = subprocess.Popen(with_parent([sys.executable, '-c', 'import time; time.sleep(600)']));"
    "print(child.pid, flush=True); time.sleep(600)"
)


@pytest.mark.parametrize("suspended", [False, True], ids=["running", "suspended"])
def test_child_ends_with_a_parent_that_is_killed(suspended: bool) -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        descriptor = os.pidfd_open(child)
        time.sleep(0.5)  # the child may not have asked for the signal yet; that case is the next test's
        if suspended:
            os.kill(child, signal.SIGSTOP)
        parent.kill()

    assert select.select([descriptor], [], [], 30)[0] == [descriptor]
    os.close(descriptor)


def test_child_whose_parent_died_before_it_asked_for_the_signal_does_not_start(tmp_path: Path) -> None:
    note = tmp_path / "started"
    command = with_parent(["/usr/bin/touch", str(note)])
    command[command.index(str(os.getpid()))] = "1"  # as if the parent had another number than the one it finds

    ended = subprocess.run(command, check=False)

    assert (ended.returncode, note.exists()) == (1, False)


def test_child_keeps_its_id_and_exit_status() -> None:
    script = "import os, sys; print(os.getpid()); sys.exit(7)"
    with subprocess.Popen(with_parent([sys.executable, "-c", script]), stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        shown = int(child.stdout.read())

    assert (shown, child.returncode) == (child.pid, 7)


@pytest.mark.parametrize(("number", "suspended"), [(signal.SIGSTOP, True), (signal.SIGCONT, False)])
def test_suspended_process_is_recognised(number: int, suspended: bool) -> None:
    with subprocess.Popen(["/bin/sleep", "600"]) as process:
        process.send_signal(number)
        deadline = time.monotonic() + 10
        while is_suspended(process.pid) is not suspended:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.kill()


def test_process_that_does_not_exist_is_not_suspended() -> None:
    assert is_suspended(2**22 + 1) is False
