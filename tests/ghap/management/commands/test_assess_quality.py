"""`manage.py assess_quality`: which entries it assesses, and how it fails."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from memoryserver.accounts.models import User
from memoryserver.embedding import EmbeddingModelError, Vector
from tests.ghap.test_assessor import POOR, persisted
from tests.support.embedder import WordEmbedder


def test_command_judges_what_is_outdated_and_with_all_everything(alice: User) -> None:
    persisted(alice, **POOR)
    said = []
    for options in ([], ["--all"], []):
        out = StringIO()
        call_command("assess_quality", *options, stdout=out)
        said.append(out.getvalue())

    assert said == ["assessed: 0\n", "assessed: 1\n", "assessed: 0\n"]


def test_command_says_in_one_line_that_the_model_does_not_load(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(WordEmbedder):
        def embed_batch(self, texts: Sequence[str]) -> list[Vector]:
            raise EmbeddingModelError("no such model")

    persisted(alice, hypothesis="The mock returns the wrong value", prediction="Wrong value returned from the mock")
    monkeypatch.setattr("ghap.management.commands.assess_quality.service", Broken)

    with pytest.raises(CommandError, match="^no such model$"):
        call_command("assess_quality", "--all")


def test_command_without_entries_assesses_none(db: None) -> None:
    out = StringIO()
    call_command("assess_quality", "--all", stdout=out)

    assert out.getvalue() == "assessed: 0\n"
