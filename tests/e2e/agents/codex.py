"""Codex as a stand-in: one event for every finished call, and no word in it of how the call came out but its output."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from typing import Any

from tests.e2e.agents.hooks import Hooks, Ran, told
from tests.e2e.agents.laptop import Laptop
from tests.e2e.agents.rollout import Rollout
from tests.e2e.agents.stand_in import Made, Outcome, StandIn, Told
from tests.e2e.agents.steps import Compacts, Ends, Prompt, Says, Starts, Step, Stops

_WANT_JSON = frozenset({"PreCompact", "PostCompact"})  # silence is an error there


class Codex(StandIn):
    """A session in the laptop's project."""

    def __init__(self, laptop: Laptop, **options: Any) -> None:
        files = [laptop.home / ".codex/hooks.json", laptop.project / ".codex/hooks.json"]
        super().__init__(laptop, Hooks(*((path, {}) for path in files)), **options)
        self.rollout = Rollout(laptop.home, self.session, laptop.project)

    def variables(self) -> dict[str, str]:
        return {}

    def event(self, name: str, agent: str = "", **fields: Any) -> dict[str, Any]:
        assert not agent
        event = {
            "session_id": self.session,
            "transcript_path": str(self.rollout.path),
            "cwd": str(self.laptop.project),
            "hook_event_name": name,
            "model": "gpt-5.5-codex",
            "permission_mode": "default",
            **({"turn_id": self.turn} if self.turn else {}),
        }
        return event | fields

    def called(self, made: Sequence[Made], agent: str) -> None:
        self.rollout.called(made)

    def came_out(self, made: Made, outcome: Outcome) -> None:
        self.rollout.came_out(made, outcome)

    def ran(self, made: Made, status: int, out: str, err: str) -> Outcome:
        head = f"Chunk ID: {made.id[-6:]}\nWall time: 0.0123 seconds\nProcess exited with code {status}"
        return Outcome(f"{head}\nOriginal token count: 9\nOutput:\n{out}{err}", status=status)

    def ended(self, made: Made, outcome: Outcome) -> tuple[str, dict[str, Any]] | None:
        return "PostToolUse", {"tool_response": outcome.response}

    def check(self, event: str, ran: Ran) -> str:
        if event in _WANT_JSON:
            assert isinstance(json.loads(ran.out), dict), ran
        return told(event, ran)

    def step(self, step: Step) -> list[Told]:
        match step:
            case Starts(source):
                return self.fire("SessionStart", subject=source, source=source)
            case Prompt(text):
                self.turn = str(uuid.uuid4())
                said = self.fire("UserPromptSubmit", prompt=text)
                self.rollout.heard(text)
                return said
            case Says(text):
                self.rollout.said(text)
                return []
            case Stops(text):
                self.rollout.said(text)
                return self.fire("Stop", stop_hook_active=False, last_assistant_message=text)
            case Compacts(trigger):
                said = self.fire("PreCompact", subject=trigger, trigger=trigger)
                self.rollout.compacted()
                said += self.fire("PostCompact", subject=trigger, trigger=trigger)
                return said + self.fire("SessionStart", subject="compact", source="compact")
            case Ends():
                return []  # Codex tells nobody
        raise AssertionError(step)
