"""The tool calls of recorded sessions, before the observers once more."""
