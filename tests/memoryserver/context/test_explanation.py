"""Each line of a context with the reasons, and what is not in it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from memoryserver.accounts.models import User
from memoryserver.context import sections
from memoryserver.context.explanation import explain
from memoryserver.context.sections import Line, Offer, Section
from memoryserver.context.service import build_context
from memoryserver.errors import InvalidInputError

NOBODY = User(username="nobody")


@pytest.fixture(autouse=True)
def _none_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sections, "_sections", {})


def register(name: str, lines: Sequence[Line], left_out: Sequence[Line] = ()) -> None:
    sections.register(Section(name, name.capitalize(), lambda *_: Offer(lines, lambda: left_out)))


def outcomes(chars: int = 2_000) -> list[tuple[str, str]]:
    return [(line.text, line.outcome) for line in explain(NOBODY, "shop", chars).lines]


def test_line_has_its_section_reasons_and_page() -> None:
    register("learned", [Line("use\nuv", 0.5, why="seen\x1b[31m twice", page="/learnings/7/")])

    (line,) = explain(NOBODY, "shop").lines

    assert (line.section, line.text, line.outcome, line.why, line.weight, line.page) == (
        "learned",
        "use uv",
        "included",
        "seen twice",
        0.5,
        "/learnings/7/",
    )


def test_what_is_not_in_the_context_follows_with_the_outcome() -> None:
    long = "y" * 150
    register("learned", [Line("use uv", 0.9), Line("Use UV", 0.8), Line(long, 0.5)], [Line("66 tests pass", 0.1)])
    register("failures", [Line("the socket path", 0.7)])

    assert outcomes(230) == [
        ("use uv", "included"),
        ("the socket path", "included"),
        ("Use UV", "repeated"),
        (long, "no room"),
        ("66 tests pass", "left out"),
    ]


def test_included_lines_are_those_of_the_context() -> None:
    register("learned", [Line(f"fact {number} " + "x" * 60, 0.9) for number in range(20)])
    register("failures", [Line("the socket path", 0.7)])

    context = build_context(NOBODY, "shop", 600)
    included = {text for text, outcome in outcomes(600) if outcome == "included"}

    assert included == {line for section in context.sections for line in section.lines}


@pytest.mark.parametrize(("project", "chars"), [(" ", 2_000), ("shop", 10)], ids=["no project", "too short"])
def test_invalid_arguments_are_refused_as_for_the_context(project: str, chars: int) -> None:
    with pytest.raises(InvalidInputError):
        explain(NOBODY, project, chars)
