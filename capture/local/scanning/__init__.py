"""Reads the new messages of transcripts: high-water marks, seen messages, where a message comes from."""
