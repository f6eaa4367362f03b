"""Which observers run in a project: the default set, the laptop's copy of the server's, and those of packages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from trajectory.local import DEFAULT_OBSERVERS, FixedMessage, ObserverConfig, ObserverTrigger, recorder
from trajectory.local.config import resolve, schema

pytestmark = pytest.mark.usefixtures("home")


def test_project_without_a_configuration_gets_the_default_set(home: Path) -> None:
    choice = resolve.observers_of(home / "project")
    assert (choice.configs, choice.problems) == (DEFAULT_OBSERVERS, ())


def test_kept_configuration_of_the_project_is_what_runs(home: Path) -> None:
    resolve.save("shop", "v1", {"observers": {"repeat_call": {"enabled": False}}})
    names = [config.name for config in resolve.observers_of(home / "project").configs]
    assert (resolve.cached("shop")["version"], "Repeated Call" in names) == ("v1", False)
    calls = [recorder.record_report({"tool_name": "T", "result": "x"}, home / "project") for _ in range(6)]
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
        resolve.save("shop", "v1", {"observers": {"poll": {"settings": {"poll_threshold": 0}}}})
    assert resolve.cached("shop") == {}


def test_observers_of_packages_run_and_broken_ones_are_reported_and_left_out(
    home: Path, install: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = home / "site"
    install(folder, mine="mine_observers:config", bad="mine_observers:broken", gone="no.such:thing")
    monkeypatch.syspath_prepend(str(folder))
    choice = resolve.observers_of(home / "project")
    assert [config.name for config in choice.configs[len(DEFAULT_OBSERVERS) :]] == ["Mine"]
    assert [problem.partition(" of ")[0] for problem in choice.problems] == ["observer bad", "observer gone"]
    told = [recorder.record_report({"tool_name": "T", "result": f"x {n}"}, home / "project") for n in range(2)]
    assert "Hello." in told[1].tell
    assert "observer bad of mine_observers:broken is left out: RuntimeError: no" in told[1].problem


def test_config_is_the_object_itself_or_what_calling_it_gives() -> None:
    config = ObserverConfig(FixedMessage("Hello."), ObserverTrigger(every_n_calls=2))
    assert resolve.config_of(config) is config
    assert resolve.config_of(lambda: config) is config


def test_observer_without_a_trigger_runs_every_ten_calls() -> None:
    observer = FixedMessage("Hello.")
    assert resolve.config_of(lambda: observer) == ObserverConfig(observer, ObserverTrigger(every_n_calls=10))


def test_configuration_that_is_fetched_during_a_session_is_in_effect_at_its_next_call(home: Path) -> None:
    report: dict[str, object] = {
        "tool_name": "Bash",
        "tool_input": {"command": "make"},
        "error": "Exit code 2\nNo rule",
    }
    assert recorder.record_report({"tool_name": "T", "result": "x"}, home / "project").tell == ""
    assert recorder.record_report(report, home / "project").tell == ""
    resolve.save("shop", "v1", {"observers": {"repeat_call": {"settings": {"repetition_threshold": 2}}}})
    assert "2 times" in recorder.record_report(report, home / "project").tell


def test_plan_of_a_session_in_another_project_is_left(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trajectory = recorder.record_report({"tool_name": "T", "result": "x"}, home / "project").trajectory
    before = trajectory.state()
    resolve.save("other", "v1", {"observers": {}})
    assert (trajectory.state(), "plan" in before) == (before, True)
    resolve.save("shop", "v1", {"observers": {}})
    assert trajectory.state() == {name: value for name, value in before.items() if name != "plan"}
