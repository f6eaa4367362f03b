"""The append-only observation log: what happened, to what, when, from where."""
