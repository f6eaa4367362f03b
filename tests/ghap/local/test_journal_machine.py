"""Random sequences of all calls, with restarts and crash leftovers between them, beside a model in memory."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from ghap.local import (
    ConfidenceTier,
    Domain,
    GHAPAlreadyActiveError,
    GHAPEntry,
    Journal,
    Lesson,
    NoActiveGHAPError,
    OutcomeStatus,
    RootCause,
    Strategy,
    counter,
)
from tests.ghap.local.samples import MEMORY
from tests.support.examples import examples
from tests.support.laptops.journals import AwaitedCollector

texts = st.sampled_from(["one", "drei\u2028vier \U0001f600\n\t", ""])
maybe = st.none() | texts


@dataclass
class Model:
    """What the journal should hold; entries as their texts and numbers."""

    session: str | None = None
    active: dict[str, Any] | None = None
    present: list[dict[str, Any]] = field(default_factory=list)
    archives: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    count: int = 0

    @property
    def orphan(self) -> dict[str, Any] | None:
        return self.active if self.active and self.active["session"] != self.session else None

    def resolve(self, status: OutcomeStatus, result: str, **more: Any) -> dict[str, Any]:
        assert self.active
        entry, self.active = {**self.active, "status": status, "result": result, **more}, None
        return entry

    def archive(self, session: str, entries: list[dict[str, Any]]) -> None:
        if entries:
            self.archives.setdefault(session, []).extend(entries)

    def start(self, session: str) -> None:
        if self.session:
            self.archive(self.session, self.present)
        else:
            for entry in self.present:
                self.archive(entry["session"], [entry])
        self.session, self.present, self.count = session, [], 0


def seen(entry: GHAPEntry | None) -> dict[str, Any] | None:
    """`entry` in the model's terms."""
    if entry is None:
        return None
    known = {
        "id": entry.id,
        "session": entry.session_id,
        "texts": (entry.goal, entry.hypothesis, entry.action, entry.prediction),
        "strategy": entry.strategy,
        "check": entry.check,
        "notes": entry.notes,
        "history": [(item.hypothesis, item.action, item.prediction) for item in entry.history],
    }
    assert entry.iteration_count == len(entry.history) + 1
    if entry.outcome:
        known |= {"status": entry.outcome.status, "result": entry.outcome.result, "tier": entry.confidence_tier}
        known |= {"learned": (entry.surprise, entry.root_cause, entry.lesson)}
    return known


class JournalMachine(RuleBasedStateMachine):
    """Each rule makes one call on both; the invariant compares everything."""

    kind: ClassVar[type[Any]] = Journal

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp(dir=MEMORY))
        self.folder = self.root / "journal"
        self.model = Model()
        self.leftover: bytes | None = None

    def teardown(self) -> None:
        shutil.rmtree(self.root)

    @initialize()
    def begin(self) -> None:
        self.journal = self.kind(self.folder)

    @rule()
    def restart(self) -> None:
        self.journal = self.kind(self.folder)

    @rule(goal=texts, hypothesis=texts, action=texts, prediction=texts, check=maybe)
    def create(self, goal: str, hypothesis: str, action: str, prediction: str, check: str | None) -> None:
        words = (goal, hypothesis, action, prediction)
        call = partial(self.journal.create_ghap, Domain.SECURITY, Strategy.ASK_USER, *words, check=check)
        if self.model.active:
            with pytest.raises(GHAPAlreadyActiveError):
                call()
            return
        entry = call()
        if self.model.session is None:
            self.model.start(entry.session_id)
        self.model.active = {
            "id": entry.id, "session": self.model.session, "texts": words, "strategy": Strategy.ASK_USER,
            "check": check or None, "notes": [], "history": [],
        }  # fmt: skip

    @rule(hypothesis=maybe, action=maybe, prediction=maybe, strategy=st.none() | st.sampled_from(Strategy), note=maybe)
    def update(self, **given: Any) -> None:
        call = partial(self.journal.update_ghap, **given)
        if all(value is None for value in given.values()):
            with pytest.raises(ValueError, match="nothing to update"):
                call()
            return
        if not self.model.active:
            with pytest.raises(NoActiveGHAPError):
                call()
            return
        call()
        active = dict(self.model.active)
        goal, *now = active["texts"]
        names = ("hypothesis", "action", "prediction")
        new = [given[name] if given[name] is not None else old for name, old in zip(names, now, strict=True)]
        if new != now:
            active |= {"history": [*active["history"], tuple(now)], "texts": (goal, *new)}
        if given["strategy"]:
            active["strategy"] = given["strategy"]
        if given["note"] is not None:
            active["notes"] = [*active["notes"], given["note"]]
        self.model.active = active

    @rule(
        status=st.sampled_from(OutcomeStatus), result=texts, surprise=maybe, learned=st.booleans(), auto=st.booleans()
    )
    def resolve(self, status: OutcomeStatus, result: str, surprise: str | None, learned: bool, auto: bool) -> None:
        cause, lesson = (RootCause("oversight", "d"), Lesson("w")) if learned else (None, None)
        call = partial(self.journal.resolve_ghap, status, result, surprise, cause, lesson, auto)
        if not self.model.active:
            with pytest.raises(NoActiveGHAPError):
                call()
            return
        self.leave()
        call()
        tier = ConfidenceTier.GOLD if auto else ConfidenceTier.SILVER
        if status is OutcomeStatus.ABANDONED:
            tier = ConfidenceTier.ABANDONED
        self.model.present.append(self.model.resolve(status, result, tier=tier, learned=(surprise, cause, lesson)))

    def abandoned(self, reason: str) -> dict[str, Any]:
        nothing = (None, None, None)
        return self.model.resolve(OutcomeStatus.ABANDONED, reason, tier=ConfidenceTier.ABANDONED, learned=nothing)

    @rule(reason=texts)
    def abandon(self, reason: str) -> None:
        call = partial(self.journal.abandon_ghap, reason)
        if not self.model.active:
            with pytest.raises(NoActiveGHAPError):
                call()
            return
        self.leave()
        call()
        self.model.present.append(self.abandoned(reason))

    @rule()
    def adopt(self) -> None:
        entry = self.journal.adopt_orphan()
        if not self.model.orphan:
            assert entry is None
            return
        if self.model.session is None:
            self.model.start(entry.session_id)
        assert self.model.active
        self.model.active = {**self.model.active, "session": self.model.session}

    @rule(reason=texts)
    def abandon_orphan(self, reason: str) -> None:
        orphan = self.model.orphan
        self.leave()
        entry = self.journal.abandon_orphan(reason)
        if not orphan:
            assert entry is None
            self.leftover = None
            return
        self.model.archive(orphan["session"], [self.abandoned(reason)])
        assert seen(entry) == self.model.archives[orphan["session"]][-1]

    @rule()
    def start_session(self) -> None:
        self.model.start(self.journal.start_session())

    @rule()
    def end_session(self) -> None:
        entries = self.journal.end_session()
        if self.model.orphan:
            session = self.model.orphan["session"]
            self.model.archive(session, [self.abandoned("session ended")])
        elif self.model.active:
            self.model.present.append(self.abandoned("session ended"))
        assert [seen(entry) for entry in entries] == self.model.present
        self.model.start("")
        self.model.session = None

    @rule(by_hook=st.booleans())
    def increment(self, by_hook: bool) -> None:
        self.model.count += 1
        count = counter.increment(self.folder) if by_hook else self.journal.increment_tool_count()
        assert count == self.model.count

    @rule()
    def reset(self) -> None:
        self.journal.reset_tool_count()
        self.model.count = 0

    def leave(self) -> None:
        """Remember the active file, so that a crash before it was cleared can be played."""
        path = self.folder / "current_ghap.json"
        self.leftover = path.read_bytes() if path.exists() else None

    @precondition(lambda self: self.leftover and not self.model.active)
    @rule()
    def crash_before_clearing(self) -> None:
        """The entry is filed last and still active: what a crash leaves, as long as nothing came after it."""
        assert self.leftover
        last = self.model.present[-1]["id"] if self.model.present else None
        if last == GHAPEntry.from_json(self.leftover).id:
            (self.folder / "current_ghap.json").write_bytes(self.leftover)
        self.leftover = None

    @rule(half=st.sampled_from([b'{"id": "ghap_2025', b"\xff\xfe", b"null"]))
    def crash_while_appending(self, half: bytes) -> None:
        """A torn last line; the next entry must not be eaten by it."""
        self.leftover = None
        if self.model.present:
            with (self.folder / "session_entries.jsonl").open("ab") as file:
                file.write(half)

    @rule()
    def crash_while_writing(self) -> None:
        (self.folder / ".current_ghap.json.1.abcd.tmp").write_bytes(b"{")

    @invariant()
    def journal_is_as_the_model(self) -> None:
        if not hasattr(self, "journal"):
            return
        model, journal = self.model, self.journal
        assert seen(journal.get_current()) == model.active
        assert seen(journal.get_orphaned_entry()) == model.orphan
        assert journal.has_orphaned_entry() == (model.orphan is not None)
        assert journal.get_session_id() == model.session
        assert [seen(entry) for entry in journal.get_session_entries()] == model.present
        assert counter.peek(self.folder) == model.count
        assert journal.should_check_in(3) == (model.count >= 3 and model.active is not None)
        archived = [entry for _, entries in sorted(model.archives.items()) for entry in entries]
        found = [seen(entry) for entry in journal.get_all_entries()]
        key = lambda entry: entry["id"]  # noqa: E731
        assert sorted(found, key=key) == sorted([*archived, *model.present], key=key)


class CollectorMachine(JournalMachine):
    """The same, through the coroutines of the collector."""

    kind = AwaitedCollector


TestJournalMachine = JournalMachine.TestCase
TestJournalMachine.settings = settings(
    max_examples=examples(25), stateful_step_count=50, suppress_health_check=list(HealthCheck)
)
TestCollectorMachine = CollectorMachine.TestCase
TestCollectorMachine.settings = settings(TestJournalMachine.settings, max_examples=examples(6))
