"""The examples at the end of each command's help: commands that work as they stand, with a word on each.

An example is a line that begins with two blanks and `memory`; what stands behind two blanks more is about it. What has
examples in its own module has none here.
"""

from __future__ import annotations

OVERVIEW = """\
  memory install claude-code                   once: the agent's hooks
  memory login https://memory.example.org      once: the server
  memory capture install                       once: learnings, by itself
  memory status                                what runs, what waits
  memory search "why do the tests hang"        in your own words
  memory doctor                                what is wrong, and what mends it

memory COMMAND --help has examples of each.
"""

_OF = {
    "capture": """\
  memory capture install                 from now on, by itself
  memory capture scan                    or now and then: read the transcripts
  memory capture process --now           and deliver what was found
  memory capture status
  memory capture failed                  what can never be stored, and why
""",
    "completion": """\
  memory completion bash > ~/.local/share/bash-completion/completions/memory
  memory completion zsh > ~/.zfunc/_memory      with fpath+=~/.zfunc in ~/.zshrc
  memory completion fish > ~/.config/fish/completions/memory.fish
""",
    "config": """\
  memory config                                   all, and where each comes from
  memory config get outbox_mb
  memory config set check_in_calls 25
  memory config set --project journal_dir notes/journal
  memory config unset check_in_calls
  memory -c check_in_calls=5 config get check_in_calls     for one run

What is nearer the command comes first: -c, the environment, the project's file
(.memoryserver.json), the user's file. A project's file comes with a repository,
whoever wrote it: it is asked for harmless settings alone, and never for the
server, the token, or how much is kept.
""",
    "doctor": """\
  memory doctor                  exit status 1 if anything is wrong
  memory doctor --offline        without asking the server
  memory doctor --json
""",
    "ghap": """\
  memory ghap start --domain debugging --strategy read-the-error \\
      --goal "Stop the hang" --hypothesis "A lock is held" \\
      --action "Set lock_timeout" --prediction "It fails within a minute"
  memory ghap show
  memory ghap update --note "The lock is the backup's"
  memory ghap resolve confirmed --result "It failed after 30 s"
  memory ghap list
""",
    "install": """\
  memory install                                list the agents on this laptop
  memory install claude-code --dry-run          show the changes as a diff
  memory install claude-code                    for all your projects
  memory install claude-code --scope project    for everyone in this project
  memory install codex
""",
    "log": """\
  memory log append "moved the export to 3 o'clock" --type task.updated
  memory log recent --limit 20
  memory log query --type task.updated --after 7d
""",
    "login": """\
  memory login https://memory.example.org                   asks for the token
  memory login https://memory.example.org --token-file token.txt
""",
    "session": """\
  memory session start
  memory session show
  memory session end
""",
    "status": """\
  memory status
  memory status --offline     without asking the server
  memory status --json
""",
    "sync": """\
  memory sync                     now, whatever went wrong before
  memory sync --retry-failed      also what the server refused
  memory sync --strict            for scripts: status 1 if anything stays behind
""",
    "trajectory": """\
  memory trajectory show                the open findings of the last session here
  memory trajectory show --calls 20
  memory trajectory config              which observers run here
  memory trajectory clear
""",
    "uninstall": """\
  memory uninstall claude-code --dry-run
  memory uninstall claude-code
  memory uninstall codex

Existing records are kept, in ~/.memoryserver and in each project's
.claude/journal.
""",
}


def of(command: str) -> str:
    """The end of the help of `command`; empty where there is nothing to show."""
    return f"examples:\n{_OF[command]}" if command in _OF else ""


def overview() -> str:
    """The end of the help of `memory` itself."""
    return f"examples:\n{OVERVIEW}"
