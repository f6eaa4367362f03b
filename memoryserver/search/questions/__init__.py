"""What a question says beside its words: of whom it asks, and of which time."""
