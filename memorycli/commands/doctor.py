"""`memory doctor`: run every check, and show what is wrong and how to fix it."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import asdict

from memorycli.doctor.checks import examine
from memorycli.doctor.finding import Finding
from memorycli.rendering import terminal
from memorycli.rendering.terminal import paint
from memoryserver.client import exclusions
from memoryserver.common.columns import wrapped
from memoryserver.common.redaction import redact
from memoryserver.common.text import readable

_MARGIN = 7  # columns


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
        print(json.dumps({"ok": ok, "checks": checks, "excluded": exclusions.here() or None}, indent=2))
    else:
        print("\n".join(map(readable, _render(results))))
    return 0 if ok else 1


def _redacted(finding: Finding) -> Finding:
    """Return the finding as it may be pasted into a report: settings and errors that it quotes can hold secrets."""
    return Finding(redact(finding.what).text, redact(finding.fix).text)


def _render(results: dict[str, list[Finding]]) -> Iterator[str]:
    passed = [name for name, findings in results.items() if not findings]
    for name, findings in results.items():
        for finding in findings:
            yield from _block("WRONG", f"{name}: {finding.what}", "red")
            yield f"{'':{_MARGIN}}To fix: {finding.fix}"  # never cut, so that it can be copied
    if passed:
        yield from _block("ok", ", ".join(passed), "green")
    if excluded := exclusions.here():
        yield from _block("note", exclusions.notice(excluded), "yellow")


def _block(mark: str, content: str, style: str) -> Iterator[str]:
    """Yield `content` beside `mark` in lines that fit the terminal."""
    for number, line in enumerate(wrapped(content, terminal.text_width() - _MARGIN)):
        head = f"{mark:{_MARGIN}}" if number == 0 else " " * _MARGIN
        yield (paint(head, style) if number == 0 else head) + line
