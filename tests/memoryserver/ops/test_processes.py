"""What a child process has called before it executes its program; shown with processes that are really killed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

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
