from __future__ import annotations

import pytest

from memoryserver.accounts.models import User
from memoryserver.context import sections
from memoryserver.context.sections import Line, Section
from memoryserver.context.service import build_context

NOBODY = User(username="nobody")


@pytest.fixture(autouse=True)
def _none_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sections, "_sections", {})


def register(name: str, text: str, weight: float) -> None:
    def lines(user: User, project: str) -> list[Line]:
        return [Line(text, weight)]

    sections.register(Section(name=name, title=name.capitalize(), lines=lines))


def test_sections_are_told_in_the_order_registered_and_replaced_by_name() -> None:
    register("one", "first", 0.1)
    register("two", "second", 0.9)
    register("one", "again", 0.1)

    context = build_context(NOBODY, "shop")

    assert [(section.name, section.lines) for section in context.sections] == [("one", ["again"]), ("two", ["second"])]
