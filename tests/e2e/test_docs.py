"""Every command that the documentation shows is run, page by page, as its reader would: on a laptop of its own."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.migrated import Migrated
from tests.support.server_process import ROOT, Server

PAGES = sorted(path.relative_to(ROOT).as_posix() for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")])

KNOWN = re.compile(r"(\w+=\S* )*(memory|curl|python|\.venv/bin/python|echo|printf|cat) ")

# What a page shows but no test should do: it goes on until Ctrl-C, or makes the tester's system start something.
NOT_RUN = re.compile(r"memory log tail|memory capture (run( |$)(?!.*--once)|install( |$)(?!.*--dry-run))")

# Ends with 1 where something is wrong with the laptop, and says on standard output what.
REPORTS = re.compile(r"memory (-c \S+ )?status")


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
            if (line.startswith("$ ") if shown else KNOWN.match(line)) and not NOT_RUN.match(command):
                while not _is_whole(command):
                    command += "\n" + next(lines)
                end = block.index(line) + command.count("\n") + 1
                found.append((command, block[end : end + 1] != [] and block[end].startswith("memory: ")))
    return found


def _blocks(text: str) -> list[list[str]]:
    """Fenced and indented blocks in the page's order, their lines without the indent."""
    blocks = re.finditer(r"^```\w*\n(?P<fenced>.*?)^```|(?P<indented>(?:^ {4}.*\n?)+)", text, re.MULTILINE | re.DOTALL)
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


@pytest.mark.parametrize("page", PAGES)
def test_commands_of_the_page_do_what_they_say(page: str, server: Server, laptop: dict[str, str]) -> None:
    project = Path(laptop["HOME"]) / "project"
    (project / ".git").mkdir(parents=True)

    for command, refused in commands(page):
        here = command.replace("http://127.0.0.1:8000", server.address).replace("manage.py", f"{ROOT}/manage.py")
        here = here.replace(".venv/bin/python", "python")
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
