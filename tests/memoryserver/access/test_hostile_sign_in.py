"""What a stranger can learn or bend at the entrance: names of users, where a sign-in leads, the host in links."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memoryserver.accounts import tokens
from memoryserver.accounts.models import ApiToken, User
from obslog.models import Observation
from tests.support.rows.factories import UserFactory

PASSWORD = "correct horse battery"
KNOWN = {"name": "dora", "address": "dora@example.org"}
UNKNOWN = {"name": "nobody", "address": "nobody@example.org"}
ELSEWHERE = [
    "https://evil.example/",
    "//evil.example/",
    "///evil.example/",
    "\\\\evil.example/",
    "/\\evil.example/",
    "\t//evil.example/",
    "/\t/evil.example/",
    "http:evil.example",
    "http:///evil.example",
    "https://testserver@evil.example/",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,x",
]


class CountingHasher(MD5PasswordHasher):
    """Counts how often a password is hashed, which is what takes time in a sign-in."""

    count = 0

    def encode(self, password: str, salt: str) -> str:
        CountingHasher.count += 1
        return super().encode(password, salt)


@pytest.fixture(autouse=True)
def dora(db: None, settings: Any) -> User:
    settings.PASSWORD_HASHERS = [f"{__name__}.CountingHasher"]
    dora = User.objects.create_user("dora", email="dora@example.org", password=PASSWORD)
    User.objects.create_user("gone", email="gone@example.org", password=PASSWORD, is_active=False)
    User.objects.create_user("without", email="without@example.org", password=None)
    return dora


def hashings(act: Callable[[], Any]) -> tuple[Any, int]:
    """What `act` returns, and how many passwords were hashed for it."""
    CountingHasher.count = 0
    answer = act()
    return answer, CountingHasher.count


def plain(answer: Any, *own: str) -> str:
    """The status, the place it leads to and the page, without `own` words and what differs in each answer."""
    text = answer.content.decode()
    for word in own:
        text = text.replace(word, "…")
    text = re.sub(r"\b\w{64}\b", "…", text)  # the token against forged requests
    return f"{answer.status_code} {answer.headers.get('Location')} {text}"


def sign_in(login: str) -> tuple[str, int]:
    answer, count = hashings(lambda: Client().post("/login/", {"login": login, "password": "wrong"}))
    return plain(answer, login), count


@pytest.mark.parametrize("form", ["name", "address"])
def test_wrong_sign_in_looks_and_costs_the_same_whether_the_user_exists(form: str) -> None:
    tried = [KNOWN[form], *(f"{name}@example.org" if form == "address" else name for name in ("gone", "without"))]
    expected = sign_in(UNKNOWN[form])

    assert {login: sign_in(login) for login in tried} == dict.fromkeys(tried, expected)
    assert expected[1] > 0


def test_wrong_sign_in_by_address_is_in_the_log_of_its_user(dora: User) -> None:
    sign_in(KNOWN["address"])

    assert [row.user for row in Observation.objects.filter(type="user.sign_in_failed")] == [dora]


def test_reset_of_a_password_looks_the_same_whether_the_address_is_known() -> None:
    def reset(address: str) -> tuple[str, int]:
        answer, count = hashings(lambda: Client().post("/password/reset/", {"email": address}))
        return plain(answer, address), count

    assert len({reset(address) for address in (KNOWN["address"], UNKNOWN["address"], "gone@example.org")}) == 1
    assert [len(message.to) for message in mail.outbox] == [1, 1, 1]


def test_sign_up_without_an_invitation_looks_the_same_whether_the_name_is_taken() -> None:
    def sign_up(form: dict[str, str]) -> tuple[str, int]:
        data = {"username": form["name"], "email": form["address"], "password1": PASSWORD, "password2": PASSWORD}
        answer, count = hashings(lambda: Client().post("/signup/", data))
        return plain(answer, form["address"], form["name"]), count

    assert sign_up(KNOWN) == sign_up(UNKNOWN)
    assert not User.objects.filter(username="nobody").exists()


@pytest.mark.parametrize("target", ELSEWHERE)
def test_signing_in_or_out_leads_to_no_other_site(target: str) -> None:
    browser = Client()
    shown = browser.get("/login/", {"next": target}).content.decode()
    form = {"login": "dora", "password": PASSWORD, "next": target}
    entered = browser.post(f"/login/?{urlencode({'next': target})}", form)
    again = browser.get("/login/", {"next": target})
    confirmed = browser.post("/account/confirm/", {"password": PASSWORD, "next": target})
    left = browser.post("/logout/", {"next": target})

    answers = {"in": entered, "again": again, "confirmed": confirmed, "out": left}
    assert {name: answer.status_code for name, answer in answers.items()} == dict.fromkeys(answers, 302)
    places = {name: answer.headers["Location"].partition("?")[0] for name, answer in answers.items()}
    assert {name: place for name, place in places.items() if not re.fullmatch(r"/([a-z][a-z/-]*)?", place)} == {}
    assert (
        re.findall(r'(?:href|action)="[^"]*(?:evil|javascript:|data:text)[^"]*"', re.sub(r"\?[^\"]*", "", shown)) == []
    )


@pytest.mark.parametrize(
    "path", ["/", "/login/", "/api/v1/whoami", "/join", "/join.ps1", "/password/reset/", "/signup/"]
)
def test_request_for_another_host_is_refused_and_its_name_not_repeated(path: str) -> None:
    answer = Client(raise_request_exception=False).get(path, headers={"host": "evil.example"})

    assert (answer.status_code, b"evil" in answer.content) == (400, False)


def test_no_mail_is_sent_for_another_host() -> None:
    answer = Client(raise_request_exception=False).post(
        "/password/reset/", {"email": "dora@example.org"}, headers={"host": "evil.example"}
    )

    assert (answer.status_code, mail.outbox) == (400, [])


def test_header_of_a_proxy_puts_no_host_into_mails_or_the_join_script() -> None:
    forged = {
        "x-forwarded-host": "evil.example",
        "x-forwarded-server": "evil.example",
        "x-host": "evil.example",
        "forwarded": "host=evil.example",
        "x-forwarded-port": "666",
        "origin": "https://evil.example",
        "referer": "https://evil.example/",
    }
    script = Client(headers=forged).get("/join").content.decode()
    Client(headers=forged).post("/password/reset/", {"email": "dora@example.org"})
    (message,) = mail.outbox

    assert [word for word in ("evil", ":666") if word in script or word in str(message.message())] == []
    assert "http://testserver/password/reset/key/" in str(message.body)


def whoami(text: str) -> tuple[str, list[str]]:
    """The answer to a token without the id of the request, and the statements that it took."""
    with CaptureQueriesContext(connection) as made:
        answer = Client(headers={"authorization": f"Bearer {text}"}).get("/api/v1/whoami")
    body = {name: value for name, value in answer.json().items() if name != "request_id"}
    kept = {name: value for name, value in answer.headers.items() if name != "X-Request-ID"}
    return f"{answer.status_code} {body} {kept}", [query["sql"] for query in made.captured_queries]


def test_every_token_that_opens_nothing_gets_the_same_answer(dora: User) -> None:
    texts = refused_tokens(dora)
    answers = {name: whoami(text) for name, text in texts.items()}
    expected, statements = answers["unknown"]

    assert {name: answer for name, (answer, _) in answers.items()} == dict.fromkeys(texts, expected)
    assert expected.startswith("401 ")
    well_formed = {name: len(made) for name, (_, made) in answers.items() if name not in MALFORMED}
    assert well_formed == dict.fromkeys(well_formed, len(statements))


def test_database_compares_keyed_digests_and_never_sees_a_token(dora: User) -> None:
    """No time that a comparison takes tells of a stored digest: who has no key cannot choose the digest of a guess."""
    for name, text in refused_tokens(dora).items():
        _, statements = whoami(text)
        assert [sql for sql in statements if text and text[4:24] in sql] == [], name
    first, second = ApiToken.objects.order_by("pk").values_list("digest", flat=True)[:2]
    assert len(first) == len(second) == 64


MALFORMED = {"cut": "msv_abc", "checksum": "", "other": "ghp_" + "a" * 46, "letters": "msv_" + "ä" * 46, "empty": " "}


def refused_tokens(dora: User) -> dict[str, str]:
    """Texts of tokens by what is wrong with them."""
    _, known = tokens.issue(dora, "laptop")
    revoked, revoked_text = tokens.issue(dora, "lost")
    tokens.revoke(revoked)
    _, expired = tokens.issue(dora, "old", expires_at=timezone.now() - timedelta(days=1))
    _, of_inactive = tokens.issue(UserFactory(username="idle", is_active=False), "idle")
    unknown, unknown_text = tokens.issue(dora, "removed")
    unknown.delete()
    changed = known[:-1] + ("a" if known[-1] != "a" else "b")
    return {
        **MALFORMED,
        "checksum": changed,
        "unknown": unknown_text,
        "revoked": revoked_text,
        "expired": expired,
        "inactive": of_inactive,
    }
