"""What the memory has shown to an agent is not learned again."""

from __future__ import annotations

import pytest

from capture.local.extraction.extractor import IncrementalExtractor
from capture.local.extraction.shown import Shown, is_ours
from capture.local.transcripts.messages import Kind, Message, Outcome, Role, ToolResult, ToolUse

LEARNED = "`vaultctl unseal` fails with a timeout because version 3 needs the flag `--legacy`."
CONTEXT = f"- [gotcha] {LEARNED} (bob)\n- [convention] Amounts are cents."


@pytest.mark.parametrize(
    ("statement", "repeated"),
    [
        (LEARNED, True),
        (
            "As the memory says, `vaultctl unseal` fails with a timeout because version 3 needs the flag `--legacy`",
            True,
        ),
        ("`vaultctl unseal` fails with a timeout because version 4 needs the flag `--legacy`.", False),
        ("`vaultctl unseal` does not fail with a timeout, version 3 needs the flag `--legacy`.", False),
        ("`vaultctl unseal` fails because the seal file of the cluster is owned by root.", False),
        ("It works now.", False),
    ],
)
def test_statement_is_repeated_if_its_words_figures_and_negations_were_shown(statement: str, repeated: bool) -> None:
    shown = Shown()
    shown.add(CONTEXT)

    assert shown.repeats(statement) is repeated


def test_text_that_the_terminal_has_wrapped_is_recognised() -> None:
    shown = Shown()
    shown.add(
        "1. gotcha\n   `vaultctl unseal` fails with a timeout\n   because version 3 needs\n   the flag `--legacy`."
    )

    assert shown.repeats(LEARNED) is True


def test_oldest_lines_go_once_there_are_many() -> None:
    shown = Shown()
    shown.add(LEARNED)
    shown.add("\n".join(f"line {number} of something else" for number in range(2_000)))

    assert (shown.repeats(LEARNED), sum(map(len, shown.lines)) <= 20_000) == (False, True)
    assert Shown(shown.lines).lines == shown.lines


@pytest.mark.parametrize(
    ("name", "command", "ours"),
    [
        ("mcp__memoryserver__search_memory", "", True),
        ("mcp__memoryserver__start_ghap", "", False),
        ("Bash", "cd x && memory search vaultctl", True),
        ("Bash", "memory show learnings/3", True),
        ("Bash", "memory ghap show", False),
        ("Bash", "grep -rn memory search", False),
        ("Read", "", False),
    ],
)
def test_calls_that_ask_what_the_memory_holds(name: str, command: str, ours: bool) -> None:
    assert is_ours(ToolUse("1", name, command)) is ours


def said(text: str, index: int = 3, role: Role = Role.AGENT) -> Message:
    return Message(index=index, role=role, kind=Kind.WORDS, text=text)


def searched() -> list[Message]:
    use = ToolUse("1", "Bash", "memory search vaultctl")
    result = ToolResult(use, Outcome.OK, f"learnings/21 [gotcha] {LEARNED}")
    return [
        Message(index=1, role=Role.AGENT, kind=Kind.TOOL_USE, uses=(use,)),
        Message(index=2, role=Role.TOOL, kind=Kind.TOOL_RESULT, results=(result,)),
    ]


def test_agent_that_repeats_what_it_found_or_was_told_teaches_nothing() -> None:
    assert [learning.content for learning in IncrementalExtractor().extract([said(LEARNED)])] == [LEARNED]
    assert IncrementalExtractor().extract([*searched(), said(LEARNED)]) == []
    assert IncrementalExtractor(context=lambda: CONTEXT).extract([said(LEARNED)]) == []


def test_what_was_shown_is_known_to_the_next_reading() -> None:
    first = IncrementalExtractor()
    first.extract(searched())

    assert IncrementalExtractor(first.memory).extract([said(LEARNED)], after=2) == []


def test_person_may_say_what_was_shown() -> None:
    rule = "Always run `make lint` before you push."
    extractor = IncrementalExtractor(context=lambda: f"- [preference] {rule}")

    assert [learning.content for learning in extractor.extract([said(rule, role=Role.PERSON)])] == [rule]
