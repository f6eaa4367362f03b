"""Documents within the room of an answer."""

from __future__ import annotations

from typing import Any

import pytest

from memorycli.mcp.documents import blocks


def document(number: int, text: str) -> dict[str, Any]:
    return {
        "id": f"learnings/{number}",
        "kind": "gotcha",
        "user": "ada",
        "created_at": "2026-11-20T14:30:22Z",
        "project": "shop",
        "text": text,
        "size": len(text),
    }


def test_document_that_fits_is_whole_under_its_heading() -> None:
    assert blocks([document(1, "Use uv.\nNot pip.")], 0, 1000) == [
        "learnings/1 (gotcha, ada, 2026-11-20, shop)\n| Use uv.\n| Not pip."
    ]


@pytest.mark.parametrize("room", [900, 2_000, 5_000])
def test_long_ones_share_what_the_short_one_leaves_and_say_how_to_go_on(room: int) -> None:
    words = "\n".join(f"{number} words" for number in range(800))
    first, short, last = blocks([document(1, words), document(2, "Short."), document(3, words)], 0, room)

    assert short == "learnings/2 (gotcha, ada, 2026-11-20, shop)\n| Short."
    assert len(first) + len(short) + len(last) + 3 <= room
    assert len(first) + len(last) > room * 0.6
    assert first.splitlines()[-1].startswith(f"[{len(words) - _shown(first)} of {len(words)} characters left; continue")


def test_part_goes_on_where_the_last_one_ended() -> None:
    words = "\n".join(f"{number} words" for number in range(100))
    (first,) = blocks([document(1, words)], 0, 700)
    (rest,) = blocks([document(1, words)], _shown(first), 5_000)

    read = [line[2:] for block in (first, rest) for line in block.splitlines() if line.startswith("| ")]
    assert read == words.split("\n")


def test_document_that_ends_before_the_offset_says_so_and_an_empty_one_is_empty() -> None:
    head = "learnings/1 (gotcha, ada, 2026-11-20, shop)"
    assert blocks([document(1, "Use uv.")], 7, 1000) == [f"{head}\n[all of its 7 characters are before offset 7]"]
    assert blocks([document(1, "Use uv.")], 6, 1000) == [f"{head}\n| ."]
    assert blocks([document(1, "")], 0, 1000) == [f"{head}\n|"]


def _shown(block: str) -> int:
    """How many characters of the text a block has, as it says."""
    return int(block.splitlines()[-1].rpartition("offset ")[2].rstrip("]"))
