"""From a transcript to learnings: corrections, decisions, commands, without duplicates."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from capture.local.extraction.extractor import IncrementalExtractor
from capture.local.extraction.learning import ADDED_TYPES, LEARNING_TYPES, PATTERN_TYPES, Learning
from capture.local.transcripts.agents.claude_code import ClaudeCodeReader
from capture.local.transcripts.messages import Kind, Message, Role
from tests.capture.local.extraction.labels import samples
from tests.support.agents.claude_transcripts import SAID, STOP, Transcript
from tests.support.examples import examples

CAUSE = "The root cause was that `parse()` drops the zone."


@pytest.fixture
def transcript(tmp_path: Path) -> Transcript:
    return Transcript(tmp_path / "session.jsonl")


def messages(transcript: Transcript) -> list[Message]:
    with transcript.path.open("rb") as file:
        return ClaudeCodeReader().read(file, 0, {}, limit=10**9).messages


def learned(transcript: Transcript) -> list[tuple[str, str]]:
    return [(learning.type, learning.content) for learning in IncrementalExtractor().extract(messages(transcript))]


def test_the_types_are_the_twelve_and_the_five():
    assert PATTERN_TYPES == (
        "decision", "solution", "outcome", "handoff", "checkpoint", "refactoring", "error_recovery", "optimization",
        "learning", "breakthrough", "test", "security",
    )  # fmt: skip
    assert ADDED_TYPES == ("correction", "preference", "convention", "command", "gotcha")
    assert LEARNING_TYPES == PATTERN_TYPES + ADDED_TYPES


def test_uses_all_12_pattern_types():
    messages = [message for sample in samples("labelled") for message in sample.messages]
    numbered = [replace(message, index=number) for number, message in enumerate(messages, 1)]
    assert set(PATTERN_TYPES) <= {learning.type for learning in IncrementalExtractor().extract(numbered)}


def test_extraction_returns_structured_learnings(transcript: Transcript):
    record = transcript.agent(CAUSE)
    (learning,) = IncrementalExtractor().extract(messages(transcript))
    assert learning.to_dict() == {
        "type": "solution",
        "content": CAUSE,
        "confidence": learning.confidence,
        "source_message_index": 1,
        "source_message_uuid": record["uuid"],
        "reasons": ["names the cause of a problem", "names code"],
        "files": [],
        "tools": [],
        "source": "stated",
        "time": record["timestamp"],
    }


def test_what_happened_is_observed_and_what_was_said_is_stated(transcript: Transcript):
    transcript.agent(CAUSE)
    transcript.ran("c1", "pytest -q", "Exit code 1\nModuleNotFoundError: No module named 'shop'", error=True)
    transcript.ran("c2", "uv run pytest -q", "12 passed in 0.4s")
    transcript.ran("c3", "npm install", SAID + "use pnpm in this repository", error=True)
    learnings = IncrementalExtractor().extract(messages(transcript))
    assert [(learning.type, learning.source) for learning in learnings] == [
        ("solution", "stated"),
        ("command", "observed"),
        ("correction", "observed"),
    ]


def test_extracts_only_messages_after_high_water_mark(transcript: Transcript):
    transcript.agent(CAUSE)
    transcript.agent("The culprit was `lru_cache` on a method.")
    learnings = IncrementalExtractor().extract(messages(transcript), after=1)
    assert [learning.source_message_index for learning in learnings] == [2]


def test_returns_empty_when_no_new_messages(transcript: Transcript):
    transcript.agent(CAUSE)
    assert IncrementalExtractor().extract(messages(transcript), after=1) == []


def test_handles_empty_transcript():
    assert IncrementalExtractor().extract([]) == []


def test_handles_malformed_messages_gracefully(transcript: Transcript):
    transcript.raw(b'{"type":"assistant","message":{"content":[{"type":"text"},7,{"type":"tool_use"}]}}\n{"broken\n')
    transcript.result("unknown", None, error=True)
    transcript.agent(CAUSE)
    assert learned(transcript) == [("solution", CAUSE)]


def test_the_same_statement_twice_is_one_learning(transcript: Transcript):
    transcript.agent(CAUSE)
    transcript.agent(CAUSE)
    assert len(learned(transcript)) == 1


def test_a_persons_words_in_a_rejection_are_a_correction(transcript: Transcript):
    transcript.ran("c1", "npm install", SAID + "use pnpm", error=True)
    transcript.use("c2", "Edit", {"file_path": "/nowhere/shop/a.css"})
    transcript.result("c2", SAID + "keep the colours in theme.css", error=True)
    assert learned(transcript) == [
        ("correction", "The person rejected the command `npm install` and said: “use pnpm”"),
        ("correction", "The person rejected an edit of `a.css` and said: “keep the colours in theme.css”"),
    ]


@pytest.mark.parametrize("marker", [True, False])
def test_a_persons_words_after_a_wordless_rejection_are_a_correction(transcript: Transcript, marker: bool):
    transcript.use("c1", "Write", {"file_path": "/nowhere/shop/b.py"})
    transcript.result("c1", STOP, error=True)
    if marker:
        transcript.person("[Request interrupted by user for tool use]")
    transcript.person("put it into the package, not beside it")
    assert learned(transcript) == [
        ("correction", "The person stopped writing `b.py` and said: “put it into the package, not beside it”")
    ]


@pytest.mark.parametrize(
    "words", ["continue", "sorry, go ahead", "ok", "what does this do?", "wrong button, try again"]
)
def test_words_without_a_correction_yield_nothing(transcript: Transcript, words: str):
    transcript.ran("c1", "make", STOP, error=True)
    transcript.person(words)
    assert learned(transcript) == []


def test_words_long_after_a_rejection_are_no_correction(transcript: Transcript):
    transcript.ran("c1", "make", STOP, error=True)
    transcript.agent("What shall I do?")
    transcript.person("look at the Makefile and tell me what it does")
    assert learned(transcript) == []


def test_an_answer_is_learned_with_its_question(transcript: Transcript):
    transcript.agent("Both would work. Which do you prefer, Vite or serve?")
    transcript.person("let's do vite")
    assert learned(transcript) == [
        ("decision", "Asked “Which do you prefer, Vite or serve?”, the person answered: “let's do vite”")
    ]


@pytest.mark.parametrize(
    ("question", "answer"),
    [("Would you like me to go on?", "yes do"), ("Which one?", "what's the difference?"), ("Done.", "use vite")],
)
def test_an_answer_without_a_choice_is_no_decision(transcript: Transcript, question: str, answer: str):
    transcript.agent(question)
    transcript.person(answer)
    assert learned(transcript) == []


def test_a_form_filled_in_is_a_decision_for_each_question(transcript: Transcript):
    transcript.use("c1", "AskUserQuestion", {"questions": []})
    transcript.result("c1", 'User has answered your questions: "Which database?"="Postgres". You can now continue.')
    assert learned(transcript) == [("decision", "Asked “Which database?”, the person answered: “Postgres”")]


def test_objection_keeps_what_the_agent_had_said_without_its_secrets(transcript: Transcript):
    transcript.agent("I updated `client.py` to use the token ghp_" + "a1B2" * 9 + " of `requests`.")
    transcript.person("no, use the other one, because the old client does not retry")
    said = "To “I updated `client.py` to use the token [redacted:github-token] of `requests`.” the person said: “no, "
    assert learned(transcript) == [("correction", said + "use the other one, because the old client does not retry”")]


def test_no_secret_reaches_a_learning_or_the_memory_and_all_are_counted(transcript: Transcript):
    token = "ghp_" + "a1B2" * 9
    transcript.ran("c1", f"curl -H 'X: {token}' h", f"curl: (7) Connection refused {token}", error=True)
    transcript.ran("c2", f"curl -H 'X: {token}' https://h/v2", "ok")
    transcript.person(f"always use the token {token} for the registry")
    transcript.agent("<private>The root cause was that `x` is my home address.</private> " + CAUSE)
    extractor = IncrementalExtractor()
    learnings = extractor.extract(messages(transcript))
    saved = json.dumps([[learning.to_dict() for learning in learnings], extractor.memory])
    assert [learning.type for learning in learnings] == ["command", "preference", "solution"]
    assert token not in saved
    assert "home address" not in saved
    assert extractor.redacted == {"github-token": 2, "private": 1}


STORY: list[tuple[str, tuple[Any, ...]]] = [
    ("agent", (CAUSE,)),
    ("ran", ("c1", "pytest -q", "ModuleNotFoundError: No module named 'a'")),
    ("ran", ("c2", "uv run pytest -q", "2 passed")),
    ("agent", ("Which do you prefer, A or B?",)),
    ("person", ("use A",)),
    ("agent", ("I updated `client.py` to use `requests`.",)),
    ("person", ("no, use the other one, because the old client does not retry",)),
    ("ran", ("c3", "npm install", STOP)),
    ("person", ("[Request interrupted by user for tool use]",)),
    ("person", ("we use pnpm in this repo",)),
    ("ran", ("c4", "make", "connection refused")),
    ("ran", ("c5", "docker compose up", "ok")),
    ("ran", ("c6", "make", "ok")),
    ("ran", ("c7", "just check-all -v", "ok")),
    ("ran", ("c8", "just check-all", "1 failed")),
    ("person", ("<bash-input>npm run lint:css</bash-input>",)),
    ("ran", ("c9", "npm run lint:css", "ok")),
    ("person", ("run `cargo test` before each commit",)),
    ("ran", ("c10", "cargo test", "ok")),
    ("ran", ("c11", "just lint-go", "a.go:1:2: os/exec.Command must not be called (noctx)")),
    ("edited", ("e1", "/nowhere/shop/a.go", "cmd := exec.Command(x)", "cmd := exec.CommandContext(c, x)")),
    ("ran", ("c12", "just lint-go", "ok")),
]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(60))
@given(parts=st.lists(st.sampled_from(STORY), max_size=14), cuts=st.sets(st.integers(0, 40)))
def test_session_read_in_pieces_yields_the_learnings_of_a_single_reading(
    tmp_path_factory: pytest.TempPathFactory, parts: list[tuple[str, tuple[Any, ...]]], cuts: set[int]
):
    transcript = Transcript(tmp_path_factory.mktemp("story") / "session.jsonl")
    transcript.agent("start")
    for method, arguments in parts:
        if method == "ran":
            failed = arguments[2] not in ("ok", "2 passed")
            transcript.ran(*arguments, error=failed)
        elif method == "edited":
            call, file, old, new = arguments
            transcript.use(call, "Edit", {"file_path": file, "old_string": old, "new_string": new})
            transcript.result(call, "ok")
        else:
            getattr(transcript, method)(*arguments)
    every = messages(transcript)
    pieces: list[Learning] = []
    memory: dict[str, Any] = {}
    for start, end in zip([0, *sorted(cuts)], [*sorted(cuts), len(every)], strict=True):
        extractor = IncrementalExtractor(json.loads(json.dumps(memory)))
        pieces += extractor.extract(every[start:end])
        memory = extractor.memory
    first_of_each = {(learning.type, learning.content): learning for learning in reversed(pieces)}
    whole = IncrementalExtractor().extract(every)
    assert {key: learning.source_message_index for key, learning in first_of_each.items()} == {
        (learning.type, learning.content): learning.source_message_index for learning in whole
    }


def test_a_machines_message_yields_nothing():
    assert IncrementalExtractor().extract([Message(1, Role.MACHINE, Kind.OTHER, text="")]) == []
