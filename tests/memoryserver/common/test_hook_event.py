"""Events of agents' hooks, read with distrust, and the answers to them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryserver.common import hook_answer
from memoryserver.common.hook_event import EventError, HookEvent, parse


def test_event_is_read_with_its_names_bounded_and_clean() -> None:
    event = parse(
        b"\xef\xbb\xbf"
        + json.dumps(
            {"hook_event_name": "Stop", "session_id": " a\nb\u0000\x1b[1m ", "agent_id": 7, "source": "x" * 999}
        ).encode()
    )
    assert (event.name, event.session_id, event.agent_id) == ("Stop", "a b\ufffd", "7")
    assert len(event.word("source")) == 100
    assert (event.word("gone"), event.text("source", 5), event.path("source")) == ("", "xxxxx", "x" * 999)


@pytest.mark.parametrize("value", [None, True, [], {}, ["PostToolUse"]])
def test_field_of_another_kind_is_nothing(value: object) -> None:
    event = HookEvent({"hook_event_name": value, "session_id": value, "prompt": value, "cwd": value})
    assert (event.name, event.session_id, event.text("prompt", 9), event.path("cwd")) == ("", "", "", "")


@pytest.mark.parametrize(
    "data", [b"", b"nope", b"[1]", b'"x"', b"null", b"7", b"{" * 100_000, b"\x00\xff", b'{"a":1}}']
)
def test_what_is_no_event_is_refused_in_one_line(data: bytes) -> None:
    with pytest.raises(EventError) as caught:
        parse(data)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("raw", "agent"),
    [
        ({}, "claude-code"),
        ({"turn_id": "t"}, "codex"),
        ({"transcript_path": "/home/a/.codex/sessions/2026/x.jsonl"}, "codex"),
        ({"transcript_path": "/home/a/.claude/projects/x.jsonl"}, "claude-code"),
        ({"transcript_path": 7}, "claude-code"),
    ],
)
def test_agents_are_told_apart(raw: dict[str, object], agent: str) -> None:
    assert HookEvent(raw).agent == agent


def test_answer_holds_what_there_is_to_say_within_the_agents_bound() -> None:
    assert hook_answer.with_context("Stop") is None
    assert hook_answer.with_context("Stop", "", "") is None
    answer = hook_answer.with_context("PostToolUse", "first", "", "x\n" * 20_000, "lost")
    assert answer is not None
    output = answer["hookSpecificOutput"]
    assert isinstance(output, dict)
    assert output["hookEventName"] == "PostToolUse"
    context = output["additionalContext"]
    assert context.startswith("first\n\nx\nx")
    assert len(context) <= 10_000


@given(st.text(max_size=400), st.integers(0, 300))
def test_quoted_text_is_bounded_and_opens_no_tag(said: str, limit: int) -> None:
    shown = hook_answer.quoted("Head.", said, limit)
    assert len(shown) <= limit
    assert "<" not in shown


@given(st.text(max_size=200), st.integers(0, 250))
def test_shortened_text_is_the_beginning(said: str, limit: int) -> None:
    kept = hook_answer.shortened(said, limit)
    assert len(kept) <= limit or limit < 12
    assert kept == said or said.startswith(kept.removesuffix("… shortened").rstrip("\n"))
