"""In which language a text is, as far as its alphabet and small words tell."""

from __future__ import annotations

import pytest

from bench.support.stored_wordings import BAD
from capture.local.extraction.languages import is_in_another_language


@pytest.mark.parametrize(
    "text",
    [
        "npm ではなく pnpm を使う",
        "提交前必须运行代码检查",
        "никогда не пушить в main",
        "vor dem Commit immer den Linter laufen lassen",
        "les montants sont en centimes",
        "los importes van en centavos",
        "não usar npm, só pnpm",
        "używaj pnpm zamiast npm",
        "använd pnpm, inte npm",
        "npm yerine pnpm kullan",
        "`the cache is not read before it is written` は誤り",
    ],
)
def test_other_alphabets_and_small_words_show_another_language(text: str) -> None:
    assert is_in_another_language(text) is True


@pytest.mark.parametrize(
    "text",
    [
        "",
        "pnpm, not npm",
        "use the café menu of Łódź when it is open",
        "`für` and `não` are not split by the tokenizer",
        "The son of a process must be reaped",
        "prices are in \u20ac, not in \u00a5",
    ],
)
def test_english_text_and_text_that_shows_nothing_are_english(text: str) -> None:
    assert is_in_another_language(text) is False


def test_no_english_report_or_plan_is_taken_for_another_language() -> None:
    assert [text for text in BAD if text.isascii() and is_in_another_language(text)] == []
