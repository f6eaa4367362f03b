from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from memoryserver.accounts import tokens
from memoryserver.accounts.digests import digests
from memoryserver.accounts.models import ApiToken, User
from memoryserver.accounts.signals import token_used_elsewhere
from memoryserver.statements import rows
from memoryserver.statements.guard import Guard


def test_issued_token_opens_as_its_user(alice: User) -> None:
    token, text = tokens.issue(alice, "laptop")

    found = tokens.authenticate(text)

    assert found == token
    assert found.user == alice


def test_issued_token_is_nowhere_in_the_database(alice: User) -> None:
    token, text = tokens.issue(alice, "laptop")

    row = ApiToken.objects.values().get(pk=token.pk)

    assert text not in str(row)
    assert text.startswith(row["prefix"])
    assert len(row["prefix"]) == 10


def test_revoked_token_opens_nothing(alice: User) -> None:
    token, text = tokens.issue(alice, "laptop")

    tokens.revoke(token)

    assert tokens.authenticate(text) is None


def test_revoking_twice_keeps_the_first_time(alice: User) -> None:
    token, _ = tokens.issue(alice, "laptop")
    tokens.revoke(token)
    first = token.revoked_at

    tokens.revoke(token)

    assert token.revoked_at == first


def test_token_of_a_deactivated_user_opens_nothing(alice: User) -> None:
    _, text = tokens.issue(alice, "laptop")
    alice.is_active = False
    alice.save()

    assert tokens.authenticate(text) is None


def test_changed_secret_key_with_the_old_one_as_fallback_still_opens(alice: User, settings) -> None:
    token, text = tokens.issue(alice, "laptop")
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another key, made for this test"

    assert tokens.authenticate(text) == token


def test_changed_secret_key_without_fallback_opens_nothing(alice: User, settings) -> None:
    _, text = tokens.issue(alice, "laptop")
    settings.SECRET_KEY = "another key, made for this test"

    assert tokens.authenticate(text) is None


def test_last_use_within_a_minute_is_not_written_again(alice: User) -> None:
    _, text = tokens.issue(alice, "laptop")
    first = tokens.authenticate(text)

    with CaptureQueriesContext(connection) as queries:
        second = tokens.authenticate(text)

    assert first is not None
    assert second is not None
    assert second.last_used_at == first.last_used_at
    assert len(queries) == 1


def test_last_use_after_a_minute_is_written(alice: User) -> None:
    token, text = tokens.issue(alice, "laptop")
    before = timezone.now() - timedelta(minutes=2)
    ApiToken.objects.filter(pk=token.pk).update(last_used_at=before)

    tokens.authenticate(text)

    token.refresh_from_db()
    assert token.last_used_at is not None
    assert token.last_used_at > before + timedelta(minutes=1)


@given(st.text(max_size=80))
def test_any_other_text_is_refused_without_a_query(text: str) -> None:
    # No database mark: a query would fail the test.
    assert tokens.authenticate(text) is None


def test_token_with_one_character_changed_is_refused_without_a_query(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "a" * 40
    text = f"msv_{secret}{tokens._checksum(secret)}"

    assert tokens.is_well_formed(text)
    for place in range(4, len(text)):
        changed = text[:place] + ("b" if text[place] != "b" else "c") + text[place + 1 :]
        assert not tokens.is_well_formed(changed)


def test_expired_token_opens_nothing_and_says_that_it_is(alice: User) -> None:
    token, text = tokens.issue(alice, "laptop", expires_at=timezone.now() + timedelta(hours=1))
    assert (tokens.authenticate(text), token.state) == (token, "active")

    ApiToken.objects.update(expires_at=timezone.now())

    token.refresh_from_db()
    assert (tokens.authenticate(text), token.state) == (None, "expired")


@pytest.mark.parametrize(
    ("scopes", "message"),
    [
        ([], "a token needs at least one scope; choose from: ingest, read, manage"),
        (["read", "root"], "unknown scope 'root'; choose from: ingest, read, manage"),
    ],
    ids=["none", "unknown"],
)
def test_token_with_invalid_scopes_is_not_issued(alice: User, scopes: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        tokens.issue(alice, "laptop", scopes=scopes)

    assert not ApiToken.objects.exists()


def test_use_from_another_address_is_announced_once(alice: User) -> None:
    _, text = tokens.issue(alice, "laptop")
    addresses: list[str] = []

    def receive(sender: object, token: ApiToken, address: str, **arguments: object) -> None:
        addresses.append(address)

    token_used_elsewhere.connect(receive)
    try:
        for address in ("192.0.2.1", "192.0.2.1", "2001:db8::1", "192.0.2.1", "2001:db8::1"):
            tokens.authenticate(text, address=address, client="memory/0.1.0")
    finally:
        token_used_elsewhere.disconnect(receive)

    assert addresses == ["2001:db8::1"]
    assert ApiToken.objects.get().addresses == ["2001:db8::1", "192.0.2.1"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "change",
    [
        lambda: tokens.revoke(ApiToken.objects.get()),
        lambda: ApiToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1)),
        lambda: User.objects.update(is_active=False),
        lambda: ApiToken.objects.all().delete(),
    ],
    ids=["revoked", "expired", "deactivated", "deleted"],
)
def test_token_that_the_process_has_read_opens_nothing_from_the_change_on(alice: User, change) -> None:
    token, text = tokens.issue(alice, "laptop")
    assert tokens.authenticate(text) == token
    change()

    assert tokens.authenticate(text) is None


@pytest.mark.django_db(transaction=True)
def test_rows_are_read_again_only_after_a_change(alice: User) -> None:
    _, text = tokens.issue(alice, "laptop")
    first = tokens.authenticate(text)
    tokens.authenticate(text)
    with CaptureQueriesContext(connection) as unchanged:
        second = tokens.authenticate(text)
    User.objects.update(context_version=7)
    third = tokens.authenticate(text)

    found = [each.user.context_version for each in (first, second, third) if each is not None]
    assert (len(unchanged), "password" in unchanged[0]["sql"]) == (1, False)
    assert found == [0, 0, 7]


@pytest.mark.django_db(transaction=True)
def test_what_a_request_changes_in_its_rows_no_other_one_sees(alice: User) -> None:
    _, text = tokens.issue(alice, "laptop")
    tokens.authenticate(text)
    mine = tokens.authenticate(text)
    assert mine
    mine.user.username, mine.name = "somebody else", "changed"
    other = tokens.authenticate(text)

    assert other
    assert (other.user.username, other.name) == ("alice", "laptop")


def holds(guard: Guard) -> bool:
    return rows.first(f"SELECT 1 WHERE {guard.condition}", guard.parameters) is not None


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "change",
    [
        lambda: tokens.revoke(ApiToken.objects.get()),
        lambda: ApiToken.objects.update(scopes=["read"]),
        lambda: User.objects.update(is_active=False),
        lambda: ApiToken.objects.all().delete(),
    ],
    ids=["revoked", "other scopes", "deactivated", "deleted"],
)
def test_guard_of_a_token_that_was_read_holds_until_a_change(alice: User, change) -> None:
    token, text = tokens.issue(alice, "laptop")
    assert tokens.seen(text, address="192.0.2.1") is None
    for _ in range(2):  # the first use is recorded, which changes the row
        tokens.authenticate(text, address="192.0.2.1")
    with CaptureQueriesContext(connection) as queries:
        seen = tokens.seen(text, address="192.0.2.1")
    assert seen is not None
    found, guard = seen
    before = holds(guard)
    change()

    assert (found, found.user, len(queries)) == (token, alice, 0)
    assert (before, holds(guard)) == (True, False)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("fields", "address"),
    [
        ({}, "192.0.2.2"),
        ({"last_used_at": timezone.now() - timedelta(minutes=2)}, "192.0.2.1"),
        ({"expires_at": timezone.now() + timedelta(milliseconds=1)}, "192.0.2.1"),
    ],
    ids=["of a new address", "used more than a minute ago", "expired since"],
)
def test_token_whose_use_is_to_be_looked_at_is_not_given_as_it_was_read(alice: User, fields, address: str) -> None:
    _, text = tokens.issue(alice, "laptop")
    for _ in range(2):
        tokens.authenticate(text, address="192.0.2.1")
    known = tokens._read.get(digests(text))
    assert known is not None
    vars(known[1]).update(fields)

    assert tokens.seen(text, address=address) is None
