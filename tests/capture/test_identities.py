"""Wordings of learnings: what counts as the same, and the lock that keeps decisions of people."""

from __future__ import annotations

import threading
import unicodedata

import pytest
from django.db import connection, connections, transaction

from capture import identities
from memoryserver.accounts.models import Project, User
from tests.support.rows.factories import UserFactory

TOKEN = "ghp_" + "a1B2" * 9


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("Use pnpm", " use\tPNPM \n", True),
        ("Straße", "STRASSE", True),
        ("Use pnpm", "Use npm", False),
        ("Use pnpm", "Usepnpm", False),
    ],
)
def test_digest_ignores_white_space_and_case_alone(first: str, second: str, same: bool) -> None:
    assert (identities.digest_of(first) == identities.digest_of(second)) is same


def test_digest_of_composed_and_decomposed_letters_is_the_same() -> None:
    content = "Der Zähler läuft über, wenn Ñandú fehlt."

    assert {identities.digest_of(unicodedata.normalize(form, content)) for form in ("NFC", "NFD")} == {
        identities.text_digest(content.casefold())
    }


def test_digest_of_a_text_is_of_the_exact_text() -> None:
    digests = {identities.text_digest(text) for text in ("a", "A", "a ")}

    assert {len(digest) for digest in digests} == {64}
    assert len(digests) == 3


@pytest.mark.parametrize(
    ("content", "stored"),
    [
        ("  Use pnpm \n", "Use pnpm"),
        (f"Deploy with {TOKEN}", "Deploy with [redacted:github-token]"),
        (TOKEN, ""),
        ("<private>all of it</private>", ""),
        ("", ""),
    ],
    ids=["trimmed", "secret redacted", "secret alone", "private alone", "empty"],
)
def test_wording_is_what_is_left_without_secrets(content: str, stored: str) -> None:
    assert identities.wording(content) == stored


def test_wording_is_claimed_once_for_its_user_project_and_type(alice: User, bob: User, shared_project: Project) -> None:
    claims = [
        identities.claim(alice, None, "gotcha", "Use pnpm"),
        identities.claim(alice, None, "gotcha", "USE  pnpm"),
        identities.claim(alice, shared_project, "gotcha", "Use pnpm"),
        identities.claim(alice, None, "learning", "Use pnpm"),
        identities.claim(bob, None, "gotcha", "Use pnpm"),
    ]

    assert [new for _, new in claims] == [True, False, True, True, True]
    assert claims[0][0] == claims[1][0]


@pytest.mark.django_db(transaction=True)
def test_lock_is_held_until_the_transaction_ends_and_only_for_its_user() -> None:
    alice, charlie = UserFactory(), UserFactory()
    locked, release = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            identities.lock(alice)
            locked.set()
            release.wait(20)
        connections.close_all()

    def is_free(user: User) -> bool:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_try_advisory_xact_lock(hashtextextended('learnings of ' || %s, 0))", [str(user.pk)]
            )
            return bool(cursor.fetchone()[0])

    holder = threading.Thread(target=hold)
    holder.start()
    locked.wait(20)
    while_held = [is_free(alice), is_free(charlie)]
    release.set()
    holder.join()

    assert (while_held, is_free(alice)) == ([False, True], True)
