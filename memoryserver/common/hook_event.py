"""One event of an agent's hooks, Claude Code's or Codex', read with distrust: the owner of that form.

What the event is called, whose it is and where it happened are bounded and cleaned here; the rest is `raw`. The
laptop's `memory hook` and the server's endpoint for hooks both begin with `parse`.
"""

from __future__ import annotations

import json

from memoryserver.common import text

TYPE_CHECKING = False

SESSION_START = "SessionStart"
SESSION_END = "SessionEnd"
PROMPT = "UserPromptSubmit"
TOOL_DONE = "PostToolUse"
TOOL_FAILED = "PostToolUseFailure"
STOP = "Stop"
SUBAGENT_STOP = "SubagentStop"
BEFORE_COMPACTION = "PreCompact"
AFTER_COMPACTION = "PostCompact"
ANSWERED = (BEFORE_COMPACTION, AFTER_COMPACTION)  # Codex takes no output for an error there

CLAUDE_CODE = "claude-code"
CODEX = "codex"
_MAX_NAME = 100
_MAX_ID = 200
_MAX_PATH = 4096


class EventError(ValueError):
    """What came is not an event; the text is one line that says what is wrong with it."""


class HookEvent:
    """An event: `name`, `session_id` and `agent_id` (a sub-agent's, else ""), each "" where it is not given.

    `raw` is the event as it came, a JSON object of which nothing is known.
    """

    __slots__ = ("agent_id", "name", "raw", "session_id")

    def __init__(self, raw: dict[str, object]) -> None:
        self.raw = raw
        name = raw.get("hook_event_name")
        self.name = name[:_MAX_NAME] if isinstance(name, str) else ""
        self.session_id = identifier(raw.get("session_id"))
        self.agent_id = identifier(raw.get("agent_id"))

    def word(self, key: str) -> str:
        """Return a short field such as `source`, `trigger` or `reason`: one clean line of at most 100 characters."""
        return identifier(self.raw.get(key))[:_MAX_NAME]

    def text(self, key: str, limit: int) -> str:
        """Return a field's text, clean, at most `limit` characters of it; "" where it is none."""
        value = self.raw.get(key)
        return text.clean(value[:limit]) if isinstance(value, str) else ""

    def path(self, key: str) -> str:
        """Return a field that names a file or folder; "" where it cannot be one."""
        value = self.raw.get(key)
        sane = isinstance(value, str) and len(value) <= _MAX_PATH and "\0" not in value
        return text.clean(str(value)) if sane else ""

    @property
    def agent(self) -> str:
        """Return which agent sent it: Codex names a turn and the model in every event, Claude Code neither."""
        if self.raw.get("turn_id") is not None or f"{CODEX}/sessions" in self.path("transcript_path"):
            return CODEX
        return CLAUDE_CODE


def parse(data: bytes) -> HookEvent:
    """Return the event in `data`; raises EventError."""
    return HookEvent(json_object(data, "an event"))


def json_object(data: bytes, what: str) -> dict[str, object]:
    """Return the JSON object in `data` (UTF-8, a BOM and invalid bytes are accepted); EventError calls it `what`."""
    try:
        value = json.loads(text.decode(data))
    except RecursionError:
        raise EventError(f"the JSON is nested too deeply for {what}") from None
    except ValueError as error:
        raise EventError(f"standard input is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise EventError(f"{what} is a JSON object, this is {_named(value)}")
    return value


def identifier(value: object) -> str:
    """Return an id as it is kept: one clean line of at most 200 characters, "" for what cannot be one."""
    if value is None or isinstance(value, bool | list | dict):
        return ""
    return text.one_line(text.printable(str(value)[: _MAX_ID * 4]))[:_MAX_ID]


def _named(value: object) -> str:
    names = {list: "a list", str: "a string", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")
