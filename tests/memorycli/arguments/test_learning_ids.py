"""Which words are the id of a learning."""

from __future__ import annotations

import pytest

from memorycli.arguments.learning_ids import document_id, key_of


@pytest.mark.parametrize(
    "word",
    [
        "12",
        " 12 ",
        "[12]",
        "learnings/12",
        "http://127.0.0.1:8000/learnings/12/",
        "https://memory.example.org/learnings/12",
    ],
)
def test_number_id_and_address_name_the_learning(word: str) -> None:
    assert key_of(word) == 12


@pytest.mark.parametrize(
    "word", ["", "0", "-1", "ghap/12", "learnings/", "12 13", "[12", "12]", "1" * 19, "\u0661", "http://x/entries/12/"]
)
def test_anything_else_is_refused_with_the_form(word: str) -> None:
    with pytest.raises(
        ValueError, match=r"is not the id of a learning; `memory search` shows ids such as learnings/12"
    ):
        key_of(word)


def test_number_is_the_id_of_a_learning_and_any_other_word_itself() -> None:
    words = ("12", " [12] ", "learnings/12", "ghap_20261120_143022_a1b2c3", "٣", "")

    assert [document_id(word) for word in words] == ["learnings/12", "learnings/12", *words[2:]]
