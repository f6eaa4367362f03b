"""`memory capture exclude`, `include` and `excluded`, and what the other commands then say and send."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memorycli.delivery import connection, manual_learnings, observations
from memoryserver.client import exclusions
from memoryserver.client.outbox import Outbox
from tests.memorycli.commands.test_ghap import START
from tests.support.agents.claude_transcripts import Transcript
from tests.support.fakes.api_server import serving
from tests.support.laptops.capture_laptop import cause
from tests.support.laptops.laptop import Laptop
from tests.support.laptops.repositories import repository, worktree
from trajectory.local import recorder

UNDO = "To undo this: memory capture include"
RECORDED = "Nothing that agents do there is recorded from now on, and what waits from there is not sent.\n"


@pytest.fixture(autouse=True)
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(exclusions.VARIABLE, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    return repository(tmp_path / "secret")


@pytest.fixture
def sent() -> Iterator[list[tuple[str, Any]]]:
    """Everything that a server that this laptop is logged in to gets, as (path, body)."""
    received: list[tuple[str, Any]] = []

    def answer(_method: str, path: str, body: Any) -> tuple[int, Any]:
        received.append((path.partition("?")[0].removeprefix("/api/v1"), body))
        return 404, {"detail": "Not Found"}

    with serving() as server:
        server.answer = answer
        connection.store(server.url, server.token)
        yield received


def test_repository_is_excluded_from_wherever_in_it_one_is(memory: Laptop, secret: Path, tmp_path: Path) -> None:
    (secret / "src").mkdir()
    os.chdir(secret / "src")

    said = memory("capture", "exclude")

    assert (said.status, said.err) == (0, "")
    assert said.out == f"Excluded: {secret}, its worktrees and everything below them.\n{RECORDED}{UNDO}\n"
    assert memory("capture", "excluded").out == f"{secret}\n"
    os.chdir(worktree(secret, tmp_path / "fix"))
    assert memory("capture", "include").out.startswith(f"Included: {secret}. ")
    assert memory("capture", "excluded").out == "Nothing is excluded.\n"


def test_any_folder_can_be_named(memory: Laptop, tmp_path: Path) -> None:
    (tmp_path / "personal").mkdir()

    assert memory("capture", "exclude", "~/personal").out == (
        f"Excluded: {tmp_path / 'personal'} and everything below it.\n{RECORDED}{UNDO} {tmp_path / 'personal'}\n"
    )
    assert memory("capture", "exclude", str(tmp_path / "personal"), "--json").json() == {
        "excluded": str(tmp_path / "personal")
    }
    assert memory("capture", "excluded", "--json").json() == [
        {"folder": str(tmp_path / "personal"), "source": str(exclusions.path())}
    ]


def test_part_of_a_repository_is_said_to_be_only_that(memory: Laptop, secret: Path) -> None:
    (secret / "data").mkdir()

    said = memory("capture", "exclude", str(secret / "data"))

    assert said.out.splitlines()[0] == (
        f"Excluded: {secret / 'data'} and everything below it. Sessions that begin above it, in {secret}, are captured "
        "still where their shell is elsewhere."
    )


def test_folder_that_is_not_there_is_refused(memory: Laptop, tmp_path: Path) -> None:
    said = memory("capture", "exclude", str(tmp_path / "persnal"))

    assert (said.status, said.out, said.err) == (1, "", f"memory: {tmp_path / 'persnal'} is not a folder\n")


def test_what_is_excluded_from_above_or_by_the_fleet_is_not_included_silently(
    memory: Laptop, secret: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory("capture", "exclude", str(tmp_path))
    said = memory("capture", "include", str(secret))
    assert (said.status, said.err) == (
        1,
        f"memory: {secret} is excluded still, by {tmp_path}; to include that: memory capture include {tmp_path}\n",
    )

    memory("capture", "include", str(tmp_path))
    monkeypatch.setenv(exclusions.VARIABLE, str(secret))
    said = memory("capture", "include", str(secret))
    assert (said.status, said.err) == (
        1,
        f"memory: {secret} is excluded still, by {secret}; to include that: change $MEMORYSERVER_EXCLUDE\n",
    )
    assert memory("capture", "excluded").out == f"{secret}  (by $MEMORYSERVER_EXCLUDE)\n"


def test_command_says_how_to_delete_what_the_server_has(
    memory: Laptop, secret: Path, sent: list[tuple[str, Any]]
) -> None:
    line = memory("capture", "exclude", str(secret)).out.splitlines()[2]

    assert line.startswith("What the server has of it stays. To delete learnings: http://127.0.0.1:")
    assert "/learnings/?project=secret; all of the project: an administrator" in line
    assert sent == []


def test_hooks_that_post_past_the_client_are_named(memory: Laptop, secret: Path, tmp_path: Path) -> None:
    hook = {"type": "http", "url": "http://127.0.0.1:1/api/v1/hooks/claude-code"}
    (tmp_path / "claude").mkdir()
    (tmp_path / "claude/settings.json").write_text(json.dumps({"hooks": {"Stop": [{"hooks": [hook]}]}}))

    said = memory("capture", "exclude", str(secret))

    path = tmp_path / "claude/settings.json"
    found = f"the hooks in {path} post to the server themselves, from excluded folders too"
    assert said.err == f"memory: {found}; to change that: memory install claude-code --mode local\n"
    assert found in " ".join(memory("doctor", "--offline", "--json").out.split())


def test_status_and_doctor_say_it_and_find_nothing_wrong_with_it(memory: Laptop, secret: Path) -> None:
    os.chdir(secret)
    before = memory("doctor", "--offline", "--json")
    memory("capture", "exclude")

    status, doctor = memory("status", "--offline"), memory("doctor", "--offline", "--json")

    said = f"nothing is recorded here, since {secret} is kept out"
    assert "".join(f"excluded {said}".split()) in "".join(status.out.split())  # a long path is broken anywhere
    assert json.loads(memory("status", "--offline", "--json").out)["excluded"] == str(secret)
    assert json.loads(doctor.out) == json.loads(before.out) | {"excluded": str(secret)}
    assert "".join(f"note {said}".split()) in "".join(memory("doctor", "--offline").out.split())


@pytest.mark.parametrize(
    "words",
    [
        ("learn", "`npm test` never ends because Vitest watches; `npx vitest run` does"),
        ("log", "append", "it happened", "--type", "task.updated"),
        START,
        ("session", "start"),
    ],
    ids=["learn", "log", "ghap", "session"],
)
def test_what_is_said_outright_is_refused_in_one_sentence(words: tuple[str, ...], memory: Laptop) -> None:
    memory("capture", "exclude")
    before = sorted(memory.home.rglob("*"))

    said = memory(*words)

    reason = (
        f"nothing was stored: {memory.project} is excluded from the memory, until a person runs: memory capture include"
    )
    assert (said.status, said.out, said.err) == (1, "", f"memory: {reason}\n")
    assert (sorted(memory.home.rglob("*")), memory.journal.exists()) == (before, False)


def test_journal_can_be_read_and_a_learning_stored_for_another_project(memory: Laptop) -> None:
    started = memory(*START, "--json").json()["id"]
    memory("capture", "exclude")

    assert memory("ghap", "show", "--json").json()["id"] == started
    said = memory("learn", "`npm test` never ends because Vitest watches; use `npx vitest run`", "--project", "shop")
    assert (said.status, len(manual_learnings.outbox().waiting())) == (0, 1)
    own = memory("learn", "The export needs the VPN, since its host is not public", "--project", "project ü")
    assert own.err.startswith("memory: nothing was stored: project ü is excluded")


def test_sync_sends_nothing_that_waited_from_there(memory: Laptop, secret: Path, sent: list[tuple[str, Any]]) -> None:
    os.chdir(secret)
    memory(*START)
    call = {"tool_name": "Read", "tool_input": {}, "result": "x", "session_id": "s", "tool_use_id": "t"}
    recorder.record_report(dict(call), secret)
    observations.save(type="t", source="a:b", message="m", project="secret")
    Outbox(memory.home, "learnings").add("1", {"type": "gotcha", "content": "c", "project": "secret"})
    Outbox(memory.home, "compactions").add("2", {"id": "2", "project": "secret"})
    memory("sync")
    paths = {path for path, _ in sent}
    sent.clear()

    memory("capture", "exclude")
    for folder in (secret, memory.project):
        os.chdir(folder)
        memory("sync")

    held = {"/trajectory/calls", "/observations", "/learnings", "/capture/compactions", "/ghap/entries/open"}
    assert {path for path, _ in sent} & held == set()
    assert held & paths >= held - {"/ghap/entries/open"}


def test_daemon_captures_other_folders_alone(
    memory: Laptop, secret: Path, tmp_path: Path, sent: list[tuple[str, Any]]
) -> None:
    for number, folder in enumerate((secret, memory.project), 1):
        transcript = Transcript(
            tmp_path / f"claude/projects/-p{number}/{number}.jsonl", session=str(number), cwd=str(folder)
        )
        transcript.agent(cause(number))
    memory("capture", "exclude", str(secret))

    done = subprocess.run(
        [sys.executable, "-m", "memorycli", "capture", "run", "--once"],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[4])},
        capture_output=True,
        check=False,
        text=True,
    )

    assert "1 message, 1 learning into 1 queue file" in done.stdout
    bodies = [body for path, body in sent if path == "/capture/queue-files"]
    assert [learning["content"] for body in bodies for learning in body["learnings"]] == [cause(2)]
    assert "secret" not in json.dumps(sent)
    assert "/secret" not in "".join(path.read_text() for path in (memory.home / "learning_queue").glob("*.json"))


def test_what_was_done_meanwhile_stays_out_without_a_daemon_too(memory: Laptop, tmp_path: Path) -> None:
    hidden = Transcript(tmp_path / "claude/projects/-p/1.jsonl", session="1", cwd=str(memory.project))
    memory("capture", "exclude")
    hidden.agent(cause(1))
    memory("capture", "include")
    hidden.agent(cause(2))

    assert memory("capture", "scan").out == (
        "1 transcript, 1 with something new: 1 message, 1 learning into 1 queue file.\n"
    )


def test_service_knows_the_fleets_exclusions(memory: Laptop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(exclusions.VARIABLE, "/srv/clients")

    assert "MEMORYSERVER_EXCLUDE=/srv/clients" in memory("capture", "install", "--dry-run").out


def test_call_that_is_handed_over_by_hand_is_not_recorded(memory: Laptop) -> None:
    memory("capture", "exclude")
    call = {"tool_name": "Read", "tool_input": {}, "session_id": "s", "tool_use_id": "t", "cwd": str(memory.project)}

    said = memory("trajectory", "record", stdin=json.dumps(call).encode())

    assert (said.status, said.out, (memory.home / "trajectory").exists()) == (0, "", False)


def test_list_that_cannot_be_read_is_an_error_for_each_command(memory: Laptop, secret: Path) -> None:
    exclusions.path().mkdir(parents=True)
    problem = f"memory: {exclusions.path()} cannot be read (Is a directory), so everything is excluded"

    listed, included = memory("capture", "excluded"), memory("capture", "include", str(secret))
    excluded = memory("capture", "exclude", str(secret))

    assert (listed.status, listed.out, listed.err) == (1, "", f"{problem}\n")
    assert (included.status, included.out, included.err) == (1, "", f"{problem}; correct or delete that file\n")
    assert (excluded.status, excluded.out) == (1, "")
    assert str(exclusions.path()) in excluded.err
