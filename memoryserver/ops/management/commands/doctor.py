"""`manage.py doctor`: what is wrong with the server, and how to fix it."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from memoryserver.ops.doctor import Finding
from memoryserver.ops.doctor.checks import examine

_WIDTH = 80


class Command(BaseCommand):
    """Run every check; the exit status is 1 if there are findings."""

    help = "Check the server for known problems, and show for each what is wrong and how to fix it."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Add --json."""
        parser.add_argument("--json", action="store_true", help="print the result as JSON")

    def handle(self, *args: Any, json: bool, **options: Any) -> None:
        """Print the findings, redacted."""
        results = examine()
        ok = not any(results.values())
        self.stdout.write(_as_json(results, ok) if json else "\n".join(_lines(results)))
        if not ok:
            sys.exit(1)


def _as_json(results: dict[str, list[Finding]], ok: bool) -> str:
    checks = [{"check": name, "findings": list(map(asdict, findings))} for name, findings in results.items()]
    return json.dumps({"ok": ok, "checks": checks}, indent=2)


def _lines(results: dict[str, list[Finding]]) -> Iterator[str]:
    for name, findings in results.items():
        for finding in findings:
            yield from _wrapped(f"{name}: {finding.what}", "WRONG  ")
            yield f"       To fix: {finding.fix}"
    passed = [name for name, findings in results.items() if not findings]
    if passed:
        yield from _wrapped(", ".join(passed), "ok     ")


def _wrapped(text: str, label: str) -> list[str]:
    return textwrap.wrap(
        text, _WIDTH, initial_indent=label, subsequent_indent=" " * len(label),
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
