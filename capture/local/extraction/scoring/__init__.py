"""Scoring: the likelihood that a sentence of a transcript is worth keeping."""
