"""`memory doctor`: run every check, and show what is wrong and how to fix it."""

from __future__ import annotations

import json
import textwrap
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import asdict

from memorycli.doctor.checks import examine
from memorycli.doctor.finding import Finding
from memoryserver.common.redaction import redact
from memoryserver.common.text import readable

_WIDTH = 80


def configure(parser: ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.add_argument("--offline", action="store_true", help="skip the checks of the server")


def run(args: Namespace) -> int:
    """Run the checks; return 1 if there are findings."""
    results = {name: list(map(_redacted, findings)) for name, findings in examine(offline=args.offline).items()}
    ok = not any(results.values())
    if args.json:
        checks = [{"check": name, "findings": list(map(asdict, findings))} for name, findings in results.items()]
        print(json.dumps({"ok": ok, "checks": checks}, indent=2))
    else:
        print(readable("\n".join(_render(results))))
    return 0 if ok else 1


def _redacted(finding: Finding) -> Finding:
    """Return the finding as it may be pasted into a report: settings and errors that it quotes can hold secrets."""
    return Finding(redact(finding.what).text, redact(finding.fix).text)


def _render(results: dict[str, list[Finding]]) -> Iterator[str]:
    passed = [name for name, findings in results.items() if not findings]
    for name, findings in results.items():
        for finding in findings:
            yield from textwrap.wrap(
                f"{name}: {finding.what}", _WIDTH, initial_indent="WRONG  ", subsequent_indent="       ",
                break_long_words=False, break_on_hyphens=False,
            )  # fmt: skip
            yield f"       To fix: {finding.fix}"
    if passed:
        yield from textwrap.wrap(
            ", ".join(passed), _WIDTH, initial_indent="ok     ", subsequent_indent="       ", break_on_hyphens=False
        )
