"""The journal as tools: they work on the laptop's files, without any network."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ghap.local import (
    ROOT_CAUSE_CATEGORIES,
    Domain,
    GHAPEntry,
    Lesson,
    OutcomeStatus,
    RootCause,
    Strategy,
    corrections,
    resolution,
)
from ghap.local.rendering import render
from memorycli.hook import learning_questions, ownership
from memorycli.mcp.answers import BUDGET, QUOTED, cut, entries, line, quoted
from memorycli.mcp.exclusion import refuse_if_excluded
from memorycli.mcp.journal_access import BEGIN_ONE, NONE_ACTIVE, in_thread, open_journal, refuse_if_anothers
from memorycli.mcp.place import Place
from memorycli.mcp.tool import Arguments, Handler, Tool, ToolError, integer, string
from memoryserver.common.counted import counted

_WIDTH = 100
_TEXTS = {
    "goal": "what is to be achieved",
    "hypothesis": "what you believe to be true",
    "action": "what you do because of it",
    "prediction": "what you will see if it is true",
}
_CHECK = string("the command that decides it when run after a change")


def _answer(entry: GHAPEntry, head: str, notices: Sequence[str]) -> str:
    """Return `head`, the goal and the journal's notices, a line each."""
    return "\n".join([head, f"goal: {line(entry.goal)}", *(f"note: {line(notice, 300)}" for notice in notices)])


def _changing(call: Callable[[Place, Arguments], str]) -> Handler:
    """Return the handler of a tool that changes the journal, which it does not in an excluded folder."""

    def run(place: Place, arguments: Arguments) -> str:
        refuse_if_excluded(place)
        return call(place, arguments)

    return in_thread(run)


def _start(place: Place, arguments: Arguments) -> str:
    with open_journal(place, create=True) as (journal, notices):
        refuse_if_anothers(place, journal)
        entry = journal.create_ghap(
            Domain(arguments["domain"]),
            Strategy(arguments["strategy"]),
            **{name: arguments[name] for name in _TEXTS},
            check=arguments.get("check"),
        )
    decided = "running its check after a change resolves it" if entry.check else "record its outcome with resolve_ghap"
    return _answer(entry, f"Started {entry.id}; {decided}.", notices)


def _update(place: Place, arguments: Arguments) -> str:
    strategy = Strategy(arguments.pop("strategy")) if "strategy" in arguments else None
    if strategy is None and not arguments:
        raise ToolError("nothing to update; give a hypothesis, action, prediction, strategy, note or check")
    with open_journal(place) as (journal, notices):
        refuse_if_anothers(place, journal)
        entry = journal.update_ghap(strategy=strategy, **arguments)
    return _answer(entry, f"Updated {entry.id}, iteration {entry.iteration_count}.", notices)


def _resolve(place: Place, arguments: Arguments) -> str:
    category, cause = arguments.get("root_cause"), arguments.get("cause")
    if (category is None) != (cause is None):
        raise ToolError("root_cause (a category) and cause (the cause in words) go together; give both or neither")
    if arguments.get("takeaway") and not arguments.get("lesson"):
        raise ToolError("takeaway goes with lesson; give what worked as lesson")
    status, session = OutcomeStatus(arguments["status"]), place.session()
    with open_journal(place) as (journal, notices):
        learned = resolution.learned(
            arguments.get("surprise"),
            RootCause(category, cause) if category and cause else None,
            Lesson(arguments["lesson"], arguments.get("takeaway")) if arguments.get("lesson") else None,
        )
        if "id" not in arguments:
            refuse_if_anothers(place, journal)
        entry, head = corrections.resolve(
            journal, status, arguments["result"], learned, entry_id=arguments.get("id"), session=session
        )
    return _resolved(place, entry, head, notices)


def _resolved(place: Place, entry: GHAPEntry, head: str, notices: Sequence[str]) -> str:
    """Return the answer, and a question: for the learning if the entry has a surprise, for that if it must have one."""
    question = learning_questions.after_surprise(entry.id, place.folder) if entry.surprise else ""
    if entry.outcome and entry.outcome.status is OutcomeStatus.FALSIFIED and not (entry.surprise or entry.root_cause):
        question = "Why did it not hold? Once you know, call resolve_ghap again with surprise, root_cause and cause."
    return "\n".join(filter(None, [_answer(entry, head, notices), question]))


def _abandon(place: Place, arguments: Arguments) -> str:
    with open_journal(place) as (journal, notices):
        refuse_if_anothers(place, journal)
        # One that an earlier session left goes to that session's archive.
        entry = journal.abandon_orphan(arguments["reason"]) or journal.abandon_ghap(arguments["reason"])
    return _answer(entry, f"Abandoned {entry.id}.", notices)


def _active(place: Place, arguments: Arguments) -> str:
    if not place.journal.is_dir():
        return f"{NONE_ACTIVE} {BEGIN_ONE}"
    with open_journal(place) as (journal, _):
        state = journal.state()
    if state.entry is None:
        return f"{NONE_ACTIVE} {BEGIN_ONE}"
    session, left = place.session(), ""
    if state.orphan and ownership.is_left(place.journal, state.entry, session):
        left = "\nAn earlier session left it: go on with it by adopt_orphan, or abandon_ghap."
    if owner := ownership.at_work(place.journal, state.entry, session):
        left = f"\nIt is the entry of another session that is at work now: {line(owner, 40)}."
    return cut(f"{QUOTED}\n{quoted(render(state.entry, width=_WIDTH))}{left}", BUDGET, "its file is current_ghap.json")


def _list(place: Place, arguments: Arguments) -> str:
    resolved: list[GHAPEntry] = []
    if place.journal.is_dir():
        with open_journal(place) as (journal, _):
            resolved = journal.get_all_entries() if arguments["scope"] == "all" else journal.get_session_entries()
    if not resolved:
        other = '; those of earlier sessions: list_ghap with scope "all"' if arguments["scope"] == "session" else ""
        return f"No entries were resolved{' in this session' if arguments['scope'] == 'session' else ''}{other}."
    offset, limit = arguments["offset"], arguments["limit"]
    newest = resolved[::-1][offset:]
    number = counted(len(resolved), "resolved entry", "resolved entries")
    return entries(
        f"{number}, the newest first: id, outcome, iterations, goal => what it taught.",
        [_summary(entry) for entry in newest[:limit]],
        lambda shown: f"go on with offset {offset + shown}",
        further=max(len(newest) - limit, 0),
    )


def _summary(entry: GHAPEntry) -> str:
    outcome = entry.outcome.status.value if entry.outcome else "active"
    learned = entry.lesson.takeaway or entry.lesson.what_worked if entry.lesson else entry.surprise
    taught = f" => {line(learned, 120)}" if learned else ""
    return f"{entry.id} {outcome} {entry.iteration_count}x {line(entry.goal, 120)}{taught}"


def _adopt(place: Place, arguments: Arguments) -> str:
    with open_journal(place) as (journal, notices):
        entry = journal.adopt_orphan()
        current = journal.get_current()
        if entry is None and current and ownership.at_work(place.journal, current, place.session()):
            entry = journal.take_over()
        if entry is not None:
            ownership.take(place.journal, entry, place.session())
    if entry is None:
        raise ToolError(f"No earlier session left an entry. {BEGIN_ONE}")
    return _answer(entry, f"Adopted {entry.id}; go on with it as {entry.session_id}.", notices)


TOOLS = (
    Tool(
        "start_ghap",
        "Before you try anything whose outcome is uncertain: write down what you want, believe, do and expect. One "
        "entry is active at a time.",
        _changing(_start),
        {
            "domain": string(choices=Domain),
            "strategy": string(choices=Strategy),
            **{name: string(description) for name, description in _TEXTS.items()},
            "check": _CHECK,
        },
        ("domain", "strategy", *_TEXTS),
        laptop_only=True,
    ),
    Tool(
        "update_ghap",
        "When your hypothesis, action or prediction changes (begins an iteration), or to add a note to it.",
        _changing(_update),
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
        "As soon as the outcome is known: whether the prediction held, and what that taught. Again afterwards to add "
        "to that, or to correct a check.",
        _changing(_resolve),
        {
            "status": string(choices=OutcomeStatus),
            "result": string("what was seen"),
            "surprise": string("what was not expected"),
            "root_cause": string(f"with cause: {', '.join(ROOT_CAUSE_CATEGORIES)}, or another word"),
            "cause": string("with root_cause, in words"),
            "lesson": string("what worked"),
            "takeaway": string("with lesson, what to remember"),
            "id": string("the entry to correct"),
        },
        ("status", "result"),
        laptop_only=True,
    ),
    Tool(
        "abandon_ghap",
        "When the active entry will not be decided, or an earlier session left one that nobody goes on with.",
        _changing(_abandon),
        {"reason": string()},
        ("reason",),
        destructive=True,
        laptop_only=True,
    ),
    Tool(
        "get_active_ghap",
        "The active entry with its iterations.",
        in_thread(_active),
        {},
        read_only=True,
        laptop_only=True,
    ),
    Tool(
        "list_ghap",
        "Entries resolved in this session, or in all of this checkout: what was tried and how it came out.",
        in_thread(_list),
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
        "Take over the entry of an earlier or another session.",
        _changing(_adopt),
        {},
        idempotent=True,
        laptop_only=True,
    ),
)
