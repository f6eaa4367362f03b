"""Readers of transcripts, one module for each agent, and the common form of messages that they return."""
