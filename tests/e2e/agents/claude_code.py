"""Claude Code as a stand-in: its hooks, the events that they are given, its transcripts."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.e2e.agents.hooks import Hooks
from tests.e2e.agents.laptop import Laptop
from tests.e2e.agents.stand_in import Made, Outcome, StandIn, Told
from tests.e2e.agents.steps import Compacts, Delegates, Ends, Prompt, Returns, Says, Shell, Starts, Step, Stops
from tests.e2e.agents.transcript import Transcript, folder_of

_ANSWERS_NO = ("grep", "rg", "find", "diff", "test")  # their exit status 1 is no failure


def hooks_of(laptop: Laptop, *plugins: Path) -> Hooks:
    """All that Claude Code would run in the laptop's project: its settings' and those of plugins."""
    settings = [
        laptop.home / ".claude/settings.json",
        laptop.project / ".claude/settings.json",
        laptop.project / ".claude/settings.local.json",
    ]
    files: list[tuple[Path, Mapping[str, str]]] = [(path, {}) for path in settings]
    files += [(folder / "hooks/hooks.json", {"CLAUDE_PLUGIN_ROOT": str(folder)}) for folder in plugins]
    return Hooks(*files)


class ClaudeCode(StandIn):
    """A session in the laptop's project."""

    def __init__(self, laptop: Laptop, hooks: Hooks | None = None, **options: Any) -> None:
        super().__init__(laptop, hooks or hooks_of(laptop), **options)
        self._folder = folder_of(laptop.home, laptop.project)
        self.path = self._folder / f"{self.session}.jsonl"
        self._transcripts = {"": Transcript(self.path, self.session, laptop.project)}
        self._kinds: dict[str, str] = {}

    def variables(self) -> dict[str, str]:
        return {"CLAUDE_PROJECT_DIR": str(self.laptop.project), "CLAUDE_CODE_ENTRYPOINT": "cli"}

    def event(self, name: str, agent: str = "", **fields: Any) -> dict[str, Any]:
        """A sub-agent's names its parent's session and transcript."""
        event = {
            "session_id": self.session,
            "transcript_path": str(self.path),
            "cwd": str(self.laptop.project),
            "permission_mode": "default",
            "hook_event_name": name,
            **({"prompt_id": self.turn} if self.turn else {}),
            **({"agent_id": agent, "agent_type": self._kinds[agent]} if agent else {}),
        }
        return event | fields

    def called(self, made: Sequence[Made], agent: str) -> None:
        self._transcripts[agent].called(made)

    def came_out(self, made: Made, outcome: Outcome) -> None:
        self._transcripts[made.agent].came_out(made, outcome)

    def injected(self, event: str, text: str, agent: str) -> None:
        self._transcripts[agent].injected(event, text)

    def ran(self, made: Made, status: int, out: str, err: str) -> Outcome:
        assert isinstance(made.call, Shell)
        answered_no = status == 1 and made.call.command.startswith(_ANSWERS_NO)
        if status and not answered_no:
            return Outcome(error=f"Exit code {status}\n{err or out}".strip(), status=status)
        response = {"stdout": out.strip(), "stderr": err.strip(), "interrupted": False, "isImage": False}
        if answered_no:
            response["returnCodeInterpretation"] = "No matches found"
        return Outcome(response, status=status, printed=out)

    def ended(self, made: Made, outcome: Outcome) -> tuple[str, dict[str, Any]] | None:
        """No event where the call was turned down before it ran."""
        if outcome.error.startswith("<tool_use_error>"):
            return None
        if outcome.error:
            return "PostToolUseFailure", {"error": outcome.error, "is_interrupt": False, "duration_ms": 12}
        return "PostToolUse", {"tool_response": outcome.response, "duration_ms": 12}

    def step(self, step: Step) -> list[Told]:
        main = self._transcripts[""]
        match step:
            case Starts(source):
                return self.fire("SessionStart", subject=source, source=source, model="claude-sonnet-4-5")
            case Prompt(text, machine):
                self.turn = str(uuid.uuid4())
                said = self.fire("UserPromptSubmit", prompt=text)
                main.heard(text, machine=machine)
                return said
            case Says(text, agent):
                self._transcripts[agent].said(text)
                return []
            case Stops(text):
                main.said(text)
                return self.fire("Stop", stop_hook_active=False, last_assistant_message=text, background_tasks=[])
            case Compacts():
                return self._compact(step)
            case Delegates(agent, prompt, kind):
                return self._delegate(agent, prompt, kind)
            case Returns(agent, text):
                return self._return(agent, text)
            case Ends(reason):
                return self.fire("SessionEnd", subject=reason, reason=reason)
        raise AssertionError(step)

    def _compact(self, step: Compacts) -> list[Told]:
        about = {"subject": step.trigger, "agent": step.agent, "trigger": step.trigger}
        said = self.fire("PreCompact", custom_instructions="", **about)
        self._transcripts[step.agent].compacted(step.trigger, replays=step.replays)
        said += self.fire("SessionStart", subject="compact", agent=step.agent, source="compact")
        return said + self.fire("PostCompact", compact_summary="...", **about)

    def _delegate(self, agent: str, prompt: str, kind: str) -> list[Told]:
        path = self._folder / self.session / "subagents" / f"agent-{agent}.jsonl"
        own = self._transcripts[agent] = Transcript(path, self.session, self.laptop.project, agent)
        path.with_suffix(".meta.json").write_text(json.dumps({"agentType": kind, "description": "look around"}))
        self._kinds[agent] = kind
        own.heard(prompt)
        return self.fire("SubagentStart", subject=kind, agent=agent)

    def _return(self, agent: str, text: str) -> list[Told]:
        own = self._transcripts[agent]
        own.said(text)
        return self.fire(
            "SubagentStop",
            subject=self._kinds[agent],
            agent=agent,
            stop_hook_active=False,
            agent_transcript_path=str(own.path),
            last_assistant_message=text,
        )
