"""The questions and options at the end of an agent's words, and the one that a person's answer names."""

from __future__ import annotations

import pytest

from capture.local.extraction.choices import Choice, choice_at_end, chosen, read

TABLE = """**Next question:** How should failures of the export be handled?

| Option | Description |
|--------|-------------|
| **A. Silent fallback (Recommended)** | Log the error and go on. |
| **B. Warn** | Print a warning to stderr. |

I recommend **Option A** because it is simple.

Which do you prefer?"""
ASKED = "How should failures of the export be handled? Which do you prefer?"
OPTIONS = {"A": "Silent fallback: Log the error and go on.", "B": "Warn: Print a warning to stderr."}


def test_vague_question_gets_the_one_before_it_and_the_options_of_a_table() -> None:
    assert choice_at_end(TABLE) == Choice(ASKED, OPTIONS)


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        (
            "Two ways:\n1. Use Vite\n2. Use `serve`\n\nWhich one should the dev server use?",
            Choice("Which one should the dev server use?", {"1": "Use Vite", "2": "Use `serve`"}),
        ),
        (
            "- **Option A: Redis** - fast\n- **Option B: Postgres** - small\n\nWhich store, Redis or Postgres?",
            Choice("Which store, Redis or Postgres?", {"A": "Redis - fast", "B": "Postgres - small"}),
        ),
        (
            "Steps:\n1. Read\n2. Write\n\nThen:\nA) Keep the cache\nB) Drop the cache\n\nWhich of both is right here?",
            Choice("Which of both is right here?", {"A": "Keep the cache", "B": "Drop the cache"}),
        ),
        ("A. Use Vite\n\nWhich bundler do we want to use?", Choice("Which bundler do we want to use?", {})),
        ("Which do you prefer?", Choice("Which do you prefer?", {})),
        ("Is it A or B?\n\nI went on with A.", Choice("", {})),
        ("", Choice("", {})),
    ],
    ids=["numbers", "bold", "last list", "a single option", "nothing before", "no question at the end", "empty"],
)
def test_questions_and_options_are_read(text: str, choice: Choice) -> None:
    assert choice_at_end(text) == choice


@pytest.mark.parametrize("choice", [Choice(ASKED, OPTIONS), Choice("Which one?", {}), Choice("", {})])
def test_text_carries_the_choice_to_the_next_reading(choice: Choice) -> None:
    assert read(choice.text) == choice


def test_long_questions_and_options_are_shortened() -> None:
    choice = choice_at_end(f"A. {'long ' * 100}\nB. {'long ' * 100}\n\nWhich {'very ' * 100}long one?")

    assert [len(text) <= 240 for text in (choice.questions, *choice.options.values())] == [True] * 3
    assert len(choice.text) < 600


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("A. is fine, ensure we log", "A"),
        ("a", "A"),
        ("b, please", "B"),
        ("I think B, it leaves us room", "B"),
        ("let's do option b", "B"),
        ("Option A", "A"),
        ("the second one, and add it to CI", "B"),
        ("the first", "A"),
        ("a small change first", ""),
        ("I would rather wait", ""),
        ("A warning is enough", ""),
        ("C", ""),
        ("the third", ""),
        ("let's keep it simple", ""),
        ("", ""),
    ],
)
def test_option_is_named_by_its_letter_or_place(answer: str, label: str) -> None:
    assert chosen(answer, OPTIONS) == (f"{label}: {OPTIONS[label]}" if label else "")


@pytest.mark.parametrize(
    ("answer", "label"), [("2", "2"), ("#1 please", "1"), ("2 is better", "2"), ("20 of them", "")]
)
def test_option_is_named_by_its_number(answer: str, label: str) -> None:
    options = {"1": "Use Vite", "2": "Use `serve`"}

    assert chosen(answer, options) == (f"{label}: {options[label]}" if label else "")


def test_without_options_none_is_chosen() -> None:
    assert chosen("A", {}) == ""
