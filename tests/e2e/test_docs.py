"""Every command that the documentation shows is run, page by page, as its reader would: on a laptop of its own."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.database.migrated import Migrated
from tests.support.processes.server_process import ROOT, Server

PAGES = sorted(path.relative_to(ROOT).as_posix() for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
OTHER_PAGES = ["CONTRIBUTING.md", "deploy/README.md"]  # what they show is for a developer's machine, or for a host

_ASSIGNMENTS = r"(\w+=\S* )*"
KNOWN = re.compile(rf"{_ASSIGNMENTS}(memory|curl|python|\.venv/bin/python|manage\.py|echo|printf|cat) ")
# Programs that a page may show and this machine need not have.
PROGRAMS = (
    "adduser",
    "apt-get",
    "certbot",
    "docker",
    "journalctl",
    "kubectl",
    "make",
    "manage.py",
    "memory",
    "systemctl",
)

# What a page shows but is not run here, with the reason; tests/deploy/test_team.py runs what sets up a host.
NOT_RUN = {
    r"memory log tail|memory capture run( |$)(?!.*--once)|server/bin/memoryserver up": "goes on until Ctrl-C",
    r"memory capture install( |$)(?!.*--dry-run)": "makes the tester's system start something",
    r"make (run|try)": "installs from a package index; tests/deploy/test_make_environment.py",
    r"make (check|test|format|mutants|release|lock|openapi|screenshots)": "is CI itself, or takes long",
    r"git pull && make run": "is the two others",
    r"(server/bin/|~/.memory/bin/)?pip install|python3 -m venv": "installs from a package index; tests/test_release.py",
    r"~/.memory/bin/memory login": "of that environment",
    r"manage.py (restore|upgrade_database)": "needs a server that is stopped; tests/memoryserver/ops/backups",
    r"manage.py seed_demo": "needs an empty server; tests/demo",
    r"manage.py migrate ghap 0012": "is an example of a rollback; tests/test_releases.py",
    r"(apt-get|adduser|certbot|git|install|journalctl|nginx|runuser|systemctl|make -C|cd) ": "sets up a host",
    r"docker compose": "needs Docker; tests/deploy/test_docker.py compares it with the code",
}
_NOT_RUN = re.compile("|".join(NOT_RUN))

# Ends with 1 where something is wrong with the laptop or the server, and says on standard output what.
REPORTS = re.compile(r"memory (-c \S+ )?status|manage.py doctor")


def commands(page: str) -> list[tuple[str, bool]]:
    """The commands of a page with the lines they go on for: in a block with `$` those behind it, else what is known.

    Each with whether it is refused: then the page shows the message, which begins with `memory: `.
    """
    found = []
    for block in _blocks((ROOT / page).read_text()):
        shown = [line[2:] for line in block if line.startswith("$ ")]
        lines = iter(block)
        for line in lines:
            command = line.removeprefix("$ ")
            if (line.startswith("$ ") if shown else KNOWN.match(line)) and not _NOT_RUN.match(command):
                while not _is_whole(command):
                    command += "\n" + next(lines)
                end = block.index(line) + command.count("\n") + 1
                found.append((command, block[end : end + 1] != [] and block[end].startswith("memory: ")))
    return found


def _blocks(text: str) -> list[list[str]]:
    """Fenced and indented blocks in the page's order, their lines without the indent."""
    blocks = re.finditer(r"^```\w*\n(?P<fenced>(?:.*\n)*?)```|(?P<indented>(?:^ {4}.*\n?)+)", text, re.MULTILINE)
    return [(block["fenced"] or re.sub(r"(?m)^ {4}", "", block["indented"] or "")).splitlines() for block in blocks]


def _is_whole(command: str) -> bool:
    """Whether no quote is open and no line to follow announced."""
    try:
        shlex.split(command, comments=True)
    except ValueError:
        return False
    return not command.endswith("\\")


@pytest.fixture(scope="module")
def server(migrated: Migrated, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(migrated.files(tmp_path_factory.mktemp("docs") / "data")).start()
    yield running
    running.stop()


@pytest.fixture
def laptop(tmp_path: Path, server: Server) -> dict[str, str]:
    """A home of its own that is logged in, with a transcript of an agent's in it."""
    transcripts = tmp_path / ".claude" / "projects"
    transcripts.parent.mkdir()
    transcripts.symlink_to(ROOT / "tests" / "e2e" / "transcripts")
    environment = {
        "HOME": str(tmp_path),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "LANG": "C.UTF-8",
        "MEMORYSERVER_DATA": str(server.data_dir),
        "MEMORYSERVER_EMBEDDING_SERVICE": os.environ["MEMORYSERVER_EMBEDDING_SERVICE"],
        "PYTHONPATH": str(ROOT),
        "MEMORYSERVER_URL": server.address,
        "MEMORYSERVER_TOKEN": server.token(),
        "TOKEN": server.token(),
    }
    subprocess.run(["memory", "login", server.address], input=server.token(), text=True, env=environment, check=True)
    return environment


@pytest.fixture(scope="module")
def already_run() -> set[tuple[str, ...]]:
    """The server's commands that other pages have shown, as `server_command` names them."""
    return set()


def server_command(command: str) -> tuple[str, ...]:
    """Return the name and the options of a `manage.py` command, each of which starts Django; () for any other."""
    words = shlex.split(command, comments=True)
    start = next((number for number, word in enumerate(words) if word.endswith("manage.py")), None)
    if start is None:
        return ()
    name, *rest = words[start + 1 :]
    return name, *sorted(word for word in rest if word.startswith("-"))


@pytest.mark.parametrize("page", PAGES)
def test_commands_of_the_page_do_what_they_say(
    page: str, server: Server, laptop: dict[str, str], already_run: set[tuple[str, ...]]
) -> None:
    project = Path(laptop["HOME"]) / "project"
    (project / ".git").mkdir(parents=True)

    for command, refused in commands(page):
        if (known := server_command(command)) in already_run:
            continue  # the pages differ in the name of a file or a person
        if known:
            already_run.add(known)
        here = re.sub(r"^manage\.py", ".venv/bin/python manage.py", command).replace("manage.py", f"{ROOT}/manage.py")
        here = here.replace(".venv/bin/python", "python").replace("http://127.0.0.1:8000", server.address)
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", here],
            cwd=project,
            env=laptop,
            input=server.token(),
            capture_output=True,
            check=False,
            text=True,
            start_new_session=True,  # the join line asks on the terminal, if it finds one
        )
        reports = REPORTS.match(command) is not None and done.returncode == 1 and done.stderr == ""
        assert (done.returncode != 0) == (refused or reports), f"{command}\n{done.stdout}{done.stderr}"
        assert "Traceback" not in done.stderr


def shown_programs(page: str) -> list[str]:
    """The lines of a page's blocks that begin with a program, run here or not."""
    lines = []
    for block in _blocks((ROOT / page).read_text()):
        lines += [line[2:] for line in block if line.startswith("$ ")] or block
    found = []
    for line in lines:
        words = re.sub(rf"^{_ASSIGNMENTS}", "", line).split()
        if (
            line[:1].strip()
            and words
            and not words[0].isupper()
            and (words[0] in PROGRAMS or "/bin/" in words[0] or shutil.which(words[0]))
        ):
            found.append(line)
    return found


def test_every_command_of_every_page_is_run_or_listed_with_a_reason() -> None:
    run = {command.splitlines()[0] for page in PAGES for command, _ in commands(page)}
    lines = [line for page in [*PAGES, *OTHER_PAGES] for line in shown_programs(page)]

    assert [line for line in lines if line not in run and not _NOT_RUN.match(line)] == []
    assert [pattern for pattern in NOT_RUN if not any(re.match(pattern, line) for line in lines)] == []


def test_pages_show_commands() -> None:
    assert len(commands("README.md")) >= 6


def test_every_page_is_named_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text()

    assert [page for page in PAGES if page != "README.md" and f"({page})" not in readme] == []


def test_every_picture_that_a_page_shows_is_there_and_small() -> None:
    shown = {
        (ROOT / page).parent / picture
        for page in PAGES
        for picture in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", (ROOT / page).read_text())
    }
    pictures = set((ROOT / "docs/pictures").glob("*.png"))

    assert shown == pictures
    assert sum(picture.stat().st_size for picture in pictures) < 1_500_000
