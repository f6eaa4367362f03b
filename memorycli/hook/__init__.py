"""What an agent's hook runs: one event from standard input, at most one JSON object to standard output."""
