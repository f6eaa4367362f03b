"""How a call came out: what counts against the agent and what does not."""

from __future__ import annotations

import pytest

from trajectory.local import outcome


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ("The user doesn't want to proceed with this tool use. The tool use was rejected", "rejection"),
        ("The user doesn\u2019t want to proceed with this tool use.", "rejection"),
        ("The user doesn't want to take this action right now. STOP what you are doing", "cancelled"),
        ("[Request interrupted by user for tool use]", "cancelled"),
        ("<tool_use_error>Cancelled: parallel tool call Bash(ls) errored</tool_use_error>", "cancelled"),
        ("<tool_use_error>Sibling tool call errored</tool_use_error>", "cancelled"),
        ("Claude requested permissions to use WebFetch, but you haven't granted it yet.", "denial"),
        ("This command requires approval", "denial"),
        ("cd in '/etc' was blocked. For security, Claude Code may only change directories", "denial"),
        ("Permission to use Bash with command rm -rf / has been denied.", "denial"),
        ("PreToolUse:Bash hook error: not on main", "denial"),
        ('API Error: 529 {"type":"overloaded_error"}', "provider"),
        ("API Error: 429 rate limited", "provider"),
        ("<tool_use_error>String to replace not found in file.</tool_use_error>", "error"),
        ("<tool_use_error>File has not been read yet.</tool_use_error>", "error"),
        ("Exit code 2\nbash: ./run: Permission denied", "error"),
        ("Exit code 1\nYou do not have permission to use sudo", "error"),
        ("Exit code 1\nTypeError: tests expected 'This command requires approval'", "error"),
        ("", "error"),
    ],
)
def test_failure_text_of_an_agent_gets_its_class(error, expected):
    assert outcome.classify(error) == expected


@pytest.mark.parametrize(
    ("error", "command", "expected"),
    [
        ("Exit code 1", "grep -rn foo src", "no-match"),
        ("Exit code 1\n", "cd src && rg --hidden 'a b'", "no-match"),
        ("Exit code 1\n1c1\n< a\n---\n> b", "diff a b", "no-match"),
        ("Exit code 1", "test -f x", "no-match"),
        ("Exit code 1", "[ -d build ]", "no-match"),
        ("Exit code 1", "git --no-pager diff --exit-code", "no-match"),
        ("Exit code 1", "git grep needle", "no-match"),
        ("Exit code 1", "cat a | LC_ALL=C /usr/bin/grep x", "no-match"),
        ("Exit code 1", "find . -name '*.py' -exec false {} +", "no-match"),
        ("", "grep x y", "no-match"),
        ("Exit code 2\ngrep: y: No such file or directory", "grep x y", "error"),
        ("Exit code 1\n2 failed", "pytest -q", "error"),
        ("Exit code 1\n2 failed", "grep x y; pytest", "error"),
        ("Exit code 1", "git commit -m grep", "error"),
        ("Exit code 1", "echo 'grep", "error"),
        ("Exit code 1", "python run.py '; grep x'", "error"),
        ("curl: (22) The requested URL returned error: 503 service unavailable", "curl localhost", "error"),
    ],
)
def test_failure_of_a_shell_command_depends_on_its_last_program(error, command, expected):
    assert outcome.classify(error, command=command) == expected


@pytest.mark.parametrize(
    "error", ["Request failed with status code 503", "HTTP 429 Too Many Requests", "connect ECONNRESET"]
)
def test_overloaded_service_behind_a_network_tool_is_the_providers_failure(error):
    assert outcome.classify(error, network=True) == "provider"
    assert outcome.classify(error) == "error"


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Exit code 127\nnot found", 127),
        ("Process exited with code 0", 0),
        ("exit status: 3", 3),
        ("error code E1234", None),
        ("all is well\nExit code 1", None),
        ("Exit code \u0663", None),
        ("", None),
    ],
)
def test_exit_status_is_read_from_the_first_line_only(text, status):
    assert outcome.exit_status(text) == status
