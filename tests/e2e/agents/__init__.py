"""Stand-in agents: whole runs of Claude Code and Codex, on what `memory install` put in and with a real server."""
