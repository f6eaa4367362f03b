"""`memory hook`: the program of an agent's hook. Reads one event from standard input and never fails.

It exits 0 for any input, with nothing or one JSON object on standard output, within its time limit; errors go to
`$MEMORYSERVER_HOME/logs/hook.log`. It runs at every tool call, so it imports only what the event needs.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys

from memorycli.hook import log, stdin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from memoryserver.common.hook_answer import Answer
    from memoryserver.common.hook_event import HookEvent

MAX_EVENT_BYTES = 32 * 1024 * 1024
WAIT_SECONDS = 5.0
LIMIT_SECONDS = 8.0
LAST_LIMIT_SECONDS = 1.2  # at the end of a session all hooks of an agent together have 1.5 s
_LOG_SECONDS = 0.3


def run() -> None:
    """Run the whole process of the installed hook; nothing in it needs garbage collection or clean-up."""
    gc.disable()
    hook(sys.argv[1:])
    os._exit(0)


def hook(argv: list[str]) -> int:
    """Handle the event on standard input; always 0, because another status would be shown to the agent."""
    _limit(LIMIT_SECONDS)
    try:
        data = stdin.read(MAX_EVENT_BYTES, WAIT_SECONDS)
        answer = None if argv and _defer_to_settings_hook(argv) else answer_to(data, _limit)
        if answer is not None:
            _print(answer)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the agent's work goes on, the log says why
        log.write(f"{type(error).__name__}: {error}")
    finally:
        _limit(0)
    return 0


def answer_to(data: bytes, limit: Callable[[float], None] | None = None) -> Answer | None:
    """Handle the event in `data` and return the answer to it, None for none.

    `limit` is called with the seconds that are left for an event that has less time than others. Raises EventError for
    data that is not an event, and any error of the handlers.
    """
    if not data.strip():
        return None
    from memoryserver.client import home_folder
    from memoryserver.common import hook_event

    event = hook_event.parse(data)
    name = event.name
    if home_folder.excludes_any() and _is_excluded(event):
        return _let_go(event)
    if name in (hook_event.TOOL_DONE, hook_event.TOOL_FAILED):
        from memorycli.hook import tool_call

        return tool_call.after_tool(event)
    if name == hook_event.SESSION_END and limit is not None:
        limit(LAST_LIMIT_SECONDS)
    return _handle_session_event(event)


def _defer_to_settings_hook(argv: list[str]) -> bool:
    """Return whether this is the plugin's hook and the settings have one too."""
    from memorycli.hook import plugin

    return plugin.FLAG in argv and plugin.settings_have_hook()


def _is_excluded(event: HookEvent) -> bool:
    from memoryserver.client import exclusions

    return bool(exclusions.of_event(event.raw))


def _let_go(event: HookEvent) -> Answer | None:
    """Return the answer to an event in an excluded folder, of which nothing is kept.

    Where a session begins in a worktree, its repository is remembered: the worktree may be gone when its transcript is
    found, and could then not be told from one of another repository.
    """
    from memoryserver.client import places
    from memoryserver.common import hook_answer, hook_event

    if event.name == hook_event.SESSION_START and (project := places.of_event(event.raw)).main != str(project.root):
        places.record(project)
    return hook_answer.nothing() if event.name in hook_event.ANSWERED else None


def _handle_session_event(event: HookEvent) -> Answer | None:
    """Handle the events that come a few times in a session."""
    from memorycli.hook import session
    from memoryserver.common import hook_event

    handlers = {
        hook_event.SESSION_START: session.start,
        hook_event.SESSION_END: session.end,
        hook_event.PROMPT: session.prompt,
        hook_event.STOP: session.pause,
        hook_event.SUBAGENT_STOP: session.stop_subagent,
        hook_event.BEFORE_COMPACTION: session.before_compaction,
        hook_event.AFTER_COMPACTION: session.after_compaction,
    }
    handler = handlers.get(event.name)
    return None if handler is None else handler(event)


def _limit(seconds: float) -> None:
    """End the process, with status 0, when `seconds` are over; 0 takes the limit away.

    By the timer that interrupts whatever runs, a read that hangs or a pattern that does not end; where the system has
    none (Windows), or not in the main thread, the agent's own limit remains.
    """
    if not hasattr(signal, "setitimer"):
        return
    with contextlib.suppress(ValueError):  # not the main thread
        signal.signal(signal.SIGALRM, _give_up if seconds else signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _give_up(_number: int, _frame: FrameType | None) -> None:
    signal.signal(signal.SIGALRM, lambda *_: os._exit(0))
    signal.setitimer(signal.ITIMER_REAL, _LOG_SECONDS)  # the log may hang as well
    log.write("gave up: the time limit of the hook was reached")
    os._exit(0)


def _print(answer: Answer) -> None:
    import json

    # Not through `sys.stdout`: where the reader has gone, its flush at exit would turn the status into 120.
    with contextlib.suppress(BrokenPipeError):
        data = json.dumps(answer).encode("ascii") + b"\n"
        while data:
            data = data[os.write(1, data) :]
