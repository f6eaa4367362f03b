"""Words of sessions, calls and findings."""

from __future__ import annotations

from typing import Any

from memoryserver.contract.vocabulary.examples import TIME

FIELDS: dict[str, tuple[str, Any]] = {
    "agent_id": ("the sub-agent in the session; empty for the main agent", ""),
    "assessment": ("the whole finding, with its observations and their evidence", {"severity": "caution"}),
    "began_at_call": ("the number of the call at which it began", 12),
    "calls": ("how many tool calls were made", 31),
    "CallBatch.calls": (
        "calls in chronological order, each with an `id` made by the client",
        [{"id": "toolu_01", "tool_name": "Bash", "tool_input": {"command": "make test"}, "success": True}],
    ),
    "configuration": ("the configuration of observers", {"observers": {"poll": {"enabled": False}}}),
    "ended_at": ("when the session ended; null while it runs", TIME),
    "ended_at_call": ("the number of the call at which it ended; null while it is open", 17),
    "ended_with_session": ("whether it was still open when the session ended", False),
    "ends": ("the ends, in chronological order", None),
    "findings": ("what observers found, the newest first", None),
    "format": ("json, or markdown as the client's assessment file", "json"),
    "identity": ("what makes two findings the same", "make"),
    "last_call_at": ("when its last call was made", TIME),
    "layers": ("the configurations that are in effect, each overriding those before it", None),
    "observed_through": ("the number of the last call that observers have seen", 31),
    "observer": ("the observer that found it", "Repeated Call"),
    "severity": ("how serious it is: info, caution or warning", "caution"),
    "started_at": ("when its first call was made", TIME),
    "summary": ("what was found, in one line", "`make` failed three times with the same error"),
    "tell": ("text to give to the agent now, which counts as given; null for none", None),
    "told_at_call": ("the number of the call whose answer told the agent; null if it was not told", 14),
    "unchanged": ("whether it is the version that the client knows", False),
    "LayerOut.version": ("the number of the version", 3),
    "worst": ("the severity of the worst open finding; empty for none", "caution"),
}
