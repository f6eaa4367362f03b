"""Splitting a message into paragraphs and sentences."""

from __future__ import annotations

import pytest

from capture.local.extraction.sentences import LONGEST_TEXT, Sentence, is_document, paragraphs, sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("See e.g. the docs. Then go on.", ["See e.g. the docs.", "Then go on."]),
        ("Call `a. B` first. Then stop.", ["Call `a. B` first.", "Then stop."]),
        ('He said "No. Never." and left.', ['He said "No. Never." and left.']),
        ("Version 1.2 works. no capital follows", ["Version 1.2 works. no capital follows"]),
        ("**Use** _it_ with [the docs](http://x).", ["Use _it_ with the docs."]),
        ("an item without an end", ["an item without an end"]),
        ("An item that ends.", ["An item that ends."]),
        ("Wait\u2026 then stop", ["Wait\u2026 then stop"]),
        ("Wait\u2026 Then stop", ["Wait\u2026", "Then stop"]),
        ("!", ["!"]),
        ("", []),
    ],
)
def test_text_is_split_at_the_ends_of_sentences(text: str, expected: list[str]) -> None:
    assert [sentence.text for sentence in sentences(text)] == expected


def test_sentence_has_the_one_before_it_in_its_paragraph() -> None:
    assert sentences("One. Two.\n\nThree.") == (Sentence("One."), Sentence("Two.", "One."), Sentence("Three."))


@pytest.mark.parametrize(
    "text",
    [
        "```\nnot said\n```",
        "~~~\nnot said",
        "# Heading",
        "| a | table |",
        "> quoted",
        "$ make",
        "    indented code",
        "ValueError: no heading",
        "x = 1",
        "2026-01-15T14:32: started",
    ],
)
def test_code_headings_tables_quotations_and_output_are_left_out(text: str) -> None:
    assert list(paragraphs(f"Before.\n\n{text}")) == ["Before."]


def test_text_after_a_fence_is_prose_again() -> None:
    assert list(paragraphs("Before.\n```\ncode\n```\nAfter.")) == ["Before.", "After."]


def test_list_items_are_paragraphs_without_their_marks() -> None:
    assert list(paragraphs("- [x] one thing\n- another\n1. third")) == ["one thing", "another", "third"]


def test_wrapped_line_continues_its_paragraph_and_a_new_sentence_does_not() -> None:
    assert list(paragraphs("the parser drops\nthe zone")) == ["the parser drops the zone"]
    assert list(paragraphs("We can keep\n  @acme/db\n  for now")) == ["We can keep @acme/db for now"]
    assert list(paragraphs("The first line\nA new thought")) == ["The first line", "A new thought"]


def test_only_the_beginning_of_a_very_long_text_is_read() -> None:
    assert [len(paragraph) for paragraph in paragraphs("x" * (LONGEST_TEXT + 9))] == [LONGEST_TEXT]


def test_file_or_prompt_is_a_document_and_words_are_not() -> None:
    texts = ["---\nname: x", "#!/bin/sh", "You are an expert reviewer", "# A\n## B", "# A", "Please fix the parser."]
    assert [is_document(text) for text in texts] == [True, True, True, True, False, False]


@pytest.mark.parametrize(
    "text",
    [
        "Import it in __init__.py of the package.",
        "Import it in `pkg/__init__.py` of the package.",
        "`__all__` in `__init__.py` lists the names.",
        "obj.__enter__() runs before __exit__().",
        "The key __typename is added by the client.",
    ],
)
def test_names_between_double_underscores_are_not_emphasis(text: str) -> None:
    assert [sentence.text for sentence in sentences(text)] == [text]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("__Note__: it is slow.", "Note: it is slow."),
        ("__Always run__ the linter.", "Always run the linter."),
        ("**Always run** the *whole* suite.", "Always run the whole suite."),
        ("**Use `a**b` here** for powers.", "Use `a**b` here for powers."),
        ("See [the `docs`](https://example.org/a_(b)).", "See the `docs`."),
    ],
)
def test_marks_of_emphasis_and_links_are_left_out_around_code_spans(text: str, plain: str) -> None:
    assert [sentence.text for sentence in sentences(text)] == [plain]
