"""Reading the answers of the endpoint."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from capture.judge.endpoint import Answer, BadAnswerError, EndpointError, Note, ask
from tests.support.fakes.broken_server import BROKEN, broken_server
from tests.support.fakes.chat_endpoint import ChatEndpoint, running, said

NOTES = {7: Note("Use uv"), 8: Note("All is done")}


def test_verdicts_are_read_by_their_ids_and_unknown_ones_are_left_out(chat: ChatEndpoint) -> None:
    chat.answer_verdicts(
        {"id": 8, "verdict": "reject", "reason": "a\nreport", "text": None},
        {"id": 7, "verdict": "rewrite", "text": "Use uv."},
        {"id": 9, "verdict": "accept"},
        {"id": 7.5, "verdict": "accept"},
        {"id": 8, "verdict": "perhaps"},
    )

    assert ask(NOTES) == {8: Answer("reject", "", "a report"), 7: Answer("rewrite", "Use uv.", "")}


def test_notes_are_sent_with_the_lines_around_them_both_redacted(chat: ChatEndpoint) -> None:
    chat.answer_verdicts()
    ask({7: Note("Use `uv` with password=hunter2hunter2", "First:\nexport password=hunter2hunter2"), 8: Note("Use uv")})

    (request,) = chat.requests
    assert json.loads(request["body"]["messages"][1]["content"])["notes"] == [
        {"id": 7, "note": "Use `uv` with password=[redacted:password]",
         "around": "First:\nexport password=[redacted:password]"},
        {"id": 8, "note": "Use uv", "around": ""},
    ]  # fmt: skip


def test_answer_in_a_fence_is_read(chat: ChatEndpoint) -> None:
    chat.answer({"body": said("```json\n" + json.dumps({"verdicts": [{"id": 7, "verdict": "accept"}]}) + "\n```")})

    assert ask(NOTES) == {7: Answer("accept", "", "")}


def test_without_a_key_no_header_is_sent(chat: ChatEndpoint, settings: Any) -> None:
    settings.LLM_KEY = ""
    chat.answer_verdicts()
    ask(NOTES)

    assert [request["key"] for request in chat.requests] == [None]


def test_error_of_the_endpoint_has_its_status_and_reason(chat: ChatEndpoint) -> None:
    chat.answer({"status": 429, "body": "slow\ndown"})

    with pytest.raises(EndpointError, match="status 429 slow down"):
        ask(NOTES)


def test_ids_as_strings_and_verdicts_in_capitals_are_read(chat: ChatEndpoint) -> None:
    others = [{"id": key, "verdict": "reject"} for key in ("٨", "", True, None)]
    chat.answer_verdicts({"id": "7", "verdict": "Accept"}, *others)

    assert ask(NOTES) == {7: Answer("accept", "", "")}


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_redirect_is_an_error_and_gets_neither_key_nor_notes(status: int, chat: ChatEndpoint, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with running(tmp_path / "other") as other:
        chat.answer({"status": status, "body": "", "location": f"{other.url}/chat/completions"})

        with pytest.raises(EndpointError, match=f"status {status}"):
            ask(NOTES)
        assert other.requests == []


def test_answer_that_trickles_in_is_given_up(chat: ChatEndpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("capture.judge.endpoint.TIMEOUT", 0.5)
    chat.answer({"body": "x" * 100, "pause": 0.2})

    with pytest.raises(EndpointError, match="too slowly"):
        ask(NOTES)


def test_answer_that_is_deeply_nested_is_a_bad_one(chat: ChatEndpoint) -> None:
    chat.answer({"body": said("[" * 100_000)})

    with pytest.raises(BadAnswerError):
        ask(NOTES)


@pytest.mark.parametrize("answer", BROKEN.values(), ids=BROKEN)
def test_answer_that_is_broken_off_is_an_error_of_the_endpoint(answer: bytes, settings: Any) -> None:
    with broken_server(answer) as port:
        settings.LLM_URL = f"http://127.0.0.1:{port}/v1"
        with pytest.raises((EndpointError, BadAnswerError)):
            ask(NOTES)
