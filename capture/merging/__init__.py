"""Learnings compared with each other: those that say the same are merged, contradictions are put up for review."""
