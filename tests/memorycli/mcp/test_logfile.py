"""The log of `memory mcp`, written by a process of its own."""

from __future__ import annotations

from tests.support.laptops.laptop import Laptop

LOG = (
    "import logging\n"
    "from memorycli.mcp import logfile\n"
    "logfile.start()\n"
    "logging.getLogger('x').warning('first\\nforged \\x1b[2J')\n"
    "logging.getLogger('x').info('not logged')\n"
)


def test_warnings_go_to_the_file_and_standard_error_on_one_line(memory: Laptop) -> None:
    said = memory.process("ghap", "show", program=LOG)

    [line] = (memory.home / "logs/mcp.log").read_text().splitlines()
    assert line in said.err.splitlines()
    assert "WARNING x[" in line
    assert "first forged" in line
    assert "\x1b" not in line
    assert "first" not in said.out


def test_file_is_private(memory: Laptop) -> None:
    memory.process("ghap", "show", program=LOG)

    assert (memory.home / "logs/mcp.log").stat().st_mode & 0o777 == 0o600


def test_without_a_writable_home_standard_error_still_has_the_log(memory: Laptop) -> None:
    memory.home.write_text("a file")

    said = memory.process("ghap", "show", program=LOG)

    assert "memory: no log file: " in said.err
    assert "WARNING x[" in said.err
