"""Pages of the log: a user's own observations, and the audit of a team."""
