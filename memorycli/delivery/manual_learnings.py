"""Learnings that an agent or a person stores: checked, into the outbox, from there to the server one by one.

The server recognises such a learning by its wording, and marks its source as "agent".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any, Literal

from capture.local.extraction.learning_form import fault_of
from memorycli.delivery import connection, stored_learnings
from memorycli.errors import CommandError
from memoryserver.client import context_cache, delivery, home_folder
from memoryserver.client.delivery import Item, Report
from memoryserver.client.http import Client, RefusedError, ServerError
from memoryserver.client.outbox import Outbox, OutboxChannel
from memoryserver.common.files import LockTimeoutError, lock, make_folder
from memoryserver.common.ids import uuid7
from memoryserver.common.redaction import redact
from memoryserver.common.text import clean_json

OUTBOX_KIND = "learnings"
PATH = "/learnings"
_MAX_BATCH = 20  # learnings that one call sends; more would delay the agent
_LATER_FIELDS = frozenset({"time", "session_id", "stored_by"})  # that servers of version 0.1 refuse
_CUT = re.compile(r"\[redacted:[\w-]+\]")


Answered = Callable[[Any, Any], None]


@dataclass(frozen=True)
class Stored:
    """What became of a learning: `known` if it was stored before, `refused` why the server did not take it.

    `later` says why it waits in the outbox. `key` is its number on the server, None where it has not just said it;
    `hidden` if the server has it hidden, as somebody said that it does not hold. `new_project` is the key of the
    private project that the server created for it, which a mistyped key does too, or "".
    """

    known: bool = False
    refused: str = ""
    later: str = ""
    key: int | None = None
    hidden: bool = False
    new_project: str = ""

    def __str__(self) -> str:
        return "Stored" if self.key is None else f"Stored as learnings/{self.key}"


def body(
    *,
    type: str,  # noqa: A002  (the API's own word)
    content: str,
    project: str,
    files: Sequence[str] = (),
    session: str = "",
    stored_by: Literal["agent", "person"] | None = None,
    replaces: Sequence[int] = (),
) -> dict[str, object]:
    """Return what is sent, without secrets, with the time of now. `project` is a project's key.

    `session` is the id of the agent's session that stores it, "" if none is known; `stored_by` is None if it is not
    known whether an agent does. `replaces` are the ids of learnings that it makes untrue. Raises ValueError if no
    content is left.
    """
    redacted = redact(content).text.strip()
    if not _CUT.sub("", redacted).strip():
        raise ValueError("nothing is left of the content once secrets and private parts are cut out")
    sent: dict[str, object] = {"type": type, "content": redacted, "project": project, "files": list(files)}
    if replaces:  # a server that is too old to know it refuses the learning, so that nobody believes it was replaced
        sent["replaces"] = list(replaces)
    sent |= {"time": datetime.now(UTC).isoformat(timespec="milliseconds"), "session_id": session}
    return sent | {"stored_by": stored_by}


def objection(content: Mapping[str, object], *, on_laptop: bool = True) -> str:
    """Return in one sentence what keeps `content`, the return value of `body`, from being a good learning, or "".

    It is not of the form of one (`fault_of`) or, as far as the files of this laptop tell, says the same as another,
    which one that replaces others may almost do.
    """
    fault = fault_of(str(content["type"]), str(content["content"]))
    if fault is not None:
        return str(fault)
    known = stored_learnings.similar_to(content) if on_laptop and not content.get("replaces") else ""
    return f"it says the same as \u201c{known}\u201d; store only what that does not say." if known else ""


def _ignore(content: Any, answer: Any) -> None:
    """The answer to what others have stored does not matter."""


class LearningChannel(OutboxChannel):
    """Sends the learnings one by one."""

    def settle(self, outcomes: Sequence[tuple[Item[Path], str | None]]) -> None:
        """Remove what was accepted, which the project's context may now contain, and move the rest to `failed/`."""
        super().settle(outcomes)
        for item, reason in outcomes:
            if reason is None:
                context_cache.record_change(str(item.content.get("project", "")))


def store(content: dict[str, object], *, again: bool = False, timeout: float = 10.0) -> Stored:
    """Save the return value of `body` in the outbox, then send it to this laptop's server, if it has one.

    One that was stored before is sent only with `again`, or if it still waits. `timeout` is in seconds. Raises OSError,
    LockTimeoutError.
    """
    if not again and stored_learnings.contains(content):
        return Stored(known=True, later=_send(timeout, _ignore) if outbox().waiting() else "")
    identifier, sent = save(content), clean_json(content)
    answers: list[dict[str, Any]] = []

    def note(other: Any, answer: Any) -> None:
        if other == sent and isinstance(answer, dict):
            answers.append(answer)

    later = _send(timeout, note)
    refused = "" if later else outbox().take_back(identifier) or ""
    key = next((answer.get("id") for answer in answers), None)
    hidden = any(answer.get("hidden") for answer in answers)
    if not refused and not hidden:
        stored_learnings.add(content)
    created = any(answer.get("new_project") for answer in answers)  # an older server does not say
    new_project = str(content["project"]) if created else ""
    return Stored(refused=refused, later=later, key=key, hidden=hidden, new_project=new_project)


def _send(timeout: float, answered: Answered) -> str:
    """Send what waits; return why it goes on waiting, or ""."""
    if len(outbox().waiting()) > _MAX_BATCH:
        return "many others must be sent first, which the next sync does"
    try:
        return deliver(connection.load(timeout=timeout), answered=answered).later
    except (ServerError, CommandError) as error:
        return str(error)


def outbox() -> Outbox:
    """Return the outbox in which they wait."""
    return Outbox(home_folder.path(), OUTBOX_KIND)


def save(content: dict[str, object]) -> str:
    """Put the return value of `body` into the outbox, from which `deliver` sends it; return its id. Raises OSError."""
    identifier = str(uuid7())
    outbox().add(identifier, clean_json(content))
    return identifier


def deliver(client: Client, *, retry_failed: bool = False, answered: Answered = _ignore) -> Report:
    """Send what waits, with `retry_failed` also what was set aside; one process of this laptop at a time.

    `answered` is called with what was sent and the server's answer. Raises UnauthorizedError, OSError.
    """

    def send(path: str, content: Any) -> Any:
        answer = post(client, path, content)
        answered(content, answer)
        return answer

    try:
        with lock(make_folder(home_folder.path()) / ".learnings.lock"):
            if retry_failed:
                outbox().put_back()
            return delivery.deliver(LearningChannel(outbox(), PATH), send)
    except LockTimeoutError as error:
        return Report(later=str(error))


def post(client: Client, path: str, content: Any) -> Any:
    """Send one learning; a server that is too old to know session and time gets it without them."""
    try:
        return client.post(path, content)
    except RefusedError as error:
        if error.status != HTTPStatus.UNPROCESSABLE_ENTITY or not _LATER_FIELDS & content.keys():
            raise
    return client.post(path, {name: value for name, value in content.items() if name not in _LATER_FIELDS})
