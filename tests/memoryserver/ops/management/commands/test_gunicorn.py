"""The web server serves the socket that it inherits."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

MANAGE = Path(__file__).resolve().parents[5] / "manage.py"


def test_inherited_socket_is_served_until_the_process_is_told_to_end(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"http://127.0.0.1:{listening.getsockname()[1]}/healthz"
        with subprocess.Popen(
            [sys.executable, str(MANAGE), "gunicorn", "--fd", str(listening.fileno())],
            pass_fds=[listening.fileno()],
            env={**os.environ, "MEMORYSERVER_DATA": str(tmp_path)},
        ) as process:
            try:
                deadline = time.monotonic() + 60
                body = b""
                while not body and time.monotonic() < deadline:
                    with urllib.request.urlopen(address, timeout=60) as response:
                        body = response.read()
                process.send_signal(signal.SIGTERM)
                status = process.wait(60)
            finally:
                process.kill()

    assert (body, status) == (b"ok\n", 0)


def test_address_that_is_in_use_is_refused_in_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        process = subprocess.run(
            [sys.executable, str(MANAGE), "gunicorn", "--port", port],
            env={**os.environ, "MEMORYSERVER_DATA": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )

    assert process.returncode == 1
    assert process.stderr.splitlines()[-1].startswith(f"CommandError: cannot listen on 127.0.0.1:{port} (")
