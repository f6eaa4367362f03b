"""From an invitation to a laptop that is logged in, in a browser: the account, the short code, tokens."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from memoryserver.access import invitations
from memoryserver.accounts import tokens
from memoryserver.accounts.models import ApiToken, Team, User
from tests.e2e import sign_in

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def alice(transactional_db: None) -> User:
    return User.objects.create_user("alice", email="alice@example.org", password="open sesame please")


def test_invited_person_makes_an_account_and_is_signed_in(
    page: Page, live_server: Any, transactional_db: None, errors: list[str]
) -> None:
    _, key = invitations.make("eve@example.org", team=Team.objects.create(name="crew"), by=None)
    page.goto(invitations.link(key, live_server.url))
    expect(page.get_by_role("heading", name="Make your account")).to_be_visible()
    page.get_by_label("Username").fill("eve")
    page.get_by_label("Password", exact=True).fill("correct horse battery")
    page.get_by_label("Password (again)").fill("correct horse battery")
    page.get_by_role("button", name="Make the account").click()

    expect(page.locator(".menu summary")).to_have_text("eve")
    assert User.objects.get(username="eve").teams.get().name == "crew"
    assert errors == []


def test_laptop_is_logged_in_by_its_code(
    page: Page, live_server: Any, alice: User, tmp_path: Path, errors: list[str]
) -> None:
    environment = {**os.environ, "MEMORYSERVER_HOME": str(tmp_path / "home"), "PYTHONPATH": str(ROOT)}
    login = subprocess.Popen(
        [sys.executable, "-m", "memorycli", "login", live_server.url, "--no-browser"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    assert login.stdout is not None
    address = login.stdout.readline().removeprefix("Open ").strip()
    code = login.stdout.readline().rpartition(" ")[2].strip()

    page.goto(address)
    page.get_by_label("User").fill("alice")
    page.get_by_label("Password").fill("open sesame please")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_label("Code").fill(code.lower())
    page.get_by_role("button", name="Continue").click()
    expect(page.locator(".code")).to_have_text(code)
    page.get_by_role("button", name="Allow").click()
    expect(page.get_by_role("heading", name="is logged in")).to_be_visible()

    rest, _ = login.communicate(timeout=60)
    assert (rest, login.returncode) == (f"logged in to {live_server.url} as alice\n", 0)
    assert ApiToken.objects.get().scopes == ["ingest", "read"]
    assert errors == []


def test_token_is_made_shown_once_and_revoked(page: Page, live_server: Any, alice: User, errors: list[str]) -> None:
    sign_in.by_form(page, live_server.url)
    page.locator(".menu summary").click()
    page.get_by_role("link", name="Tokens").click()
    page.get_by_label("Name").fill("ci")
    page.get_by_label("manage").check()
    page.get_by_role("button", name="Make the token").click()
    text = page.locator(".shown-once pre").inner_text()
    token = tokens.authenticate(text)
    assert token is not None
    assert (token.name, token.scopes) == ("ci", ["ingest", "read", "manage"])

    page.get_by_role("link", name="Tokens").click()
    expect(page.locator(".shown-once")).to_have_count(0)
    page.get_by_role("button", name=re.compile("Revoke ci")).click()
    expect(page.get_by_text("ci is revoked.")).to_be_visible()
    assert tokens.authenticate(text) is None
    assert errors == []
