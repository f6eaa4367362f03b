"""What the API of learnings takes and answers."""
