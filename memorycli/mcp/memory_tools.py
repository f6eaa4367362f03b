"""Search tools in layers that save the model's context: an index, the time around a hit, and the full text."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

from capture.local import LEARNING_TYPES
from ghap.local import Domain, OutcomeStatus
from memorycli.arguments.learning_ids import document_id, key_of
from memorycli.delivery import manual_learnings, stored_learnings
from memorycli.mcp.answers import BUDGET, QUOTED, cut, entries, line, quoted, with_note
from memorycli.mcp.documents import blocks
from memorycli.mcp.exclusion import refuse_if_excluded
from memorycli.mcp.place import SECONDS, Place
from memorycli.mcp.server_calls import RefusedToolError, ask, in_thread
from memorycli.mcp.tool import Arguments, Tool, ToolError, flag, integer, string, strings
from memorycli.reading import hit_times
from memorycli.reading.ages import ago
from memoryserver.client import context_cache
from memoryserver.client.context_cache import Cached
from memoryserver.client.http import Client
from memoryserver.common.files import LockTimeoutError

logger = logging.getLogger(__name__)

_HERE = "here"
_HIDDEN = (
    "Not shown: it was stored before, and somebody hid it as it does not hold. Store what holds, or ask the person: "
    "memory forget --undo {}"
)
_NEW_PROJECT = "{}. Project {} is new, and only your user sees it: if the key is mistyped, store it with the right one."
_LINE = 140  # characters of a hit in the index
_FITS = 15  # hits that an answer has room for, however long their ids and kinds are
_PROJECT = string('its key, or "here" for this project (default: all)')


async def _search(place: Place, arguments: Arguments) -> str:
    limit = arguments["limit"]
    try:
        answer = await _page(place, arguments, limit, counted=limit <= _FITS)
    except RefusedToolError as error:
        if arguments.get("project") == _HERE and error.unknown == "project":
            project = line(place.project)
            return f"Nothing is known of this project ({project}) yet; without project, all others are searched."
        raise
    text, shown = _index(answer, place)
    if limit > _FITS:  # what is shown is known now and counts, and a shorter page has the cursor after its last hit
        text, _ = _index(await _page(place, arguments, shown or limit, counted=True), place)
    return text


async def _page(place: Place, arguments: Arguments, limit: int, *, counted: bool) -> dict[str, Any]:
    params = {**arguments, "q": arguments["query"], "project": _project(place, arguments), "chars": _LINE}
    del params["query"]
    params |= {"here": place.project, "counted": counted}
    answer: dict[str, Any] = await ask(place, lambda client: client.get("/search", params | {"limit": limit}))
    return answer


def _index(answer: dict[str, Any], place: Place) -> tuple[str, int]:
    """Return the hits of a page, one a line, and how many of them there was room for."""
    hits: list[dict[str, Any]] = answer["hits"]
    before = answer.get("before", 0)  # an older server pages in another way
    note = f"{line(answer['note'])} " if answer["note"] else ""
    if not hits:
        return f"{note}Nothing found{' beyond that' if before else ''}; try other words, or fewer filters.", 0
    cursor, shown = answer.get("next_cursor"), len(hits)

    def rest(count: int) -> str:
        nonlocal shown
        shown = count
        return f"continue with cursor {line(cursor)}" if cursor else "request fewer"

    further = max(answer["found"] - before - len(hits), 0) if cursor else 0
    text = entries(
        f"{note}{answer['found']} found, best first: id, kind, date, characters, text. Read the relevant ones with "
        "get_memory.",
        [_hit(hit, time, place) for hit, time in zip(hits, hit_times.of(hits), strict=True)],
        rest,
        further=further,
    )
    return text, shown


def _hit(hit: dict[str, Any], time: str, place: Place) -> str:
    """Return a hit in a line; its project and author are named where they are not those of the caller."""
    about = ", ".join(filter(None, (hit["kind"], hit.get("origin", {}).get("state", ""), *_elsewhere(hit, place))))
    head = f"{line(hit['id'])} [{line(about, 160)}] {line(time)} {hit['size']}"
    summary = f"{hit['title']} {hit['text']}"
    same = len(hit.get("same", ()))  # an older server does not fold
    return f"{head}{f' (and {same} near-equal)' if same else ''}: {line(summary, _LINE)}"


def _elsewhere(hit: dict[str, Any], place: Place) -> Iterator[str]:
    if hit["project"] and hit["project"] != place.project:
        yield f"project {line(hit['project'], 80)}"
    if not hit.get("mine", True):  # an older server does not say
        yield f"of {line(hit['user'], 40)}"


async def _timeline(place: Place, arguments: Arguments) -> str:
    params = {**arguments, "id": document_id(arguments["id"]), "chars": _LINE}
    answer = await ask(place, lambda client: client.get("/timeline", params))
    lines = [
        f"{'>' if event['here'] else ' '} {line(event['created_at'][:19])} {line(event['id'])} "
        f"[{line(event['kind'], 60)}] {event['size']}: {line(event['line'], _LINE)}"
        for event in answer["events"]
    ]
    return entries(
        "Oldest first; > marks the requested one: time, id, kind, characters, text.",
        lines,
        lambda _: "request fewer before and after",
    )


async def _get(place: Place, arguments: Arguments) -> str:
    ids, offset = list(dict.fromkeys(map(document_id, arguments["ids"]))), arguments["offset"]
    if offset and len(ids) > 1:
        raise ToolError("offset needs a single id: it is where to continue reading that one")
    answer = await ask(place, lambda client: client.get("/memory", {"id": ids, "counted": offset == 0}))
    documents, missing = answer["documents"], [line(name, 80) for name in answer["missing"]]
    not_found = f"Not found or not visible to you: {', '.join(missing)}. Use the ids from search_memory."
    if not documents:
        raise ToolError(not_found)
    notes = ([not_found] if missing else []) + [QUOTED]
    return "\n".join([*notes, *blocks(documents, offset, BUDGET - sum(map(len, notes)))])


async def _context(place: Place, arguments: Arguments) -> str:
    project = _project(place, {"project": arguments.get("project", _HERE)})
    if project is None:
        raise ToolError("Over HTTP there is no current project: pass its key as project.")

    def question(client: Client) -> Any:
        return client.get("/context", {"project": project, "chars": arguments["chars"]})

    try:
        answer = await ask(place, question)
    except ToolError as error:
        cached = await in_thread(lambda: context_cache.load(project)) if place.on_laptop else None
        if cached is None or not cached.text.strip():
            raise
        content = quoted(cut(cached.text, arguments["chars"], "try again later"))
        await in_thread(lambda: _record(cached, content, place))
        return f"As it was {ago(max(cached.age, 0))} ({error}). {QUOTED}\n{content}"
    text = str(answer["text"]).strip()
    if not text:
        what = f"Nothing is known of project {line(project)} that is sure enough for a context"
        return f"{what}; search_memory finds the rest."
    return cut(f"{QUOTED}\n{quoted(text)}", BUDGET, "request fewer chars, or use search_memory")


def _record(cached: Cached, content: str, place: Place) -> None:
    """Record that the session gets `content` of the copy. It gets it also if that fails; the error is logged."""
    try:
        context_cache.record_delivery(cached, content, place.session())
    except OSError:
        logger.exception("a context was not counted")


async def _store(place: Place, arguments: Arguments) -> str:
    refuse_if_excluded(place, None if arguments.get("project", _HERE) == _HERE else arguments["project"])
    project = (
        _project(place, {"project": arguments.get("project", _HERE)}) if place.on_laptop else arguments.get("project")
    )
    try:
        content = manual_learnings.body(
            type=arguments["type"],
            content=arguments["content"],
            project=project or "",
            files=arguments.get("files", ()),
            session=place.session(),
            stored_by="agent",
            replaces=[key_of(word) for word in arguments.get("replaces", ())],
        )
    except ValueError as error:
        raise ToolError(str(error)) from error
    return with_note(await _send(place, content, anyway=arguments["anyway"]), arguments)


async def _send(place: Place, content: dict[str, object], *, anyway: bool) -> str:
    if place.on_laptop:
        return await in_thread(lambda: _save_and_send(content, place, anyway=anyway))
    if not anyway:
        _check(content, on_laptop=False)
    answer = await ask(place, lambda client: manual_learnings.post(client, manual_learnings.PATH, content))
    return _stored(answer, str(content["project"]))


def _check(content: dict[str, object], *, on_laptop: bool) -> None:
    """Raise ToolError if the learning lacks something, with what that is."""
    if objection := manual_learnings.objection(content, on_laptop=on_laptop):
        raise ToolError(f"Not stored: {line(objection, 700)} Reword it, leave it, or pass anyway: true.")


def _save_and_send(content: dict[str, object], place: Place, *, anyway: bool) -> str:
    """Save the learning in the outbox before the network is tried, then send it."""
    try:
        if not anyway and not stored_learnings.contains(content):
            _check(content, on_laptop=True)
        stored = manual_learnings.store(content, again=anyway or "replaces" in content, timeout=SECONDS)
    except (OSError, LockTimeoutError) as error:
        raise ToolError(f"the learning could not be saved: {error}") from error
    if stored.later:
        return f"Saved; it will be sent later ({line(stored.later)})."
    if stored.refused:
        raise ToolError(f"The server refused the learning: {line(stored.refused, 600)}")
    if stored.hidden:
        return _HIDDEN.format(stored.key)
    if stored.new_project not in ("", place.project):
        return _NEW_PROJECT.format(stored, line(stored.new_project, 120))
    return "Already stored." if stored.known else f"{stored}."


def _stored(answer: dict[str, Any], project: str) -> str:
    if answer.get("hidden"):
        return _HIDDEN.format(answer["id"])
    said = f"{'Stored' if answer['new'] else 'Already stored'} as learnings/{answer['id']}"
    return _NEW_PROJECT.format(said, line(project, 120)) if answer.get("new_project") else f"{said}."


def _project(place: Place, arguments: Arguments) -> str | None:
    project: str | None = arguments.get("project")
    return place.project if project == _HERE else project


TOOLS = (
    Tool(
        "search_memory",
        "Before you solve a problem again: search entries and learnings, yours and your team's, by meaning and words. "
        "Returns an index with ids and sizes.",
        _search,
        {
            "query": string("in plain words"),
            "project": _PROJECT,
            "source": string(choices=("ghap", "learnings", "observations")),
            "type": string("of learnings, such as gotcha"),
            "domain": string(choices=Domain),
            "outcome": string(choices=OutcomeStatus),
            "since": string("a date, or an age such as 30d"),
            "limit": integer(1, 50, 10),
            "cursor": string("of the last answer"),
        },
        ("query",),
        read_only=True,
    ),
    Tool(
        "timeline",
        "What happened before and after a result, in the same project or session.",
        _timeline,
        {"id": string("such as learnings/12"), "before": integer(0, 50, 5), "after": integer(0, 50, 5)},
        ("id",),
        read_only=True,
    ),
    Tool(
        "get_memory",
        "The full text of results. Request only the relevant ones.",
        _get,
        {"ids": strings(most=20), "offset": integer(0, 10_000_000, 0)},
        ("ids",),
        read_only=True,
    ),
    Tool(
        "get_context",
        "At the start of work: the most useful learnings of a project, what failed, strategies that work.",
        _context,
        {"project": string('default: "here"'), "chars": integer(200, 8_000, 4_000)},
        read_only=True,
    ),
    Tool(
        "store_learning",
        "When you learned something that later sessions would be glad to know, not how this one went: one fact that "
        "can be understood alone; pass ids of what it makes untrue as replaces. Also works offline.",
        _store,
        {
            "type": string(choices=LEARNING_TYPES),
            "content": string("one to three sentences that name what they are about, with cause and cure"),
            "files": strings("paths it is about", most=50),
            "replaces": strings(most=20),
            "project": string('default: "here"'),
            "anyway": flag("after it was refused for its form"),
        },
        ("type", "content"),
        idempotent=True,
    ),
)
