"""What is shown on a real terminal, and what where there is none."""

from __future__ import annotations

import io

import pytest

from memorycli.rendering import terminal
from tests.support.laptops.terminals import on_terminal

PAINTED = """
from memorycli.rendering.terminal import paint, text_width, width
print(paint("x", "bold", "red"), width(), text_width())
"""


def test_terminal_has_colours_and_its_own_width() -> None:
    assert on_terminal(program=PAINTED, columns=132).screen == "\x1b[1;31mx\x1b[0m 132 100\n"


def test_colours_can_be_turned_off() -> None:
    assert on_terminal(program=PAINTED, NO_COLOR="1").screen == "x 80 80\n"
    assert on_terminal(program=PAINTED, TERM="dumb").screen == "x 80 80\n"


def test_empty_no_color_forbids_nothing() -> None:
    assert on_terminal(program=PAINTED, NO_COLOR="").screen.startswith("\x1b[1;31mx")


def test_pipe_has_no_colours_and_eighty_columns(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)

    assert (terminal.paint("x", "red"), terminal.width(), terminal.text_width()) == ("x", 80, 80)


@pytest.mark.parametrize(
    ("columns", "width"), [("40", 40), ("200", 200), ("1", 20), ("0", 80), ("-5", 80), ("wide", 80)]
)
def test_columns_of_the_environment_are_taken_if_they_can_be(
    columns: str, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)

    assert terminal.width(io.StringIO()) == width


def test_closed_stream_is_no_terminal() -> None:
    stream = io.StringIO()
    stream.close()

    assert (terminal.is_terminal(stream), terminal.has_colour(stream)) == (False, False)


@pytest.mark.parametrize(
    ("answer", "agrees"),
    [("\n", True), ("y\n", True), (" Yes \n", True), ("n\n", False), ("what\n", False), ("", False)],
)
def test_question_is_agreed_to_by_yes_or_enter(answer: str, agrees: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(answer))

    assert terminal.agreed("Really?") is agrees
