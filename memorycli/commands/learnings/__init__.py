"""Commands that store and hide learnings."""
