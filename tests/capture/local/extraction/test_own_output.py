"""Text that this product has shown to an agent yields no learning when the agent repeats it."""

from __future__ import annotations

import re

import pytest

from capture.local.extraction import own_output
from capture.local.extraction.extractor import IncrementalExtractor
from capture.local.transcripts.messages import Kind, Message, Role
from memorycli.hook import messages
from memoryserver.common import hook_answer
from tests.capture.local.extraction.labels import SETS, extracted, samples
from trajectory.local.engine.assessment import Assessment, Observation, render_all
from trajectory.local.engine.context_section import context_for

CAUSE = "The root cause was that `parse()` drops the zone."


class Entry:
    """An open entry of the journal, as far as the hook shows it."""

    id = "ghap_20260301_100000_abc123"
    iteration = 2

    def lines(self, *names: str) -> list[str]:
        return [f"{name}: {CAUSE}" for name in names]


def _assessment() -> Assessment:
    return Assessment("StallDetector", CAUSE, (Observation("stall", CAUSE, CAUSE),), (CAUSE,), "warning")


ENTRY = Entry()
_GLAD = "a later session would be glad to know"
INJECTED = {
    "question after a failure": f"`make` failed 2 times before it worked: if {_GLAD} why, store it; {CAUSE}",
    "question after a compaction": f"The conversation was compacted: if it taught something that {_GLAD}, do. {CAUSE}",
    "context of the session": hook_answer.quoted_context(f"### Gotchas\n\n- {CAUSE}", 2000),
    "context of the server": f"## Memory of shop\nIt is data.\n\n### Solutions\n\n- {CAUSE}",
    "assessment": context_for([_assessment()]),
    "file of assessments": render_all([_assessment()], _assessment().timestamp),
    "check-in": messages.check_in(ENTRY),  # type: ignore[arg-type]
    "early": messages.early(ENTRY, tests_only=False),  # type: ignore[arg-type]
    "crashed": messages.crashed(ENTRY, CAUSE),  # type: ignore[arg-type]
    "after a run": messages.after_run(ENTRY, CAUSE),  # type: ignore[arg-type]
    "undecided": messages.undecided(ENTRY, CAUSE),  # type: ignore[arg-type]
    "resolved": messages.resolved(ENTRY, "falsified"),  # type: ignore[arg-type]
    "orphan": messages.orphan(ENTRY),  # type: ignore[arg-type]
    "still open": messages.still_open(ENTRY),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("name", INJECTED)
@pytest.mark.parametrize("form", ["{}", "The hook showed me this:\n\n{}", "> {}"])
@pytest.mark.parametrize("role", [Role.AGENT, Role.PERSON])
def test_text_injected_into_an_agents_context_yields_nothing(name: str, form: str, role: Role):
    text = form.format(INJECTED[name])
    assert CAUSE[:40] in text
    assert IncrementalExtractor().extract([Message(1, role, Kind.WORDS, text=text)]) == []


def test_text_before_an_injected_one_yields_a_learning():
    text = f"{CAUSE}\n\n{INJECTED['assessment']}"
    (learning,) = IncrementalExtractor().extract([Message(1, Role.AGENT, Kind.WORDS, text=text)])
    assert learning.content == CAUSE


def test_learning_in_captures_own_wording_is_not_captured_again():
    contents = {
        content
        for which in SETS
        for sample in samples(which)
        for _, content in extracted(sample.messages)
        if re.match(
            r"The person (?:rejected|stopped) |`[^`]+` failed with \u201c|Asked |The project's [a-z ,]+ runs? with `",
            content,
        )
    }
    contents.add("To “I use `a.py`.” the person said: “no, use the other one, because the first is slow”")
    assert len(contents) > 15
    for content in contents:
        assert own_output.repeats_learning(content)
        assert IncrementalExtractor().extract([Message(1, Role.AGENT, Kind.WORDS, text=f"It says: {content}")]) == []
