from __future__ import annotations

import socket
from io import StringIO
from typing import Any

import pytest
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client

from memoryserver.access.models import Invitation
from tests.support.rows.factories import TeamFactory, UserFactory


def invite(*words: str) -> str:
    out = StringIO()
    call_command("invite", *words, stdout=out)
    return out.getvalue().removesuffix("\n")


def test_printed_link_alone_on_its_line_is_valid(db: None) -> None:
    team = TeamFactory(name="crew")
    address = invite("eve@example.org", "--team", "crew", "--url", "https://memory.example.org/")

    path = address.removeprefix("https://memory.example.org")
    assert (Client().get(path).status_code, Invitation.objects.get().team, mail.outbox) == (302, team, [])


@pytest.mark.parametrize("listens", [True, False])
def test_link_to_this_machine_alone_is_noted_with_what_to_set(listens: bool, db: None, settings: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        host = f"127.0.0.1:{server.getsockname()[1]}"
        settings.PUBLIC_URL = f"http://{host}"
        out, err = StringIO(), StringIO()
        if not listens:
            server.close()
        call_command("invite", "eve@example.org", stdout=out, stderr=err)

    nothing = "" if listens else ", and nothing listens there (set MEMORYSERVER_PORT as for the server)"
    assert out.getvalue().startswith(f"http://{host}/invitation/")
    assert err.getvalue() == (
        f"{host} is an address of this machine alone{nothing}; for another pass --url ADDRESS, "
        "or set MEMORYSERVER_PUBLIC_URL\n"
    )


def test_link_to_an_address_that_was_chosen_is_not_noted(
    db: None, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    err = StringIO()
    call_command("invite", "eve@example.org", "--url", "https://memory.example.org", stdout=StringIO(), stderr=err)
    monkeypatch.setenv("MEMORYSERVER_PUBLIC_URL", "https://b.example.org")
    settings.PUBLIC_URL = "https://b.example.org"
    call_command("invite", "bob@example.org", stdout=StringIO(), stderr=err)

    assert err.getvalue() == ""


def test_link_is_mailed_on_request(db: None) -> None:
    address = invite("eve@example.org", "--mail")

    assert address.startswith("http://127.0.0.1:8000/invitation/")
    assert address in str(mail.outbox[0].body)


def test_link_that_cannot_be_mailed_is_printed_and_it_is_said(db: None, settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    out = StringIO()
    with pytest.raises(CommandError, match="no mail server is configured"):
        call_command("invite", "eve@example.org", "--mail", stdout=out)
    assert "/invitation/" in out.getvalue()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["eve"], "'eve' is not a mail address"),
        (["eve@example.org", "--team", "crew"], "there is no team 'crew'; make it first, in the admin under Teams"),
        (["dora@example.org"], "dora@example.org has an account already"),
    ],
    ids=["address", "team", "account"],
)
def test_what_cannot_be_invited_is_one_line(db: None, words: list[str], reason: str) -> None:
    UserFactory(email="dora@example.org")

    with pytest.raises(CommandError, match=f"^{reason}$"):
        invite(*words)
    assert not Invitation.objects.exists()
