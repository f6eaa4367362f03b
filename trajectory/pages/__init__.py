"""Pages of sessions: the list, one session with its calls, and the observers' configuration."""
