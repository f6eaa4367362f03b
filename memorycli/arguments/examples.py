"""The examples at the end of each command's help: commands that work as written, with a short comment on each.

An example is a line that begins with two spaces and `memory`; the text after the next two spaces comments on it.
Commands with examples in their own module have none here.
"""

from __future__ import annotations

OVERVIEW = """\
  memory install claude-code                   once: the agent's hooks
  memory login https://memory.example.org      once: the server
  memory capture install                       once: automatic capture
  memory status                                what runs, what waits
  memory search "why do the tests hang"        in your own words
  memory doctor                                what is wrong, and how to fix it

memory COMMAND --help has examples of each.
"""

_EXAMPLES = {
    "capture": """\
  memory capture install                 from now on, automatically
  memory capture scan                    or by hand: read the transcripts
  memory capture push --now              and deliver the learnings
  memory capture status
  memory capture failed                  files that cannot be stored, and why
  memory capture exclude                 keep this repository out of the memory
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

Settings nearer to the command take precedence: -c, the environment, the
project's file (.memoryserver.json), the user's file. A project's file comes
with a repository and may be written by anyone, so only harmless settings are
read from it: never the server, the token, or how much is kept.
""",
    "context": """\
  memory context                      what a session in this project begins with
  memory context --explain            why each line is in it, or is left out
  memory context --project github.com/crew/shop --json
""",
    "doctor": """\
  memory doctor                  exit status 1 if anything is wrong
  memory doctor --offline        without contacting the server
  memory doctor --json
""",
    "forget": """\
  memory forget learnings/12            it does not hold; nothing is deleted
  memory forget --undo learnings/12     show it again
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
    "export": """\
  memory export > mine.jsonl
  memory export --project github.com/crew/shop --output shop.jsonl
""",
    "import": """\
  memory import mine.jsonl
""",
    "install": """\
  memory install                                list the agents on this laptop
  memory install claude-code --dry-run          show the changes as a diff
  memory install claude-code                    for all your projects
  memory install claude-code --scope project    for everyone in this project
  memory install codex
""",
    "learn": """\
  memory learn 'npm test never ends, Vitest watches; use npx vitest run'
  memory learn --type convention 'Use pnpm, not npm' --file package.json
  memory learn --type gotcha 'go-git ignores the global gitignore' --project web
  memory learn --replaces learnings/12 'Staging is on port 5544, not on 5433'
""",
    "log": """\
  memory log append "moved the export to 3 o'clock" --type task.updated
  memory log recent --limit 20
  memory log query --type task.updated --after 7d
""",
    "login": """\
  memory login https://memory.example.org                   opens a page
  memory login https://memory.example.org --token-file token.txt
""",
    "logout": """\
  memory logout --local
""",
    "open": """\
  memory open                                      the home page
  memory open ghap_20261120_143022_a1b2c3
  memory open learnings/12 --print                 only print the address
""",
    "projects": """\
  memory projects
  memory projects --json
  memory projects rename              the remote, or the folder, was renamed
  memory projects rename github.com/crew/shop github.com/crew/store
""",
    "session": """\
  memory session start
  memory session show
  memory session end
""",
    "show": """\
  memory show ghap_20261120_143022_a1b2c3
  memory show 20261120_1430                        the beginning is enough
  memory show learnings/12
  memory show https://memory.example.org/entries/7/ --json
""",
    "status": """\
  memory status
  memory status --offline     without contacting the server
  memory status --json
""",
    "sync": """\
  memory sync                     now, without waiting for the next retry
  memory sync --retry-failed      also entries that the server refused
  memory sync --drop-failed       give up on those in the outbox
  memory sync --strict            for scripts: status 1 if anything is left
""",
    "trajectory": """\
  memory trajectory show                open findings of the last session here
  memory trajectory show --calls 20
  memory trajectory config              which observers run here
  memory trajectory clear
""",
    "uninstall": """\
  memory uninstall claude-code --dry-run
  memory uninstall claude-code
  memory uninstall codex
  memory uninstall --all          hooks, capture, login and the command itself

Recorded data is kept in ~/.memoryserver and in each project's
.claude/journal.
""",
    "update": """\
  memory update
  memory update --check        status 1 if the server ships another version
  memory update --rollback     back to the version before
""",
}


def of(command: str) -> str:
    """Return the end of the help of `command`; empty if it has no examples here."""
    return f"examples:\n{_EXAMPLES[command]}" if command in _EXAMPLES else ""


def overview() -> str:
    """Return the end of the help of `memory` itself."""
    return f"examples:\n{OVERVIEW}"


GHAP = {
    "start": """memory ghap start --domain debugging --strategy read-the-error \\
    --goal "Fix the flaky cache test" --hypothesis "A test before it leaves state" \\
    --action "Clear the cache in teardown" --prediction "50 runs in sequence pass" \\
    --check "pytest tests/test_cache.py\"""",
    "update": """memory ghap update --hypothesis "The clock is read twice" --note "Logs show no pollution\"""",
    "resolve": """memory ghap resolve falsified --result @result.txt --surprise "It fails alone too" \\
    --root-cause timing-issue --cause "Expiry is checked before the clock moves" \\
    --lesson "Freezing the clock\"""",
    "amend": """memory ghap amend --surprise "It fails alone too" \\
    --root-cause timing-issue --cause "Expiry is checked before the clock moves\"""",
}
