"""`memory trajectory`: record a tool call, show what the observers found, forget a session's calls, replay some."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path

from memorycli.arguments.inputs import whole_number
from memorycli.commands.replay import trajectory_replay
from memorycli.delivery import observer_config
from memorycli.errors import CommandError
from memoryserver.client import exclusions, places
from memoryserver.client.http import ServerError
from memoryserver.common import text
from memoryserver.common.counted import counted
from memoryserver.common.files import LockTimeoutError
from trajectory.local import evaluate, recorder, store
from trajectory.local.calls import parse
from trajectory.local.calls.record import ToolCallRecord
from trajectory.local.config import resolve
from trajectory.local.engine.assessment import Assessment, render_all, worst
from trajectory.local.engine.progress import ObserverProgress
from trajectory.local.engine.session import ObserverState, Session

MAX_CALL_BYTES = 32 * 1024 * 1024


def configure(parser: ArgumentParser) -> None:
    """Add the sub-commands `record`, `show`, `clear`, `replay` and `config`."""
    commands = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    commands.add_parser(
        "record", help="keep one tool call, read as JSON from standard input, and print what to tell the agent"
    )
    show = commands.add_parser("show", help="the open findings, and the last calls")
    show.add_argument(
        "--calls", type=whole_number(0), default=0, metavar="N", help="list the last N calls as well (at most 128)"
    )
    clear = commands.add_parser("clear", help="forget the calls and what was found")
    for command in (show, clear):
        command.add_argument("--session", metavar="ID", help="by default the project's most recent one")
        command.add_argument("--agent", metavar="ID", default="", help="a sub-agent of the session")
    clear.add_argument("--all", action="store_true", help="all sessions of all projects")
    replay = commands.add_parser("replay", help="where the observers would have reported in sessions that are over")
    replay.add_argument(
        "paths",
        metavar="PATH",
        nargs="+",
        help="transcripts of agents or JSON lines of tool calls: files, folders, or quoted patterns",
    )
    replay.add_argument("--all", action="store_true", help="show what would only have been written down as well")
    replay.add_argument("--json", action="store_true", help="one JSON object a run, with the text of each message")
    config = commands.add_parser("config", help="which observers run in this project")
    config.add_argument("--refresh", action="store_true", help="ask the server for its configuration, and keep it")


def run(args: Namespace) -> int:
    """Run the sub-command in `args`; raises CommandError."""
    try:
        actions = {"record": _record, "show": _show, "clear": _clear, "replay": _replay, "config": _config}
        return actions[args.action](args)
    except LockTimeoutError as error:
        raise CommandError(str(error)) from error


def _record(args: Namespace) -> int:
    data = sys.stdin.buffer.read(MAX_CALL_BYTES + 1)
    if len(data) > MAX_CALL_BYTES:
        raise CommandError(f"a tool call has at most {MAX_CALL_BYTES} bytes; leave out or shorten its result")
    try:
        report = parse.parse(data)
        if exclusions.of_event(report):
            return 0
        recorded = recorder.record_report(report, places.root_of_event(report))
    except parse.CallError as error:
        raise CommandError(str(error)) from error
    if recorded.tell:
        print(recorded.tell)
    if recorded.problem:
        print(f"memory: {recorded.problem}", file=sys.stderr)
    return 0


def _show(args: Namespace) -> int:
    chosen = _chosen(args)
    if chosen is None:
        print("No tool calls are recorded for this project yet.")
        return 0
    evaluate.end_silent()
    state = chosen.state()
    session = evaluate.load(chosen, state)
    latest = session[ToolCallRecord].latest()
    if latest is None:
        raise CommandError(f"no call in {chosen.folder} can be read; to start over: memory trajectory clear")
    last_at = f"{latest.timestamp:%Y-%m-%d %H:%M:%S} UTC"
    print(f"{_named(state, chosen)}: {counted(latest.call_index, 'call')}, the last at {last_at}{_worst(session)}")
    for call in session[ToolCallRecord].last(args.calls):
        print(_line(call))
    print()
    print(_standing(session))
    for name, memory in session.progress.items():
        if memory.failures:
            print(_failing(name, memory))
    return 0


def _clear(args: Namespace) -> int:
    chosen = store.all_trajectories() if args.all else [match for match in [_chosen(args)] if match]
    for trajectory in chosen:
        name = _named(trajectory.state(), trajectory)
        evaluate.forget(trajectory)
        print(f"forgot {name}")
    if not chosen:
        print("No tool calls are recorded for this project.")
    return 0


def _replay(args: Namespace) -> int:
    choice = resolve.observers_of(places.project_root())
    runs: list[trajectory_replay.Run] = []
    for run in trajectory_replay.runs_in(args.paths, choice):
        runs.append(run)
        if args.json:
            print(json.dumps(trajectory_replay.as_json(run)))
    is_one_file = len(args.paths) == len(runs) == 1 and not Path(args.paths[0]).is_dir()
    if not args.json:
        print(
            *(trajectory_replay.details(runs[0], everything=args.all) if is_one_file else _all_of(runs, args)), sep="\n"
        )
    for problem in (*choice.problems, *(run.problem for run in runs if run.problem and not is_one_file)):
        print(f"memory: {problem}", file=sys.stderr)
    return 0 if any(not run.problem for run in runs) else 1


def _all_of(runs: Sequence[trajectory_replay.Run], args: Namespace) -> Iterator[str]:
    """Yield what each run has to report, then the table."""
    for run in runs if args.all else ():
        if not run.problem:
            yield f"{run.path}:"
            yield from trajectory_replay.details(run, everything=True)
            yield ""
    yield from trajectory_replay.table(runs)


def _config(args: Namespace) -> int:

    if args.refresh:
        try:
            print(observer_config.refresh(places.here().key()))
        except ServerError as error:
            raise CommandError(str(error)) from error
    for line in observer_config.report(places.project_root()):
        print(line)
    return 0


def _chosen(args: Namespace) -> store.Trajectory | None:
    """Return the trajectory that the arguments name, else the one last used in this project, None without any."""
    if args.session or args.agent:
        named = store.trajectory(args.session or "", args.agent)
        if not named.used_at():
            raise CommandError(
                f"no tool calls are recorded for {_asked(args)}; `memory trajectory show` finds the last"
            )
        return named
    project = str(places.project_root())
    return next((item for item in store.all_trajectories() if item.state().get("project") == project), None)


def _asked(args: Namespace) -> str:
    agent = f", agent {text.one_line(args.agent)}" if args.agent else ""
    return f"session {text.one_line(args.session or store.NO_SESSION)}{agent}"


def _named(state: dict[str, object], trajectory: store.Trajectory) -> str:
    session = str(state.get("session_id") or trajectory.folder.name.partition(".")[0])
    agent = state.get("agent_id")
    return f"session {text.one_line(session)}" + (f", agent {text.one_line(str(agent))}" if agent else "")


def _line(call: ToolCallRecord) -> str:
    wrong = f" - {text.one_line(call.error_message or '')}" if not call.success else ""
    return text.shorten(f"#{call.call_index} {call.outcome}: {call.tool_name}({call.params_summary}){wrong}", 250)


def _findings(session: Session) -> list[Assessment]:
    return [memory.standing for memory in session.progress.values() if memory.standing]


def _worst(session: Session) -> str:
    findings = _findings(session)
    return f"; worst finding: {worst(finding.severity for finding in findings)}" if findings else ""


def _standing(session: Session) -> str:
    findings = _findings(session)
    totals = session[ObserverState].latest() or ObserverState()
    if not findings:
        return f"No open findings. Observer runs so far: {totals.total_assessments}."
    return render_all(findings, max(finding.timestamp for finding in findings)).rstrip("-\n")


def _failing(name: str, memory: ObserverProgress) -> str:
    left_out = "; it is left out from now on" if memory.given_up else ""
    return f"Observer {name} has failed {memory.failures} times, last: {memory.last_failure}{left_out}."
