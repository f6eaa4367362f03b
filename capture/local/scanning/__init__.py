"""Reads what is new in transcripts: high-water marks, what was seen before, where a message comes from."""
