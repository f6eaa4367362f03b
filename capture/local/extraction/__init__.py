"""Learnings out of messages: sentences, the rules they are matched against, and what commands and corrections teach."""
