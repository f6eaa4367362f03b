"""Every command that a message about the journal offers works from where it is offered."""

from __future__ import annotations

import re
import shlex
import shutil
import tempfile
from pathlib import Path

import pytest

from tests.memorycli.commands.test_ghap import RESOLVE, START
from tests.support.laptops.laptop import Laptop

ABANDON = ("ghap", "abandon", "--reason", "r")
STATES: dict[str, list[tuple[str, ...]]] = {
    "no journal": [],
    "session": [("session", "start")],
    "session ended": [("session", "start"), ("session", "end")],
    "active": [START],
    "orphan, no resolved": [START, ("session", "start")],
    "resolved": [START, RESOLVE],
    "resolved and active": [START, RESOLVE, START],
    "resolved before": [START, RESOLVE, ("session", "start")],
    "resolved before, active": [START, RESOLVE, ("session", "start"), START],
    "orphan": [START, RESOLVE, START, ("session", "start")],
}
COMMANDS = [
    START,
    RESOLVE,
    ABANDON,
    ("ghap", "update", "--note", "n"),
    ("ghap", "amend", "--note", "n"),
    ("ghap", "amend", "ghap_none", "--note", "n"),
    ("ghap", "adopt"),
    ("ghap", "abandon-orphan", "--reason", "r"),
    ("ghap", "show"),
    ("ghap", "show", "ghap_none"),
    ("ghap", "list"),
    ("ghap", "list", "--all"),
    ("session", "start"),
    ("session", "end"),
    ("session", "show"),
]
# A command ends where the sentence goes on.
OFFER = re.compile(r"memory (?:-c \S+ )?(?:ghap|session) .*?(?=, or |;| \(|$)", re.MULTILINE)

MADE = tempfile.TemporaryDirectory()
"""A journal in each state that was asked for, since a command takes longer than a copy."""

ENTRY = re.compile(r"ghap_\d{8}_\d{6}_[0-9a-f]{6}")  # a new journal has another one


def typed(offer: str) -> list[str]:
    """Return the words of a command that was offered, with values in place of what it leaves open."""
    words = ["confirmed" if word == "STATUS" else word for word in shlex.split(offer)[1:]]
    return [*words, *START[2:]] if "start" in words and "ghap" in words else words


def bring_into(memory: Laptop, state: str, place: list[str]) -> None:
    """Put a copy of a journal in `state` into the project; the first who asks for it makes it."""
    shutil.rmtree(memory.project / ".claude", ignore_errors=True)
    shutil.rmtree(memory.project / "an other", ignore_errors=True)
    journal = memory.project / place[1] if place else memory.journal
    made = Path(MADE.name) / state
    if made.exists():
        shutil.copytree(made, journal)
        return
    for step in STATES[state]:
        assert memory(*step, *place).status == 0
    if journal.exists():
        shutil.copytree(journal, made)


def offers(memory: Laptop, state: str, words: tuple[str, ...], place: list[str], *then: str) -> list[str]:
    """Return what `words` offers in a journal in `state`; with `then`, what that command does after them."""
    bring_into(memory, state, place)
    answer = memory(*words, *place)
    if then:
        named = ENTRY.search(answer.out + answer.err)
        answer = memory(*(named[0] if named and ENTRY.fullmatch(word) else word for word in then))
        assert answer.status == 0, answer.err
    return OFFER.findall(answer.out + answer.err)


@pytest.mark.parametrize("place", [[], ["--journal", "an other"]], ids=["default", "named"])
@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: "-".join(words[:3]))
@pytest.mark.parametrize("state", STATES)
def test_each_offered_command_works(memory: Laptop, state: str, words: tuple[str, ...], place: list[str]) -> None:
    for offer in offers(memory, state, words, place):
        offers(memory, state, words, place, *typed(offer))


@pytest.mark.parametrize(
    ("state", "words", "expected"),
    [
        ("active", START, ["ghap resolve STATUS --result TEXT", "ghap abandon --reason TEXT"]),
        ("orphan", START, ["ghap resolve STATUS --result TEXT", "ghap abandon-orphan --reason TEXT"]),
        ("orphan", ("ghap", "show"), ["ghap adopt", "ghap abandon-orphan --reason TEXT"]),
        ("active", ("session", "start"), ["ghap adopt", "ghap abandon-orphan --reason TEXT"]),
        ("no journal", RESOLVE, ["ghap start"]),
        ("resolved", ABANDON, ["ghap start"]),
        ("active", ("ghap", "amend", "--note", "n"), ["ghap resolve STATUS --result TEXT"]),
        ("session", ("ghap", "amend", "--note", "n"), ["ghap start"]),
        ("resolved", ("ghap", "amend", "ghap_none", "--note", "n"), ["ghap list --all"]),
        ("session", ("ghap", "list"), []),
        ("resolved before", ("ghap", "list"), ["ghap list --all"]),
        ("session ended", ("session", "show"), ["session start"]),
    ],
    ids=lambda value: "-".join(value[:3]) if isinstance(value, tuple) else None,
)
def test_commands_fit_the_state(memory: Laptop, state: str, words: tuple[str, ...], expected: list[str]) -> None:
    assert offers(memory, state, words, []) == [f"memory {offer}" for offer in expected]


@pytest.mark.parametrize("state", ["active", "orphan"])
def test_after_each_offered_command_an_entry_can_begin(memory: Laptop, state: str) -> None:
    for offer in offers(memory, state, START, []):
        offers(memory, state, START, [], *typed(offer))
        assert memory(*START).status == 0


def test_setting_of_this_run_is_part_of_the_offered_command(memory: Laptop) -> None:
    answer = memory("-c", "journal_dir=an other", *RESOLVE)

    assert answer.err == (
        "memory: no GHAP entry is active; begin one with: memory -c 'journal_dir=an other' ghap start\n"
    )
