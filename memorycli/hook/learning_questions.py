"""The questions that ask an agent for what it learned: one sentence each, once on each occasion.

The occasions are the end of a turn in which a failure was overcome (once a session), a compaction, and an entry of the
journal that ended with a surprise. The setting `ask_learnings` turns all of them off.
"""

from __future__ import annotations

from memorycli.hook.calls import call
from memoryserver.client import asked, config
from memoryserver.common import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

_MAX_COMMAND = 100  # characters that are shown of a command


def after_failures(session_id: str, root: Path) -> str:
    """Return the question at the end of a turn in which the agent overcame a failure; "" if there is none to ask."""
    occasion = ("failures", session_id)
    if not config.value("ask_learnings", root) or asked.was_asked(*occasion):
        return ""
    from trajectory.local import overcome, store

    found = overcome.overcome(store.trajectory(session_id).tail(overcome.MOST_ROWS))
    if found is None or not asked.first_time(*occasion):
        return ""
    command, failures = found
    return (
        f"`{_shown(command)}` failed {failures} times before it worked: if a later session would be glad to know why, "
        f"store cause and cure in one sentence {_how('error_recovery')}; otherwise just end. (Asked once in a session.)"
    )


def after_compaction(session_id: str, root: Path) -> str:
    """Return the question after the conversation was compacted; "" if nothing was done since the last one."""
    if not config.value("ask_learnings", root):
        return ""
    from trajectory.local import store

    size = store.trajectory(session_id).size()
    if not size or not asked.first_time("compaction", session_id, str(size)):
        return ""
    return (
        "The conversation was compacted: if it taught something that a later session would be glad to know and that is "
        f"not stored yet, store each such fact in one sentence {_how('gotcha')}; otherwise go on."
    )


def after_surprise(entry_id: str, root: Path) -> str:
    """Return the question after an entry of the journal got a surprise; "" if it was asked before."""
    try:
        if not config.value("ask_learnings", root) or not asked.first_time("surprise", entry_id):
            return ""
    except OSError:  # the entry is saved, which matters; what cannot be recorded is not asked
        return ""
    return (
        "If a later session would be glad to know of the surprise, store what is so, and why, in one sentence "
        f"{_how('gotcha')}."
    )


def _how(type_: str) -> str:
    how = call("store_learning", f"learn --type {type_} 'SENTENCE'")
    return f"that can be understood alone: {how}"


def _shown(command: str) -> str:
    line = text.one_line(text.printable(command)).removeprefix("command=").replace("`", "'").replace("<", "‹")
    return text.shorten(line, _MAX_COMMAND)
