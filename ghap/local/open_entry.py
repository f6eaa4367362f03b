"""Reports the active entry to the server, so that the team sees what is being worked on.

`.open.json` beside the journal has what was reported last: an entry that has not changed is reported once a day. The
resolved entry is sent by `sync` and takes the place of what was reported, so nothing here must arrive.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from ghap.local import layout
from ghap.local.store import Store
from memoryserver.client.delivery import Post
from memoryserver.client.http import ServerError, UnauthorizedError
from memoryserver.common import clock, files

ENDPOINT = "/ghap/open-entries"


def report(journal_dir: Path, project: str, post: Post, *, server: str = "", account: str = "") -> bool:
    """Report the active entry of the journal, if there is one that `server` does not know; return whether it was.

    An answer that means "later" is as good as none: the next sync reports it. Raises UnauthorizedError, OSError.
    """
    if not journal_dir.is_dir():
        return False
    state = Store(journal_dir).peek()  # a file that must be repaired is left to the journal
    if state is None or state.entry is None:
        return False
    body = state.entry.to_dict()
    content = json.dumps([body, project, server, account, f"{clock.now():%Y-%m-%d}"], sort_keys=True)
    digest = hashlib.sha256(content.encode("ascii")).hexdigest()[:32]
    if files.read_object(journal_dir / layout.OPEN_STATE).get("reported") == digest:
        return False
    try:
        post(ENDPOINT, {"project": project, "open_entries": [body]})
    except UnauthorizedError:
        raise
    except ServerError:  # it waits for the next sync; an older server has no such endpoint
        return False
    files.write_atomic(journal_dir / layout.OPEN_STATE, json.dumps({"reported": digest}), durable=False)
    return True
