"""Configurations as JSON, the laptop's copy of the server's, and observers that packages bring."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryserver.client import home_folder
from tests.support.tool_calls import context_of, session_of
from trajectory.local import DEFAULT_OBSERVERS, RepeatCall, recorder
from trajectory.local.config import entry_points, registry, resolve, schema


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MEMORYSERVER_PROJECT", "shop")
    (tmp_path / "project").mkdir()
    return tmp_path


def test_empty_configuration_is_the_default_set() -> None:
    assert schema.parse({"observers": {}}) == schema.parse({}) == DEFAULT_OBSERVERS


def test_what_is_named_is_changed_and_the_rest_stays() -> None:
    body = {"observers": {"repeat_call": {"settings": {"repetition_threshold": 5}, "tell": False}}}
    first, *others = schema.parse(body)
    assert (first.observer, first.tell, first.trigger) == (RepeatCall(10, 5), False, DEFAULT_OBSERVERS[0].trigger)
    assert tuple(others) == DEFAULT_OBSERVERS[1:]


@pytest.mark.parametrize("kind", registry.KINDS)
def test_every_kind_can_be_switched_off_and_its_settings_given_back(kind: str) -> None:
    assert len(schema.parse({"observers": {kind: {"enabled": False}}})) == len(DEFAULT_OBSERVERS) - bool(
        registry.default_of(kind)
    )
    known = {name: value for name, value in registry.settings_of(kind).items() if value is not None}
    known |= {"message": "Look."} if kind == "fixed_message" else {}
    known |= {"initial_paths": ["src/"]} if kind == "drift" else {}
    usable = {name: value for name, value in known.items() if value != ""}
    assert schema.parse({"observers": {kind: {"settings": usable}}})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 10**15) | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=9,
)
PARTS = st.fixed_dictionaries(
    {},
    optional={
        "enabled": st.booleans() | JSON,
        "tell": st.booleans() | JSON,
        "settings": st.dictionaries(st.sampled_from(["window_size", "repetition_threshold", "calls"]), JSON) | JSON,
        "trigger": st.dictionaries(st.sampled_from(["every_n_calls", "after_repeats", "file_created"]), JSON) | JSON,
    },
)


@given(st.dictionaries(st.sampled_from(list(registry.KINDS)), PARTS | JSON, max_size=4) | JSON)
def test_any_configuration_is_used_or_refused_in_one_line(observers: object) -> None:
    refused = ""
    try:
        configs = schema.parse({"observers": observers})
    except schema.ConfigurationError as error:
        configs, refused = (), str(error)
    session = session_of()
    for config in configs:
        config.observer.should_run(session, context=context_of(session))
    assert "\n" not in refused


def test_kept_configuration_of_the_project_is_what_runs(home: Path) -> None:
    resolve.keep("shop", "v1", {"observers": {"repeat_call": {"enabled": False}}})
    names = [config.name for config in resolve.observers_of(home / "project").configs]
    assert (resolve.cached("shop")["version"], "Repeated Call" in names) == ("v1", False)
    calls = [recorder.take({"tool_name": "T", "result": "x"}, home / "project") for _ in range(6)]
    assert [one.tell for one in calls] == [""] * 6


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"configuration": {"observers": {"no": {}}}}', b"\xff"])
def test_damaged_copy_leaves_the_default_set_and_is_reported_where_it_can_be(home: Path, content: bytes) -> None:
    path = resolve.cache_path("shop")
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    choice = resolve.observers_of(home / "project")
    assert choice.configs == DEFAULT_OBSERVERS
    assert all("is not used" in problem for problem in choice.problems)


def test_configuration_that_cannot_be_used_is_not_kept() -> None:
    with pytest.raises(schema.ConfigurationError):
        resolve.keep("shop", "v1", {"observers": {"poll": {"settings": {"poll_threshold": 0}}}})
    assert resolve.cached("shop") == {}


PACKAGE = """
from trajectory.local import FixedMessage, ObserverConfig, ObserverTrigger
def config():
    return ObserverConfig(FixedMessage("Hello.", "Mine"), ObserverTrigger(every_n_calls=2))
def broken():
    raise RuntimeError("no")
"""


def install(folder: Path, **points: str) -> None:
    """A package with these entry points in `folder`."""
    info = folder / "mine-1.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    (folder / "mine_observers.py").write_text(PACKAGE)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1\n")
    lines = "".join(f"{name} = {value}\n" for name, value in points.items())
    (info / "entry_points.txt").write_text(f"[{resolve.ENTRY_POINTS}]\n{lines}")


def test_observers_of_packages_run_and_broken_ones_are_reported_and_left_out(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = home / "site"
    install(folder, mine="mine_observers:config", bad="mine_observers:broken", gone="no.such:thing")
    monkeypatch.syspath_prepend(str(folder))
    choice = resolve.observers_of(home / "project")
    assert [config.name for config in choice.configs[len(DEFAULT_OBSERVERS) :]] == ["Mine"]
    assert [problem.partition(" of ")[0] for problem in choice.problems] == ["observer bad", "observer gone"]
    told = [recorder.take({"tool_name": "T", "result": f"x {n}"}, home / "project") for n in range(2)]
    assert "Hello." in told[1].tell
    assert "observer bad of mine_observers:broken is left out: RuntimeError: no" in told[1].problem


def test_packages_are_looked_through_once_and_again_after_an_installation(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = home / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    assert entry_points.entry_points(resolve.ENTRY_POINTS) == []
    kept = home_folder.path() / "trajectory_config/packages.json"
    kept.write_text(json.dumps(json.loads(kept.read_text()) | {"found": [["kept", "a:b"]]}))
    assert entry_points.entry_points(resolve.ENTRY_POINTS) == [("kept", "a:b")]
    install(folder, mine="mine_observers:config")
    assert entry_points.entry_points(resolve.ENTRY_POINTS) == [("mine", "mine_observers:config")]


def test_quiet_call_looks_for_no_packages(home: Path) -> None:
    project = home / "project"
    recorder.take({"tool_name": "T", "result": "x"}, project)
    kept = home_folder.path() / "trajectory_config/packages.json"
    kept.unlink()
    recorder.take({"tool_name": "T", "tool_input": 2, "result": "y"}, project)
    assert not kept.exists()


def test_layers_are_merged_observer_by_observer() -> None:
    first: dict[str, Any] = {"observers": {"poll": {"settings": {"poll_threshold": 5}, "tell": False}}}
    second = {"observers": {"poll": {"settings": {"budget_seconds": 9}}, "cycle": {"enabled": False}}}
    assert schema.merged(first, second) == {
        "observers": {
            "poll": {"settings": {"poll_threshold": 5, "budget_seconds": 9}, "tell": False},
            "cycle": {"enabled": False},
        }
    }
