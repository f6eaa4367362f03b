"""How hits look in a terminal."""

from __future__ import annotations

from typing import Any

import pytest

from memorycli.rendering.search_hits import render
from memoryserver.common.columns import columns_of


def hit(**changes: Any) -> dict[str, Any]:
    return {
        "kind": "confirmed debugging",
        "title": "Stop the export from hanging",
        "text": "Hypothesis: It waits for a lock",
        "project": "shop",
        "user": "alice",
        "created_at": "2026-11-20T14:30:22Z",
        "page": "/entries/7/",
        "semantic_rank": 1,
        "lexical_rank": 22,
        "words": ["hanging", "export"],
        "same": [],
        **changes,
    }


def answer(*hits: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {
        "note": None,
        "hits": list(hits),
        "found": len(hits),
        "folded": 0,
        "before": 0,
        "next_cursor": None,
        **changes,
    }


def test_hit_has_title_where_and_when_text_why_and_url() -> None:
    assert render(answer(hit()), "https://memory.example/").splitlines() == [
        "1. Stop the export from hanging",
        "   confirmed debugging, shop, alice, 2026-11-20",
        "   Hypothesis: It waits for a lock",
        "   found by meaning (1st) and by words (22nd): hanging, export",
        "   https://memory.example/entries/7/",
        "",
        "1 found.",
    ]


def test_hit_without_a_title_begins_with_its_text_and_names_near_equal_ones() -> None:
    learning = hit(title="", text="Deploys need the VPN", project=None, lexical_rank=None, words=[], page="")
    learning["same"] = [f"learnings/{number}" for number in range(5)]

    assert render(answer(learning, folded=5), "").splitlines() == [
        "1. Deploys need the VPN",
        "   confirmed debugging, alice, 2026-11-20",
        "   found by meaning (1st)",
        "   the same: learnings/0, learnings/1, learnings/2 and 2 more",
        "",
        "1 found (5 near-equal to one of them not shown).",
    ]


def test_text_below_a_title_keeps_its_first_lines() -> None:
    rendered = render(
        answer(hit(text="Lesson: Close  it\n\nCause: It\twas open\n" + "\n".join("abcdef"))), ""
    ).splitlines()

    assert rendered[2:8] == [
        *("   Lesson: Close it", "   Cause: It was open", "   a", "   b", "   c …"),
        "   found by meaning (1st) and by words (22nd): hanging, export",
    ]


def test_hit_that_is_not_settled_says_so_after_its_kind() -> None:
    shown = render(answer(hit(origin={"seen": "1", "state": "provisional"})), "")

    assert shown.splitlines()[1] == "   confirmed debugging, provisional, shop, alice, 2026-11-20"


@pytest.mark.parametrize(("columns", "most"), [("40", 40), ("80", 80), ("200", 100)])
@pytest.mark.parametrize("text", ["word " * 100, "数据库连接池" * 60, "x" * 300], ids=["words", "wide", "one word"])
def test_lines_fit_the_terminal_and_are_never_too_long_to_read(
    text: str, columns: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    long = hit(title=text, text=text, project=text, words=[text] * 9, same=[text] * 9)

    rendered = render(answer(long, note=text), "").splitlines()

    assert max(map(columns_of, rendered)) in (most, most - 1)
    assert [line for line in rendered if line != line.rstrip()] == []


def test_number_of_two_digits_keeps_its_blank() -> None:
    assert render(answer(hit(), found=30, before=19, next_cursor="x"), "").splitlines()[0][:9] == "20. Stop "


def test_control_characters_and_line_breaks_of_a_title_are_removed() -> None:
    rendered = render(answer(hit(title="\x1b[31mRed\x1b[0m\n2. forged", page="/entries/\n7/")), "https://m")

    assert rendered.splitlines()[0] == "1. Red 2. forged"
    assert "https://m/entries/ 7/" in rendered
    assert "\x1b" not in rendered


@pytest.mark.parametrize(
    ("result", "last"),
    [
        (answer(), "Nothing found; try other words, or fewer filters."),
        (answer(found=2, before=5), "No more hits."),
        (
            answer(hit(), found=12, folded=3, next_cursor="WzVd"),
            "12 found (3 near-equal to one of them not shown); for the next: --cursor WzVd",
        ),
    ],
    ids=["nothing", "behind the end", "a page"],
)
def test_last_line_says_what_is_left(result: dict[str, Any], last: str) -> None:
    assert render(result, "").splitlines()[-1] == last


def test_older_server_without_newer_fields_is_understood() -> None:
    old = {name: value for name, value in hit().items() if name not in {"words", "same", "page"}}

    assert render({"note": None, "hits": [old]}, "https://m").splitlines()[3:] == [
        "   found by meaning (1st) and by words (22nd)"
    ]
