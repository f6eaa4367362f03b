"""Checks of what is excluded from the memory."""

from __future__ import annotations

from collections.abc import Iterator

from memorycli.doctor.finding import Finding, View
from memoryserver.client import exclusions
from memoryserver.client.exclusions import Exclusions
from memoryserver.common import text


def exclusions_obeyed(view: View) -> Iterator[Finding]:
    """Check that each excluded folder can be told, and that no hook passes over them."""
    excluded = Exclusions()
    for problem in excluded.problems:
        yield Finding(
            text.one_line(text.printable(problem)),
            f"correct {exclusions.path()}, or ${exclusions.VARIABLE} if it is that",
        )
    if excluded:
        yield from by_http(view)


def by_http(view: View) -> Iterator[Finding]:
    """Find hooks that post straight to the server: what is excluded on this laptop is not excluded for them."""
    for file in view.hook_files:
        if any(entry.handler.get("type") == "http" for entry in file.entries):
            what = f"the hooks in {file.path} post to the server themselves, from excluded folders too"
            yield Finding(what, f"memory install {file.agent} --mode local")
