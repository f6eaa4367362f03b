"""What each observer is called, and the sentence that says what it notices, with its settings inside."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_SETTING = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class ObserverText:
    """The name that an observer has in its findings too, and a sentence in which `{name}` stands for that setting."""

    title: str
    sentence: str

    def parts(self) -> Sequence[tuple[str, str]]:
        """Return the sentence in pieces: a text, and the name of the setting that follows it, "" after the last."""
        pieces = _SETTING.split(self.sentence)
        return list(zip(pieces[::2], [*pieces[1::2], ""], strict=True))


GROUPS: Mapping[str, Mapping[str, ObserverText]] = {
    "Loops": {
        "repeat_call": ObserverText(
            "Repeated Call",
            "The same call was made {repetition_threshold} times with the same result, among the latest {window_size} "
            "calls.",
        ),
        "cycle": ObserverText(
            "Cycle",
            "A round of up to {longest} different calls came {same_rounds} times with the same results, or {rounds} "
            "times with results that are not known to differ.",
        ),
        "rereading": ObserverText(
            "Read Again",
            "At least {minimum_targets} things were looked at {view_threshold} times each without a change, among the "
            "latest {window_size} calls.",
        ),
        "recreated": ObserverText(
            "Recreated File",
            "A script was made, run and removed {same_threshold} times with the same result, or {round_threshold} "
            "times with any.",
        ),
        "poll": ObserverText(
            "Polling",
            "The agent waited by {poll_threshold} calls with the same answer. Of its time of {budget_seconds} seconds, "
            "if that is known, a wait may take the share {budget_share}.",
        ),
        "stagnation": ObserverText(
            "Stagnation",
            "A tool answered {caution_threshold} different questions alike, among the latest {window_size} calls; from "
            "{warning_threshold} on that is a warning.",
        ),
    },
    "Errors": {
        "same_error": ObserverText(
            "Same Error",
            "The same error came {error_threshold} times among the latest {window_size} calls, whatever was called.",
        ),
        "error_cascade": ObserverText(
            "Error Cascade Detector",
            "{consecutive_threshold} calls failed one after the other. From {info_threshold} on that is noted.",
        ),
        "error_rate": ObserverText(
            "Error Rate Monitor",
            "The share {rate_threshold} of the latest {window_size} calls failed, if at least {minimum_sample} count.",
        ),
        "test_trend": ObserverText(
            "Test Trend", "{run_threshold} test runs left the same tests failing, and no fewer."
        ),
    },
    "No progress": {
        "edit_test_loop": ObserverText(
            "Edit-Test Loop",
            "A test, build or script failed {run_threshold} times with the same output, with edits in between, among "
            "the latest {window_size} calls.",
        ),
        "edit_thrash": ObserverText(
            "Edit Thrash", "A place in a file was brought back to a former state {return_threshold} times."
        ),
        "no_effect": ObserverText(
            "Edits Without Effect",
            "A program printed the same {run_threshold} times, with edits of one file in between.",
        ),
        "no_change": ObserverText(
            "No Change",
            "{caution_threshold} calls in a row only read, which is noted from {info_threshold} on, or one file was "
            "read in {page_threshold} pages. Does the task want changes? {wants_changes}",
        ),
        "drift": ObserverText(
            "Drift Detector",
            "The share {drift_threshold} of the latest {window_size} written files, and at least {minimum_files}, are "
            "outside the paths of the task: {initial_paths}. The project is in the folder {root}.",
        ),
        "stall": ObserverText(
            "Stall Detector",
            "Tools of the same name were called {repetition_threshold} times among the latest {window_size} calls, or "
            "the share {error_rate_threshold} of these failed.",
        ),
    },
    "Budget and people": {
        "pace": ObserverText(
            "Pace",
            "A budget runs out, as far as there is one: {seconds} seconds, {calls} calls, {tokens} tokens, a cost of "
            "{cost}.",
        ),
        "ignored": ObserverText(
            "Ignored Feedback",
            "A finding went on for {call_threshold} calls after the agent was told. Only people see this.",
        ),
        "fixed_message": ObserverText("Fixed message", "Says {message} under the title {title}, as {severity}."),
    },
}
TEXTS: Mapping[str, ObserverText] = {kind: text for texts in GROUPS.values() for kind, text in texts.items()}
