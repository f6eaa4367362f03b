from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from memoryserver.accounts import tokens
from memoryserver.accounts.models import User


def issue(*words: str) -> str:
    out = StringIO()
    call_command("issue_token", *words, stdout=out)
    return out.getvalue()


def test_printed_token_alone_on_its_line_opens_as_the_user(alice: User) -> None:
    text = issue("alice", "--name", "ci")

    found = tokens.authenticate(text.removesuffix("\n"))
    assert found is not None
    assert (found.user, found.name) == (alice, "ci")


def test_unknown_user_is_named_with_the_way_out(db: None) -> None:
    with pytest.raises(CommandError, match=r"^there is no user 'robot'; add --new-user to create one$"):
        issue("robot")


def test_new_user_is_made_without_a_password(db: None) -> None:
    found = tokens.authenticate(issue("robot", "--new-user").strip())

    assert found is not None
    assert (found.user.username, found.user.has_usable_password(), found.user.is_staff) == ("robot", False, False)
