"""`memory status`: show what runs, what waits and what failed last; what needs attention comes first."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from memorycli import renamed
from memorycli.delivery.probe import clock_difference, older
from memorycli.doctor import logs, status_facts
from memorycli.installation import layout
from memorycli.reading.ages import ago
from memorycli.rendering import terminal
from memorycli.rendering.terminal import paint
from memoryserver import __version__
from memoryserver.client import exclusions
from memoryserver.common import clock, text
from memoryserver.common.columns import fitting, wrapped
from memoryserver.common.counted import counted, counted_kind

_LABEL = 12
_MAX_LINES = 3  # of one part

Line = tuple[bool, str, str]  # whether it needs attention, the label, the text
Facts = dict[str, Any]


def configure(parser: ArgumentParser) -> None:
    """Add the output's options."""
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.add_argument("--offline", action="store_true", help="do not ask the server")


def run(args: Namespace) -> int:
    """Print the status; return 1 if something is wrong, which then comes first."""
    facts = status_facts.gather(offline=args.offline)
    lines = [line for part in _PARTS for line in part(facts)]
    problems = [f"{label}: {content}" for is_wrong, label, content in lines if is_wrong]
    if args.json:
        print(status_facts.as_json(facts | {"problems": problems}))
    else:
        print("\n".join(render(lines)))
    return 1 if problems else 0


def render(lines: Sequence[Line]) -> Iterator[str]:
    """Yield lines that fit the terminal; what needs attention is marked with `!` and comes first."""
    width = terminal.text_width()
    for urgent in (True, False):
        for needs_attention, label, content in lines:
            if needs_attention is urgent:
                first = f"{'! ' if urgent else '  '}{label:<{_LABEL - 2}}"
                for line in text.readable("\n".join(_wrapped(first, content, width))).splitlines():
                    yield paint(line, "yellow") if urgent else line
    if any(needs_attention for needs_attention, *_ in lines):
        yield f"{'':<{_LABEL}}To fix: memory doctor"


def _wrapped(first: str, content: str, width: int) -> Iterator[str]:
    """Yield `content` behind `first` in at most three lines of `width` columns."""
    lines = list(wrapped(text.one_line(text.printable(content)), width - _LABEL))
    if lines[_MAX_LINES:]:
        lines[_MAX_LINES - 1 :] = [fitting(f"{lines[_MAX_LINES - 1]} {lines[_MAX_LINES]}", width - _LABEL - 1)]
    for number, line in enumerate(lines):
        yield (first if number == 0 else " " * _LABEL) + line


def _entry(facts: Facts) -> Iterator[Line]:
    entry = facts["entry"]
    if entry is None:
        yield False, "entry", "none active in this project"
    elif entry["damaged"]:
        yield True, "entry", "the active entry is damaged"
    else:
        left = ", left by another session" if entry["orphan"] else ""
        calls = f"{entry['calls_since_check_in']} calls since the last check-in"
        goal = text.shorten(text.one_line(entry["goal"]), 100)
        yield False, "entry", f"{goal} ({entry['id']}, {_ago(entry['since'])}, {calls}{left})"


def _project(facts: Facts) -> Iterator[Line]:
    yield False, "project", facts["project"] or "unknown: this folder is gone"
    if facts["excluded"]:
        yield False, "excluded", exclusions.notice(facts["excluded"])
    if facts["earlier_keys"]:
        yield True, "project", renamed.hint(facts["earlier_keys"])


def _server(facts: Facts) -> Iterator[Line]:
    server = facts["server"]
    if server is None:
        return
    if server["takes_token"]:
        version = f" ({server['version']})" if server["version"] else ""
        yield False, "server", f"{server['url']}{version}, as {server['user']}"
        if older(server["version"]) == "client":
            yield False, "client", f"{__version__}, older than the server; to update: {layout.update_command()}"
    else:
        yield True, "server", server["error"]
    if difference := clock_difference(server["ahead"]):
        yield True, "clock", f"{difference}: what is recorded here gets wrong times"


def _sync(facts: Facts) -> Iterator[Line]:
    sync = facts["sync"]
    if not sync["tried"]:
        yield False, "delivery", "not tried yet"
    elif not sync["error"]:
        yield False, "delivery", f"succeeded {_ago(sync['succeeded'])}"
    else:
        failures, tried = sync["failures"], _ago(sync["tried"])
        attempts = f"{failures} failed attempts, the last {tried}" if failures > 1 else f"failed {tried}"
        yield failures > 1, "delivery", f"{attempts}: {sync['error']}"


def _waiting(facts: Facts) -> Iterator[Line]:
    waiting = facts["waiting"]
    sizes = waiting["bytes"]
    kinds = {"queue_files": waiting["queue_files"], **waiting["outbox"]}
    items = [counted_kind(number, kind) for kind, number in kinds.items() if number]
    items += [f"{_size(waiting['tool_call_bytes'])} of tool calls"] if waiting["tool_call_bytes"] else []
    yield False, "waiting", ", ".join(items) or "nothing"
    kept = f"{_size(sizes['tool_calls'])} of it tool calls, sent ones too"
    yield False, "disk", f"{_size(sum(sizes.values()))} of {_size(waiting['limit'])} used, {kept}"
    if facts["disk_low"]:
        yield True, "disk", facts["disk_low"]
    if waiting["queue_failed"]:
        yield True, "queue", f"{counted(waiting['queue_failed'], 'queue file')} failed for good"
    if waiting["journal_failed"]:
        yield True, "journal", f"the server refused {counted(waiting['journal_failed'], 'entry', 'entries')}"
    for kind, number in waiting["outbox_failed"].items():
        if number:
            yield True, "outbox", f"the server refused {counted_kind(number, kind)}"
    dropped = facts["dropped"]
    if dropped["tool_calls"] or dropped["observations"]:
        counts = f"{counted(dropped['tool_calls'], 'tool call')}, {counted(dropped['observations'], 'observation')}"
        yield False, "discarded", f"{counts} ({_size(dropped['bytes'])}) unsent, last {_ago(dropped['last'])}"


def _capture(facts: Facts) -> Iterator[Line]:
    capture = facts["capture"]
    daemon = capture["daemon"]
    if daemon is None and capture["installed"]:
        yield True, "capture", "the service is installed, but the daemon is not running"
    elif daemon is None:
        yield False, "capture", "off; for learnings from transcripts: memory capture install"
    else:
        cycle = f"last cycle {_ago(daemon['last_cycle'])}" if daemon["last_cycle"] else "no cycle yet"
        failed = f"; last error: {daemon['last_error']}" if daemon["last_error"] else ""
        yield bool(failed), "capture", f"daemon running as process {daemon['pid']}, {cycle}{failed}"
    read = f"{counted(capture['transcripts'], 'transcript')}, {counted(capture['messages'], 'message')}"
    yield False, "read", f"{read}, last {_ago(capture['last'])}" if capture["last"] else read


def _hooks(facts: Facts) -> Iterator[Line]:
    has_any = any(facts["hooks"].values())
    for agent, scopes in facts["hooks"].items():
        where = f"installed ({'; '.join(scopes)})" if scopes else "not installed"
        yield not scopes and not has_any, "hooks", f"{agent}: {where}"


def _observers(facts: Facts) -> Iterator[Line]:
    for observer in facts["observers"]:
        yield True, "observer", f"{observer['name']} is off after failures: {observer['last_failure']}"


def _errors(facts: Facts) -> Iterator[Line]:
    for entry in facts["errors"]:
        yield logs.is_recent(entry), "error", f"{entry['where']}, {_ago(entry['at'])}: {entry['error']}"


def _settings(facts: Facts) -> Iterator[Line]:
    for problem in facts["settings"]:
        yield True, "settings", problem


_PARTS: tuple[Callable[[Facts], Iterator[Line]], ...] = (
    _entry, _project, _server, _sync, _waiting, _capture, _hooks, _observers, _errors, _settings
)  # fmt: skip


def _ago(moment: str) -> str:
    try:
        seconds = (clock.now() - clock.from_text(moment)).total_seconds()
    except ValueError:
        return "at an unknown time"
    if seconds < 0:
        return f"at {moment}"
    return ago(seconds)


def _size(number: int) -> str:
    if number >= 10_000_000:
        return f"{number / 1e6:.0f} MB"
    return f"{number / 1e6:.1f} MB" if number >= 1_000_000 else f"{number / 1e3:.0f} kB"
