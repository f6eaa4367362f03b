"""The program of an agent's hook: one event from standard input, at most one JSON object to standard output."""
