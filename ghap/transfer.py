"""GHAP entries as a kind of data to export and import."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ghap.intake import receive
from ghap.models import Entry
from memoryserver.accounts.models import Project, User
from memoryserver.accounts.transfer.kinds import Kind, Outcome


def _load(user: User, project: Project | None, items: Sequence[dict[str, Any]]) -> Sequence[Outcome]:
    return [Outcome(receipt.status, receipt.reason or "") for receipt in receive(user, project, items)]


KIND = Kind("ghap.entry", Entry.objects.all, lambda row: row.body, _load)
