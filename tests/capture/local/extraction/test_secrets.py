"""No secret gets into a learning or into the memory between readings, wherever in a session it is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from capture.local.extraction.extractor import IncrementalExtractor
from capture.local.transcripts.agents.claude_code import ClaudeCodeReader
from tests.support.agents.claude_transcripts import SAID, STOP, Transcript
from tests.support.examples import examples
from tests.support.requests.vendor_tokens import survives, vendor_secrets


def _in_a_rejection(transcript: Transcript, secret: str) -> None:
    transcript.ran("c1", "npm publish", SAID + f"use the token {secret} for it", error=True)


def _after_a_rejection(transcript: Transcript, secret: str) -> None:
    transcript.ran("c1", "npm publish", STOP, error=True)
    transcript.person(f"publish it with {secret} please")


def _in_an_answer(transcript: Transcript, secret: str) -> None:
    transcript.agent(f"Which of the two do you prefer, {secret} or the other?")
    transcript.person(f"let's use {secret}")


def _in_a_form(transcript: Transcript, secret: str) -> None:
    transcript.use("c1", "AskUserQuestion", {"questions": []})
    transcript.result("c1", f'User has answered your questions: "Which token is it?"="{secret}". You can now continue.')


def _in_an_error(transcript: Transcript, secret: str) -> None:
    transcript.ran("c1", "pytest -q", f"Exit code 1\nModuleNotFoundError: No module named '{secret}'", error=True)
    transcript.agent(f"The import needs to name `shop` because {secret} is not a module.")
    transcript.use("c2", "Edit", {"file_path": "/nowhere/shop/a.py"})
    transcript.result("c2", "ok")
    transcript.ran("c3", "pytest -q", f"3 passed in {secret}")


def _in_a_command(transcript: Transcript, secret: str) -> None:
    transcript.ran("c1", f"curl -H 'X: {secret}' h", "Exit code 7\ncurl: (7) Connection refused", error=True)
    transcript.ran("c2", f"curl -H 'X: {secret}' https://h/v2", "ok")


PLACES: dict[str, Callable[[Transcript, str], object]] = {
    "agent": lambda transcript, secret: transcript.agent(f"The root cause was that `deploy()` logged {secret}."),
    "agent, next line": lambda transcript, secret: transcript.agent(
        f"I decided to rotate the key in `.env`, because the old one was\n{secret}\nand everybody had it."
    ),
    "person": lambda transcript, secret: transcript.person(f"always use the token {secret} for the registry"),
    "rejection": _in_a_rejection,
    "after a rejection": _after_a_rejection,
    "answer": _in_an_answer,
    "form": _in_a_form,
    "error": _in_an_error,
    "command": _in_a_command,
}
ENCODINGS: list[Callable[[str], str]] = [
    lambda secret: secret,
    lambda secret: json.dumps({"key": secret}),
    lambda secret: f"https://h.example/?t={secret}&y=2",
    lambda secret: f"{secret[:9]}\n{secret[9:]}",
    lambda secret: f"`{secret[:14]}\\n{secret[14:]}`",
    lambda secret: f"\x1b[31m{secret}\x1b[0m",
]


@pytest.mark.parametrize("place", PLACES)
@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(made=vendor_secrets(), encoding=st.sampled_from(ENCODINGS))
def test_secret_in_any_place_and_encoding_is_neither_in_a_learning_nor_in_the_memory(
    tmp_path_factory: pytest.TempPathFactory,
    place: str,
    made: tuple[str, str, str],
    encoding: Callable[[str], str],
):
    _, secret, random = made
    transcript = Transcript(Path(tmp_path_factory.mktemp("secret")) / "session.jsonl")
    PLACES[place](transcript, encoding(secret))
    with transcript.path.open("rb") as file:
        messages = ClaudeCodeReader().read(file, 0, {}, limit=10**9).messages
    extractor = IncrementalExtractor()
    learnings = [{**learning.to_dict(), "source_message_uuid": ""} for learning in extractor.extract(messages)]
    saved = json.dumps([learnings, extractor.memory], ensure_ascii=False)
    assert not survives(random, saved)
    assert not survives(random, saved.replace(" ", ""))  # a paragraph's lines are joined by spaces
    assert not survives(random, json.dumps(extractor.redacted))
