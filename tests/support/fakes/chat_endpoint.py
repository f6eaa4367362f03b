"""A scripted OpenAI-compatible chat endpoint: `python -m tests.support.fakes.chat_endpoint PORT_FILE SCRIPT REQUESTS`.

SCRIPT is a file with a line of JSON for each answer: {"status": 200, "body": TEXT, "delay": SECONDS, "pause": SECONDS,
"location": ADDRESS}, where `pause` comes after each character and `location` is a header; the last one is repeated.
Each request is appended to the file REQUESTS, as a line of JSON with its path, key and body. The port is written to
PORT_FILE once it listens.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any


class _Handler(BaseHTTPRequestHandler):
    script: Path
    requests: Path

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.requests.open("a") as log:
            log.write(json.dumps({"path": self.path, "key": self.headers["Authorization"], "body": body}) + "\n")
        lines = self.script.read_text().splitlines()
        count = len(self.requests.read_text().splitlines())
        answer = json.loads(lines[min(count, len(lines)) - 1])
        time.sleep(answer.get("delay", 0))
        self.send_response(answer.get("status", 200))
        if "location" in answer:
            self.send_header("Location", answer["location"])
        self.end_headers()
        self._write(answer["body"], answer.get("pause", 0))

    def _write(self, body: str, pause: float) -> None:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the client has waited long enough
            for part in body if pause else [body]:
                self.wfile.write(part.encode())
                time.sleep(pause)

    def log_message(self, *args: object) -> None:
        pass


class ChatEndpoint:
    """A running endpoint: `answer` scripts what it says, `requests` is what it was asked."""

    def __init__(self, folder: Path, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/v1"
        self._folder = folder

    def answer(self, *answers: dict[str, Any]) -> None:
        """Script the answers, one for each request; the last one is repeated."""
        (self._folder / "script").write_text("\n".join(map(json.dumps, answers)))

    def answer_verdicts(self, *verdicts: dict[str, Any]) -> None:
        """Script one well-formed answer with `verdicts`."""
        self.answer({"body": said(json.dumps({"verdicts": verdicts}))})

    @property
    def requests(self) -> list[dict[str, Any]]:
        """The requests, the oldest first."""
        path = self._folder / "requests"
        return [json.loads(line) for line in path.read_text().splitlines()]


def said(content: str) -> str:
    """The body of an answer in which the model says `content`."""
    return json.dumps({"choices": [{"message": {"role": "assistant", "content": content}}]})


@contextmanager
def running(folder: Path) -> Iterator[ChatEndpoint]:
    """Run an endpoint as a process of its own, with its files in `folder`."""
    for name in ("script", "requests"):
        (folder / name).write_text("")
    paths = [str(folder / name) for name in ("port", "script", "requests")]
    root = Path(__file__).resolve().parents[3]
    process = subprocess.Popen([sys.executable, "-m", "tests.support.fakes.chat_endpoint", *paths], cwd=root)
    try:
        deadline = time.monotonic() + 60
        while not (folder / "port").exists():
            assert process.poll() is None, "the endpoint has ended"
            assert time.monotonic() < deadline, "the endpoint did not start"
            time.sleep(0.02)
        yield ChatEndpoint(folder, int((folder / "port").read_text()))
    finally:
        process.kill()
        process.wait()


def main() -> None:
    """Serve until killed."""
    port_file, _Handler.script, _Handler.requests = map(Path, sys.argv[1:])
    server = HTTPServer(("127.0.0.1", 0), _Handler)
    partial = port_file.with_suffix(".partial")
    partial.write_text(str(server.server_port))
    partial.rename(port_file)
    server.serve_forever()


if __name__ == "__main__":
    main()
