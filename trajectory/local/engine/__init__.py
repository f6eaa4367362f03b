"""Runs the observers: triggers, state between calls, time limits, the assessment file."""
