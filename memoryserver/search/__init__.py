"""Finding what the memory holds: by meaning, by words, and by both."""
