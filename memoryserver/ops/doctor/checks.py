"""All checks in the order in which they are run and shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from django.db import DatabaseError

from memoryserver.common.redaction import redact
from memoryserver.ops.doctor import Finding, database, machine, variables, web, work

Check = Callable[[], Iterator[Finding]]

_FIRST: Mapping[str, Check] = {"Postgres version": database.embedded_version, "database": database.answers}
_NEED_DATABASE: Mapping[str, Check] = {
    "PgBouncer": database.pooling,
    "pgvector": database.pgvector,
    "migrations": database.migrations,
}
_NEED_TABLES: Mapping[str, Check] = {
    "job workers": work.workers,
    "queue": work.queue,
    "schedules": work.schedules,
    "failed jobs": work.failures,
    "alerts": work.open_alerts,
    "notifications": work.notifications,
    "times": work.clock,
    "clock": machine.clock,
    "backups": machine.backups,
}
_ALWAYS: Mapping[str, Check] = {
    "settings": variables.names,
    "web server": web.answers,
    "public address": web.public_url,
    "exposure": web.exposure,
    "mail": web.mail,
    "disk": machine.disk,
    "private files": machine.private_files,
    "errors": machine.errors,
    "Postgres' log": machine.postgres_log,
}
_ON_THE_HOME_PAGE = ("backups", "disk", "queue", "failed jobs", "schedules")


def examine() -> dict[str, list[Finding]]:
    """Run the checks and return the findings of each by its name; those that need what is missing are left out."""
    results = _run(_FIRST)
    if not any(results.values()):
        results |= _run(_NEED_DATABASE)
        if not any(results.values()):
            results |= _run(_NEED_TABLES)
    return results | _run(_ALWAYS)


def for_administrators() -> list[Finding]:
    """Return the findings that a page shows to administrators: those of quick checks that need no connection."""
    checks = {**_NEED_TABLES, **_ALWAYS}
    return [
        finding
        for findings in _run({name: checks[name] for name in _ON_THE_HOME_PAGE}).values()
        for finding in findings
    ]


def _run(checks: Mapping[str, Check]) -> dict[str, list[Finding]]:
    return {name: list(map(_redacted, _findings(check))) for name, check in checks.items()}


def _findings(check: Check) -> list[Finding]:
    try:
        return list(check())
    except DatabaseError as error:  # it went away between two checks, or a table is missing
        return [Finding(f"the database does not answer: {' '.join(str(error).split())}", "run the doctor again")]


def _redacted(finding: Finding) -> Finding:
    """Return the finding as it may be pasted into a report: settings and errors that it quotes can hold secrets."""
    return Finding(redact(finding.what).text, redact(finding.fix).text)
