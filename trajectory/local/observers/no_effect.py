"""NoEffect: edit, run, the same output; edit, run, the same output - though nothing fails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from memoryserver.common import text
from memoryserver.common.light import dataclass
from trajectory.local import outcome as outcomes
from trajectory.local.calls import result_text, summary
from trajectory.local.calls.record import ToolCallRecord
from trajectory.local.engine.assessment import Assessment, code
from trajectory.local.engine.context import ObserverContext
from trajectory.local.engine.session import Session
from trajectory.local.observers import window
from trajectory.local.observers.citing import cite_results, numbers
from trajectory.local.observers.finding import finding, nothing

_LOOK_BACK = 100  # calls
_OVER_AFTER = 8  # calls: what is read and edited between two runs
_MAX_COMMAND = 60
_COMMAND = "command="
_PRODUCTS = (
    *(".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".bmp", ".pdf", ".ps", ".html", ".docx", ".xlsx", ".pptx"),
    *(".odt", ".csv", ".parquet", ".mp3", ".mp4", ".wav", ".webm", ".glb", ".stl", ".ttf", ".wasm", ".zip", ".gz"),
    *(".whl", ".exe", ".bin"),
)


@dataclass(frozen=True)
class NoEffect:
    """Notice a program that prints the same after each of several edits of one file, without calling it a failure.

    Whether that is wrong only the agent knows, so it is said neutrally and never above a caution. It is silent
    about output that says success or nothing, or names a picture or document that was made, tests, builds and linters
    that pass, a program whose output changed since it first ran, and a check that is run after edits of ever other
    files, as after each finished task. What fails is EditTestLoop's. Raises ValueError for a threshold below 2 or never
    met.
    """

    run_threshold: int = 4

    def __post_init__(self) -> None:
        window.positive(self, "run_threshold")
        if self.run_threshold < 2:
            raise ValueError(f"run_threshold must be at least 2, not {self.run_threshold!r}")
        window.at_most(self, _LOOK_BACK // 2, "run_threshold", reason="the runs that are looked at")

    @property
    def name(self) -> str:
        """Return its name in assessments and in the session's memory."""
        return "Edits Without Effect"

    def should_run(self, session: Session, *, context: ObserverContext) -> bool:
        """Return whether the latest call ran a program that may be such a check."""
        latest = session[ToolCallRecord].latest()
        return latest is not None and _is_run(latest)

    def observe(self, session: Session, *, context: ObserverContext) -> Assessment:
        """Report the program that was run last, if the edits between its runs had no effect on its output."""
        records = window.recent(context, _LOOK_BACK)
        latest = next((record for record in reversed(records) if _is_run(record)), None)
        if latest is None or not _is_neutral(latest):
            return nothing(self.name, context)
        runs = [record for record in records if _is_run(record) and _call(record) == _call(latest)]
        same = _one_of_each_decision([run for run in runs if run.result_key == latest.result_key])
        edits = [
            [record for record in window.between(first, second, records) if _is_edit(record)]
            for first, second in pairwise(same)
        ]
        if not self._is_without_effect(runs, same, edits) or not window.goes_on(same, records, within=_OVER_AFTER):
            return nothing(self.name, context)
        return self._report(same, [edit for gap in edits for edit in gap], runs, context)

    def _is_without_effect(
        self,
        runs: Sequence[ToolCallRecord],
        same: Sequence[ToolCallRecord],
        edits: Sequence[Sequence[ToolCallRecord]],
    ) -> bool:
        first = next((run for run in runs if not run.went_wrong), None)
        if first is None or first.result_key != same[-1].result_key or 2 * len(same) <= len(runs):
            return False  # its output has changed since it first ran
        edited = Counter(path for gap in edits for path in {path for edit in gap for path in edit.paths or ("",)})
        return len(same) >= self.run_threshold and max(edited.values(), default=0) >= self.run_threshold - 1

    def _report(
        self,
        same: list[ToolCallRecord],
        edits: list[ToolCallRecord],
        runs: list[ToolCallRecord],
        context: ObserverContext,
    ) -> Assessment:
        latest = same[-1]
        shown = code(text.shorten(latest.params_summary.removeprefix(_COMMAND), _MAX_COMMAND))
        return finding(
            self.name,
            context,
            category="Edits Without Effect",
            summary=f"The last {len(edits)} edits did not change what {shown} prints."
            if all(run.result_key == latest.result_key for run in runs if run.call_index >= same[0].call_index)
            else f"{shown} printed the same in {len(same)} of {len(runs)} runs, with {len(edits)} edits in between.",
            description=f"Runs {numbers(same)} printed the same, {latest.result_size} characters; edits in between: "
            f"{numbers(edits)}.",
            evidence=cite_results(same),
            suggestions=[
                "If they were meant to, make sure that the edited code is what runs, before the next edit.",
                "State what output you expect, and look for the place that decides it.",
            ],
            severity="caution",
            identity=f"{latest.tool_name} {latest.args_hash}",
            calls=same,
        )


def _call(record: ToolCallRecord) -> tuple[str, str]:
    return record.tool_name, record.args_hash


def _is_run(record: ToolCallRecord) -> bool:
    runs = record.kind == summary.COMMAND and not record.looks and not record.polls and not record.changes
    return runs and bool(record.args_hash and record.result_key)


def _is_neutral(record: ToolCallRecord) -> bool:
    is_nothing = record.says == result_text.NOTHING and not (_is_value(record.result_head) or _differs(record))
    quiet = record.says == result_text.SUCCESS or is_nothing or record.failures == 0 or _names_product(record)
    return not quiet and not record.went_wrong and record.failures is None


def _names_product(record: ToolCallRecord) -> bool:
    """Return whether the output names a file that is the program's true output: what is in it may have changed."""
    words = (word.strip("`'\".,:;()[]") for word in record.result_head.lower().split())
    return any(word.endswith(_PRODUCTS) for word in words)


def _differs(record: ToolCallRecord) -> bool:
    """Return whether a comparison ended with exit status 1 and printed a difference."""
    status, _, printed = record.result_head.partition("Exit code 1")
    return record.outcome == outcomes.NO_MATCH and bool(status.strip() or printed.strip())


def _is_value(printed: str) -> bool:
    """Return whether a program printed a bare number: one that is neither zero nor an HTTP status of success."""
    is_number = printed.removeprefix("-").replace(".", "", 1).isdecimal()
    return is_number and not (float(printed) == 0 or 200 <= float(printed) < 300)


def _is_edit(record: ToolCallRecord) -> bool:
    return record.changes or (record.kind == summary.WRITE and not record.went_wrong)


def _one_of_each_decision(records: Sequence[ToolCallRecord]) -> list[ToolCallRecord]:
    return list({record.decision: record for record in records}.values())
