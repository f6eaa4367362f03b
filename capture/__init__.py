"""Capture: learnings from agents' transcripts."""
