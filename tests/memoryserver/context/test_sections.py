from __future__ import annotations

import pytest

from memoryserver.accounts.models import User
from memoryserver.context import sections
from memoryserver.context.sections import PINNED, Line, Offer, Section
from memoryserver.context.service import build_context

NOBODY = User(username="nobody")


@pytest.fixture(autouse=True)
def _none_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sections, "_sections", {})


def register(name: str, text: str, weight: float) -> None:
    offer = Offer([Line(text, weight)])
    sections.register(Section(name=name, title=name.capitalize(), offer=lambda *_: offer))


def test_sections_are_told_in_the_order_registered_and_replaced_by_name() -> None:
    register("one", "first", 0.1)
    register("two", "second", 0.9)
    register("one", "again", 0.1)

    context = build_context(NOBODY, "shop")

    assert [(section.name, section.lines) for section in context.sections] == [("one", ["again"]), ("two", ["second"])]


def test_section_of_a_replaced_name_keeps_its_place() -> None:
    register("one", "first", 0.1)
    register("two", "second", 0.9)
    register("one", "again", 0.1)

    assert [section.name for section in sections.all_sections()] == ["one", "two"]


def test_list_of_sections_is_a_copy() -> None:
    register("one", "first", 0.1)

    sections.all_sections().clear()

    assert [section.title for section in sections.all_sections()] == ["One"]


def test_section_is_asked_for_the_user_and_the_projects_key() -> None:
    asked: list[tuple[User, str]] = []

    def offer(user: User, project: str) -> Offer:
        asked.append((user, project))
        return Offer([])

    sections.register(Section(name="one", title="One", offer=offer))
    context = build_context(NOBODY, " github.com/crew/shop\n")

    assert (asked, context.text) == ([(NOBODY, "github.com/crew/shop")], "")


def test_pinned_line_outweighs_every_useful_one() -> None:
    register("one", "useful " + "x" * 60, 1.0)
    register("two", "pinned " + "x" * 60, PINNED)

    context = build_context(NOBODY, "shop", 200)

    assert [section.name for section in context.sections] == ["two"]


def test_no_section_makes_an_empty_context() -> None:
    assert (sections.all_sections(), build_context(NOBODY, "shop").text) == ([], "")
