"""Several journals in one report; test_channels.py has what each answer of the server means."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ghap.local import Journal as LocalJournal
from ghap.local import copies
from memorycli.delivery import connection, journals
from memorycli.delivery.scope import Journal, Scope
from memoryserver.client.http import Client, UnauthorizedError
from tests.ghap.local.test_sync import fill
from tests.support.fakes.api_server import HttpServer
from tests.support.laptops.journals import create, resolve
from tests.support.laptops.repositories import repository


@pytest.fixture
def scope(tmp_path: Path) -> Scope:
    return Scope((Journal(tmp_path / "a", "shop"), Journal(tmp_path / "b", "bank")))


def test_entries_of_every_journal_are_sent_under_their_own_project(
    server: HttpServer, client: Client, scope: Scope
) -> None:
    expected = [*fill(scope.journals[0].folder, 0, 2), *fill(scope.journals[1].folder, 0, 0, 1)]

    report = journals.deliver(client, scope)

    assert (report.line, report.details, report.complete) == ("3 sent", (), True)
    assert list(server.entries.stored) == expected
    assert server.entries.projects == {"shop", "bank"}


def test_scope_without_journals_has_nothing_new_and_asks_no_server(server: HttpServer, client: Client) -> None:
    assert journals.deliver(client, Scope()).line == "nothing new"
    assert server.requests == []


def test_refused_entries_of_all_journals_are_named(server: HttpServer, client: Client, scope: Scope) -> None:
    bad = [*fill(scope.journals[0].folder, 0, 1), *fill(scope.journals[1].folder, 0, 0, 1)]
    server.entries.refuse = dict.fromkeys(bad, "goal is missing")

    report = journals.deliver(client, scope)

    assert report.details == tuple(f"failed: {entry_id}: goal is missing" for entry_id in bad)
    assert not report.complete


def test_server_that_is_away_is_asked_for_the_first_journal_only(
    server: HttpServer, client: Client, scope: Scope
) -> None:
    for journal in scope.journals:
        fill(journal.folder, 0, 1)
    server.answer = lambda *_: (503, {"detail": "later"})

    report = journals.deliver(client, scope)

    assert (report.offline, report.complete, len(server.requests)) == (True, False, 1)


def test_refused_token_is_raised(server: HttpServer, scope: Scope) -> None:
    fill(scope.journals[0].folder, 0, 1)

    with pytest.raises(UnauthorizedError):
        journals.deliver(connection.client(server.url, "old"), scope)


def resolved(folder: Path, project: str) -> str:
    journal = LocalJournal(folder, project=project)
    create(journal)
    return resolve(journal).id


def test_journals_of_other_projects_with_waiting_entries_are_sent_too(
    server: HttpServer, client: Client, tmp_path: Path
) -> None:
    elsewhere = resolved(tmp_path / "elsewhere", "any")
    forge = repository(tmp_path / "forge")
    ids = [resolved(tmp_path / "a", "shop"), resolved(forge / ".claude" / "journal", "forge")]
    report = journals.deliver(client, Scope((Journal(tmp_path / "a", "shop"),)))
    assert [path.stem for path in copies.outbox().waiting()] == [elsewhere]
    assert (report.line, list(server.entries.stored), server.entries.projects) == ("2 sent", ids, {"shop", "forge"})


def test_entry_of_a_deleted_journal_is_sent_and_one_refused_is_named(
    server: HttpServer, client: Client, tmp_path: Path
) -> None:
    good, bad = resolved(tmp_path / "a", "shop"), resolved(tmp_path / "b", "shop")
    server.entries.refuse = {bad: "goal is missing"}
    for name in "ab":
        shutil.rmtree(tmp_path / name)

    report = journals.deliver(client, Scope())

    assert (list(server.entries.stored), report.details) == ([good], ("failed: goal is missing",))
    server.entries.refuse = {}
    assert journals.deliver(client, Scope()).line == "nothing new"
    assert journals.deliver(client, Scope(retry_failed=True)).line == "1 sent"
