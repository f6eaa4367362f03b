"""Tool calls on their way into the database, and the sessions that the process keeps for them."""
