"""The outcome of a tool call: not everything that an agent's tool reports as an error is the agent's failure.

    ok         it did what was asked
    no-match   a program that looks or compares (grep, diff, test, pgrep, command -v) answered "no" by exit status 1
    error      it failed
    rejection  a person turned it down
    denial     a permission rule or a hook did
    cancelled  it was interrupted, or fell with a parallel call
    provider   a service behind the tool was overloaded, limited or out of reach

Texts are those of Claude Code, Codex and Gemini CLI.
"""

from __future__ import annotations

import itertools

from memoryserver.common import shell, shell_purpose

OK = "ok"
NO_MATCH = "no-match"
ERROR = "error"
REJECTION = "rejection"
DENIAL = "denial"
CANCELLED = "cancelled"
PROVIDER = "provider"

HEAD = 400  # these texts are at the start; further down they may be quoted by a program's output
_MARKERS = {
    CANCELLED: (
        "[request interrupted by user",
        "the user doesn't want to take this action right now",
        "sibling tool call errored",
        "parallel tool call",
        "cancelled by the user",
        "canceled by the user",
        "user cancelled the operation",
        "aborted by user",
    ),
    REJECTION: (
        "the user doesn't want to proceed with this tool use",
        "the tool use was rejected",
        "user rejected",
        "rejected by the user",
        "rejected by user",
    ),
    DENIAL: (
        "requested permissions to ",
        "requested permission to ",
        "this command requires approval",
        "was blocked. for security",
        "permission to use ",
        "denied by permission",
        "tool execution denied by policy",
        "blocked by hook",
        "hook blocked",
        "hook error",
        "pretooluse:",
        "posttooluse:",
    ),
    PROVIDER: ("overloaded_error", "rate_limit_error", "api error: 429", "api error: 5", "api_error: 5"),
}
# A command that prints one of these may be talking to the agent's own server: no provider of ours.
_NETWORK_MARKERS = (
    "429",
    "too many requests",
    "rate limit",
    "500 internal server error",
    "502 bad gateway",
    "503 service unavailable",
    "504 gateway",
    "status code 5",
    "overloaded",
    "econnreset",
    "etimedout",
    "enotfound",
    "getaddrinfo",
)
_NEVER_RAN_MARKERS = (
    "<tool_use_error>",
    "no such tool available",
    "inputvalidationerror",
    "tool not found",
    "unsupported call:",
)
_ANSWERS_BY_EXIT = frozenset(
    [
        *("grep", "egrep", "fgrep", "rg", "ag", "find", "diff", "cmp", "test", "["),
        *("pgrep", "pidof", "lsof", "fuser", "which", "type", "hash"),
    ]
)
_VERBS_THAT_ANSWER = {"git": ("diff", "grep", "show-ref", "check-ignore"), "pip": ("show",), "pip3": ("show",)}
_REJECTION_REASON = (
    r"(?si)(?:the user said:|provided the following reason for the rejection:)\s*(.*?)\s*"
    r"(?:\n\s*\n\s*(?:Note|IMPORTANT):.*)?\Z"
)


def classify(error: str, *, command: str = "", network: bool = False, status: int | None = None) -> str:
    """Return the outcome of a call that was reported as failed with the text `error`.

    `command` is what a shell tool ran, empty for other tools; `network` is true for a tool that calls a
    remote service (a fetch, a search, an MCP server), where an HTTP 429 or 5xx is the provider's doing. `status` is the
    exit status where the caller knows it; else the first line of `error` may state it.
    """
    status = exit_status(error) if status is None else status
    head = _head(error)
    for outcome, markers in _MARKERS.items():
        # What has an exit status did run: it was neither turned down nor denied.
        if (status is None or outcome == PROVIDER) and any(marker in head for marker in markers):
            return outcome
    if network and any(marker in head for marker in _NETWORK_MARKERS):
        return PROVIDER
    answered_no = status == 1 or not error.strip()
    return NO_MATCH if answered_no and command and answers_by_exit(command) else ERROR


def never_ran(error: str) -> bool:
    """Return whether a call that failed with the text `error` was refused before it began, as no valid call."""
    return exit_status(error) is None and any(marker in _head(error) for marker in _NEVER_RAN_MARKERS)


def rejection_reason(error: str) -> str:
    """Return the reason given by the person who rejected a call, "" if none."""
    import re

    match = re.search(_REJECTION_REASON, error)
    return match[1].strip() if match else ""


def exit_status(text: str) -> int | None:
    """Return the exit status that the first line of `text` states ("Exit code 2"), None where it states none."""
    words = text.lstrip()[:80].split("\n", 1)[0].lower().replace(":", " ").split()
    for before, word in itertools.pairwise(words):
        if before in ("code", "status") and word.isascii() and word.isdigit():
            return int(word)
    return None


def answers_by_exit(command: str) -> bool:
    """Return whether exit status 1 of the shell command means "no" and not "failed": its last program decides."""
    if not shell.read(command).is_complete:
        return False
    parts = list(shell.parts(command))
    last = shell.program_words(parts[-1].words) if parts else ()
    if last[:2] in (("command", "-v"), ("command", "-V")):
        return True
    name = last[0] if last else ""
    return name in _ANSWERS_BY_EXIT or shell_purpose.verb_of(last) in _VERBS_THAT_ANSWER.get(name, ())


def _head(error: str) -> str:
    return error[:HEAD].lower().replace("\u2019", "'")
