"""The journal for the tools: opened on the laptop's files, its errors as tool errors, its notices in the answer."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar

import anyio.from_thread
import anyio.to_thread

from ghap.local import GHAPError, Journal, NoActiveGHAPError, ResolvedBeforeError
from memorycli.hook import ownership
from memorycli.mcp.answers import line
from memorycli.mcp.place import Place
from memorycli.mcp.tool import Arguments, Handler, ToolError
from memoryserver.common import text

NONE_ACTIVE = "No GHAP entry is active."
BEGIN_ONE = "Begin one with start_ghap."
_LOCK_SECONDS = 10.0
_notices: ContextVar[list[str] | None] = ContextVar("notices", default=None)


class Notices(logging.Handler):
    """Adds what the journal logs during a call (texts cut, damage set aside) to that call's answer."""

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the message for the call in which it was logged."""
        notices = _notices.get()
        if notices is not None:
            notices.append(text.shorten(text.one_line(record.getMessage()), 300))


def in_thread(call: Callable[[Place, Arguments], str]) -> Handler:
    """Return `call`, which works on files, as a handler that runs it off the event loop.

    A call that is cancelled while it waits for the journal's lock does nothing; later it is done to its end.
    """

    async def run(place: Place, arguments: Arguments) -> str:
        return await anyio.to_thread.run_sync(call, place, arguments)

    return run


def _sleep(seconds: float) -> None:
    anyio.from_thread.check_cancelled()
    time.sleep(seconds)


@contextlib.contextmanager
def open_journal(place: Place, *, create: bool = False) -> Iterator[tuple[Journal, list[str]]]:
    """Yield the journal and its notices; its errors become ToolError, one that is missing too unless `create`."""
    if not create and not place.journal.is_dir():
        raise ToolError(f"{NONE_ACTIVE} {BEGIN_ONE}")
    notices: list[str] = []
    token = _notices.set(notices)
    try:
        yield _opened(place), notices
    except NoActiveGHAPError as error:
        raise ToolError(f"{NONE_ACTIVE} {BEGIN_ONE}") from error
    except ResolvedBeforeError as error:
        hint = f'To correct it, call resolve_ghap with id "{error.entry_id}"; for other work: start_ghap.'
        raise ToolError(f"{line(error.about, 400)}. {hint}") from error
    except (GHAPError, ValueError) as error:
        raise ToolError(line(error, 600)) from error
    except OSError as error:
        raise ToolError(f"the journal {place.journal} cannot be used: {error.strerror or error}") from error
    finally:
        _notices.reset(token)


def _opened(place: Place) -> Journal:
    session = place.session()
    return Journal(
        place.journal, project=place.project, agent_session=session, lock_timeout=_LOCK_SECONDS, sleep=_sleep
    )


def refuse_if_anothers(place: Place, journal: Journal) -> None:
    """Raise ToolError if another session is at work on the active entry."""
    entry = journal.get_current()
    owner = ownership.at_work(place.journal, entry, place.session()) if entry else ""
    if entry and owner:
        raise ToolError(ownership.refusal(entry, owner, "adopt_orphan"))
