"""Values of the wrong type, in every parameter of every call that changes the journal."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ghap.local import Domain, GHAPEntry, Journal, Lesson, OutcomeStatus, RootCause, Strategy
from ghap.local.errors import GHAPError, InvalidEntryError
from ghap.local.resolution import MAX_CATEGORY
from tests.ghap.local.samples import MEMORY
from tests.support.examples import examples
from tests.support.laptops.journals import create, resolve, run

CREATE: dict[str, Any] = {
    "domain": Domain.TESTING,
    "strategy": Strategy.ASK_USER,
    "goal": "g",
    "hypothesis": "h",
    "action": "a",
    "prediction": "p",
}
RESOLVE: dict[str, Any] = {"status": OutcomeStatus.FALSIFIED, "result": "r"}
UPDATE: dict[str, Any] = {"note": "n"}
REASON: dict[str, Any] = {"reason": "r"}
LEARNED = ("surprise", "root_cause", "lesson")

LONG_CATEGORY = (
    "a root cause category is a word like wrong-assumption of at most 60 characters, not of 61; "
    "put the rest into the description"
)

PARAMETERS = [
    *[("create_ghap", CREATE, name) for name in (*CREATE, "check")],
    *[("update_ghap", UPDATE, name) for name in ("hypothesis", "action", "prediction", "strategy", "note", "check")],
    *[("resolve_ghap", RESOLVE, name) for name in (*RESOLVE, *LEARNED, "auto_captured")],
    *[("amend_ghap", UPDATE, name) for name in (*LEARNED, "note")],
    ("abandon_ghap", REASON, "reason"),
    ("abandon_orphan", REASON, "reason"),
    ("should_check_in", {}, "frequency"),
]

wrong_types = st.one_of(
    st.integers(),
    st.floats(),
    st.binary(max_size=4),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
    st.just(object()),
    st.just(Domain),
    st.builds(RootCause, st.integers() | st.none() | st.just("!"), st.text(max_size=3)),
    st.builds(RootCause, st.just("oversight"), st.integers() | st.none()),
    st.builds(RootCause, st.just("oversight"), st.just("d"), st.just({"x": object()}) | st.just(["x"])),
    st.builds(Lesson, st.integers() | st.none()),
    st.builds(Lesson, st.just("w"), st.integers() | st.binary(max_size=2)),
    st.builds(Lesson, st.just("w"), st.none(), st.just({"x": float("nan")}) | st.just({"x": {1, 2}})),
)
"""Values that no parameter takes, except those that `is_valid` names."""


def is_valid(name: str, value: object) -> bool:
    return name == "frequency" and isinstance(value, int)


def prepared(call: str, folder: Path) -> None:
    """A filed entry and, except before `create_ghap`, an active one, which is an orphan for `abandon_orphan`."""
    run(folder, create, resolve)
    if call != "create_ghap":
        run(folder, create)
    if call == "abandon_orphan":
        run(folder, lambda journal: journal.start_session())


def content(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != ".lock"
    }


@pytest.mark.parametrize(
    ("call", "arguments", "name"), PARAMETERS, ids=[f"{call}-{name}" for call, _, name in PARAMETERS]
)
@settings(max_examples=examples(12))
@given(data=st.data())
def test_wrong_type_is_refused_in_one_line_and_changes_no_file(
    data: st.DataObject, call: str, arguments: dict[str, Any], name: str
) -> None:
    value = data.draw(wrong_types.filter(lambda value: not is_valid(name, value)))
    with tempfile.TemporaryDirectory(dir=MEMORY) as scratch:
        folder = Path(scratch) / "journal"
        shutil.copytree(template(call), folder)
        before = content(folder)
        with pytest.raises(InvalidEntryError) as caught:
            getattr(Journal(folder), call)(**{**arguments, name: value})
        assert content(folder) == before
        assert "\n" not in str(caught.value)


TEMPLATES = tempfile.TemporaryDirectory(dir=MEMORY)


def template(call: str) -> Path:
    folder = Path(TEMPLATES.name) / call
    if not folder.exists():
        prepared(call, folder)
    return folder


@pytest.mark.parametrize(
    ("learned", "message"),
    [
        ({"auto_captured": 1}, "auto_captured must be true or false, not a number"),
        ({"root_cause": {}}, "root_cause must be RootCause, not an object"),
        ({"lesson": "x"}, "lesson must be Lesson, not text"),
        ({"surprise": 5}, "surprise must be text, not a number"),
        ({"root_cause": RootCause("oversight", 5)}, "root_cause.description must be text, not a number"),  # type: ignore[arg-type]
        ({"root_cause": RootCause("x" * (MAX_CATEGORY + 1), "d")}, LONG_CATEGORY),
    ],
    ids=["auto_captured", "root_cause", "lesson", "surprise", "description", "category"],
)
def test_refused_outcome_leaves_the_entry_active(learned: dict[str, Any], message: str, tmp_path: Path) -> None:
    entry = run(tmp_path, create)
    with pytest.raises(InvalidEntryError) as caught:
        run(tmp_path, lambda journal: resolve(journal, **learned))
    assert str(caught.value) == message
    assert run(tmp_path, lambda journal: journal.get_current()) == entry
    assert run(tmp_path, resolve).id == entry.id


def test_category_of_the_greatest_length_is_valid(tmp_path: Path) -> None:
    entry = run(tmp_path, create, lambda journal: resolve(journal, root_cause=RootCause("x" * MAX_CATEGORY, "d")))
    assert entry.root_cause == RootCause("x" * MAX_CATEGORY, "d")


def break_entry(entry: GHAPEntry) -> None:
    entry.iteration_count = 0


def test_entry_that_could_not_be_read_back_is_not_written(tmp_path: Path) -> None:
    """A program that changes entries on its own gets an error; the active entry stays."""
    store = Journal(tmp_path)._store
    entry = run(tmp_path, create)
    filed = run(tmp_path, resolve)
    run(tmp_path, create)
    before = content(tmp_path)
    calls: list[Callable[[], None]] = []
    for broken in (entry, filed):
        break_entry(broken)
        calls += [
            lambda broken=broken: store.save_current(broken),  # type: ignore[misc]
            lambda broken=broken: store.file_in_session(broken),  # type: ignore[misc]
            lambda broken=broken: store.file_in_archive(broken),  # type: ignore[misc]
            lambda broken=broken: store.file_again(tmp_path / "session_entries.jsonl", broken),  # type: ignore[misc]
        ]
    for call in calls:
        with pytest.raises(GHAPError, match="iteration_count must be a whole number"):
            call()
    assert content(tmp_path) == before
