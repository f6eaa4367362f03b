"""The note about secrets, on standard error."""

from __future__ import annotations

import pytest

from memorycli.rendering.cut_note import print_note


def test_note_is_one_line_and_only_where_something_was_cut(capsys: pytest.CaptureFixture[str]) -> None:
    print_note("plain", ["words"])
    assert capsys.readouterr() == ("", "")

    print_note("plain", ["password=hunter2xyz"])
    assert capsys.readouterr() == ("", "memory: note: cut out as secret: password; the rest is stored\n")
