"""The registered checks of `memory doctor`.

A check is a function that yields a Finding for each problem. CHECKS names them in the order in which they are run and
shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from memorycli.doctor import agents, exclusion, laptop, logs, server
from memorycli.doctor.finding import Finding, View

CHECKS: dict[str, Callable[[View], Iterator[Finding]]] = {
    "home folder": laptop.home_usable,
    "disk": laptop.disk_has_room,
    "settings": laptop.settings_valid,
    "agents' settings": agents.settings_readable,
    "hooks installed": agents.hooks_installed,
    "no duplicate hooks": agents.hooks_not_duplicated,
    "hooks can run": agents.hooks_can_run,
    "hooks enabled": agents.hooks_enabled,
    "hooks have a token": agents.http_token_set,
    "MCP server": agents.mcp_server_can_run,
    "exclusions": exclusion.exclusions_obeyed,
    "project": laptop.project_not_renamed,
    "journal": laptop.journal_readable,
    "capture": laptop.capture_running,
    "transcripts": laptop.transcripts_read,
    "capture states": laptop.states_undamaged,
    "learning queue": laptop.queue_delivered,
    "outbox": laptop.outbox_delivered,
    "observers": laptop.observers_running,
    "logs": logs.logs_clean,
    "login": server.logged_in,
    "server": server.reachable,
    "token": server.token_accepted,
    "clock": server.clocks_agree,
    "versions": server.versions_match,
}
_SERVER_CHECKS = ("login", "server", "token", "clock", "versions")
_ANSWER_CHECKS = _SERVER_CHECKS[2:]  # these need a server that answers


def examine(*, offline: bool = False) -> dict[str, list[Finding]]:
    """Run the checks and return the findings of each by its name. A check that fails reports that as its finding.

    With `offline` the checks of the server are left out; those that need its answer are, too, if it does not answer.
    """
    view = View(offline=offline)
    findings = {}
    for name, check in CHECKS.items():
        if name in _SERVER_CHECKS and not _is_applicable(view, name):
            continue
        try:
            findings[name] = list(check(view))
        except OSError as error:
            findings[name] = [Finding(f"the check failed: {error}", "fix that error and run memory doctor again")]
    return findings


def _is_applicable(view: View, name: str) -> bool:
    if view.offline:
        return False
    return name == "login" or (bool(view.server.url) and (name not in _ANSWER_CHECKS or view.server.answers))
