"""An agent at work: it plays a story step by step, runs the hooks in its settings, and keeps what it was told."""

from __future__ import annotations

import itertools
import subprocess
import threading
import time
import uuid
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

from tests.e2e.agents.hooks import Hooks, Kill, Ran, Runner, told
from tests.e2e.agents.laptop import Laptop
from tests.e2e.agents.steps import Calls, Mcp, Shell, Step, Together, Used

_NUMBERS = itertools.count(1)
McpTool = Callable[..., str]


class Told(NamedTuple):
    """What came before the model, and where: at an event, or at an agent's so-many-th call."""

    where: str
    text: str

    @property
    def head(self) -> tuple[str, str]:
        return self.where, self.text.partition("\n")[0]


class Fired(NamedTuple):
    """A hook that ran: at which event, for which call ("" for none), and how it ended."""

    event: str
    call: str
    ran: Ran


@dataclass(frozen=True)
class Made:
    """A call as it stands in a message of the model."""

    id: str
    tool: str
    given: dict[str, Any]
    call: Shell | Used | Mcp
    where: str
    agent: str = ""


@dataclass(frozen=True)
class Outcome:
    """How a call came out: `status` and `printed` are a command's, with an `error` it failed."""

    response: Any = None
    error: str = ""
    status: int = 0
    printed: str = ""


class StandIn(ABC):
    """One session. `kill` and `leaves_open` are as in Runner; `mcp` calls a tool of the memory's server."""

    def __init__(
        self,
        laptop: Laptop,
        hooks: Hooks,
        *,
        leaves_open: bool = False,
        kill: Kill | None = None,
        mcp: McpTool | None = None,
        **environment: str,
    ) -> None:
        self.laptop = laptop
        self.session = str(uuid.uuid4())
        self.fired: list[Fired] = []
        self.made: list[Made] = []
        self.turn = ""
        self._hooks = hooks
        self._mcp = mcp
        self._made = Counter[str]()
        self._lock = threading.Lock()
        self._runner = Runner(
            {**laptop.environment, **self.variables(), **environment}, laptop.project, leaves_open, kill
        )

    def play(self, *story: Step) -> list[Told]:
        """What the agent was told meanwhile, in its order."""
        return [one for step in story for one in self._do(step)]

    def ids(self, agent: str = "") -> list[str]:
        """The ids of the calls that it made, or a sub-agent of it."""
        return [made.id for made in self.made if made.agent == agent]

    @abstractmethod
    def variables(self) -> dict[str, str]:
        """What the agent adds to its hooks' environment."""

    @abstractmethod
    def event(self, name: str, agent: str = "", **fields: Any) -> dict[str, Any]:
        """What a hook reads from its standard input."""

    @abstractmethod
    def called(self, made: Sequence[Made], agent: str) -> None:
        """The message with the calls is in the transcript."""

    @abstractmethod
    def ran(self, made: Made, status: int, out: str, err: str) -> Outcome:
        """How the agent takes a command that ended so."""

    @abstractmethod
    def ended(self, made: Made, outcome: Outcome) -> tuple[str, dict[str, Any]] | None:
        """The event of a finished call, with the fields that are its own; None where there is none."""

    @abstractmethod
    def came_out(self, made: Made, outcome: Outcome) -> None:
        """The call's result is in the transcript."""

    @abstractmethod
    def step(self, step: Step) -> list[Told]:
        """Whatever is not a call."""

    def injected(self, event: str, text: str, agent: str) -> None:  # noqa: B027 - not every agent writes it down
        """What a hook said is in the transcript."""

    def check(self, event: str, ran: Ran) -> str:
        """What the hook said; fails where the agent would complain."""
        return told(event, ran)

    def fire(self, name: str, where: str = "", *, subject: str = "", agent: str = "", **fields: Any) -> list[Told]:
        """Run the hooks of an event, all at the same time, as agents do."""
        found = self._hooks.of(name, subject)
        if not found:
            return []
        event = self.event(name, agent, **fields)
        with ThreadPoolExecutor(len(found)) as pool:
            ran = list(pool.map(lambda one: self._runner.run(one[0], one[1], event), found))
        with self._lock:
            self.fired += [Fired(name, event.get("tool_use_id", ""), one) for one in ran]
        texts = [text for one in ran if (text := self.check(name, one))]
        for text in texts:
            self.injected(name, text, agent)
        return [Told(where or name, text) for text in texts]

    def _do(self, step: Step) -> list[Told]:
        if isinstance(step, Calls):
            return self._call(step)
        if isinstance(step, Together):
            with ThreadPoolExecutor(len(step.steps)) as pool:
                return [one for told_there in pool.map(self._call, step.steps) for one in told_there]
        return self.step(step)

    def _call(self, step: Calls) -> list[Told]:
        made = [self._numbered(call, step.agent) for call in step.calls]
        with self._lock:
            self.made += made
        self.called(made, step.agent)
        with ThreadPoolExecutor(len(made)) as pool:
            ends = list(pool.map(self._ended, made))
        for one, (outcome, _) in zip(made, ends, strict=True):
            self.came_out(one, outcome)
        return [one for _, said in ends for one in said]

    def _numbered(self, call: Shell | Used | Mcp, agent: str) -> Made:
        with self._lock:
            self._made[agent] += 1
            where = f"{agent} call {self._made[agent]}".strip()
            identifier = f"call_{self.session[:8]}_{next(_NUMBERS)}"
        if isinstance(call, Shell):
            return Made(identifier, "Bash", {"command": call.command}, call, where, agent)
        tool = f"mcp__memoryserver__{call.tool}" if isinstance(call, Mcp) else call.tool
        return Made(identifier, tool, dict(call.given), call, where, agent)

    def _ended(self, made: Made) -> tuple[Outcome, list[Told]]:
        outcome = self._come_out(made)
        found = self.ended(made, outcome)
        if found is None:
            return outcome, []
        name, fields = found
        said = self.fire(
            name,
            made.where,
            subject=made.tool,
            agent=made.agent,
            tool_name=made.tool,
            tool_input=made.given,
            tool_use_id=made.id,
            **fields,
        )
        return outcome, said

    def _come_out(self, made: Made) -> Outcome:
        call = made.call
        if isinstance(call, Used):
            return Outcome(call.response, call.error)
        if isinstance(call, Mcp):
            assert self._mcp is not None
            return Outcome([{"type": "text", "text": self._mcp(call.tool, **call.given)}])
        done = subprocess.run(
            ["/bin/sh", "-c", call.command],
            capture_output=True,
            text=True,
            cwd=self.laptop.project,
            env=self.laptop.environment,
            check=False,
        )
        return self.ran(made, done.returncode, done.stdout, done.stderr)


def now() -> str:
    """As transcripts have it."""
    seconds = time.time()
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{int(seconds * 1000) % 1000:03d}Z"
