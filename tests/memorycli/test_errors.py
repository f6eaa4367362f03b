from __future__ import annotations

import pytest

from memorycli.errors import CommandError


def test_text_of_the_error_is_its_line() -> None:
    assert str(CommandError("not logged in; run: memory login URL")) == "not logged in; run: memory login URL"


@pytest.mark.parametrize("other", [OSError, ValueError, SystemExit])
def test_error_of_a_command_is_not_caught_with_those_of_the_system(other: type[BaseException]) -> None:
    assert not issubclass(CommandError, other)
    assert issubclass(CommandError, Exception)
