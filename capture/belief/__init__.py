"""Whether a learning is believed: its source, its score, its age and its use decide what enters a context."""
