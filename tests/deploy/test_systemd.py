"""The units of a plain host: what they say is known to the code, and the very commands run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

from tests.support.database.migrated import Migrated
from tests.support.processes.deployment import DEPLOY, Service, known_variables, lines_of
from tests.support.processes.server_process import ROOT, free_port

FOLDER = DEPLOY / "systemd"
UNITS = sorted(path.name for path in FOLDER.glob("*.service"))
PYTHON, MANAGE = "/opt/memoryserver/.venv/bin/python", "/opt/memoryserver/manage.py"


def settings_of(unit: str) -> dict[str, str]:
    """The settings of a unit's section [Service]; those that are given twice have both values, by lines."""
    found: dict[str, str] = {}
    text = (FOLDER / unit).read_text().split("[Service]")[1].split("[Install]")[0]
    for name, value in re.findall(r"^(\w+)=(.*)$", text, re.MULTILINE):
        found[name] = f"{found[name]}\n{value}" if name in found else value
    return found


def command_of(unit: str) -> list[str]:
    words = settings_of(unit)["ExecStart"].split()
    return [{PYTHON: sys.executable, MANAGE: str(ROOT / "manage.py")}.get(word, word) for word in words]


def said_by(unit: str, environment: dict[str, str]) -> str:
    """What the command of a unit that ends by itself prints."""
    done = subprocess.run(command_of(unit), env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_there_is_a_unit_for_each_part() -> None:
    assert UNITS == [
        "memoryserver-embedding-jobs.service",
        "memoryserver-embedding.service",
        "memoryserver-jobs@.service",
        "memoryserver-prepare.service",
        "memoryserver-redis.service",
        "memoryserver-watch.service",
        "memoryserver-web.service",
        "memoryserver.service",
    ]


def test_systemd_finds_nothing_wrong_with_the_units(tmp_path: Path) -> None:
    """The interpreter and the account are this machine's: systemd looks whether they exist."""
    for unit in UNITS:
        text = (FOLDER / unit).read_text().replace(PYTHON, sys.executable).replace("User=memoryserver", "User=daemon")
        (tmp_path / unit.replace("@.", "@1.")).write_text(text)

    done = subprocess.run(
        ["systemd-analyze", "verify", *sorted(tmp_path.glob("*.service"))], capture_output=True, text=True, check=False
    )

    assert (done.returncode, [line for line in done.stderr.splitlines() if str(tmp_path) in line]) == (0, [])


@pytest.mark.parametrize("unit", [unit for unit in UNITS if unit != "memoryserver-redis.service"])
def test_commands_and_variables_of_a_unit_exist(unit: str) -> None:
    settings = settings_of(unit)
    python, manage, command, *options = settings["ExecStart"].split()
    variables = {line.split("=")[0] for line in settings.get("Environment", "").splitlines()}

    assert (python, manage) == (PYTHON, MANAGE)
    load_command_class(get_commands()[command], command).create_parser(manage, command).parse_args(options)
    assert variables <= known_variables()


def test_variables_of_the_example_exist() -> None:
    assert set(lines_of(FOLDER / "example.env")) <= known_variables()


@pytest.fixture(scope="module")
def environment(migrated: Migrated, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The variables of the example, with a database, a folder and a port of the test's."""
    with migrated.database() as address:
        ours = {"DATABASE_URL": address, "MEMORYSERVER_PORT": str(free_port()), "PYTHONPATH": str(ROOT)}
        data = {"MEMORYSERVER_DATA": str(tmp_path_factory.mktemp("state"))}
        given = {name: value for name, value in lines_of(FOLDER / "example.env").items() if "example.org" not in value}
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("MEMORYSERVER_")}
        embedder = {"MEMORYSERVER_EMBEDDING_SERVICE": os.environ["MEMORYSERVER_EMBEDDING_SERVICE"]}
        yield {**inherited, **embedder, **{n: v for n, v in given.items() if v}, **ours, **data}


def test_units_run_one_after_the_other(environment: dict[str, str], tmp_path: Path) -> None:
    """As systemd starts them: first what prepares the database, then the others, and each ends when it is told to."""
    assert "API token msv_" in said_by("memoryserver-prepare.service", environment)
    assert said_by("memoryserver-prepare.service", environment) == "The database is prepared.\n"

    socket = {"MEMORYSERVER_EMBEDDING_SOCKET": str(tmp_path / "embedding.sock")}
    runs_a_model = environment | socket | {"MEMORYSERVER_EMBEDDING_SERVICE": "onnx"}
    environment = environment | {"MEMORYSERVER_EMBEDDING_QUEUE": "1"}

    with (
        Service(command_of("memoryserver-web.service"), tmp_path, environment) as web,
        Service(command_of("memoryserver-jobs@.service"), tmp_path, environment) as first,
        Service(command_of("memoryserver-jobs@.service"), tmp_path, environment) as second,
        Service(command_of("memoryserver-embedding-jobs.service"), tmp_path, environment) as embeds,
        Service(command_of("memoryserver-watch.service"), tmp_path, environment) as watch,
        Service(command_of("memoryserver-embedding.service"), tmp_path, runs_a_model) as embedding,
    ):
        for service in (web, first, second, embeds, embedding):
            service.wait_until_notified("READY=1")
        for service in (first, second, embeds, embedding):
            service.wait_until_notified("WATCHDOG=1")
        assert [service.stop() for service in (first, second, embeds, web, embedding)] == [0, 0, 0, 0, 0]
        assert watch.process.poll() is None, watch.said()


def test_redis_of_the_unit_answers_on_its_socket_alone(tmp_path: Path) -> None:
    """On other paths than the unit's, which only its account may write to."""
    text = " ".join(command_of("memoryserver-redis.service"))
    address = tmp_path / "redis.sock"
    text = text.replace("/run/memoryserver-redis/redis.sock", str(address))
    command = text.replace("/var/lib/memoryserver-redis", str(tmp_path)).split()

    with Service(command, tmp_path, dict(os.environ)) as redis:
        redis.wait_until_notified("READY=1")
        said = subprocess.run(["redis-cli", "-s", address, "ping"], capture_output=True, text=True, check=True)
        assert said.stdout == "PONG\n"
        assert redis.stop() == 0
    assert "ready to accept connections at" in redis.said()
    assert "port=6379" not in redis.said()
