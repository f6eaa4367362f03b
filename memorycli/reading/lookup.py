"""Asks the server what an id names, and reads what it names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from memorycli.arguments.learning_ids import document_id, key_of
from memorycli.errors import CommandError
from memoryserver.client.http import Client, RefusedError
from memoryserver.common import text

_SESSION = "session"
_FIELDS = ("kind", "id", "title", "user", "project", "created_at", "page")


@dataclass(frozen=True)
class Match:
    """One thing that an id names: its kind, the id to read it by, and the address of its page.

    `hidden` is the whole of a learning that was hidden, which its owner alone finds, by the whole id; else None.
    """

    kind: str
    id: str
    title: str
    user: str
    project: str
    created_at: str
    url: str
    hidden: dict[str, Any] | None = None


def look_up(client: Client, word: str) -> Sequence[Match]:
    """Return what the id, its beginning, or the address of a page names. Raises CommandError and ServerError.

    `[12]`, as a context has it behind a line, is the id of a learning, as 12 is to the server.
    """
    word = document_id(word) if word.strip().startswith("[") else word
    if word.startswith(("http://", "https://")) and not word.startswith(client.url + "/"):
        raise CommandError(f"that is not a page of {client.url}, the server that you are logged in to")
    try:
        answer = client.get("/lookup", {"id": word.removeprefix(client.url)})
    except RefusedError as error:
        if error.status == 404:
            raise CommandError(f"{client.url} is too old to look up ids; update the server") from error
        raise
    try:
        return [_match(client, fields) for fields in answer["matches"]] or _hidden_learning(client, word)
    except (KeyError, TypeError, AttributeError) as error:
        raise CommandError(f"{client.url} does not answer like a memoryserver") from error


def read(client: Client, match: Match) -> dict[str, Any]:
    """Return the whole of `match` as the API gives it. Raises CommandError and ServerError."""
    source, _, key = match.id.partition("/")
    if match.hidden:  # read already: again, it would count as opened twice
        content = match.hidden["content"]
        return {"source": source, "key": key, "title": match.title, "text": content, "details": match.hidden}
    path = f"/memory/{quote(source, safe='')}/{quote(key, safe='')}"
    if match.kind == _SESSION:
        path = f"/trajectory/sessions/{quote(key, safe='')}/assessment"
    answer = client.get(path)
    if not isinstance(answer, dict):
        raise CommandError(f"{client.url} does not answer like a memoryserver")
    return answer


def _hidden_learning(client: Client, word: str) -> Sequence[Match]:
    """Return the hidden learning that `word` names; searches and lookups have none that are hidden."""
    try:
        key = key_of(word)
        learning = client.get(f"/learnings/{key}")
    except ValueError:
        return []
    except RefusedError as error:
        if error.status == 404:
            return []
        raise
    fields = {"kind": "learning", "title": learning["content"], "created_at": learning["first_seen"]}
    page = {"id": f"learnings/{key}", "page": f"/learnings/{key}/"}
    return [replace(_match(client, {**learning, **fields, **page}), hidden=learning)] if learning["hidden"] else []


def _match(client: Client, fields: dict[str, Any]) -> Match:
    kind, id_, title, user, project, created_at, page = (
        text.one_line(text.printable(str(fields[name] or ""))) for name in _FIELDS
    )
    is_path = page.startswith("/") and not page.startswith("//")  # no answer makes a browser open another server
    return Match(kind, id_, title, user, project, created_at, client.url + page if is_path else "")
