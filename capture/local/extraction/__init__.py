"""Extracts learnings from messages: from sentences that match rules, from commands and from people's corrections."""
