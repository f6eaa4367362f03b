"""Review of learnings that contradict each other: people decide which of both stays."""
