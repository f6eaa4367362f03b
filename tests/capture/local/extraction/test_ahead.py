"""The second process of a large scan finds what this one would, and nothing depends on it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from capture.local.extraction import ahead as ahead_module
from capture.local.extraction import quotation
from capture.local.extraction.ahead import LEAST_BYTES, Ahead, Found
from capture.local.extraction.extractor import IncrementalExtractor
from capture.local.extraction.learning import Learning
from capture.local.extraction.sentence_learnings import learnings_in
from capture.local.transcripts.messages import Kind, Message, Role
from tests.capture.local.simulated import World
from tests.support.laptops.capture_laptop import Laptop, cause

CAUSE = "The root cause was that `load_row()` returned None because the cache was not locked."
RULE = "Always run `just check` before you commit, because the hooks of this repository are off."
SECRET = "The root cause was that `connect()` took password=hunter2hunter2 because the cache was not locked."
WORDS = [
    (Role.AGENT, CAUSE),
    (Role.AGENT, "Now let me look at the tests."),
    (Role.AGENT, f"I looked at it.\n\n{CAUSE}\n\nShall I fix it or leave it as it is?"),
    (Role.AGENT, SECRET),
    (Role.AGENT, f"<private>not for others</private>\n\n{CAUSE.replace('load_row', 'save_row')}"),
    (Role.PERSON, RULE),
    (Role.PERSON, "thanks"),
]
MESSAGES = [
    Message(index, role, Kind.WORDS, f"uuid-{index}", text, time=f"2026-03-01T10:00:{index:02}Z")
    for index, (role, text) in enumerate(WORDS, 1)
]


@pytest.fixture
def ahead() -> Iterator[Ahead]:
    process = Ahead()
    process.expect(LEAST_BYTES)
    yield process
    process.close()


def answer(ahead: Ahead, message: Message) -> Found | None:
    """What it finds in the message, once it is ready; None if it never will be."""
    found = None
    while ahead.is_running and found is None:
        ahead.ask(message)
        found = ahead.found(message.role, message.text)
        time.sleep(0.01)
    return found


def learned(ahead: Ahead | None) -> list[Learning]:
    extractor = IncrementalExtractor(ahead=ahead.found) if ahead else IncrementalExtractor()
    texts = {message.index: message.text for message in MESSAGES}
    learnings = extractor.extract([replace(message) for message in MESSAGES])
    return [replace(one, quote=quotation.quote(texts[one.source_message_index], one.content)) for one in learnings]


def test_answers_are_what_is_found_here_with_the_quotations(ahead: Ahead) -> None:
    for message in MESSAGES:  # some of which hold learnings
        bare = Message(0, message.role, Kind.WORDS, text=message.text)
        here = [
            replace(learning, quote=quotation.quote(message.text, learning.content))
            for learning in learnings_in(bare, message.text, ())
        ]
        found = answer(ahead, message)
        assert found is not None
        assert found.learnings == here


def test_only_a_text_with_learnings_and_without_secrets_is_called_clean(ahead: Ahead) -> None:
    found = [answer(ahead, message) for message in MESSAGES if message.text in (CAUSE, SECRET, "thanks")]
    assert [one.is_clean for one in found if one is not None] == [True, False, False]


def test_the_same_is_learned_with_it_and_without_it(ahead: Ahead) -> None:
    for message in MESSAGES:
        answer(ahead, message)
    assert learned(ahead) == learned(None)
    assert "hunter2" not in str(learned(ahead))
    assert [learning.source_message_index for learning in learned(ahead)] == [1, 4, 5, 6]


def test_text_that_it_was_not_asked_about_is_left_to_this_process(ahead: Ahead) -> None:
    assert answer(ahead, MESSAGES[0]) is not None
    assert ahead.found(Role.PERSON, CAUSE) is None
    ahead.forget()
    assert ahead.found(Role.AGENT, CAUSE) is None


def test_very_many_texts_at_once_are_all_answered_or_left_to_this_process(ahead: Ahead) -> None:
    answer(ahead, MESSAGES[0])
    texts = [f"{CAUSE.replace('load', f'load_{number}')} {'It was slow. ' * 20}" for number in range(1500)]
    for text in texts:
        ahead.ask(Message(1, Role.AGENT, Kind.WORDS, text=text))
    found = [ahead.found(Role.AGENT, text) for text in texts]
    answered = [(text, one) for text, one in zip(texts, found, strict=True) if one is not None]
    assert len(answered) > 50
    assert all(one.learnings[0].content in text for text, one in answered)
    assert ahead.is_running


def test_a_small_scan_starts_none() -> None:
    ahead = Ahead()
    ahead.expect(LEAST_BYTES - 1)
    started = [ahead.is_running]
    ahead.ask(MESSAGES[0])
    assert ahead.found(Role.AGENT, CAUSE) is None
    ahead.expect(1)  # of the next transcript
    started.append(ahead.is_running)
    ahead.close()
    assert started == [False, True]


def test_a_scan_that_nobody_waits_for_starts_none() -> None:
    ahead = Ahead(is_allowed=False)
    ahead.expect(LEAST_BYTES)
    assert not ahead.is_running


def test_second_process_helps_with_a_large_scan_of_a_person_alone(
    laptop: Laptop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second process shortens the wait for a scan; the daemon, for which nobody waits, keeps its memory low."""
    started: list[object] = []

    class Popen(subprocess.Popen[bytes]):
        def __init__(self, command: list[str], **options: Any) -> None:
            started.append(command)
            super().__init__(command, **options)

    monkeypatch.setattr(ahead_module, "LEAST_BYTES", 1)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
    monkeypatch.setattr(subprocess, "Popen", Popen)
    laptop.transcript.agent(cause(1))
    World(laptop, 1).run()
    by_daemon = len(started)
    laptop.transcript.agent(cause(2))
    laptop.scan()
    assert (by_daemon, len(started)) == (0, 1)


@pytest.mark.parametrize(
    "script",
    [
        "pass",
        "print(input()); print('no json'); input()",
        "print(input()); input(); print('[]')",
        "print(input()); input(); print('[[[{}], true]]')",
        "print(input()); input(); input()",
    ],
    ids=["ends at once", "says nonsense", "answers too little", "answers something else", "says nothing more"],
)
def test_whatever_becomes_of_it_its_work_is_done_here(script: str) -> None:
    ahead = Ahead([sys.executable, "-uc", script], patience=0.5)
    ahead.expect(LEAST_BYTES)
    assert answer(ahead, MESSAGES[0]) is None
    assert learned(ahead) == learned(None)


def test_a_program_that_cannot_be_started_is_done_without() -> None:
    ahead = Ahead(["/nowhere/python"])
    ahead.expect(LEAST_BYTES)
    assert not ahead.is_running


def test_closing_it_ends_the_process_also_at_work(tmp_path: Path) -> None:
    script = (
        f"import os, time; open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid())); print('[]'); time.sleep(60)"
    )
    ahead = Ahead([sys.executable, "-uc", script])
    ahead.expect(LEAST_BYTES)
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
        time.sleep(0.01)
    ahead.close()
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_the_program_answers_until_its_input_ends() -> None:
    command = [sys.executable, "-P", "-m", "capture.local.extraction.ahead"]
    done = subprocess.run(command, input=b'[]\n[["person", "thanks"]]\n', capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"[]\n[[[], false]]\n", b"")
