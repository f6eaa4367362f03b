"""The garbage collector at the start of a command."""

from __future__ import annotations

from pathlib import Path

from tests.memoryserver.ops.management.test_program import run


def test_garbage_is_collected_while_a_command_runs_but_not_looked_for_in_the_modules(tmp_path: Path) -> None:
    done = run(tmp_path, "shell", "-v0", "-c", "import gc; print(gc.isenabled(), gc.get_freeze_count() > 100_000)")

    assert (done.stdout, done.stderr) == ("True True\n", "")
