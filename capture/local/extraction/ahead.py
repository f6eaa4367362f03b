"""Finds the learnings in words ahead of the extraction, in a second process, while this one reads on.

Scoring sentences is half the work of a first scan, and needs nothing but a message's words. The second process gets
these as they are read, and its answers are what this process would find itself: whatever it does not answer, since it
could not be started, is killed or is slow, is done here. It ends when its input does, and so with the first process.

    python -m capture.local.extraction.ahead    answers each line of requests with a line of answers, in JSON
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import queue
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import IO, Any, NamedTuple

from capture.local.extraction import quotation
from capture.local.extraction.learning import Learning
from capture.local.extraction.sentence_learnings import learnings_in
from capture.local.transcripts.messages import Kind, Message, Role
from memoryserver.common.redaction import redact

_log = logging.getLogger(__name__)
LEAST_BYTES = 16 * 1024 * 1024  # to be read in one scan; starting the process costs as much as two megabytes
PATIENCE = 60.0  # seconds
_COMMAND = (sys.executable, "-P", "-m", __name__ if __name__ != "__main__" else "capture.local.extraction.ahead")
_REQUESTS = 16  # in one line
_BUSY = 32 * 1024  # characters that are asked for at once, some 30 milliseconds of work
_LONGEST = 20_000  # characters of a text that is asked for
_ROLES = (Role.AGENT, Role.PERSON)
_Request = tuple[str, str]  # the role, and the words


class Found(NamedTuple):
    """The learnings in a text, without what they have from their message, and whether the text has no secrets."""

    learnings: list[Learning]
    is_clean: bool


class Ahead:
    """The second process of one scan, started when the scan turns out to be large and it is allowed; must be closed.

    It gets as much as keeps it busy. What it has not got yet when its answer is needed is left to this process.
    """

    def __init__(
        self, command: Sequence[str] = _COMMAND, *, patience: float = PATIENCE, is_allowed: bool = True
    ) -> None:
        self._command = command
        self._is_allowed = is_allowed and _has_second_core()
        self._patience = patience
        self._expected = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._receiver: threading.Thread | None = None
        self._is_ready = False
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._unsent: dict[_Request, None] = {}
        self._sent: deque[list[_Request]] = deque()  # by line
        self._unanswered: set[_Request] = set()
        self._outstanding = 0  # characters of these
        self._found: dict[_Request, Found] = {}

    def expect(self, size: int) -> None:
        """Start the process if the scan reads `size` more bytes and has come to `LEAST_BYTES` with them."""
        was_large = self._expected >= LEAST_BYTES
        self._expected += max(size, 0)
        if not self._is_allowed or was_large or self._expected < LEAST_BYTES:
            return
        try:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        except OSError as error:
            _log.info("no second process: %s", error)
            return
        self._receiver = threading.Thread(target=_receive, args=(self._process.stdout, self._lines), daemon=True)
        self._receiver.start()
        self._send([])  # answered when it is ready

    @property
    def is_running(self) -> bool:
        """Whether there is a second process."""
        return self._process is not None

    def ask(self, message: Message) -> None:
        """Ask for the learnings in the words of `message`, if the process is ready."""
        text = message.text
        if not text or self._process is None or len(text) > _LONGEST or message.role not in _ROLES:
            return
        if not self._is_ready and self._lines.empty():
            return
        self._unsent[str(message.role), text] = None
        if len(self._unsent) >= _REQUESTS:
            self._send_more()

    def found(self, role: Role, text: str) -> Found | None:
        """Return the answer for `text`, once it is there; None if there will be none."""
        if self._process is None:
            return None
        if self._unsent:
            self._send_more()
        request = (str(role), text)
        if request in self._unsent and request not in self._found:
            del self._unsent[request]
            return None
        while request in self._unanswered:
            self._take_answers()
        return self._found.get(request)

    def forget(self) -> None:
        """Forget what was asked, and the answers."""
        self._unsent.clear()
        self._found.clear()

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is None:
            return
        self.forget()
        self._sent.clear()
        self._unanswered.clear()
        self._outstanding = 0
        process.kill()  # it holds nothing that could be lost
        process.wait()
        if self._receiver is not None:
            self._receiver.join()  # at the end of its pipe
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):  # what the pipe has not taken goes with it
                pipe.close()

    def _send_more(self) -> None:
        while not self._lines.empty():
            self._take_answers()
        while self._process is not None and self._unsent and self._outstanding < _BUSY:
            requests = list(islice(self._unsent, _REQUESTS))
            for request in requests:
                del self._unsent[request]
            self._send(requests)

    def _send(self, requests: list[_Request]) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._sent.append(requests)
        self._unanswered.update(requests)
        self._outstanding += sum(len(text) for _, text in requests)
        try:
            self._process.stdin.write(json.dumps(requests).encode("ascii") + b"\n")
            self._process.stdin.flush()
        except OSError:
            self._give_up()

    def _take_answers(self) -> None:
        """Take the next line of answers, which may still have to come."""
        try:
            answers = json.loads(self._lines.get(timeout=self._patience))
            for request, (learnings, is_clean) in zip(self._sent.popleft(), answers, strict=True):
                self._found[request] = Found(list(map(_learning, learnings)), is_clean)
                self._unanswered.discard(request)
                self._outstanding -= len(request[1])
            self._is_ready = True
        except (queue.Empty, LookupError, ValueError, TypeError):
            self._give_up()

    def _give_up(self) -> None:
        _log.info("the second process does not answer; its work is done here")
        self.close()


def _receive(stdout: IO[bytes], lines: queue.SimpleQueue[bytes]) -> None:
    """Take the answers off the pipe, so that neither process waits for the other to read; b"" is the end."""
    for line in stdout:
        lines.put(line)
    lines.put(b"")


def _has_second_core() -> bool:
    return (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1) > 1


def _learning(fields: dict[str, Any]) -> Learning:
    return Learning(**fields | {name: tuple(fields[name]) for name in ("reasons", "files", "tools")})


def _answer(role: str, text: str) -> tuple[list[dict[str, Any]], bool]:
    """Return what `Found` holds of `text` as JSON."""
    message = Message(0, Role(role), Kind.WORDS, text=text)
    learnings = list(learnings_in(message, text, ()))
    quoted = [replace(learning, quote=quotation.quote(text, learning.content)) for learning in learnings]
    return [learning.to_dict() for learning in quoted], bool(learnings) and redact(text).text == text


def main() -> None:
    """Answer the requests on standard input until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal, which the process that reads the transcripts handles
    for role in _ROLES:  # loads the models and the rules before anybody waits for them
        _answer(role, "We use `a_b` because it must never fail.")
    for line in sys.stdin.buffer:
        answers = [_answer(role, text) for role, text in json.loads(line)]
        sys.stdout.buffer.write(json.dumps(answers).encode("ascii") + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
