"""What a session says of learnings that were taken from it before: which of them it takes back."""
