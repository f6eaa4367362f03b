"""What is shown of a document that is not as this client knows it."""

from __future__ import annotations

from typing import Any

import pytest

from memorycli.reading.lookup import Match
from memorycli.rendering.documents import render, render_matches


def match(kind: str, **changes: str) -> Match:
    fields: dict[str, Any] = {
        "id": "x/1",
        "title": "t",
        "user": "alice",
        "project": "shop",
        "created_at": "2026-11-20T14:30:22Z",
    }
    return Match(kind, **(fields | {"url": "https://m/x/1/"} | changes))


@pytest.mark.parametrize(
    "document", [{}, {"details": None, "text": "a"}, {"details": {"entry": {"id": 7}}, "text": "a"}]
)
@pytest.mark.parametrize("kind", ["entry", "learning", "observation", "session", "something new"])
def test_document_of_another_version_is_shown_as_far_as_it_is_known(kind: str, document: dict[str, Any]) -> None:
    lines = render(match(kind), document).splitlines()

    assert lines[0] == f"x/1  {kind}, shop, alice, 2026-11-20"
    assert lines[-1] == "https://m/x/1/"
    assert ("a" in lines) == (document.get("text") == "a" and kind != "session")


def test_control_characters_are_removed() -> None:
    text = render(
        match("learning"), {"text": "a\x1b[31mb\x07", "details": {"type": "\x1b]0;x\x07t", "files": ["\x9b1m"]}}
    )

    assert ("\x1b" in text, "\x07" in text, "\x9b" in text, "ab" in text) == (False, False, False, True)


def test_matches_are_a_table() -> None:
    rows = [match("entry", id="ghap/ghap_1"), match("learning", id="learnings/12", title="long")]

    assert render_matches(rows).splitlines() == [
        "ghap/ghap_1   entry     2026-11-20  t",
        "learnings/12  learning  2026-11-20  long",
    ]
