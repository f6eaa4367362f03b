from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from demo import seed
from ghap.intake import receive
from ghap.models import Entry
from memoryserver.accounts.models import User
from tests.support.ghap_entries import body


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("seed_demo", "--no-embedding", *arguments, stdout=out)
    return out.getvalue()


def test_password_is_shown_and_works(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seed, "SESSIONS", 2)
    line = run()
    password = line.split()[-1]
    assert line == f"Sign in as alice with the password {password}\n"
    assert User.objects.get(username="alice").check_password(password)


def test_password_that_is_given_is_used(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seed, "SESSIONS", 1)
    run("--password", "open sesame please")
    assert User.objects.get(username="dan").check_password("open sesame please")


def test_server_with_entries_is_left_alone(alice: User) -> None:
    receive(alice, None, [body()])
    with pytest.raises(CommandError, match="has entries or sessions already"):
        run()
    assert (Entry.objects.count(), User.objects.count()) == (1, 1)


def test_server_with_a_user_of_the_same_name_is_left_alone(alice: User) -> None:
    with pytest.raises(CommandError, match="exists already"):
        run()
    assert User.objects.count() == 1
