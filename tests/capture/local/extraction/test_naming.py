"""Whether a text names what it is about."""

from __future__ import annotations

import pytest

from capture.local.extraction.naming import names_something


@pytest.mark.parametrize(
    "text",
    [
        "use pnpm, not npm",
        "use docker here",
        "use pnpm",
        "no floats",
        "prices are in cents",
        "logs of ci go to db",
        "write tests first",
        "`just check`",
        "The exporter of JSON",
    ],
)
def test_code_names_two_telling_words_and_rules_with_one_name_something(text: str) -> None:
    assert names_something(text) is True


@pytest.mark.parametrize(
    "text",
    [
        "",
        "npm",
        "LGTM",
        "be careful",
        "always test your code",
        "never write bad code",
        "the tests need to be fixed",
        "CI is running",
        "docker compose has been found",
        "I deleted docker",
        "testing is important",
        "avoid bugs",
        "use caution",
    ],
)
def test_single_words_general_advice_and_accounts_name_nothing(text: str) -> None:
    assert names_something(text) is False
