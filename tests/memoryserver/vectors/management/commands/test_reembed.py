"""`manage.py reembed`: what it prints, and that it can be killed and run again."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from memoryserver import embedding
from memoryserver.accounts.models import User
from memoryserver.vectors.models import Record
from tests.memoryserver.vectors.plane import Other
from tests.memoryserver.vectors.test_reembedding import put


def test_command_tells_what_it_did_and_shows_progress(
    alice: User, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    put(alice, "a one", "b two")
    monkeypatch.setattr(embedding, "service", Other)
    out = StringIO()

    call_command("reembed", stdout=out)
    call_command("reembed", stdout=out)

    assert out.getvalue().splitlines() == [
        (
            "2 texts embedded; things now have vectors of digest-12. "
            "A server with another model must be restarted with this one."
        ),
        "Every collection already has vectors of digest-12.",
    ]
    bar = capfd.readouterr().err.splitlines()
    assert (bar[0], bar[-1]) == ("things [..............................] 0/2", f"things [{'#' * 30}] 2/2")


def test_command_says_in_one_line_why_it_could_not(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    put(alice, "a one")
    Record.objects.update(text="poison")
    monkeypatch.setattr(embedding, "service", Other)

    with pytest.raises(
        CommandError, match="^the model choked. The vectors embedded so far are kept; run it again to resume.$"
    ):
        call_command("reembed")
