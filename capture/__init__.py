"""Capture: learnings out of the transcripts that agents leave behind."""
