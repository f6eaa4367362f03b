"""`memory capture run` as a person at a terminal uses it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from capture.local.queue.alerts import PERSISTENT
from capture.local.queue.files import QUEUE_FOLDER
from capture.local.service.heartbeat import daemon_lock
from memorycli.delivery import alerts
from memorycli.main import main
from memoryserver.client import context_cache, ended_sessions, places
from tests.memorycli.commands.test_capture import CAUSE, out
from tests.support.agents.claude_transcripts import Transcript
from tests.support.fakes.api_server import HttpServer, serving
from tests.support.laptops.capture_laptop import empty_home

RUN = ["capture", "run", "--once"]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return empty_home(tmp_path, monkeypatch)


class Team:
    """A server that accepts every request and records its body by path."""

    def __init__(self, server: HttpServer) -> None:
        self.server = server
        self.received: dict[str, list[Any]] = {}
        self.down = False
        server.answer = self.answer

    def answer(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        if self.down:
            return 503, {"detail": "closed for today"}
        path = path.partition("?")[0].removeprefix("/api/v1")
        self.received.setdefault(path, []).append(body)
        if path == "/capture/queue-files":
            return 200, {
                "capture_id": body["capture_id"],
                "stored": len(body["learnings"]),
                "known": 0,
                "duplicate": False,
            }
        if path == "/observations":
            return 200, {"results": [{"status": "stored"} for _ in body["observations"]]}
        if path == "/ghap/entries":
            return 200, {"results": [{"id": entry["id"], "status": "stored"} for entry in body["entries"]]}
        if path == "/trajectory/configuration":
            return 200, {"unchanged": True}
        if path == "/capture/contexts":
            return 200, {"received": len(body["contexts"])}
        if path == "/context":
            return 200, {"text": "What this project knows."}
        return 404, {"detail": "Not Found"}


@pytest.fixture
def team(monkeypatch: pytest.MonkeyPatch) -> Iterator[Team]:
    with serving() as server:
        monkeypatch.setenv("MEMORYSERVER_URL", server.url)
        monkeypatch.setenv("MEMORYSERVER_TOKEN", server.token)
        yield Team(server)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = tmp_path / "work" / "shop"
    (project / ".git").mkdir(parents=True)
    return project


@pytest.fixture
def transcript(tmp_path: Path, project: Path) -> Transcript:
    transcript = Transcript(tmp_path / "projects" / "-slug" / "s.jsonl", cwd=str(project))
    transcript.agent(CAUSE)
    return transcript


def run(transcript: Transcript, *options: str) -> int:
    return main([*RUN, "--root", str(transcript.path.parent), *options])


def logged(home: Path) -> str:
    return (home / "logs" / "continuous_capture.log").read_text()


def test_single_cycle_prints_its_counts(transcript: Transcript, team: Team, capsys: pytest.CaptureFixture[str]):
    assert run(transcript) == 0
    printed = capsys.readouterr()
    assert printed.out.splitlines() == [
        "1 transcript, 1 with something new: 1 message, 1 learning into 1 queue file.",
        "1 queue file delivered, 1 new learning, 0 known.",
    ]
    assert printed.err == ""
    assert [learning["content"] for learning in team.received["/capture/queue-files"][0]["learnings"]] == [CAUSE]


def test_once_as_json(transcript: Transcript, team: Team, capsys: pytest.CaptureFixture[str]):
    assert run(transcript, "--json") == 0
    cycle = json.loads(out(capsys))
    assert (cycle["scanned"]["learnings"], cycle["delivered"]["delivered"], cycle["errors"]) == (1, 1, [])


def test_unreachable_server_is_no_error_and_learnings_wait(
    transcript: Transcript,
    team: Team,
    home: Path,
    capsys: pytest.CaptureFixture[str],
):
    team.down = True
    assert run(transcript) == 0
    printed = capsys.readouterr()
    assert printed.out.endswith("0 queue files delivered, 0 new learnings, 0 known; 1 waiting.\n")
    assert printed.err.endswith("closed for today; waiting files are sent again later\n")
    assert team.received == {}
    assert "ERROR" not in logged(home)


def test_without_a_login_it_captures_and_names_the_command(
    transcript: Transcript,
    home: Path,
    capsys: pytest.CaptureFixture[str],
):
    assert run(transcript) == 0
    assert "not logged in; run: memory login URL" in capsys.readouterr().err
    assert len(list((home / QUEUE_FOLDER).glob("[0-9]*.json"))) == 1


def test_a_transcript_that_cannot_be_read_is_an_error_and_the_others_are_captured(
    transcript: Transcript, team: Team, capsys: pytest.CaptureFixture[str]
):
    loop = transcript.path.with_name("a.jsonl")
    loop.symlink_to(loop)
    assert run(transcript) == 1
    printed = capsys.readouterr()
    assert "1 queue file delivered" in printed.out
    assert (printed.err.startswith(f"memory: {loop}: "), printed.err.count("\n")) == (True, 1)


def test_second_daemon_names_the_first(transcript: Transcript, home: Path, capsys: pytest.CaptureFixture[str]):
    with daemon_lock(home):
        assert run(transcript) == 1
    printed = capsys.readouterr().err
    assert printed.startswith("memory: daemon already running")
    assert f"process {os.getpid()}" in printed


def test_other_channels_are_sent_after_the_cycle(
    transcript: Transcript,
    project: Path,
    team: Team,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    """It may run in any folder: the projects are those that the transcripts name."""
    monkeypatch.chdir(project)
    assert main(["ghap", "start", "--domain", "debugging", "--strategy", "read-the-error", "--goal", "g",
                 "--hypothesis", "h", "--action", "a", "--prediction", "p"]) == 0  # fmt: skip
    assert main(["ghap", "resolve", "confirmed", "--result", "as predicted"]) == 0
    monkeypatch.chdir("/")
    alerts.alert("something is wrong")
    assert run(transcript) == 0
    (sent,) = team.received["/ghap/entries"]
    assert (sent["project"], [entry["goal"] for entry in sent["entries"]]) == ("shop", ["g"])
    ((observation,),) = [body["observations"] for body in team.received["/observations"]]
    assert (observation["type"], observation["message"]) == ("capture.alert", "something is wrong")
    assert len(team.received["/trajectory/configuration"]) == 1


def test_context_of_recently_used_projects_is_fetched_and_not_again_at_once(transcript: Transcript, team: Team):
    context_cache.record_use("github.com/acme/shop")
    assert (run(transcript), run(transcript)) == (0, 0)
    cached = context_cache.load("github.com/acme/shop")
    assert cached is not None
    assert (cached.text, len(team.received["/context"])) == ("What this project knows.", 1)


def test_context_is_fetched_again_when_a_session_has_ended(
    transcript: Transcript, project: Path, team: Team, monkeypatch: pytest.MonkeyPatch
):
    key = places.project_key(project, environment=False)
    context_cache.record_use(key)
    run(transcript)
    fetched = [len(team.received["/context"])]
    ended_sessions.record(transcript.path.stem)
    for _ in range(2):
        run(transcript)
        fetched.append(len(team.received["/context"]))
    assert fetched == [1, 2, 2]


def test_journal_is_sent_when_the_server_is_back_without_new_messages(
    transcript: Transcript, project: Path, team: Team, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(project)
    main(["ghap", "start", "--domain", "debugging", "--strategy", "read-the-error", "--goal", "g",
          "--hypothesis", "h", "--action", "a", "--prediction", "p"])  # fmt: skip
    main(["ghap", "abandon", "--reason", "no time"])
    monkeypatch.chdir("/")
    team.down = True
    run(transcript)
    team.down = False
    run(transcript, "--json")
    assert [len(body["entries"]) for body in team.received["/ghap/entries"]] == [1]


def test_shared_journal_of_all_projects_is_not_sent(
    transcript: Transcript, team: Team, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Only a session knows which project an entry belongs to."""
    monkeypatch.setenv("MEMORYSERVER_JOURNAL_DIR", str(tmp_path / "journal"))
    main(["ghap", "start", "--domain", "debugging", "--strategy", "read-the-error", "--goal", "g",
          "--hypothesis", "h", "--action", "a", "--prediction", "p"])  # fmt: skip
    main(["ghap", "abandon", "--reason", "no time"])
    assert run(transcript) == 0
    assert "/ghap/entries" not in team.received


def test_an_alert_goes_to_the_log_the_observation_log_and_on_request_to_the_desktop(
    transcript: Transcript,
    team: Team,
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    for name in ("notify-send", "osascript"):
        (bin_ / name).write_text(f'#!/bin/sh\nfor last; do :; done; echo "$last" >> {bin_}/shown\n')
        (bin_ / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{bin_}:/usr/bin:/bin")
    (home / QUEUE_FOLDER).mkdir(parents=True)
    for number, setting in enumerate(["0", "1"]):
        monkeypatch.setenv("MEMORYSERVER_NOTIFY", setting)
        (home / QUEUE_FOLDER / f"{number}_poison.json").write_text("{")
        assert run(transcript) == 0
    bodies = team.received["/observations"]
    messages = [observation["message"] for body in bodies for observation in body["observations"]]
    assert [message.partition(" ")[0] for message in messages] == ["0_poison.json", "1_poison.json"]
    assert logged(home).count("ERROR capture.alerts") == 2
    (shown,) = (bin_ / "shown").read_text().splitlines()
    assert shown.startswith("1_poison.json cannot be stored")


def test_end_of_a_trouble_is_an_observation_too(transcript: Transcript, team: Team, home: Path):
    team.down = True
    run(transcript)
    path = home / QUEUE_FOLDER / ".alerts.json"
    troubles = json.loads(path.read_bytes())
    troubles["delivery"]["since"] -= PERSISTENT
    path.write_text(json.dumps(troubles))
    retries = home / QUEUE_FOLDER / ".retries.json"
    for down in (True, False):
        team.down = down
        retries.unlink()
        run(transcript)
    run(transcript)
    bodies = team.received["/observations"]
    types = [observation["type"] for body in bodies for observation in body["observations"]]
    assert types == ["capture.alert", "capture.recovered"]


def test_refused_token_is_one_error_a_cycle_and_not_one_for_each_step(
    transcript: Transcript, team: Team, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    run(transcript)
    team.server.answer = None  # it then requires its own token
    monkeypatch.setenv("MEMORYSERVER_TOKEN", "another")
    alerts.alert("the disk is full")
    capsys.readouterr()
    assert run(transcript, "--json") == 1
    cycle = json.loads(capsys.readouterr().out)
    login = f"{team.server.url} refused the token (401); run: memory login {team.server.url}"
    assert [error.endswith(login) for error in cycle["errors"]] == [True]


def test_server_that_goes_away_between_two_steps_gets_one_request_and_is_no_error(transcript: Transcript, team: Team):
    requested = []

    def down(method: str, path: str, body: Any) -> tuple[int, Any]:
        requested.append(path)
        return 503, {"detail": "gone"}

    run(transcript)
    alerts.alert("the disk is full")
    team.server.answer = down
    assert run(transcript) == 0
    assert len(requested) == 1
