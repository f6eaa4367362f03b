"""Learnings from what happened: from calls and their results, whatever was said about them."""
