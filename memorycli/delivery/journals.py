"""The channel of journal entries: of each journal that the run names."""

from __future__ import annotations

from pathlib import Path

from ghap.local import copies, lost_entries, open_entry
from ghap.local.sync import SyncReport, sync_journal
from memorycli.delivery import report
from memorycli.delivery.report import ChannelReport
from memorycli.delivery.scope import Journal, Scope
from memoryserver.client import context_cache, home_folder, places
from memoryserver.client.exclusions import Exclusions
from memoryserver.client.http import Client
from memoryserver.common.counted import counted


def deliver(client: Client, scope: Scope) -> ChannelReport:
    """Send what the journals of the run have, and those of which entries wait in the home folder.

    An entry whose journal was deleted is sent from its copy. Raises UnauthorizedError, LockTimeoutError, GHAPError,
    OSError.
    """
    total = SyncReport()
    if scope.retry_failed:
        copies.outbox().put_back()
    named = {journal.folder.absolute() for journal in scope.journals}
    for journal in (*scope.journals, *_others(named)):
        part = sync_journal(
            journal.folder,
            journal.project,
            client.post,
            server=client.url,
            account=client.account,
            retry_failed=scope.retry_failed,
        )
        total.sent += part.sent
        if part.sent:
            context_cache.record_change(journal.project)
        total.waiting += part.waiting
        total.refused |= part.refused
        total.unreadable += part.unreadable
        total.retry_after = max(total.retry_after, part.retry_after)
        total.later, total.unreachable = part.later or total.later, part.unreachable
        if part.unreachable:
            break
        open_entry.report(journal.folder, journal.project, client.post, server=client.url, account=client.account)
    if not total.unreachable:
        lost_entries.deliver(client.post, total)
    return _shown(total)


def _others(named: set[Path]) -> list[Journal]:
    """Return the journals of which copies wait, but not those in `named`, of all projects or in an excluded folder."""
    exclusions = Exclusions()
    return [
        Journal(folder, key)
        for folder, key in copies.journals().items()
        if folder not in named and _is_of_one_project(folder) and not exclusions.of(str(folder))
    ]


def _is_of_one_project(journal: Path) -> bool:
    """Return whether the journal is in its project or in the home folder.

    One that a setting puts elsewhere is that of all projects: only a session knows whose it is.
    """
    main = places.of(journal).main
    return journal.is_relative_to(main or home_folder.path())


def _shown(total: SyncReport) -> ChannelReport:
    details = [f"failed: {entry_id}: {reason}" for entry_id, reason in total.refused.items()]
    details += [f"failed: {total.reason}"] if total.failed else []
    details += [f"unreadable: {line}" for line in total.unreadable]
    more = (f"{counted(len(total.unreadable), 'unreadable line')} passed over",) if total.unreadable else ()
    return report.of(
        total,
        failed=len(total.refused) + total.failed,
        waiting=counted(total.waiting, "entry", "entries"),
        more=more,
        details=tuple(details),
    )
