"""What happens in an agent's run, as data: a test lists the steps and reads like a story."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Shell:
    """The agent runs a command, which really runs."""

    command: str


@dataclass(frozen=True)
class Used:
    """The agent uses another tool; what comes of it is given. With an `error` it has failed."""

    tool: str
    given: Mapping[str, Any]
    response: Any = None
    error: str = ""


@dataclass(frozen=True)
class Mcp:
    """The agent uses a tool of the memory's MCP server."""

    tool: str
    given: Mapping[str, Any]


@dataclass(frozen=True)
class Starts:
    """A session begins, or goes on: `source` as SessionStart has it."""

    source: str = "startup"


@dataclass(frozen=True)
class Prompt:
    """Somebody's words; where `machine` is set the agent's own program wrote them."""

    text: str
    machine: bool = False


@dataclass(frozen=True)
class Calls:
    """One message of the model with these calls in it: they run, and their hooks, at the same time."""

    calls: tuple[Shell | Used | Mcp, ...]
    agent: str = ""


@dataclass(frozen=True)
class Says:
    """The model says something in between."""

    text: str
    agent: str = ""


@dataclass(frozen=True)
class Stops:
    """The model is done with what it was told to do; `text` is its last message."""

    text: str


@dataclass(frozen=True)
class Delegates:
    """A sub-agent begins."""

    agent: str
    prompt: str
    kind: str = "Explore"


@dataclass(frozen=True)
class Returns:
    """A sub-agent is done."""

    agent: str
    text: str


@dataclass(frozen=True)
class Compacts:
    """The conversation is compacted; with `replays` all that was said before is appended once more, as it was."""

    trigger: str = "manual"
    replays: bool = False
    agent: str = ""


@dataclass(frozen=True)
class Together:
    """Steps of different agents that happen at the same time."""

    steps: tuple[Calls, ...]


@dataclass(frozen=True)
class Ends:
    """The session is over."""

    reason: str = "prompt_input_exit"


Step = Starts | Prompt | Calls | Says | Stops | Delegates | Returns | Compacts | Together | Ends


def ran(*commands: str, agent: str = "") -> Calls:
    """One message with these commands."""
    return Calls(tuple(map(Shell, commands)), agent)


def read(*paths: str, agent: str = "") -> Calls:
    """One message that reads these files."""
    return Calls(tuple(map(_reading, paths)), agent)


def _reading(path: str) -> Used:
    file = {"filePath": path, "content": f"of {path}", "numLines": 1, "startLine": 1, "totalLines": 1}
    return Used("Read", {"file_path": path}, {"type": "text", "file": file})
