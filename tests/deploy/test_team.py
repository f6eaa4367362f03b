"""The commands of docs/team.md that set up a host, run in their order on a host of files in a folder.

Those that change a real machine are recorded by programs of the test's that stand for them; the others are run, with
`/etc`, `/opt` and `/var` in that folder. What `manage.py` and `memory` do there is tests/e2e/test_docs.py's.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from tests.deploy.test_proxies import HOST
from tests.e2e.test_docs import KNOWN
from tests.support.processes.deployment import certificate, known_variables
from tests.support.processes.server_process import ROOT

RECORDED = ("apt-get", "adduser", "git", "systemctl", "journalctl", "certbot", "runuser")
RUN = ("install", "make", "nginx", "cd")


def commands() -> list[str]:
    """The lines of the page's blocks."""
    return re.findall(r"^ {4}(\S.*)$", (ROOT / "docs" / "team.md").read_text(), re.MULTILINE)


def host(tmp_path: Path) -> dict[str, str]:
    """The environment of a host on which the recorded programs write their words into `calls`."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in RECORDED:
        (programs / name).write_text(f'#!/bin/sh\necho {name} "$@" >> {tmp_path}/calls\n')
        (programs / name).chmod(0o755)
    folders = ["etc/systemd/system", "etc/nginx/conf.d", f"etc/letsencrypt/live/{HOST}", "opt", "var/lib/memoryserver"]
    for folder in folders:
        (tmp_path / folder).mkdir(parents=True)
    certificate(tmp_path / "etc/letsencrypt/live" / HOST, HOST)
    (tmp_path / "opt/memoryserver").symlink_to(ROOT)
    return {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(tmp_path), "LANG": "C.UTF-8"}


def on_host(command: str, tmp_path: Path) -> str:
    """The command with the host's folders, and without what takes minutes."""
    here = re.sub(r"(?<![\w.])/(etc|opt|var)/", rf"{tmp_path}/\1/", command)
    return re.sub(r"^make ", "make --dry-run ", here).replace("nginx -t", f"nginx -t -c {tmp_path}/nginx.conf")


def test_every_command_is_run_here_or_with_the_other_pages() -> None:
    known = [line for line in commands() if KNOWN.match(line) or line.split()[0] in (*RECORDED, *RUN)]
    settings = {line: line.partition("=")[0].removesuffix("_FILE") for line in commands() if line not in known}
    unknown = [line for line, variable in settings.items() if variable not in known_variables()]

    assert unknown == []
    assert len(commands()) > 20


def test_host_is_set_up_by_the_commands_of_the_page(tmp_path: Path) -> None:
    environment = host(tmp_path)
    site = tmp_path / "etc/nginx/conf.d/memoryserver.conf"
    (tmp_path / "nginx.conf").write_text(
        f"events {{}}\npid {tmp_path}/pid;\nerror_log {tmp_path}/error.log;\nhttp {{ include {site}; }}\n"
    )
    for command in commands():
        if KNOWN.match(command) or command.startswith("MEMORYSERVER_"):
            continue
        if site.exists():
            site.write_text(site.read_text().replace(" /etc/", f" {tmp_path}/etc/"))
        done = subprocess.run(
            ["bash", "-c", on_host(command, tmp_path)],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"

    settings = tmp_path / "etc/memoryserver/environment"
    assert settings.stat().st_mode & 0o777 == 0o600
    assert f"https://{HOST}" in settings.read_text()
    unit = (tmp_path / "etc/systemd/system/memoryserver.service").read_text()
    assert "EnvironmentFile=-/etc/memoryserver/environment" in unit


def test_services_that_the_page_names_are_those_of_the_units(tmp_path: Path) -> None:
    named = {word for line in commands() if line.startswith(("systemctl", "journalctl")) for word in line.split()}
    units = {path.stem for path in (ROOT / "deploy" / "systemd").glob("*.service")}

    assert {word for word in named if word.startswith("memoryserver")} == {"memoryserver"} <= units


def test_accounts_and_folders_are_those_of_the_unit() -> None:
    unit = (ROOT / "deploy" / "systemd" / "memoryserver.service").read_text()
    (account,) = [line for line in commands() if line.startswith("adduser")]
    (shell,) = [line for line in commands() if line.startswith("runuser")]

    assert f"User={account.split()[-1]}\n" in unit
    assert shell == f"runuser --user {account.split()[-1]} -- env HOME=/var/lib/memoryserver bash"
    assert "MEMORYSERVER_DATA=/var/lib/memoryserver" in unit
    assert "ExecStart=/opt/memoryserver/.venv/bin/python /opt/memoryserver/manage.py up" in unit
