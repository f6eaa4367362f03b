"""Each word has a text that begins like the middle of a sentence and ends without a full stop."""

from __future__ import annotations

from memoryserver.contract.vocabulary import FIELDS, MODULES


def test_texts_are_phrases() -> None:
    assert [word for word, (text, _) in FIELDS.items() if not text or text.endswith(".")] == []


def test_each_word_is_in_one_module() -> None:
    assert len(FIELDS) == sum(len(module.FIELDS) for module in MODULES)


def test_words_of_a_module_are_in_the_order_of_the_alphabet() -> None:
    for module in MODULES:
        names = [word.rpartition(".")[2].lower() for word in module.FIELDS]
        assert names == sorted(names), module.__name__
