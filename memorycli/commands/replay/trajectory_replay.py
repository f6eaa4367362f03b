"""The output of `memory trajectory replay`: where each observer would have reported a finding in sessions."""

from __future__ import annotations

import glob
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memorycli.commands.replay import transcript_calls
from memorycli.errors import CommandError
from memoryserver.common import text
from memoryserver.common.counted import counted
from trajectory.local import replay
from trajectory.local.config import resolve
from trajectory.local.engine.assessment import Assessment
from trajectory.local.replay import Replay

MAX_BYTES = 512 << 20
_SUFFIXES = (".jsonl", ".json", ".jsonl.zst")
_NOT_RUNS = frozenset({"history.jsonl", "journal.jsonl"})
_MAX_NAME = 60
_NO_CALLS = "holds no tool calls that can be read: neither a transcript nor JSON lines of calls"


@dataclass(frozen=True)
class Run:
    """The replays of one file, the session's own agent first; `problem` says why there are none, "" if there are."""

    path: Path
    replays: Sequence[Replay]
    problem: str = ""

    @property
    def calls(self) -> int:
        """Return the number of calls of all agents."""
        return sum(result.calls for result in self.replays)


def runs_in(names: Sequence[str], choice: resolve.Choice) -> Iterator[Run]:
    """Replay each file that `names` stand for (files, folders, patterns) by the observers of `choice`.

    Reports its progress on a terminal. Raises CommandError where a name stands for no file.
    """
    paths = list(dict.fromkeys(path for name in names for path in _files(name)))
    for number, path in enumerate(paths, 1):
        if len(paths) > 1:
            _show_progress(f"{number}/{len(paths)} {path.name}")
        run = _run(path, choice)
        if len(paths) > 1:
            _show_progress("")
        yield run


def details(run: Run, *, everything: bool) -> Iterator[str]:
    """Yield the report on one file; raises CommandError if it has no calls."""
    if run.problem:
        raise CommandError(run.problem)
    for result in run.replays:
        if not result.calls:
            continue
        whose = f"agent {text.one_line(result.agent)}: " if result.agent else ""
        messages = counted(len(result.notifications), "message")
        yield f"{whose}{counted(result.calls, 'call')}, {messages} to the agent"
        yield from _findings(result, everything=everything)
        open_findings = ", ".join(f"{finding.observer_name} ({finding.severity})" for finding in result.open_findings)
        yield f"open findings at the end: {open_findings or 'none'}"
        for name, memory in result.session.progress.items():
            if memory.failures:
                yield f"observer {name} failed {counted(memory.failures, 'time')}, last: {memory.last_failure}"


def table(runs: Sequence[Run]) -> Iterator[str]:
    """Yield a table of `runs` with their calls, their messages, and the calls of the first; then what was not read."""
    read = [run for run in runs if not run.problem]
    width = max((len(_name(run)) for run in read), default=3)
    if read:
        yield f"{'run':<{width}} {'calls':>7} {'messages':>9} {'first at':>9}"
    for run in read:
        messages = [message.call_index for result in run.replays for message in result.notifications]
        first = f"#{messages[0]}" if messages else "-"
        yield f"{_name(run):<{width}} {run.calls:>7} {len(messages):>9} {first:>9}"
    messages_in_all = counted(sum(len(result.notifications) for run in read for result in run.replays), "message")
    calls_in_all = counted(sum(run.calls for run in read), "call")
    yield f"{counted(len(read), 'run')}, {calls_in_all}, {messages_in_all} to the agents"


def as_json(run: Run) -> dict[str, Any]:
    """Return the run as a JSON object; `at` is the call's number in the trajectory of its agent."""
    if run.problem:
        return {"run": str(run.path), "problem": run.problem}
    messages = [
        {
            "agent": result.agent,
            "at": message.call_index,
            "text": message.text,
            "findings": list(map(_row, message.news)),
        }
        for result in run.replays
        for message in result.notifications
    ]
    open_findings = [
        _row(finding) | {"agent": result.agent} for result in run.replays for finding in result.open_findings
    ]
    return {"run": str(run.path), "calls": run.calls, "messages": messages, "open": open_findings}


def calls_in(path: Path) -> list[dict[str, Any]]:
    """Return the calls of the file, in whichever form it has them; raises CommandError where it is too large."""
    if path.stat().st_size > MAX_BYTES:
        raise CommandError(f"{path} is larger than {MAX_BYTES >> 20} MiB; cut it into parts")
    plain = list(replay.from_jsonl(path.read_bytes()))
    return plain or transcript_calls.calls_of(path)


def _files(name: str) -> list[Path]:
    """Return the files that `name` stands for, in their order."""
    path = Path(name)
    if path.is_dir():
        paths = [each for each in sorted(path.rglob("*")) if each.name.endswith(_SUFFIXES) and each.is_file()]
        paths = [each for each in paths if each.name not in _NOT_RUNS]
        if not paths:
            raise CommandError(f"{name} has no files with the endings {', '.join(_SUFFIXES)}")
        return paths
    if path.exists():
        return [path]
    paths = [each for each in map(Path, sorted(glob.glob(name, recursive=True))) if each.is_file()]
    if not paths:
        raise CommandError(f"{name} does not exist; give a file, a folder or a pattern such as 'runs/*.jsonl'")
    return paths


def _run(path: Path, choice: resolve.Choice) -> Run:
    try:
        results = replay.run_each(calls_in(path), configs=choice.configs)
    except (OSError, CommandError) as error:
        return Run(path, (), str(error))
    run = Run(path, results)
    return run if run.calls else Run(path, (), f"{path} {_NO_CALLS}")


def _findings(result: Replay, *, everything: bool) -> Iterator[str]:
    notified = set()
    for message in result.notifications:
        for finding in message.news:
            notified.add((message.call_index, finding.identity))
            yield _finding_line(message.call_index, "told", finding)
    for index, finding in result.noted if everything else ():
        if (index, finding.identity) not in notified:
            yield _finding_line(index, "noted", finding)


def _finding_line(call_index: int, verb: str, finding: Assessment) -> str:
    summary = text.shorten(text.one_line(text.printable(finding.summary)), 160)
    return f"#{call_index} {verb} ({finding.severity}) {finding.observer_name}: {summary}"


def _row(finding: Assessment) -> dict[str, Any]:
    return {
        "observer": finding.observer_name,
        "severity": finding.severity,
        "summary": finding.summary,
        "calls": list(finding.calls),
    }


def _name(run: Run) -> str:
    return text.shorten(text.one_line(text.printable(run.path.name)), _MAX_NAME)


def _show_progress(line: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text.shorten(text.one_line(text.printable(line)), 78)}")
        sys.stderr.flush()
