"""Documents as a tool returns them: as much of each as there is room for, and how to read on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memorycli.mcp.answers import line, quoted


def blocks(documents: Sequence[dict[str, Any]], offset: int, room: int) -> list[str]:
    """Return the text of each document, all within `room` characters: an even share, and what shorter ones leave."""
    shown = [""] * len(documents)
    shortest_first = sorted(range(len(documents)), key=lambda place: (documents[place]["size"], place))
    for done, place in enumerate(shortest_first):
        shown[place] = _document(documents[place], offset, room // (len(documents) - done) - 1)
        room -= len(shown[place]) + 1
    return shown


def _document(document: dict[str, Any], offset: int, room: int) -> str:
    """Return a heading and as much of the document's text from `offset` on as there is room for."""
    about = [document["kind"], document["user"], document["created_at"][:10], document["project"]]
    head = f"{line(document['id'])} ({', '.join(line(part, 80) for part in about if part)})"
    text = document["text"][offset:]
    if offset and not text:
        return f"{head}\n[all of its {document['size']} characters are before offset {offset}]"
    quotation = quoted(text)
    if len(head) + 1 + len(quotation) <= room:
        return f"{head}\n{quotation}"
    # Quoting adds an unknown number of characters: shorten the part until it fits.
    part = text[: max(room - len(head) - 200, 0)]
    while len(head) + 201 + len(quoted(part)) > room and part:
        part = part[: int(len(part) * 0.8)]
    part = part.rpartition("\n")[0] or part
    rest = len(text) - len(part)
    next_call = f"get_memory with ids {line(document['id'])} and offset {offset + len(part)}"
    return f"{head}\n{quoted(part)}\n[{rest} of {document['size']} characters left; continue with: {next_call}]"
