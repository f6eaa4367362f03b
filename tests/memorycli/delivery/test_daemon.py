"""The steps after each cycle of capture; commands/test_capture_run.py has them in a running daemon."""

from __future__ import annotations

from pathlib import Path

import pytest

from capture.local.queue.processor import Processed
from capture.local.scanning.scan_report import ScanReport
from capture.local.service.daemon import Cycle, Step
from memorycli.delivery import connection, daemon, observations, scope
from memorycli.delivery.channels import CHANNELS, LEARNINGS
from memoryserver.client import context_cache, discarded, home_folder, places
from memoryserver.client.http import UnauthorizedError
from tests.ghap.local.test_sync import fill
from tests.support.fakes.api_server import HttpServer
from tests.support.laptops.repositories import repository, worktree


@pytest.fixture
def steps(home: Path) -> list[Step]:
    return daemon.steps(home)


def run(steps: list[Step], cycle: Cycle) -> None:
    for step in steps:
        step.run(cycle)


def worked_here() -> Cycle:
    return Cycle(scanned=ScanReport(folders=[str(Path.cwd())]))


def test_steps_are_local_work_then_each_channel_but_the_queue_then_what_is_fetched(steps: list[Step]) -> None:
    channels = [name for name in CHANNELS if name != LEARNINGS]

    assert [step.name for step in steps] == ["workplaces", "quota", *channels, "observers", "context", "laptop"]


def test_laptop_without_a_server_is_not_an_error(steps: list[Step]) -> None:
    observations.save(type="t", source="a:b", message="waits")

    run(steps, worked_here())

    assert len(observations.outbox().waiting()) == 1


def test_journal_of_a_project_that_was_worked_in_is_sent(server: HttpServer, steps: list[Step]) -> None:
    connection.store(server.url, server.token)
    ids = fill(scope.of_project().journals[0].folder, 0, 2)
    journal = next(step for step in steps if step.name == "journal")

    journal.run(Cycle())
    assert list(server.entries.stored) == []
    steps[0].run(worked_here())
    journal.run(Cycle())

    assert (list(server.entries.stored), server.entries.projects) == (ids, {"shop"})


def test_server_that_is_away_is_asked_once_in_a_cycle_and_again_in_the_next(
    server: HttpServer, steps: list[Step]
) -> None:
    connection.store(server.url, server.token)
    observations.save(type="t", source="a:b", message="waits")
    context_cache.record_use("shop")
    server.answer = lambda *_: (503, {"detail": "later"})

    run(steps, Cycle())
    assert len(server.requests) == 1
    run(steps, Cycle())

    assert len(server.requests) == 2


def test_refused_token_is_raised_by_the_first_step_that_asks_only(server: HttpServer, steps: list[Step]) -> None:
    connection.store(server.url, "old")
    observations.save(type="t", source="a:b", message="waits")
    context_cache.record_use("shop")
    cycle, refused = Cycle(), []
    for step in steps:
        try:
            step.run(cycle)
        except UnauthorizedError:
            refused.append(step.name)

    assert (refused, len(server.requests)) == (["observations"], 1)


@pytest.mark.parametrize(("delivered", "asked"), [(0, False), (1, True)])
def test_server_that_took_nothing_of_the_queue_is_not_asked(
    delivered: int, asked: bool, server: HttpServer, steps: list[Step]
) -> None:
    connection.store(server.url, server.token)
    context_cache.record_use("shop")

    run(steps, Cycle(delivered=Processed(delivered=delivered, error="closed")))

    assert bool(server.requests) is asked


def test_quota_is_enforced_without_a_server(steps: list[Step], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYSERVER_OUTBOX_MB", "1")
    for _ in range(3):
        observations.save(type="t", source="a:b", message="x" * 400_000)

    run(steps, Cycle())

    assert (len(observations.outbox().waiting()), discarded.load().observations) == (2, 1)


def test_journals_of_a_main_checkout_and_of_its_worktree_are_sent_once(
    server: HttpServer, steps: list[Step], tmp_path: Path
) -> None:
    connection.store(server.url, server.token)
    main = repository(tmp_path / "forge", "git@github.com:acme/forge.git")
    folder = worktree(main, tmp_path / "forge-feature")
    (tmp_path / "plain").mkdir()
    journals = (main / ".claude" / "journal", places.of(folder).journal, home_folder.path() / "journal")
    ids = {entry for number, journal in enumerate(journals) for entry in fill(journal, *[0] * number, 1)}
    steps[0].run(Cycle(scanned=ScanReport(folders=[str(folder), str(main), str(tmp_path / "plain")])))

    next(step for step in steps if step.name == "journal").run(Cycle())

    assert (set(server.entries.stored), len(server.entries.sent)) == (ids, len(ids))
    assert server.entries.projects == {"github.com/acme/forge", "no-project"}
