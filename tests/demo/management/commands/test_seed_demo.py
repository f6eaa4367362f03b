from __future__ import annotations

from datetime import UTC, datetime
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from capture.models import Learning
from demo import seed
from ghap.intake import receive
from ghap.models import Entry
from memoryserver.accounts.models import User
from memoryserver.inquiries.models import Inquiry
from tests.support.rows.ghap_entries import body


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


def test_same_seed_and_time_make_the_same_demo(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seed, "SESSIONS", 4)
    seen: list[list[Any]] = []
    for _ in range(2):
        with transaction.atomic():
            run("--now", "2026-11-20T17:00", "--seed", "5")
            seen.append(
                [
                    sorted(Entry.objects.values_list("ghap_id", "user__username", "captured_at")),
                    sorted(Inquiry.objects.filter(kind="search").values_list("asked_at", "words", "user__username")),
                    sorted(Learning.objects.values_list("content", "last_seen")),
                ]
            )
            transaction.set_rollback(True)
    assert seen[0] == seen[1]
    assert max(captured_at for _, _, captured_at in seen[0][0]) < datetime(2026, 11, 20, 17, tzinfo=UTC)


def test_time_that_is_none_is_refused(db: None) -> None:
    with pytest.raises(CommandError, match="is not a time such as 2026-11-20T17:00"):
        run("--now", "yesterday")
