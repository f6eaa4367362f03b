"""Readers of transcripts, one module for each agent, and the stream of messages they all give."""
