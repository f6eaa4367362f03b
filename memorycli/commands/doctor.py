"""`memory doctor`: run every check, and show what is wrong and how to fix it."""

from __future__ import annotations

import json
import textwrap
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import asdict

from memorycli.doctor.checks import examine
from memorycli.doctor.finding import Finding

HELP = "find what is wrong, and say what mends it"
_WIDTH = 80


def configure(parser: ArgumentParser) -> None:
    """How it is said."""
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.add_argument("--offline", action="store_true", help="do not ask the server")


def run(args: Namespace) -> int:
    """Run the checks; 1 if anything is wrong."""
    found = examine(offline=args.offline)
    wrong = sum(map(len, found.values()))
    if args.json:
        checks = [{"check": name, "findings": [asdict(one) for one in findings]} for name, findings in found.items()]
        print(json.dumps({"ok": not wrong, "checks": checks}, indent=2))
    else:
        print("\n".join(_rendered(found)))
    return 1 if wrong else 0


def _rendered(found: dict[str, list[Finding]]) -> Iterator[str]:
    well = [name for name, findings in found.items() if not findings]
    for name, findings in found.items():
        for one in findings:
            yield from textwrap.wrap(
                f"{name}: {one.what}", _WIDTH, initial_indent="WRONG  ", subsequent_indent="       ",
                break_long_words=False, break_on_hyphens=False,
            )  # fmt: skip
            yield f"       -> {one.mend}"
    if well:
        yield from textwrap.wrap(
            ", ".join(well), _WIDTH, initial_indent="well   ", subsequent_indent="       ", break_on_hyphens=False
        )
