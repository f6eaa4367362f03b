from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from memoryserver.accounts import tokens
from memoryserver.accounts.models import User


def issue(*words: str) -> str:
    out = StringIO()
    call_command("create_token", *words, stdout=out)
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


def test_scopes_and_expiry_are_those_given(alice: User) -> None:
    token = tokens.authenticate(issue("alice", "--scope", "read", "--scope", "ingest", "--days", "30").strip())

    assert token is not None
    assert token.expires_at is not None
    assert (token.scopes, (token.expires_at - token.created_at).days in (29, 30)) == (["ingest", "read"], True)


def test_token_has_all_scopes_and_no_end_by_default(alice: User) -> None:
    token = tokens.authenticate(issue("alice").strip())

    assert token is not None
    assert (token.scopes, token.expires_at) == (["ingest", "read", "manage"], None)


@pytest.mark.parametrize("days", [0, -1, 1_000_000])
def test_number_of_days_out_of_range_is_refused(alice: User, days: int) -> None:
    with pytest.raises(CommandError, match=r"^--days must be from 1 to 36500$"):
        issue("alice", f"--days={days}")
