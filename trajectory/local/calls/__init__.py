"""What one tool call is: its record, what its text says, and what it repeats."""
