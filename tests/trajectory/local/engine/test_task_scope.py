"""The scope of a task: files that a person's prompts name."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trajectory.local import store
from trajectory.local.config import resolve
from trajectory.local.engine import task_scope
from trajectory.local.observers.drift import DriftDetector
from trajectory.local.store import Trajectory


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "home"))
    root = tmp_path / "project"
    for name in ("src/cache.py", "src/deep/x.ts", "README.md", "docs/a.md", "Makefile"):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    (root / ".git").mkdir()
    return root


@pytest.mark.parametrize(
    ("prompt", "paths"),
    [
        ("Fix src/cache.py:3 and ./src/../README.md", ["src/cache.py", "README.md"]),
        ("@docs/ @Makefile please", ["docs", "Makefile"]),
        ("src\\deep\\x.ts", ["src/deep/x.ts"]),
        ("src/gone.py cache.py /etc/passwd ../outside.py . .. / ~ ~/x", []),
        ("a" * 50_000 + "/x", []),
        ("src/\0cache.py", []),
    ],
)
def test_files_of_the_project_that_a_prompt_names(project: Path, prompt: str, paths: list[str]) -> None:
    assert task_scope.paths_in(prompt, project) == paths


def test_absolute_path_is_taken_relative_to_the_project(project: Path) -> None:
    assert task_scope.paths_in(f"see {project}/src/cache.py", project) == ["src/cache.py"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(prompt=st.text(max_size=200))
def test_any_prompt_names_files_inside_of_the_project_only(project: Path, prompt: str) -> None:
    for path in task_scope.paths_in(prompt, project):
        assert (project / path).resolve().is_relative_to(project)


def test_first_prompt_sets_the_scope_and_later_ones_widen_it() -> None:
    session = store.trajectory("s")
    assert task_scope.initial_paths(session) == frozenset()
    task_scope.add(session, ["a"])
    task_scope.add(session, [])
    task_scope.add(session, ["b", "a"])
    assert task_scope.initial_paths(session) == {"a", "b"}
    task_scope.add(session, [f"x{n}" for n in range(200)])
    assert len(task_scope.initial_paths(session)) == task_scope.MAX_PATHS


def test_task_that_named_no_file_has_no_scope_later() -> None:
    session = store.trajectory("s")
    task_scope.add(session, [])
    task_scope.add(session, ["a"])
    assert task_scope.initial_paths(session) == frozenset()


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"initial_paths": 7}', b'{"initial_paths": [1, null]}', b"\xff"]
)
def test_damaged_file_is_no_scope(content: bytes) -> None:
    session = store.trajectory("s")
    task_scope.add(session, ["a"])
    (session.folder / task_scope.FILE).write_bytes(content)
    assert task_scope.initial_paths(session) == frozenset()


def test_scope_goes_with_the_session(project: Path) -> None:
    session: Trajectory = store.trajectory("s")
    task_scope.add(session, ["a"])
    with session.observing():
        session.clear()
    assert task_scope.initial_paths(session) == frozenset()


def detectors(project: Path, *paths: str) -> list[DriftDetector]:
    observers = [config.observer for config in resolve.observers_of(project, frozenset(paths)).configs]
    return [observer for observer in observers if isinstance(observer, DriftDetector)]


def test_scope_brings_in_a_detector_of_drift(project: Path) -> None:
    assert detectors(project) == []
    assert detectors(project, "src") == [DriftDetector(frozenset({"src"}), root=str(project))]


def test_configured_detector_gets_the_scope_too(project: Path) -> None:
    settings_of = {"initial_paths": ["docs"], "window_size": 20}
    resolve.save("project", "1", {"observers": {"drift": {"settings": settings_of}}})
    assert detectors(project, "src") == [DriftDetector(frozenset({"src", "docs"}), window_size=20)]


def test_detector_that_is_turned_off_stays_off(project: Path) -> None:
    resolve.save("project", "1", {"observers": {"drift": {"enabled": False}}})
    assert detectors(project, "src") == []
