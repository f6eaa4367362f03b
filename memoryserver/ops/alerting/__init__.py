"""Alerts: problems that need a person, reported by mail and a webhook."""
