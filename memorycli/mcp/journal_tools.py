"""The journal as tools: they work on the laptop's files, without any network."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncIterator, Sequence
from contextvars import ContextVar
from typing import TypedDict

from ghap.local import (
    ROOT_CAUSE_CATEGORIES,
    Domain,
    GHAPEntry,
    GHAPError,
    Lesson,
    NoActiveGHAPError,
    ObservationCollector,
    OutcomeStatus,
    RootCause,
    Strategy,
)
from ghap.local.rendering import render
from memorycli.mcp.answers import BUDGET, QUOTED, cut, entries, line, quoted
from memorycli.mcp.place import Place
from memorycli.mcp.tool import Arguments, Tool, ToolError, integer, string
from memoryserver.common import text

NONE_ACTIVE = "No GHAP entry is active."
BEGIN_ONE = "Begin one with start_ghap."
_LOCK_SECONDS = 10.0
_WIDTH = 100
_TEXTS = {
    "goal": "what shall be reached",
    "hypothesis": "what you believe to be so",
    "action": "what you do because of it",
    "prediction": "what you will see if it is so",
}
_CHECK = string("the command whose result decides it; running it resolves the entry")

_notices: ContextVar[list[str] | None] = ContextVar("notices", default=None)
_in_flight: list[list[str]] = []


class Notices(logging.Handler):
    """Hands what the journal logs during a call (texts cut, damage set aside) to that call's answer."""

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the message for the call in which it was logged, or, from a thread that is no call's own, for all."""
        own = _notices.get()
        for told in [own] if own is not None else list(_in_flight):
            told.append(text.shorten(text.one_line(record.getMessage()), 300))


@contextlib.asynccontextmanager
async def _journal(place: Place) -> AsyncIterator[tuple[ObservationCollector, list[str]]]:
    """The journal, made where it is missing, and what it will want said. Raises ToolError in place of its errors."""
    told: list[str] = []
    token = _notices.set(told)
    _in_flight.append(told)
    try:
        yield ObservationCollector(place.journal, lock_timeout=_LOCK_SECONDS), told
    except NoActiveGHAPError as error:
        raise ToolError(f"{NONE_ACTIVE} {BEGIN_ONE}") from error
    except (GHAPError, ValueError) as error:
        raise ToolError(line(error, 600)) from error
    except OSError as error:
        raise ToolError(f"the journal {place.journal} cannot be used: {error.strerror or error}") from error
    finally:
        _in_flight[:] = [other for other in _in_flight if other is not told]
        _notices.reset(token)


def _said(entry: GHAPEntry, head: str, told: Sequence[str]) -> str:
    """A line for what was done, one for what is next, and what the journal remarked."""
    return "\n".join([head, f"goal: {line(entry.goal)}", *(f"note: {line(notice, 300)}" for notice in told)])


async def _start(place: Place, given: Arguments) -> str:
    async with _journal(place) as (journal, told):
        entry = await journal.create_ghap(
            Domain(given["domain"]),
            Strategy(given["strategy"]),
            **{name: given[name] for name in _TEXTS},
            check=given.get("check"),
        )
    decided = "running its check resolves it" if entry.check else "say with resolve_ghap how it came out"
    return _said(entry, f"Started {entry.id}; {decided}.", told)


async def _update(place: Place, given: Arguments) -> str:
    strategy = Strategy(given.pop("strategy")) if "strategy" in given else None
    if strategy is None and not given:
        raise ToolError("nothing to update; give a hypothesis, action, prediction, strategy, note or check")
    async with _journal(place) as (journal, told):
        entry = await journal.update_ghap(strategy=strategy, **given)
    return _said(entry, f"Updated {entry.id}, iteration {entry.iteration_count}.", told)


async def _resolve(place: Place, given: Arguments) -> str:
    category, cause = given.get("root_cause"), given.get("cause")
    if (category is None) != (cause is None):
        raise ToolError("root_cause (a category) and cause (the cause in words) go together; give both or neither")
    if given.get("takeaway") and not given.get("lesson"):
        raise ToolError("takeaway goes with lesson; give what worked as lesson")
    learned = _Learned(
        surprise=given.get("surprise"),
        root_cause=RootCause(category, cause) if category and cause else None,
        lesson=Lesson(given["lesson"], given.get("takeaway")) if given.get("lesson") else None,
    )
    async with _journal(place) as (journal, told):
        if await journal.get_current() is None and any(learned.values()):
            entry = await _amended(journal, learned)
            return _said(entry, f"Its check had resolved {entry.id}; what it taught is added.", told)
        entry = await journal.resolve_ghap(OutcomeStatus(given["status"]), given["result"], **learned)
    return _said(entry, f"Resolved {entry.id} as {given['status']}.", told)


class _Learned(TypedDict):
    surprise: str | None
    root_cause: RootCause | None
    lesson: Lesson | None


async def _amended(journal: ObservationCollector, learned: _Learned) -> GHAPEntry:
    """The entry resolved last, with what it taught, if its check resolved it: the model was asked for that then."""
    entries_here = await journal.get_session_entries()
    last = entries_here[-1] if entries_here else None
    if last is None or last.outcome is None or not last.outcome.auto_captured:
        raise NoActiveGHAPError(NONE_ACTIVE)
    return await journal.amend_ghap(last.id, **learned)


async def _abandon(place: Place, given: Arguments) -> str:
    async with _journal(place) as (journal, told):
        # One that an earlier session left goes to that session's archive.
        entry = await journal.abandon_orphan(given["reason"]) or await journal.abandon_ghap(given["reason"])
    return _said(entry, f"Abandoned {entry.id}.", told)


async def _active(place: Place, given: Arguments) -> str:
    if not place.journal.is_dir():
        return f"{NONE_ACTIVE} {BEGIN_ONE}"
    async with _journal(place) as (journal, _):
        entry, is_orphan = await journal.get_current(), await journal.has_orphaned_entry()
    if entry is None:
        return f"{NONE_ACTIVE} {BEGIN_ONE}"
    left = "\nAn earlier session left it: go on with it by adopt_orphan, or abandon_ghap." if is_orphan else ""
    return cut(f"{QUOTED}\n{quoted(render(entry, width=_WIDTH))}{left}", BUDGET, "its file is current_ghap.json")


async def _list(place: Place, given: Arguments) -> str:
    found: list[GHAPEntry] = []
    if place.journal.is_dir():
        async with _journal(place) as (journal, _):
            found = await (journal.get_all_entries() if given["scope"] == "all" else journal.get_session_entries())
    if not found:
        other = '; those of earlier sessions: list_ghap with scope "all"' if given["scope"] == "session" else ""
        return f"No entries were resolved{' in this session' if given['scope'] == 'session' else ''}{other}."
    offset, limit = given["offset"], given["limit"]
    newest = found[::-1][offset:]
    return entries(
        f"{len(found)} resolved entries, the newest first: id, outcome, iterations, goal => what it taught.",
        [_summary(entry) for entry in newest[:limit]],
        lambda shown: f"go on with offset {offset + shown}",
        further=max(len(newest) - limit, 0),
    )


def _summary(entry: GHAPEntry) -> str:
    outcome = entry.outcome.status.value if entry.outcome else "active"
    learned = entry.lesson.takeaway or entry.lesson.what_worked if entry.lesson else entry.surprise
    told = f" => {line(learned, 120)}" if learned else ""
    return f"{entry.id} {outcome} {entry.iteration_count}x {line(entry.goal, 120)}{told}"


async def _adopt(place: Place, given: Arguments) -> str:
    async with _journal(place) as (journal, told):
        entry = await journal.adopt_orphan()
    if entry is None:
        raise ToolError(f"No earlier session left an entry. {BEGIN_ONE}")
    return _said(entry, f"Adopted {entry.id}; go on with it as {entry.session_id}.", told)


TOOLS = (
    Tool(
        "start_ghap",
        "Before you try anything whose outcome is uncertain: write down what you want, believe, do and expect. One "
        "entry is active at a time.",
        _start,
        {
            "domain": string(choices=Domain),
            "strategy": string(choices=Strategy),
            **{name: string(said) for name, said in _TEXTS.items()},
            "check": _CHECK,
        },
        ("domain", "strategy", *_TEXTS),
        laptop_only=True,
    ),
    Tool(
        "update_ghap",
        "When your hypothesis, action or prediction changes (begins an iteration), or to add a note to it.",
        _update,
        {
            "hypothesis": string(),
            "action": string(),
            "prediction": string(),
            "strategy": string(choices=Strategy),
            "note": string(),
            "check": string("blank takes it away"),
        },
        laptop_only=True,
    ),
    Tool(
        "resolve_ghap",
        "As soon as the outcome is known: whether the prediction of the active entry held, and what that taught (also "
        "of one that its check resolved).",
        _resolve,
        {
            "status": string(choices=OutcomeStatus),
            "result": string("what was seen"),
            "surprise": string("what was not expected"),
            "root_cause": string(f"why it was wrong: {', '.join(ROOT_CAUSE_CATEGORIES)}, or another such word"),
            "cause": string("the root cause in words"),
            "lesson": string("what worked"),
            "takeaway": string("what to remember of it"),
        },
        ("status", "result"),
        laptop_only=True,
    ),
    Tool(
        "abandon_ghap",
        "When the active entry will not be decided, or an earlier session left one that nobody goes on with.",
        _abandon,
        {"reason": string()},
        ("reason",),
        destructive=True,
        laptop_only=True,
    ),
    Tool("get_active_ghap", "The active entry with its iterations.", _active, {}, read_only=True, laptop_only=True),
    Tool(
        "list_ghap",
        "Entries resolved in this session, or in all of this project: what was tried and how it came out.",
        _list,
        {
            "scope": string(choices=("session", "all")) | {"default": "session"},
            "limit": integer(1, 200, 20),
            "offset": integer(0, 1_000_000, 0),
        },
        read_only=True,
        laptop_only=True,
    ),
    Tool(
        "adopt_orphan",
        "Take over the entry that an earlier session left active.",
        _adopt,
        {},
        idempotent=True,
        laptop_only=True,
    ),
)
