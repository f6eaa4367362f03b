"""The weekly mail: what the home page shows of the last seven days, to those who want it."""
