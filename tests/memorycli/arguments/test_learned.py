"""The options for what an entry taught."""

from __future__ import annotations

import argparse

import pytest

from ghap.local import Lesson, RootCause
from memorycli.arguments import learned
from memorycli.errors import UsageError


def read(*words: str) -> object:
    parser = argparse.ArgumentParser()
    learned.configure(parser)
    return learned.read(parser.parse_args(words, argparse.Namespace(ghap_parser=parser)))


def test_only_what_is_given_is_read() -> None:
    assert read() == {}
    assert read("--surprise", "s", "--root-cause", "Timing Issue", "--cause", "c", "--lesson", "w") == {
        "surprise": "s",
        "root_cause": RootCause("timing-issue", "c"),
        "lesson": Lesson("w"),
    }


@pytest.mark.parametrize("words", [("--cause", "c"), ("--root-cause", "x"), ("--takeaway", "t")])
def test_half_of_a_pair_is_wrong_usage(words: tuple[str, str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        read(*words)


def test_category_that_is_no_word_is_one_sentence() -> None:
    with pytest.raises(UsageError, match="a root cause category is a word like wrong-assumption"):
        read("--root-cause", "!", "--cause", "c")


def test_secret_that_is_cut_out_is_noted(capsys: pytest.CaptureFixture[str]) -> None:
    assert read("--surprise", "it took password=hunter2xyz") == {"surprise": "it took password=[redacted:password]"}
    assert capsys.readouterr().err == "memory: note: surprise: cut out as secret: password; the rest is stored\n"
