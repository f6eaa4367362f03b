"""Management commands by another way than manage.py, as a server that was installed from a wheel is run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

from tests.support.processes.server_process import ROOT


def run(tmp_path: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    values = {**os.environ, "PYTHONPATH": str(ROOT), "MEMORYSERVER_DATA": str(tmp_path), **environment}
    values.pop("DJANGO_SETTINGS_MODULE", None)
    command = [sys.executable, "-P", "-m", "memoryserver.ops.management.program", *words]
    return subprocess.run(command, cwd=tmp_path, env=values, capture_output=True, text=True, check=False)


def test_commands_run_from_any_folder(tmp_path: Path) -> None:
    done = run(tmp_path, "check")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "System check identified no issues (0 silenced).\n"


def test_invalid_setting_is_an_error_of_one_line(tmp_path: Path) -> None:
    done = run(tmp_path, "check", DATABASE_URL="mysql://x/y")

    assert (done.returncode, done.stderr) == (
        1,
        "memoryserver: DATABASE_URL must be an address like postgres://user:password@host:5432/name\n",
    )


# Each of our commands with the end of what it says on a server that does not run; "" for those that do not end or need
# no database, each with a test of its own.
WITHOUT_SERVER = {
    "assess_quality": [],
    "backup": ["x.backup"],
    "create_token": ["admin"],
    "doctor": "",
    "embedding": "",
    "ensure_schedules": [],
    "export_data": ["admin"],
    "gunicorn": "",
    "import_data": ["admin", "/dev/null"],
    "index_vectors": [],
    "invite": ["someone@example.org"],
    "prepare": [],
    "qcluster": ["--run-once"],
    "reembed": [],
    "restore": ["/dev/null"],
    "seed_demo": [],
    "up": "",
    "upgrade_database": "",
    "watch": "",
    "weekly_mail": ["admin"],
}
STOPPED = {name: words for name, words in WITHOUT_SERVER.items() if not isinstance(words, str)}
OWN_WORDS = {  # those that start the embedded Postgres themselves
    "backup": "has no database; set MEMORYSERVER_DATA to the data folder",
    "restore": "/dev/null is damaged, or not a backup of memoryserver",
    "prepare": "CommandError: Postgres cannot be used: ",
}


def of_ours() -> dict[str, str]:
    """Each of our commands with its app."""
    apps = ("memoryserver.", "capture", "demo", "ghap", "obslog", "trajectory")
    return {name: app for name, app in get_commands().items() if app.startswith(apps)}


def test_every_command_of_ours_is_tried_without_a_server() -> None:
    assert sorted(of_ours()) == sorted(WITHOUT_SERVER)


def test_no_command_of_ours_loads_every_page_for_the_checks_of_django() -> None:
    """They take 0.4 times the start of a command; `manage.py check` runs them."""
    checking = [name for name, app in of_ours().items() if load_command_class(app, name).requires_system_checks]

    assert checking == []


# Each command in a process of its own, forked from one that has loaded the apps: loading them takes seconds.
FORKING = """
import gc, json, os, sys
gc.disable()
from pathlib import Path
import django
from memoryserver.ops.management import program
django.setup()
folder, statuses = Path(sys.argv[1]), {}
for command, words in json.loads(sys.argv[2]).items():
    child = os.fork()
    if child == 0:
        for number, name in ((1, "stdout"), (2, "stderr")):
            os.dup2(os.open(folder / f"{command}.{name}", os.O_WRONLY | os.O_CREAT), number)
        sys.argv = [program.__file__, command, *words]
        program.main()
        sys.exit()
    statuses[command] = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
print(json.dumps(statuses))
"""


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str, str]]:
    """The status, standard output and standard error of each command of STOPPED."""
    folder = tmp_path_factory.mktemp("stopped")
    values = {**os.environ, "PYTHONPATH": str(ROOT), "MEMORYSERVER_DATA": str(folder / "data")}
    arguments = [str(folder), json.dumps(STOPPED)]
    done = subprocess.run(
        [sys.executable, "-P", "-c", FORKING, *arguments], cwd=folder, env=values, stdout=subprocess.PIPE, check=True
    )
    return {
        command: (status, (folder / f"{command}.stdout").read_text(), (folder / f"{command}.stderr").read_text())
        for command, status in json.loads(done.stdout).items()
    }


@pytest.mark.parametrize("command", STOPPED)
def test_command_without_a_server_says_in_one_line_what_to_do(
    command: str, outcomes: dict[str, tuple[int, str, str]]
) -> None:
    status, stdout, stderr = outcomes[command]

    assert (status, stdout, stderr.count("\n")) == (1, "", 1), stderr
    if command in OWN_WORDS:
        assert OWN_WORDS[command] in stderr
    else:
        sentence = "memoryserver: the database cannot be reached; start the server: manage.py up ("
        assert stderr.startswith(sentence)


def test_command_of_a_server_of_your_own_that_is_stopped_names_its_setting(tmp_path: Path) -> None:
    done = run(tmp_path, "create_token", "admin", DATABASE_URL="postgres://someone@127.0.0.1:1/memory")

    assert done.stderr.startswith(
        "memoryserver: the database cannot be reached; start Postgres, or correct DATABASE_URL (connection failed: "
    )


def test_traceback_is_shown_on_request(tmp_path: Path) -> None:
    done = run(tmp_path, "create_token", "admin", "--traceback")

    assert done.returncode == 1
    assert done.stderr.startswith("Traceback (most recent call last):")


@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        ("MEMORYSERVER_PORT", "abc", "MEMORYSERVER_PORT must be a whole number of at least 0, not 'abc'"),
        ("MEMORYSERVER_TLS", "maybe", "MEMORYSERVER_TLS must be 1 or 0, not 'maybe'"),
        (
            "MEMORYSERVER_SMTP_URL",
            "nonsense",
            "MEMORYSERVER_SMTP_URL must be an address like smtp+tls://user:password@host:587",
        ),
        (
            "MEMORYSERVER_SECRET_KEY_FILE",
            "/nowhere",
            "MEMORYSERVER_SECRET_KEY_FILE names /nowhere, which cannot be read",
        ),
        (
            "DATABASE_URL",
            "postgres://a@b:x/c",
            "DATABASE_URL must be an address like postgres://user:password@host:5432/name",
        ),
    ],
)
def test_setting_that_cannot_be_understood_is_named(setting: str, value: str, message: str, tmp_path: Path) -> None:
    done = run(tmp_path, "gunicorn", **{setting: value})

    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"memoryserver: {message}\n")
