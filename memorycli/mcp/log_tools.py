"""The observation log as tools."""

from __future__ import annotations

import threading
from argparse import ArgumentTypeError
from typing import Any

import anyio

from memorycli.arguments.times import moment
from memorycli.delivery import observations
from memorycli.errors import CommandError
from memorycli.mcp.answers import BUDGET, QUOTED, line, quoted, with_note
from memorycli.mcp.exclusion import refuse_if_excluded
from memorycli.mcp.place import SECONDS, NoServerError, Place
from memorycli.mcp.server_calls import ask, in_thread
from memorycli.mcp.tool import Arguments, Tool, ToolError, flag, integer, string, strings
from memoryserver.client.http import Client, ServerError
from memoryserver.common.counted import counted

_PATH = "/observations"
_SOURCE = "agent:mcp"
_order = threading.Lock()  # one delivery at a time
_running: list[anyio.Event] = []  # appends that are not done, in the order in which they came
_LATEST = 253_402_300_799_999  # the last millisecond of the year 9999


async def _query(place: Place, arguments: Arguments) -> str | list[str]:
    mode = arguments.get("mode") or ("full" if arguments["details"] else "short")
    params: dict[str, Any] = {name: arguments.get(name) for name in ("type", "source", "limit", "cursor")}
    params |= {"scope_ids": arguments.get("scopeIds"), "mode": mode, "max_chars": BUDGET - 500}
    params |= {
        "after_date": _date(arguments, "afterDate", "since"),
        "before_date": _date(arguments, "beforeDate", "until"),
    }
    path = _PATH if arguments.get("cursor") else f"{_PATH}/recent"
    await _appends_before()
    body, headers = await ask(place, lambda client: _answer(place, client, path, params))
    count, cursor = headers.get("Observations-Count") or "0", line(headers.get("Observations-Cursor"))
    if count == "0":
        return "Nothing in the log matches."
    more = headers.get("Observations-More") == "true" and bool(arguments.get("cursor"))
    label = "more" if more else "later observations"
    further = f"[{label}: observation_query with cursor {cursor}]"
    head = f"{counted(int(count), 'observation')}, oldest first"
    if mode == "json":  # each line is JSON, in which no text can look like ours; a tag is escaped
        return [body.replace("<", "\\u003c"), f"{head}, the data of each.\n{further}"]
    return f"{head}. {QUOTED}\n{quoted(body)}\n{further}"


def _answer(place: Place, client: Client, path: str, params: dict[str, Any]) -> Any:
    """Return the server's answer, which on a laptop includes what was appended there before."""
    if place.on_laptop and _order.acquire(timeout=SECONDS):
        try:
            observations.deliver_before_reading(client)
        finally:
            _order.release()
    return client.get_text_and_headers(path, params)


async def _appends_before() -> None:
    """Wait until the appends are done that came before this call, at most for as long as the server may take."""
    with anyio.move_on_after(SECONDS):
        for done in tuple(_running):
            await done.wait()


async def _append(place: Place, arguments: Arguments) -> str:
    return with_note(await _send(place, arguments), arguments)


async def _send(place: Place, arguments: Arguments) -> str:
    refuse_if_excluded(place)
    if not place.on_laptop:
        receipt = await ask(place, lambda client: client.post(_PATH, {"source": _SOURCE, **arguments}))
        return f"Appended {line(receipt.get('id'))}."
    done = anyio.Event()
    _running.append(done)
    try:
        return await in_thread(lambda: _in_order(place, arguments))
    finally:
        _running.remove(done)
        done.set()


def _in_order(place: Place, arguments: Arguments) -> str:
    with _order:
        return _save_and_send(place, arguments)


def _save_and_send(place: Place, arguments: Arguments) -> str:
    """Save the observation in the outbox before the network is tried, then send it."""
    try:
        identifier = observations.save(
            **{"source": _SOURCE, **arguments}, project=place.project or "", session=place.session()
        )
    except OSError as error:
        raise ToolError(f"the observation could not be saved: {error}") from error
    outbox = observations.outbox()
    if len(outbox.waiting()) > observations.BATCH:
        return f"Saved {identifier}; many others must be sent first, which the next sync does."
    try:
        later = observations.deliver(place.client()).later
    except (ServerError, NoServerError, CommandError) as error:
        later = str(error)
    except OSError as error:
        return f"Saved {identifier}; it will be sent later ({line(error)})."
    if later:
        return f"Saved {identifier}; it will be sent later ({line(later)})."
    reason = outbox.take_back(identifier)
    if reason is not None:
        raise ToolError(f"The server refused the observation: {line(reason, 600)}")
    return f"Appended {identifier}."


def _date(arguments: Arguments, date: str, age: str) -> int | None:
    """Return the Unix milliseconds that the call gives as the argument `date`, or as a time or an age in `age`."""
    if age not in arguments:
        milliseconds: int | None = arguments.get(date)
        return milliseconds
    if date in arguments:
        raise ToolError(f"{date} and {age} mean the same; give one of them")
    try:
        return moment(arguments[age])
    except ArgumentTypeError as error:
        raise ToolError(f"{age}: {error}") from error


TOOLS = (
    Tool(
        "observation_query",
        "Read the log of agents' and tools' events: the newest that match, or those after a cursor.",
        _query,
        {
            "type": string("only this type"),
            "source": string("only sources with this prefix, such as agent:"),
            "scopeIds": strings("about any of these", most=100),
            "afterDate": integer(0, _LATEST, description="Unix milliseconds, inclusive"),
            "beforeDate": integer(0, _LATEST, description="exclusive"),
            "since": string("instead: a time such as 2026-11-27T12:00:00Z, or an age such as 2h"),
            "until": string("the same"),
            "mode": string("default: short; json: the data of each, a line", choices=("json", "short", "full")),
            "details": flag("mode full"),
            "cursor": string("of an earlier answer: only what came after it"),
            "limit": integer(1, 1000, 50),
        },
        read_only=True,
    ),
    Tool(
        "observation_append",
        "Record an event that other agents or people should be able to look up later. Also works offline.",
        _append,
        {
            "type": string("kind of event, such as task.done"),
            "message": string("one line"),
            "details": string(),
            "source": string(f"category:identifier, by default {_SOURCE}"),
            "scope_ids": strings("ids of what it is about", most=100),
        },
        ("type", "message"),
    ),
)
