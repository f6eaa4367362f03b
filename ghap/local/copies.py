"""Copies of resolved entries in the home's outbox, until the server has confirmed them.

    $MEMORYSERVER_HOME/outbox/ghap_entries/ID.json    {"journal": its folder, "project": key, "entry": {...}}

A journal lies in a checkout, where `git clean -fdx` or a person may delete it. The copy is written before the entry is
filed, and an entry whose journal no longer holds it is sent from there. While the journal holds an entry, the journal
is what counts: it is sent from there, and its copy goes when the server has confirmed or refused it.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from ghap.local.entry import GHAPEntry
from memoryserver.client import home_folder
from memoryserver.client.outbox import Outbox

KIND = "ghap_entries"

_log = logging.getLogger(__name__)


def outbox() -> Outbox:
    """Return the outbox in which the copies wait."""
    return Outbox(home_folder.path(), KIND)


def save(entry: GHAPEntry, journal: Path, project: str) -> None:
    """Write the copy of `entry`, which is about to be filed in `journal`; one that cannot be written is logged.

    The journal is the entry's place: it is filed there also where the home folder cannot be written.
    """
    content = {"journal": str(journal.absolute()), "project": project, "entry": entry.to_dict()}
    try:
        outbox().add(entry.id, content)
    except (OSError, ValueError) as error:
        _log.warning("%s has no copy in the home folder until it is delivered: %s", entry.id, error)


def journals() -> dict[Path, str]:
    """Return the journals that exist and of whose entries copies wait, with the keys of their projects."""
    waiting = (checked(content) for _, content, _ in outbox().contents())
    return {Path(copy["journal"]): copy["project"] for copy in waiting if copy and Path(copy["journal"]).is_dir()}


def settle(journal: Path, confirmed: dict[str, str], refused: dict[str, str]) -> None:
    """Remove the copies of entries in `journal` that the server has, and set aside those that it refuses.

    `confirmed` is {id: digest of the content as filed} of all filed entries that the server has, `refused` {id:
    reason}. The caller holds the journal's lock, so that no entry is being filed: a copy that differs from what is
    filed is of an amendment that was not finished.
    """
    for path, content, _ in outbox().contents():
        copy = checked(content)
        if copy is None or Path(copy["journal"]) != journal.absolute():
            continue
        if path.stem in confirmed:
            path.unlink(missing_ok=True)
        elif path.stem in refused:
            outbox().set_file_aside(path, refused[path.stem])


def checked(content: Any) -> dict[str, Any] | None:
    """Return a copy's content, None for what is not one."""
    if not isinstance(content, dict) or not isinstance(content.get("entry"), dict):
        return None
    return content if isinstance(content.get("journal"), str) and isinstance(content.get("project"), str) else None
