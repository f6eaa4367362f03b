"""Learnings that say the same: found by embedding and by words, merged, and merged no longer."""
