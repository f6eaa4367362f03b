"""The database, then the embedding process, stop under a running server: every page says so, and all is well again."""

from __future__ import annotations

import json
import os
import signal
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.e2e.conftest import LIMIT
from tests.support.database.migrated import Migrated
from tests.support.processes.installation import Installation
from tests.support.processes.traffic import Agent
from tests.support.requests.page_addresses import pages

PASSWORD = "a password for the outage"
MAKE_ALICE = f"""
from memoryserver.accounts import tokens
from memoryserver.accounts.models import User
print(tokens.issue(User.objects.create_superuser("alice", "alice@example.org", {PASSWORD!r}), "outage")[1])
"""
WITHOUT_DATABASE = {  # answered by the process alone
    *("/healthz", "/favicon.ico", "/join", "/join.ps1", "/join/client.json", "/join/client.pyz"),
}


@pytest.fixture(scope="module")
def installation(migrated: Migrated, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    folder = tmp_path_factory.mktemp("outage")
    migrated.files(folder / "primary")
    socket = {"MEMORYSERVER_EMBEDDING_SERVICE": "onnx", "MEMORYSERVER_EMBEDDING_SOCKET": str(folder / "embedding.sock")}
    with Installation(folder, workers=0, settings=socket) as running:
        running.add("embedding", "embedding")
        running.wait(lambda: is_loaded(running), "the model is not loaded")
        learn(running, running.manage("shell", "-c", MAKE_ALICE).split()[-1])
        running.manage("shell", "-c", "from capture.jobs import embed_pending; embed_pending()")
        yield running


def learn(installation: Installation, token: str) -> None:
    """Store an entry and a learning of the user whose token it is."""
    path, entry, _ = Agent(1).entry()
    learning = {"type": "gotcha", "content": "The provider's webhook has its signature over the raw body"}
    for at, body in ((path, entry), ("/learnings", learning)):
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        address = f"{installation.addresses[0]}/api/v1{at}"
        with urllib.request.urlopen(urllib.request.Request(address, json.dumps(body).encode(), headers), timeout=60):
            pass


@pytest.fixture(scope="module")
def signed_in(installation: Installation, chromium: Browser) -> Iterator[BrowserContext]:
    context = chromium.new_context()
    context.set_default_timeout(LIMIT)
    page = context.new_page()
    page.goto(f"{installation.addresses[0]}/login/")
    page.get_by_label("User").fill("alice")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Home")).to_be_visible()
    yield context
    context.close()


@pytest.fixture
def page(signed_in: BrowserContext) -> Iterator[Page]:
    page = signed_in.new_page()
    yield page
    page.close()


def cookies(context: BrowserContext) -> str:
    return "; ".join(f"{each['name']}={each['value']}" for each in context.cookies())


def answer_of(address: str, **headers: str) -> tuple[int, Any, str]:
    """Status, headers and body, not following redirects."""

    class Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *args: Any) -> None:
            return None

    try:
        with urllib.request.build_opener(Stay).open(
            urllib.request.Request(address, headers=headers), timeout=30
        ) as got:
            return got.status, got.headers, got.read().decode(errors="replace")
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode(errors="replace")


def children_of(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_loaded(installation: Installation) -> bool:
    """Whether the web process can embed."""
    return bool(json.loads(answer_of(f"{installation.addresses[0]}/readyz")[2])["checks"]["embedding model"]["good"])


def test_every_page_says_that_the_database_is_down_and_all_is_well_again(
    installation: Installation, signed_in: BrowserContext, page: Page
) -> None:
    web, cookie = installation.addresses[0], cookies(signed_in)
    page.goto(f"{web}/entries/")
    installation.postgres.stop()
    try:
        wrong = {}
        for path in [*pages(), "/admin/", "/admin/ghap/entry/"]:
            status, headers, body = answer_of(web + path, Cookie=cookie)
            kind = "text" if path.startswith(("/readyz", "/metrics")) else "page"
            told = "database" in body if kind == "text" else "<h1>The database is down</h1>" in body
            if path not in WITHOUT_DATABASE and not (status == 503 and told and headers["Retry-After"] == "10"):
                wrong[path] = (status, body[:200])
        assert wrong == {}

        status, headers, body = answer_of(f"{web}/api/v1/whoami", Authorization=f"Bearer {installation.token}")
        assert (status, headers["Content-Type"], headers["Retry-After"]) == (503, "application/problem+json", "10")
        assert json.loads(body)["detail"].startswith("the database cannot be reached since ")
        assert answer_of(f"{web}/healthz")[::2] == (200, "ok\n")

        # A fragment that htmx asks for leaves the page as it is, and says why.
        page.get_by_label("Outcome").select_option("falsified")
        expect(page.locator("#problem")).to_contain_text("The database is down")
        expect(page.locator("#results")).to_be_visible()

        page.goto(f"{web}/trajectory/")
        expect(page.get_by_role("heading", level=1)).to_have_text("The database is down")
        expect(page.locator("time.moment")).not_to_contain_text("UTC")  # styled and in the reader's zone
        assert page.evaluate("getComputedStyle(document.querySelector('.bar')).display") == "flex"
    finally:
        installation.postgres.start()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sessions", timeout=30_000)  # it has loaded itself again
    assert answer_of(f"{web}/entries/", Cookie=cookie)[0] == 200
    assert installation.parts["web 1"].starts == 1


def test_database_that_hangs_is_refused_instead_of_waited_for_and_all_is_well_again(
    installation: Installation, signed_in: BrowserContext
) -> None:
    web, cookie, token = installation.addresses[0], cookies(signed_in), f"Bearer {installation.token}"
    answer_of(f"{web}/entries/", Cookie=cookie)  # a connection is kept
    postgres = installation.postgres.process
    assert postgres is not None
    hung = [postgres.pid, *children_of(postgres.pid)]
    for pid in hung:
        os.kill(pid, signal.SIGSTOP)
    try:
        assert answer_of(f"{web}/entries/", Cookie=cookie)[0] == 503
        assert answer_of(f"{web}/api/v1/whoami", Authorization=token)[0] == 503
        assert answer_of(f"{web}/readyz")[0] == 503
        assert answer_of(f"{web}/healthz")[0] == 200
    finally:
        for pid in hung:
            os.kill(pid, signal.SIGCONT)

    installation.wait(lambda: answer_of(f"{web}/entries/", Cookie=cookie)[0] == 200, "the database is not used again")
    assert installation.parts["web 1"].starts == 1


def test_search_matches_words_while_the_embedding_process_is_gone_and_says_so(
    installation: Installation, page: Page
) -> None:
    web = installation.addresses[0]
    embedding = installation.parts["embedding"]

    page.goto(f"{web}/search/?q=webhook+signature")
    expect(page.locator("#results .note")).to_have_count(0)
    expect(page.locator(".hit").first).to_contain_text("by meaning")

    embedding.kill()
    page.goto(f"{web}/search/?q=webhook+signatures")  # another one: the vector of the first is known
    expect(page.locator("#results .note")).to_contain_text("Search by meaning is down")
    expect(page.locator(".hit").first).to_contain_text("webhook")
    expect(page.locator(".hit", has_text="by meaning")).to_have_count(0)
    page.goto(f"{web}/")
    expect(page.locator(".health .bad", has_text="embedding")).to_contain_text("searches match words alone")

    embedding.start()

    def by_meaning() -> bool:
        page.goto(f"{web}/search/?q=webhook+signatures")
        return page.locator("#results .note").count() == 0

    installation.wait(by_meaning, "the model is not loaded again")
    expect(page.locator(".hit").first).to_contain_text("by meaning")
